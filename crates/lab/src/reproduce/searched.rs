//! A web on which what searchers see is surveyed: in weekly cycles, as in the paper of 2005.
use std::{path::Path, sync::Arc};

use flow::Span;

use crate::{
    clusters::surveyed,
    quality::{Quality, Queries},
    tournament::{Experiment, LoadedWeb, PreparedWeb, Setup, TournamentError, Watcher, WebSource},
};

/// A web at its start, with a workload.
pub(super) struct SearchedWeb {
    /// The name used in results.
    pub(super) name: String,
    pub(super) loaded: LoadedWeb,
    /// The workload; `None` where there is nothing to ask.
    pub(super) quality: Option<Arc<Quality>>,
    pub(super) setup: Setup,
}

impl SearchedWeb {
    /// Brings a web to its start and fits the queries to it.
    pub(super) fn open(
        source: &WebSource,
        queries: &Queries,
        detector: &str,
        cache: &Path,
        watcher: &dyn Watcher,
    ) -> Result<Self, TournamentError> {
        let experiment = Experiment { cycle: Span::from_days(7), ..surveyed(source, detector) };
        let web = PreparedWeb::open(source, cache)?;
        web.read(&|rows, of| watcher.reading(&web.name, rows, of))?;
        let loaded = web.load(&experiment)?;
        let (truth, pages) = (&loaded.truth, experiment.pages);
        let (quality, _) = Quality::new(truth, loaded.texts.as_ref(), pages, queries, false)
            .map_err(|source| TournamentError::Texts { web: web.name.clone(), source })?;
        let quality = quality.map(Arc::new);
        let setup = Setup::new(Arc::clone(truth), pages, &experiment.start)?;
        let setup = setup.searched(quality.clone());
        Ok(Self { name: web.name, loaded, quality, setup })
    }
}

/// Opens a web.
pub(super) type Opens<'o> = dyn Fn(&WebSource) -> Result<SearchedWeb, TournamentError> + 'o;
