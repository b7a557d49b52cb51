//! Dead links: pages that were never held and are not found. They are told from pages that are gone, and
//! take little of a budget, whatever the policy plans.
use crawl::testing::{Site, day, fails, shows};
use crawl::{Answer, Known, Outcome, PageNo, State, Time};

/// Every page is there but those whose name begins with "dead".
fn site() -> Site {
    let dead: Vec<(String, Option<Time>)> =
        (0..60).map(|n| (format!("dead {n:02}"), None)).collect();
    let mut site = Site::new(move |address, _| {
        let links: Vec<(&str, Option<Time>)> =
            dead.iter().map(|(link, date)| (link.as_str(), *date)).collect();
        match address {
            "a" => shows("text", &links),
            address if address.starts_with("dead") => vec![Answer::Missing],
            _ => shows("text", &[]),
        }
    })
    .planning(|known, budget, _| known.due().take(budget.0 as usize).collect());
    site.revisits_gone = true;
    site
}

fn dead(site: &Site) -> Vec<PageNo> {
    let is_dead = |page: &PageNo| site.pages.address(*page).starts_with("dead");
    site.pages.numbers().filter(is_dead).collect()
}

#[test]
fn a_page_never_held_that_is_not_found_is_missing_and_never_gone() {
    let mut site = site();
    site.cycle(1, 100).unwrap();
    let page = dead(&site)[0];
    for number in [9, 40, 120] {
        let cycle = site.cycle(number, 100).unwrap();
        let of_page = cycle.log.iter().find(|seen| seen.page == page).unwrap();
        assert_eq!(of_page.outcome, Outcome::Missing, "day {number}");
        assert_ne!(site.pages.state(page), State::Gone);
        assert_eq!(site.pages.record(page).state_name(), "missing");
    }
    let live = site.pages.find("a").unwrap();
    assert_eq!(site.pages.record(live).state_name(), "held");
}

#[test]
fn a_dead_link_is_checked_after_a_day_and_then_twice_as_late_each_time() {
    let mut site = site();
    site.cycle(1, 100).unwrap();
    let page = dead(&site)[0];
    let is_due = |site: &Site, day: Time| {
        let known = Known { revisits_gone: true, ..Known::new(day, &site.pages, &site.links) };
        known.is_due(page)
    };
    assert!(!is_due(&site, Time::from_millis(day(2).millis() - 60_000)));
    assert!(is_due(&site, day(3)));
    site.cycle(3, 100).unwrap();
    assert!(!is_due(&site, day(4)));
    assert!(is_due(&site, day(6)));
    for number in (10..400).step_by(60) {
        site.cycle(number, 100).unwrap();
    }
    // Eight weeks at most.
    assert!(!is_due(&site, day(370 + 55)));
    assert!(is_due(&site, day(370 + 57)));
}

#[test]
fn dead_links_take_their_share_of_a_budget_and_no_more_whatever_the_policy_plans() {
    // This policy would visit all of them: it takes what is due, and these are due for long.
    let mut site = site();
    site.recheck_share = Some(0.1);
    site.cycle(1, 100).unwrap();
    let rechecks = |cycle: &crawl::Cycle| {
        cycle.log.iter().filter(|seen| seen.outcome == Outcome::Missing).count()
    };
    assert_eq!(rechecks(&site.cycle(20, 30).unwrap()), 3);
    site.recheck_share = Some(0.0);
    assert_eq!(rechecks(&site.cycle(50, 30).unwrap()), 0);
    site.recheck_share = None;
    assert_eq!(rechecks(&site.cycle(100, 30).unwrap()), 27);
}

#[test]
fn fractions_of_a_visit_to_dead_links_add_up_over_cycles() {
    let mut site = site();
    site.recheck_share = Some(0.02);
    site.cycle(1, 100).unwrap();
    let mut rechecks = 0;
    for number in 0..10 {
        let cycle = site.cycle(100 + 60 * number, 20).unwrap();
        rechecks += cycle.log.iter().filter(|seen| seen.outcome == Outcome::Missing).count();
    }
    // 2 % of 200 visits.
    assert_eq!(rechecks, 4);
}

#[test]
fn a_resumed_crawl_does_not_ask_again_for_what_it_has_just_asked() {
    let mut site = Site::new(|address, _| match address {
        "a" => shows("text", &[("d", None), ("e", None)]),
        "d" => vec![Answer::Missing],
        "e" => fails(),
        _ => shows("text", &[]),
    });
    site.revisits_gone = true;
    site.follow(100).unwrap();
    let first = site.world.requested.len();
    site.follow(100).unwrap();
    assert_eq!(site.world.requested.len(), first);
    // A seed that failed is tried again: perhaps someone has put right what was wrong.
    site.seeds = vec![site.pages.find("e").unwrap()];
    site.follow(100).unwrap();
    assert_eq!(site.world.requested[first..], ["e"]);
}
