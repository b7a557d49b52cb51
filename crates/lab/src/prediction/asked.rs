//! What predictors that know only the past say of tomorrow, page by page and test by test.
use flow::features::Look;
use policy::predict::{
    experts::Relation,
    learn::{Expert, Forecast, Lesson, Method, Settings},
};
use rayon::prelude::*;

use super::{
    Web, changed,
    label::labels,
    settings::{BACK, EXPERTS, FILTERS, WINDOW},
    web::{Choice, looks_before, until},
};

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// Of which pages, and what: a row of [`FILTERS`].
    pub(crate) filter: usize,
    /// How experts are chosen.
    pub(crate) relation: Relation,
    /// How many.
    pub(crate) experts: usize,
    /// Examples to learn from.
    pub(crate) window: usize,
    /// Looks at a page before its first test: the same for questions that are compared.
    pub(crate) before: usize,
    /// Who is asked.
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
            before: looks_before(WINDOW),
            methods: methods.to_vec(),
            pages,
            step,
        }
    }
}

/// What was said of one page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PageAnswers {
    /// The page.
    pub(crate) page: usize,
    /// Every test of it.
    pub(crate) tests: Vec<Test>,
}

/// What was said of one day.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Test {
    /// Whether the page changed from that day to the next.
    pub(crate) happened: bool,
    /// Whether it had changed from the day before to that day.
    pub(crate) before: bool,
    /// The share of the days learned from on which it changed.
    pub(crate) share: f64,
    /// What each of those who were asked said, in their order.
    pub(crate) forecasts: Vec<Forecast>,
}

impl PageAnswers {
    /// The share of tests that one of those who were asked was right on. Of who throws a coin it is what is to
    /// be expected, so that no draw makes it better or worse.
    pub(crate) fn accuracy(&self, place: usize, method: Method) -> f64 {
        let right = |test: &Test| match (method, test.happened) {
            (Method::Coin, true) => test.share,
            (Method::Coin, false) => 1.0 - test.share,
            (_, happened) => f64::from(u8::from(test.forecasts[place].says == happened)),
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
    let looks = days.looks(label);
    let settings = Settings {
        target: label.target(),
        window: question.window,
        back: BACK,
        ..Settings::default()
    };
    // Before the pages are gone through side by side: who waits for a choice must not be who makes it.
    let needs_experts = question.methods.iter().any(|method| method.needs_experts());
    let choices = if needs_experts { web.choices(question.relation) } else { &[] };
    let asks = Asks { question, choices, settings, looks: &looks };
    let pages = &pages[..pages.len().min(question.pages)];
    let answers = pages.par_iter().map(|&page| asks.page(page));
    answers.filter(|answers| !answers.tests.is_empty()).collect()
}

/// A question about one web.
struct Asks<'a> {
    question: &'a Question,
    choices: &'a [Choice],
    settings: Settings,
    looks: &'a [Vec<Look>],
}

impl Asks<'_> {
    fn page(&self, page: usize) -> PageAnswers {
        let looks = &self.looks[page];
        let tests: Vec<usize> = (self.question.before..looks.len().saturating_sub(1))
            .step_by(self.question.step)
            // A page that is gone tomorrow is no matter of what it shows.
            .filter(|&day| (looks[day + 1].at - looks[day].at).millis() == DAY)
            .collect();
        let tests = tests.par_iter().map(|&day| self.test(page, day)).collect();
        PageAnswers { page, tests }
    }

    fn test(&self, page: usize, day: usize) -> Test {
        let (past, now) = (&self.looks[page][..=day], self.looks[page][day].at);
        let choice = self.choices.iter().rev().find(|choice| choice.at <= now);
        let company = choice.map(|choice| &choice.companies[page]);
        let chosen = company.map_or(&[][..], |company| &company.experts);
        let experts: Vec<Expert<'_>> = chosen[..chosen.len().min(self.question.experts)]
            .iter()
            .map(|chosen| Expert {
                looks: until(&self.looks[chosen.page], now),
                weight: chosen.weight,
            })
            .collect();
        let itself = company.map_or(1.0, |company| company.itself);
        let target = self.settings.target;
        let lesson = Lesson::new(&self.settings, past, &experts, itself);
        let forecast = |&method: &Method| lesson.train(method).forecast(past, &experts, now, 1.0);
        let forecasts = self.question.methods.iter().map(forecast);
        let window = labels(&past[past.len().saturating_sub(self.question.window + 1)..], target);
        Test {
            happened: self.looks[page][day + 1].changes.of(target),
            before: past[day].changes.of(target),
            share: changed(&window),
            forecasts: forecasts.collect(),
        }
    }
}
