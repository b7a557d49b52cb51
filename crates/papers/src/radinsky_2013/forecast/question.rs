//! Questions to predictors that know only the past, and their answers by page and test.
use instruments::features::VisitRecord;
use policy::predict::{
    experts::Relation,
    learn::{Expert, Forecast, Method, Settings, TrainingSet},
};
use rayon::prelude::*;

use crate::radinsky_2013::forecast::{
    Web, changed,
    label::labels,
    settings::{BACK, EXPERTS, FILTERS, WINDOW},
    web::{ExpertChoice, until, visits_before},
};

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// A question about the pages of a web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The pages and the label: a row of [`FILTERS`].
    pub(crate) filter: usize,
    /// How experts are chosen.
    pub(crate) relation: Relation,
    /// How many.
    pub(crate) experts: usize,
    /// Examples to learn from.
    pub(crate) window: usize,
    /// Visits of a page before its first test: the same for questions that are compared.
    pub(crate) before: usize,
    /// The methods that are evaluated.
    pub(crate) methods: Vec<Method>,
    /// Pages of each web, at most.
    pub(crate) pages: usize,
    /// Days from one test to the next.
    pub(crate) step: usize,
}

impl Question {
    /// As in table 1, of pages that pass a filter.
    pub(crate) fn new(filter: usize, methods: &[Method], (pages, step): (usize, usize)) -> Self {
        Self {
            filter,
            relation: Relation::Correlation,
            experts: EXPERTS,
            window: WINDOW,
            before: visits_before(WINDOW),
            methods: methods.to_vec(),
            pages,
            step,
        }
    }
}

/// The answers about one page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PageAnswers {
    /// The page.
    pub(crate) page: usize,
    /// Every test of it.
    pub(crate) tests: Vec<Test>,
}

/// The answers about one day.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Test {
    /// Whether the page changed from that day to the next.
    pub(crate) happened: bool,
    /// Whether it had changed from the day before to that day.
    pub(crate) before: bool,
    /// The share of the days learned from on which it changed.
    pub(crate) share: f64,
    /// The forecast of each method.
    pub(crate) forecasts: Vec<Forecast>,
}

impl PageAnswers {
    /// The share of tests that a method was right on; of the coin the expected share, so that it
    /// does not depend on chance.
    pub(crate) fn accuracy(&self, place: usize, method: Method) -> f64 {
        let right = |test: &Test| match (method, test.happened) {
            (Method::Coin, true) => test.share,
            (Method::Coin, false) => 1.0 - test.share,
            (_, happened) => f64::from(u8::from(test.forecasts[place].predicts_change == happened)),
        };
        mean(self.tests.iter().map(right))
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

/// Asks about the drawn pages of a web; pages without tests are left out.
pub(crate) fn ask(web: &Web, question: &Question) -> Vec<PageAnswers> {
    let Some((days, pages)) = web.forecast(question.filter) else { return vec![] };
    let (label, _) = FILTERS[question.filter];
    let visits = days.visits(label);
    let settings = Settings {
        target: label.target(),
        window: question.window,
        back: BACK,
        ..Settings::default()
    };
    // Before the parallel loop: a thread must not wait for a choice that it has to help making.
    let needs_experts = question.methods.iter().any(|method| method.needs_experts());
    let choices = if needs_experts { web.choices(question.relation) } else { &[] };
    let asker = Asker { question, choices, settings, visits: &visits };
    let pages = &pages[..pages.len().min(question.pages)];
    let answers = pages.par_iter().map(|&page| asker.page(page));
    answers.filter(|answers| !answers.tests.is_empty()).collect()
}

/// A question about one web.
struct Asker<'a> {
    question: &'a Question,
    choices: &'a [ExpertChoice],
    settings: Settings,
    visits: &'a [Vec<VisitRecord>],
}

impl Asker<'_> {
    fn page(&self, page: usize) -> PageAnswers {
        let visits = &self.visits[page];
        let tests: Vec<usize> = (self.question.before..visits.len().saturating_sub(1))
            .step_by(self.question.step)
            // A page that is gone tomorrow has no label.
            .filter(|&day| (visits[day + 1].at - visits[day].at).millis() == DAY)
            .collect();
        let tests = tests.par_iter().map(|&day| self.test(page, day)).collect();
        PageAnswers { page, tests }
    }

    fn test(&self, page: usize, day: usize) -> Test {
        let (past, now) = (&self.visits[page][..=day], self.visits[page][day].at);
        let choice = self.choices.iter().rev().find(|choice| choice.at <= now);
        let neighbours = choice.map(|choice| &choice.neighbours[page]);
        let chosen = neighbours.map_or(&[][..], |neighbours| &neighbours.experts);
        let experts: Vec<Expert<'_>> = chosen[..chosen.len().min(self.question.experts)]
            .iter()
            .map(|chosen| Expert {
                visits: until(&self.visits[chosen.page], now),
                weight: chosen.weight,
            })
            .collect();
        let itself = neighbours.map_or(1.0, |neighbours| neighbours.self_weight);
        let target = self.settings.target;
        let training_set = TrainingSet::new(&self.settings, past, &experts, itself);
        let forecast =
            |&method: &Method| training_set.train(method).forecast(past, &experts, now, 1.0);
        let forecasts = self.question.methods.iter().map(forecast);
        let window = labels(&past[past.len().saturating_sub(self.question.window + 1)..], target);
        Test {
            happened: self.visits[page][day + 1].changes.includes(target),
            before: past[day].changes.includes(target),
            share: changed(&window),
            forecasts: forecasts.collect(),
        }
    }
}
