//! HTML: title, visible text, links, language, headings and anchor texts.
//!
//! Tokens follow the HTML standard (html5gum), but no tree is built: text and links do not need one,
//! and it would take most of the time. A few fields replace it: whether the parser is in foreign
//! content, in a template, in raw text. One difference to browsers: text in a table outside its cells
//! stays where it is, while a browser moves it in front of the table.
//!
//! The text is what a reader with scripts sees: not `script`, `style`, `template`, `noscript`,
//! comments or titles inside SVG. Links inside `noscript` do count: they are for readers without
//! scripts.
use std::{convert::Infallible, sync::Arc};

use html5gum::{Emitter, Error, State, Tokenizer};

use super::{
    Reading,
    address::Resolver,
    current_tag::{Attribute, CurrentTag},
    directives,
    fold::Folded,
    foreign::Foreign,
    outline::Outline,
    references::References,
    runs::Runs,
    tags::{Tag, breaks_out},
};
use crawl::Directives;

/// Parses the page at `address`. In XHTML `<title/>` is an empty element; in HTML it is a start tag.
pub(crate) fn read(address: &str, html: &str, is_xhtml: bool) -> Reading {
    let text = Folded::with_capacity(html.len() / 2);
    let runs = Some(Runs::new(address));
    let mut page = PageParser { is_xhtml, text, runs, ..PageParser::default() };
    page.tokenise(html);
    let mut resolver = Resolver::new(address);
    if let Some(base) = page.base.take() {
        resolver.rebase(&base);
    }
    let mut directives = std::mem::take(&mut page.directives);
    let canonical = page.canonical.as_deref().and_then(|href| resolver.resolve(href));
    directives.canonical = canonical.filter(|own| *own != address).map(Arc::from);
    let (images, tables) = (page.images, page.tables);
    let mut reading = Reading { images, tables, directives, ..Reading::default() };
    reading.title = page.title.finish();
    if let Some(runs) = page.runs {
        (reading.runs, reading.run_ends) = runs.finish(&reading.title, page.text.bytes());
    }
    page.references.resolve(&mut resolver, &mut reading);
    reading.language = page.language;
    let end = page.text.len();
    reading.headings = page.headings.finish(end);
    reading.anchors = page.anchors.finish(end);
    let ranges = &mut [&mut reading.headings, &mut reading.anchors];
    reading.text = page.text.finish_with(ranges, &mut reading.run_ends);
    reading
}

/// The visible text of an HTML fragment.
pub(crate) fn text(html: &str) -> String {
    let mut page = PageParser::default();
    page.tokenise(html);
    page.text.finish()
}

/// The state of the parser.
#[derive(Default)]
struct PageParser {
    is_xhtml: bool,
    title: Folded,
    text: Folded,
    language: String,
    headings: Outline,
    anchors: Outline,
    references: References,
    /// The text runs, where they are wanted.
    runs: Option<Runs>,
    base: Option<String>,
    canonical: Option<String>,
    directives: Directives,
    images: u32,
    tables: u32,

    foreign: Foreign,
    /// The number of open templates.
    templates: u32,
    in_noscript: bool,
    /// Whether there was a title; later ones do not count.
    titled: bool,
    /// Where text goes now.
    sink: Sink,
    /// The element whose raw text is being read; only its own end tag ends it.
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

impl PageParser {
    fn tokenise(&mut self, html: &str) {
        let Ok(()) = Tokenizer::new_with_emitter(html, Tokens(self)).finish();
    }

    fn start_tag(&mut self) -> Option<State> {
        let mut tag = self.tag.tag();
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
            self.separate();
        }
        if self.templates == 0 {
            self.process(tag);
        }
        if ends_at_once && self.is_xhtml {
            return None;
        }
        if !(ends_at_once && self.foreign.is_current()) {
            self.outline(tag);
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

    /// Separates the words before and after a tag.
    fn separate(&mut self) {
        self.text.separate();
        let at = self.text.len();
        self.headings.end_line(at);
        self.anchors.end_line(at);
    }

    /// Notes where a heading or an anchor text begins.
    fn outline(&mut self, tag: Tag) {
        let at = self.text.len();
        match tag {
            Tag::Heading if self.sink_between() == Sink::Text => self.headings.open(at),
            Tag::Anchor if self.tag.name() == b"a" && self.sink_between() == Sink::Text => {
                if self.tag.value(Attribute::Address).is_some() {
                    self.anchors.open(at);
                } else {
                    self.anchors.abandon(at);
                }
            }
            _ => {}
        }
    }

    /// Extracts links, counts and metadata from a start tag.
    fn process(&mut self, tag: Tag) {
        match tag {
            Tag::Anchor | Tag::Frame | Tag::InlineFrame => {
                let follow = tag != Tag::Anchor || !self.tag.has_relation(b"nofollow");
                let run = self.runs.as_ref().map(Runs::count).filter(|_| tag == Tag::Anchor);
                self.references.extend(self.tag.value(Attribute::Address), follow, run);
            }
            Tag::Link if self.tag.names_feed() => {
                self.references.extend(self.tag.value(Attribute::Address), true, None);
            }
            Tag::Link if self.canonical.is_none() && self.tag.has_relation(b"canonical") => {
                let href = self.tag.value(Attribute::Address);
                self.canonical = href.map(|href| String::from_utf8_lossy(href).into_owned());
            }
            Tag::Meta => {
                let name = self.tag.value(Attribute::Name).unwrap_or_default();
                let content = self.tag.value(Attribute::Content).unwrap_or_default();
                let found = directives::parse_meta(name, &String::from_utf8_lossy(content));
                self.directives.noindex |= found.noindex;
                self.directives.nofollow |= found.nofollow;
            }
            Tag::Root if self.language.is_empty() => {
                let tag = self.tag.value(Attribute::Language).unwrap_or_default();
                self.language = language_tag(tag).unwrap_or_default();
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
        let tag = Tag::from_name(self.tag.name());
        if self.sink_between() == Sink::Text {
            match tag {
                Tag::Heading => self.headings.close(self.text.len()),
                Tag::Anchor => self.anchors.close(self.text.len()),
                _ => {}
            }
        }
        match tag {
            Tag::Template => self.templates = self.templates.saturating_sub(1),
            Tag::NoScript => self.in_noscript = false,
            Tag::Block | Tag::Heading | Tag::Root | Tag::Table if self.foreign.is_current() => {
                self.foreign.break_out();
            }
            _ => self.foreign.close(self.tag.name()),
        }
        if tag.separates() {
            self.separate();
        }
        self.sink = self.sink_between();
    }
}

/// A normalised language tag, if it could be one (RFC 5646, 4.4.1: up to 35 characters).
fn language_tag(written: &[u8]) -> Option<String> {
    let tag = std::str::from_utf8(written.trim_ascii()).ok()?.replace('_', "-");
    let is_tag = tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (is_tag && tag.len() <= 35).then_some(tag)
}

/// Feeds the tokens of html5gum to the parser.
struct Tokens<'p>(&'p mut PageParser);

impl Emitter for Tokens<'_> {
    type Token = Infallible;

    fn emit_string(&mut self, piece: &[u8]) {
        match self.0.sink {
            // A tree builder drops NUL (HTML standard, 13.2.6.4.7); it arrives as its own piece.
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
        if let Some(runs) = &mut self.0.runs {
            runs.end(self.0.text.bytes());
        }
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

    // Comments, doctypes and errors are not needed.
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
mod tests;
