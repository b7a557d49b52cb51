//! Nothing fails silently: what gave nothing is named with its reason, dead links are told from pages that
//! went away, and waiting is told.
use std::{
    net::{SocketAddr, TcpListener},
    path::Path,
    process::Output,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::common::{errors, http, json, run, sanderling, serve, text, tiny::TinyWeb};

fn status(folder: &Path) -> Value {
    json(&run(folder, "status --json --data data"))
}

/// An address where nobody listens.
fn dead_port() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Runs the program with these hosts at these addresses.
fn run_at(folder: &Path, hosts: &[(&str, SocketAddr)], arguments: &str) -> Output {
    let at = |(host, address): &(&str, SocketAddr)| format!("{host}={address}");
    let resolve: Vec<String> = hosts.iter().map(at).collect();
    sanderling(folder)
        .args(arguments.split_whitespace())
        .args(["--resolve", &resolve.join(","), "--data", "data"])
        .args(["--delay", "0s", "--response-multiple", "0"])
        .output()
        .unwrap()
}

#[test]
fn every_seed_and_host_that_gave_nothing_is_named_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let live = http::serve_pages(|path| (path == "/").then(|| "<p>tide".to_owned()));
    let failing = http::serve_replies(|_| ("500 Oops", "text/plain", vec![]));
    let forbids = http::serve_replies(|path| match path {
        "/robots.txt" => ("200 OK", "text/plain", b"User-agent: *\nDisallow: /\n".to_vec()),
        _ => ("200 OK", "text/html", vec![]),
    });
    let moves = http::serve_replies(|path| match path {
        "/" => ("301 Moved\r\nLocation: http://elsewhere.example/", "text/html", vec![]),
        _ => ("404 Not Found", "text/html", vec![]),
    });
    let hosts = [
        ("live.example", live),
        ("dead.example", dead_port()),
        ("failing.example", failing),
        ("forbids.example", forbids),
        ("moves.example", moves),
    ];
    let seeds: Vec<String> = hosts.iter().map(|(host, _)| format!("http://{host}/")).collect();
    let long = format!("http://{}.example/", "a".repeat(64));
    let crawl = format!("crawl {} {long} http://live.example/none", seeds.join(" "));
    let output = run_at(folder, &hosts, &format!("{crawl} --contact me@example.org"));
    // One page was fetched, but not all seeds gave something.
    assert_eq!(output.status.code(), Some(7), "{}", errors(&output));
    let told = errors(&output);
    assert!(told.starts_with("error: 6 of 7 seeds gave nothing\n"), "{told}");
    for (seed, reason) in [
        (seeds[1].as_str(), "connection: robots.txt cannot be fetched: no connection"),
        (&seeds[2], "HTTP 5xx: robots.txt cannot be fetched: the server answers 500"),
        (&seeds[3], "robots.txt: robots.txt says \"Disallow: /\""),
        (&seeds[4], "scope: it redirects to http://elsewhere.example/: that is outside the scope"),
        (&long, "DNS: robots.txt cannot be fetched: "),
        ("http://live.example/none", "HTTP 404: there is no such page"),
    ] {
        // One thing per line.
        assert!(
            told.lines().any(|line| line.starts_with(&format!("  {seed}: {reason}"))),
            "{told}"
        );
    }
    let printed = text(&output);
    assert!(printed.contains("Nothing is held of 4 hosts\n"), "{printed}");
    assert!(printed.contains("  dead.example: connection: "), "{printed}");
    assert!(!printed.contains("dead.example: robots.txt"), "{printed}");

    let status = status(folder);
    let reasons: Vec<(&str, &str)> = status["failing_hosts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|host| (host["host"].as_str().unwrap(), host["reason"].as_str().unwrap()))
        .collect();
    let long_host = format!("{}.example", "a".repeat(64));
    let expected = [
        (long_host.as_str(), "DNS"),
        ("dead.example", "connection"),
        ("failing.example", "HTTP 5xx"),
        ("forbids.example", "robots.txt"),
    ];
    assert_eq!(reasons, expected);
    assert_eq!(status["failing_seeds"].as_array().unwrap().len(), 6);
    let cycle = &status["cycles"][0];
    assert_eq!((&cycle["unreachable"], &cycle["refused"]), (&3.into(), &1.into()), "{cycle}");
    let shown = text(&run(folder, "status --data data"));
    assert!(shown.contains("6 of 7 seeds gave nothing"), "{shown}");
    assert!(shown.contains("  forbids.example: robots.txt: "), "{shown}");

    let (mut child, address) = serve(folder, "");
    let page = crate::common::http::get(address, "/dashboard");
    assert!(page.contains("dead.example: connection"), "{page}");
    let metrics = crate::common::http::get(address, "/metrics");
    assert!(metrics.contains("sanderling_failing_seeds 6"), "{metrics}");
    assert!(metrics.contains("sanderling_failing_hosts{reason=\"DNS\"} 1"), "{metrics}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn nothing_is_said_where_nothing_failed() {
    let (folder, web) = (tempfile::tempdir().unwrap(), TinyWeb::new(&[("/", "<p>tide")]));
    let output = web.run(folder.path(), "crawl http://tiny.example/");
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(errors(&output), "");
    assert!(!text(&output).contains("Nothing is held"), "{}", text(&output));
}

/// A web of 51 pages that are there and 60 that are linked and are not. Also what was asked for.
fn web_with_dead_links() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(vec![]));
    let log = Arc::clone(&asked);
    let link = |path: String| format!("<a href={path}>{path}</a> ");
    let live: String = (1..=50).map(|n| link(format!("/live/{n}"))).collect();
    let dead: String = (1..=60).map(|n| link(format!("/dead/{n}"))).collect();
    let address = http::serve_pages(move |path| {
        log.lock().unwrap().push(path.to_owned());
        match path {
            "/" => Some(format!("<title>Home</title><p>{live}{dead}")),
            path if path.starts_with("/live/") => Some(format!("<title>{path}</title><p>tide")),
            _ => None,
        }
    });
    (address, asked)
}

#[test]
fn dead_links_are_missing_and_take_next_to_nothing_of_a_budget() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (address, asked) = web_with_dead_links();
    let run_it = |arguments: &str| run_at(folder, &[("links.example", address)], arguments);
    let output = run_it("crawl http://links.example/");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(text(&output).contains("60 missing (dead links)"), "{}", text(&output));
    let found = status(folder);
    let pages = &found["pages"];
    assert_eq!(
        (&pages["held"], &pages["linked"], &pages["missing"], &pages["gone"]),
        (&51.into(), &0.into(), &60.into(), &0.into())
    );
    let of_dead = |asked: &[String]| asked.iter().filter(|path| path.starts_with("/dead/")).count();
    // A crawl that is resumed does not ask again for what it asked seconds ago.
    asked.lock().unwrap().clear();
    let output = run_it("crawl http://links.example/");
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(*asked.lock().unwrap(), Vec::<String>::new());
    for policy in ["mix", "round-robin", "breadth-first"] {
        asked.lock().unwrap().clear();
        let output = run_it(&format!("refresh --budget 20 --policy {policy}"));
        assert!(output.status.success(), "{}", errors(&output));
        let asked = asked.lock().unwrap();
        assert!(of_dead(&asked) <= 1, "{policy}: {asked:?}");
        assert!(asked.len() >= 20, "{policy}: {asked:?}");
    }
    // No feed says that a page went away that nobody ever had.
    let changes = text(&run(folder, "export changes --data data"));
    assert!(!changes.contains("\"gone\"") && !changes.contains("/dead/"), "{changes}");
    let why = json(&run(folder, "why http://links.example/dead/7 --json --data data"));
    assert_eq!(why["state"], "missing");
    let why = text(&run(folder, "why http://links.example/dead/7 --data data"));
    assert!(why.contains("missing: a dead link, not found 1 time"), "{why}");
    let output = run(folder, "verify --data data");
    assert!(output.status.success(), "{}", errors(&output));
}

#[test]
fn a_refresh_whose_hosts_all_back_off_says_so_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let is_busy = Arc::new(AtomicBool::new(false));
    let busy = Arc::clone(&is_busy);
    let address = http::serve_replies(move |path| match path {
        "/robots.txt" => ("404 Not Found", "text/plain", vec![]),
        _ if busy.load(Ordering::SeqCst) => ("503 Busy", "text/plain", vec![]),
        "/" => ("200 OK", "text/html", b"<a href=/a>a</a><a href=/b>b</a>".to_vec()),
        _ => ("200 OK", "text/html", b"<p>tide".to_vec()),
    });
    let run_it = |arguments: &str| run_at(folder, &[("busy.example", address)], arguments);
    let output = run_it("crawl http://busy.example/");
    assert!(output.status.success(), "{}", errors(&output));
    is_busy.store(true, Ordering::SeqCst);
    let begun = Instant::now();
    let output = run_it("refresh --budget 3");
    assert_eq!(output.status.code(), Some(6), "{}", errors(&output));
    let told = errors(&output);
    assert!(told.contains("no page could be fetched"), "{told}");
    assert!(told.contains("waiting for busy.example until "), "{told}");
    assert!(told.contains("(503 Service Unavailable, first time)"), "{told}");
    // The next one has nothing to do but wait, and says that, too.
    let output = run_it("refresh --budget 3");
    assert_eq!(output.status.code(), Some(8), "{}", errors(&output));
    let told = errors(&output);
    assert!(told.starts_with("waiting for busy.example until "), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    // A minute, at least, would have passed otherwise.
    assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
}

#[test]
fn a_crawl_ends_when_its_time_is_up() {
    let folder = tempfile::tempdir().unwrap();
    let address = http::serve_pages(|path| {
        let number: u32 = path.trim_start_matches('/').parse().unwrap_or(0);
        Some(format!("<title>{number}</title><a href=/{}>next</a>", number + 1))
    });
    let output = sanderling(folder.path())
        .args(["crawl", "http://endless.example/", "--data", "data", "--delay", "200ms"])
        .args(["--resolve", &format!("endless.example={address}"), "--cycle-limit", "2s"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let cycle = &status(folder.path())["cycles"][0];
    assert!(cycle["visits"].as_u64().unwrap() < 40, "{cycle}");
    assert!(cycle["unreached"].as_u64().unwrap() >= 1, "{cycle}");
}

#[test]
fn freshness_is_not_a_number_while_little_is_known() {
    let count = Arc::new(Mutex::new(0));
    let address = http::serve_pages(move |path| {
        let mut count = count.lock().unwrap();
        *count += 1;
        let links: Vec<String> = (1..20).map(|n| format!("<a href=/{n}>{n}</a>")).collect();
        let links = links.concat();
        (path != "/robots.txt").then(|| format!("<title>{path}</title><p>visit {count} {links}"))
    });
    let folder = tempfile::tempdir().unwrap();
    let run_it = |arguments: &str| run_at(folder.path(), &[("new.example", address)], arguments);
    assert!(run_it("crawl http://new.example/").status.success());
    assert!(run_it("refresh --budget 3 --detector digest").status.success());
    let freshness = &status(folder.path())["freshness"];
    assert_eq!(freshness["checks"], 3);
    assert_eq!(freshness["known"], false, "{freshness}");
    // Every repeated visit found a change.
    assert!(freshness["share"].as_f64().unwrap() < 0.8, "{freshness}");
    let shown = text(&run(folder.path(), "status --data data"));
    assert!(shown.contains("Freshness  not known yet ("), "{shown}");
}
