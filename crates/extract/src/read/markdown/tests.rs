use proptest::prelude::*;

use super::markdown;
use crate::read::read;

const PAGE: &str = "https://a.org/dir/page";

fn convert(html: &str) -> String {
    markdown(PAGE, "text/html; charset=utf-8", html.as_bytes(), &|_| false).unwrap()
}

#[test]
fn headings_paragraphs_and_breaks_are_kept() {
    let html = "<title>T</title><h1>One <b>two</b></h1>\n<p>Some  text,\n here.<br>Next line<hr><h3>Three</h3>end";
    assert_eq!(
        convert(html),
        "# One two\n\nSome text, here.\nNext line\n\n---\n\n### Three\n\nend"
    );
}

#[test]
fn links_are_absolute_and_those_to_nowhere_are_text() {
    let html = "<base href=/b/><p>See <a href=x?y=1#z> the <i>page</i></a>, <a href='#top'>top</a>, \
        <a href=javascript:void(0)>no</a> <a href='/w_(x)'>w</a><a href=/empty></a>.";
    assert_eq!(
        convert(html),
        "See [the page](https://a.org/b/x?y=1), top, no [w](<https://a.org/w_(x)>)."
    );
}

#[test]
fn a_link_around_blocks_ends_with_the_first() {
    assert_eq!(
        convert("<a href=/card><h2>Card</h2><p>Text</p></a>"),
        "## [Card](https://a.org/card)\n\nText"
    );
}

#[test]
fn lists_keep_their_nesting_and_numbers() {
    let html = "<p>Before<ul><li>one<ul><li>inner <b>x</b></ul><li><p>two</p><p>more</p></ul>\
        <ol start=9><li>nine<li>ten</ol>after";
    assert_eq!(
        convert(html),
        "Before\n\n- one\n  - inner x\n- two\n\n  more\n\n9. nine\n10. ten\n\nafter"
    );
}

#[test]
fn quotes_and_code_keep_their_lines() {
    let html = "<blockquote><p>q1<p>q2</blockquote><pre><code class=\"x language-rust\">\nfn main() {\n\
        \x20   <span>a</span> = b * c;\n}\n</code></pre><p>Use <code>a*b</code> or <code>x`y</code>.";
    assert_eq!(
        convert(html),
        "> q1\n>\n> q2\n\n```rust\nfn main() {\n    a = b * c;\n}\n```\n\nUse `a*b` or ``x`y``."
    );
    assert_eq!(convert("<ul><li><pre>a\n\nb```</pre></ul>"), "- ````\n  a\n\n  b```\n  ````");
}

#[test]
fn tables_have_rows_and_columns() {
    let html = "<table><caption>Cap</caption><tr><th>Name<th>Value<tr><td>a|b<td><p>1<p>2<tr><td>c</table>";
    assert_eq!(convert(html), "Cap\n\n| Name | Value |\n| --- | --- |\n| a\\|b | 1<br>2 |\n| c |");
    assert_eq!(convert("<table><tr><td>only<tr><td>one</table>"), "only\n\none");
}

#[test]
fn a_table_that_lays_out_a_page_becomes_its_blocks() {
    let html =
        "<table><tr><td>left<td><h2>Title</h2><p>Text<table><tr><td>x<td>y</table></table>end";
    assert_eq!(convert(html), "left\n\n## Title\n\nText\n\nx\n\ny\n\nend");
}

#[test]
fn text_is_never_read_as_a_sign() {
    let html =
        "<p># no heading<p>1. no item<p>- nor this<p>-5 a_b _c_ *d* [e] &lt;f&gt; &amp;amp; g\\h";
    assert_eq!(
        convert(html),
        "\\# no heading\n\n1\\. no item\n\n\\- nor this\n\n-5 a_b \\_c\\_ \\*d\\* \\[e\\] \\<f> \\&amp; g\\\\h"
    );
}

#[test]
fn what_is_not_shown_is_left_out() {
    let html = "<p>a<script>b</script><style>c</style><noscript><p>d</noscript><template>e<template>f</template>\
        g</template><svg><text>h</text></svg>i<svg/>j<svg><text>k<p>l";
    assert_eq!(convert(html), "aij\n\nl");
}

#[test]
fn an_empty_script_in_xhtml_does_not_swallow_the_page() {
    let html = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='x'/></head><body><p>Text</p></body></html>";
    let found = markdown(PAGE, "application/xhtml+xml", html.as_bytes(), &|_| false);
    assert_eq!(found.as_deref(), Some("Text"));
}

#[test]
fn blocks_of_boilerplate_are_left_out_and_others_stay_whole() {
    let page = "<ul><li>Home<li>About</ul><p>Home is <b>where</b> the <i>text</i> is";
    let menu = read(PAGE, "text/html", b"<li>Home<li>About<b>where</b>").runs;
    let found = markdown(PAGE, "text/html", page.as_bytes(), &|run| menu.contains(&run));
    assert_eq!(found.as_deref(), Some("Home is where the text is"));
}

#[test]
fn plain_text_stays_and_other_content_has_none() {
    let plain = markdown(PAGE, "text/plain", b"# a\n\n* b\n", &|_| false);
    assert_eq!(plain.as_deref(), Some("# a\n\n* b"));
    assert_eq!(markdown(PAGE, "image/png", b"\x89PNG", &|_| false), None);
    assert_eq!(markdown(PAGE, "application/xml", b"<urlset/>", &|_| false), None);
}

#[test]
fn the_output_of_a_hostile_page_is_bounded() {
    let address = format!("https://a.org/{}/", "x".repeat(1_900));
    for piece in [
        "<a href=x>y</a>",
        "<ul><li>x",
        "<blockquote>x<br>",
        "<table><tr><td>x",
        "<tr><td>x<td>",
        "<pre>`",
    ] {
        let html = piece.repeat(20_000);
        let found = markdown(&address, "text/html", html.as_bytes(), &|_| false).unwrap();
        assert!(found.len() < 12 * html.len() + (128 << 10), "{piece}: {}", found.len());
    }
}

#[test]
fn an_empty_link_with_empty_code_leaves_nothing() {
    assert_eq!(convert("word <a href=x><code><p>"), "word");
    assert_eq!(convert("word <a href=x><code></code></a>other"), "word other");
}

proptest! {
    #[test]
    fn any_bytes_are_converted(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        markdown(PAGE, "text/html", &bytes, &|run| run % 2 == 0);
    }

    #[test]
    fn any_nesting_is_converted_and_no_word_is_lost(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<p>", "</p>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "</li>", "<table>", "</table>", "<tr>",
            "<td>", "</td>", "<pre>", "</pre>", "<code>", "</code>", "<a href=x>", "</a>", "<h2>", "</h2>",
            "<blockquote>", "</blockquote>", "<br>", "<hr>", "word ", "other", " ",
        ]), 0..60)
    ) {
        let found = convert(&pieces.concat());
        let count = |word: &str| pieces.iter().filter(|piece| piece.trim() == word).count();
        prop_assert_eq!(found.matches("word").count(), count("word"));
        prop_assert_eq!(found.matches("other").count(), count("other"));
    }
}
