//! What each site is and how its server behaves, read from `data/sites.toml`.
use std::sync::LazyLock;

use serde::Deserialize;

use crate::phrases::Voice;
use crate::sites::{blog, docs, forum, news, notices, shop, wiki};

/// All sites, in the order of the file. The directory comes last, because it lists the others.
pub(crate) static SITES: LazyLock<Vec<SiteSpec>> = LazyLock::new(|| {
    let file: SitesFile =
        toml::from_str(include_str!("../data/sites.toml")).expect("a test reads sites.toml");
    file.site
});

#[derive(Deserialize)]
struct SitesFile {
    site: Vec<SiteSpec>,
}

/// One site.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SiteSpec {
    pub(crate) host: String,
    pub(crate) name: String,
    /// A line about the site.
    pub(crate) about: String,
    /// The feed that its pages name, and the kind of the feed: `rss` or `atom`.
    pub(crate) feed: Option<(String, String)>,
    /// Sections, chapters, shelves or boards: the `*` in `group_path`, and a label.
    pub(crate) groups: Vec<(String, String)>,
    pub(crate) group_path: String,
    /// Links at the top of every page, after those to the groups: target and label.
    pub(crate) navigation: Vec<(String, String)>,
    /// `nofollow` links at the bottom of every page.
    pub(crate) asides: Vec<(String, String)>,
    /// Pages that never change and that the front page lists: path, title, voice.
    pub(crate) house: Vec<(String, String, Voice)>,
    /// The heading of that list, "The house" if empty.
    pub(crate) house_heading: String,
    /// Pages that never change and that the front page does not list.
    pub(crate) unlisted: Vec<(String, String, Voice)>,
    /// The validators that the server sends.
    pub(crate) validators: Validators,
    /// Whether the server compresses for clients that accept it.
    pub(crate) gzip: bool,
    pub(crate) cache_control: Option<String>,
    /// The share of pages that the server takes long to answer.
    pub(crate) slow: f64,
    pub(crate) no_robots: bool,
    /// The prefixes that robots.txt disallows.
    pub(crate) private: Vec<String>,
    /// `Crawl-delay` in seconds.
    pub(crate) crawl_delay: Option<String>,
    pub(crate) sitemap: SitemapKind,
    #[serde(flatten)]
    pub(crate) kind: Kind,
}

/// The generator of a site's pages, with its parameters.
#[derive(Debug, Default, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Kind {
    News(news::Params),
    Docs(docs::Params),
    Shop(shop::Params),
    Blog(blog::Params),
    Wiki(wiki::Params),
    Forum(forum::Params),
    Office(notices::Params),
    /// Every path redirects to the same path of another host.
    Moved {
        to: String,
        paths: Vec<String>,
    },
    Lamps,
    Club,
    #[default]
    Directory,
}

/// The validators with which clients can ask whether a page changed.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Validators {
    #[default]
    None,
    /// `ETag`.
    Tag,
    /// `Last-Modified`.
    Date,
    Both,
}

/// The sitemap of a site.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SitemapKind {
    #[default]
    None,
    /// Addresses only.
    Plain,
    /// With the correct `lastmod` of every page.
    True,
    /// With the time of the last nightly build as `lastmod` of every page.
    Build,
    /// An index of a plain and a compressed sitemap.
    Index,
}

impl SiteSpec {
    /// The path of a group.
    pub(crate) fn group_path(&self, group: usize) -> String {
        self.group_path.replace('*', &self.groups[group].0)
    }

    /// The links at the top of every page: target and label.
    pub(crate) fn navigation(&self) -> impl Iterator<Item = (String, &str)> {
        let groups = self.groups.iter().enumerate();
        let groups = groups.map(|(group, (_, label))| (self.group_path(group), &**label));
        groups.chain(self.navigation.iter().map(|(target, label)| (target.clone(), &**label)))
    }

    /// Whether robots.txt disallows `path`.
    pub(crate) fn is_private(&self, path: &str) -> bool {
        self.private.iter().any(|prefix| path.starts_with(prefix))
    }
}
