//! `sanderling lab import warc` as a user runs it: what it prints, and what it refuses.
use std::{fs, path::Path};

use crate::common::{errors, run};

/// A file of captures: day of January 2026, path, status and body.
fn warc(captures: &[(u32, &str, u16, &str)]) -> String {
    let record = |(day, path, status, body): &(u32, &str, u16, &str)| {
        let block = format!("HTTP/1.1 {status} x\r\nContent-Type: text/html\r\n\r\n{body}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/{path}\r\n\
             WARC-Date: 2026-01-{day:02}T06:00:00Z\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    captures.iter().map(record).collect()
}

fn site() -> String {
    warc(&[
        (1, "", 200, "<p>one"),
        (1, "a", 200, "<p>a"),
        (8, "", 200, "<p>one"),
        (8, "a", 301, ""),
        (15, "", 200, "<p>two"),
        (15, "a", 404, "<p>not found"),
        (22, "", 200, "<p>two"),
    ])
}

/// Runs the program and expects it to refuse with this line.
#[track_caller]
fn refused(folder: &Path, arguments: &str, line: &str) {
    let output = run(folder, &format!("lab import warc {arguments} -o out.parquet"));
    assert_eq!(errors(&output), format!("error: {line}\n"), "{arguments}");
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    assert!(output.stdout.is_empty(), "{arguments}");
    assert!(!folder.join("out.parquet").exists(), "{arguments} wrote something");
}

#[test]
fn captures_become_a_trace_and_the_gaps_are_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("site.warc"), site()).unwrap();
    let output = run(folder.path(), "lab import warc site.warc -o site.parquet");
    assert_eq!(errors(&output), "");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "7 captures: 2 pages, 3 versions (0.0 MB), 1 disappearances, 2 unchanged\n\
         Uncertain: the time of 2 of 2 changes, by 14.0 days in the median\n\
         Skipped: 1 captures that led elsewhere\n\
         Trace: site.parquet\n"
    );
    let output = run(folder.path(), "lab list site.parquet");
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        listed.starts_with("site (warc:site)\n  window        2026-01-02 to 2026-01-23, 3 weeks")
    );
    assert!(
        listed
            .ends_with("  uncertain     the time of 2 of 2 changes, by 14.0 days in the median\n"),
        "{listed}"
    );
    let output =
        run(folder.path(), "lab run --traces site.parquet --policies round-robin --out out");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
}

#[test]
fn damage_is_told_and_the_rest_imported() {
    let folder = tempfile::tempdir().unwrap();
    let site = site();
    let last = site.rfind("WARC/1.0").unwrap();
    fs::write(folder.path().join("site.warc"), &site[..site.len() - 12]).unwrap();
    let output = run(folder.path(), "lab import warc site.warc -o site.parquet");
    assert_eq!(
        errors(&output),
        format!("warning: site.warc ends inside the record at byte {last}\n")
    );
    assert_eq!(output.status.code(), Some(0));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("6 captures: 2 pages"), "{printed}");
    assert!(printed.contains("1 damaged places were skipped\n"), "{printed}");
    let output = run(folder.path(), "lab import warc site.warc --quiet -o site.parquet");
    assert_eq!((errors(&output).as_str(), output.stdout.len()), ("", 0));
}

#[test]
fn files_that_are_none_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &str, line: &str| refused(folder.path(), arguments, line);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    refused("none.warc", "none.warc: cannot be opened: No such file or directory (os error 2)");
    write("empty.warc.gz", "");
    refused("empty.warc.gz", "empty.warc.gz: is empty, not a WARC file");
    write("page.html", "<html>\n<p>A page\n");
    refused("page.html", "page.html: is not a WARC file, compressed or not");
    write("index.cdxj", "org,example)/ 20260101000000\n");
    refused(
        "index.cdxj",
        "index.cdxj: is not a CDXJ index: line 1 of index.cdxj: it is not a key, a date and an object",
    );
    fs::create_dir(folder.path().join("folder")).unwrap();
    refused("folder", "folder: has no files in it whose names end in .warc, .warc.gz or .cdxj");
    write("site.warc", &site());
    refused("site.warc empty.warc.gz", "empty.warc.gz: is empty, not a WARC file");
    write("day.warc", &warc(&[(1, "", 200, "a"), (1, "b", 200, "b")]));
    refused(
        "day.warc",
        "all captures are of one day (2026-01-01, in UTC), so no change can lie between two days; \
         for a shorter window choose --from and --weeks",
    );
}
