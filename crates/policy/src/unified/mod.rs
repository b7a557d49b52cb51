//! Unified: one price for every visit, from what pages, their directories and shared fragments say.
//!
//! The policy estimates how long each page stays the same. Its prior is the rate of the page's
//! directory, which follows that of the directories above it. Dead fragments
//! (`instruments::fragments`) say which pages are out of date now. The score of a visit is the time
//! that the copy is expected to be fresh because of it. A cycle is planned in rounds, so that a visit
//! tells about the next ones. `docs/policies/unified.md` has the formulas and their sources.
mod cost;
mod counters;
mod discovery;
mod explain;
mod features;
mod model;
mod scorer;
mod signals;
mod slots;
#[cfg(test)]
mod tests;
mod trust;
mod value;
mod worth;

use std::sync::{Arc, LazyLock};

use crawl::{
    Budget, Expectation, Explanation, Known, Needs, Observation, PageNo, Pages, Plan, Policy,
    Reason, Signal, Visit,
};
use instruments::fragments::{FragmentNeeds, Fragments};
use rustc_hash::FxHashMap;

use self::{
    counters::{Counters, Seen},
    discovery::Discovery,
    features::Scales,
    scorer::Scorer,
    signals::{Signals, Wait},
    trust::Trust,
    value::Value,
};
pub use self::{
    features::{COLUMNS, COUNT},
    model::Model,
    scorer::Corrections,
};
use crate::{Kind, Parameter, Parameters, PolicyEntry, score, user};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    parameters: PARAMETERS,
    ..PolicyEntry::new(
        "unified",
        "the time fresh that a visit buys, by what pages, directories and shared fragments say",
        |_, parameters| Box::new(Unified::new(parameters)),
    )
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "rounds",
        meaning: "rounds of a cycle; each learns from the ones before",
        default: "8",
        kind: Kind::Whole(1, 64),
    },
    Parameter {
        name: "fragments",
        meaning: "fragments of a page that are kept; 0 to leave them out",
        default: "64",
        kind: Kind::Whole(0, 4_096),
    },
    Parameter {
        name: "groups",
        meaning: "whether directories have change rates of their own",
        default: "on",
        kind: Kind::Word(&["on", "off"]),
    },
    Parameter {
        name: "learned",
        meaning: "whether corrections learned on other sites are used",
        default: "on",
        kind: Kind::Word(&["on", "off"]),
    },
    Parameter {
        name: "signals",
        meaning: "whether claims of sitemaps, feeds, links and notices count, as far as they prove right",
        default: "on",
        kind: Kind::Word(&["on", "off"]),
    },
    discovery::PARAMETER,
    cost::PARAMETER,
    value::PARAMETER,
    user::SCORING,
    user::PIECES,
];

/// Half-life of evidence about directories, in weeks.
const HALF_LIFE: f64 = 6.0;
/// Weight of the directory above, in weeks of one page.
const WEIGHT: f64 = 4.0;

/// The corrections that were fitted on all open sites.
static LEARNED: LazyLock<Arc<Corrections>> = LazyLock::new(|| {
    let model = |text| Model::parse(text).expect("the tables are part of the program");
    Arc::new(Corrections {
        stale: model(include_str!("tables/stale.txt")),
        life: model(include_str!("tables/life.txt")),
    })
});

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct Unified {
    rounds: u32,
    fragments: usize,
    counters: Counters,
    corrections: Option<Arc<Corrections>>,
    /// What came since the last plan. Only a plan knows the directories of pages.
    pending: Vec<Pending>,
    /// `None` where they do not count.
    signals: Option<Signals>,
    /// The cycle of the last plan, and the visits of one of its rounds.
    round: (u32, u32),
    scales: Scales,
    trust: Trust,
    /// What the last plan expects of its visits.
    expected: FxHashMap<PageNo, Expectation>,
    value: Value,
    /// `None` where another policy looks for new pages.
    discovery: Option<Discovery>,
    /// Whether scores are divided by expected bytes, where these are what is limited.
    has_costs: bool,
}

/// Pages that get corrections: this many for each visit of a round, and at least so many.
const CANDIDATES: u32 = 16;
const FEWEST_CANDIDATES: u32 = 10_000;

/// What is kept of an observation, or of notices, until the next plan.
#[derive(Clone, Debug)]
struct Pending {
    signals: Vec<Signal>,
    seen: Option<Seen>,
}

impl Unified {
    fn new(parameters: &Parameters) -> Self {
        let is_on = |name| parameters.word(name) == "on";
        Self {
            rounds: parameters.whole("rounds") as u32,
            fragments: parameters.whole("fragments") as usize,
            counters: Counters::new(is_on("groups"), HALF_LIFE, WEIGHT),
            corrections: is_on("learned").then(|| Arc::clone(&LEARNED)),
            pending: vec![],
            signals: is_on("signals").then(Signals::default),
            round: (u32::MAX, 0),
            scales: Scales::default(),
            trust: Trust::default(),
            expected: FxHashMap::default(),
            value: Value::new(parameters),
            discovery: Discovery::new(parameters),
            has_costs: is_on(cost::PARAMETER.name),
        }
    }

    /// The policy with given corrections, for experiments.
    pub fn with_corrections(corrections: Arc<Corrections>, parameters: &Parameters) -> Self {
        Self { corrections: Some(corrections), ..Self::new(parameters) }
    }

    /// The policy without corrections, for experiments.
    pub fn analytic() -> Self {
        Self { corrections: None, ..Self::new(&Parameters::defaults(PARAMETERS)) }
    }

    /// The visits of one round of this cycle.
    fn round(&mut self, known: &Known<'_>, budget: Budget) -> Budget {
        if self.round.0 != known.cycle {
            self.round = (known.cycle, budget.0.div_ceil(self.rounds).max(1));
        }
        Budget(self.round.1.min(budget.0))
    }

    /// Takes in the observations since the last plan.
    fn prepare(&mut self, known: &Known<'_>) {
        self.counters.update(known.pages);
        self.value.prepare(known);
        for Pending { signals, seen } in std::mem::take(&mut self.pending) {
            if let Some(all) = &mut self.signals {
                all.take(&signals, known.pages, |page| self.counters.own(page).seen_at());
            }
            if let Some(seen) = seen {
                self.learn_visit(&seen, &signals, known.pages);
            }
        }
        if self.round.0 != known.cycle
            && let Some(fragments) = self.fragments_of(known)
        {
            self.scales = Scales::new(known, fragments);
        }
    }

    fn learn_visit(&mut self, seen: &Seen, signals: &[Signal], pages: &Pages) {
        let before = self.counters.own(seen.page).seen_at();
        let expected = self.counters.learn(seen);
        if let (Some(logged), Some(changed)) = (seen.expected, seen.changed) {
            self.trust.learn(pages.host(seen.page), logged, changed);
        }
        let Some(all) = &mut self.signals else { return };
        let host = pages.host(seen.page);
        if seen.is_first {
            all.first_visit(host);
        }
        if let (Some(expected), Some(before), Some(changed)) = (expected, before, seen.changed) {
            let weeks = (seen.at - before).days().max(0.0) / 7.0;
            let wait = Wait { seen_at: before, weeks, expected };
            all.learn((seen.page, host), wait, changed);
        }
        if seen.is_first || seen.changed.is_some() {
            all.look(seen.page, host, seen.at, signals);
        }
    }

    fn fragments_of<'k>(&self, known: &Known<'k>) -> Option<&'k Fragments> {
        known.instruments.find::<Fragments>().filter(|_| self.fragments > 0)
    }

    fn scorer<'s>(&'s self, known: &'s Known<'s>) -> Scorer<'s> {
        let fragments = self.fragments_of(known);
        Scorer {
            known,
            counters: &self.counters,
            signals: self.signals.as_ref(),
            priors: self.counters.priors(known.now),
            fragments,
            evidence: fragments.map(|fragments| fragments.all_evidence(known.pages.len())),
            scales: &self.scales,
            trust: &self.trust,
            new: self.discovery.as_ref().map(|discovery| discovery.new),
            corrections: self.corrections.as_deref(),
            interval: known.interval.map_or(0.0, |interval| interval.days() / 7.0),
        }
    }

    /// The columns of held pages that are due, for fitting. `is_wanted` sees pages in the order of their
    /// scores, with their ranks. Call it before a plan.
    pub fn rows(
        &mut self,
        known: &Known<'_>,
        mut is_wanted: impl FnMut(PageNo, usize) -> bool,
    ) -> Vec<(PageNo, usize, [f32; COUNT])> {
        self.prepare(known);
        let scorer = self.scorer(known);
        let all = score::best(known, Budget::UNLIMITED, |page| scorer.score(page));
        let row = |(rank, visit): (usize, &crawl::Visit)| {
            Some((visit.page, rank, scorer.row(visit.page, &scorer.assess(visit.page)?)?))
        };
        let wanted = all.0.iter().enumerate().filter(|(rank, visit)| is_wanted(visit.page, *rank));
        wanted.filter_map(row).collect()
    }
}

impl Policy for Unified {
    fn name(&self) -> &'static str {
        "unified"
    }

    fn needs(&self) -> Needs {
        let needs = self.value.needs();
        if self.fragments == 0 {
            return needs;
        }
        needs.with(FragmentNeeds { most: self.fragments })
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.prepare(known);
        // Where another policy plans first visits, it looks for new pages too.
        let discovers = known.plans_first_visits;
        if let Some(discovery) = self.discovery.as_mut().filter(|_| discovers) {
            discovery.prepare(known, budget.0 as usize);
        }
        let (left, budget) = (budget, self.round(known, budget));
        let scorer = self.scorer(known);
        let values = self.value.of_pages(known);
        let per_cost = |page: PageNo| {
            if self.has_costs { 1.0 / cost::expected(known, &scorer, page) } else { 1.0 }
        };
        let value = |page: PageNo| {
            let value = values.as_ref().map_or(1.0, |values| f64::from(values[page.index()]));
            value * per_cost(page)
        };
        let score = |page: PageNo| value(page) * scorer.score(page);
        let analytic = |page: PageNo| value(page) * scorer.analytic(page);
        let (mut visits, unit) = if self.corrections.is_some() {
            // The corrections cost ten times as much as all else, so only the best pages get them.
            let few = Budget(budget.0.saturating_mul(CANDIDATES).max(FEWEST_CANDIDATES));
            corrected(score::best(known, few, analytic).0, left, score)
        } else {
            (score::best(known, budget, analytic).0, 1.0)
        };
        if let Some(discovery) = self.discovery.as_ref().filter(|_| discovers) {
            discovery.add(known, &mut visits, budget, |page| unit * per_cost(page), score);
        }
        let plan = Plan::best(budget, visits, known.pages);
        let expected = |visit: &Visit| Some((visit.page, scorer.expected(visit.page)?));
        let expected = plan.0.iter().filter_map(expected).collect();
        self.expected = expected;
        plan
    }

    fn expects(&self, page: PageNo) -> Option<Expectation> {
        self.expected.get(&page).copied()
    }

    fn learn(&mut self, seen: &Observation) {
        self.value.learn(seen);
        if let Some(discovery) = &mut self.discovery {
            discovery.learn(seen);
        }
        let is_first = seen.outcome == crawl::Outcome::First;
        let is_gone = seen.outcome == crawl::Outcome::Gone;
        let changed = if is_first { None } else { seen.changed() };
        let signals = if self.signals.is_some() { seen.signals.clone() } else { vec![] };
        let &Observation { page, at, since, expected, .. } = seen;
        self.pending.push(Pending {
            signals,
            seen: Some(Seen { page, at, since, changed, is_first, is_gone, expected }),
        });
    }

    fn learn_notices(&mut self, signals: &[Signal]) {
        if !signals.is_empty() && self.signals.is_some() {
            self.pending.push(Pending { signals: signals.to_vec(), seen: None });
        }
    }

    fn explain(&mut self, known: &Known<'_>, page: PageNo) -> Explanation {
        self.prepare(known);
        // A copy, so that plans are the same whether or not somebody asks.
        let mut discovery = self.discovery.clone().filter(|_| known.plans_first_visits);
        if let Some(discovery) = &mut discovery {
            discovery.prepare(known, known.pages.len());
        }
        let mut reasons = explain::reasons(&self.scorer(known), discovery.as_ref(), known, page);
        reasons.extend(self.value.reason(known, page));
        Explanation { reasons, ..Explanation::default() }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

/// Visits with corrected scores, and what a unit of the score before is in corrected ones: corrections change
/// the unit, so first visits and finds are held against the price of the last visit that the rest of the
/// cycle pays for.
fn corrected(
    mut visits: Vec<Visit>,
    left: Budget,
    score: impl Fn(PageNo) -> f64,
) -> (Vec<Visit>, f64) {
    let is_refresh = |visit: &&mut Visit| visit.reason == Reason::Refresh;
    let (mut before, mut after) = (vec![], vec![]);
    for visit in visits.iter_mut().filter(is_refresh) {
        before.push(visit.score);
        visit.score = score(visit.page);
        after.push(visit.score);
    }
    let price = |mut scores: Vec<f64>| {
        let place = (left.0 as usize).min(scores.len()).checked_sub(1)?;
        Some(*scores.select_nth_unstable_by(place, |a, b| b.total_cmp(a)).1)
    };
    let unit = match price(before).zip(price(after)) {
        Some((before, after)) if before > 0.0 && after > 0.0 => after / before,
        _ => 1.0,
    };
    for visit in visits.iter_mut().filter(|visit| visit.reason == Reason::First) {
        visit.score *= unit;
    }
    (visits, unit)
}
