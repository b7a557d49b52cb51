CREATE TABLE facts (
    page INTEGER PRIMARY KEY,
    observation INTEGER NOT NULL,
    digest BLOB NOT NULL,
    facts BLOB NOT NULL
) STRICT;

CREATE TABLE word_models (
    no INTEGER PRIMARY KEY CHECK (no = 1),
    digest BLOB NOT NULL,
    models BLOB NOT NULL
) STRICT;
