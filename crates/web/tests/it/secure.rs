//! Over TLS: certificates are checked, and HTTP/2 is spoken where the server can.
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use crawl::FaultKind;
use http::{Request, Response, Version};
use http_body_util::Full;
use hyper::{
    body::Incoming,
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use tokio::{net::TcpListener, runtime::Runtime};
use tokio_rustls::TlsAcceptor;
use web::{LiveWorld, Settings, WebError};

use crate::{
    certificates::{Validity, certified, self_signed},
    worlds::{at, fetch, world},
};

/// A server over TLS with a certificate that it signed itself.
struct Secure {
    address: SocketAddr,
    certificate: String,
    versions: Arc<Mutex<Vec<Version>>>,
    connections: Arc<AtomicUsize>,
    _runtime: Runtime,
}

impl Secure {
    fn new(name: &str, protocol: &'static str) -> Self {
        Self::with(self_signed(name, protocol), protocol)
    }

    fn with((config, certificate): (ServerConfig, String), protocol: &'static str) -> Self {
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let versions: Arc<Mutex<Vec<Version>>> = Arc::default();
        let connections: Arc<AtomicUsize> = Arc::default();
        let (seen, count) = (Arc::clone(&versions), Arc::clone(&connections));
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, seen) = (acceptor.clone(), Arc::clone(&seen));
                count.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = service_fn(move |request| {
                        seen.lock().unwrap().push(request.version());
                        async move { Ok::<_, std::convert::Infallible>(answer(&request)) }
                    });
                    let io = TokioIo::new(stream);
                    if protocol == "h2" {
                        let server = http2::Builder::new(TokioExecutor::new());
                        let _ = server.serve_connection(io, service).await;
                    } else {
                        let _ = http1::Builder::new().serve_connection(io, service).await;
                    }
                });
            }
        });
        Self { address, certificate, versions, connections, _runtime: runtime }
    }

    fn settings(&self) -> Settings {
        at(self.address)
    }

    fn trusted(&self) -> LiveWorld {
        world(Settings { extra_roots: self.certificate.clone().into_bytes(), ..self.settings() })
    }
}

fn answer(request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, body) = match request.uri().path() {
        "/robots.txt" => (404, Bytes::new()),
        "/endless" => (200, Bytes::from(vec![b'x'; 300_000])),
        _ => (200, Bytes::from("<p>fine")),
    };
    let builder = Response::builder().status(status).header("Content-Type", "text/html");
    builder.header("X-Kind", "test").body(Full::new(body)).unwrap()
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let server = Secure::new("a.example", "http/1.1");
    let fetched = fetch(&mut world(server.settings()), &["https://a.example/"]);
    let (kind, why) = fetched.fault(0);
    assert_eq!(kind, FaultKind::Tls);
    assert!(why.contains("no secure connection to a.example"), "{why}");
    assert!(server.versions.lock().unwrap().is_empty());
}

#[test]
fn a_page_of_a_host_whose_certificate_went_bad_is_a_fault_of_tls() {
    let server = Secure::new("a.example", "http/1.1");
    let known = fetch(&mut server.trusted(), &["https://a.example/"]);
    let robots = known.robots().into_iter().cloned().collect();
    let clock = web::Clock::real();
    let mut distrustful = LiveWorld::new(server.settings(), clock, robots, vec![]).unwrap();
    let fetched = fetch(&mut distrustful, &["https://a.example/"]);
    assert_eq!(fetched.kind(0), FaultKind::Tls);
}

#[test]
fn a_certificate_for_another_host_is_refused() {
    let server = Secure::new("b.example", "http/1.1");
    let fetched = fetch(&mut server.trusted(), &["https://a.example/", "https://b.example/"]);
    let (kind, why) = fetched.fault(0);
    assert_eq!(kind, FaultKind::Tls);
    assert!(why.contains("no secure connection") && why.contains("not valid for name"), "{why}");
    assert_eq!(fetched.text(1), "fine");
}

#[test]
fn a_certificate_that_is_not_valid_now_is_a_fault_of_tls_that_says_so() {
    for (validity, says) in [(Validity::Over, "expired"), (Validity::NotYet, "not valid yet")] {
        let server = Secure::with(certified("a.example", "http/1.1", validity), "http/1.1");
        let fetched = fetch(&mut server.trusted(), &["https://a.example/"]);
        let (kind, why) = fetched.fault(0);
        assert_eq!(kind, FaultKind::Tls);
        assert!(why.contains("no secure connection") && why.contains(says), "{why}");
        assert!(server.versions.lock().unwrap().is_empty());
    }
}

#[test]
fn both_versions_of_http_are_spoken_over_one_connection() {
    for (protocol, version) in [("h2", Version::HTTP_2), ("http/1.1", Version::HTTP_11)] {
        let server = Secure::new("a.example", protocol);
        let addresses: Vec<String> = (0..10).map(|n| format!("https://a.example/{n}")).collect();
        let addresses: Vec<_> = addresses.iter().map(String::as_str).collect();
        let fetched = fetch(&mut server.trusted(), &addresses);
        assert!((0..10).all(|page| fetched.text(page) == "fine"), "{protocol}");
        let versions = server.versions.lock().unwrap();
        assert!(versions.len() == 11 && versions.iter().all(|&seen| seen == version));
        assert_eq!(server.connections.load(Ordering::Relaxed), 1);
        let exchange = fetched.captures[0].exchange.as_ref().unwrap();
        let head = String::from_utf8_lossy(&exchange.response_head).to_lowercase();
        assert!(head.starts_with("http/1.1 200 ok\r\n"), "{head}");
        assert!(head.contains("\r\nx-kind: test\r\n") && head.ends_with("\r\n\r\n"));
        assert!(exchange.request_head.starts_with(b"GET /0 HTTP/1.1\r\nHost: a.example\r\n"));
    }
}

#[test]
fn limits_hold_over_http_2() {
    let server = Secure::new("a.example", "h2");
    let addresses = ["https://a.example/endless", "https://a.example/next"];
    let fetched = fetch(&mut server.trusted(), &addresses);
    assert_eq!((fetched.kind(0), fetched.text(1)), (FaultKind::TooLarge, "fine"));
}

#[test]
fn certificates_that_are_none_are_refused_at_once() {
    let server = Secure::new("a.example", "h2");
    let settings = Settings { extra_roots: b"nonsense".to_vec(), ..server.settings() };
    let refused = LiveWorld::new(settings, web::Clock::real(), vec![], vec![]);
    assert!(matches!(refused.err(), Some(WebError::Roots(_))));
}
