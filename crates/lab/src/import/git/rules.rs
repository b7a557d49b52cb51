//! Which files of a repository become pages, and which of their states become rows.
use crawl::{Span, Time};
use data_encoding::HEXLOWER;
use regex::bytes::Regex;
use sha1::{Digest as _, Sha1};

use super::MAX_BODY_BYTES;
use crate::history::Window;

/// The time from the last instant of a grid to the window's end.
const LAST_MILLIS: i64 = 1000;

/// The digits of an address's digest that a page list keeps: 32 bits. Among a thousand listed and ten
/// thousand other pages, another page is taken for a listed one with a probability of 0.2 %.
const LISTED_DIGITS: usize = 8;

/// What to leave out of a history. The default leaves out nothing but pages above 1 MiB.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The commit to read up to; `None` for the newest one of the branch.
    pub commit: Option<String>,
    /// If there are any, a file must match one of these. They are searched for in the path below the
    /// root.
    pub include: Vec<Regex>,
    /// A file must match none of these.
    pub exclude: Vec<Regex>,
    /// The only pages to keep, if there is a list.
    pub pages: Option<PageList>,
    /// Publish only at instants so far apart, counted from the window's start: a page shows at each what
    /// it had become since the one before.
    pub coalesce: Option<Span>,
    /// A page with a larger version is left out.
    pub max_body: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            commit: None,
            include: vec![],
            exclude: vec![],
            pages: None,
            coalesce: None,
            max_body: MAX_BODY_BYTES,
        }
    }
}

impl Rules {
    /// When a change at `at` is published: at the next instant of the grid, where there is one. The last
    /// one is just before the window's end, so that no change is lost.
    pub(super) fn published(&self, at: Time, window: Window) -> Time {
        let Some(step) = self.coalesce.map(Span::millis).filter(|step| *step > 0) else {
            return at;
        };
        if at <= window.start {
            return at;
        }
        let since = (at - window.start).millis();
        let next = window.start.millis() + (since + step - 1) / step * step;
        Time::from_millis(next.min(window.end.millis() - LAST_MILLIS))
    }

    /// Whether the file at `path` below the root, with this address, may be a page.
    pub(super) fn admits(&self, path: &[u8], address: &str) -> bool {
        let matches = |pattern: &Regex| pattern.is_match(path);
        (self.include.is_empty() || self.include.iter().any(matches))
            && !self.exclude.iter().any(matches)
            && self.pages.as_ref().is_none_or(|pages| pages.contains(address))
    }
}

/// A list of pages, each by the first eight hexadecimal digits of the SHA-1 of its address. So a list of
/// some hundred pages is small and holds no data of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageList(Vec<String>);

impl PageList {
    /// Parses digests separated by white space.
    ///
    /// # Errors
    /// The first word that is not one.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_digest = |word: &&str| {
            word.len() == LISTED_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        if let Some(word) = text.split_whitespace().find(|word| !is_digest(word)) {
            return Err(word.to_owned());
        }
        let mut listed: Vec<String> =
            text.split_whitespace().map(str::to_ascii_lowercase).collect();
        listed.sort_unstable();
        listed.dedup();
        Ok(Self(listed))
    }

    /// The digest that stands for an address.
    pub fn digest(address: &str) -> String {
        let digest = Sha1::digest(address);
        HEXLOWER.encode(&digest[..LISTED_DIGITS / 2])
    }

    /// The number of pages.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no page is listed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn contains(&self, address: &str) -> bool {
        self.0.binary_search(&Self::digest(address)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_published_at_the_next_instant_of_the_grid() {
        let window =
            Window { start: Time::from_millis(10_000), end: Time::from_millis(10_000 + 7_000) };
        let rules = Rules { coalesce: Some(Span::from_millis(4_000)), ..Rules::default() };
        let published = |at| rules.published(Time::from_millis(at), window).millis();
        assert_eq!(published(10_000), 10_000);
        assert_eq!(published(10_001), 14_000);
        assert_eq!(published(14_000), 14_000);
        // The grid's next instant is after the window's end.
        assert_eq!(published(14_001), 16_000);
        let exact = Rules::default();
        assert_eq!(exact.published(Time::from_millis(10_001), window).millis(), 10_001);
    }

    #[test]
    fn a_page_list_knows_its_pages_by_the_beginning_of_their_digests() {
        let text = PageList::digest("https://e.org/a");
        let list = PageList::parse(&format!("{text}\n00000000 {text}")).unwrap();
        assert_eq!(list.len(), 2);
        assert!(list.contains("https://e.org/a") && !list.contains("https://e.org/b"));
        assert_eq!(PageList::parse("0123abcd nothing"), Err("nothing".to_owned()));
    }
}
