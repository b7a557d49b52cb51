//! The probability that each page has changed since its last visit.
//!
//! A crawler is in the partially observed setting of Radinsky and Bennett 2013 (section 3.3): it visits pages
//! now and then. An example is the state of a page at one visit, its label the outcome of the next, and its
//! gap the time between; probabilities rise with the gap. Models are trained on a schedule counted from the
//! crawl's first visit, only on visits before each instant, so that a crawl that was stopped and goes on
//! trains the same models.
//!
//! A model needs visits that found a change and visits that did not. A page without a model (new, or it
//! always or never changes) is judged by its change rate as in `freshness-index` (`rates.rs`).
use std::{collections::BTreeSet, sync::Arc};

use crawl::{Explanation, Known, Needs, Observation, PageNo, Prediction, Span, State, Time};
use instruments::{
    Measured as _,
    features::{FeatureNeeds, PageFeatures, Target, VisitRecord},
};
use rayon::prelude::*;
use text::counts::WordCounts;

use super::{
    experts::{self, ExpertSettings, Neighbours, Online, Relation},
    learn::{self, Expert, Method, Model, Settings},
};
use crate::{Parameters, rates::Rates, score};

/// With fewer examples a page is judged by its change rate. The paper finds learning poor below 30, but a
/// crawler that visits a page every other week has no 30 visits of most pages in a year.
const LEAST_EXAMPLES: usize = 20;
/// Fewer examples of either outcome are too few as well: models are validated on five folds, and a fold
/// without both outcomes says nothing.
const LEAST_OF_EACH: usize = 5;
/// The longest window for comparing experts, unless the training window is longer: pages that were related
/// half a year ago may not be now.
const MOST_DAYS: usize = 182;
/// Visits kept beyond those for training, so that these are still there when a crawl goes on between two
/// trainings.
const LATER_VISITS: usize = 14;

/// Predicts the probability of change of each page.
#[derive(Clone, Debug)]
pub(crate) struct Predictor {
    method: Method,
    settings: Settings,
    expert_settings: ExpertSettings,
    /// The time from one training to the next; `None` trains once.
    retrain: Option<Span>,
    rates: Rates,
    /// The time of the first visit.
    began: Option<Time>,
    /// The instant of the last training.
    pub(super) trained: Option<Time>,
    /// The experts chosen then, with current weights, and the time of these weights.
    online: Option<(Online, Time)>,
    /// By page.
    models: Vec<Option<Box<Trained>>>,
    /// By page, its last visits, if a model needs them.
    histories: Vec<Option<Arc<[VisitRecord]>>>,
}

/// The model of one page.
#[derive(Clone, Debug)]
struct Trained {
    model: Model,
    /// How many visits it was trained on.
    visits: usize,
    /// Its experts with their weights.
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
        let expert_settings = ExpertSettings {
            relation,
            experts: size("experts"),
            days: size("window"),
            ..ExpertSettings::default()
        };
        let days = parameters.whole("retrain");
        Self {
            method,
            settings,
            expert_settings,
            retrain: (days > 0).then(|| Span::from_days(days)),
            rates: Rates::default(),
            began: None,
            trained: None,
            online: None,
            models: vec![],
            histories: vec![],
        }
    }

    /// The features of pages, with a window of past visits.
    pub(crate) fn needs(&self) -> Needs {
        Needs::none().with(FeatureNeeds { look_back: self.look_back() })
    }

    /// That no page has a model yet.
    pub(crate) fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        let teaches = |page: PageNo| {
            let features = known.features().page(page);
            features.is_some_and(|features| self.teaches(&features.visits()))
        };
        if self.due(known.now).is_some() && known.pages.numbers().any(teaches) {
            return vec![];
        }
        vec![format!(
            "no page has a model yet: one needs {LEAST_EXAMPLES} visits after the first few, with at least \
             {LEAST_OF_EACH} that found a change and {LEAST_OF_EACH} that did not; pages go by their change rate"
        )]
    }

    /// How many past visits of each page are needed.
    pub(super) fn look_back(&self) -> usize {
        // An example needs the visits that describe it, one more to compare with, and the next for its label.
        self.settings.window + self.settings.back + 2 + LATER_VISITS
    }

    pub(crate) fn rates(&self) -> &Rates {
        &self.rates
    }

    pub(crate) fn learn(&mut self, seen: &Observation) {
        self.began = Some(self.began.map_or(seen.at, |began| began.min(seen.at)));
        self.rates.learn(seen);
        if let Some(history) = self.histories.get_mut(seen.page.index()) {
            *history = None;
        }
    }

    /// Trains models if a training is due, and reads the visits that they need.
    pub(crate) fn prepare(&mut self, known: &Known<'_>) {
        if let Some(instant) = self.due(known.now)
            && self.trained != Some(instant)
        {
            self.train(known, instant);
            self.trained = Some(instant);
        }
        self.update_weights(known);
        let mut read = BTreeSet::new();
        for (row, trained) in self.models.iter().enumerate() {
            let Some(trained) = trained else { continue };
            read.insert(row);
            read.extend(trained.experts.iter().map(|(page, _)| page.index()));
        }
        self.read(known, read.into_iter());
    }

    /// The instant of the last training that is due by now.
    fn due(&self, now: Time) -> Option<Time> {
        let began = self.began?;
        let Some(retrain) = self.retrain else {
            let once = began + Span::from_days(self.settings.window as i64);
            return (once <= now).then_some(once);
        };
        let periods = (now - began).millis() / retrain.millis();
        (periods > 0).then(|| began + retrain.times(periods))
    }

    /// Reads the last visits of pages that are not cached.
    fn read(&mut self, known: &Known<'_>, pages: impl Iterator<Item = usize>) {
        self.histories.resize(known.pages.len(), None);
        let missing: Vec<usize> = pages.filter(|&row| self.histories[row].is_none()).collect();
        let read =
            |row: &usize| known.features().page(PageNo(*row as u32)).map(PageFeatures::visits);
        let found: Vec<Option<Vec<VisitRecord>>> = missing.par_iter().map(read).collect();
        for (row, visits) in missing.into_iter().zip(found) {
            self.histories[row] = visits.map(Arc::from);
        }
    }

    /// Trains a model for every page with enough examples before `instant`.
    fn train(&mut self, known: &Known<'_>, instant: Time) {
        let began = self.began.unwrap_or(instant);
        self.read(known, 0..known.pages.len());
        let needed = self.look_back() - LATER_VISITS;
        let histories: Vec<&[VisitRecord]> = self
            .histories
            .iter()
            .map(|history| before(history.as_deref(), instant, needed))
            .collect();
        let teaches: Vec<bool> = histories.iter().map(|history| self.teaches(history)).collect();
        // Up to the last instant before.
        let until = instant.before();
        let all_neighbours = self.all_neighbours(known, &histories, &teaches, (began, until));
        let model = |row: usize| {
            if !teaches[row] {
                return None;
            }
            let neighbours = all_neighbours.get(row);
            let chosen = neighbours.map_or(&[][..], |neighbours| &neighbours.experts);
            let experts: Vec<Expert<'_>> = chosen
                .iter()
                .map(|chosen| Expert { visits: histories[chosen.page], weight: chosen.weight })
                .collect();
            let self_weight = neighbours.map_or(1.0, |neighbours| neighbours.self_weight);
            let model =
                learn::train(self.method, &self.settings, histories[row], &experts, self_weight);
            let experts =
                chosen.iter().map(|chosen| (PageNo(chosen.page as u32), chosen.weight)).collect();
            Some(Box::new(Trained { model, visits: histories[row].len(), experts }))
        };
        self.models = (0..histories.len()).into_par_iter().map(model).collect();
        self.online = (!all_neighbours.is_empty()).then(|| {
            let expert_settings = self.expert_settings(began, until);
            (Online::new(&expert_settings, &histories, all_neighbours, until), until)
        });
        // Most pages have no model and are nobody's expert.
        let is_used: BTreeSet<usize> = self
            .models
            .iter()
            .flatten()
            .flat_map(|trained| trained.experts.iter().map(|(page, _)| page.index()))
            .collect();
        for row in 0..self.histories.len() {
            if self.models[row].is_none() && !is_used.contains(&row) {
                self.histories[row] = None;
            }
        }
    }

    /// Whether there are enough examples, and of both outcomes.
    fn teaches(&self, history: &[VisitRecord]) -> bool {
        let first = self.settings.back + 2;
        let labels = history.get(first..).unwrap_or_default();
        let labels = &labels[labels.len().saturating_sub(self.settings.window)..];
        let changed =
            labels.iter().filter(|visit| visit.changes.includes(self.settings.target)).count();
        let rarer = changed.min(labels.len() - changed);
        labels.len() >= LEAST_EXAMPLES && rarer >= LEAST_OF_EACH
    }

    /// The experts of every page that gets a model; none if the method needs none.
    fn all_neighbours(
        &self,
        known: &Known<'_>,
        histories: &[&[VisitRecord]],
        teaches: &[bool],
        (began, until): (Time, Time),
    ) -> Vec<Neighbours> {
        if !self.method.needs_experts() || self.expert_settings.experts == 0 {
            return vec![];
        }
        let links = |row: usize| {
            let links = known.links.of(PageNo(row as u32));
            links.iter().map(|to| to.index()).filter(|&to| to < histories.len()).collect()
        };
        experts::choose(&self.expert_settings(began, until), histories, &links, until, &|row| {
            teaches[row]
        })
    }

    /// The days over which experts are compared: as many as the window has visits if pages are visited daily,
    /// more if less often, and half a year at most.
    fn expert_settings(&self, began: Time, until: Time) -> ExpertSettings {
        let days = ((until - began).days().ceil() as usize)
            .clamp(self.settings.window, self.settings.window.max(MOST_DAYS));
        ExpertSettings { days, ..self.expert_settings.clone() }
    }

    /// Updates the weights of experts day by day.
    fn update_weights(&mut self, known: &Known<'_>) {
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
            let weighed = online.neighbours(row).experts.iter();
            for ((_, weight), expert) in trained.experts.iter_mut().zip(weighed) {
                *weight = expert.weight;
            }
        }
    }

    /// The probability that a page has changed since its last visit; 1 if it is not held.
    pub(crate) fn probability(&self, known: &Known<'_>, page: PageNo) -> f64 {
        let Some(age) = score::age_days(known, page) else { return 1.0 };
        if known.pages.state(page) == State::Held
            && let Some(probability) = self.by_model(known, page)
        {
            return probability;
        }
        let span = known.pages.last_seen(page).map_or(Span::default(), |then| known.now - then);
        1.0 - self.rates.belief(page, known.pages.host(page), span).fresh_probability(age)
    }

    /// The prediction for a page, with its experts.
    pub(crate) fn explain(&mut self, known: &Known<'_>, page: PageNo) -> Explanation {
        self.prepare(known);
        Explanation { prediction: Some(self.predicted(known, page)), reasons: vec![] }
    }

    fn predicted(&self, known: &Known<'_>, page: PageNo) -> Prediction {
        let probability = self.probability(known, page);
        let model = self.models.get(page.index()).and_then(Option::as_deref);
        let Some(trained) = model.filter(|_| self.by_model(known, page).is_some()) else {
            return Prediction { probability, visits: 0, experts: vec![] };
        };
        let history = |page: PageNo| self.histories.get(page.index())?.as_deref();
        let speaks = |(page, _): &&(PageNo, f64)| history(*page).is_some();
        let mut experts: Vec<(PageNo, f64)> =
            trained.experts.iter().filter(speaks).copied().collect();
        experts.sort_by(|one, other| other.1.total_cmp(&one.1));
        let visits = trained.visits;
        Prediction { probability, visits, experts }
    }

    /// The probability by the page's model, if it has one and its visits are known.
    fn by_model(&self, known: &Known<'_>, page: PageNo) -> Option<f64> {
        let trained = self.models.get(page.index())?.as_deref()?;
        let history = |page: PageNo| self.histories.get(page.index())?.as_deref();
        let visits = history(page)?;
        let gap = (known.now - visits.last()?.at).days();
        let experts: Vec<Expert<'_>> = trained
            .experts
            .iter()
            .map(|&(page, weight)| Expert { visits: history(page).unwrap_or_default(), weight })
            .collect();
        Some(trained.model.forecast(visits, &experts, known.now, gap).probability)
    }
}

/// The words of a page at its last visit by then; `None` if it is gone or was not visited by then.
fn words_at(known: &Known<'_>, page: PageNo, then: Time) -> Option<Arc<WordCounts>> {
    let features = known.features().page(page)?;
    if known.pages.last_seen(page)? <= then {
        return Some(Arc::clone(&features.words));
    }
    let visits = features.visits();
    let seen = visits.partition_point(|visit| visit.at <= then);
    visits[..seen].last().map(|visit| Arc::clone(&visit.words))
}

/// The last `needed` visits before an instant. How many more are kept depends on the time of the call.
fn before(history: Option<&[VisitRecord]>, instant: Time, needed: usize) -> &[VisitRecord] {
    let history = history.unwrap_or_default();
    let history = &history[..history.partition_point(|visit| visit.at < instant)];
    &history[history.len().saturating_sub(needed)..]
}

/// The value with this name. Parameters take no other names.
fn find<T: Copy>(all: &[(&str, T)], word: &str) -> T {
    let found = all.iter().find(|(name, _)| *name == word);
    found.map_or_else(|| panic!("nothing is called {word}"), |(_, value)| *value)
}
