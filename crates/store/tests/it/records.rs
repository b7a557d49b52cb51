//! Archive records of exchanges.

use std::fs;

use crawl::{
    Fault, FaultKind, HostUpdate, Outcome, Repository as _, RobotsCopy, RobotsState, Time, Update,
};
use store::{RecordForm, View, verify};
use warc::cdxj::CdxjReader;
use warc::{Record, RecordKind, RecordLocation, WarcReader, read_at};

use crate::common::{Home, Reply, Site, day, exchange, html, on, page};

const IDENTICAL: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// Crawls the front page on days 1 to `days`.
fn crawled(days: i64, rule: impl Fn(i64) -> Reply + 'static) -> Home {
    let mut site = Site::new(move |_, now: Time| rule((now - day(0)).days() as i64));
    let home = Home::new();
    let mut store = home.open();
    for number in 1..=days {
        site.cycle(&mut store, number);
    }
    store.finish().unwrap();
    verify(&home.path()).unwrap();
    home
}

fn records(home: &Home) -> Vec<Record> {
    let folder = home.path().join("archive");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|path| WarcReader::open(path).unwrap()).map(Result::unwrap).collect()
}

fn answers(home: &Home) -> Vec<Record> {
    let is_answer =
        |record: &Record| matches!(record.kind(), RecordKind::Response | RecordKind::Revisit);
    records(home).into_iter().filter(is_answer).collect()
}

#[track_caller]
fn refers_to(revisit: &Record, original: &Record, profile: &str) {
    assert_eq!(revisit.kind(), RecordKind::Revisit);
    assert_eq!(original.kind(), RecordKind::Response);
    assert_eq!(revisit.field("WARC-Profile"), Some(profile));
    assert_eq!(revisit.field("WARC-Refers-To"), original.field("WARC-Record-ID"));
    assert_eq!(revisit.field("WARC-Refers-To-Date"), original.field("WARC-Date"));
    assert_eq!(revisit.field("WARC-Refers-To-Target-URI"), original.field("WARC-Target-URI"));
    assert_eq!(revisit.payload_digest(), original.payload_digest());
}

#[test]
fn the_same_bytes_again_are_a_revisit_of_the_response_that_has_them() {
    let home = crawled(3, |_| page("text", &[]));
    let answers = answers(&home);
    assert_eq!(answers.len(), 3);
    refers_to(&answers[1], &answers[0], IDENTICAL);
    // Never to a revisit.
    refers_to(&answers[2], &answers[0], IDENTICAL);
}

#[test]
fn not_modified_is_a_revisit_of_the_response_that_has_the_payload() {
    let home = crawled(3, |_| Reply::Tagged(html("text", &[])));
    let answers = answers(&home);
    refers_to(&answers[1], &answers[0], NOT_MODIFIED);
    refers_to(&answers[2], &answers[0], NOT_MODIFIED);
    assert!(answers[2].block.is_empty());
}

#[test]
fn other_bytes_with_the_same_text_are_a_response_and_the_next_revisit_is_of_that() {
    let text = |comment: &str| Reply::Page(format!("<!--{comment}-->{}", html("text", &[])));
    let home = crawled(3, move |number| text(if number == 1 { "old" } else { "new" }));
    let answers = answers(&home);
    assert_eq!(answers[1].kind(), RecordKind::Response);
    refers_to(&answers[2], &answers[1], IDENTICAL);
    let view = View::open(&home.path()).unwrap();
    let page = view.page(&on("")).unwrap().unwrap();
    assert_eq!(page.held.unwrap().at.millis() / 86_400_000, day(2).millis() / 86_400_000);
    let outcomes: Vec<Outcome> =
        view.visits(page.page, 9).unwrap().iter().map(|visit| visit.outcome).collect();
    assert_eq!(outcomes, [Outcome::Same, Outcome::Same, Outcome::First]);
}

#[test]
fn the_same_bytes_that_read_otherwise_are_a_response() {
    // Only the header has `noindex`.
    let home = crawled(2, |number| match number {
        1 => page("text", &[]),
        _ => Reply::With("X-Robots-Tag: noindex\r\n", html("text", &[])),
    });
    assert!(answers(&home).iter().all(|answer| answer.kind() == RecordKind::Response));
    assert_eq!(View::open(&home.path()).unwrap().totals().unwrap().noindex, 1);
}

#[test]
fn every_answer_is_kept_with_its_request_whatever_its_status() {
    let home = crawled(6, |number| match number {
        1 => Reply::Status(500),
        2 => page("text", &[]),
        3 => Reply::Moved("http://x.example/"),
        4 => Reply::Status(404),
        5 => Reply::Timeout,
        _ => Reply::Status(410),
    });
    let answers = answers(&home);
    let statuses: Vec<u16> =
        answers.iter().map(|answer| answer.http_response().unwrap().status).collect();
    assert_eq!(statuses, [500, 200, 301, 404, 410]);
    let requests: Vec<Record> =
        records(&home).into_iter().filter(|r| r.kind() == RecordKind::Request).collect();
    for (request, answer) in requests.iter().zip(&answers) {
        assert_eq!(request.field("WARC-Concurrent-To"), answer.field("WARC-Record-ID"));
    }
    assert_eq!(requests.len(), 5);
}

#[test]
fn a_robots_txt_is_kept_with_all_its_exchanges_and_remembered() {
    let home = Home::new();
    let mut store = home.open();
    let origin = "http://a.example".to_owned();
    let text = "User-agent: *\nDisallow: /no\n";
    let copy = RobotsCopy {
        origin: origin.clone(),
        requested_at: day(1),
        fetches: 2,
        state: RobotsState::Given,
        good: Some((day(1), text.as_bytes().to_vec())),
        sitemaps: vec![on("map.xml"), on("with \"quotes\".xml")],
        exchanges: vec![
            exchange(&on("robots.txt"), day(1), 301, "Location: /r\r\n", "", ""),
            exchange(&on("r"), day(1), 200, "", "text/plain", text),
        ],
    };
    store.remember(Update::Host(HostUpdate::Robots(copy.clone()))).unwrap();
    let unreachable = RobotsCopy {
        origin: "http://b.example".to_owned(),
        state: RobotsState::Unreachable(Fault {
            kind: FaultKind::Tls,
            why: "no secure connection".to_owned(),
        }),
        good: None,
        sitemaps: vec![],
        exchanges: vec![],
        ..copy.clone()
    };
    store.remember(Update::Host(HostUpdate::Robots(unreachable.clone()))).unwrap();
    let remembered = [RobotsCopy { exchanges: vec![], ..copy }, unreachable];
    assert_eq!(store.robots().unwrap(), remembered);
    store.finish().unwrap();
    assert_eq!(verify(&home.path()).unwrap().responses, 2);
    let view = View::open(&home.path()).unwrap();
    assert_eq!(view.robots().unwrap(), remembered);
    assert_eq!(view.totals().unwrap().robots_fetches, 4);
    let index = fs::read_dir(home.path().join("indexes")).unwrap().next().unwrap().unwrap().path();
    let urls: Vec<String> =
        CdxjReader::open(&index).unwrap().map(|entry| entry.unwrap().url).collect();
    assert_eq!(urls, [on("r"), on("robots.txt")]);
}

#[test]
fn positions_in_the_log_are_those_of_the_records() {
    let home = crawled(2, |number| page(&format!("on day {number}"), &[]));
    let view = View::open(&home.path()).unwrap();
    let front = view.page(&on("")).unwrap().unwrap();
    for visit in view.visits(front.page, 9).unwrap() {
        let position = visit.position.unwrap();
        let path = home.path().join("archive").join(&*position.file);
        let place = RecordLocation { offset: position.offset, length: position.length };
        let record = read_at(&path, place).unwrap();
        assert_eq!(record.target(), Some(on("").as_str()));
        assert_eq!(visit.record, Some(RecordForm::Response));
        let body = String::from_utf8(record.http_response().unwrap().body.to_vec()).unwrap();
        let number = (visit.at - day(0)).days() as i64;
        assert!(body.contains(&format!("on day {number}")), "{body}");
    }
}
