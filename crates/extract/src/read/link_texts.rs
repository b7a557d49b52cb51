//! The texts of links: hashes by which two versions of a page can be compared link by link.
//!
//! A list of news, releases or posts often says beside a link what is new about its target: a title, a date, a
//! version. When that text differs, the target has probably changed, too.
use std::sync::Arc;

use crawl::{Link, LinkList};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Runs after the begin of a link that belong to it at most; a paragraph with one link has no end.
const MOST_RUNS: usize = 4;

/// A hash of the runs from `begin` to the begin of the next link.
pub(crate) fn hash(runs: &[u32], begin: usize, next: usize) -> u32 {
    let begin = begin.min(runs.len());
    let end = next.min(runs.len()).min(begin + MOST_RUNS).max(begin);
    let bytes: Vec<u8> = runs[begin..end].iter().flat_map(|run| run.to_le_bytes()).collect();
    (xxh3_64(&bytes) >> 32) as u32
}

/// The list of `links`, and a hash of the texts of each. The texts of a link that is shown several times are
/// added up, so that their order does not count.
pub(crate) fn merge(links: Vec<Link>, texts: &[u32]) -> (LinkList, Arc<[u32]>) {
    if texts.is_empty() {
        return (LinkList::new(links), Arc::default());
    }
    let mut sums: FxHashMap<Arc<str>, u32> = FxHashMap::default();
    for (link, text) in links.iter().zip(texts) {
        let sum = sums.entry(Arc::clone(&link.address)).or_default();
        *sum = sum.wrapping_add(*text);
    }
    let list = LinkList::new(links);
    let texts =
        list.links().iter().map(|link| sums.get(&link.address).copied().unwrap_or_default());
    let texts = texts.collect();
    (list, texts)
}

#[cfg(test)]
mod tests {
    use crate::read::read;

    /// The addresses and the hashes of their texts.
    fn texts(html: &str) -> Vec<(String, u32)> {
        let page = read("https://a.org/", "text/html", html.as_bytes());
        assert_eq!(page.links.links().len(), page.link_texts.len());
        let links = page.links.links().iter().zip(page.link_texts.iter());
        links.map(|(link, text)| (link.address.to_string(), *text)).collect()
    }

    #[test]
    fn what_stands_beside_a_link_is_part_of_its_text() {
        let page = |date| {
            let list = format!("<li><a href=/a>One</a> {date}<li><a href=/b>Two</a> 2 May");
            texts(&format!("<nav><a href=/a>Menu</a></nav><ul>{list}</ul>"))
        };
        let (one, other) = (page("1 May"), page("8 May"));
        assert_eq!(one.len(), 2);
        assert_ne!(one[0], other[0]);
        assert_eq!(one[1], other[1]);
    }

    #[test]
    fn the_order_in_which_a_page_shows_a_link_does_not_count() {
        let one = texts("<a href=/a>x</a><a href=/b>y</a><a href=/a>z</a>");
        let other = texts("<a href=/a>z</a><a href=/b>y</a><a href=/a>x</a>");
        assert_eq!(one, other);
        assert_ne!(one[0], texts("<a href=/a>x</a>")[0]);
    }

    #[test]
    fn a_long_text_without_links_is_not_the_text_of_the_link_before() {
        let page = |end| texts(&format!("<a href=/a>x</a>{}{end}", "<p>same</p>".repeat(9)));
        assert_eq!(page("one"), page("two"));
    }

    #[test]
    fn pages_without_tags_have_no_texts_of_links() {
        let page = read("https://a.org/", "text/plain", b"https://a.org/x");
        assert!(page.link_texts.is_empty());
    }
}
