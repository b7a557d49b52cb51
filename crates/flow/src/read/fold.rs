//! White space folded: words apart by one space, none at the ends.
//!
//! Texts arrive in pieces and are most of a page's bytes, so [`Folded`] works on bytes and copies
//! whole lines where they are folded already.

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

    /// The text so far.
    pub(crate) fn finish(self) -> String {
        let text = String::from_utf8(self.bytes)
            .unwrap_or_else(|fault| String::from_utf8_lossy(fault.as_bytes()).into_owned());
        // White space outside ASCII is rare; where there is any, all is folded once more.
        if text.is_ascii() || !text.contains(|letter: char| letter != ' ' && letter.is_whitespace())
        {
            return text;
        }
        fold(&text)
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
    fn pieces_may_break_characters() {
        let mut folded = Folded::default();
        folded.push(b"\xc3");
        folded.push(b"\xa9");
        assert_eq!(folded.finish(), "é");
    }
}
