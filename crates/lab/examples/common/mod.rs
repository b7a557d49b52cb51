//! What the examples about the policy `unified` share.
#![allow(dead_code, reason = "not every example needs everything")]
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crawl::{Digest, Span};
use lab::{
    quality::{Quality, Queries},
    tournament::{Dataset, Experiment, LoadedWeb, PageSet, PreparedWeb, WebSource},
    truth::GroundTruth,
};
use policy::unified::{Corrections, Model};
use text::workload::Workload;

pub(crate) type Error = Box<dyn std::error::Error + Send + Sync>;

/// Where readings of traces are kept.
const CACHE: &str = "target/readings";

/// The traces in a folder and in those below it, in order. `nlab-full` is left out: most of its pages are
/// those of `nlab-cat`, and it is larger than all others together.
pub(crate) fn traces(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = vec![];
    collect(folder, &mut found)?;
    found.sort();
    found.retain(|path| !path.ends_with("nlab-full.parquet"));
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|end| end == "parquet") {
            found.push(path);
        }
    }
    Ok(())
}

/// The name of a trace.
pub(crate) fn name(trace: &Path) -> String {
    trace.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A trace in cycles of this length, with every page held at the start.
pub(crate) fn load(
    trace: &Path,
    pages: PageSet,
    detector: &str,
    interval: Span,
) -> Result<(Dataset, Arc<GroundTruth>), Error> {
    load_with_queries(trace, pages, detector, interval, &Queries::None)
}

/// The same with a query workload.
pub(crate) fn load_with_queries(
    trace: &Path,
    pages: PageSet,
    detector: &str,
    interval: Span,
    queries: &Queries,
) -> Result<(Dataset, Arc<GroundTruth>), Error> {
    let source = WebSource::Trace(trace.to_owned());
    let usual = Experiment::new(source.clone(), interval);
    let experiment = Experiment { detector: detector.to_owned(), pages, ..usual };
    let web = PreparedWeb::open(&source, Path::new(CACHE))?;
    web.read(&|_, _| ())?;
    let LoadedWeb { truth, texts, .. } = web.load(&experiment)?;
    let (quality, _) = Quality::new(&truth, texts.as_ref(), pages, queries, false)?;
    let dataset = Dataset::new(Arc::clone(&truth), experiment.pages, &experiment.start)?;
    Ok((dataset.weighted(false).with_workload(quality.map(Arc::new)), truth))
}

/// The queries of a file, at most so many for each web.
pub(crate) fn queries(path: &str, limit: usize) -> Result<Queries, Error> {
    let text = std::fs::read_to_string(path)?;
    let digest = Digest::from_bytes(text.as_bytes());
    let workload = Arc::new(Workload::from_tsv(path, &text)?);
    Ok(Queries::File { workload, digest, limit })
}

/// The corrections in `folder` that were fitted without a site: `folds.txt` says by site in which folder
/// they are.
pub(crate) fn corrections(folder: &str, site: &str) -> Result<Arc<Corrections>, Error> {
    let folds = std::fs::read_to_string(Path::new(folder).join("folds.txt"))?;
    let fold = folds
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find_map(|(name, fold)| (name == site).then_some(fold));
    let fold = Path::new(folder).join(fold.ok_or_else(|| format!("no fold for {site}"))?);
    let read = |name: &str| -> Result<Model, Error> {
        let path = fold.join(name);
        let text = std::fs::read_to_string(&path)?;
        Ok(Model::parse(&text).ok_or_else(|| format!("{}: not a model", path.display()))?)
    };
    Ok(Arc::new(Corrections { stale: read("stale.txt")?, life: read("life.txt")? }))
}
