//! All captures without their bodies: the page, the time, and where to read the body again.
use std::collections::BTreeMap;
use std::path::PathBuf;

use crawl::{Digest, Time};
use rustc_hash::FxHashMap;
use warc::{self, Record, RecordLocation, read_at};

use super::examine::{Again, Capture, Finding, Reason, Shows, examine};
use super::spill::{Spill, Waiting};
use super::{CaptureError, ImportError, MOST_WARNINGS};
use crate::import::names::Names;
use crate::trace::TraceError;

/// The captures read so far.
#[derive(Debug)]
pub(super) struct Captures {
    files: Vec<PathBuf>,
    pages: Names,
    mimes: Names,
    contents: Vec<Content>,
    repeats: Vec<StoredAgain>,
    list: Vec<Stored>,
    /// For each page its rank in the byte order of addresses. Known once sorted.
    rank: Vec<u32>,
    /// The first content of each payload.
    payloads: FxHashMap<Digest, u32>,
    spill: Spill,
    /// All captures, including the skipped ones.
    pub(super) count: usize,
    pub(super) skipped: BTreeMap<Reason, usize>,
    pub(super) damaged: usize,
    /// The descriptions of the first damaged records.
    pub(super) warnings: Vec<String>,
}

/// One capture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) page: u32,
    pub(super) at: Time,
    evidence: Evidence,
}

#[derive(Clone, Copy, Debug)]
enum Evidence {
    Content(u32),
    Gone(u16),
    Again(u32),
}

/// A content in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    /// The length of the unpacked body. Bodies that are too large have none and are all treated as
    /// equal.
    pub(super) digest: Option<Digest>,
    pub(super) status: u16,
    mime: u32,
    body: Body,
}

#[derive(Clone, Copy, Debug)]
enum Body {
    TooLarge,
    InRecord { file: u32, place: RecordLocation },
    Waiting(Waiting),
}

#[derive(Debug)]
struct StoredAgain {
    payload: Option<Digest>,
    original: Option<(u32, Time)>,
    not_modified: bool,
}

/// What a page showed, once the content of a revisit is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The number of a content.
    Content(u32),
    Gone(u16),
}

impl Captures {
    pub(super) fn new(spill: Spill) -> Self {
        Self {
            files: Vec::new(),
            pages: Names::default(),
            mimes: Names::default(),
            contents: Vec::new(),
            repeats: Vec::new(),
            list: Vec::new(),
            rank: Vec::new(),
            payloads: FxHashMap::default(),
            spill,
            count: 0,
            skipped: BTreeMap::new(),
            damaged: 0,
            warnings: Vec::new(),
        }
    }

    /// Registers the file of the records that follow.
    pub(super) fn file(&mut self, path: PathBuf) -> u32 {
        self.files.push(path);
        self.files.len() as u32 - 1
    }

    /// Adds a record of a file.
    pub(super) fn take(&mut self, file: u32, record: &Record) -> Result<(), ImportError> {
        match examine(record) {
            Finding::Other => return Ok(()),
            Finding::Skipped(reason) => self.skip(reason, 1),
            Finding::Capture(Capture { url, at, shows }) => {
                let page = self.pages.number(&url);
                let evidence = self.evidence(shows, file, record.location)?;
                self.list.push(Stored { page, at, evidence });
            }
        }
        self.count += 1;
        Ok(())
    }

    fn evidence(
        &mut self,
        shows: Shows,
        file: u32,
        place: Option<RecordLocation>,
    ) -> Result<Evidence, ImportError> {
        Ok(match shows {
            Shows::Gone(status) => Evidence::Gone(status),
            Shows::Again(Again { payload, original, not_modified }) => {
                let original = original.map(|(url, at)| (self.pages.number(&url), at));
                self.repeats.push(StoredAgain { payload, original, not_modified });
                Evidence::Again(self.repeats.len() as u32 - 1)
            }
            Shows::Content { status, mime, body, payload } => {
                let digest = body.as_deref().map(Digest::from_bytes);
                let mime = self.mimes.number(&mime);
                if let Some(&known) = self.payloads.get(&payload) {
                    let content = &self.contents[known as usize];
                    if (content.digest, content.status, content.mime) == (digest, status, mime) {
                        return Ok(Evidence::Content(known));
                    }
                }
                let body = match (body, place) {
                    (None, _) => Body::TooLarge,
                    (Some(_), Some(place)) => Body::InRecord { file, place },
                    (Some(body), None) => {
                        let kept = self.spill.keep(&body);
                        Body::Waiting(kept.map_err(|source| self.spill_failed(source))?)
                    }
                };
                let number = self.contents.len() as u32;
                self.contents.push(Content { digest, status, mime, body });
                self.payloads.entry(payload).or_insert(number);
                Evidence::Content(number)
            }
        })
    }

    /// Counts captures that add nothing.
    pub(super) fn skip(&mut self, reason: Reason, count: usize) {
        if count > 0 {
            *self.skipped.entry(reason).or_default() += count;
        }
    }

    /// Counts damage and keeps the descriptions of the first few.
    pub(super) fn damage(&mut self, error: &dyn std::error::Error) {
        self.damaged += 1;
        if self.warnings.len() < MOST_WARNINGS {
            let cause = error.source().map(|cause| format!(": {cause}"));
            self.warnings.push(format!("{error}{}", cause.unwrap_or_default()));
        }
    }

    /// Sorts the captures by address and time. Captures of one page at one instant keep their
    /// reading order.
    pub(super) fn sort(&mut self) {
        self.rank = self.pages.rank();
        self.list.sort_by_key(|capture| (self.rank[capture.page as usize], capture.at));
        self.list.shrink_to_fit();
    }

    /// The captures in sorted order.
    pub(super) fn list(&self) -> &[Stored] {
        &self.list
    }

    /// What each capture of one page showed; `None` if unknown.
    pub(super) fn shown(&self, page: &[Stored]) -> Vec<Option<Shown>> {
        let mut before = None;
        let of = |capture: &Stored| {
            let shown = match capture.evidence {
                Evidence::Content(content) => Some(Shown::Content(content)),
                Evidence::Gone(status) => Some(Shown::Gone(status)),
                Evidence::Again(again) => {
                    self.original(&self.repeats[again as usize], before).map(Shown::Content)
                }
            };
            if let Some(Shown::Content(content)) = shown {
                before = Some(content);
            }
            shown
        };
        page.iter().map(of).collect()
    }

    /// The content of a revisit: by its digest, by the address and time of the original, or the
    /// page's previous content.
    fn original(&self, again: &StoredAgain, before: Option<u32>) -> Option<u32> {
        let by_payload = again.payload.and_then(|payload| self.payloads.get(&payload).copied());
        let by_place = || {
            let (page, at) = again.original?;
            let wanted = (self.rank[page as usize], at);
            let key = |capture: &Stored| (self.rank[capture.page as usize], capture.at);
            let from = self.list.partition_point(|capture| key(capture) < wanted);
            let mut there = self.list[from..].iter().take_while(|capture| key(capture) == wanted);
            there.find_map(|capture| match capture.evidence {
                Evidence::Content(content) => Some(content),
                _ => None,
            })
        };
        by_payload.or_else(by_place).or(if again.not_modified { before } else { None })
    }

    pub(super) fn content(&self, number: u32) -> Content {
        self.contents[number as usize]
    }

    pub(super) fn url(&self, page: u32) -> &str {
        self.pages.name(page)
    }

    pub(super) fn mime(&self, content: u32) -> &str {
        self.mimes.name(self.content(content).mime)
    }

    /// Reads a body again.
    pub(super) fn body(&mut self, content: u32) -> Result<Vec<u8>, ImportError> {
        let content = self.content(content);
        match content.body {
            Body::TooLarge => Ok(Vec::new()),
            Body::Waiting(waiting) => {
                self.spill.body(waiting).map_err(|source| self.spill_failed(source))
            }
            Body::InRecord { file, place } => {
                let path = &self.files[file as usize];
                let changed =
                    || CaptureError::Changed { path: path.clone(), offset: place.offset }.into();
                let record = match read_at(path, place) {
                    Ok(record) => record,
                    Err(error @ warc::Error::File { .. }) => {
                        return Err(CaptureError::Read(error).into());
                    }
                    Err(_) => return Err(changed()),
                };
                match examine(&record) {
                    Finding::Capture(Capture {
                        shows: Shows::Content { body: Some(body), .. },
                        ..
                    }) if content.digest == Some(Digest::from_bytes(&body)) => Ok(body),
                    _ => Err(changed()),
                }
            }
        }
    }

    fn spill_failed(&self, source: std::io::Error) -> ImportError {
        TraceError::Write { path: self.spill.path().to_owned(), source }.into()
    }
}
