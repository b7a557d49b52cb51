//! Sends one POST request to an address that the user of this program chose, such as a webhook.
//!
//! It is not part of the crawl: no robots.txt, no delay, and private addresses are fine. Redirects are not
//! followed.
use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    runtime::Runtime,
};
use tokio_rustls::TlsConnector;
use url::Url;

use crate::{Settings, WebError, connect::Connector};

/// Sends requests.
pub struct Poster {
    runtime: Runtime,
    tls: TlsConnector,
    limit: Duration,
}

impl Poster {
    /// A poster whose requests take at most `limit` each. It trusts the certificates that the settings
    /// trust.
    ///
    /// # Errors
    /// If the settings name invalid certificates, or no thread can be started.
    pub fn new(settings: &Settings, limit: Duration) -> Result<Self, WebError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(WebError::Start)?;
        let tls = Connector::new(Arc::new(settings.clone()))?.tls_without_http2();
        Ok(Self { runtime, tls, limit })
    }

    /// Sends `body` and waits for the status.
    ///
    /// # Errors
    /// In words, if there was no answer in time.
    pub fn post(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        body: Vec<u8>,
    ) -> Result<StatusCode, String> {
        self.runtime.block_on(async {
            tokio::time::timeout(self.limit, self.send(url, headers, body))
                .await
                .unwrap_or_else(|_| Err(format!("no answer within {:?}", self.limit)))
        })
    }

    async fn send(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        body: Vec<u8>,
    ) -> Result<StatusCode, String> {
        let host = url.host_str().ok_or("the URL has no host")?;
        let port = url.port_or_known_default().ok_or("the URL has no port")?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((bare, port))
            .await
            .map_err(|error| format!("no connection to {host}:{port}: {error}"))?;
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let request = request(url, &authority, headers, body)?;
        if url.scheme() == "http" {
            return exchange(stream, request).await;
        }
        let insecure = |error: String| format!("no secure connection to {host}: {error}");
        let name =
            ServerName::try_from(bare.to_owned()).map_err(|error| insecure(error.to_string()))?;
        let stream = self.tls.connect(name, stream).await;
        exchange(stream.map_err(|error| insecure(error.to_string()))?, request).await
    }
}

fn request(
    url: &Url,
    authority: &str,
    headers: &[(HeaderName, HeaderValue)],
    body: Vec<u8>,
) -> Result<Request<Full<Bytes>>, String> {
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    let path = format!("{}{query}", url.path());
    let mut request = Request::new(Full::new(Bytes::from(body)));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = path.parse().map_err(|error| format!("{path}: {error}"))?;
    let host = HeaderValue::from_str(authority).map_err(|error| error.to_string())?;
    request.headers_mut().insert(header::HOST, host);
    for (name, value) in headers {
        request.headers_mut().insert(name, value.clone());
    }
    Ok(request)
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<StatusCode, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let broken = |error: hyper::Error| format!("the connection broke: {error}");
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    let driver = tokio::spawn(async { drop(connection.await) });
    let answer = sender.send_request(request).await.map_err(broken);
    driver.abort();
    Ok(answer?.status())
}
