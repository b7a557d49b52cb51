//! Cases from the HTML standard and from real pages.
use proptest::strategy::Strategy as _;

use super::*;

fn page(html: &str) -> Reading {
    read("https://a.org/dir/page", html, false)
}

fn shown(html: &str) -> String {
    page(html).text
}

fn links(html: &str) -> Vec<String> {
    page(html).links.into_iter().map(|link| link.address.to_string()).collect()
}

#[test]
fn entities_are_decoded() {
    assert_eq!(shown("a &amp; b&nbsp;&eacute;&#x43;&#68; &lt;i&gt; &copy &notit; &x"), {
        "a & b éCD <i> © ¬it; &x"
    });
}

#[test]
fn blocks_and_breaks_separate_words_and_inline_tags_do_not() {
    assert_eq!(shown("<p>a<p>b<b>c</b>d<br>e<td>f</td><td>g</td>"), "a bcd e f g");
    assert_eq!(shown("long<wbr>word <span>x</span><span>y</span>"), "longword xy");
}

#[test]
fn scripts_styles_templates_and_comments_are_not_shown() {
    let html = "a<script>if (x </b> y) '</scr' </script>b<style>p{}</style><!-- c > -->\
        <template>d<template>e</template>f</template>g<noscript>h</noscript>i\
        <iframe>j</iframe><noframes>k</noframes>";
    assert_eq!(shown(html), "abgi");
}

#[test]
fn a_script_may_contain_a_script_in_a_comment() {
    let html = "a<script><!-- <script> </script> x --></script>b";
    assert_eq!(shown(html), "ab");
}

#[test]
fn text_areas_and_examples_show_their_tags() {
    assert_eq!(shown("<textarea><b>x</b>&amp;</textarea>y"), "<b>x</b>& y");
    assert_eq!(shown("<xmp><b>x</b>&amp;</xmp>y"), "<b>x</b>&amp; y");
    assert_eq!(shown("a<plaintext><b></plaintext>"), "a <b></plaintext>");
}

#[test]
fn the_title_is_the_first_one_outside_svg() {
    let html = "<svg><title>drawing</title><text>t</text></svg><TITLE> My\n page &lt;b> </TITLE>\
        <title>other</title>x";
    assert_eq!(page(html).title, "My page <b>");
    assert_eq!(shown(html), "tx");
}

#[test]
fn foreign_content_has_its_own_rules() {
    assert_eq!(shown("<svg><style>p < b</style><text>a<![CDATA[<b>]]></text></svg>c"), "a<b>c");
    assert_eq!(shown("<svg><title/><script/>a</svg><script>b</script>"), "a");
    assert_eq!(shown("<math><mi>x</mi><mtext><b>y</b></mtext><mo><![CDATA[z]]></mo></math>"), "xy");
    assert_eq!(shown("<svg><foreignObject><title>x</title>y</foreignObject></svg>"), "y");
}

#[test]
fn html_breaks_out_of_foreign_content() {
    assert_eq!(shown("<svg><g><div>a<script>'<b>'</script></div>b"), "a b");
}

#[test]
fn links_are_resolved_and_each_kept_once() {
    let html = "<a href=x>1</a><A HREF='../y#z'>2</A><area href=\"/z?a=1&amp;b=2\"><a href=x>3</a>\
        <iframe src=//b.org></iframe><frame src=f><a href='mailto:a@b.org'><a name=n><a href>";
    let expected = [
        "https://a.org/dir/x",
        "https://a.org/y",
        "https://a.org/z?a=1&b=2",
        "https://b.org/",
        "https://a.org/dir/f",
        "https://a.org/dir/page",
    ];
    assert_eq!(links(html), expected);
}

#[test]
fn of_link_elements_only_feeds_are_links() {
    let html = "<link rel=stylesheet href=s.css><link rel='ALTERNATE x' type=application/rss+xml \
        href=f><link rel=alternate hreflang=de href=de><link rel=alternate \
        type='application/atom+xml' href=g>";
    assert_eq!(links(html), ["https://a.org/dir/f", "https://a.org/dir/g"]);
}

#[test]
fn the_first_base_applies_to_all_links() {
    let html = "<a href=x><base target=t><base href=/base/><base href=/no/><a href=y>";
    assert_eq!(links(html), ["https://a.org/base/x", "https://a.org/base/y"]);
    assert_eq!(links("<base href='data:x'><a href=y>"), ["https://a.org/dir/y"]);
}

#[test]
fn links_in_noscript_count_and_links_in_templates_do_not() {
    let html = "<noscript><a href=x>t</a><img></noscript><template><a href=y></a></template>";
    assert_eq!(links(html), ["https://a.org/dir/x"]);
    assert_eq!(page(html).images, 0);
}

#[test]
fn images_and_tables_are_counted() {
    let reading = page("<picture><source><img></picture><IMG><svg><image/></svg><table><table>");
    assert_eq!((reading.images, reading.tables), (2, 2));
}

#[test]
fn of_attributes_with_one_name_the_first_counts() {
    assert_eq!(links("<a href=x href=y>"), ["https://a.org/dir/x"]);
}

#[test]
fn odd_attributes_are_read() {
    assert_eq!(links("<a\nhref\t=\n'x'class=y>"), ["https://a.org/dir/x"]);
    assert_eq!(links("<a href=x/>t</a>"), ["https://a.org/dir/x/"]);
    assert_eq!(links("<a title='>' data-href=no href='&#x78;'>"), ["https://a.org/dir/x"]);
    assert_eq!(links("</a href=x>"), Vec::<String>::new());
}

#[test]
fn a_huge_attribute_is_ignored() {
    let html = format!("<a href='{}'><a href=x {}=y>z", "h".repeat(1 << 20), "n".repeat(1 << 20));
    assert_eq!(links(&html), ["https://a.org/dir/x"]);
    assert_eq!(shown(&html), "z");
}

#[test]
fn truncated_pages_are_read_to_the_end() {
    assert_eq!(shown("a<b"), "a");
    assert_eq!(shown("a<"), "a<");
    assert_eq!(shown("a</"), "a</");
    assert_eq!(shown("a<!-- b"), "a");
    assert_eq!(shown("a<p title='b"), "a");
    assert_eq!(page("<title>a").title, "a");
    assert_eq!(shown("a &am"), "a &am");
}

#[test]
fn stray_less_than_signs_are_text() {
    assert_eq!(shown("1 < 2 <3 <é <<b>x"), "1 < 2 <3 <é <x");
}

#[test]
fn elements_of_xhtml_can_be_self_closing() {
    let xhtml = "<title/><script src='x'/><p>a</p><a href='x'/>";
    let reading = read("https://a.org/", xhtml, true);
    assert_eq!((reading.title.as_str(), reading.text.as_str()), ("", "a"));
    assert_eq!(reading.links.len(), 1);
}

#[test]
fn nul_is_dropped() {
    assert_eq!(shown("a\0b"), "ab");
}

#[test]
fn a_nofollow_link_is_kept_but_not_followed() {
    let page = "<a href=/a rel='noopener NoFollow'>x</a><a href=/b>y</a><a href=/a#b>z</a>\
        <a rel=nofollow href=/c>w</a>";
    let links = crawl::LinkList::new(read("https://a.org/", page, false).links);
    let follow = |at: usize| (&*links.links()[at].address, links.links()[at].follow);
    // Followed because one of the two links to it may be followed.
    assert_eq!(follow(0), ("https://a.org/a", true));
    assert_eq!(follow(1), ("https://a.org/b", true));
    assert_eq!(follow(2), ("https://a.org/c", false));
}

#[test]
fn a_page_may_forbid_to_follow_its_links() {
    let page = "<meta name=robots content=noindex,nofollow><a href=/a>x</a>";
    let reading = read("https://a.org/", page, false);
    assert!(reading.directives.noindex && !reading.links[0].follow);
}

#[test]
fn a_page_may_declare_a_canonical_address() {
    let own = |html: &str| read("https://a.org/x", html, false).directives.canonical;
    assert_eq!(own("<link rel=canonical href='/y#top'>").as_deref(), Some("https://a.org/y"));
    assert_eq!(own("<link rel=canonical href=/x>"), None);
    assert_eq!(own("<link rel=canonical href='mailto:a@b'>"), None);
    assert_eq!(own("<template><link rel=canonical href=/y></template>"), None);
}

/// The headings and anchor texts of a page.
fn outline(html: &str) -> (Vec<String>, Vec<String>) {
    let reading = page(html);
    let texts = |ranges: &[crawl::TextRange]| {
        ranges.iter().map(|range| range.slice(&reading.text).to_owned()).collect()
    };
    (texts(&reading.headings), texts(&reading.anchors))
}

fn headings(html: &str) -> Vec<String> {
    outline(html).0
}

fn anchors(html: &str) -> Vec<String> {
    outline(html).1
}

#[test]
fn a_page_declares_its_language() {
    let language = |html: &str, is_xhtml| read("https://a.org/", html, is_xhtml).language;
    assert_eq!(language("<!doctype html><HTML LANG=' en_GB '><p>x", false), "en-GB");
    assert_eq!(language("<html xml:lang='fr'><body lang=de>", true), "fr");
    assert_eq!(language("<html lang='' xml:lang='pt-BR' lang=x>", false), "pt-BR");
    assert_eq!(language("<html lang=de xml:lang=en><html lang=fr>", false), "de");
    assert_eq!(language("<html><html lang=fr>", false), "fr");
    assert_eq!(language("<p lang=en><svg><html lang=fr>", false), "");
    assert_eq!(language("<html lang='{{ page.lang }}'>", false), "");
    assert_eq!(language(&format!("<html lang={}>", "x".repeat(100)), false), "");
}

#[test]
fn headings_are_ranges_of_the_text() {
    let reading = page("a<h1> Main  <b>tit</b>le</h1>b<H2>é</h2><h7>c</h7>");
    assert_eq!(reading.text, "a Main title b é c");
    let range = |from, to| crawl::TextRange { from, to };
    assert_eq!(reading.headings, [range(2, 12), range(15, 17)]);
    assert_eq!(headings("<h1>First</h1>"), ["First"]);
    assert_eq!(headings("<h3>a &amp; b<!-- c --> <script>d</script>e</h3>f"), ["a & b e"]);
}

#[test]
fn non_ascii_white_space_does_not_shift_ranges() {
    let html = "<p>x\u{3000}\u{3000}<h1>&nbsp;One&nbsp;&nbsp;two&nbsp;</h1>y&nbsp;<h2>&nbsp;</h2>\
        <a href=/>&nbsp;th\u{2003}ree</a>&nbsp;z<h3>four</h3>";
    assert_eq!(shown(html), "x One two y th ree z four");
    assert_eq!(outline(html), (vec!["One two".into(), "four".into()], vec!["th ree".into()]));
}

#[test]
fn a_heading_may_contain_lines_and_links() {
    let html = "<h1><a href=/><div>One<br>two</div></a> three</h1>four";
    assert_eq!(outline(html), (vec!["One two three".into()], vec!["One two".into()]));
}

#[test]
fn a_heading_without_an_end_tag_ends_with_its_line() {
    assert_eq!(headings("<h1>One<p>two<h2>three</h2>"), ["One", "three"]);
    assert_eq!(headings("<h1>One<h2>two"), ["One", "two"]);
    assert_eq!(headings("<h1><div>One</div><p>two"), ["One"]);
    assert_eq!(headings("<h1>One</h3><p>two"), ["One"]);
}

#[test]
fn empty_and_hidden_headings_do_not_count() {
    assert!(headings("<h1></h1><h2> <img> </h2><h3><script>x</script></h3>y").is_empty());
    assert!(headings("<template><h1>x</h1></template><noscript><h2>y</h2></noscript>z").is_empty());
    assert!(headings("<noscript><h1>x</noscript>y").is_empty());
    assert_eq!(headings("<h1>a<template></h1><h2>b</h2></template>c</h1>d"), ["a c"]);
}

#[test]
fn anchor_texts_are_ranges_of_the_text() {
    assert_eq!(anchors("see <a href=x>this <i>page</i></a>, <a href=y>that</a>."), {
        ["this page", "that"]
    });
    assert_eq!(anchors("<a name=n>no</a><a>no</a><a href>yes</a><area href=x>no</area>"), ["yes"]);
    assert_eq!(anchors("a<a href=x>b</a>c"), ["b"]);
    assert!(anchors("<a href=x><img></a><a href=y> </a>z").is_empty());
    assert_eq!(anchors("<a href=x><div>card<p>text</div></a>more"), ["card text"]);
}

#[test]
fn a_link_without_an_end_tag_ends_with_its_line() {
    assert_eq!(anchors("<a href=x>one<p>two<a href=y>three</a>four"), ["one", "three"]);
    assert_eq!(anchors("<a href=x>one <a href=y>two"), ["one", "two"]);
    assert_eq!(anchors("<a href=x>one <a name=n>two"), ["one"]);
}

#[test]
fn self_closing_elements_are_empty() {
    let reading = read("https://a.org/", "<h1/><a href='x'/><p>a</p>", true);
    assert!(reading.headings.is_empty() && reading.anchors.is_empty());
    assert_eq!(anchors("<svg><a href=x /><text>t</text></svg>").len(), 0);
}

proptest::proptest! {
    /// On any page the ranges are in order, inside the text and not only space.
    #[test]
    fn ranges_are_valid(
        pieces in proptest::collection::vec(proptest::prop_oneof![
            proptest::sample::select(vec![
                "<h1>", "</h1>", "<h2", ">", "</h3>", "<a href=x>", "<a>", "</a>", "<p>", "<br>", "</div>",
                "<template>", "</template>", "<noscript>", "</noscript>", "<svg>", "</svg>", "<title>",
                "&nbsp;", "\u{a0}", "\u{3000}", " ", "\n", "é", "語", "x", "\0", "<textarea>", "<a href=x/>",
            ]).prop_map(str::to_owned),
            proptest::prelude::any::<String>(),
        ], 0..24),
        is_xhtml: bool,
    ) {
        let reading = read("https://a.org/", &pieces.concat(), is_xhtml);
        for ranges in [&reading.headings, &reading.anchors] {
            let mut end = 0;
            for range in ranges {
                proptest::prop_assert!(end <= range.from && range.from < range.to);
                let part = reading.text.get(range.from as usize..range.to as usize);
                proptest::prop_assert!(part.is_some_and(|part| part.trim() == part));
                end = range.to;
            }
        }
    }
}
