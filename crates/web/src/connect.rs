//! Opens connections: only to IP addresses that were checked, and one per host at a time.
use std::{
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use crawl::{Fault, FaultKind};
use http::HeaderValue;
use http_body_util::Empty;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::OwnedSemaphorePermit,
    task::AbortHandle,
};
use tokio_rustls::TlsConnector;
use tracing::debug;

use crate::{
    Proxy, Settings, WebError,
    head_recorder::{HeadRecorder, Recording},
    range,
    target::{self, Scheme},
};

/// The least buffer of hyper for a head.
const LEAST_HEADERS: usize = 8_192;

/// Bytes of a short header.
const SHORT_HEADER: usize = 16;

/// The number of headers that is accepted however low the limit of their bytes is.
const LEAST_HEADER_COUNT: usize = 256;

/// The flow-control window of HTTP/2.
const WINDOW: u32 = 1 << 20;

/// An open connection.
pub(crate) struct Connection {
    pub(crate) sender: Sender,
    pub(crate) scheme: Scheme,
    pub(crate) remote: IpAddr,
    /// The proxy that it goes through.
    pub(crate) via: Option<Arc<Proxy>>,
    /// Whether it has carried an answer before.
    pub(crate) is_used: bool,
    /// For logs.
    host: Box<str>,
    driver: AbortHandle,
    /// Held while it is open.
    _slot: OwnedSemaphorePermit,
}

/// The sending half of a connection.
pub(crate) enum Sender {
    One(http1::SendRequest<Empty<Bytes>>, Arc<HeadRecorder>),
    Two(http2::SendRequest<Empty<Bytes>>),
}

impl Connection {
    /// The protocol, for logs.
    pub(crate) fn protocol(&self) -> &'static str {
        match (&self.sender, self.scheme) {
            (Sender::Two(_), _) => "h2",
            (Sender::One(..), Scheme::Https) => "http/1.1 over TLS",
            (Sender::One(..), Scheme::Http) => "http/1.1",
        }
    }

    /// Whether the proxy sends its requests on, so that they need the whole address. Through a tunnel
    /// they are the same as without a proxy.
    pub(crate) fn is_relayed(&self) -> bool {
        self.via.is_some() && self.scheme == Scheme::Http
    }

    /// What the proxy wants to know with each request.
    pub(crate) fn proxy_authorization(&self) -> Option<&HeaderValue> {
        self.via.as_ref().filter(|_| self.is_relayed())?.authorization()
    }

    /// Whether it is known to be closed.
    pub(crate) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::One(sender, _) => sender.is_closed(),
            Sender::Two(sender) => sender.is_closed(),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        debug!(host = self.host, remote = %self.remote, "connection closed");
        self.driver.abort();
    }
}

/// Opens connections.
pub(crate) struct Connector {
    settings: Arc<Settings>,
    extra_roots: Vec<CertificateDer<'static>>,
    proxy: Option<Arc<Proxy>>,
    /// Created for the first TLS connection: the system's certificates take a while to load.
    tls: OnceLock<TlsConnector>,
}

impl Connector {
    pub(crate) fn new(settings: Arc<Settings>) -> Result<Self, WebError> {
        let extra_roots = CertificateDer::pem_slice_iter(&settings.extra_roots)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| WebError::Roots(error.to_string()))?;
        let is_blank = settings.extra_roots.trim_ascii().is_empty();
        if extra_roots.is_empty() && !is_blank {
            return Err(WebError::Roots("they contain no certificate".to_owned()));
        }
        let mut store = RootCertStore::empty();
        for root in &extra_roots {
            store.add(root.clone()).map_err(|error| WebError::Roots(error.to_string()))?;
        }
        let proxy = settings.proxy.clone().map(Arc::new);
        Ok(Self { settings, extra_roots, proxy, tls: OnceLock::new() })
    }

    /// Connects to a host. The connection holds `slot` while it is open.
    pub(crate) async fn connect(
        &self,
        scheme: Scheme,
        authority: &str,
        slot: OwnedSemaphorePermit,
    ) -> Result<Connection, Fault> {
        let limit = self.settings.limits.connect;
        let connecting = self.connect_unlimited(scheme, authority, slot);
        tokio::time::timeout(limit, connecting).await.unwrap_or_else(|_| {
            Err(fault(FaultKind::Timeout, format!("no connection to {authority} within {limit:?}")))
        })
    }

    async fn connect_unlimited(
        &self,
        scheme: Scheme,
        authority: &str,
        slot: OwnedSemaphorePermit,
    ) -> Result<Connection, Fault> {
        let via = self.proxy.clone().filter(|_| self.settings.fixed(authority).is_none());
        let stream = match &via {
            None => self.dial(scheme, authority).await?,
            Some(proxy) => self.dial_through(proxy, scheme, authority).await?,
        };
        let remote = stream.peer_addr().map_err(|error| unconnected(authority, &error))?.ip();
        // A request is one small packet, and there is nothing to wait for.
        let _ = stream.set_nodelay(true);
        if scheme == Scheme::Http {
            return self.open(scheme, authority, stream, false, (remote, via, slot)).await;
        }
        let insecure = |why: String| {
            fault(FaultKind::Tls, format!("no secure connection to {authority}: {why}"))
        };
        let name = target::without_port(authority);
        let name = name.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(name).map_err(|error| insecure(error.to_string()))?;
        let secured = self.tls().connect(name, stream).await;
        let stream = secured.map_err(|error| insecure(error.to_string()))?;
        let is_two = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        self.open(scheme, authority, stream, is_two, (remote, via, slot)).await
    }

    /// Connects to a host through a proxy, which looks up its name.
    async fn dial_through(
        &self,
        proxy: &Proxy,
        scheme: Scheme,
        authority: &str,
    ) -> Result<TcpStream, Fault> {
        let (host, port) = target::split_port(authority);
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let ip = bare.parse::<IpAddr>().ok();
        if self.settings.contact.is_none() && ip.is_none_or(|ip| !ip.is_loopback()) {
            return Err(nameless(authority));
        }
        if let Some((ip, kind)) = ip.and_then(|ip| Some((ip, range::not_public(ip)?)))
            && !self.settings.allows(authority)
        {
            return Err(not_public(authority, ip, kind));
        }
        let failed =
            |why| fault(FaultKind::Connect, format!("no connection to {authority}: {why}"));
        let mut stream = proxy.dial().await.map_err(failed)?;
        if scheme == Scheme::Https {
            let port = port.unwrap_or_else(|| scheme.default_port());
            proxy.tunnel(&mut stream, &format!("{host}:{port}")).await.map_err(failed)?;
        }
        Ok(stream)
    }

    /// Opens a TCP connection to the first address that accepts it.
    async fn dial(&self, scheme: Scheme, authority: &str) -> Result<TcpStream, Fault> {
        let mut last = None;
        for address in self.addresses(scheme, authority).await? {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Some(error),
            }
        }
        let why = last.map_or_else(String::new, |error| error.to_string());
        Err(fault(FaultKind::Connect, format!("no connection to {authority}: {why}")))
    }

    /// The safe addresses of a host. The connection uses exactly these: a second look-up could return
    /// others (DNS rebinding).
    async fn addresses(&self, scheme: Scheme, authority: &str) -> Result<Vec<SocketAddr>, Fault> {
        let settings = &self.settings;
        let is_unknown =
            |address: &SocketAddr| settings.contact.is_none() && !address.ip().is_loopback();
        if let Some(address) = settings.fixed(authority) {
            return if is_unknown(&address) { Err(nameless(authority)) } else { Ok(vec![address]) };
        }
        let (host, port) = target::split_port(authority);
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = port.unwrap_or_else(|| scheme.default_port());
        let found: Vec<SocketAddr> = match host.parse::<IpAddr>() {
            Ok(ip) => vec![SocketAddr::new(ip, port)],
            Err(_) => tokio::net::lookup_host((host, port))
                .await
                .map_err(|error| {
                    debug!(host, %error, "DNS look-up failed");
                    fault(FaultKind::Name, format!("{host} has no address: {error}"))
                })?
                .collect(),
        };
        if found.is_empty() {
            debug!(host, "DNS look-up found no address");
            return Err(fault(FaultKind::Name, format!("{host} has no address")));
        }
        let mut refused = None;
        let mut safe = vec![];
        let is_allowed = settings.allows(authority);
        for address in found {
            match range::not_public(address.ip()) {
                Some(kind) if !is_allowed => {
                    debug!(host, ip = %address.ip(), kind, "address refused");
                    refused = Some((address.ip(), kind));
                }
                _ if is_unknown(&address) => return Err(nameless(authority)),
                _ => safe.push(address),
            }
        }
        match refused {
            Some((ip, kind)) if safe.is_empty() => Err(not_public(authority, ip, kind)),
            _ => Ok(safe),
        }
    }

    async fn open<S>(
        &self,
        scheme: Scheme,
        authority: &str,
        stream: S,
        is_two: bool,
        (remote, via, slot): (IpAddr, Option<Arc<Proxy>>, OwnedSemaphorePermit),
    ) -> Result<Connection, Fault>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let headers = self.settings.limits.headers;
        let broken = |error: &hyper::Error| unconnected(authority, error);
        let (sender, driver) = if is_two {
            let (sender, connection) = http2::Builder::new(TokioExecutor::new())
                .initial_stream_window_size(WINDOW)
                .initial_connection_window_size(WINDOW)
                .max_header_list_size(u32::try_from(headers).unwrap_or(u32::MAX))
                .handshake(TokioIo::new(stream))
                .await
                .map_err(|error| broken(&error))?;
            let driver = tokio::spawn(async { drop(connection.await) });
            (Sender::Two(sender), driver)
        } else {
            let recorder = Arc::new(HeadRecorder::default());
            let recording = Recording { stream, recorder: Arc::clone(&recorder), longest: headers };
            let (sender, connection) = http1::Builder::new()
                .title_case_headers(true)
                .allow_spaces_after_header_name_in_responses(true)
                .allow_obsolete_multiline_headers_in_responses(true)
                .ignore_invalid_headers_in_responses(true)
                .max_header_size(headers)
                // Their bytes are what is limited; their number only so far that no room is wasted.
                .max_headers((headers / SHORT_HEADER).max(LEAST_HEADER_COUNT))
                .max_buf_size(headers.max(LEAST_HEADERS))
                .handshake(TokioIo::new(recording))
                .await
                .map_err(|error| broken(&error))?;
            let driver = tokio::spawn(async { drop(connection.await) });
            (Sender::One(sender, recorder), driver)
        };
        let driver = driver.abort_handle();
        let host = authority.into();
        let is_used = false;
        Ok(Connection { sender, scheme, remote, via, is_used, host, driver, _slot: slot })
    }

    fn tls(&self) -> &TlsConnector {
        self.tls.get_or_init(|| self.tls_for(vec![b"h2".to_vec(), b"http/1.1".to_vec()]))
    }

    /// For a client that speaks HTTP/1.1 only.
    pub(crate) fn tls_without_http2(&self) -> TlsConnector {
        self.tls_for(vec![b"http/1.1".to_vec()])
    }

    fn tls_for(&self, protocols: Vec<Vec<u8>>) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        // A certificate that cannot be parsed is not trusted; that is not an error.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        roots.add_parsable_certificates(self.extra_roots.iter().cloned());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("ring provides the default versions");
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols;
        TlsConnector::from(Arc::new(config))
    }
}

fn nameless(authority: &str) -> Fault {
    let why = format!("no contact is configured, so {authority} is not visited");
    fault(FaultKind::Unsafe, why)
}

fn not_public(authority: &str, ip: IpAddr, kind: &str) -> Fault {
    let why = format!(
        "{authority} is at {ip}, a {kind} address, and is visited only if it is allowed by name"
    );
    fault(FaultKind::Unsafe, why)
}

fn unconnected(authority: &str, error: &dyn std::error::Error) -> Fault {
    fault(FaultKind::Connect, format!("no connection to {authority}: {error}"))
}

/// A fault of this kind.
pub(crate) fn fault(kind: FaultKind, why: String) -> Fault {
    Fault { kind, why }
}
