-- What of a held page was not read, such as the end of a sitemap that is too long.
ALTER TABLE snapshot ADD COLUMN left_out TEXT;
CREATE INDEX snapshot_left_out ON snapshot (page) WHERE left_out IS NOT NULL;
