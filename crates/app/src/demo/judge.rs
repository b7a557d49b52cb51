//! The final table of the demo: the live crawl, and other policies that replay the history of its web.
//!
//! The live crawl visits pages during the day and believes a 404 only the second time. A replay sees the
//! web at one instant a day and calls a missing page gone at once. So the table shows the crawl's own
//! numbers where the crawl has them.
use std::{path::Path, sync::Arc};

use crawl::{Budget, Policy, Span};
use lab::{
    metric,
    oracle::Clairvoyant,
    quality::Quality,
    recorded::Recorded,
    tournament::{Dataset, Experiment, PageSet, PreparedWeb, Run, Start, WebSource},
};

use policy::Freshness;

use crate::{
    failure::{Failure, with_causes},
    lab::settings::queries as queries_of,
};

/// The metrics of the table and their column heads.
pub(super) const SHOWN: [(&str, &str); 5] = [
    ("freshness", "fresh"),
    ("new_coverage", "new pages held"),
    ("age", "days stale"),
    ("changes_caught", "changes caught"),
    ("quality_tf_idf", "search quality"),
];
/// The place of search quality, which needs queries.
pub(super) const QUALITY: usize = SHOWN.len() - 1;
/// The most queries that are asked.
const MOST_QUERIES: usize = 500;

/// The live crawl.
#[derive(Debug, Default)]
pub(super) struct LiveCrawl {
    /// The URLs visited in each cycle.
    pub(super) visited: Vec<Vec<String>>,
    /// The share of held pages that are fresh after each cycle.
    pub(super) fresh: Vec<f64>,
    /// What the crawler believed that share to be, where it did.
    pub(super) believed: Vec<Option<Freshness>>,
    /// Visits that found a change or a page gone.
    pub(super) changes_caught: u32,
}

/// How well the crawler knew its freshness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Beliefs {
    /// Days on which it claimed to know.
    pub(super) days: usize,
    /// Those on which the interval held the truth.
    pub(super) held: usize,
    /// The mean distance from the truth.
    pub(super) error: f64,
}

impl LiveCrawl {
    /// Compares what was believed with what was true; `None` if nothing was believed.
    pub(super) fn beliefs(&self) -> Option<Beliefs> {
        let both: Vec<(f64, &Freshness)> = self
            .fresh
            .iter()
            .zip(&self.believed)
            .filter_map(|(&fresh, believed)| Some((fresh, believed.as_ref()?)))
            .collect();
        let days = both.len();
        (days > 0).then(|| Beliefs {
            days,
            held: both.iter().filter(|(fresh, it)| (it.low..=it.high).contains(fresh)).count(),
            error: both.iter().map(|(fresh, it)| (fresh - it.share).abs()).sum::<f64>()
                / days as f64,
        })
    }
}

/// One line of the table.
pub(super) struct Judged {
    pub(super) name: String,
    /// In the order of [`SHOWN`].
    pub(super) values: Vec<Option<f64>>,
}

/// What was crawled, and how.
pub(super) struct Setting<'a> {
    pub(super) cycles: u32,
    pub(super) budget: u32,
    pub(super) policy: &'a policy::PolicySpec,
    pub(super) seed: u64,
    /// A file of queries.
    pub(super) queries: Option<&'a Path>,
}

/// Judges the live crawl, and on the history of its web the same policy, round robin and an oracle.
pub(super) fn judge(
    trace: &Path,
    cache: &Path,
    setting: &Setting<'_>,
    crawl: LiveCrawl,
) -> Result<Vec<Judged>, Failure> {
    let Setting { cycles, budget, policy, seed, queries } = *setting;
    let experiment = Experiment {
        cycles: Some(cycles as usize),
        budgets: vec![f64::from(budget)],
        seeds: vec![seed],
        pages: PageSet::Growing,
        ..Experiment::new(WebSource::Trace(trace.to_owned()), Span::from_days(1))
    };
    let web = PreparedWeb::open(&experiment.webs[0], cache)?;
    web.read(&|_, _| ())?;
    let loaded = web.load(&experiment)?;
    let truth = Arc::clone(&loaded.truth);
    let quality = match queries {
        None => None,
        Some(file) => {
            let queries = queries_of(&file.to_string_lossy(), MOST_QUERIES)
                .map_err(|why| Failure::Input(format!("--queries: {why}")))?;
            let texts = loaded.texts.as_ref();
            Quality::new(&truth, texts, PageSet::Growing, &queries, false)
                .map_err(|error| Failure::Internal(with_causes(&*error)))?
                .0
                .map(Arc::new)
        }
    };
    let mut features = loaded.features(&[&*policy.make(seed)])?;
    if let (Some(features), Some(quality)) = (&mut features, &quality) {
        features.set_keywords(quality.keywords().to_vec());
    }
    let dataset = Dataset::with_features(truth, PageSet::Growing, &Start::Synchronised, features)?
        .with_workload(quality);
    let live = format!("{policy}, live");
    let replayed = format!("{policy}, replayed");
    let LiveCrawl { visited, fresh, changes_caught, .. } = crawl;
    let round_robin = policy::by_name("round-robin").map(|entry| entry.with_defaults(seed));
    let mut rivals: Vec<(String, Box<dyn Policy>)> =
        vec![(live, Box::new(Recorded::new(visited))), (replayed, policy.make(seed))];
    rivals.extend(round_robin.map(|policy| ("round-robin".to_owned(), policy)));
    let clairvoyant = Clairvoyant::freshness(Arc::clone(&loaded.truth));
    rivals.push(("oracle-freshness, which knows the future".to_owned(), Box::new(clairvoyant)));
    let mut judged = vec![];
    for (name, policy) in rivals {
        let values = Run::new(&dataset, policy, Budget(budget)).play()?.cycles;
        judged.push(Judged {
            name,
            values: SHOWN.map(|(metric, _)| over_time(&values, metric)).into(),
        });
    }
    for ((metric, _), value) in SHOWN.iter().zip(&mut judged[0].values) {
        match *metric {
            "freshness" => *value = Some(fresh.iter().sum::<f64>() / fresh.len().max(1) as f64),
            "changes_caught" => *value = Some(f64::from(changes_caught)),
            _ => {}
        }
    }
    Ok(judged)
}

/// The value of a metric over all cycles.
fn over_time(cycles: &[Vec<Option<f64>>], name: &str) -> Option<f64> {
    metric::over_cycles(metric::by_name(name)?, cycles)
}
