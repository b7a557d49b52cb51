//! Cluster sampling: look at a few pages of each cluster, then visit the clusters that change most.
//!
//! CLS, Algorithm 1 of Tan and Mitra, "Clustering-based incremental web crawling", TOIS 28(4), 2010:
//! the held pages are clustered by their features; of each cluster the pages nearest to its centroid
//! are visited one after another, until the mean change frequency of those visited is known well
//! enough or as many were visited as each cluster's share of the budget; then whole clusters are
//! visited, the one with the highest mean first.
//!
//! Departures (`docs/policies/cluster-sample.md`): all clusters are sampled side by side, one page of
//! each in a round; pages never seen come first; where the budget is too small for as many clusters
//! as asked for there are fewer, so that sampling leaves half of it to spend.
use flow::{Budget, Known, Observation, PageNo, Plan, Policy, Reason, Visit};

use super::{
    enough::{Enough, FEWEST, Sample},
    first_visits,
    weights::{Form, Score, Visits, Weights},
};
use crate::{
    Kind, Parameter, Parameters,
    features::{FeatureSettings, Grouping, parameters},
    score,
};

/// What can be set about cluster sampling; the defaults are the paper's.
pub(crate) const PARAMETERS: &[Parameter] = &[
    parameters::features(
        "content-words+content+url-words+url+linkage+dynamic-content+dynamic-linkage\
         +change-frequency",
    ),
    parameters::DIMENSIONS,
    parameters::DOMAINS,
    parameters::KEYWORDS,
    parameters::CLUSTERS,
    parameters::RESTARTS,
    Parameter {
        name: "weights",
        meaning: "which visits of a page count: all alike, the last alone, later ones more, or much more",
        default: "sad",
        kind: Kind::Word(Weights::WORDS),
    },
    Parameter {
        name: "frequency",
        meaning: "the change frequency: a weighted mean, or as printed, divided once more",
        default: "plain",
        kind: Kind::Word(&["plain", "literal"]),
    },
    Parameter {
        name: "score",
        meaning: "what a frequency f counts: 1 - exp(-f) as printed, or f",
        default: "poisson",
        kind: Kind::Word(&["poisson", "direct"]),
    },
    Parameter {
        name: "confidence",
        meaning: "how sure a sample's mean must be",
        default: "0.8",
        kind: Kind::Number(0.5, 0.999),
    },
    Parameter {
        name: "delta",
        meaning: "how near a sample's mean must be to the cluster's",
        default: "0.1",
        kind: Kind::Number(0.0, 1.0),
    },
    Parameter {
        name: "within",
        meaning: "which pages of a cluster come first: nearest to its centroid, or oldest",
        default: "nearest",
        kind: Kind::Word(&["nearest", "oldest"]),
    },
];

/// What was set.
#[derive(Clone, Debug)]
pub(crate) struct ClusterSettings {
    pub(crate) features: FeatureSettings,
    /// The most clusters.
    pub(crate) clusters: usize,
    /// Restarts of each bisection.
    pub(crate) restarts: usize,
    pub(crate) weights: Weights,
    pub(crate) form: Form,
    pub(crate) score: Score,
    pub(crate) confidence: f64,
    pub(crate) delta: f64,
    pub(crate) within: Within,
}

/// The order in which the pages of a cluster are visited after its sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// On down the list that samples are taken from: the nearest to the centroid first.
    Nearest,
    /// The page not seen for longest first.
    Oldest,
}

/// Samples clusters of pages, and visits those that change most.
#[derive(Debug)]
pub(crate) struct ClusterSample {
    settings: ClusterSettings,
    grouping: Grouping,
    enough: Enough,
    /// By page, its visits so far.
    visits: Vec<Visits>,
    underway: Option<Underway>,
}

/// How far a cycle has come.
#[derive(Debug)]
struct Underway {
    cycle: u32,
    /// The most samples of a cluster.
    cap: usize,
    clusters: Vec<Sampled>,
}

/// How far the sampling of a cluster has come.
#[derive(Clone, Debug, Default)]
struct Sampled {
    sample: Sample,
    /// How far down the list of its pages.
    next: usize,
    /// Samples that were asked for.
    taken: usize,
}

impl ClusterSettings {
    pub(crate) fn of(parameters: &Parameters) -> Self {
        let is = |name, word| parameters.word(name) == word;
        Self {
            features: FeatureSettings::of(parameters),
            clusters: parameters.whole("clusters") as usize,
            restarts: parameters.whole("restarts") as usize,
            weights: Weights::by_word(parameters.word("weights")),
            form: if is("frequency", "literal") { Form::Literal } else { Form::Plain },
            score: if is("score", "direct") { Score::Direct } else { Score::Poisson },
            confidence: parameters.number("confidence"),
            delta: parameters.number("delta"),
            within: if is("within", "oldest") { Within::Oldest } else { Within::Nearest },
        }
    }
}

impl ClusterSample {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let settings = ClusterSettings::of(parameters);
        Self {
            grouping: Grouping::new(settings.features.clone(), settings.restarts),
            enough: Enough::new(settings.confidence, settings.delta),
            visits: vec![],
            underway: None,
            settings,
        }
    }

    /// Clusters the pages for a cycle that begins.
    fn begin(&mut self, known: &Known<'_>, budget: Budget) {
        let affordable = (budget.0 as usize / (2 * FEWEST)).max(1);
        self.grouping.update(known, self.settings.clusters.min(affordable));
        let count = self.grouping.count();
        let cap = budget.0 as usize / count.max(1);
        let clusters = vec![Sampled::default(); count];
        self.underway = Some(Underway { cycle: known.cycle, cap, clusters });
    }

    /// One round of samples: the next page of each cluster that has not been sampled enough; as many
    /// as the test needs at least in the first round.
    fn sample(&mut self, known: &Known<'_>) -> Vec<Visit> {
        let Some(underway) = &mut self.underway else { return vec![] };
        let mut visits = vec![];
        for (number, sampled) in underway.clusters.iter_mut().enumerate() {
            if self.enough.is_enough(&sampled.sample) {
                continue;
            }
            let wanted = FEWEST.saturating_sub(sampled.taken).max(1);
            let wanted = wanted.min(underway.cap - sampled.taken.min(underway.cap));
            let pages = self.grouping.pages(number);
            let mut found = 0;
            while found < wanted && sampled.next < pages.len() {
                let page = pages[sampled.next];
                sampled.next += 1;
                if known.is_due(page) {
                    found += 1;
                    let score = sampled.sample.mean();
                    visits.push(Visit { page, score, reason: Reason::Sample });
                }
            }
            sampled.taken += found;
        }
        visits
    }

    /// What is left of all clusters, the cluster with the highest mean first.
    fn spend(&self, known: &Known<'_>, budget: Budget) -> Plan {
        let Some(underway) = &self.underway else { return Plan::default() };
        let mean = |number: usize| underway.clusters[number].sample.mean();
        let mut order: Vec<usize> = (0..underway.clusters.len()).collect();
        order.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)).then(a.cmp(&b)));
        let mut plan = vec![];
        for number in order {
            if plan.len() >= budget.0 as usize {
                break;
            }
            let due = |page: &PageNo| known.is_due(*page);
            let visit = |page| Visit { page, score: mean(number), reason: Reason::Refresh };
            let pages = self.grouping.pages(number).iter().copied().filter(due).map(visit);
            match self.settings.within {
                Within::Nearest => plan.extend(pages),
                Within::Oldest => {
                    plan.extend(Plan::best(Budget::UNLIMITED, pages.collect(), known.pages).0);
                }
            }
        }
        Plan(plan).within(budget)
    }
}

impl Policy for ClusterSample {
    fn name(&self) -> &'static str {
        "cluster-sample"
    }

    fn needs_features(&self) -> bool {
        true
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        if self.underway.as_ref().is_none_or(|underway| underway.cycle != known.cycle) {
            self.underway = None;
            let first = first_visits(known, budget);
            if !first.0.is_empty() {
                return first;
            }
            self.begin(known, budget);
        }
        let samples = Plan(self.sample(known)).within(budget);
        if !samples.0.is_empty() {
            return samples;
        }
        let rest = self.spend(known, budget);
        // Pages in no cluster, which became known in this cycle or are gone.
        if rest.0.is_empty() { score::best(known, budget, |_| 0.0) } else { rest }
    }

    fn learn(&mut self, seen: &Observation) {
        let Some(changed) = seen.changed() else { return };
        let row = seen.page.index();
        if self.visits.len() <= row {
            self.visits.resize(row + 1, Visits::default());
        }
        self.visits[row].add(changed);
        // The outcome of this cycle is part of the sample's history.
        if seen.reason == Reason::Sample
            && let Some(underway) = &mut self.underway
            && let Some(number) = self.grouping.of(seen.page)
        {
            let ClusterSettings { weights, form, score, .. } = self.settings;
            let frequency = self.visits[row].frequency(weights, form);
            underway.clusters[number].sample.add(score.of(frequency));
        }
    }
}

#[cfg(test)]
#[path = "cluster_tests.rs"]
mod tests;
