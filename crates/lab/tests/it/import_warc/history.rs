//! Made-up histories, captured at random: what the trace says at a capture is what was captured.

use std::collections::BTreeMap;

use super::archive::{Archive, Place, Written, gzip, hour};
use proptest::prelude::*;
use warc::Original;

/// Instants at which pages may change and be captured, 12 hours from one to the next.
const SLOTS: usize = 24;
const PAGES: usize = 3;

/// What each page shows at each slot; `None` while it is not there.
type GroundTruth = Vec<Vec<Option<u8>>>;

#[derive(Clone, Copy, Debug)]
enum How {
    Plain,
    Packed,
    Chunked,
    /// As a revisit of any capture of the same bytes, if there is one.
    Identical,
    /// As the server's word, if the page's last capture was of the same bytes.
    NotModified,
    /// The server was busy: no evidence.
    Busy,
}

#[derive(Clone, Copy, Debug)]
struct Visit {
    page: usize,
    slot: usize,
    how: How,
    /// Which of two files it goes to.
    file: usize,
}

fn truth() -> impl Strategy<Value = GroundTruth> {
    // Long runs and few contents, so that contents stay, go and come back.
    let run = (prop::option::weighted(0.8, 0_u8..4), 1_usize..8);
    let page = prop::collection::vec(run, SLOTS).prop_map(|runs| {
        let slots = runs.into_iter().flat_map(|(content, length)| vec![content; length]);
        slots.take(SLOTS).collect::<Vec<_>>()
    });
    prop::collection::vec(page, PAGES)
}

fn visits() -> impl Strategy<Value = Vec<Visit>> {
    use How::{Busy, Chunked, Identical, NotModified, Packed, Plain};
    let how = prop::sample::select(vec![Plain, Packed, Chunked, Identical, NotModified, Busy]);
    let visit = (0..PAGES, 0..SLOTS, how, 0_usize..2);
    prop::collection::vec(visit, 0..60).prop_map(|visits| {
        // One at an instant, in the order of time.
        let visits: BTreeMap<(usize, usize), Visit> = visits
            .into_iter()
            .map(|(page, slot, how, file)| ((slot, page), Visit { page, slot, how, file }))
            .collect();
        visits.into_values().collect()
    })
}

fn at(slot: usize) -> i64 {
    12 * slot as i64
}

fn path(page: usize) -> String {
    format!("page-{page}")
}

fn body(content: u8) -> String {
    format!("content {content}")
}

/// Two files of the visits, and a page that is always there to give the window its ends.
fn capture(truth: &GroundTruth, visits: &[Visit]) -> [Vec<u8>; 2] {
    let mut files = [Archive::default(), Archive::default()];
    files[0].page("always", 0, "always");
    files[1].page("always", at(SLOTS), "always");
    let mut originals: BTreeMap<u8, Original> = BTreeMap::new();
    let mut last: BTreeMap<usize, u8> = BTreeMap::new();
    for &Visit { page, slot, how, file } in visits {
        let (file, path) = (&mut files[file], path(page));
        if matches!(how, How::Busy) {
            file.response(&path, at(slot), "503 Busy", "", b"later");
            continue;
        }
        let Some(content) = truth[page][slot] else {
            file.response(&path, at(slot), "404 Not Found", "", b"no such page");
            continue;
        };
        let bytes = body(content).into_bytes();
        let known = originals.get(&content);
        match (how, known) {
            (How::Identical, Some(original)) => file.identical(&path, at(slot), original),
            (How::NotModified, Some(original)) if last.get(&page) == Some(&content) => {
                file.not_modified(&path, at(slot), original);
            }
            (How::Packed, _) => {
                let headers = "Content-Encoding: gzip\r\n";
                file.response(&path, at(slot), "200 OK", headers, &gzip(&bytes));
            }
            (How::Chunked, _) => {
                let chunk = [format!("{:x}\r\n", bytes.len()).as_bytes(), &bytes].concat();
                let chunks = [&chunk[..], b"\r\n0\r\n\r\n"].concat();
                let headers = "Transfer-Encoding: chunked\r\n";
                file.response(&path, at(slot), "200 OK", headers, &chunks);
            }
            _ => {
                let original = file.response(&path, at(slot), "200 OK", "", &bytes);
                originals.insert(content, original);
            }
        }
        last.insert(page, content);
    }
    files.map(|archive| archive.bytes)
}

/// What the rows of a page say is there at `hour`.
fn live<'r>(rows: &[&'r Written], hour: i64) -> Option<&'r str> {
    rows.iter().rfind(|row| row.1 <= hour)?.4.as_deref()
}

proptest! {
    #[test]
    fn a_trace_agrees_with_the_history_at_every_capture(truth in truth(), visits in visits()) {
        let [first, second] = capture(&truth, &visits);
        let place = Place::with("first.warc.gz", &first);
        place.write("second.warc.gz", &second);
        let (summary, rows) = place.import(&["first.warc.gz", "second.warc.gz"]);
        prop_assert_eq!((summary.window.start, summary.window.end), (hour(24), hour(13 * 24)));

        for (page, contents) in truth.iter().enumerate() {
            let rows: Vec<&Written> = rows.iter().filter(|row| row.0 == path(page)).collect();
            let slots: Vec<usize> = visits
                .iter()
                .filter(|visit| visit.page == page && !matches!(visit.how, How::Busy))
                .map(|visit| visit.slot)
                .collect();
            let shown = |slot: usize| contents[slot].map(body);
            for (number, &slot) in slots.iter().enumerate() {
                // What was before the window and did not last until it is not in the trace.
                let lasts = slots.get(number + 1).is_none_or(|&next| at(next) > 24);
                if at(slot) > 24 || lasts {
                    prop_assert_eq!(live(&rows, at(slot)).map(str::to_owned), shown(slot));
                }
            }
            for row in rows {
                let number = slots.iter().position(|&slot| at(slot) == row.1);
                let number = number.expect("every row is a capture");
                prop_assert_eq!(&row.4, &shown(slots[number]));
                match (row.2, number.checked_sub(1).map(|before| slots[before])) {
                    // The capture just before showed something else.
                    (Some(after), Some(before)) => {
                        prop_assert_eq!(after, at(before));
                        prop_assert_ne!(shown(before), shown(slots[number]));
                    }
                    // Nobody looked before: since the window's start, or there from the start.
                    (after, None) => prop_assert_eq!(after, (row.1 > 24).then_some(24)),
                    (None, Some(_)) => prop_assert!(false, "an exact time from captures"),
                }
            }
        }
    }

    #[test]
    fn no_damage_makes_the_import_fall_over(
        truth in truth(),
        visits in visits(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let [mut first, second] = capture(&truth, &visits);
        for (at, byte) in &changes {
            let at = at.index(first.len());
            first[at] = *byte;
        }
        first.truncate(cut.index(first.len()) + 1);
        let place = Place::with("first.warc.gz", &first);
        place.write("second.warc.gz", &second);
        // Whether it succeeds is up to the damage.
        let options = place.options(&["first.warc.gz", "second.warc.gz"]);
        let _ = lab::import::warc::import(&options, &mut |_| ());
    }
}
