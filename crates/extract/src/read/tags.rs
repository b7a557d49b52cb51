//! The HTML tags that matter for text and links.
use html5gum::State;

/// The role of a tag. Unknown names are [`Inline`](Self::Inline).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Part of a line: does not separate words.
    Inline,
    /// Starts a line: separates words.
    Block,
    /// `h1` to `h6`: a block whose text is a heading.
    Heading,
    /// `html`: a block that declares the language.
    Root,
    /// `a`, `area`: a link by `href`.
    Anchor,
    /// `link`: a link by `href` where it names a feed.
    Link,
    /// `frame`: a link by `src`.
    Frame,
    /// `iframe`: a link by `src`; its content is raw and not shown.
    InlineFrame,
    /// `base`.
    Base,
    /// `meta`: robots directives.
    Meta,
    /// `img`.
    Image,
    /// `table`.
    Table,
    /// `title`.
    Title,
    /// `textarea`: its content is text without tags.
    TextArea,
    /// `script`.
    Script,
    /// Elements whose raw text is not shown.
    Hidden,
    /// `xmp`: raw text that is shown.
    Example,
    /// `plaintext`: the rest of the page is raw text that is shown.
    PlainText,
    /// `template`: content that is not shown.
    Template,
    /// `noscript`.
    NoScript,
    /// `svg`: foreign content.
    Svg,
    /// `math`: foreign content.
    Math,
}

impl Tag {
    /// The role of a tag, by its name in lower case.
    pub(crate) fn from_name(name: &[u8]) -> Self {
        match name {
            b"a" | b"area" => Self::Anchor,
            b"link" => Self::Link,
            b"frame" => Self::Frame,
            b"iframe" => Self::InlineFrame,
            b"base" => Self::Base,
            b"meta" => Self::Meta,
            // Parsers treat `image` as `img` (HTML standard, 13.2.6.4.7).
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

    /// Whether it separates the words before and after.
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

    /// The tokeniser state after the start tag (HTML standard, 13.2.6.4).
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

/// Whether an element starts a new line, by the style sheet of the standard; also `br`, and controls
/// that are drawn as boxes.
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

/// The start tags that end foreign content (HTML standard, 13.2.6.5).
const BREAKS_OUT: &str = "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 \
    head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u \
    ul var";

/// Whether a start tag inside foreign content ends it.
pub(crate) fn breaks_out(name: &[u8]) -> bool {
    BREAKS_OUT.split(' ').any(|tag| tag.as_bytes() == name)
}
