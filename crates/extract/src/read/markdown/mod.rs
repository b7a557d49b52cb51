//! HTML to Markdown: headings, lists, tables, code and links are kept, menus and footers are not.
//!
//! For readers that want structure and no tags, such as language models. Markdown as in `CommonMark`, with the tables
//! of GitHub. Converting never fails. Time and output are linear in the length of the page: containers are
//! drawn to a limited depth, and links end where their addresses would outweigh the page.
//!
//! A block is left out if all its text runs are boilerplate. One run alone says little: the `=` between two
//! coloured words of a program may be on every page of a site.
mod blocks;
mod inline;
mod table;
#[cfg(test)]
mod tests;

use html5gum::{DefaultEmitter, EndTag, StartTag, State, Token, Tokenizer};

use self::blocks::{Blocks, Container};
use super::{
    address::Resolver,
    charset, host,
    kind::{self, Kind},
    pdf,
    runs::RunHasher,
    tags::{breaks_out, is_block},
    xml,
};

/// Elements whose content is not shown. Drawings have labels, but no text in the order of reading.
const HIDDEN: [&[u8]; 10] = [
    b"script",
    b"style",
    b"template",
    b"noscript",
    b"title",
    b"iframe",
    b"noembed",
    b"noframes",
    b"svg",
    b"object",
];

/// The Markdown of `body`, fetched from `address` with the header `Content-Type: content_type`. Blocks of
/// which each text run `is_boilerplate` are left out. A plain text is returned as it is, a PDF file as its
/// text. `None` if it is none of them.
pub fn markdown(
    address: &str,
    content_type: &str,
    body: &[u8],
    is_boilerplate: &dyn Fn(u32) -> bool,
) -> Option<String> {
    let (kind, label) = kind::detect(content_type, body);
    let is_xhtml = match kind {
        Kind::Html => false,
        Kind::Xhtml | Kind::Xml => true,
        Kind::Text => {
            let text = charset::decode(body, label, host(address));
            return Some(text.trim_end().to_owned());
        }
        Kind::Pdf => return pdf::read(address, body).map(|reading| reading.text),
        Kind::Other => return None,
    };
    let html = charset::decode(body, label, host(address));
    if kind == Kind::Xml && xml::root(&html).as_deref() != Some("html") {
        return None;
    }
    let mut converter = Converter {
        blocks: Blocks::new(html.len()),
        resolver: Resolver::new(address),
        hasher: RunHasher::new(address),
        is_boilerplate,
        run: String::new(),
        hidden: None,
        has_base: false,
    };
    converter.convert(&html, is_xhtml);
    Some(converter.blocks.finish())
}

/// The state of a conversion.
struct Converter<'a> {
    blocks: Blocks,
    resolver: Resolver,
    hasher: RunHasher,
    is_boilerplate: &'a dyn Fn(u32) -> bool,
    /// The text since the last tag.
    run: String,
    /// The hidden element that is open, and how many of its name.
    hidden: Option<(Vec<u8>, u32)>,
    has_base: bool,
}

impl Converter<'_> {
    fn convert(&mut self, html: &str, is_xhtml: bool) {
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        let mut tokens = Tokenizer::new_with_emitter(html, emitter);
        while let Some(Ok(token)) = tokens.next() {
            match token {
                Token::String(text) => {
                    if self.hidden.is_none() {
                        self.run.push_str(&String::from_utf8_lossy(&text.value));
                    }
                }
                Token::StartTag(tag) => {
                    self.end_run();
                    // In XML an empty element has no content, also if it is a script.
                    let is_empty = is_xhtml && tag.self_closing;
                    if is_empty {
                        tokens.set_state(State::Data);
                    }
                    self.start_tag(&tag, is_empty);
                }
                Token::EndTag(tag) => {
                    self.end_run();
                    self.end_tag(&tag);
                }
                Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
            }
        }
        self.end_run();
    }

    /// Adds the text since the last tag to the block.
    fn end_run(&mut self) {
        if self.run.is_empty() {
            return;
        }
        let has_word = !self.run.trim().is_empty();
        let is_main =
            has_word && self.hasher.hash(&self.run).is_none_or(|hash| !(self.is_boilerplate)(hash));
        self.blocks.text(&self.run, is_main);
        self.run.clear();
    }

    fn start_tag(&mut self, tag: &StartTag<()>, is_empty: bool) {
        let name: &[u8] = &tag.name;
        if let Some((hidden, depth)) = &mut self.hidden {
            let leaves_drawing = hidden == b"svg" && breaks_out(name);
            if !leaves_drawing {
                *depth += u32::from(hidden == name && !is_empty && !tag.self_closing);
                return;
            }
            self.hidden = None;
        }
        if HIDDEN.contains(&name) {
            let ends_at_once = is_empty || (name == b"svg" && tag.self_closing);
            if !ends_at_once {
                self.hidden = Some((name.to_vec(), 1));
            }
            return;
        }
        let value = |key: &[u8]| tag.attributes.get(key).map(|value| text(&value.value));
        match name {
            b"a" => {
                let address = value(b"href").and_then(|href| self.target(&href));
                self.blocks.open_link(address);
            }
            b"base" if !self.has_base => {
                if let Some(href) = value(b"href") {
                    self.resolver.rebase(&href);
                    self.has_base = true;
                }
            }
            b"br" => self.blocks.line_break(),
            b"hr" => self.blocks.rule(),
            b"code" | b"kbd" | b"samp" | b"tt" => {
                self.blocks.open_code(value(b"class").as_deref());
            }
            b"pre" | b"listing" | b"xmp" => self.blocks.open_pre(value(b"class").as_deref()),
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                self.blocks.open_heading(usize::from(name[1] - b'0'));
            }
            b"ul" | b"menu" | b"dir" => self.blocks.open(Container::list(None)),
            b"ol" => {
                let start = value(b"start").and_then(|start| start.trim().parse().ok());
                self.blocks.open(Container::list(Some(start.unwrap_or(1))));
            }
            b"li" => self.blocks.open_item(),
            b"blockquote" => self.blocks.open(Container::Quote),
            b"table" => self.blocks.open_table(),
            b"tr" => self.blocks.open_row(),
            b"td" | b"th" => self.blocks.open_cell(),
            _ if is_block(name) => self.blocks.end_block(),
            _ => {}
        }
    }

    fn end_tag(&mut self, tag: &EndTag<()>) {
        let name: &[u8] = &tag.name;
        if let Some((hidden, depth)) = &mut self.hidden {
            if hidden == name {
                *depth -= 1;
                if *depth == 0 {
                    self.hidden = None;
                }
            }
            return;
        }
        match name {
            b"a" => self.blocks.close_link(),
            b"code" | b"kbd" | b"samp" | b"tt" => self.blocks.close_code(),
            b"pre" | b"listing" | b"xmp" => self.blocks.close_pre(),
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => self.blocks.close_heading(),
            b"ul" | b"menu" | b"dir" | b"ol" => self.blocks.close_list(),
            b"blockquote" => self.blocks.close_quote(),
            b"table" => self.blocks.close_table(),
            b"td" | b"th" | b"tr" => self.blocks.close_cell(),
            _ if is_block(name) => self.blocks.end_block(),
            _ => {}
        }
    }

    /// Where a link leads to. A link within the page leads nowhere else.
    fn target(&mut self, href: &str) -> Option<String> {
        if href.trim_start().starts_with('#') {
            return None;
        }
        self.resolver.resolve(href).map(str::to_owned)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
