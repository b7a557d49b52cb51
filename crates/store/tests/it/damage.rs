//! Damage costs what is damaged, and nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crawl::{PageNo, Repository as _, Time};
use rusqlite::Connection;
use store::{Options, QueryLog, Store, StoreError, View, copy, examine, repair, verify};
use warc::{RecordKind, WarcReader};

use crate::common::{Home, Reply, Site, day, html, log, on, page};

/// A front page and eight others, with entity tags.
fn rule(address: &str, _: Time) -> Reply {
    let links: Vec<String> = (0..8).map(|number| format!("/p{number}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    Reply::Tagged(html(&format!("about {address}"), &links))
}

fn filled() -> (Home, Site) {
    let home = Home::new();
    let mut site = Site::new(rule);
    let mut store = home.open();
    site.cycle(&mut store, 1);
    store.finish().unwrap();
    (home, site)
}

fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("sanderling.db")).unwrap()
}

fn only_file(folder: &Path) -> PathBuf {
    fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

/// Flips a bit in the middle of the record of a page.
fn flip(home: &Home, path: &str) {
    let (offset, length): (usize, usize) = database(&home.path())
        .query_row(
            "SELECT offset, length FROM observation JOIN page ON page.no = page WHERE address = ?1",
            (on(path),),
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    let file = only_file(&home.path().join("archive"));
    let mut bytes = fs::read(&file).unwrap();
    bytes[offset + length / 2] ^= 1;
    fs::write(&file, bytes).unwrap();
}

#[test]
fn a_flipped_bit_costs_one_record_which_is_named() {
    let (home, _) = filled();
    flip(&home, "p3");
    let (verified, damage) = examine(&home.path()).unwrap();
    assert_eq!(damage.len(), 1, "{damage:?}");
    assert_eq!(damage[0].address.as_deref(), Some(on("p3").as_str()));
    assert!(damage[0].page.is_some() && damage[0].offset.is_some());
    assert_eq!((verified.observations, verified.responses), (9, 8));
    let error = verify(&home.path()).unwrap_err();
    assert!(matches!(error, StoreError::DamagedRecord { .. }), "{error}");
    assert!(error.to_string().contains("sanderling repair"), "{error}");
}

#[test]
fn a_damaged_request_costs_the_request_alone() {
    let (home, _) = filled();
    let file = only_file(&home.path().join("archive"));
    let request = WarcReader::open(&file).unwrap().map(Result::unwrap).filter(|record| {
        record.kind() == RecordKind::Request && record.target() == Some(&on("p3"))
    });
    let place = request.last().unwrap().location.unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[(place.offset + place.length / 2) as usize] ^= 1;
    fs::write(&file, bytes).unwrap();
    let (verified, damage) = examine(&home.path()).unwrap();
    assert_eq!((damage.len(), verified.responses), (1, 9), "{damage:?}");
    assert_eq!((damage[0].offset, damage[0].page), (Some(place.offset), None));
    repair(&home.path(), Options::default()).unwrap();
    assert_eq!(verify(&home.path()).unwrap().lost, 1);
}

#[test]
fn after_a_repair_the_page_is_fetched_again_and_everything_agrees() {
    let (home, mut site) = filled();
    flip(&home, "p3");
    // Before the repair, too, a crawl goes on: the page is compared by its fingerprints.
    let store = home.open();
    assert!(store.read_held(site.find("p3")).unwrap().unwrap().content.is_none());
    drop(store);
    let repaired = repair(&home.path(), Options::default()).unwrap();
    assert_eq!(repaired.lost_pages().collect::<Vec<_>>(), [on("p3")]);
    assert_eq!(verify(&home.path()).unwrap().lost, 1);
    let view = View::open(&home.path()).unwrap();
    assert_eq!(view.lost_pages().unwrap(), [site.find("p3")]);
    let held = view.held(site.find("p3")).unwrap().unwrap();
    assert!(held.snapshot.content.is_none() && held.damage.is_none());
    let lines = fs::read_to_string(only_file(&home.path().join("indexes"))).unwrap();
    assert!(!lines.contains("/p3\"") && lines.contains("/p4\""), "{lines}");
    drop(view);
    let mut store = home.open();
    site.reload(&store);
    site.cycle(&mut store, 2);
    store.finish().unwrap();
    let view = View::open(&home.path()).unwrap();
    assert_eq!(view.lost_pages().unwrap(), Vec::<PageNo>::new());
    assert!(view.held(site.find("p3")).unwrap().unwrap().snapshot.content.is_some());
    let verified = verify(&home.path()).unwrap();
    // The others were not modified.
    assert_eq!((verified.lost, verified.responses, verified.revisits), (1, 9, 8));
}

#[test]
fn a_damaged_cdxj_index_is_named_and_written_again() {
    let (home, _) = filled();
    let index = only_file(&home.path().join("indexes"));
    let whole = fs::read(&index).unwrap();
    for at in [0, whole.len() / 2, whole.len() - 3] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x80;
        fs::write(&index, &bytes).unwrap();
        let (_, damage) = examine(&home.path()).unwrap();
        assert_eq!((damage.len(), &damage[0].path), (1, &index), "{damage:?}");
        repair(&home.path(), Options::default()).unwrap();
        assert_eq!(fs::read(&index).unwrap(), whole);
        verify(&home.path()).unwrap();
    }
}

#[test]
fn a_database_that_fails_sqlites_own_check_is_read_and_not_written() {
    let (home, _) = filled();
    let path = home.path().join("sanderling.db");
    let whole = fs::read(&path).unwrap();
    let page = 4_096;
    // The root page of the table of observations.
    let root: usize = database(&home.path())
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'observation'", (), |row| {
            row.get(0)
        })
        .unwrap();
    let mut bytes = whole.clone();
    bytes[(root - 1) * page + 20..(root - 1) * page + 60].fill(0xff);
    fs::write(&path, &bytes).unwrap();
    let error = Store::open(&home.path(), Options::default()).err().unwrap();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), bytes, "it is not changed");
    View::open(&home.path()).unwrap();
    fs::write(&path, whole).unwrap();
    verify(&home.path()).unwrap();
}

#[test]
fn closing_leaves_one_database_file() {
    let (home, _) = filled();
    let names = || {
        let mut names: Vec<String> = fs::read_dir(home.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["archive", "indexes", "lock", "sanderling.db"]);
    View::open(&home.path()).unwrap().totals().unwrap();
    drop(QueryLog::open(&home.path()).unwrap());
    assert_eq!(names(), ["archive", "indexes", "lock", "queries.db", "sanderling.db"]);
    // While another process reads, the log is only emptied.
    let view = View::open(&home.path()).unwrap();
    let mut store = home.open();
    view.totals().unwrap();
    store.set("a", "b").unwrap();
    store.finish().unwrap();
    assert_eq!(view.get("a").unwrap().as_deref(), Some("b"));
    let log = home.path().join("sanderling.db-wal");
    assert!(fs::metadata(log).is_ok_and(|log| log.len() == 0));
}

#[test]
fn what_is_made_is_for_its_owner_alone() {
    let (home, _) = filled();
    drop(QueryLog::open(&home.path()).unwrap());
    let mode =
        |name: &str| fs::metadata(home.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(""), 0o700);
    assert_eq!((mode("sanderling.db"), mode("queries.db")), (0o600, 0o600));
}

#[test]
fn records_after_the_end_of_the_log_are_moved_aside_whole() {
    let (home, mut site) = filled();
    // The log is restored from a copy, as when a copy missed its write-ahead log.
    let old = fs::read(home.path().join("sanderling.db")).unwrap();
    let file = only_file(&home.path().join("archive"));
    let before = fs::read(&file).unwrap();
    let mut store = home.open();
    site.world.rule = Box::new(|_, _| page("entirely new", &[]));
    site.cycle(&mut store, 2);
    store.finish().unwrap();
    let after = fs::read(&file).unwrap();
    fs::write(home.path().join("sanderling.db"), old).unwrap();

    let store = home.open();
    assert_eq!(log(&store).len(), 9);
    let [aside] = store.set_aside() else { panic!("{:?}", store.set_aside()) };
    assert_eq!((aside.records, aside.bytes), (9, (after.len() - before.len()) as u64));
    assert_eq!(fs::read(&aside.path).unwrap(), after[before.len()..]);
    assert_eq!(fs::read(&file).unwrap(), before);
    let records = WarcReader::open(&aside.path).unwrap().map(Result::unwrap);
    assert_eq!(records.filter(|record| record.kind() == RecordKind::Response).count(), 9);
    store.finish().unwrap();
    verify(&home.path()).unwrap();
    assert_eq!(home.open().set_aside(), []);
}

#[test]
fn a_folder_is_copied_while_it_is_written() {
    let (home, mut site) = filled();
    let mut store = home.open();
    site.reload(&store);
    site.cycle(&mut store, 2);
    let mut queries = QueryLog::open(&home.path()).unwrap();
    queries.record_query(1, "tides");
    queries.write().unwrap();
    let target = home.path().with_file_name("copy");
    copy(&home.path(), &target).unwrap();
    site.cycle(&mut store, 3);
    assert_eq!(verify(&target).unwrap().observations, 18);
    assert!(QueryLog::open_to_read(&target).unwrap().is_some());
    // It is never mixed with anything else.
    let error = copy(&home.path(), &target).unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    store.finish().unwrap();
}

#[test]
fn a_smaller_limit_later_leaves_every_held_page_readable() {
    let mut home = Home::new();
    let long = "many words ".repeat(20_000);
    let mut site = Site::new(move |_, _| page(&long, &[]));
    home.options = Options { body_limit: 1 << 20, ..Options::default() };
    let mut store = home.open();
    site.cycle(&mut store, 1);
    store.finish().unwrap();
    home.options = Options { body_limit: 1_000, ..Options::default() };
    let store = home.open();
    let front = site.find("");
    assert!(store.read_held(front).unwrap().unwrap().content.is_some());
    store.finish().unwrap();
    let held = View::open(&home.path()).unwrap().held(front).unwrap().unwrap();
    assert_eq!((held.snapshot.content.is_some(), held.damage), (true, None));
    verify(&home.path()).unwrap();
}

#[test]
fn a_gzip_file_whose_content_is_too_long_is_read_the_same_ever_after() {
    let home = Home::new();
    // A million bytes of compressed blanks are a gigabyte.
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..60 {
        std::io::Write::write_all(&mut encoder, &blanks).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let mut site = Site::new(move |address, _| {
        if address.contains(".gz") {
            Reply::Bytes("application/gzip", bomb.clone())
        } else {
            page("front", &["/a.gz", "/b.gz"])
        }
    });
    let mut store = home.open();
    site.cycle(&mut store, 1);
    site.cycle(&mut store, 2);
    store.finish().unwrap();
    assert_eq!(verify(&home.path()).unwrap().read_again, 3);
    assert!(log(&home.open()).iter().any(|seen| seen.at > day(1)));
}
