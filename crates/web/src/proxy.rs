//! An HTTP proxy between the crawler and the web.
//!
//! Requests for `http` go to the proxy with their whole address; for `https` the proxy opens a tunnel
//! (CONNECT, RFC 9110, section 9.3.6), so it does not see what is sent. The proxy looks up names. So the
//! crawler cannot check that a name has no private address; addresses that are numbers are checked.
use std::fmt;

use data_encoding::BASE64;
use http::HeaderValue;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::target::{self, Target};

/// The longest head of the proxy's answer.
const LONGEST_HEAD: usize = 16 << 10;

/// A proxy.
#[derive(Clone)]
pub struct Proxy {
    /// Host and port.
    authority: String,
    /// The value of `Proxy-Authorization`.
    authorization: Option<HeaderValue>,
}

impl Proxy {
    /// Parses `http://host:port`, with an optional `user:password@`.
    ///
    /// # Errors
    /// What is wrong, without the password.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = "expected http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT";
        let text = text.trim().trim_end_matches('/');
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some((scheme, _)) => {
                return Err(format!("a proxy of type {scheme:?} is not supported; {expected}"));
            }
            None => text,
        };
        let (user, host) = match rest.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, rest),
        };
        let is_host = Target::parse(&format!("http://{host}/"))
            .is_some_and(|target| target.authority == host && target::split_port(host).1.is_some());
        if !is_host {
            return Err(expected.to_owned());
        }
        let authorization = user.map(|user| {
            let user = percent_decoded(user);
            let mut value = HeaderValue::from_str(&format!("Basic {}", BASE64.encode(&user)))
                .map_err(|_| expected.to_owned())?;
            value.set_sensitive(true);
            Ok::<_, String>(value)
        });
        Ok(Self { authority: host.to_owned(), authorization: authorization.transpose()? })
    }

    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }

    /// Opens a TCP connection to the proxy.
    pub(crate) async fn dial(&self) -> Result<TcpStream, String> {
        TcpStream::connect(&self.authority)
            .await
            .map_err(|error| format!("no connection to the proxy {}: {error}", self.authority))
    }

    /// Opens a tunnel through the proxy to `host:port`.
    pub(crate) async fn tunnel(&self, stream: &mut TcpStream, to: &str) -> Result<(), String> {
        let mut request = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n").into_bytes();
        if let Some(authorization) = &self.authorization {
            request.extend_from_slice(b"Proxy-Authorization: ");
            request.extend_from_slice(authorization.as_bytes());
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"\r\n");
        let broken =
            |error: std::io::Error| format!("the proxy {} broke off: {error}", self.authority);
        stream.write_all(&request).await.map_err(broken)?;
        let mut head = vec![];
        while !head.ends_with(b"\r\n\r\n") && head.len() < LONGEST_HEAD {
            // Byte by byte: what follows the head belongs to the tunnel.
            head.push(stream.read_u8().await.map_err(broken)?);
        }
        let line =
            String::from_utf8_lossy(head.split(|byte| *byte == b'\r').next().unwrap_or_default())
                .into_owned();
        let status = line.split(' ').nth(1).unwrap_or_default();
        match status.as_bytes() {
            [b'2', _, _] => Ok(()),
            b"407" => Err(format!("the proxy {} wants a password (407)", self.authority)),
            _ => Err(format!("the proxy {} opens no tunnel to {to}: {line:?}", self.authority)),
        }
    }
}

/// Without the password.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({})", self.authority)
    }
}

/// User names and passwords in URLs escape their signs.
fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (vec![], 0);
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = escaped.filter(|_| bytes[at] == b'%') {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_a_host_with_a_port() {
        let proxy = Proxy::parse("http://user:p%40ss@proxy.example:3128/").unwrap();
        assert_eq!(proxy.authority, "proxy.example:3128");
        assert_eq!(proxy.authorization().unwrap(), "Basic dXNlcjpwQHNz");
        assert!(!format!("{proxy:?}").contains("ss"));
        assert!(Proxy::parse("proxy.example:3128").unwrap().authorization().is_none());
        assert!(Proxy::parse("http://[::1]:3128").is_ok());
        for wrong in
            ["", "http://proxy.example", "socks5://u:hush@a:1", "u:hush@a", "http://a:b:c/d"]
        {
            let error = Proxy::parse(wrong).unwrap_err();
            assert!(!error.contains("hush"), "{error}");
        }
    }
}
