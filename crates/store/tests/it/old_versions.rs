//! A data folder written by version 0.1.0 with schema 4 (`fixtures/v4`): views read it as it is,
//! and a store upgrades it.
use std::collections::BTreeMap;
use std::path::Path;

use crawl::{HostState, Instrument as _, Observation, Outcome, PageNo, Pages, Time};
use instruments::features::{FeatureNeeds, Features};
use rusqlite::Connection;
use store::{Store, View, verify};

use crate::common::{Home, copy_folder, log};

fn fixture() -> Home {
    let home = Home::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v4/data");
    copy_folder(&data, &home.path());
    home
}

/// Output of the binary that wrote the folder.
fn expected() -> serde_json::Value {
    serde_json::from_str(include_str!("../fixtures/v4/EXPECTED.json")).unwrap()
}

fn database(home: &Home) -> Connection {
    Connection::open(home.path().join("sanderling.db")).unwrap()
}

fn version(home: &Home) -> u32 {
    database(home).query_row("PRAGMA user_version", (), |row| row.get(0)).unwrap()
}

/// Number of rows by table.
fn counts(home: &Home) -> BTreeMap<String, i64> {
    let database = database(home);
    let mut tables =
        database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let names: Vec<String> =
        tables.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let count = |name: String| {
        let select = format!("SELECT count(*) FROM {name}");
        let rows = database.query_row(&select, (), |row| row.get(0)).unwrap();
        (name, rows)
    };
    names.into_iter().map(count).collect()
}

/// Every row of a query, with values as debug text.
fn rows(home: &Home, query: &str) -> Vec<Vec<String>> {
    let database = database(home);
    let mut select = database.prepare(query).unwrap();
    let columns = select.column_count();
    let row = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Vec<String>> {
        (0..columns).map(|at| Ok(format!("{:?}", row.get_ref(at)?))).collect()
    };
    select.query_map((), row).unwrap().map(Result::unwrap).collect()
}

/// Features of all pages, bit by bit, and how many pages were recomputed.
fn features(
    load: impl FnOnce(&mut Features, &mut dyn FnMut(usize, usize) -> bool) -> bool,
) -> (Vec<Option<Vec<u8>>>, Vec<u8>, usize) {
    let (mut features, mut read_back) = (Features::new(FeatureNeeds { look_back: 8 }), 0);
    let is_whole = load(&mut features, &mut |_, of| {
        read_back = of;
        true
    });
    assert!(is_whole);
    ((0..40).map(|page| features.page_state(PageNo(page))).collect(), features.state(), read_back)
}

fn viewed_features(view: &View) -> (Vec<Option<Vec<u8>>>, Vec<u8>, usize) {
    features(|into, goes_on| view.load_instrument(into, goes_on).unwrap())
}

fn stored_features(store: &Store) -> (Vec<Option<Vec<u8>>>, Vec<u8>, usize) {
    features(|into, goes_on| store.load_instrument(into, goes_on).unwrap())
}

fn viewed_log(view: &View) -> Vec<Observation> {
    let mut log = vec![];
    view.replay(&mut |seen| log.push(seen.clone())).unwrap();
    log
}

fn records(pages: &Pages) -> Vec<(String, crawl::PageRecord)> {
    pages.numbers().map(|page| (pages.address(page).to_owned(), pages.record(page))).collect()
}

/// As in the fixture.
fn backs_off() -> HostState {
    let seen = Some(Time::from_millis(1_794_822_982_795));
    HostState {
        host: "news.example".to_owned(),
        last_answer: seen,
        response_millis: 1,
        back_off_until: Some(Time::from_millis(1_794_909_382_795)),
        strikes: 1,
        last_strike: seen,
    }
}

#[test]
fn a_folder_of_version_4_is_read_as_it_is() {
    let home = fixture();
    let view = View::open(&home.path()).unwrap();
    let totals = view.totals().unwrap();
    let status = &expected()["status"]["output"];
    // Of the three that version called gone, one was never held.
    assert_eq!((totals.held, totals.gone, totals.missing), (27, 2, 1));
    assert_eq!(totals.linked, 4);
    assert_eq!(status["archive"]["bytes"], totals.archive_bytes);
    let loaded = view.load().unwrap();
    assert_eq!((loaded.pages.len(), loaded.cycles), (34, 9));
    let cycles = view.cycles(99).unwrap();
    for (cycle, expected) in cycles.iter().zip(status["cycles"].as_array().unwrap()) {
        assert_eq!(expected["policy"], cycle.policy.as_str());
        assert_eq!(expected["visits"], cycle.outcomes.visits());
        assert_eq!(expected["changed"], cycle.outcomes.changed);
        assert_eq!(expected["budget"].as_u64(), cycle.budget.map(store::budget_value));
        assert_eq!(cycle.received, None);
    }

    let hosts = view.host_states().unwrap();
    let names: Vec<&str> = hosts.iter().map(|host| host.host.as_str()).collect();
    assert_eq!(names, ["docs.example", "news.example", "shut.example"]);
    assert_eq!(hosts[1], backs_off());
    assert_eq!(view.robots().unwrap().len(), 3);

    let log = viewed_log(&view);
    assert_eq!(log.len(), 175);
    assert!(log.iter().any(|seen| seen.impact.is_some_and(|impact| impact > 0.0)));
    assert!(log.iter().any(|seen| seen.outcome == Outcome::Gone));
    assert!(log.iter().any(|seen| !seen.leads.is_empty()));
    assert!(log.iter().any(|seen| !seen.signals.is_empty()));

    // Features are the stored ones, with their visit windows.
    let (pages, models, read_back) = viewed_features(&view);
    assert_eq!((pages.iter().flatten().count(), read_back), (27, 0));
    let database = database(&home);
    for (number, state) in pages.iter().enumerate() {
        let select = "SELECT facts FROM facts WHERE page = ?1";
        let stored: Option<Vec<u8>> =
            database.query_row(select, (number as u32,), |row| row.get(0)).ok();
        assert_eq!(state, &stored, "page {number}");
    }
    let stored: Vec<u8> =
        database.query_row("SELECT models FROM word_models", (), |row| row.get(0)).unwrap();
    assert_eq!(models, stored);

    // Reading did not upgrade it.
    assert_eq!(version(&home), 4);
    let verified = verify(&home.path()).unwrap();
    let expected = &expected()["verify"]["output"];
    assert_eq!(expected["observations"], verified.observations);
    assert_eq!(expected["responses"], verified.responses);
    assert_eq!(expected["revisits"], verified.revisits);
    assert_eq!(expected["read_again"], verified.read_again);
    assert_eq!(verified.page_states, 27);
    assert_eq!(version(&home), 4);
}

#[test]
fn a_folder_of_version_4_is_upgraded_with_all_its_rows() {
    let home = fixture();
    let before = counts(&home);
    let expected_rows: BTreeMap<String, i64> =
        serde_json::from_value(expected()["rows"].clone()).unwrap();
    assert_eq!(before, expected_rows);
    let facts = rows(&home, "SELECT page, observation, digest, facts FROM facts ORDER BY page");
    let models = rows(&home, "SELECT digest, models FROM word_models");
    let manners = rows(&home, "SELECT * FROM manners ORDER BY host");
    let observations = rows(&home, "SELECT * FROM observation ORDER BY no");
    let view = View::open(&home.path()).unwrap();
    let (hosts, robots) = (view.host_states().unwrap(), view.robots().unwrap());
    let (log_before, features) = (viewed_log(&view), viewed_features(&view));
    let pages = records(&view.load().unwrap().pages);

    let store = home.open();
    assert_eq!(version(&home), 10);
    let mut after = before;
    for (old, new) in
        [("facts", "instrument_page"), ("word_models", "instrument"), ("manners", "host_state")]
    {
        let rows = after.remove(old).unwrap();
        after.insert(new.to_owned(), rows);
    }
    // Since version 8: lost records, and the limit of bodies.
    after.insert("lost_record".to_owned(), 0);
    *after.get_mut("meta").unwrap() += 1;
    assert_eq!(counts(&home), after);
    let select = "SELECT page, observation, digest, state FROM instrument_page \
                  WHERE instrument = 'features' ORDER BY page";
    assert_eq!(rows(&home, select), facts);
    let select = "SELECT digest, state FROM instrument WHERE name = 'features'";
    assert_eq!(rows(&home, select), models);
    let select = "SELECT host, last_answer, response_millis, back_off_until, strikes, last_strike \
                  FROM host_state ORDER BY host";
    assert_eq!(rows(&home, select), manners);
    // Since version 9: what the policy expected of a visit.
    let without = |mut row: Vec<String>| {
        assert_eq!(row.split_off(row.len() - 2), ["Null", "Null"]);
        row
    };
    let logged = rows(&home, "SELECT * FROM observation ORDER BY no");
    assert_eq!(logged.into_iter().map(without).collect::<Vec<_>>(), observations);

    assert_eq!(store.host_states().unwrap(), hosts);
    assert_eq!(store.robots().unwrap(), robots);
    assert_eq!(log(&store), log_before);
    assert_eq!(stored_features(&store), features);
    assert_eq!(records(&store.load().unwrap().pages), pages);
    // The open view continues.
    assert_eq!(view.host_states().unwrap(), hosts);
    assert_eq!(view.robots().unwrap(), robots);
    assert_eq!(records(&view.load().unwrap().pages), pages);
    assert_eq!(viewed_features(&view), features);
    store.finish().unwrap();
    let verified = verify(&home.path()).unwrap();
    assert_eq!((verified.observations, verified.page_states), (175, 27));
}

/// Downgrades the fixture. Version 2 added features, version 3 impact; version 4 deleted features,
/// because their format changed.
fn older(version: u32) -> Home {
    let home = fixture();
    let database = database(&home);
    let step = match version {
        1 => {
            "DROP TABLE facts; DROP TABLE word_models; \
             ALTER TABLE observation DROP COLUMN impact; PRAGMA user_version = 1"
        }
        _ => "UPDATE facts SET facts = substr(facts, 2); PRAGMA user_version = 3",
    };
    database.execute_batch(step).unwrap();
    home
}

#[test]
fn features_of_versions_before_4_are_made_again() {
    for before in [1, 3] {
        let home = older(before);
        let view = View::open(&home.path()).unwrap();
        let (seen, _, read_back) = viewed_features(&view);
        assert_eq!((seen.iter().flatten().count(), read_back), (27, 27), "version {before}");
        let log_before = viewed_log(&view);
        assert!(before != 1 || log_before.iter().all(|seen| seen.impact.is_none()));
        assert_eq!(view.host_states().unwrap()[1], backs_off());
        assert_eq!(verify(&home.path()).unwrap().page_states, 0);
        assert_eq!(version(&home), before);

        let store = home.open();
        assert_eq!(version(&home), 10);
        assert_eq!(log(&store), log_before);
        let (stored, _, read_back) = stored_features(&store);
        assert_eq!((&stored, read_back), (&seen, 27), "version {before}");
        assert_eq!(stored_features(&store).2, 0, "version {before}");
        store.finish().unwrap();
        assert_eq!(verify(&home.path()).unwrap().page_states, 27);
    }
}
