//! Damage and copies, as a user meets them.
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use crate::common::{self, errors, run, text, tiny::TinyWeb};

fn web() -> TinyWeb {
    TinyWeb::new(&[
        ("/", "<title>Shore</title><p>About the shore.</p><a href=/a>a</a> <a href=/b>b</a>"),
        ("/a", "<title>Avocet</title><p>The avocet sweeps its bill.</p>"),
        ("/b", "<title>Bar-tailed godwit</title><p>The godwit probes the mud.</p>"),
    ])
}

fn only_file(folder: &Path) -> std::path::PathBuf {
    fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

/// Flips a bit of the record of a page.
fn flip(folder: &Path, url: &str) {
    let output = run(folder, "export changes --data data");
    let place = text(&output)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .find(|change| change["url"] == url)
        .unwrap();
    let place = &place["new"]["warc"];
    let (offset, length) = (place["offset"].as_u64().unwrap(), place["length"].as_u64().unwrap());
    let file = only_file(&folder.join("data/archive"));
    let mut bytes = fs::read(&file).unwrap();
    bytes[(offset + length / 2) as usize] ^= 1;
    fs::write(&file, bytes).unwrap();
}

fn finds(folder: &Path, words: &str) -> bool {
    let output = run(folder, &format!("search --data data --json {words}"));
    assert!(output.status.success(), "{}", errors(&output));
    text(&output).contains("http://tiny.example/")
}

#[test]
fn a_flipped_bit_is_named_with_code_4_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, web) = (folder.path(), web());
    web.crawl(folder);
    flip(folder, "http://tiny.example/b");
    let output = run(folder, "verify --data data");
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let lines = errors(&output);
    assert!(
        lines.contains("the record at byte") && lines.contains("http://tiny.example/b"),
        "{lines}"
    );
    assert!(lines.contains("sanderling repair"), "{lines}");

    let output = run(folder, "index --data data --rebuild");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("http://tiny.example/b is left out"), "{}", errors(&output));
    assert!(finds(folder, "avocet") && !finds(folder, "godwit"));
    web.refresh(folder);

    let output = web.run(folder, "repair");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(text(&output).contains("1 held page has no content"), "{}", text(&output));
    let output = run(folder, "verify --data data");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(text(&output).contains("1 record is known to be lost"), "{}", text(&output));

    let output = web.run(folder, "repair --refetch");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(text(&output).contains("0 pages are still without content"), "{}", text(&output));
    assert!(finds(folder, "godwit"));
    assert!(run(folder, "verify --data data").status.success());
}

#[test]
fn what_is_after_the_end_of_the_log_is_named_and_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, web) = (folder.path(), web());
    web.crawl(folder);
    // After a clean exit one file is the whole database.
    for name in ["sanderling.db-wal", "sanderling.db-shm"] {
        assert!(!folder.join("data").join(name).exists(), "{name}");
    }
    let database = folder.join("data/sanderling.db");
    let old = fs::read(&database).unwrap();
    web.put("/b", "<title>Bar-tailed godwit</title><p>The godwit flies to Alaska.</p>");
    web.refresh(folder);
    fs::write(&database, old).unwrap();

    let output = run(folder, "verify --data data");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("after the end of the log"), "{}", errors(&output));
    assert!(errors(&output).contains("sanderling repair --recover"), "{}", errors(&output));
    let output = web.run(folder, "repair");
    assert!(text(&output).contains("1 response is after the end of the log"), "{}", text(&output));
    let output = web.run(folder, "repair --recover");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(text(&output).contains("1 visit was taken back"), "{}", text(&output));
    assert!(run(folder, "index --data data").status.success());
    assert!(finds(folder, "Alaska"));
    assert!(run(folder, "verify --data data").status.success());
    assert!(text(&web.run(folder, "repair")).starts_with("Nothing is damaged"));
}

#[test]
fn a_copy_is_a_data_folder_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, web) = (folder.path(), web());
    web.crawl(folder);
    let output = run(folder, "export folder --data data -o copy");
    assert!(output.status.success(), "{}", errors(&output));
    let output = run(folder, "verify --data copy");
    assert!(output.status.success(), "{}", errors(&output));
    let output = run(folder, "export folder --data data -o copy");
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
}

#[test]
fn a_read_only_folder_is_searched_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, web) = (folder.path(), web());
    web.crawl(folder);
    let data = folder.join("data");
    let set_mode = |mode: u32| {
        let mut all = vec![data.clone()];
        while let Some(path) = all.pop() {
            let is_folder = path.is_dir();
            if is_folder {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
                all.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let mode = if is_folder { mode | 0o100 } else { mode };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let probe = folder.join("probe");
    fs::write(&probe, "").unwrap();
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o400)).unwrap();
    if fs::OpenOptions::new().append(true).open(&probe).is_ok() {
        eprintln!("this user may write everything: nothing is read-only");
        return;
    }
    set_mode(0o400);
    let found = finds(folder, "avocet");
    let output = run(folder, "verify --data data");
    set_mode(0o600);
    assert!(found);
    assert!(output.status.success(), "{}", errors(&output));
}

#[test]
fn a_clock_before_the_last_visit_is_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, web) = (folder.path(), web());
    web.crawl(folder);
    for arguments in ["refresh --budget 5", "run --budget 5 --interval 1d --cycles 1"] {
        let mut command = common::http::crawler(folder, "tiny.example", web.address, arguments);
        // The fifth of January 2026.
        let output = command.env("SANDERLING_NOW", "1767571200000").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        let line = errors(&output);
        assert!(line.contains("the clock shows") && line.lines().count() == 1, "{line}");
    }
    web.refresh(folder);
}
