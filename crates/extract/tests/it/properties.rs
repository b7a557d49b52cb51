//! Properties of addresses, parsers and change detectors for any input.
//!
//! `PROPTEST_CASES=100000 cargo nextest run -p extract --release properties` tests more cases.
use crawl::{Instruments, Snapshot};
use extract::{
    detect::ALL,
    read::{
        address::{LONGEST, Resolver, canonical},
        read,
    },
};
use proptest::prelude::*;

const CONTENT_TYPES: [&str; 8] = [
    "",
    "text/html",
    "text/html; charset=shift_jis",
    "application/xml",
    "application/rss+xml",
    "text/plain",
    "application/octet-stream",
    "image/png",
];

/// Strings of typical parts of addresses, in any order, and of random text.
fn nasty_address() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "http://", "https://", "HTTP:", "//", "/", "\\", ".", "..", "%2e", "%2E%2e", "%", "%4",
            "%41", "%7e", "%C3%A9", "%2f", "%25", "?", "#", "@", ":", ":80", ":443", "a", "B.org",
            "a.org", "xn--", "xn--nxa", "1.2", "0x7f", "[::1]", " ", "\t", "+", "'", "(", "é", "ß",
            "。", "^", "|", "{", "\u{0}", "\u{fffd}", "mailto:", "javascript:",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

fn web_address() -> impl Strategy<Value = String> {
    ("https?://[a-z]{1,3}[.]org(:8[01])?/", nasty_address())
        .prop_map(|(start, rest)| format!("{start}{rest}"))
}

/// Bytes of typical parts of pages, in any order, and random bytes.
fn nasty_body() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => prop::sample::select(vec![
            "<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<!doctype html", "<?xml ",
            "?>", "&", "&amp;", "&#x", "&#0;", ";", "\"", "'", "=", " ", "\n", "\r", "\0", "é",
            "<title>", "</title>", "<script>", "</script>", "<svg>", "</svg>", "<math>", "<mi>",
            "<template>", "</template>", "<noscript>", "<textarea>", "<plaintext>", "<table>",
            "<a href=", "<base href=", "<meta charset=", "utf-8", "euc-jp", "<iframe src=",
            "<urlset>", "<url>", "<loc>", "</loc>", "<lastmod>", "</url>", "<rss>", "<item>",
            "<link>", "<feed>", "<entry>", "<updated>", "<link href='x'/>", "2020-01-02", "x",
            "http://a.org/", "日本", "a@b.org", "\u{a0}", "\u{3000}",
        ]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Texts over few words, so that equal, near and far pairs all occur.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "The", "naïve", "語"]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

fn page() -> impl Strategy<Value = Snapshot> {
    (text(), text(), prop::sample::select(vec!["text/html", "image/png"])).prop_map(
        |(title, text, kind)| {
            let body = format!("<title>{title}</title>{text}");
            read("http://a.org/", kind, body.as_bytes())
        },
    )
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

proptest! {
    #[test]
    fn a_canonical_address_is_its_own_canonical_form(address in nasty_address()) {
        if let Some(once) = canonical(&address) {
            prop_assert_eq!(canonical(&once), Some(once.clone()));
        }
    }

    #[test]
    fn a_web_address_is_its_own_canonical_form_too(address in web_address()) {
        if let Some(once) = canonical(&address) {
            prop_assert!(once.len() <= LONGEST);
            prop_assert_eq!(canonical(&once), Some(once.clone()));
        }
    }

    #[test]
    fn an_absolute_reference_resolves_to_its_canonical_form(
        base in web_address(),
        reference in web_address(),
    ) {
        let expected = canonical(&reference);
        let mut resolver = Resolver::new(&base);
        prop_assert_eq!(resolver.resolve(&reference).map(str::to_owned), expected.clone());
        // Again, now that the resolver knows the origin.
        prop_assert_eq!(resolver.resolve(&reference).map(str::to_owned), expected);
    }

    #[test]
    fn resolved_references_are_canonical(base in nasty_address(), references in prop::collection::vec(nasty_address(), 1..5)) {
        let mut resolver = Resolver::new(&base);
        for reference in references {
            if let Some(address) = resolver.resolve(&reference).map(str::to_owned) {
                prop_assert_eq!(canonical(&address), Some(address.clone()));
            }
        }
    }

    #[test]
    fn a_plain_reference_resolves_as_the_url_crate_says(
        base in "http://a[.]org/([a-c.]{0,3}/){0,3}[a-c.]{0,3}([?][a-c/]{0,2})?",
        reference in "([.]{0,2}/){0,3}[a-c.:?'+]{0,4}(/[a-c.~]{0,2}){0,3}([?][a-c/?']{0,3})?(#[a-c]?)?",
    ) {
        let joined = url::Url::parse(&base).unwrap().join(&reference);
        let expected = joined.ok().and_then(|url| canonical(url.as_str()));
        let mut resolver = Resolver::new(&base);
        prop_assert_eq!(resolver.resolve(&reference).map(str::to_owned), expected);
    }

    #[test]
    fn every_body_can_be_read(body in nasty_body(), address in nasty_address()) {
        for content_type in CONTENT_TYPES {
            let snapshot = read(&address, content_type, &body);
            let content = snapshot.content.expect("a parser always gives content");
            prop_assert_eq!(&folded(&content.text), &content.text);
            prop_assert_eq!(&folded(&content.title), &content.title);
            prop_assert!(snapshot.fingerprints.sketch.is_sorted_by(|a, b| a < b));
            for link in snapshot.links.links() {
                let again = canonical(&link.address);
                prop_assert_eq!(again.as_deref(), Some(&*link.address));
            }
        }
    }

    #[test]
    fn any_bytes_can_be_read(body in prop::collection::vec(any::<u8>(), 0..300)) {
        for content_type in CONTENT_TYPES {
            read("http://a.org/", content_type, &body);
        }
    }

    #[test]
    fn detectors_are_symmetric_and_within_bounds(old in page(), new in page()) {
        for (name, make) in ALL {
            let detector = make();
            let change = detector.change(&old, &new, Instruments::NONE);
            prop_assert!((0.0..=1.0).contains(&change), "{} {}", name, change);
            prop_assert_eq!(change.to_bits(), detector.change(&new, &old, Instruments::NONE).to_bits(), "{}", name);
        }
    }

    #[test]
    fn nothing_changes_between_equal_pages(page in page()) {
        for (name, make) in ALL {
            prop_assert_eq!(make().change(&page, &page.clone(), Instruments::NONE).to_bits(), 0, "{}", name);
        }
    }

    #[test]
    fn identities_are_equal_exactly_where_nothing_changed(old in page(), new in page()) {
        for (name, make) in ALL {
            let detector = make();
            if let (Some(a), Some(b)) = (detector.identity(&old), detector.identity(&new)) {
                prop_assert_eq!(a == b, detector.change(&old, &new, Instruments::NONE) <= 0.0, "{}", name);
            }
        }
    }

    #[test]
    fn detectors_that_read_no_content_need_none(old in page(), new in page()) {
        let without = |page: &Snapshot| Snapshot { content: None, ..page.clone() };
        for (name, make) in ALL {
            let detector = make();
            if !detector.reads_content() {
                let change = detector.change(&without(&old), &without(&new), Instruments::NONE);
                prop_assert_eq!(change.to_bits(), detector.change(&old, &new, Instruments::NONE).to_bits(), "{}", name);
            }
        }
    }
}

#[test]
fn the_sketch_estimates_what_the_whole_sets_say() {
    let page = |from: u32| {
        let words: Vec<String> = (from..from + 2_000).map(|word| format!("w{word}")).collect();
        read("http://a.org/", "text/plain", words.join(" ").as_bytes())
    };
    let by_name = |name| extract::detect::by_name(name).expect("registered");
    for shift in [0, 20, 200, 1_000] {
        let exact = by_name("shingles-exact").change(&page(0), &page(shift), Instruments::NONE);
        let estimate = by_name("shingles").change(&page(0), &page(shift), Instruments::NONE);
        // Three standard deviations of a share estimated from 128 samples.
        assert!((exact - estimate).abs() < 0.14, "{shift}: {exact} {estimate}");
    }
}

#[test]
fn a_deeply_nested_page_takes_linear_time() {
    for tag in ["<div>", "<svg>", "<template>", "<table><td>", "<math><mi>", "<a href=x>", "<!--"] {
        let body = tag.repeat(200_000);
        read("http://a.org/", "text/html", body.as_bytes());
        read("http://a.org/", "application/xml", body.as_bytes());
    }
}
