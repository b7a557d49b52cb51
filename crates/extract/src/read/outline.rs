//! The ranges of a page's text that are headings or anchor texts.
//!
//! Both are found without a tree: an element ends at its end tag or where the next of its kind begins.
//! Without an end tag the text up to there may be half the page, so only the text before the first
//! line break counts. With an end tag an element may contain line breaks: cards are links around
//! blocks, and headings contain lines.
use crawl::TextRange;

/// The elements of one kind, as ranges of the text.
#[derive(Default)]
pub(crate) struct Outline {
    ranges: Vec<TextRange>,
    open: Option<Open>,
}

struct Open {
    from: usize,
    /// The end of its first line, if it has ended.
    line: Option<usize>,
}

impl Outline {
    /// Opens an element at the present end of the text. One that is still open has no end tag.
    pub(crate) fn open(&mut self, at: usize) {
        self.abandon(at);
        self.open = Some(Open { from: at, line: None });
    }

    /// Notes a line break; relevant only inside an element.
    pub(crate) fn end_line(&mut self, at: usize) {
        if let Some(open) = &mut self.open
            && open.line.is_none()
            && open.from < at
        {
            open.line = Some(at);
        }
    }

    /// Closes the open element, if there is one.
    pub(crate) fn close(&mut self, at: usize) {
        if let Some(open) = self.open.take() {
            self.push(open.from, at);
        }
    }

    /// Ends the open element, if there is one, without an end tag.
    pub(crate) fn abandon(&mut self, at: usize) {
        if let Some(open) = self.open.take() {
            self.push(open.from, open.line.unwrap_or(at));
        }
    }

    /// The ranges, at the end of the text.
    pub(crate) fn finish(mut self, at: usize) -> Vec<TextRange> {
        self.abandon(at);
        self.ranges
    }

    fn push(&mut self, from: usize, to: usize) {
        if from < to
            && let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to))
        {
            self.ranges.push(TextRange { from, to });
        }
    }
}
