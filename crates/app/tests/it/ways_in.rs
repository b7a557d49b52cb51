//! Seeds from lists, secrets for single hosts, the proxy, and events for programs.
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::Value;

use crate::common::{errors, http::crawler, run, sanderling, text, tiny::TinyWeb};

/// A server that keeps the heads of all requests. Pages by host and path; a path that begins with `/to/`
/// redirects to the URL after it.
struct Listening {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Listening {
    fn new(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&heads);
        let pages: BTreeMap<String, String> =
            pages.iter().map(|&(place, html)| (place.to_owned(), html.to_owned())).collect();
        let pages = Arc::new(pages);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, pages) = (Arc::clone(&kept), Arc::clone(&pages));
                thread::spawn(move || answer(&stream, &kept, &pages));
            }
        });
        Self { address, heads }
    }

    /// The heads of requests to a host.
    fn heads(&self, host: &str) -> Vec<String> {
        let heads = self.heads.lock().unwrap();
        let wanted = format!("\r\nHost: {host}\r\n");
        heads.iter().filter(|head| head.contains(&wanted)).cloned().collect()
    }
}

fn read_head(reader: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return None;
        }
    }
    Some(head)
}

fn answer(stream: &TcpStream, kept: &Mutex<Vec<String>>, pages: &BTreeMap<String, String>) {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    while let Some(head) = read_head(&mut reader) {
        let host = head.lines().find_map(|line| line.strip_prefix("Host: ")).unwrap().to_owned();
        let target = head.split(' ').nth(1).unwrap().to_owned();
        // As a proxy gets it.
        let path = target.strip_prefix(&format!("http://{host}")).unwrap_or(&target).to_owned();
        kept.lock().unwrap().push(head);
        let reply = if let Some(to) = path.strip_prefix("/to/") {
            format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n")
        } else if let Some(page) = pages.get(&format!("{host}{path}")) {
            let kind = if std::path::Path::new(&path).extension().is_some_and(|end| end == "xml") {
                "application/xml"
            } else {
                "text/html"
            };
            let length = page.len();
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{page}"
            )
        } else {
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned()
        };
        if writer.write_all(reply.as_bytes()).is_err() {
            return;
        }
    }
}

/// All WARC files of `folder/data`, decompressed.
fn archived(folder: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder.join("data/archive")).unwrap() {
        for record in warc::WarcReader::open(&entry.unwrap().path()).unwrap() {
            all.push_str(&String::from_utf8_lossy(&record.unwrap().block));
        }
    }
    all
}

#[test]
fn a_secret_goes_to_its_host_only_and_is_neither_logged_nor_archived() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let server = Listening::new(&[
        ("in.example/", "<title>In</title><a href=/to/http://out.example/>out</a> text"),
        ("out.example/", "<title>Out</title>text"),
    ]);
    fs::write(folder.join("login"), "me:hush-password\n").unwrap();
    let at = server.address;
    let crawl = |flags: &str| {
        let resolve = format!("in.example={at},out.example={at}");
        let mut command = sanderling(folder);
        command.args(["crawl", "http://in.example/", "--scope", "any", "-vv", "--data", "data"]);
        command.args(["--resolve", &resolve, "--delay", "0s", "--response-multiple", "0"]);
        command.args(flags.split('|')).env("CRUMB", "id=hush-cookie");
        command.output().unwrap()
    };
    let flags = "--basic-auth|http://in.example=@login|--cookies|http://in.example=$CRUMB|--headers|\
         http://in.example=X-Key: hush-key";
    let output = crawl(flags);
    assert!(output.status.success(), "{}", errors(&output));
    let inside = server.heads("in.example");
    assert!(inside.len() >= 3, "robots.txt, the page and the redirect: {inside:?}");
    for head in &inside {
        assert!(head.contains("\r\nAuthorization: Basic bWU6aHVzaC1wYXNzd29yZA==\r\n"), "{head}");
        assert!(head.contains("\r\nCookie: id=hush-cookie\r\n"), "{head}");
        assert!(head.contains("\r\nX-Key: hush-key\r\n"), "{head}");
    }
    let outside = server.heads("out.example");
    assert!(outside.len() >= 2, "the redirect was followed: {outside:?}");
    for head in &outside {
        assert!(!head.contains("hush") && !head.contains("Authorization"), "{head}");
    }
    let told = format!("{}{}", text(&output), errors(&output));
    assert!(!told.contains("hush") && !told.contains("bWU6aHVzaC"), "{told}");
    let kept = archived(folder);
    assert!(kept.contains("GET / HTTP/1.1\r\nHost: in.example\r\n"));
    assert!(!kept.contains("hush") && !kept.contains("Authorization"), "{kept}");

    // Who asks for it has them in the archive.
    fs::remove_dir_all(folder.join("data")).unwrap();
    let output = crawl(&format!("{flags}|--archive-headers|yes"));
    assert!(output.status.success(), "{}", errors(&output));
    assert!(archived(folder).contains("X-Key: hush-key"));
}

#[test]
fn a_secret_that_cannot_be_read_stops_the_crawl_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    for (flag, value, why) in [
        (
            "--basic-auth",
            "a.example=me:hush",
            "--basic-auth: a.example: a secret is read from a file",
        ),
        (
            "--cookies",
            "a.example=$NO_SUCH_NAME",
            "--cookies: a.example: the environment variable NO_SUCH_NAME",
        ),
        ("--basic-auth", "a.example=@none", "--basic-auth: a.example: none cannot be read"),
        (
            "--headers",
            "a.example=Host: hush",
            "--headers: a.example: the header host cannot be set",
        ),
        (
            "--proxy",
            "socks5://me:hush@a.example:1",
            "--proxy: a proxy of type \"socks5\" is not supported",
        ),
        ("--follow", "nothing", "--follow: \"nothing\" is neither links nor sitemaps"),
        ("--warc-size", "big", "--warc-size: \"big\" is not a size"),
    ] {
        let mut command = sanderling(folder.path());
        command.args(["crawl", "http://127.0.0.1:9/", "--data", "data", flag, value]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flag} {value}");
        assert!(errors(&output).contains(why), "{}", errors(&output));
        assert!(!errors(&output).contains("hush"), "{}", errors(&output));
        assert!(!folder.path().join("data").exists());
    }
}

#[test]
fn everything_goes_through_the_proxy() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let proxy = Listening::new(&[
        ("far.example/", "<title>Far</title><a href=/more>more</a> far away"),
        ("far.example/more", "<title>More</title>still far"),
    ]);
    let mut command = sanderling(folder);
    command.args(["crawl", "http://far.example/", "--data", "data", "--contact", "me@example.org"]);
    command.args(["--delay", "0s", "--response-multiple", "0", "--proxy", "$THE_PROXY"]);
    command.env("THE_PROXY", format!("http://me:hush@{}", proxy.address));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let heads = proxy.heads("far.example");
    assert_eq!(heads.len(), 3, "{heads:?}");
    for head in &heads {
        assert!(head.starts_with("GET http://far.example/"), "{head}");
        assert!(head.contains("\r\nProxy-Authorization: Basic bWU6aHVzaA==\r\n"), "{head}");
    }
    let kept = archived(folder);
    assert!(kept.contains("GET /more HTTP/1.1\r\n") && !kept.contains("Proxy-Authorization"));
    assert!(!kept.contains("bWU6aHVzaA") && kept.contains("still far"));
    assert!(!errors(&output).contains("hush"));

    // https goes through a tunnel; a proxy that refuses one is named.
    let refusing = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = refusing.local_addr().unwrap();
    let asked = thread::spawn(move || {
        let (mut stream, _) = refusing.accept().unwrap();
        let head = read_head(&mut BufReader::new(&stream)).unwrap();
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").unwrap();
        head
    });
    let mut command = sanderling(folder);
    command.args([
        "crawl",
        "https://far.example/",
        "--data",
        "other",
        "--contact",
        "me@example.org",
    ]);
    command.args(["--proxy", &format!("http://{at}"), "-vv", "--cycle-limit", "5s"]);
    let output = command.output().unwrap();
    assert!(!output.status.success());
    assert!(
        asked
            .join()
            .unwrap()
            .starts_with("CONNECT far.example:443 HTTP/1.1\r\nHost: far.example:443\r\n")
    );
    assert!(errors(&output).contains("opens no tunnel to far.example:443"), "{}", errors(&output));
}

fn shore() -> TinyWeb {
    TinyWeb::new(&[
        ("/", "<title>Shore</title><a href=/tide>tide</a> shore"),
        ("/tide", "<title>Tide, \"high\"</title>tide"),
        ("/alone", "<title>Alone</title><a href=/tide>tide</a> alone"),
        ("/far", "<title>Far</title>far"),
    ])
}

#[test]
fn seeds_come_from_a_file_or_from_standard_input() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    fs::write(folder.join("urls.txt"), "# ours\nhttp://tiny.example/alone\n\n").unwrap();
    let output = web.run(folder, "crawl --seeds-from urls.txt");
    assert!(output.status.success(), "{}", errors(&output));
    let mut command = crawler(folder, "tiny.example", web.address, "crawl --seeds-from -");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"http://tiny.example/far\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let pages = run(folder, "export pages --data data --format csv");
    let mut urls: Vec<String> = text(&pages)
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap().to_owned())
        .collect();
    urls.sort();
    let expected = ["/alone", "/far", "/tide"].map(|path| format!("http://tiny.example{path}"));
    assert_eq!(urls, expected);

    fs::write(folder.join("urls.txt"), "http://tiny.example/\nnot a url\n").unwrap();
    let output = web.run(folder, "crawl --seeds-from urls.txt");
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("urls.txt, line 2: "), "{}", errors(&output));
    let output = web.run(folder, "crawl --seeds-from none.txt");
    assert!(errors(&output).contains("none.txt: cannot be read"), "{}", errors(&output));
}

#[test]
fn with_sitemaps_only_links_on_pages_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let server = Listening::new(&[
        ("tiny.example/map.xml", "<urlset><url><loc>http://tiny.example/a</loc></url></urlset>"),
        ("tiny.example/a", "<title>A</title><a href=/b>b</a> a"),
        ("tiny.example/b", "<title>B</title>b"),
    ]);
    let crawl = "crawl http://tiny.example/map.xml --follow sitemaps";
    let output = crawler(folder, "tiny.example", server.address, crawl).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let pages = text(&run(folder, "export pages --data data"));
    assert!(pages.contains("tiny.example/a\"") && !pages.contains("tiny.example/b\""), "{pages}");
    // With links the same folder goes on.
    let output =
        crawler(folder, "tiny.example", server.address, "refresh --budget 9").output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
}

#[test]
fn events_are_lines_of_json_and_words_go_to_standard_error() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    let events = |arguments: &str| -> Vec<Value> {
        let output = web.run(folder, arguments);
        assert!(output.status.success(), "{}", errors(&output));
        assert!(errors(&output).contains("held"), "{}", errors(&output));
        text(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let crawl = events("crawl http://tiny.example/ --json");
    assert_eq!((&crawl[0]["event"], &crawl[0]["kind"]), (&"started".into(), &"crawl".into()));
    let visits: Vec<&Value> = crawl.iter().filter(|event| event["event"] == "visit").collect();
    assert_eq!(visits.len(), 2, "{crawl:#?}");
    assert_eq!(
        (&visits[0]["url"], &visits[0]["outcome"]),
        (&"http://tiny.example/".into(), &"first".into())
    );
    let last = crawl.last().unwrap();
    assert_eq!(
        (&last["event"], &last["new"], &last["held"]),
        (&"finished".into(), &2.into(), &2.into())
    );
    assert_eq!(events("refresh --budget 2 --json").len(), 4);
    assert_eq!(events("run --budget 1 --interval 1s --cycles 2 --json").len(), 6);
}

#[test]
fn pages_and_changes_are_tables_for_spreadsheets() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    let pages = text(&run(folder, "export pages --data data --format csv"));
    let mut lines = pages.split("\r\n");
    assert!(lines.next().unwrap().starts_with("url,state,first_seen,"));
    assert!(lines.next().unwrap().starts_with("http://tiny.example/,held,"), "{pages}");
    let output = run(folder, "export changes --data data --format csv -o changes.csv");
    assert!(output.status.success(), "{}", errors(&output));
    let changes = fs::read_to_string(folder.join("changes.csv")).unwrap();
    assert_eq!(changes.lines().count(), 3, "{changes}");
    assert!(
        changes.contains(",http://tiny.example/tide,") && changes.contains(",first,,200,xxh3:")
    );
}

#[test]
fn a_warc_file_ends_at_the_size_that_is_set() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let output = web.run(folder.path(), "crawl http://tiny.example/ --warc-size 1KB");
    assert!(output.status.success(), "{}", errors(&output));
    let files = fs::read_dir(folder.path().join("data/archive")).unwrap().count();
    assert!(files > 1, "{files}");
    assert!(run(folder.path(), "verify --data data").status.success());
}

#[test]
fn a_collection_has_the_archive_its_index_and_its_pages() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    let output = run(folder, "export wacz --data data -o site.wacz --title Shore");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(text(&output).contains("2 pages, "), "{}", text(&output));
    let mut file = vec![];
    fs::File::open(folder.join("site.wacz")).unwrap().read_to_end(&mut file).unwrap();
    assert!(file.starts_with(b"PK\x03\x04"));
    let has = |text: &str| file.windows(text.len()).any(|window| window == text.as_bytes());
    for part in [
        "archive/",
        "indexes/index.cdx.gz",
        "indexes/index.idx",
        "pages/pages.jsonl",
        "datapackage.json",
        "datapackage-digest.json",
        "\"title\":\"Tide, \\\"high\\\"\"",
        "\"wacz_version\": \"1.1.1\"",
    ] {
        assert!(has(part), "{part}");
    }
    let left = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name());
    assert!(
        !left.map(|name| name.to_string_lossy().into_owned()).any(|name| name.starts_with('.'))
    );
    let output = run(folder, "export wacz --data none -o x.wacz");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(folder, &format!("completions {shell}"));
        assert!(text(&output).contains("corpus"), "{shell}");
    }
    assert_eq!(run(folder, "completions tcsh").status.code(), Some(2));
    let output = run(folder, "man pages");
    assert!(output.status.success(), "{}", errors(&output));
    for page in ["sanderling", "sanderling-crawl", "sanderling-export-corpus", "sanderling-lab-run"]
    {
        let text = fs::read_to_string(folder.join(format!("pages/{page}.1"))).unwrap();
        assert!(text.contains(".SH NAME") || text.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(
        fs::read_to_string(folder.join("pages/sanderling-crawl.1"))
            .unwrap()
            .contains("seeds\\-from")
    );
}
