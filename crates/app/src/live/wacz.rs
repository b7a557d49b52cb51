//! `sanderling export wacz`: the archive as one file that ReplayWeb.page opens.
use std::path::PathBuf;

use clap::Args;
use store::{HeldDigest, View};
use warc::{
    Timestamp,
    wacz::{FinishError, PageEntry, WaczWriter},
};

use super::{
    FolderFlags,
    tally::{bytes, counted, stamp},
};
use crate::{
    failure::{Failure, with_causes},
    output,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The file to write, such as site.wacz
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// The title of the collection [default: the data folder]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

pub(crate) fn wacz(arguments: &Arguments) -> Result<(), Failure> {
    let (settings, view) = arguments.folder.open()?;
    let path = &arguments.output;
    let mut writer =
        WaczWriter::create(path).map_err(|error| Failure::Input(with_causes(&error)))?;
    let mut refused = None;
    let mut captures = 0_u64;
    let files = view.archive(&mut |entry| {
        captures += 1;
        refused = writer.add_capture(&entry).err();
        refused.is_none()
    })?;
    if let Some(error) = refused {
        return Err(failure(&error.into()));
    }
    if files.is_empty() {
        let folder = settings.data.display();
        return Err(Failure::Input(format!(
            "{folder} has no archive yet, so there is nothing to export"
        )));
    }
    let pages = add_pages(&view, &mut writer)?;
    for file in &files {
        writer.add_warc(&file.path, file.bytes).map_err(|error| failure(&error.into()))?;
    }
    let title = arguments.title.clone().unwrap_or_else(|| settings.data.display().to_string());
    let software = concat!("sanderling ", env!("CARGO_PKG_VERSION"));
    let created = stamp(super::now(&view)?);
    writer.finish(&title, software, &created).map_err(|error| failure(&error))?;
    if arguments.quiet {
        return Ok(());
    }
    let size = std::fs::metadata(path).map_or(0, |about| about.len());
    output::print(&format!(
        "{}, {} in {}\nCollection: {} ({})",
        counted(pages, "page", "pages"),
        counted(captures, "capture", "captures"),
        counted(files.len() as u64, "WARC file", "WARC files"),
        path.display(),
        bytes(size)
    ))
}

/// Adds the held pages that people read to the list of pages.
fn add_pages(view: &View, writer: &mut WaczWriter) -> Result<u64, Failure> {
    let mut count = 0;
    let held = view.held_digests()?;
    for HeldDigest { page, .. } in held.into_iter().filter(|held| held.form.is_for_people()) {
        let Some(held) = view.held(page)? else { continue };
        let title = held.snapshot.content.as_ref().map_or("", |content| &content.title);
        let at = Timestamp::from_millis(held.at.millis());
        let page = PageEntry { url: held.address, title: title.to_owned(), at };
        writer.add_page(&page).map_err(|error| failure(&error.into()))?;
        count += 1;
    }
    Ok(count)
}

fn failure(error: &FinishError) -> Failure {
    let line = with_causes(error);
    match error {
        FinishError::File(error) if error.is_full() => Failure::DiskFull(line),
        _ => Failure::Internal(line),
    }
}
