//! Opening an index and making sure that it is as it was written, and belongs to the repository.
//!
//! Tantivy keeps a checksum at the end of each file of a segment, but only looks at it when asked;
//! `meta.json` has none. A damaged index would answer wrongly or panic in the middle of a search, so
//! all of it is checked before anything else is read, which takes as long as reading it once.
use std::path::Path;

use crawl::{Digest, PageNo, Time};
use rayon::prelude::*;
use store::View;
use tantivy::directory::MmapDirectory;
use tantivy::{IndexReader, ReloadPolicy, SegmentReader};
use text::words::Language;

use crate::IndexError;
use crate::analysis::{self, Lines};
use crate::document::whole;
use crate::folder;
use crate::reflects::Reflects;
use crate::schema::{self, CHANGED, DIGEST, Fields, LANGUAGE, PAGE};

/// Every file of a segment ends with at least this: the length of the footer, and a magic number.
/// Tantivy panics at some that are shorter.
const LEAST_FILE_BYTES: u64 = 8;

/// An index that is as it was written.
pub(crate) struct Opened {
    pub(crate) index: tantivy::Index,
    pub(crate) reader: IndexReader,
    pub(crate) fields: Fields,
    pub(crate) reflects: Reflects,
    /// Those of its pages.
    pub(crate) languages: Vec<Language>,
    /// Every page in it, by number.
    pub(crate) rows: Vec<Row>,
}

/// A page in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) page: PageNo,
    pub(crate) digest: Digest,
    pub(crate) changed: Time,
}

/// Opens the index of the data folder at `folder`, whose repository is `view`.
pub(crate) fn open(folder: &Path, view: &View) -> Result<Opened, IndexError> {
    let read = || std::fs::read(folder::meta(folder)).ok();
    loop {
        let meta = read();
        match open_once(folder, view) {
            // Whoever writes it commits and clears away beside this, and what has changed is
            // nothing that is wrong.
            Err(IndexError::Unusable { .. }) if meta.is_some() && read() != meta => {}
            other => return other,
        }
    }
}

fn open_once(folder: &Path, view: &View) -> Result<Opened, IndexError> {
    let unusable = |why: String| IndexError::unusable(folder, why);
    if !folder::meta(folder).exists() {
        return Err(IndexError::Missing { folder: folder.to_owned() });
    }
    let damaged = |e: tantivy::TantivyError| unusable(format!("it is damaged: {e}"));
    let search = folder::search(folder);
    let directory = MmapDirectory::open(&search).map_err(|e| damaged(e.into()))?;
    let index = tantivy::Index::open(directory).map_err(damaged)?;
    let metas = index.load_metas().map_err(damaged)?;
    let reflects = metas.payload.as_deref().and_then(Reflects::read);
    let reflects = reflects
        .ok_or_else(|| unusable("it is damaged: it does not say what it reflects".to_owned()))?;
    let (expected, fields) = schema::schema();
    if !reflects.is_made_alike() || index.schema() != expected {
        return Err(unusable("it was made by another version".to_owned()));
    }
    check_belongs(&reflects, view, folder)?;
    let files: Vec<_> = metas.list_segment_files().into_iter().collect();
    files.par_iter().try_for_each(|file| check_file(&search, &index, file)).map_err(unusable)?;
    let (index, reader) = reader(index).map_err(damaged)?;
    let rows = rows(&reader.searcher()).map_err(unusable)?;
    let languages = languages(&reader.searcher(), &fields).map_err(damaged)?;
    Ok(Opened { index, reader, fields, reflects, languages, rows })
}

/// Makes the index one that knows our tokenizer, and a reader that reloads when told to.
pub(crate) fn reader(index: tantivy::Index) -> tantivy::Result<(tantivy::Index, IndexReader)> {
    index.tokenizers().register(analysis::NAME, Lines);
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok((index, reader))
}

/// Whether an index is of this repository, and of this log: not of one that has been put back to
/// an earlier state since.
fn check_belongs(reflects: &Reflects, view: &View, folder: &Path) -> Result<(), IndexError> {
    if reflects.identity != view.identity()? {
        return Err(IndexError::unusable(folder, "it belongs to another repository"));
    }
    let position = view.position()?;
    if reflects.reach > position {
        let why = format!(
            "it is ahead of the log, which ends at {position}, and reflects it up to {}",
            reflects.reach
        );
        return Err(IndexError::unusable(folder, why));
    }
    if reflects.reach > 0 && view.fingerprint(reflects.reach)? != reflects.reach_mark {
        let why = "the log has been put back to an earlier state and written anew since";
        return Err(IndexError::unusable(folder, why));
    }
    Ok(())
}

/// Whether a file of a segment is there and as it was written.
fn check_file(search: &Path, index: &tantivy::Index, file: &Path) -> Result<(), String> {
    let flaw = |why: &str| format!("it is damaged: {} {why}", file.display());
    match std::fs::metadata(search.join(file)) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            // Only some segments have these; one that is needed is missed when its segment is opened.
            // Tantivy makes nothing of the others that are not there.
            let extension = file.extension().and_then(|extension| extension.to_str());
            let is_rare = matches!(extension, Some("del" | "temp"));
            return if is_rare { Ok(()) } else { Err(flaw("is not there")) };
        }
        Ok(about) if about.len() < LEAST_FILE_BYTES => return Err(flaw("is cut off")),
        _ => {}
    }
    match index.directory().validate_checksum(file) {
        Ok(true) => Ok(()),
        Ok(false) => Err(flaw("is not as it was written")),
        Err(e) => Err(flaw(&format!("cannot be read: {e}"))),
    }
}

/// Every page of an index, by number; or what is wrong with it.
pub(crate) fn rows(searcher: &tantivy::Searcher) -> Result<Vec<Row>, String> {
    let mut rows = vec![];
    for segment in searcher.segment_readers() {
        segment_rows(segment, &mut rows).map_err(|e| format!("it is damaged: {e}"))?;
    }
    rows.sort_unstable_by_key(|row| row.page);
    if let Some(twice) = rows.windows(2).find(|pair| pair[0].page == pair[1].page) {
        return Err(format!("it is damaged: page {} is in it twice", twice[0].page.0));
    }
    Ok(rows)
}

fn segment_rows(segment: &SegmentReader, rows: &mut Vec<Row>) -> tantivy::Result<()> {
    let columns = segment.fast_fields();
    let (pages, changed) = (columns.u64(PAGE)?, columns.i64(CHANGED)?);
    let [high, low] = DIGEST;
    let (high, low) = (columns.u64(high)?, columns.u64(low)?);
    if pages.num_docs() != segment.max_doc() {
        let flaw = "a segment has not as many pages as it says";
        return Err(tantivy::TantivyError::InternalError(flaw.to_owned()));
    }
    for document in segment.doc_ids_alive() {
        let row = || {
            let page = u32::try_from(pages.first(document)?).ok()?;
            let digest = whole([high.first(document)?, low.first(document)?]);
            let changed = Time::from_millis(changed.first(document)?);
            Some(Row { page: PageNo(page), digest, changed })
        };
        let flaw = || tantivy::TantivyError::InternalError("a page has no number".to_owned());
        rows.push(row().ok_or_else(flaw)?);
    }
    Ok(())
}

/// The languages that pages of an index are in.
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
