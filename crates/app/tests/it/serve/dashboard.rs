//! The dashboard and the pages around it: that they answer what an operator asks.
use std::{
    io::{BufRead, BufReader, Read, Write},
    time::{Duration, Instant},
};

use super::served::{HOSTILE, Served};

/// Waits until the log has been read and the next visits are planned.
fn settled(served: &Served) -> String {
    let start = Instant::now();
    loop {
        let body = served.get("/dashboard").body;
        if body.contains("if nothing changes until then") || start.elapsed().as_secs() > 60 {
            return body;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn the_dashboard_answers_its_questions_in_their_order() {
    let served = Served::new("--freshness-target 95%");
    let body = settled(&served);
    let mut from = 0;
    for heading in [
        "How fresh is it?",
        "What did the budget buy?",
        "What changed lately?",
        ">Hosts</h2>",
        "Now and next",
        "What would more buy?",
        ">Errors</h2>",
        ">Policy</h2>",
        "What is held",
    ] {
        let at = body[from..].find(heading);
        from += at.unwrap_or_else(|| panic!("{heading} is missing or out of order: {body}"));
    }
    // One of three visits of the refresh caught a change.
    assert!(body.contains("caught <b>33.3</b> changes"), "{body}");
    assert!(body.contains("Tide tables") && body.contains("<ins class=\"key\">+"), "{body}");
    assert!(body.contains("tiny.example</bdi></a>"), "{body}");
    assert!(body.contains("It is the default without a query workload"), "{body}");
    // Three visits are too few to say what more would buy, and that is said.
    let start = Instant::now();
    while !served.get("/dashboard").body.contains("The history is too short for advice: 3 repeated")
    {
        assert!(start.elapsed().as_secs() < 60, "{}", served.get("/dashboard").body);
        std::thread::sleep(Duration::from_millis(200));
    }
    // Each of the next visits has its reason.
    let visits = body.matches("/why\"").count();
    assert_eq!(body.matches("class=\"sentence\"").count(), visits, "{body}");
    assert!(visits >= 3 && body.contains("<td class=\"sentence\">Last seen "), "{body}");
    let moved = served.get("/status");
    assert_eq!((moved.status, moved.header("location")), (302, "/dashboard"));
}

#[test]
fn changes_can_be_narrowed_to_a_site_and_a_time() {
    let served = Served::new("");
    settled(&served);
    for (path, says) in [
        ("/changes", "Tide tables"),
        ("/changes?site=tiny.example&within=1d", "Tide tables"),
        ("/changes?site=example", "Tide tables"),
        ("/changes?site=other.example", "No change matches"),
        ("/changes?before=1", "No change matches"),
    ] {
        let reply = served.get(path);
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.body.contains(says), "{path}: {}", reply.body);
    }
    assert_eq!(served.get("/changes?within=soon").status, 400);
    let latest = served.json("/api/changes");
    let change = &latest["changes"][0];
    assert_eq!(change["title"], "Tide tables");
    assert_eq!(
        (&change["summary"]["added"], &change["summary"]["removed"]),
        (&serde_json::json!(2), &serde_json::json!(1))
    );
    let link = change["link"].as_str().unwrap();
    let compared = served.get(link);
    assert_eq!(compared.status, 200);
    assert!(compared.body.contains("added: </span>ten</ins>"), "{}", compared.body);
    assert_eq!(served.json("/api/changes?site=other.example")["changes"], serde_json::json!([]));
    assert_eq!(served.get("/api/changes?before=3&after=2").status, 400);
}

#[test]
fn the_atom_feed_has_an_entry_for_each_change() {
    let served = Served::new("");
    settled(&served);
    let reply = served.get("/changes.atom");
    assert_eq!(reply.header("content-type"), "application/atom+xml; charset=utf-8");
    assert_eq!(reply.body.matches("<entry>").count(), 1, "{}", reply.body);
    for part in [
        "<title>Tide tables</title>",
        "2 words added, 1 removed: ten",
        "<link rel=\"via\" href=\"http://tiny.example/tides\"/>",
        "/compare?from=",
        "<author><name>tiny.example</name></author>",
    ] {
        assert!(reply.body.contains(part), "{part}: {}", reply.body);
    }
    let other = served.get("/changes.atom?site=other.example");
    assert_eq!(links(&reply.body), links(&other.body) + 1);
    assert_eq!(other.body.matches("<entry>").count(), 0);
    assert!(other.body.contains("Changes on other.example"));
    let hostile = served.get("/changes.atom?site=%3Cscript%3E&within=1d");
    assert!(!hostile.body.contains("<script"), "{}", hostile.body);
}

/// The links that this program's own reader of feeds finds.
fn links(feed: &str) -> usize {
    let address = "http://127.0.0.1/changes.atom";
    let snapshot = extract::read::read(address, "application/atom+xml", feed.as_bytes());
    assert_eq!(snapshot.form, crawl::Form::Feed);
    snapshot.links.links().len()
}

#[test]
fn hosts_have_a_list_and_a_page_each() {
    let served = Served::new("");
    settled(&served);
    let list = served.get("/hosts").body;
    assert!(list.contains("1 host") && list.contains("href=\"/host/0\""), "{list}");
    assert!(served.get("/hosts?site=none").body.contains("No host is known"));
    let host = served.get("/host/0").body;
    for part in ["3 pages", "robots.txt", "1.0 s, as configured", "Tide tables", "None in the last"]
    {
        assert!(host.contains(part), "{part}: {host}");
    }
    assert!(host.contains("/changes.atom?site=tiny.example"), "{host}");
    assert_eq!(served.get("/host/7").status, 404);
}

#[test]
fn why_is_a_page_that_says_what_the_command_says() {
    let served = Served::new("");
    settled(&served);
    let tides = served.number("/tides");
    let body = served.get(&format!("/page/{tides}/why")).body;
    for part in ["Next visit", "in the next cycle", "unified", "Politeness"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    let folder = served.data();
    let command =
        crate::common::run(folder.parent().unwrap(), "why http://tiny.example/tides --data data");
    let printed = crate::common::text(&command);
    let changes = printed.lines().find(|line| line.contains("  Changes ")).unwrap();
    let counts = changes.trim().trim_start_matches("Changes").trim().split(';').next().unwrap();
    assert!(body.contains(counts), "{counts}: {body}");
    assert_eq!(served.get("/page/99999/why").status, 404);
}

/// A binary answer: its head and its body.
fn bytes(served: &Served, path: &str) -> (String, Vec<u8>) {
    let mut stream = served.connect();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", served.address);
    stream.write_all(request.as_bytes()).unwrap();
    let mut all = vec![];
    stream.read_to_end(&mut all).unwrap();
    let end = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    (String::from_utf8_lossy(&all[..end]).into_owned(), all[end + 4..].to_vec())
}

#[test]
fn a_version_can_be_downloaded_as_a_warc_file_and_shown_without_rights() {
    let served = Served::new("");
    let evil = served.number("/evil");
    let version = served.json(&format!("/api/page?no={evil}"))["versions"][0]["number"].clone();
    let here = format!("/page/{evil}/version/{version}");
    let page = served.get(&here);
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("<iframe class=\"replay\" sandbox=\"\" tabindex=\"-1\""),
        "{}",
        page.body
    );
    let (head, record) = bytes(&served, &format!("{here}/record"));
    assert!(head.contains("attachment; filename=\"sanderling-"), "{head}");
    let path = served.data().join("downloaded.warc.gz");
    std::fs::write(&path, &record).unwrap();
    let place = warc::RecordLocation { offset: 0, length: record.len() as u64 };
    let read = warc::read_at(&path, place).unwrap();
    assert_eq!(read.target(), Some("http://tiny.example/evil"));
    let frame = served.get(&format!("{here}/frame"));
    let policy = frame.header("content-security-policy");
    assert!(policy.starts_with("sandbox; default-src 'none';"), "{policy}");
    assert!(!policy.contains("allow-") && !policy.contains("script-src"), "{policy}");
    assert_eq!(frame.header("x-frame-options"), "SAMEORIGIN");
    assert!(frame.body.contains("Hostile sandpiper"), "{}", frame.body);
    assert!(frame.body.contains(&HOSTILE.replace('<', "&lt;")), "{}", frame.body);
    for path in
        [format!("/page/{evil}/version/99999"), format!("/page/999/version/{version}/frame")]
    {
        assert_eq!(served.get(&path).status, 404, "{path}");
    }
}

#[test]
fn open_pages_are_told_of_new_visits() {
    let served = Served::new("");
    settled(&served);
    let mut stream = served.connect();
    let request = format!("GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
    stream.write_all(request.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    assert!(head.iter().any(|line| line.contains("text/event-stream")), "{head:?}");
    served.refresh();
    let event = lines.find(|line| line.starts_with("event: ")).unwrap();
    assert_eq!(event, "event: published");
    assert!(served.get("/metrics").body.contains("sanderling_event_streams 1"));
    let head = served.ask("HEAD", "/events", &served.address.to_string());
    assert_eq!((head.status, head.header("content-type")), (200, "text/event-stream"));
}
