//! The text of one block while it grows: words, links, code.

/// The inline Markdown of a block.
#[derive(Debug, Default)]
pub(super) struct Inline {
    text: String,
    /// Whether white space is due before the next word.
    gap: bool,
    /// The open link: its address and where its text begins.
    link: Option<(String, usize)>,
    /// Where the open code begins.
    code: Option<usize>,
    /// Whether a text run of it is main text.
    is_main: bool,
}

impl Inline {
    /// Appends text; its white space is folded.
    pub(super) fn push(&mut self, text: &str, is_main: bool) {
        self.is_main |= is_main;
        self.gap |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            self.space();
            if self.code.is_some() {
                self.text.push_str(word);
            } else {
                escape(word, &mut self.text);
            }
            self.gap = true;
        }
        self.gap = text.ends_with(char::is_whitespace) || (self.gap && text.trim().is_empty());
    }

    /// Writes the white space that is due.
    fn space(&mut self) {
        let is_due = std::mem::take(&mut self.gap) && !self.text.is_empty();
        if is_due && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    pub(super) fn line_break(&mut self) {
        self.close();
        self.gap = false;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Opens a link. One that is open ends here; there are no links in code.
    pub(super) fn open_link(&mut self, address: Option<String>) {
        self.close_link();
        if self.code.is_some() {
            return;
        }
        if let Some(address) = address {
            self.space();
            self.link = Some((address, self.text.len()));
        }
    }

    pub(super) fn close_link(&mut self) {
        if self.link.is_none() {
            return;
        }
        self.close_code();
        let Some((address, start)) = self.link.take() else { return };
        if self.text[start..].trim().is_empty() {
            self.text.truncate(start);
        } else {
            self.text.insert(start, '[');
            // Canonical addresses have no white space; parentheses would end a bare one.
            let is_bare = !address.contains(['(', ')', '<', '>']);
            let [open, close] = if is_bare { ["](", ")"] } else { ["](<", ">)"] };
            self.text.push_str(open);
            self.text.push_str(&address);
            self.text.push_str(close);
        }
        if self.text.ends_with(' ') {
            self.text.pop();
            self.gap = true;
        }
    }

    pub(super) fn open_code(&mut self) {
        if self.code.is_none() {
            self.space();
            self.code = Some(self.text.len());
        }
    }

    pub(super) fn close_code(&mut self) {
        let Some(start) = self.code.take() else { return };
        let code = self.text.split_off(start);
        if !code.is_empty() {
            self.text.push_str(&quoted(&code));
        } else if self.text.ends_with(' ')
            // The text of a link that begins here begins after the white space.
            && self.link.as_ref().is_none_or(|(_, start)| *start < self.text.len())
        {
            self.text.pop();
            self.gap = true;
        }
    }

    fn close(&mut self) {
        self.close_code();
        self.close_link();
    }

    /// Appends a finished code span.
    pub(super) fn push_code(&mut self, code: &str, is_main: bool) {
        self.is_main |= is_main;
        self.space();
        self.text.push_str(&quoted(code));
        self.gap = true;
    }

    /// Begins the text anew, where nothing was written. An open link or code goes on: it may stand around
    /// blocks.
    pub(super) fn restart(&mut self) {
        self.text.clear();
        (self.gap, self.is_main) = (false, false);
        if let Some((_, start)) = &mut self.link {
            *start = 0;
        }
        if let Some(start) = &mut self.code {
            *start = 0;
        }
    }

    /// Whether nothing was written.
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The text and whether it is main text. What follows begins anew.
    pub(super) fn take(&mut self) -> (String, bool) {
        self.close();
        let Self { text, is_main, .. } = std::mem::take(self);
        (text.trim().to_owned(), is_main)
    }
}

/// Code between as many backticks as it needs.
fn quoted(code: &str) -> String {
    let fence = "`".repeat(longest_fence(code) + 1);
    let space = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{code}{space}{fence}")
}

/// The longest row of backticks.
pub(super) fn longest_fence(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

/// Appends a word, with a backslash before what Markdown would read as a sign.
fn escape(word: &str, out: &mut String) {
    let mut letters = word.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let after = letters.peek().copied().unwrap_or(' ');
        let is_sign = match letter {
            '\\' | '`' | '*' | '[' | ']' | '<' => true,
            // Emphasis does not begin or end inside a word.
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '&' => after.is_ascii_alphanumeric() || after == '#',
            _ => false,
        };
        if is_sign {
            out.push('\\');
        }
        out.push(letter);
        before = letter;
    }
}

/// A line of text, with a backslash if its start would be read as that of a list, heading or quote.
pub(super) fn escape_start(line: &str) -> String {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - rest.len();
    let is_number = (1..10).contains(&digits)
        && rest.starts_with(['.', ')'])
        && rest[1..].chars().next().is_none_or(|next| next == ' ');
    if is_number {
        return format!("{}\\{rest}", &line[..digits]);
    }
    let mut letters = line.chars();
    let (first, second) = (letters.next(), letters.next());
    let is_sign = match first {
        Some('#' | '>' | '=' | '|') => true,
        Some('-' | '+') => second.is_none_or(|second| matches!(second, ' ' | '-' | '+')),
        Some('~') => second == Some('~'),
        _ => false,
    };
    if is_sign { format!("\\{line}") } else { line.to_owned() }
}
