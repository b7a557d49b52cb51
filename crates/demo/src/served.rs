//! What the demo web answers to one request.
use std::time::Duration;

use bytes::Bytes;
use flow::Time;

/// One answer: what a server sends, and how long it takes over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// 200, 301, 302, 404, 410; 421 where the host is none of the web's.
    pub status: u16,
    /// The media type of the body.
    pub mime: Mime,
    /// `ETag`, where the site gives it.
    pub etag: Option<String>,
    /// `Last-Modified`, where the site gives it: the page's last change, which may be before the
    /// web's first instant.
    pub last_modified: Option<Time>,
    /// `Cache-Control`, where the site gives it.
    pub cache_control: Option<&'static str>,
    /// `X-Robots-Tag`, where the page has it.
    pub robots_tag: Option<&'static str>,
    /// `Location`, where the answer is a redirect: an absolute address.
    pub location: Option<String>,
    /// How long the server takes over it.
    pub slowness: Duration,
    /// Whether the server compresses the body for those who accept it.
    pub gzip: bool,
    /// The body.
    pub body: Bytes,
}

/// The media type of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mime {
    /// A page.
    Html,
    /// robots.txt.
    Text,
    /// A sitemap.
    Xml,
    /// An RSS feed.
    Rss,
    /// An Atom feed.
    Atom,
    /// A compressed sitemap.
    Gzip,
}

impl Served {
    /// An answer without anything but its body.
    pub(crate) fn plain(status: u16, mime: Mime, body: String) -> Self {
        Self {
            status,
            mime,
            etag: None,
            last_modified: None,
            cache_control: None,
            robots_tag: None,
            location: None,
            slowness: Duration::ZERO,
            gzip: false,
            body: body.into(),
        }
    }
}

impl Mime {
    /// The media type alone, as in `text/html`.
    pub fn essence(self) -> &'static str {
        match self {
            Self::Html => "text/html",
            Self::Text => "text/plain",
            Self::Xml => "application/xml",
            Self::Rss => "application/rss+xml",
            Self::Atom => "application/atom+xml",
            Self::Gzip => "application/gzip",
        }
    }

    /// The value of `Content-Type`, as in `text/html; charset=utf-8`.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Text => "text/plain; charset=utf-8",
            Self::Xml => "application/xml; charset=utf-8",
            Self::Rss => "application/rss+xml; charset=utf-8",
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Gzip => "application/gzip",
        }
    }
}
