//! The tag that html5gum is handing over piece by piece.
//!
//! Most attributes of a page are classes and styles, so a value is kept only where the tag's meaning
//! and the attribute's name ask for it.
use super::tags::Tag;

/// The longest attribute value that is looked at: the resolver would not parse a longer one.
const LONGEST_VALUE: usize = 8_192;

/// The longest name that is kept whole; all that mean something are shorter.
const LONGEST_NAME: usize = 32;

/// The tag being read. Only the attributes that are asked for are kept.
#[derive(Default)]
pub(crate) struct CurrentTag {
    name: Vec<u8>,
    /// Whether it is an end tag.
    pub(crate) is_end: bool,
    /// Whether it ends with `/>`.
    pub(crate) is_self_closing: bool,
    meaning: Option<Tag>,
    attribute: Vec<u8>,
    /// Whether the attribute's name has yet to be looked at.
    unnamed: bool,
    /// Which value is being read.
    reading: Option<Attribute>,
    values: [Value; 6],
}

/// The attributes that matter, whatever they are called.
#[derive(Clone, Copy)]
pub(crate) enum Attribute {
    /// `href` or `src`.
    Address,
    /// `rel`.
    Relation,
    /// `type` or `encoding`.
    Kind,
    /// `name`.
    Name,
    /// `content`.
    Content,
    /// `lang` or `xml:lang`.
    Language,
}

#[derive(Default)]
struct Value {
    is_there: bool,
    bytes: Vec<u8>,
}

impl CurrentTag {
    /// A new tag begins.
    pub(crate) fn start(&mut self, is_end: bool) {
        self.name.clear();
        self.is_end = is_end;
        self.is_self_closing = false;
        self.meaning = None;
        self.unnamed = false;
        self.reading = None;
        for value in &mut self.values {
            value.is_there = false;
        }
    }

    /// Its name, in lower case. Names longer than any that means something are cut.
    pub(crate) fn name(&self) -> &[u8] {
        &self.name
    }

    /// Adds to its name.
    pub(crate) fn push_name(&mut self, piece: &[u8]) {
        if self.name.len() <= LONGEST_NAME {
            self.name.extend_from_slice(piece);
        }
    }

    /// What it means. Its name must be complete.
    pub(crate) fn meaning(&mut self) -> Tag {
        *self.meaning.get_or_insert_with(|| Tag::of(&self.name))
    }

    /// A new attribute begins, so the tag's name is complete.
    pub(crate) fn start_attribute(&mut self) {
        self.end_attribute();
        self.unnamed = !self.is_end && self.has_wanted_attributes();
        self.attribute.clear();
    }

    /// Adds to the attribute's name.
    pub(crate) fn push_attribute_name(&mut self, piece: &[u8]) {
        if self.unnamed && self.attribute.len() <= LONGEST_NAME {
            self.attribute.extend_from_slice(piece);
        }
    }

    fn has_wanted_attributes(&mut self) -> bool {
        let listed = matches!(
            self.meaning(),
            Tag::Anchor
                | Tag::Link
                | Tag::Frame
                | Tag::InlineFrame
                | Tag::Base
                | Tag::Meta
                | Tag::Root
        );
        listed || self.name == b"annotation-xml"
    }

    /// The name of the attribute is complete: decides whether its value is wanted.
    fn name_attribute(&mut self) {
        self.unnamed = false;
        let wanted = match (self.meaning(), self.attribute.as_slice()) {
            (Tag::Anchor | Tag::Link | Tag::Base, b"href")
            | (Tag::Frame | Tag::InlineFrame, b"src") => Attribute::Address,
            (Tag::Anchor | Tag::Link, b"rel") => Attribute::Relation,
            (Tag::Link, b"type") | (Tag::Inline, b"encoding") => Attribute::Kind,
            (Tag::Meta, b"name") => Attribute::Name,
            (Tag::Meta, b"content") => Attribute::Content,
            (Tag::Root, b"lang" | b"xml:lang") => Attribute::Language,
            _ => return,
        };
        let value = &mut self.values[wanted as usize];
        // Of attributes with one name the first counts; of two names, the first that says something.
        if !value.is_there || (matches!(wanted, Attribute::Language) && value.bytes.is_empty()) {
            value.is_there = true;
            value.bytes.clear();
            self.reading = Some(wanted);
        }
    }

    /// Adds to the attribute's value, so its name is complete.
    pub(crate) fn push_attribute_value(&mut self, piece: &[u8]) {
        if self.unnamed {
            self.name_attribute();
        }
        if let Some(attribute) = self.reading {
            let value = &mut self.values[attribute as usize].bytes;
            if value.len() <= LONGEST_VALUE {
                value.extend_from_slice(piece);
            }
        }
    }

    /// The attribute is complete, if there was one.
    pub(crate) fn end_attribute(&mut self) {
        if self.unnamed {
            self.name_attribute();
        }
        self.reading = None;
    }

    /// The value of an attribute that is there and not too long.
    pub(crate) fn value(&self, attribute: Attribute) -> Option<&[u8]> {
        let value = &self.values[attribute as usize];
        (value.is_there && value.bytes.len() <= LONGEST_VALUE).then_some(&value.bytes)
    }

    /// Whether a `link` leads to a feed of the page.
    pub(crate) fn names_feed(&self) -> bool {
        let lower = |attribute| self.value(attribute).map(<[u8]>::to_ascii_lowercase);
        let is_feed = lower(Attribute::Kind).is_some_and(|kind| {
            kind.starts_with(b"application/rss+xml") || kind.starts_with(b"application/atom+xml")
        });
        is_feed && self.is_related(b"alternate")
    }

    /// Whether `rel` lists this word.
    pub(crate) fn is_related(&self, word: &[u8]) -> bool {
        self.value(Attribute::Relation).is_some_and(|relations| {
            relations
                .split(u8::is_ascii_whitespace)
                .any(|relation| relation.eq_ignore_ascii_case(word))
        })
    }
}
