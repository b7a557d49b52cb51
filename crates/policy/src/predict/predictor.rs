//! The chance that each page has changed since it was last seen, as far as a crawler can tell.
//!
//! A crawler sees the partially observed setting of Radinsky and Bennett 2013 (section 3.3): pages are
//! looked at now and then. An example is what was known of a page at one visit, its label what the next
//! visit found, and its gap the time between; chances rise with the gap. Models are trained on a schedule
//! counted from the crawl's first visit, out of what was seen before that instant alone, so that a crawl
//! that was stopped and goes on trains the same ones.
//!
//! A model needs visits that found a change and visits that did not. A page without one is judged by its
//! change rate as `freshness-index` learns it (`rate.rs`): new pages, and those that always or never change.
use std::{collections::BTreeSet, sync::Arc};

use flow::{
    Foresight, Known, Observation, PageNo, Span, State, Time,
    features::{Facts, Look, Target, WordCounts},
};
use rayon::prelude::*;

use super::{
    experts::{self, Choosing, Company, Online, Relation},
    learn::{self, Expert, Method, Model, Settings},
};
use crate::{Parameters, rate::Rates, score};

/// With fewer examples a page is judged by its change rate. The paper finds learning poor below 30, but a
/// crawler that sees a page every other week has no 30 of most pages in a year.
const LEAST_EXAMPLES: usize = 20;
/// The same with fewer that found a change, or fewer that found none: what is learned is tried on five parts
/// of the examples in turn, and a part without both kinds says nothing.
const LEAST_OF_EACH: usize = 5;
/// Experts are compared over no more days, unless the window has more: what was longer ago than half a year
/// says little of what pages have to do with each other now.
const MOST_DAYS: usize = 182;
/// Visits that are kept beyond those that models are trained on, so that these are still there when a
/// crawl goes on between two trainings.
const LATER_LOOKS: usize = 14;

/// Tells chances of change.
#[derive(Debug)]
pub(crate) struct Predictor {
    method: Method,
    settings: Settings,
    choosing: Choosing,
    /// The time from one training to the next; `None` trains once.
    retrain: Option<Span>,
    rates: Rates,
    /// When the first visit was made.
    began: Option<Time>,
    /// The instant that models were last trained for.
    pub(super) trained: Option<Time>,
    /// The companies that were chosen then, with the weights of today, and until when these are right.
    online: Option<(Online, Time)>,
    /// By page.
    models: Vec<Option<Box<Trained>>>,
    /// By page, its last visits, where a model looks at them.
    pasts: Vec<Option<Arc<[Look]>>>,
}

/// What speaks for one page.
#[derive(Debug)]
struct Trained {
    model: Model,
    /// How many visits it was trained on.
    visits: usize,
    /// The pages that speak for it, besides itself, with their weights.
    experts: Vec<(PageNo, f64)>,
}

impl Predictor {
    pub(crate) fn new(seed: u64, parameters: &Parameters) -> Self {
        let named = |name: &str| parameters.word(name);
        let size = |name: &str| usize::try_from(parameters.whole(name)).unwrap_or_default();
        let method = find(&Method::ALL, named("predictor"));
        let target: Target = find(&Target::ALL, named("target"));
        let relation = find(&Relation::ALL, named("relation"));
        let settings = Settings {
            target,
            window: size("window"),
            back: size("back"),
            seed,
            ..Settings::default()
        };
        let choosing = Choosing {
            relation,
            experts: size("experts"),
            days: size("window"),
            ..Choosing::default()
        };
        let days = parameters.whole("retrain");
        Self {
            method,
            settings,
            choosing,
            retrain: (days > 0).then(|| Span::from_days(days)),
            rates: Rates::default(),
            began: None,
            trained: None,
            online: None,
            models: vec![],
            pasts: vec![],
        }
    }

    /// How many visits of each page are looked back on.
    pub(crate) fn looks_back(&self) -> usize {
        // An example needs as many visits before it as it describes, one more to compare with, and the
        // next for its label.
        self.settings.window + self.settings.back + 2 + LATER_LOOKS
    }

    pub(crate) fn rates(&self) -> &Rates {
        &self.rates
    }

    pub(crate) fn learn(&mut self, seen: &Observation) {
        self.began = Some(self.began.map_or(seen.at, |began| began.min(seen.at)));
        self.rates.learn(seen);
        if let Some(past) = self.pasts.get_mut(seen.page.index()) {
            *past = None;
        }
    }

    /// Trains models where it is time to, and looks up what they look at.
    pub(crate) fn prepare(&mut self, known: &Known<'_>) {
        if let Some(instant) = self.due(known.now)
            && self.trained != Some(instant)
        {
            self.train(known, instant);
            self.trained = Some(instant);
        }
        self.weigh_anew(known);
        let mut read = BTreeSet::new();
        for (row, trained) in self.models.iter().enumerate() {
            let Some(trained) = trained else { continue };
            read.insert(row);
            read.extend(trained.experts.iter().map(|(page, _)| page.index()));
        }
        self.read(known, read.into_iter());
    }

    /// The instant of the last training that should have been made by now.
    fn due(&self, now: Time) -> Option<Time> {
        let began = self.began?;
        let Some(retrain) = self.retrain else {
            let once = began + Span::from_days(self.settings.window as i64);
            return (once <= now).then_some(once);
        };
        let periods = (now - began).millis() / retrain.millis();
        (periods > 0).then(|| began + retrain.times(periods))
    }

    /// Looks up the last visits of pages, where they are not at hand.
    fn read(&mut self, known: &Known<'_>, pages: impl Iterator<Item = usize>) {
        self.pasts.resize(known.pages.len(), None);
        let missing: Vec<usize> = pages.filter(|&row| self.pasts[row].is_none()).collect();
        let read = |row: &usize| known.features.facts(PageNo(*row as u32)).map(Facts::looks);
        let found: Vec<Option<Vec<Look>>> = missing.par_iter().map(read).collect();
        for (row, looks) in missing.into_iter().zip(found) {
            self.pasts[row] = looks.map(Arc::from);
        }
    }

    /// Trains a model for every page that has enough to learn from, out of what was seen before `instant`.
    fn train(&mut self, known: &Known<'_>, instant: Time) {
        let began = self.began.unwrap_or(instant);
        self.read(known, 0..known.pages.len());
        let needed = self.looks_back() - LATER_LOOKS;
        let pasts: Vec<&[Look]> =
            self.pasts.iter().map(|past| before(past.as_deref(), instant, needed)).collect();
        let teaches: Vec<bool> = pasts.iter().map(|past| self.teaches(past)).collect();
        // Until the last instant before.
        let until = instant.before();
        let companies = self.companies(known, &pasts, &teaches, (began, until));
        let model = |row: usize| {
            if !teaches[row] {
                return None;
            }
            let company = companies.get(row);
            let chosen = company.map_or(&[][..], |company| &company.experts);
            let experts: Vec<Expert<'_>> = chosen
                .iter()
                .map(|chosen| Expert { looks: pasts[chosen.page], weight: chosen.weight })
                .collect();
            let itself = company.map_or(1.0, |company| company.itself);
            let model = learn::train(self.method, &self.settings, pasts[row], &experts, itself);
            let experts =
                chosen.iter().map(|chosen| (PageNo(chosen.page as u32), chosen.weight)).collect();
            Some(Box::new(Trained { model, visits: pasts[row].len(), experts }))
        };
        self.models = (0..pasts.len()).into_par_iter().map(model).collect();
        self.online = (!companies.is_empty()).then(|| {
            let choosing = self.choosing(began, until);
            (Online::new(&choosing, &pasts, companies, until), until)
        });
        // Most pages have no model and are nobody's expert.
        let is_used: BTreeSet<usize> = self
            .models
            .iter()
            .flatten()
            .flat_map(|trained| trained.experts.iter().map(|(page, _)| page.index()))
            .collect();
        for row in 0..self.pasts.len() {
            if self.models[row].is_none() && !is_used.contains(&row) {
                self.pasts[row] = None;
            }
        }
    }

    /// Whether there is enough to learn from: examples enough, and of both kinds.
    fn teaches(&self, past: &[Look]) -> bool {
        let first = self.settings.back + 2;
        let labels = past.get(first..).unwrap_or_default();
        let labels = &labels[labels.len().saturating_sub(self.settings.window)..];
        let changed = labels.iter().filter(|look| look.changes.of(self.settings.target)).count();
        let rarer = changed.min(labels.len() - changed);
        labels.len() >= LEAST_EXAMPLES && rarer >= LEAST_OF_EACH
    }

    /// The experts of every page that has a model; none where the method asks for none.
    fn companies(
        &self,
        known: &Known<'_>,
        pasts: &[&[Look]],
        teaches: &[bool],
        (began, until): (Time, Time),
    ) -> Vec<Company> {
        if !self.method.needs_experts() || self.choosing.experts == 0 {
            return vec![];
        }
        let links = |row: usize| {
            let links = known.links.of(PageNo(row as u32));
            links.iter().map(|to| to.index()).filter(|&to| to < pasts.len()).collect()
        };
        experts::choose(&self.choosing(began, until), pasts, &links, until, &|row| teaches[row])
    }

    /// The days that experts are compared over: as many as the window has visits where pages are looked at
    /// daily, more where they are looked at less often, and half a year at most.
    fn choosing(&self, began: Time, until: Time) -> Choosing {
        let days = ((until - began).days().ceil() as usize)
            .clamp(self.settings.window, self.settings.window.max(MOST_DAYS));
        Choosing { days, ..self.choosing.clone() }
    }

    /// Has the weights of experts follow their pages, day by day since they were chosen.
    fn weigh_anew(&mut self, known: &Known<'_>) {
        let Some((online, until)) = &mut self.online else { return };
        let mut is_new = false;
        while *until + Span::from_days(1) <= known.now {
            *until = *until + Span::from_days(1);
            let then = *until;
            online.advance(then, &|row| words_at(known, PageNo(row as u32), then));
            is_new = true;
        }
        if !is_new {
            return;
        }
        for (row, trained) in self.models.iter_mut().enumerate() {
            let Some(trained) = trained else { continue };
            let weighed = online.company(row).experts.iter();
            for ((_, weight), expert) in trained.experts.iter_mut().zip(weighed) {
                *weight = expert.weight;
            }
        }
    }

    /// The chance that a page has changed since it was last seen; 1 where nothing is held of it.
    pub(crate) fn chance(&self, known: &Known<'_>, page: PageNo) -> f64 {
        let Some(age) = score::age_days(known, page) else { return 1.0 };
        if known.pages.state(page) == State::Held
            && let Some(chance) = self.by_model(known, page)
        {
            return chance;
        }
        let span = known.pages.last_seen(page).map_or(Span::default(), |then| known.now - then);
        1.0 - self.rates.belief(page, known.pages.host(page), span).fresh_chance(age)
    }

    /// What is predicted of a page, and by whom.
    pub(crate) fn foresee(&mut self, known: &Known<'_>, page: PageNo) -> Foresight {
        self.prepare(known);
        let chance = self.chance(known, page);
        let model = self.models.get(page.index()).and_then(Option::as_deref);
        let Some(trained) = model.filter(|_| self.by_model(known, page).is_some()) else {
            return Foresight { chance, visits: 0, experts: vec![] };
        };
        let past = |page: PageNo| self.pasts.get(page.index())?.as_deref();
        let speaks = |(page, _): &&(PageNo, f64)| past(*page).is_some();
        let mut experts: Vec<(PageNo, f64)> =
            trained.experts.iter().filter(speaks).copied().collect();
        experts.sort_by(|one, other| other.1.total_cmp(&one.1));
        let visits = trained.visits;
        Foresight { chance, visits, experts }
    }

    /// The same by the page's model, where it has one and the visits that this looks at are known.
    fn by_model(&self, known: &Known<'_>, page: PageNo) -> Option<f64> {
        let trained = self.models.get(page.index())?.as_deref()?;
        let past = |page: PageNo| self.pasts.get(page.index())?.as_deref();
        let looks = past(page)?;
        let gap = (known.now - looks.last()?.at).days();
        let experts: Vec<Expert<'_>> = trained
            .experts
            .iter()
            .map(|&(page, weight)| Expert { looks: past(page).unwrap_or_default(), weight })
            .collect();
        Some(trained.model.forecast(looks, &experts, known.now, gap).chance)
    }
}

/// The words that a page had at its last visit by then; `None` where it is gone or was not seen by then.
fn words_at(known: &Known<'_>, page: PageNo, then: Time) -> Option<Arc<WordCounts>> {
    let facts = known.features.facts(page)?;
    if known.pages.last_seen(page)? <= then {
        return Some(Arc::clone(&facts.words));
    }
    let looks = facts.looks();
    let seen = looks.partition_point(|look| look.at <= then);
    looks[..seen].last().map(|look| Arc::clone(&look.words))
}

/// The last visits before an instant, no more than are `needed`: how many were kept beyond these depends on
/// when it is asked.
fn before(past: Option<&[Look]>, instant: Time, needed: usize) -> &[Look] {
    let past = past.unwrap_or_default();
    let past = &past[..past.partition_point(|look| look.at < instant)];
    &past[past.len().saturating_sub(needed)..]
}

/// What a word stands for. Parameters take no other words than these.
fn find<T: Copy>(all: &[(&str, T)], word: &str) -> T {
    let found = all.iter().find(|(name, _)| *name == word);
    found.map_or_else(|| panic!("nothing is called {word}"), |(_, value)| *value)
}
