//! One connection for each host, used again, and what happens when the server has closed it.
use std::collections::BTreeSet;

use crawl::FaultKind;
use web::Settings;

use crate::{
    server::{Server, Then, page, raw},
    worlds::{fetch, patient, settings, world},
};

fn addresses(count: usize) -> Vec<String> {
    (0..count).map(|page| format!("http://a.example/{page}")).collect()
}

fn all_fine(server: &Server, count: usize) {
    let addresses = addresses(count);
    let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    let mut world = patient(server);
    for _ in 0..2 {
        let fetched = fetch(&mut world, &addresses);
        for page in 0..count {
            assert_eq!(fetched.text(page), "fine");
        }
    }
}

#[test]
fn one_connection_carries_all_requests_to_a_host_also_in_the_next_cycle() {
    let server = Server::new(|_, stream| page(stream, "fine"));
    all_fine(&server, 20);
    let connections: BTreeSet<_> = server.log().iter().map(|asked| asked.connection).collect();
    assert_eq!(connections.len(), 1);
}

#[test]
fn a_server_that_closes_after_each_answer_is_connected_to_again() {
    for headers in ["Connection: close\r\n", ""] {
        let server = Server::new(move |_, stream| {
            let head = format!("HTTP/1.1 200 OK\r\n{headers}Content-Type: text/html\r\n");
            raw(stream, format!("{head}Content-Length: 4\r\n\r\nfine").as_bytes())?;
            Ok(Then::Close)
        });
        all_fine(&server, 10);
    }
}

#[test]
fn a_server_without_keep_alive_is_read_to_the_end() {
    let server = Server::new(|_, stream| {
        raw(stream, b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nfine")?;
        Ok(Then::Close)
    });
    all_fine(&server, 10);
}

#[test]
fn a_server_that_closes_without_an_answer_is_asked_once_more_and_then_broken() {
    let server =
        Server::new(
            |asked, stream| {
                if asked.path == "/bad" { Ok(Then::Close) } else { page(stream, "fine") }
            },
        );
    let addresses = ["http://a.example/1", "http://a.example/bad", "http://a.example/2"];
    let fetched = fetch(&mut patient(&server), &addresses);
    assert_eq!((fetched.text(0), fetched.text(2)), ("fine", "fine"));
    assert_eq!(fetched.kind(1), FaultKind::Broken);
    let tries = server.paths().iter().filter(|path| *path == "/bad").count();
    assert_eq!(tries, 2, "once over the connection that was open, once over a fresh one");
}

#[test]
fn more_hosts_than_may_be_connected_to_at_once_all_get_their_turn() {
    let server = Server::new(|_, stream| page(stream, "fine"));
    let mut settings = Settings { hosts_at_once: 2, ..settings(&server) };
    let hosts: Vec<String> = (0..20).map(|host| format!("h{host}.example")).collect();
    for host in &hosts {
        settings.resolve.insert(host.clone(), server.address);
    }
    let addresses: Vec<String> = (0..3)
        .flat_map(|page| hosts.iter().map(move |host| format!("http://{host}/{page}")))
        .collect();
    let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
    let mut world = world(settings);
    for _ in 0..2 {
        let fetched = fetch(&mut world, &addresses);
        assert!((0..addresses.len()).all(|page| fetched.text(page) == "fine"));
    }
}
