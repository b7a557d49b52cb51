//! Reports of a reproduction: HTML, Markdown, JSON and text for the terminal.
pub mod html;
pub mod json;
pub mod markdown;
pub mod terminal;

use std::{io::Write, path::Path};

use lab::report::{ReportError, write_whole};

use crate::{judge::Judged, reproduction::Reproduction};

/// Writes `report.html` and `reproduce.json` into `folder`, which is created if needed. Each
/// file appears whole or not at all.
///
/// # Errors
/// If the folder or a file cannot be written.
pub fn write(
    reproduction: &Reproduction,
    judged: &[Judged],
    date: &str,
    folder: &Path,
) -> Result<(), ReportError> {
    std::fs::create_dir_all(folder)
        .map_err(|source| ReportError::Write { path: folder.to_owned(), source })?;
    write_whole(folder, "report.html", |mut file| {
        file.write_all(html::html(reproduction, judged, date).as_bytes())
    })?;
    let document = json::document(reproduction, judged, date);
    write_whole(folder, "reproduce.json", |mut file| writeln!(file, "{document:#}"))
}
