//! Which parts of a page's text are headings, and which are the words of links.
//!
//! Both are found without a tree: an element ends at its end tag or where the next of its kind
//! begins. Where the end tag is missing, the text up to there may be half the page; then what stands
//! before the first new line counts. Lines inside an element that is closed are part of it: cards
//! are links around blocks, and headings hold lines.
use crate::Place;

/// The elements of one kind, by their places in the text.
#[derive(Default)]
pub(crate) struct Outline {
    places: Vec<Place>,
    open: Option<Open>,
}

struct Open {
    from: usize,
    /// Where its first line ends, if it has ended.
    line: Option<usize>,
}

impl Outline {
    /// An element begins where the text ends so far. One that is still open has no end tag.
    pub(crate) fn open(&mut self, at: usize) {
        self.abandon(at);
        self.open = Some(Open { from: at, line: None });
    }

    /// A line ends inside an element, or does not matter.
    pub(crate) fn end_line(&mut self, at: usize) {
        if let Some(open) = &mut self.open
            && open.line.is_none()
            && open.from < at
        {
            open.line = Some(at);
        }
    }

    /// The end tag of an element, if one is open.
    pub(crate) fn close(&mut self, at: usize) {
        if let Some(open) = self.open.take() {
            self.push(open.from, at);
        }
    }

    /// The element that is open, if one is, has no end tag.
    pub(crate) fn abandon(&mut self, at: usize) {
        if let Some(open) = self.open.take() {
            self.push(open.from, open.line.unwrap_or(at));
        }
    }

    /// The places, at the end of the text.
    pub(crate) fn finish(mut self, at: usize) -> Vec<Place> {
        self.abandon(at);
        self.places
    }

    fn push(&mut self, from: usize, to: usize) {
        if from < to
            && let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to))
        {
            self.places.push(Place { from, to });
        }
    }
}
