//! The answer of the demo web to one request.
use std::time::Duration;

use bytes::Bytes;
use crawl::Time;

/// One answer: what a server sends, and how long it takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// 200, 301, 302, 404, 410; 421 if the host does not belong to the web.
    pub status: u16,
    /// The media type of the body.
    pub mime: Mime,
    /// `ETag`, if the site sends it.
    pub etag: Option<String>,
    /// `Last-Modified`, if the site sends it: the page's last change, which may be before the
    /// web's first instant.
    pub last_modified: Option<Time>,
    /// `Cache-Control`, if the site sends it.
    pub cache_control: Option<&'static str>,
    /// `X-Robots-Tag`, if the page has it.
    pub robots_tag: Option<&'static str>,
    /// `Location` of a redirect: an absolute address.
    pub location: Option<String>,
    /// How long the server takes.
    pub slowness: Duration,
    /// Whether the server compresses the body for clients that accept it.
    pub gzip: bool,
    /// The body.
    pub body: Bytes,
}

/// The media type of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mime {
    /// A page.
    #[default]
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
    /// An answer with a body and no optional headers.
    pub(crate) fn plain(status: u16, mime: Mime, body: String) -> Self {
        Self { status, mime, body: body.into(), ..Self::default() }
    }
}

impl Mime {
    /// The media type alone, as in `text/html`.
    pub fn essence(self) -> &'static str {
        let content_type = self.content_type();
        content_type.split(';').next().unwrap_or(content_type)
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
