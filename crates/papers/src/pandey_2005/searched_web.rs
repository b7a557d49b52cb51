//! A web with a query workload, in weekly cycles as in the paper.
use std::sync::Arc;

use crawl::Span;
use lab::{
    quality::Quality,
    tournament::{Dataset, LoadedWeb, PageSet, Start, TournamentError, WebSource},
};

use crate::analysis::Context;

/// A web at its start, with a workload.
pub(crate) struct SearchedWeb {
    /// Its name in results.
    pub(crate) name: String,
    pub(crate) loaded: LoadedWeb,
    /// The workload.
    pub(crate) quality: Arc<Quality>,
    pub(crate) dataset: Dataset,
}

impl SearchedWeb {
    /// Loads a web and fits the queries to it; `None` if there are no queries.
    pub(crate) fn load(
        context: &Context<'_>,
        source: &WebSource,
    ) -> Result<Option<Self>, TournamentError> {
        let (name, loaded) = context.load(source, Span::from_days(7), context.detector)?;
        let (truth, pages) = (&loaded.truth, PageSet::Fixed);
        let (quality, _) =
            Quality::new(truth, loaded.texts.as_ref(), pages, &context.queries, false)
                .map_err(|source| TournamentError::Texts { web: name.clone(), source })?;
        let Some(quality) = quality.map(Arc::new) else { return Ok(None) };
        let dataset = Dataset::new(Arc::clone(truth), pages, &Start::Synchronised)?;
        let dataset = dataset.with_workload(Some(Arc::clone(&quality)));
        Ok(Some(Self { name, loaded, quality, dataset }))
    }
}
