//! The queries of `demo --queries`.
use std::{
    fs,
    path::{Path, PathBuf},
};

use ::demo::DemoWeb;
use text::workload::{PseudoQueries, Workload};

use crate::failure::Failure;

/// The most queries that are made.
const MOST: usize = 500;

/// The file of queries, if any are wanted: that of the user, or one that is written to the folder `out` from
/// the titles, headings and links of the web at its start.
pub(super) fn file(
    wanted: Option<&Option<PathBuf>>,
    web: &DemoWeb,
    out: &Path,
) -> Result<Option<PathBuf>, Failure> {
    match wanted {
        None => Ok(None),
        Some(Some(file)) => Ok(Some(file.clone())),
        Some(None) => {
            let path = out.join("queries.tsv");
            fs::write(&path, made(web)).map_err(|error| {
                Failure::Input(format!("{}: cannot be written: {error}", path.display()))
            })?;
            Ok(Some(path))
        }
    }
}

fn made(web: &DemoWeb) -> String {
    let mut pseudo = PseudoQueries::default();
    for page in web.history().filter(|page| !page.is_private()) {
        let live = super::live(web, page.address(), web.start());
        if let Some(content) = live.and_then(|snapshot| snapshot.content) {
            pseudo.add(&content);
        }
    }
    let workload = pseudo.finish(MOST, None);
    let queries = workload.queries.iter().map(|query| (query.text.as_str(), query.frequency));
    Workload::to_tsv(&workload.source, queries)
}
