//! Feeds: RSS 0.9x, 1.0 and 2.0, and Atom (RFC 4287). Their entries are links with dates.
//!
//! Elements are matched by local name: feeds use the prefixes of a dozen namespaces, often without
//! declaring them.
use std::ops::ControlFlow;

use super::{
    Reading,
    address::Resolver,
    dates::date,
    fold::{Folded, fold},
    html, link, tags,
    xml::{Element, XmlToken, each_token},
};
use crawl::Time;

/// Parses the feed at `address`.
pub(crate) fn read(address: &str, text: &str) -> Reading {
    let mut feed = FeedParser::new(address);
    each_token(text, |token| {
        match token {
            XmlToken::Open(element) => feed.open(&element),
            XmlToken::Close => feed.close(),
            XmlToken::Text(text) => feed.collect(text),
        }
        ControlFlow::Continue(())
    });
    feed.finish()
}

struct FeedParser {
    resolver: Resolver,
    is_atom: bool,
    reading: Reading,
    text: Folded,
    depth: usize,
    /// Depth and role of the element whose text is being collected.
    open: Option<(usize, Part)>,
    collected: String,
    /// The entry being read, with the depth of its element.
    entry: Option<(usize, FeedEntry)>,
}

#[derive(Default)]
struct FeedEntry {
    link: Option<String>,
    /// The permalink, used where there is no link.
    permalink: Option<String>,
    updated: Option<Time>,
    published: Option<Time>,
}

/// The role of an element's text.
#[derive(Clone, Copy)]
enum Part {
    Title { markup: bool },
    Text { markup: bool },
    Link,
    Permalink,
    Updated,
    Published,
}

impl FeedParser {
    fn new(address: &str) -> Self {
        Self {
            resolver: Resolver::new(address),
            is_atom: false,
            reading: Reading::default(),
            text: Folded::default(),
            depth: 0,
            open: None,
            collected: String::new(),
            entry: None,
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        self.depth += 1;
        if self.open.is_some() {
            // Markup inside a text, as in the `xhtml` content of Atom.
            if tags::is_block(element.name().as_bytes()) {
                self.collected.push(' ');
            }
            return;
        }
        if self.depth == 1 {
            self.is_atom = element.name() == "feed";
            if let Some(base) = element.attribute("xml:base") {
                self.resolver.rebase(&base);
            }
        }
        let part = match element.name() {
            "item" | "entry" => {
                self.entry = Some((self.depth, FeedEntry::default()));
                return;
            }
            "title" => Part::Title { markup: self.has_markup(element) },
            "description" | "summary" | "content" | "encoded" | "subtitle" | "tagline" => {
                Part::Text { markup: self.has_markup(element) }
            }
            "link" => match element.attribute("href") {
                Some(href) => {
                    let relation = element.attribute("rel");
                    if relation.is_none_or(|relation| relation == "alternate") {
                        self.take_link(&href);
                    }
                    return;
                }
                None => Part::Link,
            },
            "guid" if element.attribute("isPermaLink").is_none_or(|is| is == "true") => {
                Part::Permalink
            }
            "updated" | "modified" => Part::Updated,
            "pubDate" | "published" | "issued" | "date" => Part::Published,
            _ => return,
        };
        self.open = Some((self.depth, part));
        self.collected.clear();
    }

    /// Whether an element's text is HTML. Atom declares it by `type`; RSS does not, but mostly is.
    fn has_markup(&self, element: &Element<'_>) -> bool {
        match element.attribute("type").as_deref() {
            Some(kind) => !matches!(kind, "text" | "text/plain" | "xhtml"),
            None => !self.is_atom,
        }
    }

    fn collect(&mut self, text: &str) {
        if self.open.is_some() {
            self.collected.push_str(text);
        }
    }

    fn close(&mut self) {
        if let Some((depth, part)) = self.open
            && depth == self.depth
        {
            self.open = None;
            self.take(part);
        }
        if self.entry.as_ref().is_some_and(|(depth, _)| *depth == self.depth) {
            self.end_entry();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Uses the text of an element that has ended.
    fn take(&mut self, part: Part) {
        let collected = std::mem::take(&mut self.collected);
        match part {
            Part::Title { markup } => {
                let title = shown(&collected, markup);
                // The first title outside an entry is that of the feed; the title of an image comes
                // later.
                if self.entry.is_none() && self.reading.title.is_empty() {
                    self.reading.title = title;
                } else {
                    self.push_text(&title);
                }
            }
            Part::Text { markup } => self.push_text(&shown(&collected, markup)),
            Part::Link => self.take_link(collected.trim()),
            Part::Permalink => {
                if let Some((_, entry)) = &mut self.entry {
                    entry.permalink = Some(collected.trim().to_owned());
                }
            }
            Part::Updated => {
                if let Some((_, entry)) = &mut self.entry {
                    entry.updated = date(&collected);
                }
            }
            Part::Published => {
                if let Some((_, entry)) = &mut self.entry {
                    entry.published = date(&collected).or(entry.published);
                }
            }
        }
        self.collected = collected;
    }

    fn push_text(&mut self, text: &str) {
        self.text.separate();
        self.text.push(text.as_bytes());
    }

    fn take_link(&mut self, reference: &str) {
        if reference.is_empty() {
            return;
        }
        match &mut self.entry {
            Some((_, entry)) => {
                entry.link.get_or_insert_with(|| reference.to_owned());
            }
            None => self.reading.links.extend(link(&mut self.resolver, reference, None)),
        }
    }

    fn end_entry(&mut self) {
        let Some((_, entry)) = self.entry.take() else { return };
        if let Some(reference) = entry.link.or(entry.permalink) {
            let date = entry.updated.or(entry.published);
            self.reading.links.extend(link(&mut self.resolver, &reference, date));
        }
    }

    fn finish(mut self) -> Reading {
        self.reading.text = self.text.finish();
        self.reading
    }
}

/// The visible text.
fn shown(text: &str, markup: bool) -> String {
    if markup && text.contains(['<', '&']) { html::text(text) } else { fold(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    fn read_at(text: &str) -> Reading {
        read("https://a.org/feed.xml", text)
    }

    fn links(reading: &Reading) -> Vec<(&str, Option<i64>)> {
        let days = |time: Time| time.millis() / DAY;
        reading.links.iter().map(|link| (&*link.address, link.date.map(days))).collect()
    }

    #[test]
    fn rss_items_are_links_with_dates() {
        let reading = read_at(
            "<rss version='2.0'><channel><title>News</title><link>https://a.org/</link>
            <atom:link href='https://a.org/feed.xml' rel='self'/>
            <item><title>One &amp;amp; two</title><link>https://a.org/1</link>
            <description><![CDATA[<p>Hello <b>wor</b>ld</p>bye]]></description>
            <pubDate>Thu, 02 Jan 2020 10:00:00 GMT</pubDate></item>
            <item><guid>https://a.org/2</guid></item>
            <item><guid isPermaLink='false'>https://a.org/3</guid></item></channel></rss>",
        );
        let expected = [
            ("https://a.org/", None),
            ("https://a.org/1", Some(18_263)),
            ("https://a.org/2", None),
        ];
        assert_eq!(links(&reading), expected);
        assert_eq!(reading.title, "News");
        assert_eq!(reading.text, "One & two Hello world bye");
    }

    #[test]
    fn atom_entries_are_links_with_dates() {
        let reading = read_at(
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/blog/'><title>Vec&lt;T&gt;</title>
            <link rel='self' href='feed.xml'/><link href='.'/>
            <entry><link rel='edit' href='e'/><link rel='alternate' href='one'/>
            <published>2020-01-01T00:00:00Z</published><updated>2020-01-02T00:00:00Z</updated>
            <content type='xhtml'><div><p>a</p><p>b<i>c</i></p></div></content>
            <summary type='html'>x&lt;br/&gt;y</summary></entry></feed>",
        );
        let expected = [("https://a.org/blog/", None), ("https://a.org/blog/one", Some(18_263))];
        assert_eq!(links(&reading), expected);
        assert_eq!(reading.title, "Vec<T>");
        assert_eq!(reading.text, "a bc x y");
    }

    #[test]
    fn rdf_items_are_siblings_of_their_channel() {
        let reading = read_at(
            "<rdf:RDF><channel><title>C</title></channel><item rdf:about='x'>
            <title>T</title><link>https://a.org/x</link><dc:date>2020-01-02</dc:date></item></rdf:RDF>",
        );
        assert_eq!(links(&reading), [("https://a.org/x", Some(18_263))]);
    }

    #[test]
    fn an_invalid_date_does_not_replace_a_valid_one() {
        let reading = read_at(
            "<rss><item><link>/x</link><pubDate>2020-01-02</pubDate><date>soon</date></item></rss>",
        );
        assert_eq!(links(&reading), [("https://a.org/x", Some(18_263))]);
    }

    #[test]
    fn items_before_a_syntax_error_are_read() {
        let reading = read_at("<rss><item><link>/x</link></item><item><link>/y</link></rss>");
        assert_eq!(links(&reading), [("https://a.org/x", None)]);
    }
}
