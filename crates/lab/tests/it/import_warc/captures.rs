//! Traces from captures: exact rows of files made by hand.

use super::archive::{Archive, Place, gone, gzip, hour, import_with, plain, row};
use crawl::Span;
use lab::import::warc::Reason;
use lab::trace::{Gaps, TraceReader};

const DAY: i64 = 24;

#[test]
fn a_change_lies_between_the_last_capture_of_the_old_and_the_first_of_the_new() {
    let mut archive = Archive::default();
    archive.page("", 1, "one");
    archive.request("", 1);
    archive.page("", 2 * DAY, "one");
    archive.page("", 4 * DAY, "two");
    archive.page("", 9 * DAY, "two");
    let place = Place::with("a.warc.gz", &archive.bytes);
    let (summary, rows) = place.import(&["a.warc.gz"]);
    assert_eq!(rows, [row("", 1, None, "one"), row("", 4 * DAY, Some(2 * DAY), "two")]);
    assert_eq!((summary.captures, summary.pages, summary.unchanged), (4, 1, 2));
    let gaps = Gaps { changes: 1, uncertain: 1, median: Span::from_days(2) };
    assert_eq!(summary.gaps, Some(gaps));
    // From the end of the first day to the end of the last.
    assert_eq!((summary.window.start, summary.window.end), (hour(DAY), hour(10 * DAY)));
    let mut reader = TraceReader::open(&place.path("out.parquet")).unwrap();
    assert_eq!((reader.window(), reader.source()), (summary.window, "warc:a"));
    assert_eq!(reader.metadata("trace.captures"), Some("4"));
    assert_eq!(Gaps::from_reader(&mut reader).unwrap(), Some(gaps));
}

#[test]
fn revisits_of_both_kinds_narrow_the_gap() {
    let mut archive = Archive::default();
    let one = archive.page("", 1, "one");
    archive.identical("", 2 * DAY, &one);
    archive.not_modified("", 3 * DAY, &one);
    archive.page("", 5 * DAY, "two");
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    assert_eq!(rows, [row("", 1, None, "one"), row("", 5 * DAY, Some(3 * DAY), "two")]);
    assert_eq!(summary.unchanged, 2);
}

#[test]
fn a_revisit_of_an_older_content_is_a_change_back() {
    let mut archive = Archive::default();
    let one = archive.page("", 1, "one");
    archive.page("", 2 * DAY, "two");
    archive.identical("", 4 * DAY, &one);
    let (_, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    let expected = [
        row("", 1, None, "one"),
        row("", 2 * DAY, Some(1), "two"),
        row("", 4 * DAY, Some(2 * DAY), "one"),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_revisit_may_mean_a_content_of_another_page_and_of_another_file() {
    let mut archive = Archive::default();
    let same = archive.page("b", 1, "the same");
    let place = Place::with("b.warc.gz", &archive.bytes);
    let mut archive = Archive::default();
    archive.page("a", 1, "one");
    archive.identical("a", 3 * DAY, &same);
    place.write("a.warc.gz", &archive.bytes);
    let (summary, rows) = place.import(&["a.warc.gz", "b.warc.gz"]);
    let expected = [
        row("a", 1, None, "one"),
        row("a", 3 * DAY, Some(1), "the same"),
        row("b", 1, None, "the same"),
    ];
    assert_eq!(rows, expected);
    assert!(summary.skipped.is_empty());
    // Without the file that holds it, nobody knows what it was.
    let (summary, rows) = place.import(&["a.warc.gz"]);
    assert_eq!(rows, expected[..1]);
    assert_eq!(summary.skipped[&Reason::NoOriginal], 1);
}

#[test]
fn revisits_of_others_are_known_by_place_or_by_what_was_there_before() {
    let not_modified =
        "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified\r\n";
    let refers = "WARC-Refers-To-Target-URI: https://e.org/\r\nWARC-Refers-To-Date: 2026-01-01T01:00:00Z\r\n";
    let page = |date: &str, body: &str| {
        plain("response", "", date, "", format!("HTTP/1.0 200 OK\r\n\r\n{body}").as_bytes())
    };
    let file = [
        page("2026-01-01T01:00:00Z", "one"),
        page("2026-01-03", "two"),
        plain("revisit", "", "2026-01-04", not_modified, b""),
        plain("revisit", "", "2026-01-05", refers, b""),
    ];
    let (_, rows) = Place::with("a.warc", &file.concat()).import(&["a.warc"]);
    let expected = [
        row("", 1, None, "one"),
        row("", 2 * DAY, Some(1), "two"),
        row("", 4 * DAY, Some(3 * DAY), "one"),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_page_that_is_not_found_or_gone_has_vanished() {
    let mut archive = Archive::default();
    archive.page("", 1, "one");
    archive.response("", 2 * DAY, "404 Not Found", "", b"no such page");
    archive.response("", 3 * DAY, "410 Gone", "", b"");
    archive.page("", 5 * DAY, "one");
    archive.response("", 6 * DAY, "410 Gone", "", b"");
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    let expected = [
        row("", 1, None, "one"),
        gone("", 2 * DAY, 1, 404),
        row("", 5 * DAY, Some(3 * DAY), "one"),
        gone("", 6 * DAY, 5 * DAY, 410),
    ];
    assert_eq!(rows, expected);
    assert_eq!((summary.versions, summary.vanished, summary.unchanged), (2, 2, 1));
}

#[test]
fn what_is_no_evidence_is_as_if_nobody_had_looked() {
    let mut archive = Archive::default();
    archive.page("", 1, "one");
    archive.response("", 2 * DAY, "301 Moved", "Location: /new\r\n", b"");
    archive.response("", 3 * DAY, "503 Busy", "", b"later");
    archive.response("", 4 * DAY, "206 Partial Content", "", b"o");
    archive.response("", 4 * DAY, "304 Not Modified", "", b"");
    archive.cut_short("", 5 * DAY, "on");
    archive.response("", 6 * DAY, "200 OK", "Content-Encoding: rot13\r\n", b"bar");
    archive.page("", 7 * DAY, "two");
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    assert_eq!(rows, [row("", 1, None, "one"), row("", 7 * DAY, Some(1), "two")]);
    let skipped: Vec<(Reason, usize)> = summary.skipped.into_iter().collect();
    let expected = [
        (Reason::Redirect, 2),
        (Reason::Status, 2),
        (Reason::CutShort, 1),
        (Reason::Undecodable, 1),
    ];
    assert_eq!(skipped, expected);
}

#[test]
fn bodies_are_compared_as_they_were_meant() {
    let mut archive = Archive::default();
    archive.page("", 1, "hello, world");
    let packed = gzip(b"hello, world");
    archive.response("", 2 * DAY, "200 OK", "Content-Encoding: gzip\r\n", &packed);
    let chunks = b"5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n";
    archive.response("", 3 * DAY, "200 OK", "Transfer-Encoding: chunked\r\n", chunks);
    let half = packed.len() / 2;
    let (first, second) = packed.split_at(half);
    let chunks = [
        format!("{:x}\r\n", first.len()).as_bytes(),
        first,
        format!("\r\n{:X}\r\n", second.len()).as_bytes(),
        second,
        b"\r\n0\r\n\r\n",
    ]
    .concat();
    let both = "transfer-encoding: chunked\r\ncontent-encoding: gzip\r\n";
    archive.response("", 4 * DAY, "200 OK", both, &chunks);
    archive.response("", 5 * DAY, "200 OK", "Content-Encoding: gzip\r\n", &gzip(b"other"));
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    let expected = [row("", 1, None, "hello, world"), row("", 5 * DAY, Some(4 * DAY), "other")];
    assert_eq!(rows, expected);
    assert_eq!(summary.unchanged, 3);
}

#[test]
fn a_page_first_captured_after_the_start_is_born_then_as_far_as_is_known() {
    let mut archive = Archive::default();
    archive.page("old", 1, "old");
    archive.page("late", 3 * DAY, "late");
    archive.response("missed", 2 * DAY, "404 Not Found", "", b"");
    archive.page("missed", 4 * DAY, "there");
    archive.response("never", 5 * DAY, "404 Not Found", "", b"");
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    let expected = [
        row("late", 3 * DAY, Some(DAY), "late"),
        row("missed", 4 * DAY, Some(2 * DAY), "there"),
        row("old", 1, None, "old"),
    ];
    assert_eq!(rows, expected);
    assert_eq!(summary.pages, 3);
    assert_eq!(summary.skipped[&Reason::NeverThere], 2);
}

#[test]
fn of_the_time_before_the_window_only_its_end_counts() {
    let mut archive = Archive::default();
    archive.page("", 1, "one");
    archive.page("", DAY, "two");
    archive.page("", 2 * DAY, "two");
    archive.page("", 8 * DAY, "three");
    archive.page("", 20 * DAY, "four");
    archive.page("gone", 1, "one");
    archive.response("gone", DAY, "404 Not Found", "", b"");
    archive.page("gone", 4 * DAY, "back");
    let place = Place::with("a.warc.gz", &archive.bytes);
    let mut options = place.options(&["a.warc.gz"]);
    (options.from, options.weeks) = (Some(hour(3 * DAY)), Some(1));
    let (summary, rows) = import_with(&options);
    let expected = [
        row("", DAY, Some(1), "two"),
        row("", 8 * DAY, Some(2 * DAY), "three"),
        row("gone", 4 * DAY, Some(DAY), "back"),
    ];
    assert_eq!(rows, expected);
    assert_eq!((summary.window.start, summary.window.end), (hour(3 * DAY), hour(10 * DAY)));
    assert_eq!(summary.skipped[&Reason::OutsideWindow], 4);
}

#[test]
fn of_two_captures_at_one_instant_the_last_counts() {
    let mut archive = Archive::default();
    archive.page("", 1, "one");
    archive.page("", 3 * DAY, "two");
    archive.page("", 3 * DAY, "three");
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    assert_eq!(rows, [row("", 1, None, "one"), row("", 3 * DAY, Some(1), "three")]);
    assert_eq!(summary.skipped[&Reason::SameInstant], 1);
}

#[test]
fn spellings_of_an_address_are_one_page() {
    let mut archive = Archive::default();
    archive.page("%7Ea#top", 1, "one");
    archive.page("x/../~a", 3 * DAY, "two");
    let (_, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    assert_eq!(rows, [row("~a", 1, None, "one"), row("~a", 3 * DAY, Some(1), "two")]);
}

#[test]
fn a_page_with_a_version_above_the_limit_is_left_out() {
    let mut archive = Archive::default();
    archive.page("", 1, "one");
    archive.page("", 3 * DAY, "two");
    archive.page("large", 1, "small");
    archive.page("large", 2 * DAY, "small");
    archive.page("large", 3 * DAY, &"x".repeat((1 << 20) + 1));
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    assert_eq!(rows.len(), 2);
    assert_eq!((summary.too_large, summary.pages), (1, 1));
    assert_eq!(summary.skipped[&Reason::TooLarge], 3);
}

#[test]
fn resources_are_content_without_a_protocol() {
    let mime = "Content-Type: text/plain\r\n";
    let other = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: urn:page:1\r\n\
         WARC-Date: 2026-01-02T00:00:00Z\r\nContent-Length: 1\r\n\r\nx\r\n\r\n";
    let file = [
        plain("resource", "", "2026-01-01T01:00:00Z", mime, b"one"),
        plain("metadata", "", "2026-01-02T00:00:00Z", mime, b"about it"),
        other.as_bytes().to_vec(),
        plain("resource", "", "2026-01-03T00:00:00Z", mime, b"two"),
    ];
    let place = Place::with("a.warc", &file.concat());
    let (summary, rows) = place.import(&["a.warc"]);
    assert_eq!(rows, [row("", 1, None, "one"), row("", 2 * DAY, Some(1), "two")]);
    assert_eq!(summary.skipped[&Reason::Address], 1);
    let mut reader = TraceReader::open(&place.path("out.parquet")).unwrap();
    let mimes = reader.heads().unwrap().flat_map(Result::unwrap).map(|head| head.mime);
    assert_eq!(mimes.collect::<Vec<_>>(), ["text/plain", "text/plain"]);
}

#[test]
fn the_same_files_make_the_same_bytes() {
    let mut archive = Archive::default();
    for page in 0..50 {
        archive.page(&format!("{}", page * 7919 % 50), page % 20, "one");
        archive.page(&format!("{page}"), DAY + page, "two");
    }
    let place = Place::with("a.warc.gz", &archive.bytes);
    place.import(&["a.warc.gz"]);
    let first = std::fs::read(place.path("out.parquet")).unwrap();
    place.import(&["a.warc.gz"]);
    assert_eq!(std::fs::read(place.path("out.parquet")).unwrap(), first);
}
