//! The main text of a page, and its boilerplate.
use std::{borrow::Cow, ops::Range};

use super::Boilerplate;
use crawl::Snapshot;

impl Boilerplate {
    /// The main text of a snapshot; empty where it has no content.
    pub fn main_text(&self, snapshot: &Snapshot) -> String {
        let Some(content) = snapshot.content.as_deref() else { return String::new() };
        let parts = self.parts(snapshot.text_runs());
        split(&content.text, &parts).0.trim().to_owned()
    }
}

/// A text without some parts, and these parts. The text may be cut within a part, or before it.
pub fn split<'t>(text: &'t str, parts: &[Range<usize>]) -> (Cow<'t, str>, String) {
    if parts.is_empty() {
        return (Cow::Borrowed(text), String::new());
    }
    let (mut main, mut rest) = (String::with_capacity(text.len()), String::new());
    let mut at = 0;
    for part in parts {
        let [start, end] = [part.start, part.end].map(|place| place.min(text.len()));
        push(&mut main, text.get(at..start));
        push(&mut rest, text.get(start..end));
        at = end;
    }
    push(&mut main, text.get(at..));
    (Cow::Owned(main), rest)
}

/// Appends a part of a text, apart from what is there.
fn push(text: &mut String, part: Option<&str>) {
    let part = part.unwrap_or_default();
    if !text.is_empty() && !part.starts_with(' ') {
        text.push(' ');
    }
    text.push_str(part);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_main_text_and_boilerplate() {
        let (main, rest) = split("Home Text here Imprint", &[0..4, 14..22]);
        assert_eq!((main.trim(), rest.as_str()), ("Text here", "Home Imprint"));
        let (main, rest) = split("Home Te", &[0..4, 14..22]);
        assert_eq!((main.trim(), rest.trim()), ("Te", "Home"));
        assert_eq!(split("Text", &[]).0, "Text");
    }
}
