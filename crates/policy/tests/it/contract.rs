//! The contract of every policy. A new entry in `ALL` is tested at once.
use std::{collections::BTreeSet, sync::Arc};

use crawl::{
    Answer, Arrival, Budget, Capture, Content, Crawl, Cycle, Digest, Fingerprints, Form,
    Instruments, Known, Link, LinkList, MemoryRepository, Needs, Observation, Outcome, PageNo,
    Pages, Plan, Policy, Reason, Repository, Request, Result, Snapshot, Span, State, Time, Visited,
    World,
};
use extract::detect::TextDigest;
use instruments::{
    Measured as _,
    features::Features,
    impact::{Impact, Measure, MeasureMove, Meter, Profiles},
};
use policy::{ALL, PolicySpec};
use text::{
    relevance::{Profile, Scoring},
    words::Language,
    workload::{Source, Workload},
};

const PAGES: u32 = 40;
const DAY: Span = Span::from_days(1);

/// Parameters that take other code paths than the defaults.
const UNUSUAL: &[&str] = &[
    "site-sample:size=3",
    "link-sample:d=-2",
    "link-sample:d=0:batch=3",
    "link-sample:chance=always",
    "link-sample:chance=page-rank",
    "directory-sample:d=-1:chance=history",
    "directory-sample:d=2:chance=weighted-history",
    "directory-sample:d=1:batch=4:chance=weighted-history-literal",
    "directory-sample:chance=never",
    "directory-sample:d=-2:distance=literal",
    "user-centric:mean=sums:window=2",
    "user-centric:mean=decayed:scoring=in-links:pieces=1",
    "user-centric-index:loss=linear",
    "staleness-based:threshold=1",
    "embarrassment-based:threshold=0:clicks=seen",
    "age-based:threshold=0.3",
    "od-1:interval=1",
    "od-win:interval=2:decay=0.5",
    "od-all:decay=0",
    "cliq-1:interval=3:eps=0",
    "cliq-win:interval=100:eps=1",
    "cov:interval=1",
    "hub-interval:interval=3",
    "predicted:by=draw:predictor=coin",
    "predicted:by=worth:predictor=single:retrain=2",
    "freshness-index:chances=predicted",
    "user-centric-index:chances=(predicted:relation=links)",
];

/// Every policy with its defaults, and with unusual parameters.
fn specs() -> Vec<PolicySpec> {
    let unusual = UNUSUAL.iter().map(|word| PolicySpec::parse(word).unwrap());
    ALL.iter().map(PolicySpec::from).chain(unusual).collect()
}

/// Forty pages of four hosts, in directories and linked to each other. Page n changes every n-th
/// day; every tenth page, counted from the ninth, is gone from the third day on.
struct Toy {
    now: Time,
}

fn address(number: u32) -> String {
    let directory = ["", "x/", "x/y/"][number as usize % 3];
    format!("https://host{}.example/{directory}{number:02}", number % 4)
}

fn snapshot(number: u32, version: i64) -> Arc<Snapshot> {
    let text = Digest::from_bytes(format!("{number} {version}").as_bytes());
    let others = [number + 1, 7 * number + 3, 4 * number];
    let links = others.map(|other| Link::to(address(other % PAGES)));
    Arc::new(Snapshot {
        form: Form::Html,
        fingerprints: Fingerprints { body: text, text, ..Fingerprints::default() },
        counts: crawl::Counts::default(),
        links: Arc::new(LinkList::new(links.into())),
        content: Some(Arc::new(Content {
            text: format!("{} edition{version}", format!("sand host{} ", number % 4).repeat(6)),
            ..Content::default()
        })),
        ..Snapshot::default()
    })
}

impl World for Toy {
    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, then: Time) {
        self.now = then;
    }

    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        for request in requests {
            let number: u32 = request.address[request.address.len() - 2..].parse().unwrap();
            let day = (self.now - Time::from_millis(0)).millis() / DAY.millis();
            let answer = if number % 10 == 9 && day >= 3 {
                Answer::Gone
            } else {
                Answer::Content(snapshot(number, day / i64::from(number + 1)))
            };
            arrive(Arrival::Capture(Capture::new(request.page, self.now, answer)))?;
        }
        Ok(())
    }
}

/// Fakes what visits do to search results and how much searchers see each page: all queries are for one
/// word, which later pages hold less often.
#[derive(Clone, Debug)]
struct Searched(Vec<Profile>);

impl Searched {
    fn new() -> Self {
        Self((0..PAGES).map(|page| Profile::new(100, vec![(0, PAGES - page)])).collect())
    }

    /// As an instrument.
    fn measured(self) -> Impact {
        let queries = [("sand".to_owned(), 1.0)];
        let workload = Workload::new(Source::Log, queries).prepare(&[Language::Other]);
        Impact::new(Meter::new(&workload, Measure::by(Scoring::Bm25)), Box::new(self))
    }
}

impl Profiles for Searched {
    fn begin_cycle(&mut self, _: &Pages) {}

    fn held(&self) -> Vec<(PageNo, &Profile)> {
        self.0.iter().enumerate().map(|(row, profile)| (PageNo(row as u32), profile)).collect()
    }

    fn visited(&mut self, visit: &Visited<'_>, _: MeasureMove<'_>) -> Option<f32> {
        let share = visit.page.0 as f32 / PAGES as f32;
        match visit.outcome {
            Outcome::Changed(_) | Outcome::Gone => Some(share * share - 0.01),
            Outcome::Same => Some(0.0),
            _ => None,
        }
    }

    fn fork(&self) -> Box<dyn Profiles> {
        Box::new(self.clone())
    }
}

/// What a crawl of the toy web did.
struct RunOutcome {
    cycles: Vec<Cycle>,
    states: Vec<Vec<State>>,
}

impl RunOutcome {
    fn plans(&self) -> Vec<&Plan> {
        self.cycles.iter().flat_map(|cycle| &cycle.plans).collect()
    }
}

/// Crawls the toy web with a policy. Before cycle `rebuilt` the policy is replaced by a new one that
/// replays the log.
fn play(
    spec: &PolicySpec,
    seed: u64,
    budget: u32,
    cycles: u32,
    rebuilt: Option<u32>,
) -> RunOutcome {
    play_made(&|| spec.make(seed), budget, cycles, rebuilt)
}

fn play_made(
    make: &dyn Fn() -> Box<dyn Policy>,
    budget: u32,
    cycles: u32,
    rebuilt: Option<u32>,
) -> RunOutcome {
    let (policy, repository) = (make(), MemoryRepository::default());
    let mut instruments = Instruments::default().with(Searched::new().measured());
    if let Some(features) = Features::needed(&policy.needs()) {
        instruments.insert(features);
    }
    let world = Toy { now: Time::from_millis(0) };
    let mut crawl = Crawl {
        instruments,
        admits: Box::new(|_| false),
        interval: Some(DAY),
        ..Crawl::new(world, policy, repository, Arc::new(TextDigest))
    };
    // Not in the order of addresses, as in a real crawl.
    for number in (0..PAGES).rev() {
        crawl.pages.insert(&address(number), Time::from_millis(0));
    }
    let mut played = RunOutcome { cycles: vec![], states: vec![] };
    for number in 0..=cycles {
        if rebuilt == Some(number) {
            let mut policy = make();
            crawl.repository.replay(&mut |seen| policy.learn(seen)).unwrap();
            crawl.policy = policy;
        }
        crawl.cycles = number;
        crawl.world.wait_until(Time::from_millis(0) + DAY.times(i64::from(number)));
        if number == 0 {
            crawl.hold_linked().unwrap();
        } else {
            played.states.push(crawl.pages.states().to_vec());
            played.cycles.push(crawl.cycle(Budget(budget), &mut |_| {}).unwrap());
        }
    }
    // The fake exposures reach policies.
    let start = crawl.world.now();
    let seen = crawl.consult(start, |_, known| known.exposures().to_vec());
    assert!(seen.len() == PAGES as usize && seen[0] > seen[30], "{seen:?}");
    played
}

/// Forks a policy before every plan. Both must plan the same. Then one of them, in turn the fork and its
/// original, goes on, while the other learns things that never happened.
struct Forking {
    policy: Box<dyn Policy>,
    plans: usize,
}

impl Policy for Forking {
    fn name(&self) -> &'static str {
        self.policy.name()
    }

    fn needs(&self) -> Needs {
        self.policy.needs()
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let mut other = self.policy.fork();
        let plan = self.policy.plan(known, budget);
        assert_eq!(other.plan(known, budget), plan, "a fork of {} plans otherwise", self.name());
        assert_eq!(other.name(), self.name());
        self.plans += 1;
        if self.plans.is_multiple_of(2) {
            std::mem::swap(&mut self.policy, &mut other);
        }
        for page in known.pages.numbers() {
            for reason in [Reason::Sample, Reason::Discover] {
                let outcome = Outcome::Changed(1.0);
                other.learn(&Observation {
                    cycle: known.cycle,
                    reason,
                    since: Some(DAY),
                    leads: vec![PageNo(0), page],
                    impact: Some(0.7),
                    ..Observation::new(page, known.pages.host(page), known.now, outcome)
                });
            }
        }
        let _ = other.plan(&Known { cycle: known.cycle + 1, ..*known }, budget);
        let _ = other.explain(known, PageNo(0));
        plan
    }

    fn learn(&mut self, seen: &Observation) {
        self.policy.learn(seen);
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(Self { policy: self.policy.fork(), plans: self.plans })
    }
}

#[test]
fn is_known_by_its_own_name() {
    for entry in ALL {
        assert_eq!(entry.with_defaults(1).name(), entry.name);
        assert!(std::ptr::eq(policy::by_name(entry.name).unwrap(), entry), "{} twice", entry.name);
    }
}

#[test]
fn has_a_page_in_the_documentation() {
    for entry in ALL {
        let page = format!("{}/../../docs/policies/{}.md", env!("CARGO_MANIFEST_DIR"), entry.name);
        assert!(std::path::Path::new(&page).is_file(), "{page} is missing");
    }
}

#[test]
fn keeps_within_the_budget() {
    for spec in &specs() {
        for budget in [0, 1, 7, 1000] {
            for cycle in play(spec, 1, budget, 3, None).cycles {
                let planned: usize = cycle.plans.iter().map(|plan| plan.0.len()).sum();
                assert!(planned <= budget as usize, "{spec} overspent");
            }
        }
    }
}

#[test]
fn spends_the_whole_budget_while_pages_are_due() {
    for spec in &specs() {
        for cycle in play(spec, 1, 7, 5, None).cycles {
            assert_eq!(cycle.log.len(), 7, "{spec} left budget unspent");
        }
    }
}

#[test]
fn visits_no_page_twice_in_a_cycle() {
    for spec in &specs() {
        for cycle in play(spec, 1, 100, 5, None).cycles {
            let visits: Vec<_> = cycle.plans.iter().flat_map(|plan| &plan.0).collect();
            let pages: BTreeSet<_> = visits.iter().map(|visit| visit.page).collect();
            assert_eq!(pages.len(), visits.len(), "{spec} planned a page twice");
        }
    }
}

#[test]
fn visits_no_page_that_is_gone() {
    for spec in &specs() {
        let played = play(spec, 1, 100, 6, None);
        assert!(played.states.last().unwrap().contains(&State::Gone), "no page went");
        for (cycle, states) in played.cycles.iter().zip(&played.states) {
            for visit in cycle.plans.iter().flat_map(|plan| &plan.0) {
                assert_ne!(states[visit.page.index()], State::Gone, "{spec}");
            }
        }
    }
}

#[test]
fn same_seed_same_plans() {
    for spec in &specs() {
        let (once, again) = (play(spec, 9, 10, 6, None), play(spec, 9, 10, 6, None));
        assert_eq!(once.plans(), again.plans(), "{spec} is not deterministic");
    }
}

#[test]
fn another_seed_makes_other_plans_exactly_where_chance_is_used() {
    for spec in &specs() {
        let (one, other) = (play(spec, 1, 10, 6, None), play(spec, 2, 10, 6, None));
        assert_eq!(one.plans() != other.plans(), spec.is_random(), "{spec}");
    }
}

#[test]
fn rebuilt_after_it_was_trained_it_plans_the_same() {
    for word in [
        "predicted",
        "predicted:predictor=single:retrain=3",
        "predicted:predictor=boosting:relation=warping:experts=5",
        "mix:refresh=(freshness-index:chances=(predicted:relation=content))",
    ] {
        let spec = PolicySpec::parse(word).unwrap();
        let lived = play(&spec, 9, 30, 40, None);
        for rebuilt in [22, 33] {
            let again = play(&spec, 9, 30, 40, Some(rebuilt));
            assert_eq!(again.plans(), lived.plans(), "{word} {rebuilt}");
        }
    }
}

#[test]
fn rebuilt_from_the_log_plans_the_same() {
    for spec in &specs() {
        for rebuilt in 1..6 {
            let lived = play(spec, 9, 10, 6, None);
            let rebuilt = play(spec, 9, 10, 6, Some(rebuilt));
            assert_eq!(rebuilt.plans(), lived.plans(), "{spec} keeps more than the log");
        }
    }
}

#[test]
fn a_fork_plans_the_same_and_neither_learns_from_the_other() {
    let trained = ["predicted", "mix:refresh=(freshness-index:chances=predicted)"];
    let trained = trained.map(|word| (PolicySpec::parse(word).unwrap(), 30, 30));
    let specs = specs().into_iter().map(|spec| (spec, 10, 6));
    for (spec, budget, cycles) in specs.chain(trained) {
        let make = || -> Box<dyn Policy> { Box::new(Forking { policy: spec.make(9), plans: 0 }) };
        let forked = play_made(&make, budget, cycles, None);
        let lived = play(&spec, 9, budget, cycles, None);
        assert_eq!(forked.plans(), lived.plans(), "{spec} shares something with its fork");
    }
}
