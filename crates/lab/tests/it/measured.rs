//! What visits do to answers is measured in replays, for policies that ask for it.

use std::sync::{Arc, Mutex};

use crawl::{Budget, Digest, Known, Needs, Observation, Outcome, Plan, Policy};
use instruments::{Measured, impact::Measure};
use lab::{
    oracle::Ideal,
    quality::{Quality, Queries},
    synthetic::{Kind, Spec},
    tournament::{Dataset, LoadedWeb, PageSet, PreparedWeb, Run, Start, WebSource},
    truth::GroundTruth,
};
use text::{relevance::Scoring, workload::Workload};

use crate::common::{DAY, snapshot, texts::ByReading, tiny, truth_of, web};

/// Visits every page in every cycle, and keeps what it saw.
#[derive(Clone, Default)]
struct Watching {
    measure: Option<Measure>,
    watched: Arc<Mutex<Watched>>,
}

#[derive(Default)]
struct Watched {
    seen: Vec<Observation>,
    /// By cycle, as it began.
    exposures: Vec<Vec<f32>>,
}

impl Watching {
    fn by(scoring: Scoring) -> Self {
        Self { measure: Some(Measure::by(scoring)), ..Self::default() }
    }
}

impl Policy for Watching {
    fn name(&self) -> &'static str {
        "watching"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let mut watched = self.watched.lock().unwrap();
        if watched.exposures.len() <= known.cycle as usize {
            watched.exposures.push(known.exposures().to_vec());
        }
        Ideal.plan(known, budget)
    }

    fn needs(&self) -> Needs {
        self.measure.map_or_else(Needs::none, |measure| Needs::none().with(measure))
    }

    fn learn(&mut self, seen: &Observation) {
        self.watched.lock().unwrap().seen.push(seen.clone());
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

fn watched(truth: &Arc<GroundTruth>, quality: Option<Arc<Quality>>, policy: Watching) -> Watched {
    let dataset = Dataset::new(Arc::clone(truth), PageSet::Fixed, &Start::Synchronised).unwrap();
    let dataset = dataset.with_workload(quality);
    let watched = Arc::clone(&policy.watched);
    Run::new(&dataset, Box::new(policy), Budget::UNLIMITED).play().unwrap();
    std::mem::take(&mut watched.lock().unwrap())
}

/// Three pages and one query, "apple", whose weight is 1 (see `quality.rs`): scores are roots of shares.
///
/// | page | day 0 | day 1 | day 2 |
/// |------|-------|-------|-------|
/// | 00   | 1     | none  | gone  |
/// | 01   | 1/2   | 1/2   | 1/2   |
/// | 02   | none  | 1     | 1     |
fn apples() -> (Arc<GroundTruth>, Arc<Quality>) {
    let matrix = vec![
        vec![Some(0), Some(3), None],
        vec![Some(1), Some(1), Some(1)],
        vec![Some(2), Some(4), Some(4)],
    ];
    let mut history = web(&matrix);
    history.readings[1] = snapshot(1, &["http://h.example/00", "http://h.example/02"]);
    let truth = truth_of(history, DAY, extract::detect::by_name("digest").unwrap());
    let texts = ["apple apple apple apple", "apple pear pear pear", "pear pear", "pear", "apple"];
    let texts = ByReading { truth: Arc::clone(&truth), texts: (0..).zip(texts).collect() };
    let text = "apple\t3\n";
    let workload = Arc::new(Workload::from_tsv("q.tsv", text).unwrap());
    let queries = Queries::File { workload, digest: Digest::from_bytes(text.as_bytes()), limit: 1 };
    let (quality, _) = Quality::new(&truth, &texts, PageSet::Fixed, &queries, false).unwrap();
    (truth, Arc::new(quality.unwrap()))
}

#[test]
fn a_change_has_the_impact_that_is_worked_out_by_hand() {
    let (truth, quality) = apples();
    let seen = watched(&truth, Some(quality), Watching::by(Scoring::TfIdf));
    let of = |page: usize, day: usize| -> &Observation {
        let mut of_page = seen.seen.iter().filter(|seen| seen.page.index() == page);
        of_page.nth(day).unwrap()
    };
    let near = |impact: Option<f32>, expected: f64| {
        let impact = f64::from(impact.unwrap());
        assert!((impact - expected).abs() < 5e-3, "{impact} is not {expected}");
    };
    // What is held before the first cycle is not measured.
    assert!((0..3).all(|page| of(page, 0).impact.is_none()));
    let (second, third) = (8.0_f64.sqrt().recip(), 27.0_f64.sqrt().recip());
    let worth = 1.0 + 0.5 * second;
    // Page 00 leaves, and 01 moves from the second place to the first.
    assert!(matches!(of(0, 1).outcome, Outcome::Changed(_)));
    near(of(0, 1).impact, 0.5 * (1.0 - second) / worth);
    // Page 01 is as it was.
    assert_eq!((of(1, 1).outcome, of(1, 1).impact), (Outcome::Same, Some(0.0)));
    // Page 02 comes first by the curve of the beginning of the cycle: two others sink by one.
    near(of(2, 1).impact, (1.0 - (1.0 - second) - 0.5 * (second - third)) / worth);
    // A page that answers nothing is no loss.
    assert_eq!((of(0, 2).outcome, of(0, 2).impact), (Outcome::Gone, Some(0.0)));
    // At first the two results are looked at as 1 to 2^-1.5.
    near(Some(seen.exposures[0][0]), 1.0 / (1.0 + second));
    near(Some(seen.exposures[0][1]), second / (1.0 + second));
    near(Some(seen.exposures[0][2]), 0.0);
}

#[test]
fn without_a_workload_or_a_wish_nothing_is_measured() {
    let (truth, quality) = apples();
    let plain = watched(&truth, Some(quality), Watching::default());
    let without_workload = watched(&truth, None, Watching::by(Scoring::Bm25));
    for seen in [plain, without_workload] {
        assert!(seen.seen.iter().all(|seen| seen.impact.is_none()));
        assert!(seen.exposures.iter().all(Vec::is_empty));
    }
}

fn made_up() -> LoadedWeb {
    let spec = Spec { kind: Kind::Hubs, pages: 70, seed: 5, weeks: 9 };
    let web = PreparedWeb::open(&WebSource::Synthetic(spec), "unused".as_ref()).unwrap();
    web.load(&tiny::experiment(vec![])).unwrap()
}

fn pseudo(web: &LoadedWeb, halves: bool) -> Arc<Quality> {
    let queries = Queries::Pseudo { limit: 60 };
    let quality =
        Quality::new(&web.truth, web.texts.as_ref(), PageSet::Fixed, &queries, halves).unwrap().0;
    Arc::new(quality.unwrap())
}

#[test]
fn what_did_not_change_has_no_impact_and_some_changes_have_some() {
    let web = made_up();
    let quality = pseudo(&web, false);
    for scoring in [Scoring::TfIdf, Scoring::InLinks, Scoring::Blend, Scoring::Bm25] {
        let seen = watched(&web.truth, Some(Arc::clone(&quality)), Watching::by(scoring)).seen;
        let compared = || seen.iter().filter_map(|seen| Some((seen.changed()?, seen.impact?)));
        assert!(compared().all(|(changed, impact)| changed || impact == 0.0), "{scoring:?}");
        assert!(compared().any(|(_, impact)| impact > 0.0), "{scoring:?}");
        assert!(compared().all(|(_, impact)| impact.is_finite() && impact.abs() <= 1.0));
    }
}

#[test]
fn with_halves_policies_know_the_queries_that_are_not_evaluated() {
    let web = made_up();
    let (all, halves) = (pseudo(&web, false), pseudo(&web, true));
    assert_eq!(all.known_queries().queries, all.queries());
    let mut both: Vec<_> = vec![];
    let mut evaluated = halves.queries().iter();
    for query in &halves.known_queries().queries {
        both.push(query.clone());
        both.extend(evaluated.next().cloned());
    }
    assert_eq!(both, all.queries());
}
