//! Interrupted writers: acknowledged visits survive, and the data folder stays consistent.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crawl::{Error, HostState, HostUpdate, Repository as _, Time, Update};
use store::{FaultInjection, Options, Stage, Store, StoreError, View, verify};

use crate::common::{Home, Reply, Site, copy_folder, day, log, on, page};

/// A front page and twelve others. All change every day.
fn rule(address: &str, now: Time) -> Reply {
    let text = format!("{address} on day {}", (now - day(0)).days() as i64);
    let links: Vec<String> = (0..12).map(|number| on(&format!("p{number}"))).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    page(&text, &links)
}

fn options(fault_injection: FaultInjection) -> Options {
    // Small, so that every batch starts a WARC file.
    Options { batch_visits: 3, warc_file_bytes: 3_000, fault_injection, ..Options::default() }
}

fn stopping(batch: u64, stage: Stage) -> Options {
    options(FaultInjection { stop_after: Some((batch, stage)), ..FaultInjection::default() })
}

fn is_stopped(error: &Error) -> bool {
    let Error::Repository(cause) = error else { return false };
    matches!(cause.downcast_ref(), Some(StoreError::Stopped))
}

#[test]
fn a_writer_that_is_stopped_after_any_stage_of_any_batch_loses_nothing_acknowledged() {
    for stage in [Stage::Appended, Stage::Synced, Stage::Committed] {
        for batch in 1..=6 {
            let mut home = Home::new();
            home.options = stopping(batch, stage);
            let mut site = Site::new(rule);
            let mut store = home.open();
            let stopped = site
                .try_cycle(&mut store, 1, 1_000)
                .and_then(|_| site.try_cycle(&mut store, 2, 1_000));
            let error = stopped.expect_err("it was stopped");
            assert!(is_stopped(&error), "{error:?}");
            assert!(store.commit().is_err(), "what is given up stays so");
            let acknowledged = store.acknowledged();
            drop(store);

            home.options = options(FaultInjection::default());
            let mut store = home.open();
            let kept = log(&store).len() as u64;
            assert!(kept >= acknowledged, "{stage:?} {batch}: {kept} of {acknowledged}");
            // The crawl continues.
            site.reload(&store);
            site.cycle(&mut store, 3);
            assert_eq!(site.pages.len(), 13);
            store.finish().unwrap();
            let verified = verify(&home.path()).unwrap();
            assert_eq!(verified.observations, kept + 13);
        }
    }
}

fn archive_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("archive")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn written() -> (Home, Vec<crawl::Observation>) {
    let mut home = Home::new();
    home.options = options(FaultInjection::default());
    let mut site = Site::new(rule);
    let mut store = home.open();
    site.cycle(&mut store, 1);
    let log = log(&store);
    store.finish().unwrap();
    (home, log)
}

#[test]
fn a_torn_tail_of_any_length_is_cut_off() {
    let (home, before) = written();
    let last = archive_files(&home.path()).pop().unwrap();
    let whole = fs::read(&last).unwrap();
    for torn in [1, 7, 100, 4_000] {
        let mut file = OpenOptions::new().append(true).open(&last).unwrap();
        // A partly written gzip member.
        file.write_all(&whole.repeat(9)[..torn]).unwrap();
        drop(file);
        assert!(verify(&home.path()).is_err());
        assert_eq!(log(&home.open()), before);
        assert_eq!(fs::read(&last).unwrap(), whole);
        verify(&home.path()).unwrap();
    }
}

#[test]
fn a_file_that_was_begun_and_never_committed_is_removed() {
    let (home, before) = written();
    let files = archive_files(&home.path());
    let name = files[0].file_name().unwrap().to_str().unwrap();
    let stray = files[0].with_file_name(name.replace("-00000-", "-00099-"));
    fs::copy(&files[0], &stray).unwrap();
    assert_eq!(log(&home.open()), before);
    assert!(!stray.exists());
    verify(&home.path()).unwrap();
}

#[test]
fn a_copy_of_the_folder_at_any_instant_opens_and_agrees() {
    // A crash leaves some batches committed and one partly written. SQLite's files are copied
    // first, so that the archive is never behind them.
    let mut home = Home::new();
    home.options = options(FaultInjection::default());
    let mut site = Site::new(rule);
    let mut store = home.open();
    for number in 1..4 {
        site.try_cycle(&mut store, number, 5).unwrap();
        let acknowledged = store.acknowledged();
        let copy = home.path().with_file_name(format!("copy{number}"));
        copy_folder(&home.path(), &copy);
        // Views work before recovery.
        let view = View::open(&copy).unwrap();
        assert_eq!(view.totals().unwrap().observations, acknowledged);
        drop(view);
        let again = Store::open(&copy, home.options.clone()).unwrap();
        assert_eq!(again.acknowledged(), acknowledged);
        again.finish().unwrap();
        verify(&copy).unwrap();
    }
}

#[test]
fn a_full_disk_says_so_and_keeps_what_was_acknowledged() {
    let database = FaultInjection { max_pages: Some(40), ..FaultInjection::default() };
    // In the middle of a record.
    let archive = FaultInjection { archive_room: Some(30_001), ..FaultInjection::default() };
    for full in [database, archive] {
        let mut home = Home::new();
        // One file, which grows until it is full.
        home.options = Options { warc_file_bytes: 1 << 20, ..options(full) };
        let mut site = Site::new(rule);
        let mut store = home.open();
        let mut number = 0;
        let error = loop {
            number += 1;
            if let Err(error) = site.try_cycle(&mut store, number, 1_000) {
                break error;
            }
        };
        let Error::Repository(cause) = error else { panic!("{error}") };
        let cause: &StoreError = cause.downcast_ref().unwrap();
        assert!(cause.is_full(), "{cause}");
        let acknowledged = store.acknowledged();
        assert!(acknowledged > 0);
        drop(store);
        home.options = options(FaultInjection::default());
        let store = home.open();
        assert_eq!(store.acknowledged(), acknowledged);
        store.finish().unwrap();
        verify(&home.path()).unwrap();
    }
}

#[test]
fn a_host_that_backs_off_is_remembered_without_a_commit() {
    let mut home = Home::new();
    home.options = Options { batch_wait: std::time::Duration::from_hours(1), ..Options::default() };
    let mut store = home.open();
    // The first batch is written at once; the next may wait an hour.
    store.set("begun", "yes").unwrap();
    let state = HostState {
        host: "a.example".to_owned(),
        back_off_until: Some(day(3)),
        strikes: 2,
        ..HostState::default()
    };
    store.remember(Update::Host(HostUpdate::State(state.clone()))).unwrap();
    let view = View::open(&home.path()).unwrap();
    while view.host_states().unwrap().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(view.host_states().unwrap(), [state]);
}
