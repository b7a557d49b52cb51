//! Discovery policies on a small growing web, over whole cycles.
use std::{collections::BTreeSet, sync::Arc};

use crawl::{
    Answer, Arrival, Budget, Capture, Crawl, Cycle, Digest, Fingerprints, Form, Known, Link,
    LinkList, Links, MemoryRepository, Outcome, PageNo, Pages, Reason, Repository, Request, Result,
    Snapshot, Span, State, Time, World,
};
use extract::detect::TextDigest;
use policy::PolicySpec;

const DAY: Span = Span::from_days(1);
/// Pages that never change and have no links.
const STILL: u32 = 60;
const NAMES: &[&str] = &[
    "od-1",
    "od-win",
    "od-all",
    "cliq-1",
    "cliq-win",
    "cov",
    "bandit",
    "breadth-first",
    "hub-interval",
    "od-1:interval=1",
    "od-win:interval=3:decay=0.8",
    "cliq-1:interval=2:eps=0.2",
    "cov:interval=6",
    "hub-interval:interval=2",
];

fn start() -> Time {
    Time::from_millis(0)
}

/// Every day from the first on has two new articles, `/d/DAY/a` and `/d/DAY/b`. The list and its mirror
/// link to the first one, which links to the second; the sitemap links to both. `/d/DAY/a` is gone on the
/// fifth day after. `/still/N` and the front page never link to anything new.
struct Growing {
    now: Time,
}

impl Growing {
    fn day(&self) -> i64 {
        (self.now - start()).millis() / DAY.millis()
    }

    fn snapshot(&self, path: &str) -> Option<Arc<Snapshot>> {
        let today = self.day();
        let last = (today - 3).max(1)..=today;
        let links: Vec<String> = match path {
            "/" => ["/list", "/mirror", "/sitemap.xml"]
                .map(str::to_owned)
                .into_iter()
                .chain((0..STILL).map(|number| format!("/still/{number:02}")))
                .collect(),
            "/list" | "/mirror" => last.map(|day| format!("/d/{day:03}/a")).collect(),
            "/sitemap.xml" => {
                last.flat_map(|day| [format!("/d/{day:03}/a"), format!("/d/{day:03}/b")]).collect()
            }
            article => match article.strip_prefix("/d/").map(|rest| rest.split_at(3)) {
                Some((day, "/a")) => {
                    let day: i64 = day.parse().unwrap();
                    if today >= day + 5 {
                        return None;
                    }
                    vec![format!("/d/{day:03}/b")]
                }
                _ => vec![],
            },
        };
        let text = Digest::from_bytes(links.concat().as_bytes());
        let link = |path: &String| Link::to(format!("https://a.example{path}"));
        Some(Arc::new(Snapshot {
            form: Form::Html,
            fingerprints: Fingerprints { body: text, text, ..Fingerprints::default() },
            counts: crawl::Counts::default(),
            links: Arc::new(LinkList::new(links.iter().map(link).collect())),
            ..Snapshot::default()
        }))
    }
}

impl World for Growing {
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
            let path = request.address.strip_prefix("https://a.example").unwrap();
            let answer = self.snapshot(path).map_or(Answer::Gone, Answer::Content);
            arrive(Arrival::Capture(Capture::new(request.page, self.now, answer)))?;
        }
        Ok(())
    }
}

/// The result of a crawl.
struct RunOutcome {
    cycles: Vec<Cycle>,
    pages: Pages,
}

impl RunOutcome {
    /// The paths visited for discovery in a cycle, in order.
    fn looks(&self, cycle: usize) -> Vec<&str> {
        let visits = self.cycles[cycle].plans.iter().flat_map(|plan| &plan.0);
        let looks = visits.filter(|visit| visit.reason == Reason::Discover);
        looks.map(|visit| &self.pages.address(visit.page)["https://a.example".len()..]).collect()
    }

    /// How many articles of some days were visited on the day they appeared.
    fn in_time(&self, days: std::ops::Range<usize>) -> usize {
        let firsts = |day: usize| {
            let today = format!("https://a.example/d/{day:03}/");
            let visits = self.cycles[day].plans.iter().flat_map(|plan| &plan.0);
            visits.filter(|visit| self.pages.address(visit.page).starts_with(&today)).count()
        };
        days.map(firsts).sum()
    }
}

/// Crawls with everything of day 0 held, one cycle a day. Before cycle `rebuilt` the policy is replaced by
/// a new one that replays the log.
fn play(spec: &PolicySpec, seed: u64, budget: u32, days: u32, rebuilt: Option<u32>) -> RunOutcome {
    let mut pages = Pages::default();
    for path in ["/", "/list", "/mirror", "/sitemap.xml"] {
        pages.insert(&format!("https://a.example{path}"), start());
    }
    for number in 0..STILL {
        pages.insert(&format!("https://a.example/still/{number:02}"), start());
    }
    let repository = MemoryRepository::default();
    let mut crawl = Crawl {
        interval: Some(DAY),
        pages,
        ..Crawl::new(Growing { now: start() }, spec.make(seed), repository, Arc::new(TextDigest))
    };
    let mut cycles = vec![Cycle::default()];
    for number in 0..days {
        if rebuilt == Some(number) {
            let mut policy = spec.make(seed);
            crawl.repository.replay(&mut |seen| policy.learn(seen)).unwrap();
            crawl.policy = policy;
        }
        crawl.cycles = number;
        crawl.world.wait_until(start() + DAY.times(i64::from(number)));
        if number == 0 {
            crawl.hold_linked().unwrap();
        } else {
            cycles.push(crawl.cycle(Budget(budget), &mut |_| {}).unwrap());
        }
    }
    RunOutcome { cycles, pages: crawl.pages }
}

fn played(word: &str, budget: u32, days: u32) -> RunOutcome {
    play(&PolicySpec::parse(word).unwrap(), 1, budget, days, None)
}

#[test]
fn rebuilt_from_the_log_plans_the_same_in_a_growing_web() {
    for word in NAMES {
        let spec = PolicySpec::parse(word).unwrap();
        let lived = play(&spec, 3, 15, 14, None);
        for rebuilt in 1..14 {
            let again = play(&spec, 3, 15, 14, Some(rebuilt));
            for (cycle, (lived, again)) in lived.cycles.iter().zip(&again.cycles).enumerate() {
                assert_eq!(lived.plans, again.plans, "{word}, rebuilt {rebuilt}, cycle {cycle}");
            }
        }
    }
}

#[test]
fn the_budget_is_spent_and_what_is_found_is_visited_in_the_same_cycle() {
    for word in NAMES {
        let played = played(word, 40, 14);
        for (day, cycle) in played.cycles.iter().enumerate().skip(1) {
            assert_eq!(cycle.log.len(), 40, "{word}");
            let found: BTreeSet<PageNo> =
                cycle.log.iter().flat_map(|seen| seen.leads.iter().copied()).collect();
            let visited: BTreeSet<PageNo> = cycle.log.iter().map(|seen| seen.page).collect();
            // What the last visit of a cycle finds has to wait.
            let late = found.difference(&visited).count();
            assert!(late <= 2, "{word} on day {day}: {late} wait");
        }
    }
}

#[test]
fn no_page_is_ever_found_under_two_numbers_and_none_that_is_gone_is_looked_at() {
    for word in NAMES {
        let played = played(word, 40, 16);
        let mut gone: BTreeSet<PageNo> = BTreeSet::new();
        for seen in played.cycles.iter().flat_map(|cycle| &cycle.log) {
            assert!(!gone.contains(&seen.page), "{word}");
            if seen.outcome == Outcome::Gone {
                gone.insert(seen.page);
            }
        }
        let firsts = played.cycles.iter().flat_map(|cycle| &cycle.log);
        let firsts: Vec<PageNo> =
            firsts.filter(|seen| seen.reason == Reason::First).map(|seen| seen.page).collect();
        assert_eq!(firsts.iter().collect::<BTreeSet<_>>().len(), firsts.len(), "{word}");
    }
}

#[test]
fn without_first_visits_none_is_planned() {
    let mut pages = Pages::default();
    for path in ["/", "/list", "/new"] {
        pages.insert(&format!("https://a.example{path}"), start());
    }
    for page in [PageNo(0), PageNo(1)] {
        pages.apply(page, start(), Outcome::First);
    }
    let links = Links::default();
    let known = Known { plans_first_visits: false, ..Known::new(start() + DAY, &pages, &links) };
    for word in NAMES {
        let mut policy = PolicySpec::parse(word).unwrap().make(1);
        let plan = policy.plan(&known, Budget(9));
        // A hub is visited before the other page, in a plan of its own.
        assert_eq!(plan.0.len(), if word.starts_with("hub") { 1 } else { 2 }, "{word}");
        assert!(plan.0.iter().all(|visit| visit.reason == Reason::Discover), "{word}");
        let plan = policy.plan(&Known { plans_first_visits: true, ..known }, Budget(9));
        let firsts = plan.0.iter().filter(|visit| visit.reason == Reason::First);
        let is_new = |page: PageNo| pages.state(page) == State::Linked;
        assert!(firsts.clone().all(|visit| is_new(visit.page)), "{word}");
        assert!(word.starts_with("hub") || firsts.count() == 1, "{word}");
    }
}

#[test]
fn a_full_recrawl_takes_as_many_cycles_as_it_needs_and_then_what_led_to_most_comes_first() {
    // 64 pages held, thirty visits a day: begun on day 1, three days with the first visits. The
    // articles of these days are held from then on, and were not at its start.
    let played = played("od-1:interval=8", 30, 10);
    let at_start: BTreeSet<&str> = (1..=3).flat_map(|day| played.looks(day)).collect();
    assert!((0..STILL).all(|number| at_start.contains(format!("/still/{number:02}").as_str())));
    // Those that led to articles in it, and before all others.
    for day in 5..8 {
        let first: BTreeSet<&str> = played.looks(day).into_iter().take(3).collect();
        assert!(first.contains("/sitemap.xml"), "{first:?} on day {day}");
        assert!(!first.iter().any(|path| path.starts_with("/still")), "{first:?} on day {day}");
    }
    // On day 9 the second begins with the pages not seen for longest.
    let score = |day: usize| {
        let visits = played.cycles[day].plans.iter().flat_map(|plan| &plan.0);
        visits.filter(|visit| visit.reason == Reason::Discover).map(|visit| visit.score).next()
    };
    assert!(score(8).unwrap() > 0.0);
    assert!(score(9).unwrap().abs() < 1e-12);
}

#[test]
fn of_pages_that_lead_to_the_same_a_group_and_a_cover_take_one() {
    // With all visited on day 1, list, mirror and sitemap all reached both articles.
    for word in ["cliq-1:interval=8", "cov:interval=8"] {
        let played = played(word, 90, 5);
        for day in 2..5 {
            let plans = played.cycles[day].plans.iter().flat_map(|plan| &plan.0);
            let expected: Vec<f64> = plans
                .filter(|visit| visit.score > 0.0 && visit.reason == Reason::Discover)
                .map(|visit| visit.score)
                .collect();
            assert_eq!(expected, [1.0], "{word} on day {day}");
            assert_eq!(played.looks(day)[0], "/list", "{word}");
        }
    }
}

#[test]
fn history_and_bandit_find_articles_in_time_on_a_budget_that_breadth_first_does_not() {
    // Eight visits a day for sixty-odd pages and two articles a day.
    let in_time = |word: &str| played(word, 8, 60).in_time(30..60);
    let baseline = in_time("breadth-first");
    assert!(baseline < 30, "{baseline}");
    for word in ["bandit", "od-all", "hub-interval"] {
        assert!(in_time(word) >= 50, "{word}: {} of 60", in_time(word));
    }
}

#[test]
fn the_bandit_leaves_mirrors_alone_for_what_one_of_them_shows() {
    let played = played("bandit", 8, 60);
    let hubs = ["/list", "/mirror", "/sitemap.xml"];
    let looks = (30..60).flat_map(|day| played.looks(day));
    let count = looks.filter(|path| hubs.contains(path)).count();
    // One of the three would do on each of thirty days; all three would be ninety visits.
    assert!((28..60).contains(&count), "{count}");
}

#[test]
fn hubs_are_looked_at_at_their_interval() {
    let played = played("hub-interval:interval=3", 8, 14);
    let days: Vec<usize> =
        (1..14).filter(|&day| played.looks(day).contains(&"/sitemap.xml")).collect();
    // On day 1 it is among the first of many pages seen on day 0, by its address; after that it is visited
    // every third cycle.
    assert_eq!(days, [1, 4, 7, 10, 13]);
}
