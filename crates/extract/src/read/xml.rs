//! A lenient XML tokeniser.
//!
//! Real feeds and sitemaps are often malformed. They are read up to the first syntax error; a bare `&`
//! is accepted. Entities that a document declares are not expanded, which prevents entity bombs.
use std::{borrow::Cow, io::BufRead, ops::ControlFlow};

use quick_xml::{
    Reader,
    events::{BytesRef, BytesStart, Event},
};

use super::{Reading, fold::Folded};

/// A token of XML, in document order.
pub(crate) enum XmlToken<'x> {
    /// A start tag.
    Open(Element<'x>),
    /// The end of the innermost element.
    Close,
    /// Text, entities resolved.
    Text(&'x str),
}

/// A start tag.
pub(crate) struct Element<'x>(&'x BytesStart<'x>);

impl<'x> Element<'x> {
    /// Its name without the prefix.
    pub(crate) fn name(&self) -> &'x str {
        self.0.local_name().into_inner()
    }

    /// The value of an attribute, by its name with the prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'x, str>> {
        // The check for duplicates would take quadratic time.
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

/// Calls `each` with every token of `text`, until it breaks or a syntax error.
pub(crate) fn each_token(text: &str, mut each: impl FnMut(XmlToken<'_>) -> ControlFlow<()>) {
    let mut reader = lenient(Reader::from_str(text));
    while pass(reader.read_event(), &mut each).is_continue() {}
}

/// The same for a text in UTF-8 that is too long to be held. One token at a time is in memory.
pub(crate) fn each_token_of(
    text: impl BufRead,
    mut each: impl FnMut(XmlToken<'_>) -> ControlFlow<()>,
) {
    let mut reader = lenient(Reader::from_reader(text));
    let mut token = vec![];
    while pass(reader.read_event_into(&mut token), &mut each).is_continue() {
        token.clear();
    }
}

fn lenient<R>(mut reader: Reader<R>) -> Reader<R> {
    reader.config_mut().allow_dangling_amp = true;
    reader.config_mut().expand_empty_elements = true;
    reader
}

/// Passes an event on. Breaks at the end and at a syntax error.
fn pass(
    event: quick_xml::Result<Event<'_>>,
    each: &mut impl FnMut(XmlToken<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match event {
        Ok(Event::Start(start) | Event::Empty(start)) => each(XmlToken::Open(Element(&start))),
        Ok(Event::End(_)) => each(XmlToken::Close),
        Ok(Event::Text(text)) => each(XmlToken::Text(&text)),
        Ok(Event::CData(text)) => each(XmlToken::Text(&text)),
        Ok(Event::GeneralRef(entity)) => each(XmlToken::Text(&resolved(&entity))),
        Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {
            ControlFlow::Continue(())
        }
        Ok(Event::Eof) | Err(_) => ControlFlow::Break(()),
    }
}

/// Resolves an entity. HTML entities stay as they are: the feed parser decodes them together with the
/// HTML around them.
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
    each_token(text, |token| match token {
        XmlToken::Open(element) => {
            root = Some(element.name().to_owned());
            ControlFlow::Break(())
        }
        XmlToken::Close | XmlToken::Text(_) => ControlFlow::Continue(()),
    });
    root
}

/// Parses generic XML: the text of all its elements.
pub(crate) fn read(text: &str) -> Reading {
    let mut folded = Folded::default();
    each_token(text, |token| {
        match token {
            XmlToken::Text(text) => folded.push(text.as_bytes()),
            XmlToken::Open(_) | XmlToken::Close => folded.separate(),
        }
        ControlFlow::Continue(())
    });
    Reading { text: folded.finish(), ..Reading::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_after_a_prolog() {
        let text = "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><!-- <x/> --> <p:a/>";
        assert_eq!(root(text).as_deref(), Some("a"));
        assert_eq!(root("no markup"), None);
    }

    #[test]
    fn all_text_is_read_and_elements_separate_words() {
        let text = "<a>one &amp; &#x74;wo<b x='y'>three</b><![CDATA[<four>]]></a>";
        assert_eq!(read(text).text, "one & two three <four>");
    }

    #[test]
    fn text_before_a_syntax_error_is_read() {
        assert_eq!(read("<a>one <b>two</a> three").text, "one two");
        assert_eq!(read("<a>one & two <b").text, "one & two");
    }

    #[test]
    fn declared_entities_are_not_expanded() {
        let bomb = "<!DOCTYPE a [<!ENTITY b 'xxxxxxxx'><!ENTITY c '&b;&b;'>]><a>&c;</a>";
        assert_eq!(read(bomb).text, "&c;");
    }
}
