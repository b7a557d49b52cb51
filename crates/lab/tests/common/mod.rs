//! Small webs made by hand, and runs on them that keep everything.
#![allow(dead_code, reason = "each test file uses some of it")]
pub(crate) mod held;
pub(crate) mod texts;
pub(crate) mod tiny;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crawl::{
    Budget, ChangeDetector, Content, Crawl, Cycle, Digest, Fingerprints, Form, Link, LinkList,
    MemoryRepository, Pages, Policy, Snapshot, Span, Time, World,
};
use lab::{
    compare::{Comparison, Texts, TextsError},
    grid::Grid,
    history::{History, PageHistory, Version, Window},
    metric,
    oracle::Clairvoyant,
    replay::ReplayWorld,
    tournament::{Dataset, PageSet, Run, RunOutcome, Start},
    truth::GroundTruth,
};

pub(crate) const DAY: Span = Span::from_days(1);
pub(crate) const START: Time = Time::from_millis(0);

/// For histories whose detector needs no texts.
pub(crate) struct NoTexts;

impl Texts for NoTexts {
    fn contents(&self, _page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError> {
        Err("nothing should ask for texts here".into())
    }
}

pub(crate) use lab::tournament::Unwatched as Quiet;

/// The contents of every page at every daily cycle, cycle 0 first; `None` where it is not there.
/// Equal numbers are equal contents.
pub(crate) type Matrix = Vec<Vec<Option<u8>>>;

/// A snapshot whose whole content is a number.
pub(crate) fn snapshot(content: u8, links: &[&str]) -> Arc<Snapshot> {
    let text = Digest::from_bytes(&[content]);
    let link = |address: &&str| Link::to(*address);
    Arc::new(Snapshot {
        form: Form::Html,
        fingerprints: Fingerprints {
            body: text,
            text,
            simhash: content.into(),
            ..Fingerprints::default()
        },
        counts: crawl::Counts::default(),
        links: Arc::new(LinkList::new(links.iter().map(link).collect())),
        ..Snapshot::default()
    })
}

/// The web that a matrix tells of; reading n has content n. Every change happens at the instant of
/// the cycle at which it is first seen.
pub(crate) fn web(matrix: &Matrix) -> History {
    let page = |(number, contents): (usize, &Vec<Option<u8>>)| {
        let mut versions: Vec<Version> = vec![];
        for (cycle, content) in (0..).zip(contents) {
            let reading = content.map(u32::from);
            if versions.last().map_or(reading.is_some(), |last| last.reading != reading) {
                versions.push(Version { at: START + DAY.times(cycle), reading });
            }
        }
        PageHistory { address: format!("http://h.example/{number:02}"), versions }
    };
    let last = matrix.iter().map(|contents| contents.len() - 1).max().unwrap_or(0);
    History {
        name: "matrix".into(),
        source: "made by hand".into(),
        window: Window { start: START, end: START + DAY.times(last as i64) },
        pages: matrix.iter().enumerate().map(page).collect(),
        readings: (0..=u8::MAX).map(|content| snapshot(content, &[])).collect(),
    }
}

/// The truth about a history with one cycle every `cycle`.
pub(crate) fn truth_of(
    history: History,
    cycle: Span,
    detector: Box<dyn ChangeDetector>,
) -> Arc<GroundTruth> {
    let grid = Grid::within(history.window, cycle);
    let comparison = Comparison::new(&history, &NoTexts, grid, detector).unwrap();
    Arc::new(GroundTruth::new(Arc::new(history), comparison, grid))
}

/// The truth about a matrix, where the detector sees every difference.
pub(crate) fn truth(matrix: &Matrix) -> Arc<GroundTruth> {
    truth_of(web(matrix), DAY, extract::detect::by_name("digest").unwrap())
}

/// Every registered policy and every oracle that keeps to a budget, made anew.
pub(crate) fn rivals(truth: &Arc<GroundTruth>, seed: u64) -> Vec<Box<dyn Policy>> {
    let mut rivals: Vec<Box<dyn Policy>> =
        policy::ALL.iter().map(|entry| entry.with_defaults(seed)).collect();
    rivals.push(Box::new(Clairvoyant::changes(Arc::clone(truth))));
    rivals.push(Box::new(Clairvoyant::freshness(Arc::clone(truth))));
    rivals
}

/// A metric of a run by cycle, on fixed pages that are all held at the start.
pub(crate) fn measured(
    truth: &Arc<GroundTruth>,
    policy: Box<dyn Policy>,
    budget: u32,
    metric: &str,
) -> Vec<Option<f64>> {
    let row = metric::by_name(metric).unwrap();
    run(truth, policy, budget).cycles.iter().map(|cycle| cycle[row]).collect()
}

/// A run on fixed pages that are all held at the start.
pub(crate) fn run(truth: &Arc<GroundTruth>, policy: Box<dyn Policy>, budget: u32) -> RunOutcome {
    let dataset = Dataset::new(Arc::clone(truth), PageSet::Fixed, &Start::Synchronised).unwrap();
    Run::new(&dataset, policy, Budget(budget)).play().unwrap()
}

/// Every cycle of a run, with its plans. As [`Run::play`] does it, but links are followed to every
/// page that the history knows, and nothing is measured.
pub(crate) fn played(
    truth: &Arc<GroundTruth>,
    policy: Box<dyn Policy>,
    budget: u32,
    start: &Start,
) -> Vec<Cycle> {
    let grid = truth.grid();
    let mut pages = Pages::default();
    match start {
        Start::Synchronised => {
            let alive =
                truth.history().pages.iter().filter(|page| page.reading(grid.start).is_some());
            alive.for_each(|page| _ = pages.insert(&page.address, grid.start));
        }
        Start::Empty(seeds) => seeds.iter().for_each(|seed| _ = pages.insert(seed, grid.start)),
    }
    let world = ReplayWorld::new(Arc::clone(truth));
    let known = Arc::clone(truth);
    let mut crawl = Crawl {
        admits: Box::new(move |address| known.find(address).is_some()),
        interval: Some(grid.cycle),
        pages,
        ..Crawl::new(world, policy, MemoryRepository::default(), truth.comparison().clone())
    };
    if *start == Start::Synchronised {
        crawl.hold_linked().unwrap();
    }
    let mut cycles = vec![];
    for number in 1..=grid.cycles {
        crawl.world.wait_until(grid.instant(number));
        cycles.push(crawl.cycle(Budget(budget), &mut |_| {}).unwrap());
    }
    cycles
}

/// A recorded website, where the shared material is at hand.
pub(crate) fn shared_trace(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("SANDERLING_SHARED").map_or_else(beside, PathBuf::from);
    let path = shared.join("traces").join(name);
    if !path.is_file() {
        println!("skipped: {} is not there; SANDERLING_SHARED may name its folder", path.display());
        return None;
    }
    Some(path)
}
