//! The kind of a page, from its address and from what it showed: where new pages are usually announced.
use crawl::{Known, Observation, PageNo};

use super::{PageKind, bit_set::BitSet};

/// Words in the addresses of sitemaps and feeds.
const DATED_WORDS: [&str; 4] = ["sitemap", "feed", "rss", "atom"];

/// The kinds of all pages.
#[derive(Clone, Debug, Default)]
pub(super) struct PageKinds {
    /// By page number, as far as addresses were read.
    by_address: Vec<PageKind>,
    /// Pages that have given dates for other pages.
    dated: BitSet,
}

impl PageKinds {
    pub(super) fn learn(&mut self, seen: &Observation) {
        if !seen.signals.is_empty() {
            self.dated.insert(seen.page.0);
        }
    }

    /// Reads the addresses of new pages.
    pub(super) fn read(&mut self, known: &Known<'_>) {
        for row in self.by_address.len()..known.pages.len() {
            self.by_address.push(by_address(known.pages.address(PageNo(row as u32))));
        }
    }

    /// The kind of a page whose address was read.
    pub(super) fn of(&self, page: PageNo) -> PageKind {
        if self.dated.contains(page.0) { PageKind::Dated } else { self.by_address[page.index()] }
    }
}

fn by_address(address: &str) -> PageKind {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.find(['/', '?', '#']).map_or("", |start| &rest[start..]);
    // Whole words: not "seafeeding" or "anatomy", but "sitemap-3.xml" and "rss.php".
    let mut words = path.split(|letter: char| !letter.is_ascii_alphabetic());
    let is_dated = |word: &str| {
        DATED_WORDS.iter().any(|dated| {
            let (start, end) = word.split_at_checked(dated.len()).unwrap_or_default();
            start.eq_ignore_ascii_case(dated) && (end.is_empty() || end.eq_ignore_ascii_case("s"))
        })
    };
    if path.is_empty() || path == "/" {
        PageKind::Front
    } else if words.any(is_dated) {
        PageKind::Dated
    } else {
        PageKind::Page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_pages_sitemaps_and_feeds_are_told_from_addresses() {
        for (address, expected) in [
            ("https://a.example/", PageKind::Front),
            ("https://a.example", PageKind::Front),
            ("https://a.example/index.html", PageKind::Page),
            ("https://a.example/?page=2", PageKind::Page),
            ("https://a.example/sitemap.xml", PageKind::Dated),
            ("https://a.example/Sitemap-news-3.xml.gz", PageKind::Dated),
            ("https://a.example/blog/feed/", PageKind::Dated),
            ("https://a.example/?feed=rss2", PageKind::Dated),
            ("https://a.example/feeds/all.atom.xml", PageKind::Dated),
            ("https://a.example/seafeeding", PageKind::Page),
            ("https://a.example/anatomy", PageKind::Page),
            ("https://rss.example/news", PageKind::Page),
        ] {
            assert_eq!(by_address(address), expected, "{address}");
        }
    }
}
