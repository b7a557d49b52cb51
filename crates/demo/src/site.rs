//! One site: its pages, its manners, and what it answers.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use flow::Time;
use xxhash_rust::xxh3::xxh3_64;

use crate::chance::Chance;
use crate::page::{End, Form, Lastmod, Noindex, Page, Sitemap};
use crate::render;
use crate::served::{Mime, Served};
use crate::sites::Era;

/// A page for a path that no list of pages can hold, such as the months of an endless calendar.
type Endless = fn(&Era, &str) -> Option<Page>;

/// A site of the demo web.
pub(crate) struct Site {
    /// Its host.
    pub(crate) host: &'static str,
    /// Its name.
    pub(crate) name: String,
    /// A line about it.
    pub(crate) about: String,
    /// The feed its pages name, and its kind (`rss` or `atom`).
    pub(crate) feed: Option<(&'static str, &'static str)>,
    /// Links at the head of every page: target and label.
    pub(crate) navigation: Vec<(String, String)>,
    /// Links at the foot of every page that ask not to be followed.
    pub(crate) asides: Vec<(&'static str, &'static str)>,
    /// How it answers.
    pub(crate) manners: Manners,
    /// Makes the pages that are not in `pages`.
    pub(crate) endless: Option<Endless>,
    pages: BTreeMap<String, Page>,
}

/// How a site answers.
#[derive(Clone, Debug)]
pub(crate) struct Manners {
    /// By what clients can ask whether a page changed.
    pub(crate) validators: Validators,
    /// Whether it compresses for those who accept it.
    pub(crate) gzip: bool,
    /// What it says in `Cache-Control`.
    pub(crate) cache_control: Option<&'static str>,
    /// The share of its pages that take long.
    pub(crate) slow: f64,
    /// Whether it has a robots.txt.
    pub(crate) robots: bool,
    /// The prefixes its robots.txt disallows.
    pub(crate) private: &'static [&'static str],
    /// The `Crawl-delay` it asks for, in seconds.
    pub(crate) crawl_delay: Option<&'static str>,
    /// Its sitemap.
    pub(crate) sitemap: SitemapKind,
}

impl Manners {
    /// A robots.txt that allows everything, and nothing more.
    pub(crate) const PLAIN: Self = Self {
        validators: Validators::None,
        gzip: false,
        cache_control: None,
        slow: 0.0,
        robots: true,
        private: &[],
        crawl_delay: None,
        sitemap: SitemapKind::None,
    };
}

/// By what clients can ask whether a page changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validators {
    /// By nothing.
    None,
    /// By `ETag`.
    Tag,
    /// By `Last-Modified`.
    Date,
    /// By either.
    Both,
}

/// The sitemap of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SitemapKind {
    /// None at all.
    None,
    /// Addresses only.
    Plain,
    /// With the truth about when pages changed.
    True,
    /// With the time of the last nightly build for every page.
    Build,
    /// An index of a plain and a compressed sitemap.
    Index,
}

impl Site {
    /// A site without pages.
    pub(crate) fn new(host: &'static str, name: &str, about: &str, manners: Manners) -> Self {
        Self {
            host,
            name: name.to_owned(),
            about: about.to_owned(),
            feed: None,
            navigation: Vec::new(),
            asides: Vec::new(),
            manners,
            endless: None,
            pages: BTreeMap::new(),
        }
    }

    /// Adds `page`, which must be the first at its path; makers number paths that may meet.
    pub(crate) fn add(&mut self, page: Page) {
        debug_assert!(!self.pages.contains_key(&page.path), "{} twice", page.path);
        self.pages.insert(page.path.clone(), page);
    }

    /// Adds a link to the head of every page.
    pub(crate) fn navigate(&mut self, target: &str, label: &str) {
        self.navigation.push((target.to_owned(), label.to_owned()));
    }

    /// `path`, with a number after it where it is taken.
    pub(crate) fn free_path(&self, path: String) -> String {
        if !self.pages.contains_key(&path) {
            return path;
        }
        let numbered = (2_u32..).map(|number| format!("{path}-{number}"));
        numbered.into_iter().find(|path| !self.pages.contains_key(path)).unwrap_or(path)
    }

    /// Its pages, in the order of their paths.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.values()
    }

    /// Whether its robots.txt forbids crawlers `path`.
    pub(crate) fn is_private(&self, path: &str) -> bool {
        self.manners.private.iter().any(|prefix| path.starts_with(prefix))
    }

    /// Works out when pages change, and adds robots.txt and sitemaps. Call it last.
    pub(crate) fn settle(&mut self, era: &Era) {
        let chance = Chance::new(era.seed, self.host);
        for page in self.pages.values_mut() {
            page.settle();
            let mut draws = chance.of(&page.path).of("slow").draws();
            if draws.happens(self.manners.slow) {
                page.slowness = draws.between(100, 300) as u16;
            }
        }
        let listed = self.pages().filter(|page| page.is_listable() && !self.is_private(&page.path));
        let listed: Vec<_> = listed.map(Page::listed).collect();
        let plain = Sitemap { listed, lastmod: Lastmod::Absent, is_index: false, gzip: false };
        match self.manners.sitemap {
            SitemapKind::None => {}
            SitemapKind::Plain => self.add_sitemap(era, "/sitemap.xml", plain),
            SitemapKind::True => {
                self.add_sitemap(era, "/sitemap.xml", Sitemap { lastmod: Lastmod::True, ..plain });
            }
            SitemapKind::Build => {
                let lastmod = Lastmod::Build(era.nights());
                self.add_sitemap(era, "/sitemap.xml", Sitemap { lastmod, ..plain });
            }
            SitemapKind::Index => self.add_sitemap_index(era, &plain),
        }
        if self.manners.robots {
            let mut page = Page::new("/robots.txt", "", era.long_ago(), Form::Text(self.robots()));
            page.settle();
            self.add(page);
        }
    }

    fn add_sitemap(&mut self, era: &Era, path: &str, sitemap: Sitemap) {
        let mut page = Page::new(path, "", era.long_ago(), Form::Sitemap(sitemap));
        page.settle();
        self.add(page);
    }

    /// Items go to the compressed sitemap, other pages to the plain one.
    fn add_sitemap_index(&mut self, era: &Era, all: &Sitemap) {
        let (items, others) =
            all.listed.iter().cloned().partition(|listed| listed.path.contains("/item/"));
        let parts =
            [("/sitemaps/items.xml.gz", items, true), ("/sitemaps/pages.xml", others, false)];
        let mut listed = Vec::new();
        for (path, part, gzip) in parts {
            self.add_sitemap(era, path, Sitemap { listed: part, gzip, ..all.clone() });
            listed.extend(self.pages.get(path).map(Page::listed));
        }
        let index = Sitemap { listed, lastmod: Lastmod::True, is_index: true, gzip: false };
        self.add_sitemap(era, "/sitemap_index.xml", index);
    }

    fn robots(&self) -> String {
        let mut text = format!("# {}\nUser-agent: *\n", self.name);
        for prefix in self.manners.private {
            let _ = writeln!(text, "Disallow: {prefix}");
        }
        if self.manners.private.is_empty() {
            text.push_str("Disallow:\n");
        }
        if let Some(delay) = self.manners.crawl_delay {
            let _ = writeln!(text, "Crawl-delay: {delay}");
        }
        let path = match self.manners.sitemap {
            SitemapKind::None => return text,
            SitemapKind::Index => "/sitemap_index.xml",
            _ => "/sitemap.xml",
        };
        let _ = writeln!(text, "\nSitemap: http://{}{path}", self.host);
        text
    }

    /// What the site answers for `path` at `at`.
    pub(crate) fn answer(&self, era: &Era, path: &str, at: Time) -> Served {
        let made;
        let page = match self.pages.get(path) {
            Some(page) => page,
            None => match self.endless.and_then(|endless| endless(era, path)) {
                Some(page) => {
                    made = page;
                    &made
                }
                None => return self.refusal(404),
            },
        };
        if at < era.start { self.refusal(404) } else { self.serve(page, at) }
    }

    /// What `page` answers at `at`. The one function behind the server and the histories.
    pub(crate) fn serve(&self, page: &Page, at: Time) -> Served {
        match &page.end {
            Some((end, how)) if *end <= at => match how {
                End::Gone => self.refusal(410),
                End::Missing => self.refusal(404),
                End::Moved(status, target) => self.redirect(*status, target),
            },
            _ => match page.changed(at) {
                Some(changed) => self.show(page, changed),
                None => self.refusal(404),
            },
        }
    }

    /// What `page` shows at `now`, whether it changed just then or not.
    pub(crate) fn show(&self, page: &Page, now: Time) -> Served {
        let (mime, body) = match &page.form {
            Form::Html(blocks) => (Mime::Html, render::html(self, page, blocks, now).into_bytes()),
            Form::Text(text) => (Mime::Text, text.clone().into_bytes()),
            Form::Rss(list) => (Mime::Rss, render::rss(self, list, now).into_bytes()),
            Form::Atom(list) => (Mime::Atom, render::atom(self, list, now).into_bytes()),
            Form::Sitemap(sitemap) => {
                let mime = if sitemap.gzip { Mime::Gzip } else { Mime::Xml };
                (mime, render::sitemap(self, sitemap, now))
            }
            Form::Redirect(status, targets) => {
                return match crate::page::in_force(targets, now) {
                    Some(target) => self.redirect(*status, target),
                    None => self.refusal(404),
                };
            }
        };
        let tagged = matches!(self.manners.validators, Validators::Tag | Validators::Both);
        let dated = matches!(self.manners.validators, Validators::Date | Validators::Both);
        let weak = if self.manners.gzip { "W/" } else { "" };
        let etag = tagged.then(|| format!("{weak}\"{:016x}\"", xxh3_64(&body)));
        Served {
            status: 200,
            mime,
            etag,
            last_modified: dated.then_some(now),
            cache_control: self.manners.cache_control,
            robots_tag: (page.noindex == Noindex::Header).then_some("noindex"),
            location: None,
            slowness: Duration::from_millis(page.slowness.into()),
            gzip: self.manners.gzip && mime != Mime::Gzip,
            body: body.into(),
        }
    }

    fn redirect(&self, status: u16, target: &str) -> Served {
        let location = if target.starts_with('/') {
            format!("http://{}{target}", self.host)
        } else {
            target.to_owned()
        };
        let body = format!(
            "<!doctype html>\n<title>Moved</title>\n<p>This page is now at <a href=\"{location}\">{location}</a>.</p>\n"
        );
        Served { location: Some(location), ..Served::plain(status, Mime::Html, body) }
    }

    fn refusal(&self, status: u16) -> Served {
        let words = match status {
            410 => "This page was taken down, and will not come back",
            _ => "There is no such page",
        };
        let body = format!(
            "<!doctype html>\n<title>{words}</title>\n<h1>{words}.</h1>\n<p><a href=\"/\">{}</a></p>\n",
            self.name
        );
        Served::plain(status, Mime::Html, body)
    }
}
