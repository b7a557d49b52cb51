ALTER TABLE observation ADD COLUMN impact REAL;
