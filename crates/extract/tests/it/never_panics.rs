//! Nearly valid sitemaps, feeds and pages, so that the tests reach deep into the parsers. Random input
//! is in `properties.rs`.
use crawl::{Form, Snapshot};
use extract::read::{address::canonical, read};
use proptest::{prelude::*, sample::Index};

const ADDRESS: &str = "https://a.org/dir/page";

/// The content of elements: words, addresses, dates and broken markup.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "one",
        " ",
        "\n",
        "é",
        "語",
        "/x",
        "../y?a=1&amp;b=2",
        "https://b.org/",
        "//c.org",
        "#d",
        "mailto:a@b.org",
        "2020-01-02",
        "2020-01-02T03:04:05.6+01:00",
        "Thu, 02 Jan 2020 10:00:00 GMT",
        "9999-99-99",
        "-",
        ":",
        "99999999999999999999",
        "&amp;",
        "&lt;p&gt;",
        "&eacute;",
        "&#x41;",
        "&#0;",
        "&#x110000;",
        "&nothing;",
        "&",
        "]]&gt;",
        "<![CDATA[<p>a</p>]]>",
        "<!-- c -->",
        "<?p?>",
        "\u{a0}",
        "\u{3000}",
        "\u{feff}",
    ]);
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

/// An element with one of `names` and a few attributes around `inside`.
fn element(
    names: &[&'static str],
    inside: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    let attributes = prop::sample::select(vec![
        "",
        "",
        "",
        " href='x'",
        " href=\"y\" rel=\"alternate\"",
        " rel='nofollow' href='z'",
        " type='html'",
        " type='xhtml'",
        " isPermaLink='false'",
        " xml:base='/b/'",
        " rdf:about='r'",
        " name='robots' content='noindex'",
        " a='&lt;' a='2'",
        " xmlns='n' xmlns:m='o'",
    ]);
    (prop::sample::select(names.to_vec()), attributes, inside)
        .prop_map(|(name, attributes, inside)| format!("<{name}{attributes}>{inside}</{name}>"))
}

/// A document with entries that have `parts`.
fn document(
    root: &'static [&'static str],
    entries: &'static [&'static str],
    parts: &'static [&'static str],
) -> impl Strategy<Value = String> {
    let part = prop_oneof![6 => element(parts, text()), 1 => element(parts, element(parts, text())), 1 => text()];
    let inside = prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat());
    let entry = prop_oneof![4 => element(entries, inside), 1 => element(parts, text())];
    let all = prop::collection::vec(entry, 0..6).prop_map(|entries| entries.concat());
    let start = prop::sample::select(vec![
        "",
        "\u{feff}",
        "<?xml version='1.0' encoding='UTF-8'?>\n",
        "<!DOCTYPE x [<!ENTITY e 'f'>]>",
        "<!-- c --> ",
    ]);
    (start, element(root, all)).prop_map(|(start, all)| format!("{start}{all}"))
}

fn sitemap() -> impl Strategy<Value = String> {
    let parts =
        &["loc", "lastmod", "changefreq", "priority", "image:image", "image:loc", "xhtml:link"];
    document(&["urlset", "sitemapindex", "s:urlset"], &["url", "sitemap"], parts)
}

fn feed() -> impl Strategy<Value = String> {
    let parts = &[
        "title",
        "link",
        "guid",
        "id",
        "description",
        "summary",
        "content",
        "content:encoded",
        "pubDate",
        "updated",
        "published",
        "dc:date",
        "channel",
        "atom:link",
        "author",
    ];
    document(&["rss", "feed", "rdf:RDF"], &["item", "entry", "channel"], parts)
}

fn page() -> impl Strategy<Value = String> {
    let parts = &[
        "a",
        "p",
        "b",
        "td",
        "title",
        "script",
        "style",
        "textarea",
        "template",
        "noscript",
        "iframe",
        "svg",
        "math",
        "mi",
        "foreignObject",
        "option",
        "base",
        "meta",
        "link",
        "img",
        "br",
        "plaintext",
    ];
    document(&["html"], &["head", "body", "div", "table", "tr", "select", "svg", "form"], parts)
}

/// The document with a few bytes changed and its end cut off.
fn damaged(document: &str, changes: &[(Index, u8)], end: Index) -> Vec<u8> {
    let mut bytes = document.as_bytes().to_vec();
    for (at, byte) in changes {
        let at = at.index(bytes.len());
        bytes[at] = *byte;
    }
    bytes.truncate(end.index(bytes.len()) + 1);
    bytes
}

/// Parses a body and checks the invariants of snapshots.
fn checked(content_type: &str, body: &[u8]) -> Result<Snapshot, TestCaseError> {
    let snapshot = read(ADDRESS, content_type, body);
    prop_assert_eq!(&read(ADDRESS, content_type, body), &snapshot);
    for link in snapshot.links.links() {
        let again = canonical(&link.address);
        prop_assert_eq!(again.as_deref(), Some(&*link.address));
    }
    let content = snapshot.content.as_deref().expect("a parser always gives content");
    for text in [&content.title, &content.text] {
        prop_assert_eq!(&text.split_whitespace().collect::<Vec<_>>().join(" "), text);
    }
    Ok(snapshot)
}

proptest! {
    #[test]
    fn a_sitemap_is_read_as_one_and_a_damaged_one_does_not_panic(
        sitemap in sitemap(), changes in prop::collection::vec(any::<(Index, u8)>(), 1..4), end: Index,
    ) {
        prop_assert_eq!(checked("application/xml", sitemap.as_bytes())?.form, Form::Sitemap);
        for content_type in ["application/xml", "text/xml; charset=utf-8", ""] {
            checked(content_type, &damaged(&sitemap, &changes, end))?;
        }
    }

    #[test]
    fn a_feed_is_read_as_one_and_a_damaged_one_does_not_panic(
        feed in feed(), changes in prop::collection::vec(any::<(Index, u8)>(), 1..4), end: Index,
    ) {
        prop_assert_eq!(checked("application/rss+xml", feed.as_bytes())?.form, Form::Feed);
        for content_type in ["application/rss+xml", "application/atom+xml; charset=utf-8", ""] {
            checked(content_type, &damaged(&feed, &changes, end))?;
        }
    }

    #[test]
    fn a_page_is_read_as_one_and_a_damaged_one_does_not_panic(
        page in page(), changes in prop::collection::vec(any::<(Index, u8)>(), 1..4), end: Index,
    ) {
        for content_type in ["text/html", "application/xhtml+xml", "application/xml"] {
            prop_assert_eq!(checked(content_type, page.as_bytes())?.form, Form::Html);
            checked(content_type, &damaged(&page, &changes, end))?;
        }
    }

    /// The generated documents are realistic: a link in them is found with its date.
    #[test]
    fn an_entry_among_others_is_found(before in text(), path in "[a-z]{1,8}", day in 1..29) {
        let link = format!("https://a.org/{path}");
        for (content_type, body) in [
            ("application/xml", format!("<urlset><x>{before}</x><url><loc>{link}</loc><lastmod>2020-01-{day:02}</lastmod></url></urlset>")),
            ("application/rss+xml", format!("<rss><x>{before}</x><item><link>{link}</link><pubDate>2020-01-{day:02}</pubDate></item></rss>")),
            ("application/atom+xml", format!("<feed><x>{before}</x><entry><link href='{link}'/><updated>2020-01-{day:02}</updated></entry></feed>")),
        ] {
            let snapshot = checked(content_type, body.as_bytes())?;
            let found: Vec<_> = snapshot.links.links().iter().map(|link| (&*link.address, link.date)).collect();
            let millis = (18_261 + i64::from(day)) * 86_400_000;
            prop_assert_eq!(found, [(&*link, Some(crawl::Time::from_millis(millis)))], "{}", body);
        }
    }
}
