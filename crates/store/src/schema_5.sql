-- State of any instrument, by name. Before, features were the only instrument.
CREATE TABLE instrument (
    name TEXT PRIMARY KEY,
    digest BLOB NOT NULL,
    state BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE instrument_page (
    instrument TEXT NOT NULL,
    page INTEGER NOT NULL,
    observation INTEGER NOT NULL,
    digest BLOB NOT NULL,
    state BLOB NOT NULL,
    PRIMARY KEY (instrument, page)
) STRICT;

INSERT INTO instrument (name, digest, state) SELECT 'features', digest, models FROM word_models;
INSERT INTO instrument_page (instrument, page, observation, digest, state)
    SELECT 'features', page, observation, digest, facts FROM facts;
DROP TABLE word_models;
DROP TABLE facts;

ALTER TABLE manners RENAME TO host_state;
ALTER TABLE host_state RENAME COLUMN resting_until TO back_off_until;
