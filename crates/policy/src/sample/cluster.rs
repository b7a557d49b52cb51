//! Cluster sampling: sample a few pages of each cluster, then visit the clusters that change most.
//!
//! CLS, Algorithm 1 of Tan and Mitra, "Clustering-based incremental web crawling", TOIS 28(4), 2010: the
//! held pages are clustered by their features. The pages nearest to each centroid are visited one after
//! another, until the mean change frequency is known well enough or the cluster's share of the budget is
//! spent. Then whole clusters are visited, the one with the highest mean first.
//!
//! Departures (`docs/policies/cluster-sample.md`): all clusters are sampled side by side, one page of each
//! in a round; pages never seen come first; if the budget is too small for the wanted number of clusters
//! there are fewer, so that sampling leaves half of it.
use crawl::{Allowance, Budget, Known, Needs, Observation, PageNo, Plan, Policy, Reason, Visit};
use instruments::{Measured as _, features::FeatureNeeds};

use super::{
    COUNT,
    change_frequency::{Count, Form, Score, VisitHistory, Weights},
    first_visits,
    stopping::{FEWEST, Sample, StoppingRule},
};
use crate::{
    Kind, Parameter, Parameters, PolicyEntry,
    by_page::row_mut,
    features::{FeatureSettings, Group, PageClusters, parameters},
    lacks::never_compared,
    score,
};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    parameters: PARAMETERS,
    ..PolicyEntry::new(
        "cluster-sample",
        "a few pages of each cluster by features, then the clusters that change most",
        |_, parameters| Box::new(ClusterSample::new(parameters)),
    )
};

/// The parameters; the defaults are the paper's.
const PARAMETERS: &[Parameter] = &[
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
        meaning: "weights of the visits of a page: all equal, only the last, linear, or geometric",
        default: "sad",
        kind: Kind::Word(Weights::WORDS),
    },
    COUNT,
    Parameter {
        name: "frequency",
        meaning: "the change frequency: a weighted mean, or divided once more as printed",
        default: "plain",
        kind: Kind::Word(&["plain", "literal"]),
    },
    Parameter {
        name: "score",
        meaning: "the score of a frequency f: 1 - exp(-f) as printed, or f",
        default: "poisson",
        kind: Kind::Word(&["poisson", "direct"]),
    },
    Parameter {
        name: "confidence",
        meaning: "confidence level of a sample's mean",
        default: "0.8",
        kind: Kind::Number(0.5, 0.999),
    },
    Parameter {
        name: "delta",
        meaning: "largest error of a sample's mean",
        default: "0.1",
        kind: Kind::Number(0.0, 1.0),
    },
    Parameter {
        name: "within",
        meaning: "order of pages in a cluster: nearest to the centroid first, or oldest first",
        default: "nearest",
        kind: Kind::Word(&["nearest", "oldest"]),
    },
];

/// The parameter values.
#[derive(Clone, Debug)]
struct ClusterSettings {
    features: FeatureSettings,
    /// The most clusters.
    clusters: usize,
    /// Restarts of each bisection.
    restarts: usize,
    weights: Weights,
    count: Count,
    form: Form,
    score: Score,
    confidence: f64,
    delta: f64,
    within: Within,
}

/// The order in which the pages of a cluster are visited after its sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// Nearest to the centroid first, as for samples.
    Nearest,
    /// The page not seen for longest first.
    Oldest,
}

/// Samples clusters of pages and visits those that change most.
#[derive(Clone, Debug)]
struct ClusterSample {
    settings: ClusterSettings,
    grouping: PageClusters,
    stopping: StoppingRule,
    /// By page, its history so far.
    visits: Vec<VisitHistory>,
    underway: Option<Underway>,
}

/// The state of a cycle.
#[derive(Clone, Debug)]
struct Underway {
    cycle: u32,
    /// The most samples of a cluster.
    cap: usize,
    clusters: Vec<Sampled>,
}

/// The state of a cluster's sample.
#[derive(Clone, Debug, Default)]
struct Sampled {
    sample: Sample,
    /// The position in the list of its pages.
    next: usize,
    /// Samples that were planned.
    taken: usize,
}

impl ClusterSettings {
    fn from_parameters(parameters: &Parameters) -> Self {
        let is = |name, word| parameters.word(name) == word;
        Self {
            features: FeatureSettings::from_parameters(parameters),
            clusters: parameters.whole("clusters") as usize,
            restarts: parameters.whole("restarts") as usize,
            weights: Weights::by_word(parameters.word("weights")),
            count: Count::by_word(parameters.word("count")),
            form: if is("frequency", "literal") { Form::Literal } else { Form::Plain },
            score: if is("score", "direct") { Score::Direct } else { Score::Poisson },
            confidence: parameters.number("confidence"),
            delta: parameters.number("delta"),
            within: if is("within", "oldest") { Within::Oldest } else { Within::Nearest },
        }
    }
}

impl ClusterSample {
    fn new(parameters: &Parameters) -> Self {
        let settings = ClusterSettings::from_parameters(parameters);
        Self {
            grouping: PageClusters::new(settings.features.clone(), settings.restarts),
            stopping: StoppingRule::new(settings.confidence, settings.delta),
            visits: vec![],
            underway: None,
            settings,
        }
    }

    /// Clusters the pages at the start of a cycle.
    fn begin(&mut self, known: &Known<'_>, budget: Budget) {
        self.grouping.update(known, self.settings.clusters.min(affordable(budget)));
        let count = self.grouping.count();
        let cap = budget.0 as usize / count.max(1);
        let clusters = vec![Sampled::default(); count];
        self.underway = Some(Underway { cycle: known.cycle, cap, clusters });
    }

    /// One round of samples: the next page of each cluster whose sample is too small; in the first round as
    /// many as the test needs at least.
    fn sample(&mut self, known: &Known<'_>) -> Vec<Visit> {
        let Some(underway) = &mut self.underway else { return vec![] };
        let mut visits = vec![];
        for (number, sampled) in underway.clusters.iter_mut().enumerate() {
            if self.stopping.is_met(&sampled.sample) {
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

    /// The rest of all clusters, the cluster with the highest mean first.
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

/// The most clusters of which sampling leaves half of a budget.
fn affordable(budget: Budget) -> usize {
    (budget.0 as usize / (2 * FEWEST)).max(1)
}

impl Policy for ClusterSample {
    fn name(&self) -> &'static str {
        "cluster-sample"
    }

    fn lacks(&self, known: &Known<'_>) -> Vec<String> {
        let ClusterSettings { features, clusters, .. } = &self.settings;
        let has = |group: Group| features.groups.contains(&group);
        let mut lacks = vec![];
        if has(Group::Ranking) && !known.features().has_keywords() {
            lacks.push(
                "no queries are known, so pages have no ranking features; clusters are made by the others"
                    .to_owned(),
            );
        }
        let dynamic = [Group::DynamicContent, Group::DynamicLinkage, Group::ChangeFrequency];
        if dynamic.into_iter().any(has) {
            let instead = "clusters are made by features that do not come from changes";
            lacks.extend(never_compared(known, instead));
        }
        if let Allowance::Visits(visits) = known.allowance
            && affordable(Budget(visits)) < *clusters
        {
            let (fewer, each) = (affordable(Budget(visits)), 2 * FEWEST);
            lacks.push(format!(
                "{visits} visits are too few for {clusters} clusters, {each} for each; there are at most \
                 {fewer} clusters"
            ));
        }
        lacks
    }

    fn needs(&self) -> Needs {
        Needs::none().with(FeatureNeeds { look_back: 0 })
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
        // Pages in no cluster: they became known in this cycle or are gone.
        if rest.0.is_empty() { score::best(known, budget, |_| 0.0) } else { rest }
    }

    fn learn(&mut self, seen: &Observation) {
        let changed = seen.changed();
        let ClusterSettings { weights, count, form, score, .. } = self.settings;
        let visits = row_mut(&mut self.visits, seen.page.index());
        visits.add(seen.cycle, changed, count);
        // The outcome of this cycle is part of the sample's history.
        if changed.is_some()
            && seen.reason == Reason::Sample
            && let Some(underway) = &mut self.underway
            && let Some(number) = self.grouping.cluster(seen.page)
        {
            let frequency = visits.frequency(seen.cycle, weights, form, count);
            underway.clusters[number].sample.add(score.of(frequency));
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
