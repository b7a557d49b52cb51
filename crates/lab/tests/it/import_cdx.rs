//! The importer of capture lists, on small CDX and CDXJ files.
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use lab::import::cdx::{Options, Summary, import};
use lab::import::warc::Reason;
use lab::trace::{DIGEST_TYPE, TraceReader};
use tempfile::TempDir;

const HEADER: &str = " CDX N b a m s k r M S V g\n";

/// A line of 11 fields: day of January 2026, path, media type, status and digest.
fn line(day: u32, path: &str, mime: &str, status: &str, digest: &str) -> String {
    format!(
        "org,example)/{path} 202601{day:02}060000 http://example.org/{path} {mime} {status} {digest} \
         - - 700 0 x.warc.gz\n"
    )
}

fn page(day: u32, path: &str, digest: &str) -> String {
    line(day, path, "text/html", "200", digest)
}

struct Lists {
    folder: TempDir,
    files: Vec<PathBuf>,
}

impl Lists {
    fn new(texts: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |(number, text): (usize, &&str)| {
            let path = folder.path().join(format!("{number}.cdx"));
            fs::write(&path, text).unwrap();
            path
        };
        let files = texts.iter().enumerate().map(write).collect();
        Self { folder, files }
    }

    fn options(&self) -> Options {
        Options {
            files: self.files.clone(),
            from: None,
            weeks: None,
            source: None,
            output: self.folder.path().join("site.parquet"),
        }
    }

    fn import(&self) -> (Summary, Vec<String>) {
        let options = self.options();
        let summary = import(&options).unwrap();
        (summary, rows(&options))
    }

    fn error(&self) -> String {
        let options = self.options();
        let error = import(&options).unwrap_err();
        assert!(!options.output.exists());
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        let text = format!("{error}{}", cause.unwrap_or_default());
        text.replace(&format!("{}/", self.folder.path().display()), "")
    }
}

/// The rows as `DAY[<DAY] PATH BODY`: the day, the last day before it that showed something else, and the
/// digest, or the status where the page is gone.
fn rows(options: &Options) -> Vec<String> {
    let day = |time: crawl::Time| (time.millis() - 1_767_225_600_000).div_euclid(86_400_000) + 1;
    let heads: Vec<_> = TraceReader::open(&options.output)
        .unwrap()
        .heads()
        .unwrap()
        .flat_map(Result::unwrap)
        .collect();
    let mut reader = TraceReader::open(&options.output).unwrap();
    assert!(reader.has_digests_only());
    let bodies = reader.batches().unwrap().flat_map(Result::unwrap).map(|row| row.body);
    let row = |(head, body): (lab::trace::Head, Option<Vec<u8>>)| {
        assert!(head.mime.starts_with(DIGEST_TYPE), "{}", head.mime);
        let after = head.after.map_or(String::new(), |after| format!("<{}", day(after)));
        let path = head.url.strip_prefix("http://example.org").unwrap().to_owned();
        let body =
            body.map_or_else(|| head.status.to_string(), |body| String::from_utf8(body).unwrap());
        format!("{}{after} {path} {body}", day(head.at))
    };
    heads.into_iter().zip(bodies).map(row).collect()
}

#[test]
fn a_change_is_another_digest_and_lies_between_two_captures() {
    // Not in order, with a second header and with a page that is gone.
    let text = [
        HEADER,
        &page(15, "", "B"),
        &page(1, "", "A"),
        HEADER,
        &page(8, "", "A"),
        &page(1, "a", "C"),
        &line(15, "a", "text/html", "404", "D"),
        &page(22, "", "B"),
        &page(20, "new", "E"),
    ]
    .concat();
    let (summary, rows) = Lists::new(&[&text]).import();
    assert_eq!(rows, ["1 / A", "15<8 / B", "1 /a C", "15<1 /a 404", "20<2 /new E"]);
    assert_eq!((summary.captures, summary.pages, summary.pages_at_start), (7, 3, 2));
    assert_eq!((summary.versions, summary.vanished, summary.unchanged), (4, 1, 2));
    let gaps = summary.gaps.unwrap();
    assert_eq!((gaps.changes, gaps.uncertain), (3, 3));
}

#[test]
fn revisits_show_what_they_say_and_redirects_show_nothing() {
    let text = [
        HEADER,
        &page(1, "", "A"),
        &line(2, "", "warc/revisit", "-", "A"),
        &line(3, "", "warc/revisit", "-", "-"),
        &line(4, "", "text/html", "301", "R"),
        &line(5, "", "text/html", "503", "S"),
        &line(6, "", "text/html", "200", "-"),
        &line(7, "", "warc/revisit", "304", "B"),
        &line(8, "b", "warc/revisit", "-", "-"),
        &line(9, "gone", "text/html", "404", "G"),
    ]
    .concat();
    let (summary, rows) = Lists::new(&[&text]).import();
    assert_eq!(rows, ["1 / A", "7<3 / B"]);
    assert_eq!(summary.unchanged, 2);
    let skipped: Vec<(Reason, usize)> = summary.skipped.into_iter().collect();
    assert_eq!(
        skipped,
        [
            (Reason::Redirect, 1),
            (Reason::Status, 1),
            (Reason::NoDigest, 1),
            (Reason::NoOriginal, 1),
            (Reason::NeverThere, 1)
        ]
    );
}

#[test]
fn duplicates_count_once_and_the_last_line_of_an_instant_counts() {
    let twice = page(5, "", "B");
    let text = [HEADER, &page(1, "", "A"), &twice, &twice, &page(5, "", "C")].concat();
    let (summary, rows) = Lists::new(&[&text]).import();
    assert_eq!(rows, ["1 / A", "5<1 / C"]);
    assert_eq!(summary.skipped, [(Reason::SameInstant, 2)].into());
}

#[test]
fn all_formats_give_the_same_trace() {
    let digests = ["3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "BAQXW4PTTAYY3IEV6PRCGQR43VSLXW4W"];
    let days = [(1, digests[0]), (9, digests[1])];
    let eleven: String = days.iter().map(|(day, digest)| page(*day, "", digest)).collect();
    let with_header = format!("{HEADER}{eleven}");
    let nine = days.map(|(day, digest)| {
            format!(
                "org,example)/ 202601{day:02}060000 http://example.org/ text/html 200 {digest} - 0 x\n"
            )
        }).concat();
    let seven = nine.replace(" - 0 x\n", " 700\n");
    let cdxj = days
        .map(|(day, digest)| {
            format!(
                "org,example)/ 202601{day:02}060000 {{\"url\": \"http://example.org/\", \
                 \"status\": \"200\", \"mime\": \"text/html\", \"digest\": \"sha1:{digest}\"}}\n"
            )
        })
        .concat();
    let expected = [format!("1 / sha1:{}", digests[0]), format!("9<1 / sha1:{}", digests[1])];
    for text in [&eleven, &with_header, &nine, &seven, &cdxj] {
        let (summary, rows) = Lists::new(&[text]).import();
        assert_eq!(rows, expected, "{text}");
        assert_eq!(summary.malformed, 0);
    }
    let lists = Lists::new(&[""]);
    let mut zipped = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    zipped.write_all(cdxj.as_bytes()).unwrap();
    fs::write(&lists.files[0], zipped.finish().unwrap()).unwrap();
    assert_eq!(lists.import().1, expected, "gzip");
    // Lines of several files are one list.
    let (one, other) = nine.split_at(nine.find('\n').unwrap() + 1);
    assert_eq!(Lists::new(&[other, one]).import().1, expected);
}

#[test]
fn malformed_lines_are_counted_and_named_with_file_and_line() {
    let text =
        [HEADER, &page(1, "", "A"), "nonsense\n", &page(9, "", "B").replace("20260109", "202613")]
            .concat();
    let lists = Lists::new(&[&text, &page(8, "", "C"), "three words here\n"]);
    let (summary, rows) = lists.import();
    assert_eq!(rows, ["1 / A", "8<1 / C"]);
    assert_eq!(summary.malformed, 3);
    let named: Vec<String> = summary
        .warnings
        .iter()
        .map(|line| line.replace(&format!("{}/", lists.folder.path().display()), ""))
        .collect();
    assert_eq!(
        named,
        [
            "line 3 of 0.cdx: it has 1 fields, and the header names 11",
            "line 4 of 0.cdx: its date is not 14 digits",
            "line 1 of 2.cdx: it has 3 fields; without a header, lines of CDX have 7, 9, 10 or 11"
        ]
    );
}

#[test]
fn a_file_that_is_cut_off_loses_its_end_only() {
    let text: String = (1..=28).map(|day| page(day, "", &format!("D{day}"))).collect();
    let mut zipped = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    zipped.write_all(text.as_bytes()).unwrap();
    let whole = zipped.finish().unwrap();
    let lists = Lists::new(&[""]);
    fs::write(&lists.files[0], &whole[..whole.len() - 12]).unwrap();
    let (summary, rows) = lists.import();
    assert!(rows.len() > 5, "{rows:?}");
    assert!(summary.malformed >= 1 && summary.warnings.iter().any(|line| line.contains("0.cdx")));
}

#[test]
fn files_in_which_nothing_can_be_read_are_refused() {
    assert_eq!(
        Lists::new(&["<html>\n<p>A page\n"]).error(),
        "none of 2 lines is one of CDX or CDXJ: line 1 of 0.cdx: it has 1 fields; without a header, lines \
         of CDX have 7, 9, 10 or 11"
    );
    assert_eq!(Lists::new(&[HEADER]).error(), "0.cdx: is empty, not a list of captures");
    let redirect = line(1, "", "text/html", "301", "R");
    assert_eq!(
        Lists::new(&[&redirect]).error(),
        "these files hold 1 captures, and none of them shows a page or that one is gone"
    );
    let mut lists = Lists::new(&[]);
    lists.files.push(lists.folder.path().join("none.cdx"));
    assert!(lists.error().starts_with("cannot open none.cdx"));
}
