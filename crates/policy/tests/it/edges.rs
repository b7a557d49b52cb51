//! Webs at the edges of what is possible, for the policies that look at searchers or allocate.
use crawl::{
    Budget, Instruments, Known, Links, Observation, Outcome, PageNo, Pages, Plan, Policy, Reason,
    Span, Time,
};
use proptest::prelude::*;

use instruments::impact::Impact;
use policy::{Allocated, Objective, PageDemand, PolicySpec, UserCentric};

const WORDS: &[&str] = &[
    "user-centric",
    "user-centric:mean=sums",
    "user-centric:mean=decayed",
    "user-centric-index",
    "user-centric-index:loss=linear",
    "staleness-based",
    "staleness-based:threshold=0.5",
    "embarrassment-based",
    "embarrassment-based:clicks=seen",
    "age-based",
];

fn day(day: i64) -> Time {
    Time::from_millis(0) + Span::from_days(day)
}

/// The outcome of a visit to a page on a day.
#[derive(Clone, Copy, Debug)]
struct Visited {
    page: u32,
    day: i64,
    outcome: Outcome,
    impact: Option<f32>,
}

/// `count` pages, on `hosts` hosts in turn.
fn pages(count: u32, hosts: u32) -> Pages {
    let mut pages = Pages::default();
    for number in 0..count {
        pages.insert(&format!("https://{}.example/{number:05}", number % hosts), day(0));
    }
    pages
}

/// Applies visits to the pages and the policy.
fn play(pages: &mut Pages, policy: &mut dyn Policy, visits: &[Visited]) {
    for &Visited { page, day: at, outcome, impact } in visits {
        let (page, at) = (PageNo(page), day(at));
        let since = pages.last_seen(page).map(|then| at - then);
        pages.apply(page, at, outcome);
        policy.learn(&Observation {
            reason: if since.is_none() { Reason::First } else { Reason::Refresh },
            since,
            impact,
            ..Observation::new(page, pages.host(page), at, outcome)
        });
    }
}

/// A plan on day 50 of weekly cycles. No score may be NaN, with or without a cycle interval.
fn plan(policy: &mut dyn Policy, pages: &Pages, exposures: &[f32], budget: Budget) -> Plan {
    let links = Links::default();
    let instruments = &Instruments::default().with(Impact::fixed(exposures.to_vec()));
    let mut made = |interval| {
        let known = Known { interval, instruments, ..Known::new(day(50), pages, &links) };
        let plan = policy.plan(&known, budget);
        assert!(plan.0.iter().all(|visit| !visit.score.is_nan()), "{} {plan:?}", policy.name());
        plan
    };
    made(None);
    made(Some(Span::from_days(7)))
}

/// The pages of a plan, in order.
fn order(plan: &Plan) -> Vec<u32> {
    plan.0.iter().map(|visit| visit.page.0).collect()
}

fn made() -> impl Iterator<Item = Box<dyn Policy>> {
    WORDS.iter().map(|word| PolicySpec::parse(word).unwrap().make(1))
}

#[test]
fn an_empty_web_has_empty_plans() {
    for mut policy in made() {
        for budget in [Budget(0), Budget(10), Budget::UNLIMITED] {
            assert_eq!(plan(policy.as_mut(), &Pages::default(), &[], budget), Plan::default());
        }
    }
}

#[test]
fn one_page_is_visited_whatever_is_known_of_it() {
    let first = Visited { page: 0, day: 0, outcome: Outcome::First, impact: Some(0.5) };
    let again = Visited { day: 3, outcome: Outcome::Changed(0.5), ..first };
    for visits in [&[][..], &[first], &[first, again]] {
        for exposures in [&[][..], &[0.0], &[1.0]] {
            for mut policy in made() {
                let mut pages = pages(1, 1);
                play(&mut pages, policy.as_mut(), visits);
                assert_eq!(order(&plan(policy.as_mut(), &pages, exposures, Budget(5))), [0]);
            }
        }
    }
}

#[test]
fn a_budget_larger_than_the_web_visits_every_page_once() {
    for mut policy in made() {
        let mut pages = pages(30, 4);
        let visit = |page| Visited { page, day: 1, outcome: Outcome::First, impact: None };
        play(&mut pages, policy.as_mut(), &(0..20).map(visit).collect::<Vec<_>>());
        for budget in [Budget(30), Budget(31), Budget::UNLIMITED] {
            let mut order = order(&plan(policy.as_mut(), &pages, &[0.1; 7], budget));
            order.sort_unstable();
            assert!(order.into_iter().eq(0..30));
        }
    }
}

#[test]
fn ten_thousand_like_pages_go_by_turns() {
    for mut policy in made() {
        let mut pages = pages(10_000, 1);
        let visits = |at, outcome, impact| {
            (0..10_000).map(move |page| Visited { page, day: at, outcome, impact })
        };
        let all: Vec<Visited> =
            visits(0, Outcome::First, None).chain(visits(3, Outcome::Same, Some(1e-4))).collect();
        play(&mut pages, policy.as_mut(), &all);
        let plan = plan(policy.as_mut(), &pages, &vec![1e-4; 10_000], Budget(100));
        assert!(order(&plan).into_iter().eq(0..100), "{}", policy.name());
    }
}

#[test]
fn told_policies_keep_to_the_edges_too() {
    let mut pages = pages(3, 1);
    let visit = |page| Visited { page, day: 1, outcome: Outcome::First, impact: None };
    let ids: Vec<_> = pages.numbers().map(|page| pages.id(page)).collect();
    let given =
        |rate_per_day, weight| ids.iter().map(move |&id| (id, PageDemand { rate_per_day, weight }));
    let mut policies: Vec<Box<dyn Policy>> = vec![
        Box::new(UserCentric::with_values(vec![])),
        Box::new(UserCentric::with_values(ids.iter().map(|&id| (id, 0.0)).collect())),
        Box::new(Allocated::with_demands(Objective::Freshness, vec![])),
        Box::new(Allocated::with_demands(Objective::Age, given(0.0, 1.0).collect())),
        Box::new(Allocated::with_demands(Objective::Freshness, given(1.0, 0.0).collect())),
        Box::new(Allocated::with_demands(Objective::Age, given(f64::INFINITY, 1.0).collect())),
        Box::new(Allocated::with_demands(Objective::Freshness, given(1e300, 1e300).collect())),
    ];
    play(&mut pages, &mut UserCentric::with_values(vec![]), &[0, 1, 2].map(visit));
    for policy in &mut policies {
        assert_eq!(order(&plan(policy.as_mut(), &pages, &[], Budget(2))), [0, 1]);
        assert_eq!(plan(policy.as_mut(), &Pages::default(), &[], Budget(2)), Plan::default());
    }
}

/// Any visit to one of twelve pages; `day` is the time since the visit before.
fn visited() -> impl Strategy<Value = Visited> {
    let outcome = prop_oneof![
        Just(Outcome::Same),
        (0.001..=1.0_f32).prop_map(Outcome::Changed),
        Just(Outcome::Gone),
        Just(Outcome::Failed),
        Just(Outcome::Missing),
    ];
    let impact = prop::option::of(prop_oneof![Just(0.0), -1e-3..1.0_f32, Just(1e-30)]);
    (0..12_u32, 0..4_i64, outcome, impact).prop_map(|(page, day, outcome, impact)| Visited {
        page,
        day,
        outcome,
        impact,
    })
}

proptest! {
    #[test]
    fn whatever_is_seen_no_score_is_undefined_and_the_budget_is_spent(
        mut visits in prop::collection::vec(visited(), 0..60),
        exposures in prop::collection::vec(prop_oneof![Just(0.0), 0.0..1.0_f32], 0..12),
        budget in 1..15_u32,
    ) {
        let (mut at, mut seen) = (0, [false; 12]);
        for visit in &mut visits {
            at = (at + visit.day).min(49);
            visit.day = at;
            let says_something = !matches!(visit.outcome, Outcome::Failed | Outcome::Missing);
            if says_something && !std::mem::replace(&mut seen[visit.page as usize], true) {
                visit.outcome = Outcome::First;
            }
        }
        for mut policy in made() {
            let mut pages = pages(12, 3);
            play(&mut pages, policy.as_mut(), &visits);
            let links = Links::default();
            let due = Known::new(day(50), &pages, &links).due().count();
            let plan = plan(policy.as_mut(), &pages, &exposures, Budget(budget));
            prop_assert_eq!(plan.0.len(), due.min(budget as usize));
        }
    }
}
