//! The WARC importer, on archives written for each test.
mod archive;
mod captures;
mod files;
mod history;
mod times;
