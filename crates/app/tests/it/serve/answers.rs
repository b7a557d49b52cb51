//! What people see, and that nothing in it can hurt them.
use super::served::{HOSTILE, Served};

/// Every page and what it must say.
fn pages(served: &Served) -> Vec<(String, &'static str)> {
    let tides = served.number("/tides");
    vec![
        ("/".to_owned(), "3 pages"),
        ("/?q=harbour".to_owned(), "Tide tables"),
        ("/search".to_owned(), "Type words"),
        ("/search?q=harbour".to_owned(), "Tide tables"),
        ("/search?q=nonsense".to_owned(), "No results for"),
        (format!("/page/{tides}"), "Held text"),
        (format!("/page/{tides}/compare"), "removed"),
        (format!("/page/{tides}/why"), "Next visit"),
        ("/dashboard".to_owned(), "How fresh is it?"),
        ("/changes".to_owned(), "What changed lately"),
        ("/hosts".to_owned(), "attention first"),
        ("/api".to_owned(), "/api/changes"),
    ]
}

/// A page without the element that loads our own script.
fn without_own_script(body: &str) -> String {
    let Some((before, rest)) = body.split_once("<script src=\"/assets/live-") else {
        return body.to_owned();
    };
    let (digest, after) = rest.split_once(".js\" defer></script>").unwrap();
    assert!(digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    format!("{before}{after}")
}

#[test]
fn every_page_is_there_with_what_it_must_say_and_no_foreign_script() {
    let served = Served::new("");
    for (path, says) in pages(&served) {
        let reply = served.get(&path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert_eq!(reply.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert!(reply.body.contains(says), "{path}: {}", reply.body);
        // One script of ours, which updates what is shown.
        let body = without_own_script(&reply.body);
        for never in ["<script", " style=", "onerror=", "onclick=", "javascript:", " src="] {
            assert!(!body.contains(never), "{path} has {never}");
        }
        let count = |what: &str| reply.body.matches(what).count();
        assert_eq!((count("<h1"), count("<main"), count("lang=\"en\">")), (1, 1, 1), "{path}");
    }
}

#[test]
fn every_answer_carries_the_headers_that_keep_it_harmless() {
    let served = Served::new("");
    let mut paths: Vec<String> = pages(&served).into_iter().map(|(path, _)| path).collect();
    for path in [
        "/nowhere",
        "/api/search?q=tide",
        "/api/search",
        "/api/openapi.json",
        "/metrics",
        "/healthz",
        "/robots.txt",
        "/favicon.ico",
        "/go/0",
        "/status",
        "/changes.atom",
    ] {
        paths.push(path.to_owned());
    }
    for path in paths {
        let reply = served.get(&path);
        for (name, value) in [
            (
                "content-security-policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src \
                 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
            ),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("access-control-allow-origin", ""),
            ("set-cookie", ""),
        ] {
            assert_eq!(reply.header(name), value, "{path}: {name}");
        }
        assert!(!reply.header("cache-control").is_empty(), "{path}");
        assert!(reply.header("permissions-policy").contains("camera=()"), "{path}");
        let head = served.ask("HEAD", &path, &served.address.to_string());
        assert_eq!((head.status, head.body.as_str()), (reply.status, ""), "{path}");
        if path.starts_with("/assets") {
            assert_eq!(head.lasting_head(), reply.lasting_head());
        }
    }
    assert_eq!(served.get("/robots.txt").body, "User-agent: *\nDisallow: /\n");
}

#[test]
fn the_style_sheet_is_the_one_that_pages_name_and_may_be_kept_for_ever() {
    let served = Served::new("");
    let home = served.get("/").body;
    let start = home.find("/assets/style-").unwrap();
    let path = home[start..].split('"').next().unwrap();
    let reply = served.get(path);
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/css; charset=utf-8"));
    assert!(reply.header("cache-control").contains("immutable"));
    assert!(!reply.body.contains("url("), "it asks for nothing else");
    assert_eq!(served.get("/assets/style-0.css").status, 404);
}

#[test]
fn hostile_titles_texts_and_queries_are_inert() {
    let served = Served::new("");
    let evil = served.number("/evil");
    for path in [
        "/search?q=sandpiper".to_owned(),
        format!("/page/{evil}"),
        "/search?q=%3Cscript%3Ealert(1)%3C/script%3E".to_owned(),
        "/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E".to_owned(),
        "/search?q=x&p=%3Cscript%3E".to_owned(),
        "/%3Cscript%3E".to_owned(),
    ] {
        let reply = served.get(&path);
        assert!(!reply.body.contains("<script"), "{path}: {}", reply.body);
        assert!(!reply.body.contains("<img"), "{path}: {}", reply.body);
    }
    let shown = HOSTILE.replace('<', "&lt;").replace('>', "&gt;");
    let body = served.get("/search?q=sandpiper").body;
    assert!(body.contains(&format!("<bdi>{shown}</bdi>")), "{body}");
    // Programs get it as it is, in an answer that no browser takes for a page.
    let found = served.json("/api/search?q=sandpiper");
    assert_eq!(found["hits"][0]["title"], HOSTILE);
}

#[test]
fn two_versions_are_compared_word_by_word() {
    let served = Served::new("");
    let tides = served.number("/tides");
    let body = served.get(&format!("/page/{tides}/compare")).body;
    assert!(body.contains("removed: </span>nine</del>"), "{body}");
    assert!(body.contains("added: </span>ten</ins>"), "{body}");
    let versions = served.json(&format!("/api/page?no={tides}"))["versions"].clone();
    let numbers: Vec<u64> =
        versions.as_array().unwrap().iter().map(|v| v["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers.len(), 2);
    // The other way round says the same: the older is what was there before.
    let (to, from) = (numbers[1], numbers[0]);
    let swapped = served.get(&format!("/page/{tides}/compare?from={from}&to={to}")).body;
    assert_eq!(swapped, body);
    let other =
        served.json(&format!("/api/page?no={}", served.number("/")))["versions"][0]["number"]
            .as_u64()
            .unwrap();
    for (query, status) in [
        (format!("from={other}&to={to}"), 404),
        ("from=0&to=999999".to_owned(), 404),
        ("from=x".to_owned(), 400),
    ] {
        assert_eq!(served.get(&format!("/page/{tides}/compare?{query}")).status, status, "{query}");
    }
    let shore = served.number("/");
    assert_eq!(served.get(&format!("/page/{shore}/compare")).status, 404);
}

#[test]
fn results_lead_past_the_counter_to_the_page_and_nowhere_else() {
    let served = Served::new("");
    let tides = served.number("/tides");
    let body = served.get("/search?q=harbour").body;
    assert!(body.contains(&format!("href=\"/go/{tides}?q=harbour&amp;r=1\"")), "{body}");
    assert!(body.contains("<mark>harbour</mark>"), "{body}");
    let reply = served.get(&format!("/go/{tides}?q=harbour&r=1"));
    assert_eq!((reply.status, reply.header("location")), (302, "http://tiny.example/tides"));
    for path in [
        "/go/99999",
        "/go/https://evil.example/",
        "/go//evil.example/",
        "/go/?url=https://evil.example/",
    ] {
        let reply = served.get(path);
        assert_eq!((reply.status, reply.header("location")), (404, ""), "{path}");
    }
    let reply = served.get(&format!("/go/{tides}?url=https://evil.example/&to=//evil.example"));
    assert_eq!(reply.header("location"), "http://tiny.example/tides");
}

#[test]
fn without_an_index_everything_else_works_and_says_how_to_make_one() {
    let served = Served::without_index();
    let home = served.get("/");
    assert_eq!(home.status, 200);
    assert!(home.body.contains("sanderling index"), "{}", home.body);
    let search = served.get("/search?q=tide");
    assert_eq!((search.status, search.header("retry-after")), (503, "2"));
    assert!(search.body.contains("sanderling index"));
    let api = served.json("/api/search?q=tide");
    assert_eq!(api["error"]["message"], "There is no search index yet");
    assert_eq!(served.get("/healthz").status, 503);
    assert_eq!(served.json("/api/status")["index"], serde_json::Value::Null);
    let tides = served.number("/tides");
    assert_eq!(served.get(&format!("/page/{tides}")).status, 200);
    // It is found as soon as it is there.
    index::catch_up(&served.data(), &|_, _| {}).unwrap();
    let start = std::time::Instant::now();
    while served.get("/healthz").status != 200 {
        assert!(start.elapsed().as_secs() < 30);
    }
    assert_eq!(served.json("/api/search?q=tide")["total"], 1);
}
