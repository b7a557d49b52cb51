//! Where the crawler does not go.
use std::net::SocketAddr;

use crawl::FaultKind;
use web::{LiveWorld, Settings, WebError};

use crate::{
    server::{Server, page, status},
    worlds::{fetch, settings, world},
};

/// No host has a fixed address here.
fn looking_up(server: &Server, allowed: &[&str]) -> LiveWorld {
    world(Settings {
        resolve: [].into(),
        allowed: allowed.iter().map(|&name| name.to_owned()).collect(),
        ..settings(server)
    })
}

#[test]
fn names_and_numbers_of_this_machine_are_refused_unless_allowed() {
    let server = Server::new(|_, stream| page(stream, "fine"));
    let port = server.address.port();
    let addresses = [
        format!("http://localhost:{port}/x"),
        format!("http://127.0.0.1:{port}/x"),
        format!("http://[::ffff:7f00:1]:{port}/x"),
        format!("http://localhost:{port}/y"),
    ];
    let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    let fetched = fetch(&mut looking_up(&server, &[]), &addresses);
    for page in 0..addresses.len() {
        let (kind, why) = fetched.fault(page);
        assert_eq!(kind, FaultKind::Unsafe);
        assert!(why.contains("loopback"), "{why}");
    }
    assert!(server.log().is_empty());
    let fetched = fetch(&mut looking_up(&server, &["localhost", "127.0.0.1"]), &addresses[..2]);
    assert_eq!((fetched.text(0), fetched.text(1)), ("fine", "fine"));
    // One name being allowed does not make its address allowed.
    let fetched = fetch(&mut looking_up(&server, &["localhost"]), &addresses[..2]);
    assert_eq!((fetched.text(0), fetched.kind(1)), ("fine", FaultKind::Unsafe));
}

#[test]
fn a_redirect_does_not_lead_to_a_private_address() {
    let to = "http://169.254.169.254/latest/meta-data/";
    let server =
        Server::new(move |_, stream| status(stream, "302 Found", &format!("Location: {to}\r\n")));
    let mut world =
        world(Settings { contact: Some("me@example.org".to_owned()), ..settings(&server) });
    let fetched = fetch(&mut world, &["http://a.example/"]);
    let link = fetched.snapshot(0).links.links()[0].address.clone();
    assert_eq!(&*link, to);
    let fetched = fetch(&mut world, &[&link, "http://10.0.0.1/", "http://192.168.1.1:8080/"]);
    for page in 0..3 {
        assert_eq!(fetched.kind(page), FaultKind::Unsafe);
    }
}

#[test]
fn without_a_contact_only_this_machine_is_asked() {
    let server = Server::new(|_, stream| page(stream, "fine"));
    let mut settings = settings(&server);
    let elsewhere: SocketAddr = ([192, 0, 2, 1], 80).into();
    settings.resolve.insert("far.example".to_owned(), elsewhere);
    let addresses = ["http://a.example/", "http://far.example/"];
    let refused = settings.check_contact(addresses);
    assert!(matches!(refused, Err(WebError::NoContact { host }) if host == "far.example"));
    let fetched = fetch(&mut world(settings), &addresses);
    assert_eq!(fetched.text(0), "fine");
    let (kind, why) = fetched.fault(1);
    assert_eq!(kind, FaultKind::Unsafe);
    assert!(why.contains("contact"), "{why}");
}

#[test]
fn a_contact_that_is_none_is_refused() {
    let server = Server::new(|_, stream| page(stream, "fine"));
    let settings = Settings { contact: Some("nobody".to_owned()), ..settings(&server) };
    let refused = LiveWorld::new(settings, web::Clock::real(), vec![], vec![]);
    assert!(matches!(refused.err(), Some(WebError::Contact(_))));
}
