//! Which folders are opened, and which are refused.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use store::{Options, Store, StoreError, View, verify};

use crate::common::{Home, Site, log, page};

fn open(folder: &Path) -> Result<Store, StoreError> {
    Store::open(folder, Options::default())
}

/// All files in a folder: names and contents.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // A refused attempt may leave a lock file.
        if path.ends_with("lock") {
            continue;
        }
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

#[track_caller]
fn refused_unchanged(folder: &Path) -> StoreError {
    let before = contents(folder);
    let error = open(folder).err().expect("it is refused");
    assert_eq!(contents(folder), before, "{error}");
    error
}

fn filled() -> Home {
    let home = Home::new();
    let mut site = Site::new(|_, _| page("text", &["/b", "/c"]));
    let mut store = home.open();
    site.cycle(&mut store, 1);
    store.finish().unwrap();
    home
}

fn database(home: &Home) -> std::path::PathBuf {
    home.path().join("sanderling.db")
}

fn warc_file(home: &Home) -> std::path::PathBuf {
    fs::read_dir(home.path().join("archive")).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn a_folder_that_is_not_there_is_made_and_opened_again() {
    let home = filled();
    for name in ["sanderling.db", "archive", "indexes", "lock"] {
        assert!(home.path().join(name).exists(), "{name}");
    }
    assert_eq!(log(&home.open()).len(), 3);
}

#[test]
fn two_processes_cannot_write_at_once_and_the_message_says_who_does() {
    let home = Home::new();
    let store = home.open();
    let error = open(&home.path()).err().unwrap();
    let process = std::process::id();
    assert!(matches!(error, StoreError::Locked { process: Some(id), .. } if id == process));
    assert!(error.to_string().contains(&format!("in use by process {process}")), "{error}");
    drop(store);
    open(&home.path()).unwrap();
}

#[test]
fn a_view_opens_while_another_writes_and_sees_what_is_committed() {
    let home = Home::new();
    let mut site = Site::new(|_, _| page("text", &["/b"]));
    let mut store = home.open();
    site.cycle(&mut store, 1);
    let view = View::open(&home.path()).unwrap();
    assert_eq!(view.totals().unwrap().observations, 2);
    site.cycle(&mut store, 2);
    assert_eq!(view.totals().unwrap().observations, 4);
}

#[test]
fn there_is_nothing_to_view_where_nothing_is() {
    let home = Home::new();
    let error = View::open(&home.path()).err().unwrap();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    assert!(!home.path().exists());
}

#[test]
fn a_folder_with_other_things_in_it_is_left_alone() {
    let home = Home::new();
    fs::create_dir_all(home.path()).unwrap();
    fs::write(home.path().join("thesis.txt"), "years of work").unwrap();
    let error = refused_unchanged(&home.path());
    assert!(matches!(error, StoreError::Foreign { .. }));
    assert!(error.to_string().contains("thesis.txt"), "{error}");
    assert!(error.to_string().contains("Nothing was changed"), "{error}");
}

#[test]
fn an_archive_whose_log_is_lost_is_not_cleared_away() {
    let home = filled();
    fs::remove_file(database(&home)).unwrap();
    let error = refused_unchanged(&home.path());
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let home = Home::new();
    fs::create_dir_all(home.path()).unwrap();
    let other = Connection::open(database(&home)).unwrap();
    other.execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    drop(other);
    let error = refused_unchanged(&home.path());
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    assert!(matches!(View::open(&home.path()), Err(StoreError::Foreign { .. })));
}

#[test]
fn a_later_version_is_refused_by_number_and_unchanged() {
    let home = filled();
    let connection = Connection::open(database(&home)).unwrap();
    connection.pragma_update(None, "user_version", 11).unwrap();
    connection.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(connection);
    let error = refused_unchanged(&home.path());
    assert!(matches!(error, StoreError::Newer { found: 11, known: 10, .. }), "{error}");
    assert!(error.to_string().contains("schema 11"), "{error}");
    assert!(matches!(View::open(&home.path()), Err(StoreError::Newer { .. })));
}

#[test]
fn what_is_no_database_is_damaged() {
    let home = filled();
    fs::write(database(&home), "not a database, but long enough to be looked at".repeat(99))
        .unwrap();
    let error = refused_unchanged(&home.path());
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[test]
fn a_database_that_was_begun_and_never_written_is_begun_again() {
    let home = Home::new();
    fs::create_dir_all(home.path()).unwrap();
    fs::write(database(&home), "").unwrap();
    assert_eq!(log(&open(&home.path()).unwrap()), []);
}

#[test]
fn a_warc_file_that_lost_bytes_is_named() {
    let home = filled();
    let path = warc_file(&home);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let error = refused_unchanged(&home.path());
    let StoreError::Damaged { path: named, .. } = error else { panic!("{error}") };
    assert_eq!(named, path);
}

#[test]
fn a_warc_file_that_is_gone_is_named() {
    let home = filled();
    let path = warc_file(&home);
    fs::remove_file(&path).unwrap();
    let error = refused_unchanged(&home.path());
    let StoreError::Damaged { path: named, .. } = error else { panic!("{error}") };
    assert_eq!(named, path);
}

#[test]
fn indexes_that_are_gone_or_stale_are_written_again() {
    let home = filled();
    let index = fs::read_dir(home.path().join("indexes")).unwrap().next().unwrap().unwrap().path();
    let lines = fs::read(&index).unwrap();
    fs::remove_file(&index).unwrap();
    assert!(verify(&home.path()).is_err());
    drop(home.open());
    assert_eq!(fs::read(&index).unwrap(), lines);
    verify(&home.path()).unwrap();
}

#[test]
fn verifying_finds_a_flipped_bit_wherever_it_is() {
    let home = filled();
    verify(&home.path()).unwrap();
    let path = warc_file(&home);
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 20) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let found = verify(&home.path());
        assert!(found.is_err() || is_ignored(&whole, at), "a bit of byte {at} of {}", whole.len());
    }
    fs::write(&path, &whole).unwrap();
    verify(&home.path()).unwrap();
}

/// Whether a byte is in a gzip header field that readers ignore: the text flag, time, level or
/// system.
fn is_ignored(bytes: &[u8], at: usize) -> bool {
    (3..10).any(|back| {
        let start = at.checked_sub(back);
        start.is_some_and(|start| bytes[start..].starts_with(&[0x1f, 0x8b, 8, 0]))
    })
}

#[test]
fn verifying_finds_a_page_that_its_visits_did_not_make() {
    let flaws = [
        "UPDATE page SET visits = visits + 1 WHERE no = 1",
        "UPDATE page SET state = 'gone' WHERE no = 1",
        "UPDATE page SET last = NULL WHERE no = 1",
        "DELETE FROM observation WHERE no = 2",
        "UPDATE observation SET at = (SELECT at FROM observation WHERE no = 1), page = 0 WHERE no = 2",
        "DELETE FROM snapshot WHERE page = 1",
        "UPDATE snapshot SET words = words + 1 WHERE page = 2",
        "UPDATE observation SET offset = offset + 1 WHERE no = 3",
        "UPDATE observation SET payload = zeroblob(20) WHERE no = 3",
    ];
    for flaw in flaws {
        let home = filled();
        Connection::open(database(&home)).unwrap().execute_batch(flaw).unwrap();
        let error = verify(&home.path()).expect_err(flaw);
        assert!(error.is_damage(), "{flaw}: {error}");
    }
}

#[test]
fn values_that_were_set_are_found_again() {
    let home = Home::new();
    let mut store = home.open();
    assert_eq!(store.get("seeds").unwrap(), None);
    store.set("seeds", "http://a.example/").unwrap();
    store.set("seeds", "http://b.example/").unwrap();
    assert_eq!(store.get("seeds").unwrap().as_deref(), Some("http://b.example/"));
    drop(store);
    assert_eq!(home.open().get("seeds").unwrap().as_deref(), Some("http://b.example/"));
}
