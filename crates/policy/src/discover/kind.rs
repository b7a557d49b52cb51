//! What kind of page it is, told from its address and from what it showed: where new pages are
//! usually announced.
use flow::{Known, Observation, PageNo};

use super::{Prior, bits::Bits};

/// Parts of addresses by which sitemaps and feeds go.
const DATED_WORDS: [&str; 4] = ["sitemap", "feed", "rss", "atom"];

/// The kinds of all pages.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    /// By page number, as far as addresses were read.
    by_address: Vec<Prior>,
    /// Pages that have given dates for others.
    dated: Bits,
}

impl Kinds {
    pub(super) fn learn(&mut self, seen: &Observation) {
        if !seen.signals.is_empty() {
            self.dated.insert(seen.page.0);
        }
    }

    /// Reads the addresses of pages that have become known.
    pub(super) fn read(&mut self, known: &Known<'_>) {
        for row in self.by_address.len()..known.pages.len() {
            self.by_address.push(by_address(known.pages.address(PageNo(row as u32))));
        }
    }

    /// The kind of a page whose address was read.
    pub(super) fn of(&self, page: PageNo) -> Prior {
        if self.dated.contains(page.0) { Prior::Dated } else { self.by_address[page.index()] }
    }
}

fn by_address(address: &str) -> Prior {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.find(['/', '?', '#']).map_or("", |start| &rest[start..]);
    // Whole words, so that "seafeeding" and "anatomy" are none; "sitemap-3.xml" and "rss.php" are.
    let mut words = path.split(|letter: char| !letter.is_ascii_alphabetic());
    let is_dated = |word: &str| {
        DATED_WORDS.iter().any(|dated| {
            let (start, end) = word.split_at_checked(dated.len()).unwrap_or_default();
            start.eq_ignore_ascii_case(dated) && (end.is_empty() || end.eq_ignore_ascii_case("s"))
        })
    };
    if path.is_empty() || path == "/" {
        Prior::Front
    } else if words.any(is_dated) {
        Prior::Dated
    } else {
        Prior::Page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_pages_sitemaps_and_feeds_are_told_from_addresses() {
        for (address, expected) in [
            ("https://a.example/", Prior::Front),
            ("https://a.example", Prior::Front),
            ("https://a.example/index.html", Prior::Page),
            ("https://a.example/?page=2", Prior::Page),
            ("https://a.example/sitemap.xml", Prior::Dated),
            ("https://a.example/Sitemap-news-3.xml.gz", Prior::Dated),
            ("https://a.example/blog/feed/", Prior::Dated),
            ("https://a.example/?feed=rss2", Prior::Dated),
            ("https://a.example/feeds/all.atom.xml", Prior::Dated),
            ("https://a.example/seafeeding", Prior::Page),
            ("https://a.example/anatomy", Prior::Page),
            ("https://rss.example/news", Prior::Page),
        ] {
            assert_eq!(by_address(address), expected, "{address}");
        }
    }
}
