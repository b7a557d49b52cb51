//! SVG and `MathML` inside HTML, where the tokeniser follows other rules.
//!
//! In foreign content `<title>` and `<script>` are ordinary tags, `<![CDATA[` is text and `/>` ends an
//! element. Foreign content can contain islands of HTML (HTML standard, 13.2.6.5). A tree builder
//! knows this from its stack of open elements; here only the few relevant elements are stacked.

/// The deepest nesting that is tracked. Pages have two or three levels, attacks millions.
const DEEPEST: usize = 32;

/// The relevant open foreign elements.
#[derive(Default)]
pub(crate) struct Foreign {
    open: Vec<Open>,
}

struct Open {
    name: Name,
    /// Whether its content is HTML.
    island: bool,
    /// Whether its content is not shown.
    hidden: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Svg,
    Math,
    ForeignObject,
    Description,
    Title,
    Metadata,
    Style,
    Script,
    Annotation,
    /// One of `mi`, `mo`, `mn`, `ms` and `mtext`, which do not nest.
    Token,
}

impl Name {
    fn parse(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"svg" => Self::Svg,
            b"math" => Self::Math,
            b"foreignobject" => Self::ForeignObject,
            b"desc" => Self::Description,
            b"title" => Self::Title,
            b"metadata" => Self::Metadata,
            b"style" => Self::Style,
            b"script" => Self::Script,
            b"annotation-xml" => Self::Annotation,
            b"mi" | b"mo" | b"mn" | b"ms" | b"mtext" => Self::Token,
            _ => return None,
        })
    }
}

impl Foreign {
    /// Whether the next tag is foreign.
    pub(crate) fn is_current(&self) -> bool {
        self.open.last().is_some_and(|open| !open.island)
    }

    /// Whether the next text is foreign and not shown.
    pub(crate) fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|open| open.hidden)
    }

    /// Processes a start tag: `svg` or `math` anywhere, other tags inside foreign content only.
    /// `encoding` is the value of that attribute.
    pub(crate) fn open(&mut self, name: &[u8], encoding: Option<&[u8]>) {
        let Some(name) = Name::parse(name) else { return };
        let in_svg =
            self.open.iter().rev().find(|open| matches!(open.name, Name::Svg | Name::Math));
        let in_svg = in_svg.is_some_and(|open| open.name == Name::Svg);
        let (island, hidden) = match name {
            Name::Svg | Name::Math => (false, false),
            Name::ForeignObject if in_svg => (true, false),
            // Tooltips, not shown in the page.
            Name::Description | Name::Title if in_svg => (true, true),
            Name::Metadata | Name::Style | Name::Script if in_svg => (false, true),
            Name::Token if !in_svg => (true, false),
            Name::Annotation if !in_svg => {
                let html: [&[u8]; 2] = [b"text/html", b"application/xhtml+xml"];
                (
                    encoding
                        .is_some_and(|it| html.iter().any(|html| it.eq_ignore_ascii_case(html))),
                    false,
                )
            }
            _ => return,
        };
        if self.open.len() < DEEPEST {
            let hidden = hidden || self.is_hidden();
            self.open.push(Open { name, island, hidden });
        }
    }

    /// Processes an end tag.
    pub(crate) fn close(&mut self, name: &[u8]) {
        if self.open.is_empty() {
            return;
        }
        if let Some(name) = Name::parse(name)
            && let Some(at) = self.open.iter().rposition(|open| open.name == name)
        {
            self.open.truncate(at);
        }
    }

    /// Returns to HTML, because of a tag that foreign content cannot contain.
    pub(crate) fn break_out(&mut self) {
        while self.is_current() {
            self.open.pop();
        }
    }
}
