-- Budgets may be in bytes or milliseconds, and cycles say how many bytes they received.
ALTER TABLE cycle ADD COLUMN unit TEXT NOT NULL DEFAULT 'visits';
ALTER TABLE cycle ADD COLUMN received INTEGER;
