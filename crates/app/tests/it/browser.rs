//! The search page in a real browser: what a person does, what a person sees, and what must not happen.
use std::process::Child;

use crate::common::{accessible, chromium::Tab, serve, tiny::TinyWeb};

/// What pages and queries may try.
const HOSTILE: &str =
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> \u{202e}javascript:alert(3)";

/// A search page over a data folder, until it is dropped.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn new(folder: &std::path::Path) -> Self {
        let (child, address) = serve(folder, "");
        Self { child, address: format!("http://{address}") }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn page(title: &str, text: &str) -> String {
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!("<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1><p>{text}</p>")
}

/// A crawled web with a page that has changed, a hostile one, and more than one page of results.
fn crawled(folder: &std::path::Path) -> TinyWeb {
    let links: Vec<String> = (0..25).map(|n| format!("<a href=/gull/{n}>gull {n}</a>")).collect();
    let links = links.join(" ");
    let home =
        format!("<title>Shore</title><a href=/tide>tide</a> <a href=/hostile>other</a> {links}");
    let web = TinyWeb::new(&[
        ("/", &home),
        ("/tide", &page("Tide table", "High water at seven in the morning. The harbour is open.")),
        ("/hostile", &page(HOSTILE, &format!("A sandbank that says {HOSTILE}"))),
    ]);
    for number in 0..25 {
        let text =
            format!("A gull, number {number}, over the water. {}", "Sand and wind. ".repeat(9));
        web.put(&format!("/gull/{number}"), &page(&format!("Gull {number}"), &text));
    }
    web.crawl(folder);
    web.put("/tide", &page("Tide table", "High water at noon. The harbour is closed."));
    web.refresh(folder);
    web
}

#[test]
fn a_person_searches_opens_a_page_and_compares_its_versions() {
    let Some(mut tab) = Tab::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    let _web = crawled(folder.path());
    let served = Served::new(folder.path());

    // With the keyboard alone: type, Enter.
    tab.go(&format!("{}/", served.address));
    accessible::check(&mut tab, "home");
    tab.value("document.querySelector('input[name=q]').focus()");
    tab.write("high water harbour");
    tab.load(|tab| tab.press("Enter", 13, "\r"));
    assert!(tab.text("location.href").contains("/search?q=high+water+harbour"));
    assert_eq!(tab.text("document.querySelector('input[name=q]').value"), "high water harbour");
    assert!(
        tab.text("document.querySelector('main h2 a, main h3 a').textContent").contains("Tide")
    );
    let marked =
        tab.text("[...document.querySelectorAll('mark')].map((m) => m.textContent).join(' ')");
    assert!(marked.contains("High water") || marked.contains("harbour"), "{marked}");
    accessible::check(&mut tab, "results");

    // Many results come in pages.
    tab.go(&format!("{}/search?q=gull", served.address));
    assert!(tab.text("document.querySelector('main').textContent").contains("26"));
    tab.load(|tab| {
        tab.value("document.querySelector('a[rel=next]').click()");
    });
    assert!(tab.value("document.querySelectorAll('a[rel=prev]').length").as_u64().unwrap() >= 1);
    accessible::check(&mut tab, "second page of results");

    // The page's own page, with its versions and what they differ in.
    tab.go(&format!("{}/search?q=tide+table", served.address));
    tab.load(|tab| {
        tab.value("document.querySelector('main a[href^=\"/page/\"]').click()");
    });
    assert!(tab.text("document.querySelector('h1').textContent").contains("Tide table"));
    assert!(tab.text("document.querySelector('main').textContent").contains("High water at noon"));
    accessible::check(&mut tab, "page");
    tab.load(|tab| {
        tab.value("document.querySelector('form[action$=compare]').requestSubmit()");
    });
    let of = |kind: &str| {
        format!("[...document.querySelectorAll('{kind}')].map((e) => e.textContent).join(' ')")
    };
    let (gone, come) = (tab.text(&of("del")), tab.text(&of("ins")));
    assert!(gone.contains("seven in the morning") && gone.contains("open"), "{gone}");
    assert!(come.contains("noon") && come.contains("closed"), "{come}");
    accessible::check(&mut tab, "comparison");

    for path in ["/search?q=nothinglikethis", "/search?q=", "/api", "/page/999999", "/nowhere"] {
        tab.go(&format!("{}{path}", served.address));
        accessible::check(&mut tab, path);
    }
    assert_inert(&tab, &served);
}

#[test]
fn hostile_titles_snippets_and_queries_do_nothing() {
    let Some(mut tab) = Tab::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    let _web = crawled(folder.path());
    let served = Served::new(folder.path());
    tab.go(&format!("{}/", served.address));
    tab.value("document.querySelector('input[name=q]').focus()");
    tab.write(&format!("sandbank {HOSTILE}"));
    tab.load(|tab| tab.press("Enter", 13, "\r"));
    let shown = tab.text("document.querySelector('input[name=q]').value");
    assert!(shown.contains("<script>alert(1)</script>"), "{shown}");
    tab.go(&format!("{}/search?q=sandbank", served.address));
    assert!(tab.text("document.querySelector('main').textContent").contains("<script>alert(1)"));
    accessible::check(&mut tab, "hostile results");
    tab.load(|tab| {
        tab.value("document.querySelector('main a[href^=\"/page/\"]').click()");
    });
    assert!(tab.text("document.querySelector('h1').textContent").contains("<script>alert(1)"));
    assert_eq!(tab.value("document.scripts.length + document.images.length"), 0);
    assert_inert(&tab, &served);
}

/// No script, no error, and not one request to anywhere else.
fn assert_inert(tab: &Tab, served: &Served) {
    // A page that is not there answers 404, which browsers report as an error of the network.
    let troubles = tab.troubles();
    let troubles: Vec<_> = troubles.iter().filter(|trouble| !trouble.contains("404")).collect();
    assert!(troubles.is_empty(), "{troubles:#?}");
    let own = |address: &String| address.starts_with(&served.address);
    let requested = tab.requested();
    assert!(requested.iter().all(own), "{requested:#?}");
    assert!(requested.len() > 3);
}
