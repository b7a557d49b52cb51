//! The tables and figures of the paper, on sites one by one.
//!
//! Every number is a mean over pages of their means over test days, as in the paper. Intervals are by
//! site: windows of one page overlap, and pages of one site are made together.
pub(crate) mod accuracy;
pub(crate) mod by_page;
pub(crate) mod experts;
pub(crate) mod labels;
pub(crate) mod scores;
pub(crate) mod sizes;

use std::sync::Arc;

use policy::predict::learn::Method;

use self::by_page::ByPage;
use super::forecast::{
    PageAnswers, Question, Web, ask,
    settings::{Extent, QUICK, WHOLE},
};

/// The filter that verdicts rest on, as a row of the settings' list.
pub(crate) const PRIMARY: usize = 0;

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
