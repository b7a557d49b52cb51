//! Analyses: measurements of papers on webs, without runs of policies.
use std::{any::Any, fmt, path::Path, sync::Arc};

use crawl::Span;
use lab::{
    quality::Queries,
    tournament::{Experiment, LoadedWeb, PreparedWeb, TournamentError, Watcher, WebSource},
};

use crate::evidence::Measured;

/// An analysis that a paper brings.
pub struct Analysis {
    /// Its name in experiment files: `survey = "NAME"`.
    pub name: &'static str,
    /// Whether it skips some webs, so that a quick reproduction needs more of them.
    pub skips_webs: bool,
    /// Runs the analysis.
    pub run: fn(&Context<'_>, &mut Memo) -> Result<Measured, TournamentError>,
}

impl Analysis {
    /// An analysis that skips no webs.
    pub(crate) const fn new(
        name: &'static str,
        run: fn(&Context<'_>, &mut Memo) -> Result<Measured, TournamentError>,
    ) -> Self {
        Self { name, skips_webs: false, run }
    }
}

impl fmt::Debug for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Analysis {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A filter that a paper brings: it selects the webs on which something can be studied.
pub struct WebFilter {
    /// Its name in experiment files: `filter = "NAME"`.
    pub name: &'static str,
    /// The reason in reports if no web is left.
    pub nothing: &'static str,
    /// Selects the webs.
    pub select: fn(&Context<'_>, &mut Memo) -> Result<Vec<WebSource>, TournamentError>,
}

impl fmt::Debug for WebFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for WebFilter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The inputs of an analysis.
pub struct Context<'a> {
    /// The webs, all of one kind.
    pub webs: &'a [WebSource],
    /// The source of the query workload.
    pub queries: Queries,
    /// The name of the change detector.
    pub detector: &'a str,
    /// The cache folder of traces.
    pub cache: &'a Path,
    /// Receives progress.
    pub watcher: &'a dyn Watcher,
    /// Whether a rough result is enough.
    pub is_quick: bool,
}

impl Context<'_> {
    /// Loads a web with cycles of this length; returns its name, too.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn load(
        &self,
        source: &WebSource,
        cycle: Span,
        detector: &str,
    ) -> Result<(String, LoadedWeb), TournamentError> {
        let experiment =
            Experiment { detector: detector.to_owned(), ..Experiment::new(source.clone(), cycle) };
        let web = PreparedWeb::open(source, self.cache)?;
        web.read(&|rows, of| self.watcher.reading(&web.name, rows, of))?;
        let loaded = web.load(&experiment)?;
        Ok((web.name, loaded))
    }
}

/// A cache shared by the parts of a reproduction, since reading webs takes longer than most
/// analyses. Holds one value of each type.
#[derive(Default)]
pub struct Memo(Vec<Box<dyn Any>>);

impl Memo {
    /// The value of this type, created on first use.
    pub(crate) fn get<T: Any + Default>(&mut self) -> &mut T {
        let place = self.0.iter().position(|value| value.is::<T>()).unwrap_or_else(|| {
            self.0.push(Box::<T>::default());
            self.0.len() - 1
        });
        self.0[place].downcast_mut().expect("it has this type")
    }
}

/// A value for each web, computed once.
pub(crate) struct ByWeb<T>(Vec<(WebSource, Arc<T>)>);

impl<T> Default for ByWeb<T> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<T> ByWeb<T> {
    /// The values of these webs; `make` computes missing ones.
    ///
    /// # Errors
    /// If `make` fails.
    pub(crate) fn get(
        &mut self,
        webs: &[WebSource],
        make: impl Fn(&WebSource) -> Result<T, TournamentError>,
    ) -> Result<Vec<Arc<T>>, TournamentError> {
        let mut all = vec![];
        for source in webs {
            let known = self.0.iter().find(|(known, _)| known == source);
            let value = if let Some((_, value)) = known {
                Arc::clone(value)
            } else {
                let value = Arc::new(make(source)?);
                self.0.push((source.clone(), Arc::clone(&value)));
                value
            };
            all.push(value);
        }
        Ok(all)
    }
}
