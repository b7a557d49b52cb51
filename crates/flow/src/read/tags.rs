//! What the names of HTML's tags mean to a reader of text and links.
use html5gum::State;

/// What a start tag asks of the reader. Names it need not know are [`Inline`](Self::Inline).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Part of a line: joins the words before and after.
    Inline,
    /// Starts a line: keeps words apart.
    Block,
    /// `h1` to `h6`: the same, and its text is a heading.
    Heading,
    /// `html`: the same, and says what language the page is in.
    Root,
    /// `a`, `area`: a link by `href`.
    Anchor,
    /// `link`: a link by `href` where it names a feed.
    Link,
    /// `frame`: a link by `src`.
    Frame,
    /// `iframe`: the same, and what is inside is raw and not shown.
    InlineFrame,
    /// `base`.
    Base,
    /// `meta`: what the page asks of robots.
    Meta,
    /// `img`.
    Image,
    /// `table`.
    Table,
    /// `title`.
    Title,
    /// `textarea`: its text is shown, but not its tags.
    TextArea,
    /// `script`.
    Script,
    /// Elements whose raw text is not shown.
    Hidden,
    /// `xmp`: raw text that is shown.
    Example,
    /// `plaintext`: so is all the rest.
    PlainText,
    /// `template`: holds a page that is not shown.
    Template,
    /// `noscript`.
    NoScript,
    /// `svg`: foreign content.
    Svg,
    /// `math`: foreign content.
    Math,
}

impl Tag {
    /// The meaning of a tag's name, which is in lower case.
    pub(crate) fn of(name: &[u8]) -> Self {
        match name {
            b"a" | b"area" => Self::Anchor,
            b"link" => Self::Link,
            b"frame" => Self::Frame,
            b"iframe" => Self::InlineFrame,
            b"base" => Self::Base,
            b"meta" => Self::Meta,
            // Parsers take the second for the first (HTML standard, 13.2.6.4.7).
            b"img" | b"image" => Self::Image,
            b"table" => Self::Table,
            b"title" => Self::Title,
            b"textarea" => Self::TextArea,
            b"script" => Self::Script,
            b"style" | b"noembed" | b"noframes" => Self::Hidden,
            b"xmp" => Self::Example,
            b"plaintext" => Self::PlainText,
            b"template" => Self::Template,
            b"noscript" => Self::NoScript,
            b"svg" => Self::Svg,
            b"math" => Self::Math,
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => Self::Heading,
            b"html" => Self::Root,
            _ if is_block(name) => Self::Block,
            _ => Self::Inline,
        }
    }

    /// Whether it keeps the words before and after apart.
    pub(crate) fn separates(self) -> bool {
        matches!(
            self,
            Self::Block
                | Self::Heading
                | Self::Root
                | Self::Table
                | Self::TextArea
                | Self::Example
                | Self::PlainText
                | Self::Frame
                | Self::InlineFrame
        )
    }

    /// How what follows the start tag is to be split into tokens (HTML standard, 13.2.6.4).
    pub(crate) fn next_state(self) -> Option<State> {
        match self {
            Self::Title | Self::TextArea => Some(State::RcData),
            Self::Hidden | Self::Example | Self::InlineFrame => Some(State::RawText),
            Self::Script => Some(State::ScriptData),
            Self::PlainText => Some(State::PlainText),
            _ => None,
        }
    }
}

/// Whether an element starts a line of its own, by the standard's style sheet; also `br`, and the
/// controls that are drawn as boxes.
pub(crate) fn is_block(name: &[u8]) -> bool {
    match name.len() {
        1 => name == b"p",
        2 => matches!(
            name,
            b"br"
                | b"dd"
                | b"dl"
                | b"dt"
                | b"h1"
                | b"h2"
                | b"h3"
                | b"h4"
                | b"h5"
                | b"h6"
                | b"hr"
                | b"li"
                | b"ol"
                | b"td"
                | b"th"
                | b"tr"
                | b"ul"
        ),
        3 => matches!(name, b"dir" | b"div" | b"nav" | b"pre" | b"xmp"),
        4 => matches!(name, b"body" | b"form" | b"head" | b"html" | b"main" | b"menu"),
        5 => matches!(name, b"aside" | b"table" | b"tbody" | b"tfoot" | b"thead"),
        6 => matches!(
            name,
            b"button"
                | b"center"
                | b"dialog"
                | b"figure"
                | b"footer"
                | b"header"
                | b"hgroup"
                | b"legend"
                | b"option"
                | b"search"
                | b"select"
        ),
        7 => matches!(
            name,
            b"address"
                | b"article"
                | b"caption"
                | b"details"
                | b"listing"
                | b"section"
                | b"summary"
        ),
        8 => matches!(name, b"fieldset" | b"frameset" | b"optgroup" | b"textarea"),
        9 => name == b"plaintext",
        10 => matches!(name, b"blockquote" | b"figcaption"),
        _ => false,
    }
}

/// Whether a start tag inside foreign content ends it (HTML standard, 13.2.6.5).
pub(crate) fn breaks_out(name: &[u8]) -> bool {
    matches!(
        name,
        b"b" | b"big"
            | b"blockquote"
            | b"body"
            | b"br"
            | b"center"
            | b"code"
            | b"dd"
            | b"div"
            | b"dl"
            | b"dt"
            | b"em"
            | b"embed"
            | b"h1"
            | b"h2"
            | b"h3"
            | b"h4"
            | b"h5"
            | b"h6"
            | b"head"
            | b"hr"
            | b"i"
            | b"img"
            | b"li"
            | b"listing"
            | b"menu"
            | b"meta"
            | b"nobr"
            | b"ol"
            | b"p"
            | b"pre"
            | b"ruby"
            | b"s"
            | b"small"
            | b"span"
            | b"strong"
            | b"strike"
            | b"sub"
            | b"sup"
            | b"table"
            | b"tt"
            | b"u"
            | b"ul"
            | b"var"
    )
}
