//! What every policy must keep, whatever its algorithm. A new entry in `ALL` is tested at once.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeSet, sync::Arc};

use flow::{
    Answer, Arrival, Budget, Capture, Content, Crawl, Cycle, Digest, Form, Kept, Link, LinkList,
    Links, Marks, MemoryRepository, Observation, Outcome, PageNo, Pages, Plan, Policy, Repository,
    Request, Result, Snapshot, Span, State, Time, World, detect::TextDigest, features::Features,
};
use policy::{ALL, Choice};

const PAGES: u32 = 40;
const DAY: Span = Span::from_days(1);

/// Choices that take other ways through a policy than its defaults do.
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

/// Every policy with its defaults, and the unusual choices.
fn choices() -> Vec<Choice> {
    let unusual = UNUSUAL.iter().map(|word| Choice::parse(word).unwrap());
    ALL.iter().map(Choice::from).chain(unusual).collect()
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
    let text = Digest::of(format!("{number} {version}").as_bytes());
    let others = [number + 1, 7 * number + 3, 4 * number];
    let links = others.map(|other| Link::to(address(other % PAGES)));
    Arc::new(Snapshot {
        form: Form::Html,
        marks: Marks { body: text, text, ..Marks::default() },
        counts: flow::Counts::default(),
        links: Arc::new(LinkList::new(links.into())),
        directives: flow::Directives::default(),
        content: Some(Arc::new(Content {
            text: format!("{} edition{version}", format!("sand host{} ", number % 4).repeat(6)),
            ..Content::default()
        })),
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

/// Holds pages in memory, and makes up what visits do to answers and how pages are looked at.
#[derive(Default)]
struct Searched {
    kept: MemoryRepository,
    exposures: Vec<f32>,
}

impl Repository for Searched {
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.kept.held(page)
    }

    fn impact(
        &mut self,
        page: PageNo,
        _address: &str,
        outcome: Outcome,
        _new: Option<&Arc<Snapshot>>,
    ) -> Result<Option<f32>> {
        let share = page.0 as f32 / PAGES as f32;
        Ok(match outcome {
            Outcome::Changed(_) | Outcome::Gone => Some(share * share - 0.01),
            Outcome::Same => Some(0.0),
            _ => None,
        })
    }

    fn exposures(&self) -> &[f32] {
        &self.exposures
    }

    fn keep(&mut self, kept: Kept<'_>) -> Result<()> {
        let row = kept.seen.page.index();
        if self.exposures.len() <= row {
            self.exposures.resize(row + 1, 0.0);
        }
        self.exposures[row] = 1.0 / (row as f32 + 10.0);
        self.kept.keep(kept)
    }

    fn play_log(&self, each: &mut dyn FnMut(&Observation)) -> Result<()> {
        self.kept.play_log(each)
    }

    fn commit(&mut self) -> Result<()> {
        self.kept.commit()
    }
}

/// What a crawl of the toy web did.
struct Played {
    cycles: Vec<Cycle>,
    states: Vec<Vec<State>>,
}

impl Played {
    fn plans(&self) -> Vec<&Plan> {
        self.cycles.iter().flat_map(|cycle| &cycle.plans).collect()
    }
}

/// Crawls the toy web with a policy; before cycle `rebuilt` the policy is replaced by a new one to
/// which the log is played.
fn play(choice: &Choice, seed: u64, budget: u32, cycles: u32, rebuilt: Option<u32>) -> Played {
    let mut pages = Pages::default();
    // Not in the order of addresses, as in a real crawl.
    for number in (0..PAGES).rev() {
        pages.admit(&address(number), Time::from_millis(0));
    }
    let mut world = Toy { now: Time::from_millis(0) };
    let mut repository = Searched::default();
    let mut policy: Box<dyn Policy> = choice.make(seed);
    let mut links = Links::default();
    let mut features = Features::wanted_by(&*policy);
    let mut played = Played { cycles: vec![], states: vec![] };
    for number in 0..=cycles {
        if rebuilt == Some(number) {
            policy = choice.make(seed);
            repository.play_log(&mut |seen| policy.learn(seen)).unwrap();
        }
        world.wait_until(Time::from_millis(0) + DAY.times(i64::from(number)));
        let mut crawl = Crawl {
            world: &mut world,
            policy: policy.as_mut(),
            repository: &mut repository,
            detector: &TextDigest,
            admits: &|_| false,
            watch: &mut |_| {},
            cadence: Some(DAY),
            revisits_gone: false,
            pages,
            links,
            features,
            cycles: number,
        };
        if number == 0 {
            crawl.hold_linked().unwrap();
        } else {
            played.states.push(crawl.pages.states().to_vec());
            played.cycles.push(crawl.cycle(Budget(budget)).unwrap());
        }
        Crawl { pages, links, features, .. } = crawl;
    }
    played
}

#[test]
fn is_known_by_its_own_name() {
    for entry in ALL {
        assert_eq!(entry.usual(1).name(), entry.name);
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
    for choice in &choices() {
        for budget in [0, 1, 7, 1000] {
            for cycle in play(choice, 1, budget, 3, None).cycles {
                let planned: usize = cycle.plans.iter().map(|plan| plan.0.len()).sum();
                assert!(planned <= budget as usize, "{choice} overspent");
            }
        }
    }
}

#[test]
fn spends_the_whole_budget_while_pages_are_due() {
    for choice in &choices() {
        for cycle in play(choice, 1, 7, 5, None).cycles {
            assert_eq!(cycle.log.len(), 7, "{choice} left budget unspent");
        }
    }
}

#[test]
fn visits_no_page_twice_in_a_cycle() {
    for choice in &choices() {
        for cycle in play(choice, 1, 100, 5, None).cycles {
            let visits: Vec<_> = cycle.plans.iter().flat_map(|plan| &plan.0).collect();
            let pages: BTreeSet<_> = visits.iter().map(|visit| visit.page).collect();
            assert_eq!(pages.len(), visits.len(), "{choice} planned a page twice");
        }
    }
}

#[test]
fn visits_no_page_that_is_gone() {
    for choice in &choices() {
        let played = play(choice, 1, 100, 6, None);
        assert!(played.states.last().unwrap().contains(&State::Gone), "no page went");
        for (cycle, states) in played.cycles.iter().zip(&played.states) {
            for visit in cycle.plans.iter().flat_map(|plan| &plan.0) {
                assert_ne!(states[visit.page.index()], State::Gone, "{choice}");
            }
        }
    }
}

#[test]
fn same_seed_same_plans() {
    for choice in &choices() {
        let (once, again) = (play(choice, 9, 10, 6, None), play(choice, 9, 10, 6, None));
        assert_eq!(once.plans(), again.plans(), "{choice} is not deterministic");
    }
}

#[test]
fn another_seed_makes_other_plans_exactly_where_chance_is_used() {
    for choice in &choices() {
        let (one, other) = (play(choice, 1, 10, 6, None), play(choice, 2, 10, 6, None));
        assert_eq!(one.plans() != other.plans(), choice.uses_chance(), "{choice}");
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
        let choice = Choice::parse(word).unwrap();
        let lived = play(&choice, 9, 30, 40, None);
        for rebuilt in [22, 33] {
            let again = play(&choice, 9, 30, 40, Some(rebuilt));
            assert_eq!(again.plans(), lived.plans(), "{word} {rebuilt}");
        }
    }
}

#[test]
fn rebuilt_from_the_log_plans_the_same() {
    for choice in &choices() {
        for rebuilt in 1..6 {
            let lived = play(choice, 9, 10, 6, None);
            let rebuilt = play(choice, 9, 10, 6, Some(rebuilt));
            assert_eq!(rebuilt.plans(), lived.plans(), "{choice} keeps more than the log");
        }
    }
}
