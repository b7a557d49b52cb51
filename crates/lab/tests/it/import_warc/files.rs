//! Which files captures are read from, what is damaged in them, and what is refused.

use std::fs;

use super::archive::{Archive, Place, Written, gzip, hour, import_with, plain, row};
use warc::WarcReader;
use warc::cdxj::{self, CdxjEntry};

const DAY: i64 = 24;

/// A page that changes, and another that does not.
fn archive() -> Archive {
    let mut archive = Archive::default();
    let one = archive.page("", 1, "one");
    archive.page("a", 2, "a");
    archive.identical("", 2 * DAY, &one);
    archive.page("", 4 * DAY, "two");
    archive
}

fn expected() -> [Written; 3] {
    [row("", 1, None, "one"), row("", 4 * DAY, Some(2 * DAY), "two"), row("a", 2, None, "a")]
}

/// Writes an index of a WARC file.
fn write_index(place: &Place, warc: &str, index: &str) {
    let path = place.path(warc);
    let name = path.file_name().unwrap().to_str().unwrap();
    let records = WarcReader::open(&path).unwrap().map(Result::unwrap);
    let entries: Vec<CdxjEntry> =
        records.filter_map(|record| CdxjEntry::from_record(&record, name)).collect();
    fs::create_dir_all(place.path(index).parent().unwrap()).unwrap();
    cdxj::write(&place.path(index), entries).unwrap();
}

#[test]
fn an_index_leads_to_records_next_to_it_or_in_the_archive() {
    let place = Place::with("archive/a.warc.gz", &archive().bytes);
    write_index(&place, "archive/a.warc.gz", "indexes/all.cdxj");
    assert_eq!(place.import(&["indexes/all.cdxj"]).1, expected());
    write_index(&place, "archive/a.warc.gz", "archive/all.cdxj");
    assert_eq!(place.import(&["archive/all.cdxj"]).1, expected());
}

#[test]
fn a_folder_is_all_files_in_it_and_each_capture_counts_once() {
    let place = Place::with("data/archive/a.warc.gz", &archive().bytes);
    write_index(&place, "data/archive/a.warc.gz", "data/indexes/one.cdxj");
    write_index(&place, "data/archive/a.warc.gz", "data/indexes/two.cdxj");
    place.write("data/notes.txt", b"not of interest");
    let (summary, rows) = place.import(&["data", "data/archive/a.warc.gz"]);
    assert_eq!(rows, expected());
    assert_eq!(summary.captures, 4);
    let (summary, _) = place.import(&["data/indexes"]);
    assert_eq!(summary.captures, 4);
}

#[test]
fn a_file_compressed_as_a_whole_is_read_like_any_other() {
    let page = |path: &str, date: &str, body: &str| {
        plain("response", path, date, "", format!("HTTP/1.0 200 OK\r\n\r\n{body}").as_bytes())
    };
    let file = [
        page("", "2026-01-01T01:00:00Z", "one"),
        page("a", "2026-01-01T02:00:00Z", "a"),
        page("", "2026-01-03", "one"),
        page("", "2026-01-05", "two"),
    ]
    .concat();
    let place = Place::with("a.warc", &file);
    assert_eq!(place.import(&["a.warc"]).1, expected());
    place.write("b.warc.gz", &gzip(&file));
    assert_eq!(place.import(&["b.warc.gz"]).1, expected());
    // The trace and the two files, and nothing else.
    assert_eq!(fs::read_dir(place.folder.path()).unwrap().count(), 3);
}

#[test]
fn a_damaged_tail_costs_what_is_in_it() {
    let mut archive = archive();
    let whole = archive.bytes.len();
    archive.page("", 5 * DAY, "three");
    archive.bytes.truncate(whole + 20);
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    assert_eq!(rows, expected());
    assert_eq!(summary.damaged, 1);
    assert!(
        summary.warnings[0].ends_with(&format!("a.warc.gz ends inside the record at byte {whole}")),
        "{:?}",
        summary.warnings
    );
}

#[test]
fn what_follows_a_damaged_record_is_read() {
    let mut archive = archive();
    let begins = archive.bytes.len();
    archive.page("", 5 * DAY, "three");
    // In the checksum, so that it is found out at the end of the record only.
    let checksum = archive.bytes.len() - 8;
    archive.bytes[checksum] ^= 1;
    archive.page("a", 6 * DAY, "b");
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    let [one, two, three] = expected();
    assert_eq!(rows, [one, two, three, row("a", 6 * DAY, Some(2), "b")]);
    assert_eq!(summary.damaged, 1);
    assert!(summary.warnings[0].contains(&format!("at byte {begins}")), "{:?}", summary.warnings);
}

#[test]
fn what_follows_a_wrong_length_is_read() {
    let page = |date: &str, body: &str| plain("resource", "", date, "", body.as_bytes());
    let broken = page("2026-01-02", "lost").replace(b"Length: 4", b"Length: x");
    let file = [page("2026-01-01T01:00:00Z", "one"), broken, page("2026-01-03", "two")].concat();
    let place = Place::with("a.warc", &file);
    let (summary, rows) = place.import(&["a.warc"]);
    assert_eq!(rows, [row("", 1, None, "one"), row("", 2 * DAY, Some(1), "two")]);
    assert_eq!(summary.damaged, 1);
}

/// Replacing in bytes, of the same length.
trait Replace {
    fn replace(self, from: &[u8], to: &[u8]) -> Self;
}

impl Replace for Vec<u8> {
    fn replace(mut self, from: &[u8], to: &[u8]) -> Self {
        let at = self.windows(from.len()).position(|bytes| bytes == from).unwrap();
        self[at..at + to.len()].copy_from_slice(to);
        self
    }
}

#[test]
fn ten_warnings_are_enough() {
    let mut archive = archive();
    for number in 0..30 {
        archive.page("", 5 * DAY + number, "lost");
        let checksum = archive.bytes.len() - 8;
        archive.bytes[checksum] ^= 1;
        archive.page("a", 5 * DAY + number, "a");
    }
    let (summary, rows) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    assert_eq!(rows, expected());
    assert_eq!((summary.damaged, summary.warnings.len(), summary.unchanged), (30, 10, 31));
}

#[test]
fn damaged_records_in_a_row_are_one_stretch() {
    let mut archive = archive();
    for number in 0..3 {
        archive.page("", 5 * DAY + number, "lost");
        let checksum = archive.bytes.len() - 8;
        archive.bytes[checksum] ^= 1;
    }
    archive.page("a", 6 * DAY, "a");
    let (summary, _) = Place::with("a.warc.gz", &archive.bytes).import(&["a.warc.gz"]);
    assert_eq!((summary.damaged, summary.unchanged), (1, 2));
}

#[test]
fn a_damaged_line_of_an_index_costs_its_capture() {
    let place = Place::with("a.warc.gz", &archive().bytes);
    write_index(&place, "a.warc.gz", "a.cdxj");
    let text = fs::read_to_string(place.path("a.cdxj")).unwrap();
    let torn = text.replacen("{\"url\": \"https://e.org/a\"", "{", 1);
    assert_ne!(torn, text);
    place.write("a.cdxj", torn.as_bytes());
    let (summary, rows) = place.import(&["a.cdxj"]);
    assert_eq!(rows, expected()[..2]);
    assert_eq!(summary.damaged, 1);
    assert!(summary.warnings[0].contains("line 4 of "), "{:?}", summary.warnings);
}

#[test]
fn files_that_are_none_are_refused() {
    let place = Place::new();
    let said = |name: &str, bytes: &[u8]| {
        place.write(name, bytes);
        place.error(&place.options(&[name]))
    };
    assert_eq!(place.error(&place.options(&["none.warc"])), "none.warc: cannot be opened");
    assert_eq!(said("a.warc.gz", b""), "a.warc.gz: is empty, not a WARC file");
    assert_eq!(said("a.warc.gz", b"\r\n"), "a.warc.gz: is empty, not a WARC file");
    let not_warc = "a.warc.gz: is not a WARC file, compressed or not";
    assert_eq!(said("a.warc.gz", b"x"), not_warc);
    assert_eq!(said("a.warc.gz", b"<html>\n\nWARC/1.0\r\n"), not_warc);
    assert_eq!(said("a.warc.gz", &gzip(b"<html>\n")), not_warc);
    assert_eq!(said("a.warc.gz", b"PK\x03\x04 and so on, as zip files do"), not_warc);
    let cut = &archive().bytes[..40];
    assert_eq!(said("a.warc.gz", cut), "a.warc.gz: not one record in it can be read");
    assert_eq!(said("a.cdxj", b""), "a.cdxj: is empty, not a CDXJ index");
    assert_eq!(said("a.cdxj", b"<html>\n"), "a.cdxj: is not a CDXJ index");
    fs::create_dir(place.path("folder")).unwrap();
    assert_eq!(
        place.error(&place.options(&["folder"])),
        "folder: has no files in it whose names end in .warc, .warc.gz or .cdxj"
    );
}

#[test]
fn an_index_that_names_a_file_nowhere_near_is_refused() {
    let place = Place::with("data/a.warc.gz", &archive().bytes);
    write_index(&place, "data/a.warc.gz", "index/a.cdxj");
    let text = "index/a.cdxj: names the WARC file \"a.warc.gz\", which is neither next to it nor in \
                ../archive";
    assert_eq!(place.error(&place.options(&["index/a.cdxj"])), text);
    let lines = fs::read_to_string(place.path("index/a.cdxj")).unwrap();
    place.write("index/a.cdxj", lines.replace("a.warc.gz", "../data/a.warc.gz").as_bytes());
    assert_eq!(place.error(&place.options(&["index/a.cdxj"])), text.replace("a.w", "../data/a.w"));
}

#[test]
fn captures_that_say_nothing_make_no_trace() {
    let mut archive = Archive::default();
    archive.response("", 1, "301 Moved", "Location: /a\r\n", b"");
    archive.response("", DAY, "500 Error", "", b"");
    let place = Place::with("a.warc.gz", &archive.bytes);
    assert_eq!(
        place.error(&place.options(&["a.warc.gz"])),
        "these files hold 2 captures, and none of them shows a page or that one is gone"
    );
    let mut archive = Archive::default();
    archive.response("", 1, "404 Not Found", "", b"");
    archive.response("", DAY, "404 Not Found", "", b"");
    archive.response("", 2 * DAY, "404 Not Found", "", b"");
    place.write("a.warc.gz", &archive.bytes);
    assert_eq!(
        place.error(&place.options(&["a.warc.gz"])),
        "no page is there between 2026-01-02T00:00:00Z and 2026-01-04T00:00:00Z; 0 were left out as \
         too large"
    );
}

#[test]
fn a_window_must_have_captures_in_it() {
    let mut archive = Archive::default();
    archive.page("", 1, "one");
    archive.page("", 5, "two");
    let place = Place::with("a.warc.gz", &archive.bytes);
    let mut options = place.options(&["a.warc.gz"]);
    assert_eq!(
        place.error(&options),
        "all captures are of one day (2026-01-01, in UTC), so no change can lie between two days; \
         for a shorter window choose --from and --weeks"
    );
    options.from = Some(hour(0));
    assert_eq!(
        place.error(&options),
        "the captures begin on 2026-01-01T01:00:00Z, after the window's start on \
         2026-01-01T00:00:00Z; choose a later --from"
    );
    options.from = Some(hour(6));
    assert_eq!(
        place.error(&options),
        "there are no captures between 2026-01-01T06:00:00Z and 2026-01-02T00:00:00Z; they go from \
         2026-01-01T01:00:00Z to 2026-01-01T05:00:00Z"
    );
    options.weeks = Some(0);
    assert!(place.error(&options).starts_with("a window of 0 weeks is not possible"));
    (options.from, options.weeks) = (Some(hour(2)), None);
    let (_, rows) = import_with(&options);
    assert_eq!(rows, [row("", 1, None, "one"), row("", 5, Some(1), "two")]);
}
