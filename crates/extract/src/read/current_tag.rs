//! The tag that html5gum is emitting, piece by piece.
//!
//! Most attributes are classes and styles, so a value is kept only where the tag and the attribute
//! name are relevant.
use super::tags::Tag;

/// The longest attribute value that is kept; the resolver would not parse a longer one.
const LONGEST_VALUE: usize = 8_192;

/// The longest name that is kept; all relevant ones are shorter.
const LONGEST_NAME: usize = 32;

/// The tag being read. Only relevant attributes are kept.
#[derive(Default)]
pub(crate) struct CurrentTag {
    name: Vec<u8>,
    /// Whether it is an end tag.
    pub(crate) is_end: bool,
    /// Whether it ends with `/>`.
    pub(crate) is_self_closing: bool,
    tag: Option<Tag>,
    attribute: Vec<u8>,
    /// Whether the attribute's name is not complete yet.
    unnamed: bool,
    /// The attribute whose value is being read.
    reading: Option<Attribute>,
    values: [Value; 6],
}

/// The relevant attributes, by role.
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
    is_present: bool,
    bytes: Vec<u8>,
}

impl CurrentTag {
    /// Starts a new tag.
    pub(crate) fn start(&mut self, is_end: bool) {
        self.name.clear();
        self.is_end = is_end;
        self.is_self_closing = false;
        self.tag = None;
        self.unnamed = false;
        self.reading = None;
        for value in &mut self.values {
            value.is_present = false;
        }
    }

    /// Its name, in lower case. Names longer than any relevant one are cut.
    pub(crate) fn name(&self) -> &[u8] {
        &self.name
    }

    /// Appends to its name.
    pub(crate) fn push_name(&mut self, piece: &[u8]) {
        if self.name.len() <= LONGEST_NAME {
            self.name.extend_from_slice(piece);
        }
    }

    /// Its kind. The name must be complete.
    pub(crate) fn tag(&mut self) -> Tag {
        *self.tag.get_or_insert_with(|| Tag::from_name(&self.name))
    }

    /// Starts a new attribute. The tag's name is complete now.
    pub(crate) fn start_attribute(&mut self) {
        self.end_attribute();
        self.unnamed = !self.is_end && self.has_relevant_attributes();
        self.attribute.clear();
    }

    /// Appends to the attribute's name.
    pub(crate) fn push_attribute_name(&mut self, piece: &[u8]) {
        if self.unnamed && self.attribute.len() <= LONGEST_NAME {
            self.attribute.extend_from_slice(piece);
        }
    }

    fn has_relevant_attributes(&mut self) -> bool {
        let listed = matches!(
            self.tag(),
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

    /// Decides whether the attribute's value is kept. The name is complete now.
    fn finish_attribute_name(&mut self) {
        self.unnamed = false;
        let wanted = match (self.tag(), self.attribute.as_slice()) {
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
        // Of attributes with the same name the first counts; of `lang` and `xml:lang`, the first that
        // is not empty.
        if !value.is_present || (matches!(wanted, Attribute::Language) && value.bytes.is_empty()) {
            value.is_present = true;
            value.bytes.clear();
            self.reading = Some(wanted);
        }
    }

    /// Appends to the attribute's value. Its name is complete now.
    pub(crate) fn push_attribute_value(&mut self, piece: &[u8]) {
        if self.unnamed {
            self.finish_attribute_name();
        }
        if let Some(attribute) = self.reading {
            let value = &mut self.values[attribute as usize].bytes;
            if value.len() <= LONGEST_VALUE {
                value.extend_from_slice(piece);
            }
        }
    }

    /// Ends the attribute, if there is one.
    pub(crate) fn end_attribute(&mut self) {
        if self.unnamed {
            self.finish_attribute_name();
        }
        self.reading = None;
    }

    /// The value of an attribute that is present and not too long.
    pub(crate) fn value(&self, attribute: Attribute) -> Option<&[u8]> {
        let value = &self.values[attribute as usize];
        (value.is_present && value.bytes.len() <= LONGEST_VALUE).then_some(&value.bytes)
    }

    /// Whether a `link` element points to a feed.
    pub(crate) fn names_feed(&self) -> bool {
        let lower = |attribute| self.value(attribute).map(<[u8]>::to_ascii_lowercase);
        let is_feed = lower(Attribute::Kind).is_some_and(|kind| {
            kind.starts_with(b"application/rss+xml") || kind.starts_with(b"application/atom+xml")
        });
        is_feed && self.has_relation(b"alternate")
    }

    /// Whether `rel` contains this word.
    pub(crate) fn has_relation(&self, word: &[u8]) -> bool {
        self.value(Attribute::Relation).is_some_and(|relations| {
            relations
                .split(u8::is_ascii_whitespace)
                .any(|relation| relation.eq_ignore_ascii_case(word))
        })
    }
}
