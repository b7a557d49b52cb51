//! One site: its pages, its server, and what it answers.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crawl::Time;
use xxhash_rust::xxh3::xxh3_64;

use crate::list::{Entry, List, Order};
use crate::page::{Block, End, Form, Lastmod, Noindex, Page, Sitemap, in_force};
use crate::random::Random;
use crate::render;
use crate::served::{Mime, Served};
use crate::sites::{Era, add_fixed, club};
use crate::spec::{Kind, SiteSpec, SitemapKind, Validators};

/// A site of the demo web.
pub(crate) struct Site {
    pub(crate) spec: &'static SiteSpec,
    pub(crate) era: Era,
    /// The source of everything random on this site.
    pub(crate) random: Random,
    pages: BTreeMap<String, Page>,
}

impl Site {
    /// A site with the pages that its description lists.
    pub(crate) fn new(era: Era, spec: &'static SiteSpec) -> Self {
        let random = Random::new(era.seed, &spec.host);
        let mut site = Self { spec, era, random, pages: BTreeMap::new() };
        for (path, title, voice) in spec.house.iter().chain(&spec.unlisted) {
            add_fixed(&mut site, path, title, *voice);
        }
        site
    }

    /// Adds the front page.
    pub(crate) fn add_front(&mut self, title: &str, blocks: Vec<Block>) {
        self.add(Page::html("/", title, self.era.long_ago(), blocks));
    }

    /// Adds a page that holds a list only.
    pub(crate) fn add_list(&mut self, path: &str, title: &str, born: Time, list: List) {
        self.add(Page::html(path, title, born, vec![Block::List(list)]));
    }

    /// The list of the pages about the site itself.
    pub(crate) fn house(&self) -> Block {
        let heading = match &*self.spec.house_heading {
            "" => "The house",
            heading => heading,
        };
        let pages = self.spec.house.iter().map(|(path, title, _)| Entry::fixed(path, title));
        Block::List(List::new(heading, pages, Order::Given))
    }

    /// Adds `page`, which must be the first at its path.
    pub(crate) fn add(&mut self, page: Page) {
        debug_assert!(!self.pages.contains_key(&page.path), "{} twice", page.path);
        self.pages.insert(page.path.clone(), page);
    }

    /// `path`, with a number appended if it is taken.
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

    /// Computes when pages change, and adds robots.txt and sitemaps. Call it last.
    pub(crate) fn finish(&mut self) {
        let random = self.random;
        for page in self.pages.values_mut() {
            page.finish();
            let mut draws = random.of(&page.path).of("slow").draws();
            if draws.happens(self.spec.slow) {
                page.slowness = draws.between(100, 300) as u16;
            }
        }
        let listed =
            self.pages().filter(|page| page.is_listable() && !self.spec.is_private(&page.path));
        let listed: Vec<_> = listed.map(Page::listed).collect();
        let plain = Sitemap { listed, lastmod: Lastmod::Absent, is_index: false, gzip: false };
        match self.spec.sitemap {
            SitemapKind::None => {}
            SitemapKind::Plain => self.add_file("/sitemap.xml", Form::Sitemap(plain)),
            SitemapKind::True => {
                let sitemap = Sitemap { lastmod: Lastmod::True, ..plain };
                self.add_file("/sitemap.xml", Form::Sitemap(sitemap));
            }
            SitemapKind::Build => {
                let sitemap = Sitemap { lastmod: Lastmod::Build(self.era.nights()), ..plain };
                self.add_file("/sitemap.xml", Form::Sitemap(sitemap));
            }
            SitemapKind::Index => self.add_sitemap_index(&plain),
        }
        if !self.spec.no_robots {
            self.add_file("/robots.txt", Form::Text(self.robots()));
        }
    }

    fn add_file(&mut self, path: &str, form: Form) {
        let mut page = Page::new(path, "", self.era.long_ago(), form);
        page.finish();
        self.add(page);
    }

    /// Items go to the compressed sitemap, other pages to the plain one.
    fn add_sitemap_index(&mut self, all: &Sitemap) {
        let (items, others) =
            all.listed.iter().cloned().partition(|listed| listed.path.contains("/item/"));
        let parts =
            [("/sitemaps/items.xml.gz", items, true), ("/sitemaps/pages.xml", others, false)];
        let mut listed = Vec::new();
        for (path, part, gzip) in parts {
            let sitemap = Sitemap { listed: part, gzip, ..all.clone() };
            self.add_file(path, Form::Sitemap(sitemap));
            listed.extend(self.pages.get(path).map(Page::listed));
        }
        let index = Sitemap { listed, lastmod: Lastmod::True, is_index: true, gzip: false };
        self.add_file("/sitemap_index.xml", Form::Sitemap(index));
    }

    fn robots(&self) -> String {
        let mut text = format!("# {}\nUser-agent: *\n", self.spec.name);
        for prefix in &self.spec.private {
            let _ = writeln!(text, "Disallow: {prefix}");
        }
        if self.spec.private.is_empty() {
            text.push_str("Disallow:\n");
        }
        if let Some(delay) = &self.spec.crawl_delay {
            let _ = writeln!(text, "Crawl-delay: {delay}");
        }
        let path = match self.spec.sitemap {
            SitemapKind::None => return text,
            SitemapKind::Index => "/sitemap_index.xml",
            _ => "/sitemap.xml",
        };
        let _ = writeln!(text, "\nSitemap: http://{}{path}", self.spec.host);
        text
    }

    /// What the site answers for `path` at `at`.
    pub(crate) fn answer(&self, path: &str, at: Time) -> Served {
        let is_endless = || matches!(self.spec.kind, Kind::Club) && !self.pages.contains_key(path);
        let made = is_endless().then(|| club::month_page(self, path)).flatten();
        match self.pages.get(path).or(made.as_ref()) {
            Some(page) if self.era.start <= at => self.serve(page, at),
            _ => self.refusal(404),
        }
    }

    /// What `page` answers at `at`. Server and histories both use it.
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

    /// What `page` shows at `now`, even if it did not change just then.
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
                return match in_force(targets, now) {
                    Some(target) => self.redirect(*status, target),
                    None => self.refusal(404),
                };
            }
        };
        let tagged = matches!(self.spec.validators, Validators::Tag | Validators::Both);
        let dated = matches!(self.spec.validators, Validators::Date | Validators::Both);
        let weak = if self.spec.gzip { "W/" } else { "" };
        let etag = tagged.then(|| format!("{weak}\"{:016x}\"", xxh3_64(&body)));
        Served {
            status: 200,
            mime,
            etag,
            last_modified: dated.then_some(now),
            cache_control: self.spec.cache_control.as_deref(),
            robots_tag: (page.noindex == Noindex::Header).then_some("noindex"),
            slowness: Duration::from_millis(page.slowness.into()),
            gzip: self.spec.gzip && mime != Mime::Gzip,
            body: body.into(),
            ..Served::default()
        }
    }

    /// The address of `target`, a path or an address.
    pub(crate) fn absolute(&self, target: &str) -> String {
        let is_path = target.starts_with('/');
        if is_path { format!("http://{}{target}", self.spec.host) } else { target.to_owned() }
    }

    fn redirect(&self, status: u16, target: &str) -> Served {
        let location = self.absolute(target);
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
            self.spec.name
        );
        Served::plain(status, Mime::Html, body)
    }
}
