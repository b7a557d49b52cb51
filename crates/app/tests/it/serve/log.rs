//! What is remembered of queries, and what is not.
use store::QueryLog;

use super::served::Served;

/// What is on disk, whatever day it is.
fn written(served: &Served) -> (Vec<String>, Vec<String>) {
    let log = QueryLog::open_to_read(&served.data()).unwrap().unwrap();
    let asked = log.days(i64::MAX / 2).unwrap();
    let clicked = log.clicks(i64::MAX / 2).unwrap();
    (
        asked.into_iter().map(|(_, text, count)| format!("{text}: {count}")).collect(),
        clicked.into_iter().map(|(_, text, to, count)| format!("{text} {to}: {count}")).collect(),
    )
}

#[test]
fn queries_are_counted_without_anything_about_who_asked() {
    let mut served = Served::new("");
    let tides = served.number("/tides");
    for path in [
        "/search?q=Tide",
        "/search?q=+tide++",
        "/api/search?q=TIDE",
        // Not counted: a further page, a private matter, something overlong, what was not answered.
        "/search?q=tide&p=2",
        "/api/search?q=tide&offset=10",
        "/search?q=jo%40example.org+address",
        "/search?q=call+555+1234",
        &format!("/search?q={}", "long+".repeat(50)),
        "/search?q=",
        "/search?q=tide&p=0",
    ] {
        served.get(path);
    }
    let local = served.address.to_string();
    served.get(&format!("/go/{tides}?q=tide&r=1"));
    served.ask("HEAD", &format!("/go/{tides}?q=looked+only&r=1"), &local);
    served.get("/go/99999?q=nowhere");
    assert_eq!(served.stop(), Some(0));
    let (asked, clicked) = written(&served);
    assert_eq!(asked, ["tide: 3"]);
    assert_eq!(clicked, ["tide http://tiny.example/tides: 1"]);
    // Nothing but days and counts: no time of day, no address of a reader, no agent.
    let bytes = std::fs::read(served.data().join("queries.db")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    for never in ["127.0.0.1", "jo@example", "555", "agent"] {
        assert!(!text.contains(never), "{never}");
    }
}

#[test]
fn nothing_is_counted_where_that_is_not_wanted() {
    let mut served = Served::new("--query-log no");
    let body = served.get("/search?q=harbour").body;
    assert!(body.contains("href=\"http://tiny.example/tides\""), "{body}");
    assert!(!body.contains("/go/"));
    assert_eq!(served.stop(), Some(0));
    assert!(!served.data().join("queries.db").exists());
}
