//! XML in pieces, as far as it can be read.
//!
//! Feeds and sitemaps in the wild break the rules of XML. What comes before the first fault is read,
//! the rest is left alone; a bare `&` is got over. Entities that a document declares itself are not
//! expanded, so no document is longer than it looks.
use std::{borrow::Cow, ops::ControlFlow};

use quick_xml::{
    Reader,
    events::{BytesRef, BytesStart, Event},
};

use super::{Reading, fold::Folded};

/// A piece of XML, in the order of the document.
pub(crate) enum Piece<'x> {
    /// An element begins.
    Open(Element<'x>),
    /// The innermost element ends.
    Close,
    /// Text, entities resolved.
    Text(&'x str),
}

/// The start of an element.
pub(crate) struct Element<'x>(&'x BytesStart<'x>);

impl<'x> Element<'x> {
    /// Its name without the prefix.
    pub(crate) fn name(&self) -> &'x str {
        self.0.local_name().into_inner()
    }

    /// The value of an attribute, by its name with the prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'x, str>> {
        // Comparing every name with every other would take quadratic time.
        let mut attributes = self.0.attributes();
        let found = attributes
            .with_checks(false)
            .filter_map(Result::ok)
            .find(|found| found.key.0 == name)?;
        Some(match quick_xml::escape::unescape(&found.value) {
            Ok(value) => Cow::Owned(value.into_owned()),
            Err(_) => found.value.clone(),
        })
    }
}

/// Calls `each` with every piece of `text`, until it breaks off or the XML does.
pub(crate) fn each_piece(text: &str, mut each: impl FnMut(Piece<'_>) -> ControlFlow<()>) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    reader.config_mut().expand_empty_elements = true;
    loop {
        let flow = match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => each(Piece::Open(Element(&start))),
            Ok(Event::End(_)) => each(Piece::Close),
            Ok(Event::Text(text)) => each(Piece::Text(&text)),
            Ok(Event::CData(text)) => each(Piece::Text(&text)),
            Ok(Event::GeneralRef(entity)) => each(Piece::Text(&resolved(&entity))),
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => continue,
            Ok(Event::Eof) | Err(_) => return,
        };
        if flow.is_break() {
            return;
        }
    }
}

/// What an entity stands for. Those of HTML stay as they are: the reader of a feed decodes them
/// together with the HTML around them.
fn resolved(entity: &BytesRef<'_>) -> Cow<'static, str> {
    if let Ok(Some(letter)) = entity.resolve_char_ref() {
        return Cow::Owned(letter.to_string());
    }
    match &**entity {
        "amp" => Cow::Borrowed("&"),
        "lt" => Cow::Borrowed("<"),
        "gt" => Cow::Borrowed(">"),
        "quot" => Cow::Borrowed("\""),
        "apos" => Cow::Borrowed("'"),
        "nbsp" => Cow::Borrowed("\u{a0}"),
        other => Cow::Owned(format!("&{other};")),
    }
}

/// The name of the outermost element, without its prefix.
pub(crate) fn root(text: &str) -> Option<String> {
    let mut root = None;
    each_piece(text, |piece| match piece {
        Piece::Open(element) => {
            root = Some(element.name().to_owned());
            ControlFlow::Break(())
        }
        Piece::Close | Piece::Text(_) => ControlFlow::Continue(()),
    });
    root
}

/// Reads XML of no particular kind: the text of all its elements.
pub(crate) fn read(text: &str) -> Reading {
    let mut folded = Folded::default();
    each_piece(text, |piece| {
        match piece {
            Piece::Text(text) => folded.push(text.as_bytes()),
            Piece::Open(_) | Piece::Close => folded.separate(),
        }
        ControlFlow::Continue(())
    });
    Reading { text: folded.finish(), ..Reading::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_behind_everything_that_may_precede_it() {
        let text = "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><!-- <x/> --> <p:a/>";
        assert_eq!(root(text).as_deref(), Some("a"));
        assert_eq!(root("no markup"), None);
    }

    #[test]
    fn all_text_is_read_and_elements_keep_words_apart() {
        let text = "<a>one &amp; &#x74;wo<b x='y'>three</b><![CDATA[<four>]]></a>";
        assert_eq!(read(text).text, "one & two three <four>");
    }

    #[test]
    fn what_comes_before_a_fault_is_read() {
        assert_eq!(read("<a>one <b>two</a> three").text, "one two");
        assert_eq!(read("<a>one & two <b").text, "one & two");
    }

    #[test]
    fn a_document_cannot_grow_by_its_own_entities() {
        let bomb = "<!DOCTYPE a [<!ENTITY b 'xxxxxxxx'><!ENTITY c '&b;&b;'>]><a>&c;</a>";
        assert_eq!(read(bomb).text, "&c;");
    }
}
