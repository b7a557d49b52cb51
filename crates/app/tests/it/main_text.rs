//! A site that changes its menu and footer: no page has changed but the one with another text.
use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use serde_json::Value;

use crate::common::{
    errors,
    http::{crawler, get, serve_pages},
    json, run, serve,
};

const HOST: &str = "menu.example";
const PAGES: u32 = 14;

/// A page in a year. Every page links to the next; page 5 has another text in 2026.
fn page(path: &str, year: u32) -> Option<String> {
    let number: u32 =
        path.strip_prefix('/')?.parse().or(if path == "/" { Ok(0) } else { Err(()) }).ok()?;
    let next = (number + 1) % PAGES;
    let text = match (number, year) {
        (5, 2026) => "Grebes dive".to_owned(),
        _ => format!("Notes of day {number}"),
    };
    let menu = if year == 2025 { "<p>Birds</p>" } else { "<p>Birds</p><p>Grebes and more</p>" };
    (number < PAGES).then(|| {
        format!(
            "<title>Day {number}</title><p>Welcome</p>{menu}<p>About</p><h1>Day number {number}</h1>\
             <p>{text}</p><a href=/{next}>{next} follows {number}</a><p>Imprint</p><p>© {year}</p>"
        )
    })
}

fn crawl(folder: &Path, address: SocketAddr, arguments: &str) {
    let output = crawler(folder, HOST, address, arguments).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
}

fn last_cycle(folder: &Path) -> Value {
    let status = json(&run(folder, "status --json --data data"));
    status["cycles"].as_array().unwrap().last().unwrap().clone()
}

#[test]
fn a_new_menu_and_a_new_year_change_no_page_and_are_folded() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let year = Arc::new(AtomicU32::new(2025));
    let shown = Arc::clone(&year);
    let address = serve_pages(move |path| page(path, shown.load(Ordering::SeqCst)));
    crawl(folder, address, &format!("crawl http://{HOST}/"));
    year.store(2026, Ordering::SeqCst);
    crawl(folder, address, "refresh --budget 100 --policy round-robin");
    let cycle = last_cycle(folder);
    assert_eq!(
        (&cycle["detector"], &cycle["changed"]),
        (&"main-text".into(), &1.into()),
        "{cycle}"
    );

    // The word is in every menu, but one page is about it.
    let found = json(&run(folder, "search grebes --json --data data"));
    let hits = found["hits"].as_array().unwrap();
    // The front page and page 0 have the same text and are one result.
    assert_eq!(found["total"], PAGES, "{found:#}");
    assert!(hits[0]["url"].as_str().unwrap().ends_with("/5"), "{found:#}");

    let (mut child, address) = serve(folder, "");
    let numbers = 0..PAGES + 2;
    let compared: Vec<String> =
        numbers.map(|number| get(address, &format!("/page/{number}/compare"))).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    // Only the page with another text has two versions.
    let with_versions: Vec<&String> =
        compared.iter().filter(|page| !page.contains("only one version")).collect();
    let with = |text: &str| with_versions.iter().filter(|page| page.contains(text)).count();
    assert_eq!(with("Changes in Day 5"), 1);
    assert_eq!(with("4 words of menu, header or footer differ"), 1);
    assert_eq!(with("2 words added"), 1);
}
