-- What the policy expected of a visit: log odds of a change, and those of a correction.
ALTER TABLE observation ADD COLUMN expected_odds REAL;
ALTER TABLE observation ADD COLUMN expected_correction REAL;
