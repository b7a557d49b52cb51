//! White space folded: words apart by one space, none at the ends.
//!
//! Texts arrive in pieces and are most of a page's bytes, so [`Folded`] works on bytes and copies
//! whole lines where they are folded already.
use crate::Place;

/// Text that is folded while it grows.
#[derive(Default)]
pub(crate) struct Folded {
    bytes: Vec<u8>,
    /// Whether white space has come since the last word.
    gap: bool,
}

impl Folded {
    /// No text yet, and room for so many bytes of it.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), gap: false }
    }

    /// Adds a piece. Pieces need not end where characters do, but all together must be UTF-8.
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

    /// Keeps the word before and the word after apart.
    pub(crate) fn separate(&mut self) {
        self.gap = true;
    }

    /// How many bytes there are so far. What comes next begins here or, after a gap, one byte later.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The text so far.
    pub(crate) fn finish(self) -> String {
        self.finish_with(&mut [])
    }

    /// The text so far, and where each part of it that was marked by its ends is now. The parts of one
    /// list must be in order and must not overlap; those that are empty are left out.
    pub(crate) fn finish_with(self, lists: &mut [&mut Vec<Place>]) -> String {
        let text = String::from_utf8(self.bytes).unwrap_or_else(|fault| {
            // Places would be off. It cannot be: what is pushed is UTF-8 taken apart.
            for places in lists.iter_mut() {
                places.clear();
            }
            String::from_utf8_lossy(fault.as_bytes()).into_owned()
        });
        for places in lists.iter_mut() {
            places.retain_mut(|place| {
                let begins_with_gap = text.as_bytes().get(place.from as usize) == Some(&b' ');
                place.from += u32::from(begins_with_gap);
                place.from < place.to
            });
        }
        // White space outside ASCII is rare; where there is any, all is folded once more.
        if text.is_ascii() || !text.contains(|letter: char| letter != ' ' && letter.is_whitespace())
        {
            return text;
        }
        let folded = fold(&text);
        for places in lists.iter_mut() {
            follow(&text, places);
        }
        folded
    }
}

/// Moves `places` in `text` to where the same words are when it is folded.
fn follow(text: &str, places: &mut Vec<Place>) {
    let mut words = Moves::new(text);
    for place in places.iter_mut() {
        let from = words.begin(place.from as usize);
        let to = words.end(place.to as usize);
        (place.from, place.to) = (from as u32, to as u32);
    }
    places.retain(|place| place.from < place.to);
}

/// Where the words of a text go when it is folded. To be asked for places in order.
struct Moves<'t> {
    text: &'t str,
    /// Where the current word begins and ends.
    word: (usize, usize),
    /// Where it begins and ends in the folded text.
    folded: (usize, usize),
}

impl<'t> Moves<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, word: (0, 0), folded: (0, 0) }
    }

    /// Where what begins at `place` begins.
    fn begin(&mut self, place: usize) -> usize {
        while place >= self.word.1 && self.next() {}
        if place < self.word.1 {
            self.folded.0 + place.saturating_sub(self.word.0)
        } else {
            self.folded.1
        }
    }

    /// Where what ends at `place` ends.
    fn end(&mut self, place: usize) -> usize {
        while place > self.word.1 && self.next_begins_before(place) {
            self.next();
        }
        self.folded.0 + place.min(self.word.1).saturating_sub(self.word.0)
    }

    /// Where the next word begins, if there is one.
    fn next_begin(&self) -> Option<usize> {
        let rest = &self.text[self.word.1..];
        rest.find(|letter: char| !letter.is_whitespace()).map(|at| self.word.1 + at)
    }

    fn next_begins_before(&self, place: usize) -> bool {
        self.next_begin().is_some_and(|begin| begin < place)
    }

    /// Goes on to the next word, if there is one.
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

/// All of `text`, folded.
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

/// White space of ASCII, as `char::is_whitespace` has it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// How many bytes from the start, which is no white space, are folded already.
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
    fn white_space_of_other_scripts_is_folded_too() {
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
    fn places_move_with_their_words() {
        let mut folded = Folded::default();
        folded.push("\u{a0}é \u{3000} b\u{a0}cd\u{a0}".as_bytes());
        let place = |from, to| Place { from, to };
        // Bytes: é from 2, b from 9, cd from 12 to 14, the end at 16.
        let mut wide = vec![place(0, 5), place(5, 9), place(9, 16)];
        let mut narrow = vec![place(2, 4), place(10, 12), place(13, 14)];
        let text = folded.finish_with(&mut [&mut wide, &mut narrow]);
        assert_eq!(text, "é b cd");
        assert_eq!(wide, [place(0, 2), place(3, 7)]);
        assert_eq!(narrow, [place(0, 2), place(6, 7)]);
    }

    #[test]
    fn pieces_may_break_characters() {
        let mut folded = Folded::default();
        folded.push(b"\xc3");
        folded.push(b"\xa9");
        assert_eq!(folded.finish(), "é");
    }
}
