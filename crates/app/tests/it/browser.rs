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
    // As archived, in a frame: shown, but without any right.
    tab.load(|tab| {
        tab.value("document.querySelector('main a[href*=\"/version/\"]').click()");
    });
    assert_eq!(tab.value("document.querySelectorAll('iframe[sandbox=\"\"]').length"), 1);
    accessible::check(&mut tab, "hostile version");
    assert_inert(&tab, &served);
}

#[test]
fn an_operator_reads_the_dashboard_with_the_keyboard_and_it_updates_itself() {
    let Some(mut tab) = Tab::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    let web = crawled(folder.path());
    let served = Served::new(folder.path());
    tab.go(&format!("{}/dashboard", served.address));
    wait(&mut tab, "document.body.textContent.includes('if nothing changes until then')");
    accessible::check(&mut tab, "dashboard");
    // What a screen reader says of the chart, and what stands in the bars.
    let charts = tab.text("[...document.querySelectorAll('svg[role=img]')].map((e) => e.getAttribute('aria-label')).join()");
    assert!(charts.contains("Stacked bars"), "{charts}");
    let latest = "document.querySelector('#changed-part .what').textContent";
    assert_eq!(tab.text(latest), "Tide table");
    web.put("/gull/3", &page("Gull 3 with a ring", "This gull has a ring now."));
    web.refresh(folder.path());
    // Without a reload: what was typed stays.
    tab.value("document.querySelector('#changed ~ form input').value = 'typed'");
    wait(&mut tab, &format!("{latest} === 'Gull 3 with a ring'"));
    assert_eq!(tab.text("document.querySelector('#changed ~ form input').value"), "typed");
    for path in ["/changes", "/hosts", "/host/0", "/changes?site=nowhere.example"] {
        tab.go(&format!("{}{path}", served.address));
        accessible::check(&mut tab, path);
    }
    // A screen of usual width shows all columns, also of hosts with long names that answer slowly.
    tab.screen(1_100, "light");
    tab.go(&format!("{}/hosts", served.address));
    tab.value(
        "document.querySelectorAll('tbody tr').forEach(({ cells }) => {
            cells[0].querySelector('bdi').textContent = 'tackle-and-twine.example';
            cells[2].innerHTML = '<meter></meter> 93 % (71 to 100 %)';
            cells[5].textContent = '49.6 s, its last response was slow';
            cells[7].textContent = '2026-02-05 00:00';
        })",
    );
    let is_whole =
        "[...document.querySelectorAll('.table')].every((e) => e.scrollWidth <= e.clientWidth)";
    assert_eq!(tab.value(is_whole), true);
    tab.go(&format!("{}/changes", served.address));
    tab.load(|tab| {
        tab.value("document.querySelector('.what a').click()");
    });
    assert!(tab.text("document.querySelector('h1').textContent").contains("Gull 3 with a ring"));
    tab.go(&format!("{}/search?q=tide+table", served.address));
    tab.load(|tab| {
        tab.value("document.querySelector('main a[href^=\"/page/\"]').click()");
    });
    assert_eq!(tab.value("document.querySelectorAll('.timeline circle').length"), 2);
    accessible::check(&mut tab, "page with a line of time");
    tab.load(|tab| {
        tab.value("document.querySelector('a[href$=\"/why\"]').click()");
    });
    accessible::check(&mut tab, "why");
    assert_inert(&tab, &served);
}

#[test]
fn a_person_types_the_token_where_it_is_asked_for() {
    const TOKEN: &str = "0123456789abcdef0123456789abcdef";
    let Some(mut tab) = Tab::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    let web = TinyWeb::new(&[("/", "<title>Shore</title>")]);
    web.crawl(folder.path());
    std::fs::write(folder.path().join("token"), TOKEN).unwrap();
    let (child, address) = serve(folder.path(), "--token-file token");
    let served = Served { child, address: format!("http://{address}") };
    let heading = "document.querySelector('h1').textContent";
    tab.go(&format!("{}/dashboard", served.address));
    assert_eq!(tab.text(heading), "This needs the token of this server");
    // With the keyboard alone: the field has the focus.
    for (typed, answer) in
        [("a token of another", "That is not the token of this server"), (TOKEN, "Dashboard")]
    {
        assert_eq!(tab.text("document.activeElement.name"), "token");
        tab.write(typed);
        tab.load(|tab| tab.press("Enter", 13, "\r"));
        assert_eq!(tab.text(heading), answer);
    }
}

#[test]
fn an_archived_page_asks_for_nothing() {
    let Some(mut tab) = Tab::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    // Whoever listens there hears nothing, not even a connection.
    let evil = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    evil.set_nonblocking(true).unwrap();
    let there = format!("http://{}", evil.local_addr().unwrap());
    let greedy = format!(
        "<title>Greedy</title><link rel=preconnect href={there}>\
         <link rel=stylesheet href={there}/s.css>\
         <meta http-equiv=refresh content='0;url={there}/'>\
         <script>document.title='ran'; fetch('{there}/f')</script><img src={there}/i.png>\
         <iframe src={there}/frame></iframe><p style='color: green'>Greedy sandbank.</p>\
         <form action={there}/><button>send</button></form>"
    );
    let web = TinyWeb::new(&[("/", &greedy)]);
    web.crawl(folder.path());
    let served = Served::new(folder.path());
    tab.go(&format!("{}/page/0", served.address));
    tab.load(|tab| {
        tab.value("document.querySelector('main a[href*=\"/version/\"]').click()");
    });
    wait(&mut tab, "document.querySelector('iframe') !== null");
    std::thread::sleep(std::time::Duration::from_secs(1));
    tab.go(&format!("{}/metrics", served.address));
    let shown = "route=\"/page/{no}/version/{visit}/frame\",status=\"200\"} 1";
    let metrics = tab.text("document.body.textContent");
    assert!(metrics.contains(shown), "the frame was not loaded: {metrics}");
    let heard = evil.accept().map_err(|error| error.kind());
    assert_eq!(heard.unwrap_err(), std::io::ErrorKind::WouldBlock, "somebody connected");
    // The same page, served as it is, would have connected: the listener is not deaf.
    tab.call("Page.navigate", &serde_json::json!({ "url": format!("http://{}/", web.address) }));
    let start = std::time::Instant::now();
    while evil.accept().is_err() {
        assert!(start.elapsed().as_secs() < 30, "nobody connects even without the frame");
        std::thread::sleep(std::time::Duration::from_millis(100));
        tab.value("1");
    }
}

/// Waits until an expression is true.
fn wait(tab: &mut Tab, expression: &str) {
    let start = std::time::Instant::now();
    while tab.value(expression) != true {
        assert!(start.elapsed().as_secs() < 90, "never: {expression}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
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
