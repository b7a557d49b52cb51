//! Fragments against a simple model, over restarts, and with hostile pages.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crawl::{HostNo, Links, Pages, Time};
use proptest::prelude::*;

use super::*;

const PAGES: u32 = 8;

/// A visit: the page, and the runs that it finds; `None` where the page is gone.
type Visit = (u32, Option<Vec<u32>>);

fn pages() -> Pages {
    let mut pages = Pages::default();
    for page in 0..PAGES {
        pages.insert(&format!("https://a.org/{}/{page}", page % 2), Time::from_millis(0));
    }
    pages
}

fn snapshot(runs: &[u32]) -> Arc<Snapshot> {
    Arc::new(Snapshot { runs: runs.into(), ..Snapshot::default() })
}

fn begin(fragments: &mut Fragments, pages: &Pages) -> bool {
    let links = Links::default();
    fragments.begin_cycle(&CycleStart { pages, links: &links, has_plans: true })
}

fn visit(fragments: &mut Fragments, pages: &Pages, (page, runs): &Visit) -> bool {
    let page = PageNo(*page);
    let new = runs.as_deref().map(snapshot);
    let held = fragments.of_page(page).to_vec();
    let outcome = match &new {
        None => Outcome::Gone,
        Some(_) if held.is_empty() => Outcome::First,
        Some(new) if fragments.choose(new) == held => Outcome::Same,
        Some(_) => Outcome::Changed(1.0),
    };
    let recorded = fragments.visited(&Visited {
        page,
        host: HostNo(0),
        address: pages.address(page),
        at: Time::from_millis(0),
        outcome,
        new: new.as_ref(),
        shows_new_link: false,
        cost: crawl::Cost::default(),
    });
    recorded.unwrap().has_new_state
}

/// What fragments must be, computed from sets.
#[derive(Default)]
struct Model {
    pages: BTreeMap<u32, BTreeSet<u32>>,
    dead: BTreeMap<u32, (u32, u32)>,
}

impl Model {
    fn holders(&self, fragment: u32) -> usize {
        self.pages.values().filter(|held| held.contains(&fragment)).count()
    }

    fn visit(&mut self, page: u32, now: Option<BTreeSet<u32>>) {
        let held = self.pages.get(&page).cloned().unwrap_or_default();
        let is_gone = now.is_none();
        let now = now.unwrap_or_default();
        for fragment in &held {
            if now.contains(fragment) {
                if let Some((_, stayed)) = self.dead.get_mut(fragment) {
                    *stayed += 1;
                }
            } else if !is_gone && (self.holders(*fragment) >= 3 || self.dead.contains_key(fragment))
            {
                self.dead.entry(*fragment).or_default().0 += 1;
            }
        }
        for fragment in now.difference(&held) {
            self.dead.remove(fragment);
        }
        self.pages.insert(page, now);
        let gone: Vec<u32> =
            self.dead.keys().copied().filter(|fragment| self.holders(*fragment) == 0).collect();
        for fragment in gone {
            self.dead.remove(&fragment);
        }
    }
}

fn a_visit() -> impl Strategy<Value = Visit> {
    let runs = prop::collection::vec(0..6_u32, 0..7);
    (0..PAGES, prop::option::weighted(0.9, runs))
}

/// Cycles in which a page is visited at most once.
fn cycles() -> impl Strategy<Value = Vec<Vec<Visit>>> {
    let cycle = prop::collection::vec(a_visit(), 0..8).prop_map(|visits| {
        let mut seen = BTreeSet::new();
        visits.into_iter().filter(|visit| seen.insert(visit.0)).collect::<Vec<_>>()
    });
    prop::collection::vec(cycle, 1..8)
}

proptest! {
    #[test]
    fn births_and_deaths_are_those_of_a_simple_model(visits in prop::collection::vec(a_visit(), 0..60)) {
        let pages = pages();
        let (mut fragments, mut model) = (Fragments::default(), Model::default());
        begin(&mut fragments, &pages);
        for one in &visits {
            let now = one.1.as_deref().map(|runs| fragments.choose(&snapshot(runs)));
            visit(&mut fragments, &pages, one);
            model.visit(one.0, now.map(|now| now.into_iter().collect()));
            for page in 0..PAGES {
                let held: BTreeSet<u32> = fragments.of_page(PageNo(page)).iter().copied().collect();
                prop_assert_eq!(&held, &model.pages.get(&page).cloned().unwrap_or_default());
                for fragment in held {
                    let frequency = fragments.document_frequency(fragment);
                    prop_assert_eq!(frequency, model.holders(fragment));
                }
            }
            let dead: BTreeMap<u32, (u32, u32)> =
                fragments.dead.iter().map(|(key, death)| (*key, (death.gone, death.stayed))).collect();
            prop_assert_eq!(&dead, &model.dead);
            let all = fragments.all_evidence(PAGES as usize);
            for page in (0..PAGES).map(PageNo) {
                prop_assert_eq!(all[page.index()], fragments.evidence(page));
            }
        }
    }

    #[test]
    fn a_crash_at_any_visit_loses_nothing(cycles in cycles(), last in 0..8_usize) {
        let pages = pages();
        let mut fragments = Fragments::default();
        let (mut whole, mut stored) = (vec![], BTreeMap::new());
        let count = cycles.len();
        for (number, cycle) in cycles.iter().enumerate() {
            if begin(&mut fragments, &pages) {
                whole = fragments.state();
            }
            let is_last = number + 1 == count;
            let made = if is_last { last.min(cycle.len()) } else { cycle.len() };
            for one in &cycle[..made] {
                if one.1.is_none() && is_last {
                    continue;
                }
                if visit(&mut fragments, &pages, one) {
                    stored.insert(one.0, fragments.page_state(PageNo(one.0)).unwrap());
                } else {
                    stored.remove(&one.0);
                }
            }
        }
        let mut restored = Fragments::default();
        restored.restore(&whole);
        for (page, state) in &stored {
            prop_assert!(restored.restore_page(PageNo(*page), Saved::State(state)));
        }
        begin(&mut restored, &pages);
        begin(&mut fragments, &pages);
        prop_assert_eq!(restored.state(), fragments.state());
        for page in (0..PAGES).map(PageNo) {
            prop_assert_eq!(restored.of_page(page), fragments.of_page(page));
            prop_assert_eq!(restored.evidence(page), fragments.evidence(page));
        }
    }
}

#[test]
fn a_paragraph_that_one_page_lost_makes_the_others_suspect() {
    let pages = pages();
    let mut fragments = Fragments::default();
    begin(&mut fragments, &pages);
    // Menu 1 2, then a paragraph of its own; pages 0, 2, 4, 6 are one group with too few pages, so that
    // all are in the group of the host.
    for page in 0..4 {
        visit(&mut fragments, &pages, &(page, Some(vec![1, 2, 100 + page])));
    }
    assert_eq!(fragments.evidence(PageNo(1)), Evidence::default());
    visit(&mut fragments, &pages, &(0, Some(vec![1, 3, 100])));
    let evidence = fragments.evidence(PageNo(1));
    assert_eq!(evidence.class, 4);
    assert!((evidence.share - 1.3 / 1.6).abs() < 1e-6);
    assert_eq!(fragments.evidence(PageNo(0)).class, 0);
    // Another page still has the menu: evidence is mixed.
    visit(&mut fragments, &pages, &(2, Some(vec![1, 2, 200])));
    assert_eq!(fragments.evidence(PageNo(1)).class, 3);
    // It comes back: nothing is suspect any more.
    visit(&mut fragments, &pages, &(3, Some(vec![7, 8])));
    visit(&mut fragments, &pages, &(3, Some(vec![1, 2, 103])));
    assert_eq!(fragments.evidence(PageNo(1)).class, 0);
}

#[test]
fn a_damaged_state_is_refused() {
    let mut fragments = Fragments::default();
    assert!(!fragments.restore_page(PageNo(0), Saved::State(&[255, 255, 255])));
    fragments.restore(&[1, 2, 3]);
    assert_eq!(fragments.dead().count(), 0);
}

#[test]
fn hostile_pages_are_bounded() {
    let mut pages = Pages::default();
    for page in 0..2_000 {
        pages.insert(&format!("https://a.org/{page}"), Time::from_millis(0));
    }
    let mut fragments = Fragments::default();
    begin(&mut fragments, &pages);
    // All pages alike, each with the most runs that a reader gives, then all different.
    let alike: Vec<u32> = (0..4_096).collect();
    for page in 0..2_000 {
        visit(&mut fragments, &pages, &(page, Some(alike.clone())));
    }
    for page in 0..2_000 {
        let other: Vec<u32> = (0..4_096).map(|run| 10_000 * (page + 1) + run).collect();
        visit(&mut fragments, &pages, &(page, Some(other)));
    }
    for page in (0..2_000).map(PageNo) {
        assert!(fragments.of_page(page).len() <= MOST_FRAGMENTS);
    }
    assert!(fragments.shared.len() <= 2_000 * MOST_FRAGMENTS);
    assert_eq!(fragments.dead.len(), 0);
}

#[test]
fn fragments_of_the_template_do_not_die_where_they_are_left_out() {
    let mut pages = Pages::default();
    for page in 0..12 {
        pages.insert(&format!("https://a.org/{page}"), Time::from_millis(0));
    }
    // A menu on all pages, and a table on four.
    let runs = |page: u32, menu: u32, table: u32| match page {
        0..4 => vec![menu, menu + 1, 100 + page, table, table + 1],
        _ => vec![menu, menu + 1, 100 + page],
    };
    let dead = |mut fragments: Fragments| {
        (0..12)
            .for_each(|page| _ = visit(&mut fragments, &pages, &(page, Some(runs(page, 1, 10)))));
        begin(&mut fragments, &pages);
        // The menu becomes another on more than half of the pages, then the table does on one.
        (4..11)
            .for_each(|page| _ = visit(&mut fragments, &pages, &(page, Some(runs(page, 5, 10)))));
        begin(&mut fragments, &pages);
        let mut restored = Fragments::default().without_template();
        restored.restore(&fragments.state());
        assert_eq!(restored.template.fragments(), fragments.template.fragments());
        visit(&mut fragments, &pages, &(0, Some(runs(0, 5, 20))));
        fragments.dead().count()
    };
    assert_eq!(dead(Fragments::default()), 2);
    assert_eq!(dead(Fragments::default().without_template()), 1);
}
