//! The tables and figures of the paper, on sites one by one.
//!
//! Every number is a mean over pages of their means over test days, as in the paper. Intervals are by
//! site: windows of one page overlap, and pages of one site are made together.
pub(crate) mod accuracy;
pub(crate) mod by_page;
pub(crate) mod crawls;
pub(crate) mod experts;
pub(crate) mod labels;
pub(crate) mod scores;
pub(crate) mod sizes;

use std::sync::Arc;

use lab::tournament::WebSource;
use policy::predict::learn::Method;

use self::by_page::ByPage;
use super::forecast::{
    Label, PageAnswers, Question, Web, ask,
    settings::{ALPHA, Extent, FILTERS, LOW_ALPHA, QUICK, WHOLE},
};

/// The filter that verdicts rest on, as a row of the settings' list: the paper's own in its world, where all
/// webs are made up; a weaker one on recorded sites.
pub(crate) fn primary(webs: &[WebSource]) -> usize {
    let is_made_up = |web: &WebSource| matches!(web, WebSource::Synthetic(_));
    let filter = if webs.iter().all(is_made_up) {
        (Label::Significant, ALPHA)
    } else {
        (Label::Any, LOW_ALPHA)
    };
    FILTERS.iter().position(|other| *other == filter).unwrap_or_default()
}

/// How much is forecast and tested.
pub(crate) fn extent(is_quick: bool) -> Extent {
    if is_quick { QUICK } else { WHOLE }
}

/// Answers about the pages of webs, by web.
type Answers = Vec<Vec<PageAnswers>>;

/// The forecasts made so far in a reproduction: several figures need the same ones.
#[derive(Default)]
pub(crate) struct Forecasts {
    pub(crate) is_quick: bool,
    /// The filter that verdicts rest on.
    pub(crate) primary: usize,
    /// By question and names of webs.
    known: Vec<(Question, Vec<String>, Arc<Answers>)>,
}

impl Forecasts {
    fn extent(&self) -> Extent {
        extent(self.is_quick)
    }

    /// The answers for all webs, computed on first use.
    fn ask(&mut self, webs: &[Arc<Web>], question: Question) -> Answered {
        let names: Vec<String> = webs.iter().map(|web| web.name.clone()).collect();
        let known = self.known.iter().find(|(known, of, _)| *known == question && *of == names);
        if let Some((_, _, answers)) = known {
            return Answered { methods: question.methods, answers: Arc::clone(answers) };
        }
        let answers: Answers = webs.iter().map(|web| ask(web, &question)).collect();
        let answers = Arc::new(answers);
        self.known.push((question.clone(), names, Arc::clone(&answers)));
        Answered { methods: question.methods, answers }
    }
}

/// The answers to a question, and the methods that gave them.
pub(crate) struct Answered {
    methods: Vec<Method>,
    answers: Arc<Answers>,
}

impl Answered {
    /// A value of every page and of what a method answered about it.
    fn each(&self, method: Method, of: impl Fn(&PageAnswers, usize) -> f64) -> ByPage {
        let place = self.methods.iter().position(|other| *other == method);
        let value = |page: &PageAnswers| place.map(|place| of(page, place));
        // Sites without pages would add nothing, however often they are drawn.
        let sites = self.answers.iter().filter(|pages| !pages.is_empty());
        ByPage(sites.map(|pages| pages.iter().filter_map(value).collect()).collect())
    }

    /// The share of tests that a method is right on.
    fn accuracy(&self, method: Method) -> ByPage {
        self.each(method, |page, place| page.accuracy(place, method))
    }

    /// The number of tests.
    fn tests(&self) -> usize {
        self.answers.iter().flatten().map(|page| page.tests.len()).sum()
    }
}
