//! Folds white space: one space between words, none at the ends.
//!
//! Texts arrive in pieces and are most of a page's bytes. So [`Folded`] works on bytes and copies
//! whole lines where they need no folding.
use crawl::TextRange;

/// Text that is folded while it grows.
#[derive(Default)]
pub(crate) struct Folded {
    bytes: Vec<u8>,
    /// Whether there was white space since the last word.
    gap: bool,
}

impl Folded {
    /// An empty text with room for this many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), gap: false }
    }

    /// Appends a piece. Pieces may end inside characters, but all together must be UTF-8.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(start) = rest.iter().position(|&byte| !is_space(byte)) {
            self.gap |= start > 0;
            let line = folded_run(&rest[start..]);
            if self.gap && !self.bytes.is_empty() {
                self.bytes.push(b' ');
            }
            self.gap = false;
            self.bytes.extend_from_slice(&rest[start..start + line]);
            rest = &rest[start + line..];
        }
        self.gap |= !rest.is_empty();
    }

    /// Separates the word before from the word after.
    pub(crate) fn separate(&mut self) {
        self.gap = true;
    }

    /// The number of bytes so far. The next word begins here or, after a gap, one byte later.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The text so far, folded except for white space outside ASCII.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The folded text.
    pub(crate) fn finish(self) -> String {
        self.finish_with(&mut [], &mut vec![])
    }

    /// The folded text. Adjusts the ranges of `lists`, which were noted by [`len`](Self::len) while
    /// the text grew. The ranges of one list must be in order and must not overlap; empty ones are
    /// removed. Adjusts `ends` in the same way; they must ascend.
    pub(crate) fn finish_with(
        self,
        lists: &mut [&mut Vec<TextRange>],
        ends: &mut Vec<u32>,
    ) -> String {
        let text = String::from_utf8(self.bytes).unwrap_or_else(|fault| {
            // Cannot happen, because the pieces are parts of a UTF-8 text. Ranges would be wrong.
            for ranges in lists.iter_mut() {
                ranges.clear();
            }
            ends.clear();
            String::from_utf8_lossy(fault.as_bytes()).into_owned()
        });
        for ranges in lists.iter_mut() {
            ranges.retain_mut(|range| {
                let begins_with_gap = text.as_bytes().get(range.from as usize) == Some(&b' ');
                range.from += u32::from(begins_with_gap);
                range.from < range.to
            });
        }
        // White space outside ASCII is rare. Where there is any, the text is folded once more.
        if text.is_ascii() || !text.contains(|letter: char| letter != ' ' && letter.is_whitespace())
        {
            return text;
        }
        let folded = fold(&text);
        for ranges in lists.iter_mut() {
            map_ranges(&text, ranges);
        }
        let mut words = OffsetMap::new(&text);
        for end in ends {
            *end = words.end(*end as usize) as u32;
        }
        folded
    }
}

/// Maps `ranges` of `text` to the same words in the folded text.
fn map_ranges(text: &str, ranges: &mut Vec<TextRange>) {
    let mut words = OffsetMap::new(text);
    for range in ranges.iter_mut() {
        let from = words.begin(range.from as usize);
        let to = words.end(range.to as usize);
        (range.from, range.to) = (from as u32, to as u32);
    }
    ranges.retain(|range| range.from < range.to);
}

/// Maps byte offsets of a text to offsets of the folded text. Must be called with ascending offsets.
struct OffsetMap<'t> {
    text: &'t str,
    /// Begin and end of the current word.
    word: (usize, usize),
    /// Begin and end of the current word in the folded text.
    folded: (usize, usize),
}

impl<'t> OffsetMap<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, word: (0, 0), folded: (0, 0) }
    }

    /// Maps the begin of a range.
    fn begin(&mut self, at: usize) -> usize {
        while at >= self.word.1 && self.next() {}
        if at < self.word.1 {
            self.folded.0 + at.saturating_sub(self.word.0)
        } else {
            self.folded.1
        }
    }

    /// Maps the end of a range.
    fn end(&mut self, at: usize) -> usize {
        while at > self.word.1 && self.next_begins_before(at) {
            self.next();
        }
        self.folded.0 + at.min(self.word.1).saturating_sub(self.word.0)
    }

    /// The begin of the next word, if there is one.
    fn next_begin(&self) -> Option<usize> {
        let rest = &self.text[self.word.1..];
        rest.find(|letter: char| !letter.is_whitespace()).map(|at| self.word.1 + at)
    }

    fn next_begins_before(&self, at: usize) -> bool {
        self.next_begin().is_some_and(|begin| begin < at)
    }

    /// Advances to the next word, if there is one.
    fn next(&mut self) -> bool {
        let Some(begin) = self.next_begin() else { return false };
        let rest = &self.text[begin..];
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let folded = self.folded.1 + usize::from(self.folded.1 > 0);
        self.word = (begin, begin + length);
        self.folded = (folded, folded + length);
        true
    }
}

/// The folded `text`.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// ASCII white space, as in `char::is_whitespace`.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// The number of bytes at the start that need no folding. The first is not white space.
fn folded_run(bytes: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match bytes[at..].iter().position(|&byte| is_space(byte)) {
            None => return bytes.len(),
            Some(space) => at += space,
        }
        let single = bytes[at] == b' ' && bytes.get(at + 1).is_some_and(|&byte| !is_space(byte));
        if !single {
            return at;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(pieces: &[&str]) -> String {
        let mut folded = Folded::default();
        for piece in pieces {
            folded.push(piece.as_bytes());
        }
        folded.finish()
    }

    #[test]
    fn white_space_becomes_one_space() {
        assert_eq!(folded(&[" a b  c\n\n", "\td", "e ", " f "]), "a b c de f");
    }

    #[test]
    fn non_ascii_white_space_is_folded() {
        assert_eq!(folded(&["a\u{a0}\u{a0}b\u{3000}", "\u{b}c"]), "a b c");
    }

    #[test]
    fn separated_words_stay_apart() {
        let mut folded = Folded::default();
        folded.separate();
        folded.push(b"a");
        folded.separate();
        folded.separate();
        folded.push(b"b");
        assert_eq!(folded.finish(), "a b");
    }

    #[test]
    fn ranges_move_with_their_words() {
        let mut folded = Folded::default();
        folded.push("\u{a0}é \u{3000} b\u{a0}cd\u{a0}".as_bytes());
        let range = |from, to| TextRange { from, to };
        // Bytes: é from 2, b from 9, cd from 12 to 14, the end at 16.
        let mut wide = vec![range(0, 5), range(5, 9), range(9, 16)];
        let mut narrow = vec![range(2, 4), range(10, 12), range(13, 14)];
        let text = folded.finish_with(&mut [&mut wide, &mut narrow], &mut vec![]);
        assert_eq!(text, "é b cd");
        assert_eq!(wide, [range(0, 2), range(3, 7)]);
        assert_eq!(narrow, [range(0, 2), range(6, 7)]);
    }

    #[test]
    fn pieces_may_break_characters() {
        let mut folded = Folded::default();
        folded.push(b"\xc3");
        folded.push(b"\xa9");
        assert_eq!(folded.finish(), "é");
    }
}
