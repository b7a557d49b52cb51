//! SVG and `MathML` inside HTML: where the tokeniser's rules change.
//!
//! In foreign content `<title>` and `<script>` are tags like others, `<![CDATA[` is text and `/>` ends
//! an element; and there are islands of HTML inside it (HTML standard, 13.2.6.5). A tree builder knows
//! all this from its stack of open elements. Here only the few elements that matter are stacked.

/// Deeper nesting than this is not followed: pages have two or three levels, attacks millions.
const DEEPEST: usize = 32;

/// The foreign elements that are open and matter.
#[derive(Default)]
pub(crate) struct Foreign {
    open: Vec<Open>,
}

struct Open {
    name: Name,
    /// Whether what is inside is HTML.
    island: bool,
    /// Whether what is inside is not shown.
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
    fn of(name: &[u8]) -> Option<Self> {
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

    /// Takes in a start tag: `svg` or `math` anywhere, any other inside foreign content.
    /// `encoding` is the attribute of that name.
    pub(crate) fn open(&mut self, name: &[u8], encoding: Option<&[u8]>) {
        let Some(name) = Name::of(name) else { return };
        let in_svg =
            self.open.iter().rev().find(|open| matches!(open.name, Name::Svg | Name::Math));
        let in_svg = in_svg.is_some_and(|open| open.name == Name::Svg);
        let (island, hidden) = match name {
            Name::Svg | Name::Math => (false, false),
            Name::ForeignObject if in_svg => (true, false),
            // What a pointer would show, or nothing would.
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

    /// Takes in an end tag.
    pub(crate) fn close(&mut self, name: &[u8]) {
        if self.open.is_empty() {
            return;
        }
        if let Some(name) = Name::of(name)
            && let Some(at) = self.open.iter().rposition(|open| open.name == name)
        {
            self.open.truncate(at);
        }
    }

    /// Goes back to HTML: a tag came that foreign content cannot hold.
    pub(crate) fn break_out(&mut self) {
        while self.is_current() {
            self.open.pop();
        }
    }
}
