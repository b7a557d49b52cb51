//! Opens an index and checks that it is intact and belongs to the repository.
//!
//! Tantivy stores a checksum in each segment file but verifies it only on request, and `meta.json`
//! has none. A damaged index could give wrong results or panic during a search. So everything is
//! checked first, which takes as long as reading the index once.
use std::path::Path;

use crawl::{Digest, PageNo, Time};
use rayon::prelude::*;
use store::View;
use tantivy::{IndexReader, ReloadPolicy, SegmentReader};
use text::words::Language;

use crate::IndexError;
use crate::analysis::{self, LineTokenizer};
use crate::commit_payload::CommitPayload;
use crate::document::digest_from_columns;
use crate::folder;
use crate::read_only::{Fullness, SearchDirectory};
use crate::schema::{self, CHANGED, DIGEST, Fields, LANGUAGE, PAGE};

/// Length of the shortest valid footer. Tantivy panics on some shorter files.
const MIN_FILE_BYTES: u64 = 8;

/// An index that passed all checks.
pub(crate) struct OpenedIndex {
    pub(crate) index: tantivy::Index,
    pub(crate) fullness: Fullness,
    pub(crate) reader: IndexReader,
    pub(crate) fields: Fields,
    pub(crate) payload: CommitPayload,
    /// Languages of the pages.
    pub(crate) languages: Vec<Language>,
    /// Every page, by number.
    pub(crate) rows: Vec<Row>,
}

/// An indexed page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) page: PageNo,
    pub(crate) digest: Digest,
    pub(crate) changed: Time,
}

/// Opens the index of the data folder `folder` with the repository `view`.
pub(crate) fn open(folder: &Path, view: &View) -> Result<OpenedIndex, IndexError> {
    let read = || std::fs::read(folder::meta(folder)).ok();
    loop {
        let meta = read();
        match open_once(folder, view) {
            // A writer may commit and delete files meanwhile. Then try again.
            Err(IndexError::Unusable { .. }) if meta.is_some() && read() != meta => {}
            other => return other,
        }
    }
}

fn open_once(folder: &Path, view: &View) -> Result<OpenedIndex, IndexError> {
    let unusable = |why: String| IndexError::unusable(folder, why);
    if !folder::meta(folder).exists() {
        return Err(IndexError::Missing { folder: folder.to_owned() });
    }
    let damaged = |e: tantivy::TantivyError| unusable(format!("it is damaged: {e}"));
    let search = folder::search_folder(folder);
    let directory = SearchDirectory::open(&search).map_err(damaged)?;
    let fullness = directory.fullness();
    let index = tantivy::Index::open(directory).map_err(damaged)?;
    let metas = index.load_metas().map_err(damaged)?;
    let payload = metas.payload.as_deref().and_then(CommitPayload::decode);
    let payload = payload.ok_or_else(|| {
        unusable("it is damaged: its commit payload is missing or corrupt".to_owned())
    })?;
    let (expected, fields) = schema::schema();
    if !payload.has_current_format() || index.schema() != expected {
        return Err(unusable("it was written by another version".to_owned()));
    }
    check_belongs(&payload, view, folder)?;
    let files: Vec<_> = metas.list_segment_files().into_iter().collect();
    files.par_iter().try_for_each(|file| check_file(&search, &index, file)).map_err(unusable)?;
    let (index, reader) = reader(index).map_err(damaged)?;
    let rows = rows(&reader.searcher()).map_err(unusable)?;
    let languages = languages(&reader.searcher(), &fields).map_err(damaged)?;
    Ok(OpenedIndex { index, fullness, reader, fields, payload, languages, rows })
}

/// Registers the tokenizer and creates a reader that reloads on demand.
pub(crate) fn reader(index: tantivy::Index) -> tantivy::Result<(tantivy::Index, IndexReader)> {
    index.tokenizers().register(analysis::TOKENIZER, LineTokenizer);
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok((index, reader))
}

/// Checks that the index belongs to this repository, and that the log was not restored to an
/// earlier state since.
fn check_belongs(payload: &CommitPayload, view: &View, folder: &Path) -> Result<(), IndexError> {
    if payload.identity != view.identity()? {
        return Err(IndexError::unusable(folder, "it belongs to another repository"));
    }
    let position = view.position()?;
    if payload.reach > position {
        let why = format!(
            "it is ahead of the log: it covers observation {}, but the log ends at {position}",
            payload.reach
        );
        return Err(IndexError::unusable(folder, why));
    }
    if payload.reach > 0 && view.fingerprint(payload.reach)? != payload.reach_fingerprint {
        let why = "the log was restored to an earlier state and has other observations since";
        return Err(IndexError::unusable(folder, why));
    }
    Ok(())
}

/// Checks that a segment file exists and is intact.
fn check_file(search: &Path, index: &tantivy::Index, file: &Path) -> Result<(), String> {
    let flaw = |why: &str| format!("it is damaged: {} {why}", file.display());
    match std::fs::metadata(search.join(file)) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            // Not every segment has these. If one is needed, opening the segment fails.
            let extension = file.extension().and_then(|extension| extension.to_str());
            let is_rare = matches!(extension, Some("del" | "temp"));
            return if is_rare { Ok(()) } else { Err(flaw("is missing")) };
        }
        Ok(about) if about.len() < MIN_FILE_BYTES => return Err(flaw("is truncated")),
        _ => {}
    }
    match index.directory().validate_checksum(file) {
        Ok(true) => Ok(()),
        Ok(false) => Err(flaw("has a wrong checksum")),
        Err(e) => Err(flaw(&format!("cannot be read: {e}"))),
    }
}

/// Every page, by number; or what is damaged.
pub(crate) fn rows(searcher: &tantivy::Searcher) -> Result<Vec<Row>, String> {
    let mut rows = vec![];
    for segment in searcher.segment_readers() {
        segment_rows(segment, &mut rows).map_err(|e| format!("it is damaged: {e}"))?;
    }
    rows.sort_unstable_by_key(|row| row.page);
    if let Some(twice) = rows.windows(2).find(|pair| pair[0].page == pair[1].page) {
        return Err(format!("it is damaged: page {} occurs twice", twice[0].page.0));
    }
    Ok(rows)
}

fn segment_rows(segment: &SegmentReader, rows: &mut Vec<Row>) -> tantivy::Result<()> {
    let columns = segment.fast_fields();
    let (pages, changed) = (columns.u64(PAGE)?, columns.i64(CHANGED)?);
    let [high, low] = DIGEST;
    let (high, low) = (columns.u64(high)?, columns.u64(low)?);
    if pages.num_docs() != segment.max_doc() {
        let flaw = "a segment has a wrong number of documents";
        return Err(tantivy::TantivyError::InternalError(flaw.to_owned()));
    }
    for document in segment.doc_ids_alive() {
        let row = || {
            let page = u32::try_from(pages.first(document)?).ok()?;
            let digest = digest_from_columns([high.first(document)?, low.first(document)?]);
            let changed = Time::from_millis(changed.first(document)?);
            Some(Row { page: PageNo(page), digest, changed })
        };
        let flaw = || tantivy::TantivyError::InternalError("a document lacks a column".to_owned());
        rows.push(row().ok_or_else(flaw)?);
    }
    Ok(())
}

/// Languages of the indexed pages.
pub(crate) fn languages(
    searcher: &tantivy::Searcher,
    fields: &Fields,
) -> tantivy::Result<Vec<Language>> {
    debug_assert_eq!(searcher.schema().get_field_name(fields.language), LANGUAGE);
    let mut languages = vec![];
    for (place, &language) in Language::ALL.iter().enumerate() {
        let term = tantivy::Term::from_field_u64(fields.language, place as u64);
        if searcher.doc_freq(&term)? > 0 {
            languages.push(language);
        }
    }
    Ok(languages)
}
