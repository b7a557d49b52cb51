-- Records of the archive that can no longer be read. `sanderling repair` notes them.
CREATE TABLE lost_record (
    file INTEGER NOT NULL REFERENCES warc_file,
    offset INTEGER NOT NULL,
    flaw TEXT NOT NULL,
    PRIMARY KEY (file, offset)
) STRICT, WITHOUT ROWID;
