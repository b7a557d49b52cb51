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

/// Parses the sitemap at `address`.
pub(crate) fn read(address: &str, text: &str) -> Reading {
    let mut resolver = Resolver::new(address);
    let mut reading = Reading::default();
    let mut folded = Folded::default();
    let mut open = Vec::new();
    let mut location = String::new();
    let mut changed = String::new();
    each_token(text, |token| {
        match token {
            XmlToken::Open(element) => {
                folded.separate();
                let element = match (open.last(), element.name()) {
                    (_, "url" | "sitemap") => {
                        location.clear();
                        changed.clear();
                        Element::Entry
                    }
                    (Some(Element::Entry), "loc") => Element::Location,
                    (Some(Element::Entry), "lastmod") => Element::Changed,
                    _ => Element::Other,
                };
                open.push(element);
            }
            XmlToken::Close => {
                folded.separate();
                if open.pop() == Some(Element::Entry) && !location.is_empty() {
                    reading.links.extend(link(&mut resolver, location.trim(), date(&changed)));
                }
            }
            XmlToken::Text(text) => {
                folded.push(text.as_bytes());
                match open.last() {
                    Some(Element::Location) => location.push_str(text),
                    Some(Element::Changed) => changed.push_str(text),
                    _ => {}
                }
            }
        }
        ControlFlow::Continue(())
    });
    reading.text = folded.finish();
    reading
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
}
