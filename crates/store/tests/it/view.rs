//! Reading a data folder.

use crawl::{Allowance, FaultKind, Outcome, Reason, Repository as _, Span, State, Time};
use extract::read::coding;
use store::{CaptureRow, ChangeRow, CycleStart, Options, StoreError, View};

use crate::common::{Home, Reply, Site, answer, day, html, log, on, page};

/// Three days: the front page changes on day 2, "b" fails, "c" is gone on day 3, "d" redirects.
fn rule(address: &str, now: Time) -> Reply {
    let number = (now - day(0)).days() as i64;
    match address.strip_prefix("http://a.example/").unwrap_or_default() {
        "" if number >= 2 => Reply::Tagged(html("new", &["/b", "/c", "/d"])),
        "" => Reply::Tagged(html("old", &["/b", "/c", "/d"])),
        "b" => Reply::Timeout,
        "c" if number >= 3 => Reply::Status(410),
        "c" => Reply::With("X-Robots-Tag: noindex\r\n", html("c", &[])),
        "d" => Reply::Moved("/e"),
        _ => page("<link rel=canonical href=/d>e", &[]),
    }
}

fn start(kind: &str, at: Time) -> CycleStart {
    CycleStart {
        kind: kind.to_owned(),
        policy: "everything".to_owned(),
        detector: "digest".to_owned(),
        budget: Some(Allowance::Visits(1_000)),
        seed: u64::MAX,
        at,
    }
}

fn crawled() -> (Home, Site) {
    let (home, mut site) = (Home::new(), Site::new(rule));
    let mut store = home.open();
    for number in 1..=3 {
        let kind = if number == 1 { "crawl" } else { "refresh" };
        assert_eq!(store.begin_cycle(start(kind, day(number))).unwrap(), number as u32 - 1);
        site.cycle(&mut store, number);
        store.end_cycle(site.world.now, 12_345).unwrap();
    }
    store.finish().unwrap();
    (home, site)
}

fn changes(view: &View, after: Option<u64>) -> Vec<ChangeRow> {
    let mut rows = vec![];
    view.changes(after, |row| {
        rows.push(row);
        Ok::<(), StoreError>(())
    })
    .unwrap();
    rows
}

#[test]
fn totals_count_what_there_is() {
    let (home, site) = crawled();
    let totals = View::open(&home.path()).unwrap().totals().unwrap();
    assert_eq!((totals.held, totals.gone, totals.linked), (3, 1, 1));
    assert_eq!((totals.noindex, totals.canonical_elsewhere), (0, 1));
    assert_eq!((totals.hosts, totals.archive_files), (1, 1));
    assert!(totals.archive_bytes > 1_000);
    assert_eq!(totals.first, Some(Time::from_millis(day(1).millis() + 1)));
    assert_eq!(totals.last, Some(site.world.now));
}

#[test]
fn a_budget_keeps_its_unit() {
    let home = Home::new();
    let mut store = home.open();
    let budgets = [
        None,
        Some(Allowance::Visits(u32::MAX)),
        Some(Allowance::Bytes(20_000_000)),
        Some(Allowance::Time(Span::from_days(2))),
    ];
    for budget in budgets {
        store.begin_cycle(CycleStart { budget, ..start("refresh", day(1)) }).unwrap();
    }
    store.finish().unwrap();
    let cycles = View::open(&home.path()).unwrap().cycles(9).unwrap();
    assert_eq!(cycles.iter().map(|cycle| cycle.budget).collect::<Vec<_>>(), budgets);
    assert_eq!(cycles[3].received, None);
}

#[test]
fn cycles_say_what_came_of_them() {
    let (home, _) = crawled();
    let view = View::open(&home.path()).unwrap();
    let cycles = view.cycles(2).unwrap();
    assert_eq!(cycles.iter().map(|cycle| cycle.no).collect::<Vec<_>>(), [1, 2]);
    let [second, third] = &cycles[..] else { panic!() };
    assert_eq!((second.kind.as_str(), second.seed), ("refresh", u64::MAX));
    assert_eq!(second.started, day(2));
    assert!(second.ended.unwrap() > day(2));
    assert_eq!(second.budget, Some(Allowance::Visits(1_000)));
    assert_eq!(second.received, Some(12_345));
    // "b" has failed twice and is not retried for an hour.
    let outcomes = second.outcomes;
    assert_eq!((outcomes.changed, outcomes.same, outcomes.failed, outcomes.gone), (1, 3, 1, 0));
    assert_eq!((third.outcomes.gone, third.outcomes.same), (1, 3));
    assert_eq!(third.outcomes.visits(), 5);
    assert_eq!(view.cycles(99).unwrap()[0].outcomes.first, 4);
    assert_eq!(view.load().unwrap().cycles, 3);
}

#[test]
fn a_cycle_that_was_interrupted_has_no_end_and_its_number_is_not_used_again() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    let mut store = home.open();
    store.begin_cycle(start("crawl", day(1))).unwrap();
    site.cycle(&mut store, 1);
    drop(store);
    let mut store = home.open();
    assert_eq!(store.load().unwrap().cycles, 1);
    assert_eq!(store.begin_cycle(start("crawl", day(2))).unwrap(), 1);
    drop(store);
    let cycles = View::open(&home.path()).unwrap().cycles(9).unwrap();
    assert_eq!(cycles.iter().map(|cycle| cycle.ended).collect::<Vec<_>>(), [None, None]);
}

#[test]
fn faults_are_counted_by_kind_with_an_example() {
    let (home, _) = crawled();
    let view = View::open(&home.path()).unwrap();
    let faults = view.faults(None).unwrap();
    assert_eq!(faults.len(), 1);
    assert_eq!((faults[0].kind, faults[0].count), (FaultKind::Timeout, 3));
    assert_eq!(faults[0].address, on("b"));
    assert_eq!(faults[0].why, "it took longer than 30 s");
    assert_eq!(view.faults(Some(day(3))).unwrap()[0].count, 1);
    assert_eq!(view.faults(Some(day(4))).unwrap(), []);
}

#[test]
fn a_page_is_shown_with_what_is_held_and_its_visits() {
    let (home, _) = crawled();
    let view = View::open(&home.path()).unwrap();
    assert_eq!(view.page("http://a.example/nowhere").unwrap(), None);
    let front = view.page(&on("")).unwrap().unwrap();
    assert_eq!(
        (front.record.state, front.record.visits, front.record.changes),
        (State::Held, 3, 1)
    );
    let held = front.held.unwrap();
    assert!(held.validators.entity_tag.is_some());
    assert!(held.position.is_some());
    assert_eq!(held.counts.words, 7);
    let visits = view.visits(front.page, 2).unwrap();
    let seen: Vec<_> = visits.iter().map(|visit| (visit.outcome, visit.status)).collect();
    assert_eq!(seen, [(Outcome::Same, Some(304)), (Outcome::Changed(1.0), Some(200))]);
    assert_eq!((visits[0].cycle, visits[0].reason), (Some(2), Reason::Refresh));

    let failed = view.page(&on("b")).unwrap().unwrap();
    assert_eq!((failed.record.state, failed.held), (State::Linked, None));
    let visits = view.visits(failed.page, 9).unwrap();
    assert_eq!(visits.len(), 3);
    assert_eq!(visits[0].fault.as_ref().unwrap().kind, FaultKind::Timeout);
    assert_eq!((visits[0].status, visits[0].position.as_ref()), (None, None));
}

#[test]
fn changes_come_in_the_order_of_the_log_with_what_was_and_what_is() {
    let (home, _) = crawled();
    let view = View::open(&home.path()).unwrap();
    let rows = changes(&view, None);
    let seen: Vec<_> = rows.iter().map(|row| (row.address.as_str(), row.outcome)).collect();
    let (front, c, d, e) = (on(""), on("c"), on("d"), on("e"));
    assert_eq!(
        seen,
        [
            (front.as_str(), Outcome::First),
            (c.as_str(), Outcome::First),
            (d.as_str(), Outcome::First),
            (e.as_str(), Outcome::First),
            (front.as_str(), Outcome::Changed(1.0)),
            (c.as_str(), Outcome::Gone),
        ]
    );
    let (first, changed, gone) = (&rows[0], &rows[4], &rows[5]);
    assert_eq!(first.old, None);
    assert_eq!(changed.old, first.new);
    assert_eq!(changed.before, Some(first.at));
    let new = changed.new.as_ref().unwrap();
    assert_ne!(new.text, first.new.as_ref().unwrap().text);
    assert_ne!(new.payload, first.new.as_ref().unwrap().payload);
    assert_eq!(gone.old, rows[1].new);
    assert_eq!(gone.new.as_ref().unwrap().status, Some(410));
    assert_eq!(gone.new.as_ref().unwrap().text, None);
    // Continues after a given observation.
    assert_eq!(changes(&view, Some(first.no)), rows[1..]);
    assert_eq!(changes(&view, Some(gone.no)), []);
    // An error of the callback stops it.
    let mut count = 0;
    let stopped = view.changes(None, |_| {
        count += 1;
        Err::<(), StoreError>(StoreError::Stopped)
    });
    assert!(matches!(stopped, Err(StoreError::Stopped)) && count == 1);
}

#[test]
fn captures_come_page_by_page_with_their_bodies_and_the_visit_before() {
    let (home, _) = crawled();
    let view = View::open(&home.path()).unwrap();
    let mut rows: Vec<CaptureRow> = vec![];
    view.captures(|row| {
        rows.push(row);
        Ok::<(), StoreError>(())
    })
    .unwrap();
    let seen: Vec<_> = rows.iter().map(|row| (row.address.clone(), row.status)).collect();
    // Redirects are archived each time.
    let expected = [
        ("", 200),
        ("", 200),
        ("c", 200),
        ("c", 410),
        ("d", 301),
        ("d", 301),
        ("d", 301),
        ("e", 200),
    ];
    assert_eq!(seen, expected.map(|(path, status)| (on(path), status)));
    let body = |row: &CaptureRow| {
        let body = row.body.as_ref().unwrap();
        let decoded = coding::decode(&body.encoding, &body.bytes, 10_000).unwrap();
        String::from_utf8(decoded.into_owned()).unwrap()
    };
    assert!(body(&rows[0]).contains("old") && body(&rows[1]).contains("new"));
    assert_eq!((rows[0].before, rows[1].before), (None, Some(rows[0].at)));
    assert_eq!(rows[1].mime, "text/html; charset=utf-8");
    assert_eq!(rows[3].body, None);
    // "c" was unchanged on day 2, so it was removed between days 2 and 3.
    assert!(rows[3].before.unwrap() > day(2));
    assert_eq!(rows[4].body.as_ref().unwrap().location.as_deref(), Some("/e"));
    let (first, last) = view.window().unwrap().unwrap();
    assert!(first > day(1) && last > day(3));
}

#[test]
fn what_is_buffered_is_held_before_it_is_written() {
    let mut home = Home::new();
    // Nothing is written before a flush.
    home.options = Options { batch_wait: std::time::Duration::from_hours(1), ..Options::default() };
    let (mut store, site) = (home.open(), Site::new(rule));
    store.set("begun", "yes").unwrap();
    let request = crawl::Request {
        page: site.find(""),
        address: on(""),
        validators: store.validators(site.find("")).unwrap(),
    };
    assert_eq!(request.validators, None);
    let capture = answer(&request, day(1), &rule(&on(""), day(1)));
    let crawl::Answer::Content(new) = capture.answer else { panic!() };
    let mut pages = site.pages.clone();
    pages.apply(request.page, day(1), Outcome::First);
    let host = pages.host(request.page);
    let seen = crawl::Observation {
        reason: Reason::First,
        impact: Some(0.25),
        expected: Some(crawl::Expectation { odds: -1.7, correction: 0.3 }),
        ..crawl::Observation::new(request.page, host, day(1), Outcome::First)
    };
    store
        .append(crawl::LogEntry {
            seen: &seen,
            new: Some(&new),
            states: crawl::States::none(request.page),
            exchange: capture.exchange,
            pages: &pages,
            links: &site.links,
        })
        .unwrap();
    assert_eq!(store.acknowledged(), 0);
    assert_eq!(store.held(request.page).unwrap().unwrap().fingerprints, new.fingerprints);
    let buffered = store.validators(request.page).unwrap().unwrap();
    store.commit().unwrap();
    assert_eq!(store.acknowledged(), 1);
    assert_eq!(store.held(request.page).unwrap().unwrap().fingerprints, new.fingerprints);
    assert_eq!(store.validators(request.page).unwrap(), Some(buffered));
    assert_eq!(log(&store), [seen]);
    let visits = View::open(&home.path()).unwrap().visits(request.page, 9).unwrap();
    assert_eq!(visits[0].impact, Some(0.25));
}

#[test]
fn text_is_read_back_from_the_archive_where_a_detector_needs_it() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    let mut store = home.open();
    site.cycle(&mut store, 1);
    drop(store);
    let store = home.open();
    assert_eq!(store.held(site.find("")).unwrap().unwrap().content, None);
    let front = store.read_held(site.find("")).unwrap().unwrap();
    assert!(!front.runs.is_empty());
    assert!(front.content.as_ref().unwrap().text.starts_with("old"));
    assert_eq!(front.links.links().len(), 3);
    assert_eq!(front.link_texts.len(), 3);
    let moved = store.read_held(site.find("d")).unwrap().unwrap();
    assert_eq!(moved.content.as_ref().unwrap().text, "moved to http://a.example/e");
    assert!(store.held(site.find("c")).unwrap().unwrap().directives.noindex);
}

#[test]
fn following_the_log_step_by_step_comes_to_what_loading_gives() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    let mut store = home.open();
    let (mut followed, mut seen) = (store::Followed::default(), vec![]);
    for number in 1..=3 {
        store.begin_cycle(start("refresh", day(number))).unwrap();
        site.cycle(&mut store, number);
        store.end_cycle(site.world.now, 12_345).unwrap();
        let view = View::open(&home.path()).unwrap();
        view.follow(&mut followed, &mut |pages, number, observation| {
            assert_eq!(number as usize, seen.len() + 1);
            // The pages are as they were before: the visit is not counted yet.
            let is_earlier = |before: &&crawl::Observation| {
                use crawl::Outcome::{Changed, First, Gone, Same};
                before.page == observation.page
                    && matches!(before.outcome, First | Same | Changed(_) | Gone)
            };
            let earlier = seen.iter().filter(is_earlier).count();
            assert_eq!(pages.visits(observation.page) as usize, earlier);
            seen.push(observation.clone());
        })
        .unwrap();
        let loaded = view.load().unwrap().pages;
        assert_eq!(followed.pages().len(), loaded.len());
        for page in loaded.numbers() {
            assert_eq!(followed.pages().record(page), loaded.record(page), "{page:?}");
            assert_eq!(followed.pages().address(page), loaded.address(page));
        }
        assert_eq!(followed.position(), view.position().unwrap());
    }
    let mut all = vec![];
    View::open(&home.path()).unwrap().replay(&mut |each| all.push(each.clone())).unwrap();
    assert_eq!(seen, all);
}

#[test]
fn a_page_is_found_by_number_as_by_address() {
    let (home, site) = crawled();
    let view = View::open(&home.path()).unwrap();
    let found = view.page_numbered(site.find("")).unwrap();
    assert!(found.is_some());
    assert_eq!(found, view.page(&on("")).unwrap());
    assert_eq!(view.page_numbered(crawl::PageNo(u32::MAX)).unwrap(), None);
}

#[test]
fn dead_links_are_counted_apart_and_are_no_deletions_however_the_server_says_it() {
    let home = Home::new();
    let mut site = Site::new(|address, _| match address {
        "http://a.example/" => page("front", &["/never", "/not-any-more", "http://b.example/"]),
        "http://a.example/not-any-more" => Reply::Status(410),
        "http://b.example/" => Reply::Timeout,
        _ => Reply::Status(404),
    });
    let mut store = home.open();
    for number in [1, 9, 40] {
        store.begin_cycle(start("refresh", day(number))).unwrap();
        site.cycle(&mut store, number);
    }
    store.finish().unwrap();
    let view = View::open(&home.path()).unwrap();
    let totals = view.totals().unwrap();
    assert_eq!((totals.held, totals.missing, totals.gone, totals.linked), (1, 2, 0, 1));
    assert!(changes(&view, None).iter().all(|row| row.outcome != Outcome::Gone));
    let outcomes = view.cycles(9).unwrap()[2].outcomes;
    assert_eq!((outcomes.missing, outcomes.gone), (2, 0));
    for path in ["never", "not-any-more"] {
        let page = view.page(&on(path)).unwrap().unwrap();
        assert_eq!(page.record.state_name(), "missing");
    }
    // Every host says what it gave.
    let hosts = view.hosts().unwrap();
    let [a, b] = &hosts[..] else { panic!("{hosts:?}") };
    assert_eq!((a.host.as_str(), a.pages, a.held, a.missing), ("a.example", 3, 1, 2));
    assert!(!a.gave_nothing() && !a.is_failing(day(40)));
    assert_eq!((b.host.as_str(), b.held, b.tried), ("b.example", 0, 1));
    assert!(b.gave_nothing() && b.is_failing(day(40)));
    let fault = b.last.as_ref().unwrap().fault.as_ref().unwrap();
    assert_eq!(fault.kind, FaultKind::Timeout);
    assert!(store::verify(&home.path()).is_ok());
}
