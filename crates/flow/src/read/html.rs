//! HTML: title, visible text, links.
//!
//! Tokens are those of the HTML standard (html5gum), but no tree is built of them: text and links need
//! none, and it would take most of the time. What a tree would know is kept in a few fields instead:
//! whether we are in foreign content, in a template, in raw text. What is lost: text that stands in a
//! table but in no cell stays where it is written, while a browser moves it in front of the table.
//!
//! Text is what a reader with scripts sees: not `script`, `style`, `template`, `noscript`, comments or
//! the titles of drawings. Links inside `noscript` do count: they are meant for readers like us.
use std::convert::Infallible;

use html5gum::{Emitter, Error, State, Tokenizer};

use super::{
    Reading,
    address::Resolver,
    current::{Attribute, CurrentTag},
    fold::Folded,
    foreign::Foreign,
    references::References,
    tags::{Tag, breaks_out},
};

/// Reads the page at `address`. In XHTML, `<title/>` is a whole element; in HTML it is a start tag.
pub(crate) fn read(address: &str, html: &str, is_xhtml: bool) -> Reading {
    let text = Folded::with_capacity(html.len() / 2);
    let mut page = Page { is_xhtml, text, ..Page::default() };
    page.tokenise(html);
    let mut resolver = Resolver::new(address);
    if let Some(base) = page.base.take() {
        resolver.rebase(&base);
    }
    let mut reading = Reading { images: page.images, tables: page.tables, ..Reading::default() };
    page.references.resolve(&mut resolver, &mut reading);
    reading.title = page.title.finish();
    reading.text = page.text.finish();
    reading
}

/// The text of a piece of HTML.
pub(crate) fn text(html: &str) -> String {
    let mut page = Page::default();
    page.tokenise(html);
    page.text.finish()
}

/// What has been seen of a page so far.
#[derive(Default)]
struct Page {
    is_xhtml: bool,
    title: Folded,
    text: Folded,
    references: References,
    base: Option<String>,
    images: u32,
    tables: u32,

    foreign: Foreign,
    /// Open templates.
    templates: u32,
    in_noscript: bool,
    /// Whether a title has been seen; later ones do not count.
    titled: bool,
    /// Where text goes now.
    sink: Sink,
    /// The element whose raw text is being read; only its own end tag can end it.
    raw: Vec<u8>,

    tag: CurrentTag,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Sink {
    #[default]
    Text,
    Title,
    Nothing,
}

impl Page {
    fn tokenise(&mut self, html: &str) {
        let Ok(()) = Tokenizer::new_with_emitter(html, Tokens(self)).finish();
    }

    fn start_tag(&mut self) -> Option<State> {
        let mut tag = self.tag.meaning();
        let ends_at_once = self.tag.is_self_closing;
        if self.foreign.is_current() {
            if breaks_out(self.tag.name()) {
                self.foreign.break_out();
            } else {
                if !ends_at_once {
                    self.foreign.open(self.tag.name(), self.tag.value(Attribute::Kind));
                }
                if tag != Tag::Anchor {
                    tag = Tag::Inline;
                }
            }
        } else if matches!(tag, Tag::Svg | Tag::Math) && !ends_at_once {
            self.foreign.open(self.tag.name(), None);
        }
        if tag.separates() {
            self.text.separate();
        }
        if self.templates == 0 {
            self.note(tag);
        }
        if ends_at_once && self.is_xhtml {
            return None;
        }
        match tag {
            Tag::Template => self.templates += 1,
            Tag::NoScript => self.in_noscript = true,
            _ => {}
        }
        self.sink = self.sink_after(tag);
        let state = tag.next_state();
        if state.is_some() {
            self.raw.clear();
            self.raw.extend_from_slice(self.tag.name());
        }
        state
    }

    /// Notes what a start tag says of the page.
    fn note(&mut self, tag: Tag) {
        match tag {
            Tag::Anchor | Tag::Frame | Tag::InlineFrame => {
                self.references.extend(self.tag.value(Attribute::Address));
            }
            Tag::Link if self.tag.names_feed() => {
                self.references.extend(self.tag.value(Attribute::Address));
            }
            Tag::Base if self.base.is_none() => {
                let href = self.tag.value(Attribute::Address);
                self.base = href.map(|href| String::from_utf8_lossy(href).into_owned());
            }
            Tag::Image if !self.in_noscript => self.images += 1,
            Tag::Table if !self.in_noscript => self.tables += 1,
            _ => {}
        }
    }

    /// Where text goes after a start tag.
    fn sink_after(&mut self, tag: Tag) -> Sink {
        match tag {
            Tag::Title if self.templates == 0 && !std::mem::replace(&mut self.titled, true) => {
                Sink::Title
            }
            Tag::Title | Tag::Script | Tag::Hidden | Tag::InlineFrame => Sink::Nothing,
            _ => self.sink_between(),
        }
    }

    /// Where text goes outside raw elements.
    fn sink_between(&self) -> Sink {
        if self.templates > 0 || self.in_noscript || self.foreign.is_hidden() {
            Sink::Nothing
        } else {
            Sink::Text
        }
    }

    fn end_tag(&mut self) {
        let tag = Tag::of(self.tag.name());
        match tag {
            Tag::Template => self.templates = self.templates.saturating_sub(1),
            Tag::NoScript => self.in_noscript = false,
            Tag::Block | Tag::Table if self.foreign.is_current() => self.foreign.break_out(),
            _ => self.foreign.close(self.tag.name()),
        }
        if tag.separates() {
            self.text.separate();
        }
        self.sink = self.sink_between();
    }
}

/// Takes html5gum's tokens into a page.
struct Tokens<'p>(&'p mut Page);

impl Emitter for Tokens<'_> {
    type Token = Infallible;

    fn emit_string(&mut self, piece: &[u8]) {
        match self.0.sink {
            // A tree builder drops NUL (HTML standard, 13.2.6.4.7); it comes alone.
            Sink::Text if piece != b"\0" => self.0.text.push(piece),
            Sink::Title => self.0.title.push(piece),
            Sink::Text | Sink::Nothing => {}
        }
    }

    fn init_start_tag(&mut self) {
        self.0.tag.start(false);
    }

    fn init_end_tag(&mut self) {
        self.0.tag.start(true);
    }

    fn push_tag_name(&mut self, piece: &[u8]) {
        self.0.tag.push_name(piece);
    }

    fn init_attribute(&mut self) {
        self.0.tag.start_attribute();
    }

    fn push_attribute_name(&mut self, piece: &[u8]) {
        self.0.tag.push_attribute_name(piece);
    }

    fn push_attribute_value(&mut self, piece: &[u8]) {
        self.0.tag.push_attribute_value(piece);
    }

    fn set_self_closing(&mut self) {
        self.0.tag.is_self_closing = true;
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.0.tag.end_attribute();
        if self.0.tag.is_end {
            self.0.end_tag();
            None
        } else {
            self.0.start_tag()
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.0.tag.is_end && self.0.tag.name() == self.0.raw
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.0.foreign.is_current()
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.0.raw.clear();
        self.0.raw.extend_from_slice(name.unwrap_or_default());
    }

    // Comments, doctypes and errors say nothing that is wanted.
    fn emit_eof(&mut self) {}
    fn emit_error(&mut self, _: Error) {}
    fn init_comment(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn emit_current_comment(&mut self) {}
    fn init_doctype(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn set_force_quirks(&mut self) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn emit_current_doctype(&mut self) {}
}

#[cfg(test)]
mod tests {
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
        assert_eq!(
            shown("<math><mi>x</mi><mtext><b>y</b></mtext><mo><![CDATA[z]]></mo></math>"),
            "xy"
        );
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
        let reading =
            page("<picture><source><img></picture><IMG><svg><image/></svg><table><table>");
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
        let html =
            format!("<a href='{}'><a href=x {}=y>z", "h".repeat(1 << 20), "n".repeat(1 << 20));
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
}
