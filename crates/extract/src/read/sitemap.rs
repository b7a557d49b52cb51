//! Sitemaps and sitemap indexes (sitemaps.org): addresses, and when each last changed.
use std::ops::ControlFlow;

use super::{
    Reading,
    address::Resolver,
    dates::date,
    fold::Folded,
    link,
    xml::{XmlToken, each_token},
};
use crawl::Link;

/// The most addresses in a sitemap, by its protocol. A short bomb has millions.
pub(crate) const MOST_ENTRIES: usize = 50_000;

/// What is said of a sitemap that has more.
pub(crate) const MORE_ENTRIES: &str = "what comes after the first 50,000 URLs of this sitemap";

/// The relevant elements of a sitemap.
#[derive(Clone, Copy, PartialEq)]
enum Element {
    /// `<url>` or `<sitemap>`.
    Entry,
    /// The `<loc>` of an entry.
    Location,
    /// The `<lastmod>` of an entry.
    Changed,
    /// Any other. Extensions for images have a `<loc>` of their own.
    Other,
}

/// A sitemap while it is read, token by token.
pub(crate) struct Entries {
    resolver: Resolver,
    open: Vec<Element>,
    location: String,
    changed: String,
    count: usize,
    pub(crate) links: Vec<Link>,
    /// The text of all elements since somebody took it.
    pub(crate) text: Folded,
}

impl Entries {
    pub(crate) fn new(address: &str) -> Self {
        Self {
            resolver: Resolver::new(address),
            open: vec![],
            location: String::new(),
            changed: String::new(),
            count: 0,
            links: vec![],
            text: Folded::default(),
        }
    }

    pub(crate) fn token(&mut self, token: &XmlToken<'_>) {
        match token {
            XmlToken::Open(element) => {
                self.text.separate();
                let element = match (self.open.last(), element.name()) {
                    (_, "url" | "sitemap") => {
                        self.location.clear();
                        self.changed.clear();
                        Element::Entry
                    }
                    (Some(Element::Entry), "loc") => Element::Location,
                    (Some(Element::Entry), "lastmod") => Element::Changed,
                    _ => Element::Other,
                };
                self.open.push(element);
            }
            XmlToken::Close => {
                self.text.separate();
                if self.open.pop() == Some(Element::Entry) && !self.location.is_empty() {
                    self.count += 1;
                    if self.count <= MOST_ENTRIES {
                        let date = date(&self.changed);
                        let link = link(&mut self.resolver, self.location.trim(), date);
                        self.links.extend(link);
                    }
                }
            }
            XmlToken::Text(text) => {
                self.text.push(text.as_bytes());
                match self.open.last() {
                    Some(Element::Location) => self.location.push_str(text),
                    Some(Element::Changed) => self.changed.push_str(text),
                    _ => {}
                }
            }
        }
    }

    /// Whether there were more entries than a sitemap may have.
    pub(crate) fn has_more(&self) -> bool {
        self.count > MOST_ENTRIES
    }
}

/// Parses the sitemap at `address`.
pub(crate) fn read(address: &str, text: &str) -> Reading {
    let mut entries = Entries::new(address);
    each_token(text, |token| {
        entries.token(&token);
        ControlFlow::Continue(())
    });
    let left_out = entries.has_more().then_some(MORE_ENTRIES);
    Reading { text: entries.text.finish(), links: entries.links, left_out, ..Reading::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawl::Time;

    fn links(text: &str) -> Vec<(String, Option<Time>)> {
        let links = read("https://a.org/sitemap.xml", text).links;
        links.into_iter().map(|link| (link.address.to_string(), link.date)).collect()
    }

    const SECOND_OF_JANUARY_2020: Time = Time::from_millis(18_263 * 86_400_000);

    #[test]
    fn addresses_come_with_their_dates() {
        let text =
            "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
            <url><loc> https://a.org/x?a=1&amp;b=2 </loc><lastmod>2020-01-02</lastmod></url>
            <url><lastmod>never</lastmod><loc>https://a.org/y</loc></url></urlset>";
        let expected = [
            ("https://a.org/x?a=1&b=2".to_owned(), Some(SECOND_OF_JANUARY_2020)),
            ("https://a.org/y".to_owned(), None),
        ];
        assert_eq!(links(text), expected);
    }

    #[test]
    fn an_index_lists_sitemaps() {
        let text = "<sitemapindex><sitemap><loc>https://a.org/1.xml</loc></sitemap></sitemapindex>";
        assert_eq!(links(text), [("https://a.org/1.xml".to_owned(), None)]);
    }

    #[test]
    fn images_are_not_pages() {
        let text = "<urlset><url><loc>/x</loc><image:image><image:loc>/i.png</image:loc>\
            </image:image></url></urlset>";
        assert_eq!(links(text), [("https://a.org/x".to_owned(), None)]);
    }

    #[test]
    fn entries_before_a_syntax_error_are_read() {
        let text = "<urlset><url><loc>/x</loc></url><url><loc>/y</loc></wrong>";
        assert_eq!(links(text), [("https://a.org/x".to_owned(), None)]);
    }

    #[test]
    fn the_text_is_that_of_all_elements() {
        let text = "<urlset><url><loc>/x</loc><priority>0.5</priority></url></urlset>";
        assert_eq!(read("https://a.org/", text).text, "/x 0.5");
    }

    #[test]
    fn no_more_addresses_are_read_than_a_sitemap_may_have() {
        let entry = |page: usize| format!("<url><loc>/{page}</loc></url>");
        let sitemap = |count: usize| {
            let entries: String = (0..count).map(entry).collect();
            let reading = read("https://a.org/", &format!("<urlset>{entries}</urlset>"));
            (reading.links.len(), reading.left_out)
        };
        assert_eq!(sitemap(MOST_ENTRIES), (MOST_ENTRIES, None));
        assert_eq!(sitemap(MOST_ENTRIES + 1), (MOST_ENTRIES, Some(MORE_ENTRIES)));
    }
}
