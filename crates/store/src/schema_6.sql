-- Column names say what the values are.
ALTER TABLE page RENAME COLUMN said_changed TO claimed_change;
ALTER TABLE robots RENAME COLUMN asked TO requested_at;
