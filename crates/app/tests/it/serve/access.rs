//! Who may see what, and who is counted.
use std::{fs, io::Write, net::TcpStream, process::Command};

use super::served::Served;

const TOKEN: &str = "a-token-of-more-than-sixteen-characters";

fn with_token(flags: &str) -> Served {
    let file = std::env::temp_dir().join(format!("sanderling-token-{}", std::process::id()));
    fs::write(&file, format!("{TOKEN}\n")).unwrap();
    Served::new(&format!("--token-file {} {flags}", file.display()))
}

fn ask(served: &Served, path: &str, headers: &str) -> super::served::Reply {
    served.say(&format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}Connection: close\r\n\r\n",
        served.address
    ))
}

#[test]
fn a_server_that_others_reach_needs_a_token_or_to_be_public() {
    let served = Served::without_index();
    let folder = served.data();
    let folder = folder.parent().unwrap();
    let output = crate::common::run(folder, "serve --data data --listen 0.0.0.0:0");
    let line = crate::common::errors(&output);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(line.contains("--token-file") && line.contains("--public"), "{line}");
    fs::write(folder.join("short"), "abc").unwrap();
    let output = crate::common::run(folder, "serve --data data --token-file short");
    assert_eq!(output.status.code(), Some(2));
    assert!(crate::common::errors(&output).contains("shorter than 16"));
}

#[test]
fn the_token_opens_everything_as_a_header_and_as_a_cookie() {
    let served = with_token("");
    let reply = ask(&served, "/dashboard", "");
    assert_eq!((reply.status, reply.header("www-authenticate")), (401, "Bearer"));
    // A person who comes without a token can type it in right there.
    assert!(reply.body.contains("action=\"/login\""), "{}", reply.body);
    assert_eq!(ask(&served, "/api/status", "").status, 401);
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(ask(&served, "/dashboard", &bearer).status, 200);
    assert_eq!(ask(&served, "/dashboard", "Authorization: Bearer wrong\r\n").status, 401);
    assert_eq!(ask(&served, "/login", "").status, 200);

    let form = format!("token={TOKEN}");
    let post = |form: &str| {
        served.say(&format!(
            "POST /login HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{form}",
            served.address,
            form.len()
        ))
    };
    let reply = post(&form);
    assert_eq!((reply.status, reply.header("location")), (303, "/dashboard"));
    let cookie = reply.header("set-cookie").split(';').next().unwrap().to_owned();
    assert!(!cookie.contains(TOKEN));
    assert_eq!(ask(&served, "/dashboard", &format!("Cookie: {cookie}\r\n")).status, 200);
    // Wrong tokens are limited; one was wrong above.
    for _ in 0..4 {
        let reply = post("token=guess");
        assert_eq!(reply.status, 401);
        assert!(reply.body.contains("not the token of this server"), "{}", reply.body);
    }
    let reply = post("token=guess");
    assert_eq!((reply.status, reply.header("retry-after")), (429, "60"));
}

#[test]
fn public_is_the_search_page_and_nothing_that_shows_operations() {
    let served = with_token("--public");
    for path in ["/", "/search?q=tide", "/api/search?q=tide", "/healthz"] {
        assert_eq!(ask(&served, path, "").status, 200, "{path}");
    }
    for path in
        ["/dashboard", "/hosts", "/changes", "/metrics", "/api/status", "/api/corpus", "/events"]
    {
        assert_eq!(ask(&served, path, "").status, 401, "{path}");
    }
}

#[test]
fn what_another_site_asks_is_answered_and_not_counted() {
    let mut served = Served::new("");
    assert_eq!(ask(&served, "/search?q=tide", "").status, 200);
    for headers in ["Sec-Fetch-Site: cross-site\r\n", "Origin: https://evil.example\r\n"] {
        assert_eq!(ask(&served, "/search?q=planted", headers).status, 200);
        assert_eq!(ask(&served, "/api/search?q=planted", headers).status, 200);
    }
    served.stop();
    let queries =
        String::from_utf8_lossy(&fs::read(served.data().join("queries.db")).unwrap()).into_owned();
    assert!(queries.contains("tide") && !queries.contains("planted"));
}

#[test]
fn text_that_would_be_read_backwards_is_shown_as_it_is() {
    let served = Served::new("");
    let reply = served.get("/search?q=gpj.%E2%80%AEexe");
    assert!(reply.body.contains("\\u202e") && !reply.body.contains('\u{202e}'), "{}", reply.body);
}

#[test]
fn one_client_with_many_slow_connections_makes_room_for_others() {
    let served = Served::without_index();
    let slow = || {
        let mut stream = TcpStream::connect(served.address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: local").unwrap();
        stream
    };
    let mut crowd: Vec<TcpStream> = (0..300).map(|_| slow()).collect();
    for _ in 0..20 {
        assert_eq!(served.get("/robots.txt").status, 200);
        crowd.push(slow());
    }
    // Only its own oldest connections were closed for them.
    let closed = crowd.iter_mut().take(150).filter(|stream| {
        stream.set_nonblocking(false).unwrap();
        let mut byte = [0];
        matches!(std::io::Read::read(&mut &**stream, &mut byte), Ok(0) | Err(_))
    });
    assert_eq!(closed.count(), 150);
}

#[test]
fn connections_are_encrypted_with_certificates_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ])
        .args(["-keyout", "key.pem", "-out", "cert.pem"])
        .current_dir(folder.path())
        .output();
    if !made.is_ok_and(|output| output.status.success()) {
        eprintln!("openssl is missing: nothing is encrypted");
        return;
    }
    let path = folder.path().display();
    let served = Served::without_index();
    let data = served.data();
    let data = data.parent().unwrap();
    let (mut child, address) = crate::common::serve_at(
        data,
        "https",
        &format!("--tls-cert {path}/cert.pem --tls-key {path}/key.pem"),
    );
    let output = Command::new("curl")
        .args(["--silent", "--cacert", "cert.pem"])
        .arg("--resolve")
        .arg(format!("localhost:{}:{}", address.port(), address.ip()))
        .arg(format!("https://localhost:{}/robots.txt", address.port()))
        .current_dir(folder.path())
        .output();
    let _ = child.kill();
    let _ = child.wait();
    if let Ok(output) = output {
        assert!(String::from_utf8_lossy(&output.stdout).contains("Disallow: /"), "{output:?}");
    }
    let wrong = crate::common::run(data, &format!("serve --data data --tls-cert {path}/cert.pem"));
    assert_eq!(wrong.status.code(), Some(2));
}
