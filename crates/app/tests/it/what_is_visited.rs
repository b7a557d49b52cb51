//! Which URLs and which types of content are visited, and what can be searched of them.
use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use crate::common::{errors, http, json, run, sanderling, text};

/// A PDF of one page with these words.
fn pdf(words: &str) -> Vec<u8> {
    let stream = format!("BT /F1 24 Tf 72 700 Td ({words}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << \
         /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        let _ = write!(file, "{number} 0 obj\n{object}\nendobj\n");
    }
    // Without a table of references, which readers must cope with.
    file += "trailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n";
    file.into_bytes()
}

type Asked = Arc<Mutex<Vec<String>>>;

fn site() -> (std::net::SocketAddr, Asked) {
    let asked: Asked = Arc::default();
    let log = Arc::clone(&asked);
    let address = http::serve_replies(move |path| {
        log.lock().unwrap().push(path.to_owned());
        let links =
            ["/a.pdf", "/photo.jpg", "/all.zip", "/hidden", "/docs/x", "/docs/old", "/notes.txt"];
        match path {
            "/" => {
                let links = links.map(|to| format!("<a href={to}>{to}</a>")).concat();
                ("200 OK", "text/html", links.into_bytes())
            }
            "/a.pdf" => ("200 OK", "application/pdf", pdf("The lighthouse keeper")),
            "/hidden" => ("200 OK", "image/png", vec![0x89; 5_000]),
            "/notes.txt" => ("200 OK", "text/plain", b"barnacles".to_vec()),
            "/docs/x" | "/docs/old" => ("200 OK", "text/html", b"<p>tide".to_vec()),
            "/photo.jpg" | "/all.zip" => ("200 OK", "application/octet-stream", vec![0; 9]),
            _ => ("404 Not Found", "text/html", vec![]),
        }
    });
    (address, asked)
}

fn crawl(folder: &std::path::Path, address: std::net::SocketAddr, flags: &[&str]) {
    let mut command =
        http::crawler(folder, "types.example", address, "crawl http://types.example/");
    let output = command.args(flags).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
}

#[test]
fn pages_and_pdf_are_visited_and_media_and_archives_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (address, asked) = site();
    crawl(folder.path(), address, &[]);
    let asked = asked.lock().unwrap().clone();
    for path in ["/a.pdf", "/notes.txt", "/docs/x"] {
        assert!(asked.iter().any(|one| one == path), "{asked:?}");
    }
    for path in ["/photo.jpg", "/all.zip"] {
        assert!(!asked.iter().any(|one| one == path), "{asked:?}");
    }
    let status = json(&run(folder.path(), "status --json --data data"));
    assert_eq!(status["pages"]["without_text"], 0, "{status:#}");
    assert_eq!(status["faults"][0]["kind"], "excluded");
    // The text of the PDF is found.
    let found = json(&run(folder.path(), "search lighthouse --json --data data"));
    assert_eq!(found["hits"][0]["url"], "http://types.example/a.pdf");
    assert_eq!(found["total"], 1);
    let why = json(&run(folder.path(), "why http://types.example/photo.jpg --json --data data"));
    let why = why["why"].as_str().unwrap();
    assert!(why.contains("files that end with .jpg are not visited"), "{why}");
}

#[test]
fn all_types_are_visited_where_the_settings_say_so_and_are_not_counted_as_pages() {
    let folder = tempfile::tempdir().unwrap();
    let (address, asked) = site();
    crawl(folder.path(), address, &["--types", "*"]);
    assert!(asked.lock().unwrap().iter().any(|path| path == "/photo.jpg"));
    let status = text(&run(folder.path(), "status --data data"));
    assert!(status.contains("5 pages (and 3 files without text) held"), "{status}");
}

#[test]
fn patterns_include_and_exclude_urls_also_of_pages_that_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let (address, asked) = site();
    crawl(folder.path(), address, &["--include", "/docs/*", "--exclude", "re:old$"]);
    let pages = |asked: &Asked| -> Vec<String> {
        let mut paths = std::mem::take(&mut *asked.lock().unwrap());
        paths.retain(|path| path != "/robots.txt");
        paths.sort();
        paths.dedup();
        paths
    };
    assert_eq!(pages(&asked), ["/", "/docs/x"]);
    let mut command = http::crawler(
        folder.path(),
        "types.example",
        address,
        "refresh --budget 9 --exclude /docs/x",
    );
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(!pages(&asked).contains(&"/docs/x".to_owned()));
    let output =
        sanderling(folder.path()).args(["crawl", "a.example", "--exclude", "re:("]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).starts_with("error: --exclude: \"re:(\" is not a pattern"),
        "{}",
        errors(&output)
    );
}

#[test]
fn a_url_with_a_password_and_an_address_without_a_port_are_refused_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "crawl https://me:secret@a.example/ --contact me@example.org");
    assert_eq!(output.status.code(), Some(2));
    let told = errors(&output);
    assert!(told.contains("user name or password") && !told.contains("secret"), "{told}");
    let output = run(folder.path(), "crawl http://a.example/ --resolve a.example=127.0.0.1");
    assert_eq!(output.status.code(), Some(2));
    let told = errors(&output);
    assert!(told.contains("lacks the port; write HOST=IP:PORT"), "{told}");
}
