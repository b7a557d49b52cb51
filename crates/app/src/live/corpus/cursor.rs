//! Cursors: places in the log of one data folder.
//!
//! A cursor is the number of an observation and its fingerprint. The fingerprint tells apart data folders,
//! and logs that share numbers because a backup was restored. Reading on from another log would miss
//! changes without a word.
use store::{StoreError, View};

/// The beginning of the log.
const BEGINNING: &str = "0";

/// The cursor after an observation.
pub(crate) fn at(view: &View, no: u64) -> Result<String, StoreError> {
    Ok(match view.fingerprint(no)? {
        Some(fingerprint) => format!("{no}-{fingerprint:016x}"),
        None => BEGINNING.to_owned(),
    })
}

/// The observation of a cursor; or why it is not one of this log.
pub(crate) fn parse(view: &View, text: &str) -> Result<Result<u64, String>, StoreError> {
    if text == BEGINNING {
        return Ok(Ok(0));
    }
    let parts = text.split_once('-').and_then(|(no, fingerprint)| {
        let no: u64 = no.parse().ok()?;
        Some((no, u64::from_str_radix(fingerprint, 16).ok()?))
    });
    let Some((no, fingerprint)) = parts else {
        return Ok(Err(format!("{text:?} is not a cursor that an export printed")));
    };
    Ok(match view.fingerprint(no)? {
        Some(found) if found == fingerprint => Ok(no),
        _ => Err(format!(
            "cursor {text} is not of this data folder, or the folder was restored from a backup; export \
             everything without a cursor"
        )),
    })
}
