//! How long cluster sampling takes to plan a cycle over 300,000 pages.
//!
//! `cargo bench -p policy --bench cluster_plan [pages]`. The pages are synthetic: 300 hosts, texts about 200
//! topics, ten thousand lists of 50 links. In every cycle the visited tenth of the pages changes its features.
//! Prints for each cycle the seconds to update the inputs of features, and those of all plans (the feature
//! table, clustering, samples, the rest). Links stay the same, so that `PageRank` is measured separately: it is
//! computed in cycles with changed links.
#![expect(clippy::disallowed_methods, reason = "a benchmark measures us, with a clock")]

use std::{sync::Arc, time::Instant};

use crawl::{
    Budget, Counts, CycleStart, HostNo, Instruments, Known, Links, Observation, Outcome, PageNo,
    Pages, Policy, Reason, Span, Time,
};
use instruments::features::{ChangeStats, Features, PageFeatures};
use policy::PolicySpec;
use text::counts::WordCounts;
use xxhash_rust::xxh3::xxh3_64_with_seed;

const CYCLE: Span = Span::from_days(7);
const CYCLES: u32 = 5;
const HOSTS: u32 = 300;
const TOPICS: u64 = 200;
const LISTS: u32 = 10_000;

fn main() {
    let asked = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let count: u32 = asked.unwrap_or(300_000);
    let (mut pages, mut features) = (Pages::default(), Features::default());
    for number in 0..count {
        let host = number % HOSTS;
        let topic = draw(number, 0) % TOPICS;
        let address = format!("https://host{host}.example/topic{topic}/{number:07}.html");
        let page = pages.insert(&address, Time::from_millis(0));
        pages.apply(page, Time::from_millis(0), Outcome::First);
        features.insert(page, facts(number, 0));
    }
    let links = links(count);
    let mut instruments = Instruments::default().with(features);
    let mut policy = PolicySpec::parse("cluster-sample").expect("it is a policy").make(1);
    println!("{count} pages, budget {}", count / 10);
    let start = Instant::now();
    let ranks = crawl::page_rank(&pages, &links, &[]);
    println!("PageRank, where links have changed: {:.2} s", start.elapsed().as_secs_f64());
    assert_eq!(ranks.len(), pages.len());
    for cycle in 1..=CYCLES {
        let now = Time::from_millis(0) + CYCLE.times(i64::from(cycle));
        let start = Instant::now();
        let cycle_start = CycleStart { pages: &pages, links: &links, has_plans: true };
        instruments.begin_cycle(&cycle_start);
        let refreshed = start.elapsed().as_secs_f64();
        let (planned, rounds, visited) =
            spend(policy.as_mut(), &mut pages, &links, &instruments, (cycle, now), count / 10);
        let features = instruments.find_mut::<Features>().expect("they are measured");
        for &page in &visited {
            features.insert(page, facts(page.0, cycle));
        }
        println!(
            "cycle {cycle}: {refreshed:.2} s up to date, {planned:.2} s for {rounds} plans, \
             {:.2} s in all, {} visits",
            refreshed + planned,
            visited.len()
        );
    }
}

fn spend(
    policy: &mut dyn Policy,
    pages: &mut Pages,
    links: &Links,
    instruments: &Instruments,
    (cycle, now): (u32, Time),
    budget: u32,
) -> (f64, usize, Vec<PageNo>) {
    let (mut left, mut seconds, mut rounds, mut visited) = (Budget(budget), 0.0, 0, vec![]);
    while left.0 > 0 {
        let known = Known {
            cycle,
            cycle_start: now,
            interval: Some(CYCLE),
            instruments,
            ..Known::new(now, pages, links)
        };
        let start = Instant::now();
        let plan = policy.plan(&known, left);
        seconds += start.elapsed().as_secs_f64();
        rounds += 1;
        left = left.less(plan.0.len());
        for visit in &plan.0 {
            let changed = draw(visit.page.0, u64::from(cycle)).is_multiple_of(3);
            let outcome = if changed { Outcome::Changed(1.0) } else { Outcome::Same };
            pages.apply(visit.page, now, outcome);
            visited.push(visit.page);
            let start = Instant::now();
            policy.learn(&seen(visit.page, now, visit.reason, outcome));
            seconds += start.elapsed().as_secs_f64();
        }
    }
    (seconds, rounds, visited)
}

fn seen(page: PageNo, at: Time, reason: Reason, outcome: Outcome) -> Observation {
    Observation {
        reason,
        since: Some(CYCLE),
        ..Observation::new(page, HostNo(page.0 % HOSTS), at, outcome)
    }
}

fn draw(page: u32, of: u64) -> u64 {
    xxh3_64_with_seed(&page.to_le_bytes(), of)
}

/// The features of a page after a visit in `cycle`.
fn facts(page: u32, cycle: u32) -> PageFeatures {
    let topic = draw(page, 0) % TOPICS;
    let number = |of: u64, most: u64| (draw(page, of + u64::from(cycle) * 100) % most) as u32;
    let word = |place: u64| {
        let of_topic = draw(page, 1_000 + place) % 60;
        if place < 40 { (topic * 60 + of_topic) as u32 } else { (1 << 20) | number(place, 20_000) }
    };
    let counts = Counts {
        words: 200 + number(1, 800),
        images: number(2, 20),
        tables: number(3, 4),
        emails: number(4, 2),
        text_bytes: 1_000 + number(5, 9_000),
    };
    let change = (cycle > 0).then(|| ChangeStats {
        cosine: 1.0 - number(6, 100) as f32 / 1_000.0,
        images: number(7, 3) as i32 - 1,
        tables: 0,
        text_bytes: number(8, 400) as i32 - 200,
        words: number(9, 60) as i32 - 30,
        page_rank: 0.0,
        in_links: 0,
        out_links: number(10, 5) as i32 - 2,
        emails: 0,
    });
    PageFeatures {
        counts,
        out_links: 20 + number(11, 50),
        words: Arc::new(WordCounts::from_terms((0..100).map(word).collect())),
        change,
        ..PageFeatures::default()
    }
}

fn links(count: u32) -> Links {
    let mut links = Links::default();
    for list in 0..LISTS {
        let mut to: Vec<PageNo> =
            (0..50).map(|place| PageNo((draw(list, place) % u64::from(count)) as u32)).collect();
        to.sort_unstable();
        to.dedup();
        links.restore_list(u64::from(list), &to);
    }
    for page in 0..count {
        links.restore_shown(Some(page % LISTS));
    }
    links
}
