CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE host (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

CREATE TABLE page (
    no INTEGER PRIMARY KEY,
    address TEXT NOT NULL,
    host INTEGER NOT NULL,
    state TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_tried INTEGER,
    last_seen INTEGER,
    visits INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    misses INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    said_changed INTEGER,
    links INTEGER,
    last INTEGER
) STRICT;

CREATE TABLE snapshot (
    page INTEGER PRIMARY KEY,
    observation INTEGER NOT NULL,
    form TEXT NOT NULL,
    words INTEGER NOT NULL,
    images INTEGER NOT NULL,
    tables INTEGER NOT NULL,
    emails INTEGER NOT NULL,
    text_bytes INTEGER NOT NULL,
    noindex INTEGER NOT NULL,
    nofollow INTEGER NOT NULL,
    canonical TEXT,
    etag TEXT,
    last_modified TEXT,
    links_digest INTEGER NOT NULL,
    body_digest BLOB NOT NULL,
    text_digest BLOB NOT NULL,
    simhash INTEGER NOT NULL,
    sketch BLOB NOT NULL
) STRICT;

CREATE TABLE link_list (
    no INTEGER PRIMARY KEY,
    digest INTEGER NOT NULL,
    pages BLOB NOT NULL
) STRICT;

CREATE TABLE cycle (
    no INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    policy TEXT NOT NULL,
    detector TEXT NOT NULL,
    budget INTEGER,
    seed INTEGER NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER,
    first INTEGER NOT NULL
) STRICT;

CREATE TABLE observation (
    no INTEGER PRIMARY KEY,
    cycle INTEGER,
    page INTEGER NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,
    change REAL,
    since INTEGER,
    fault_kind TEXT,
    fault TEXT,
    leads BLOB,
    signals BLOB,
    before INTEGER,
    held INTEGER,
    digest BLOB,
    began INTEGER,
    status INTEGER,
    mime TEXT,
    bytes INTEGER,
    payload BLOB,
    record TEXT,
    file INTEGER,
    offset INTEGER,
    length INTEGER
) STRICT;

CREATE TABLE robots (
    origin TEXT PRIMARY KEY,
    asked INTEGER NOT NULL,
    fetches INTEGER NOT NULL,
    state TEXT NOT NULL,
    status INTEGER,
    why TEXT,
    good_at INTEGER,
    body BLOB,
    sitemaps TEXT NOT NULL
) STRICT;

CREATE TABLE robots_record (
    no INTEGER PRIMARY KEY,
    origin TEXT NOT NULL,
    address TEXT NOT NULL,
    began INTEGER NOT NULL,
    status INTEGER NOT NULL,
    mime TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    payload BLOB NOT NULL,
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL
) STRICT;

CREATE TABLE manners (
    host TEXT PRIMARY KEY,
    last_answer INTEGER,
    response_millis INTEGER NOT NULL,
    resting_until INTEGER,
    strikes INTEGER NOT NULL,
    last_strike INTEGER
) STRICT;

CREATE TABLE warc_file (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    first_observation INTEGER NOT NULL,
    first_robots INTEGER NOT NULL,
    indexed INTEGER NOT NULL
) STRICT;
