//! What a page shows: cases from the HTML standard and from real pages.
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
fn blocks_and_breaks_keep_words_apart_and_inline_tags_do_not() {
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
fn a_script_may_hold_a_script_in_a_comment() {
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
fn the_title_is_the_first_one_outside_drawings() {
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
fn the_first_base_holds_for_all_links() {
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
fn a_huge_attribute_is_passed_over() {
    let html = format!("<a href='{}'><a href=x {}=y>z", "h".repeat(1 << 20), "n".repeat(1 << 20));
    assert_eq!(links(&html), ["https://a.org/dir/x"]);
    assert_eq!(shown(&html), "z");
}

#[test]
fn what_breaks_off_is_read_up_to_there() {
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
fn elements_of_xhtml_can_end_at_once() {
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
fn a_link_marked_nofollow_is_kept_but_not_to_be_followed() {
    let page = "<a href=/a rel='noopener NoFollow'>x</a><a href=/b>y</a><a href=/a#b>z</a>\
        <a rel=nofollow href=/c>w</a>";
    let links = crate::LinkList::new(read("https://a.org/", page, false).links);
    let follow = |at: usize| (&*links.links()[at].address, links.links()[at].follow);
    // Followed because one of the two links to it is to be.
    assert_eq!(follow(0), ("https://a.org/a", true));
    assert_eq!(follow(1), ("https://a.org/b", true));
    assert_eq!(follow(2), ("https://a.org/c", false));
}

#[test]
fn a_page_may_forbid_to_follow_any_of_its_links() {
    let page = "<meta name=robots content=noindex,nofollow><a href=/a>x</a>";
    let reading = read("https://a.org/", page, false);
    assert!(reading.directives.noindex && !reading.links[0].follow);
}

#[test]
fn a_page_may_give_another_address_as_its_own() {
    let own = |html: &str| read("https://a.org/x", html, false).directives.canonical;
    assert_eq!(own("<link rel=canonical href='/y#top'>").as_deref(), Some("https://a.org/y"));
    assert_eq!(own("<link rel=canonical href=/x>"), None);
    assert_eq!(own("<link rel=canonical href='mailto:a@b'>"), None);
    assert_eq!(own("<template><link rel=canonical href=/y></template>"), None);
}
