//! Surveys of forecasts: the tables and figures of Radinsky and Bennett 2013 on sites one by one.
//!
//! Every number is a mean over pages of their means over test days, as in the paper. Intervals are by site:
//! windows of one page overlap, and pages of one site are built together.
mod chosen;
mod labels;
mod numbers;
mod pages;
mod scores;
mod tables;

use std::{path::Path, sync::Arc};

use flow::Span;
use policy::predict::learn::Method;

use self::pages::ByPage;
pub(super) use self::{
    numbers::{AGAINST_EXPERTS, AGAINST_SINGLE, AGAINST_WINDOW},
    pages::{BY_SITE, less},
    tables::{CHOSEN_BY, COMBINED},
};
use super::{evidence::Measured, plan::Survey};
use crate::{
    clusters::surveyed,
    prediction::{
        PageAnswers, Question, Web, ask,
        settings::{Extent, QUICK, WHOLE},
    },
    tournament::{Experiment, PreparedWeb, TournamentError, Watcher, WebSource},
};

/// What any difference of texts is to.
const DETECTOR: &str = "digest";

/// Why nothing was measured.
const NOTHING: &str = "no page of these webs turns often enough";

/// What is known of webs day by day, and what was said about them, kept for all parts of a reproduction.
#[derive(Default)]
pub(super) struct Daily {
    is_quick: bool,
    webs: Vec<(WebSource, Arc<Web>)>,
    /// By question and names of webs.
    answers: Vec<(Question, Vec<String>, Arc<Answers>)>,
}

/// What was said about the pages of webs, by web.
type Answers = Vec<Vec<PageAnswers>>;

impl Daily {
    /// Nothing yet.
    pub(super) fn new(is_quick: bool) -> Self {
        Self { is_quick, ..Self::default() }
    }

    fn extent(&self) -> Extent {
        if self.is_quick { QUICK } else { WHOLE }
    }

    /// The webs, read where they have not been.
    fn of(
        &mut self,
        sources: &[WebSource],
        cache: &Path,
        watcher: &dyn Watcher,
    ) -> Result<Vec<Arc<Web>>, TournamentError> {
        let mut webs = vec![];
        for source in sources {
            if let Some((_, web)) = self.webs.iter().find(|(known, _)| known == source) {
                webs.push(Arc::clone(web));
                continue;
            }
            let experiment = Experiment { cycle: Span::from_days(1), ..surveyed(source, DETECTOR) };
            let web = PreparedWeb::open(source, cache)?;
            web.read(&|rows, of| watcher.reading(&web.name, rows, of))?;
            let loaded = web.load(&experiment)?;
            let found = Web::new(&loaded.truth, loaded.texts.as_ref(), self.extent());
            let failed = |source| TournamentError::Texts { web: web.name.clone(), source };
            let found = Arc::new(found.map_err(failed)?);
            self.webs.push((source.clone(), Arc::clone(&found)));
            webs.push(found);
        }
        Ok(webs)
    }

    /// Asks about all webs, unless it was asked before.
    fn ask(&mut self, webs: &[Arc<Web>], question: Question) -> Asked {
        let names: Vec<String> = webs.iter().map(|web| web.name.clone()).collect();
        let known = self.answers.iter().find(|(asked, of, _)| *asked == question && *of == names);
        if let Some((_, _, answers)) = known {
            return Asked { methods: question.methods, answers: Arc::clone(answers) };
        }
        let answers: Answers = webs.iter().map(|web| ask(web, &question)).collect();
        let answers = Arc::new(answers);
        self.answers.push((question.clone(), names, Arc::clone(&answers)));
        Asked { methods: question.methods, answers }
    }
}

/// What was said, and by whom.
struct Asked {
    methods: Vec<Method>,
    answers: Arc<Answers>,
}

impl Asked {
    /// Something of every page and what a method said of it.
    fn each(&self, method: Method, of: impl Fn(&PageAnswers, usize) -> f64) -> ByPage {
        let place = self.methods.iter().position(|other| *other == method);
        let value = |page: &PageAnswers| place.map(|place| of(page, place));
        // Only sites with pages: others would say nothing, however often they are drawn.
        let sites = self.answers.iter().filter(|pages| !pages.is_empty());
        ByPage(sites.map(|pages| pages.iter().filter_map(value).collect()).collect())
    }

    /// How often a method is right.
    fn accuracy(&self, method: Method) -> ByPage {
        self.each(method, |page, place| page.accuracy(place, method))
    }

    /// How many tests there are in all.
    fn tests(&self) -> usize {
        self.answers.iter().flatten().map(|page| page.tests.len()).sum()
    }
}

/// Surveys the webs.
///
/// # Errors
/// When one cannot be read.
pub(super) fn survey(
    what: Survey,
    sources: &[WebSource],
    cache: &Path,
    watcher: &dyn Watcher,
    daily: &mut Daily,
) -> Result<Measured, TournamentError> {
    let webs = daily.of(sources, cache, watcher)?;
    if what != Survey::Labels && webs.iter().all(|web| web.forecast(PRIMARY).is_none()) {
        return Ok(Measured::Nothing(NOTHING.to_owned()));
    }
    Ok(Measured::Survey(match what {
        Survey::Forecasts => tables::forecasts(daily, &webs),
        Survey::Combinations => tables::combinations(daily, &webs),
        Survey::Relations => tables::relations(daily, &webs),
        Survey::WindowSizes => numbers::windows(daily, &webs),
        Survey::ExpertCounts => numbers::experts(daily, &webs),
        Survey::Scores => scores::figure(daily, &webs),
        Survey::Experts => chosen::figure(daily, &webs),
        Survey::Pruning => chosen::pruning(&webs),
        _ => labels::figure(&webs),
    }))
}

/// The filter that verdicts rest on, as a row of the settings' list.
const PRIMARY: usize = 0;
