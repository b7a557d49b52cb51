//! Writes blocks: paragraphs, headings, items, code and tables, inside lists and quotes.
use super::inline::{Inline, escape_start, longest_fence};
use super::table::Table;

/// Deeper lists and quotes are drawn at this depth.
const DEEPEST: usize = 8;
/// Bytes of link addresses that any page may have.
const LINK_BYTES: usize = 64 << 10;

/// A list or a quote.
#[derive(Debug)]
pub(super) enum Container {
    Quote,
    List {
        /// The number of the next item; `None` without numbers.
        number: Option<u64>,
        /// The sign of the open item.
        marker: String,
        /// Whether the sign is still to be written.
        is_due: bool,
    },
}

impl Container {
    pub(super) fn list(number: Option<u64>) -> Self {
        Self::List { number, marker: "- ".to_owned(), is_due: false }
    }
}

/// The Markdown written so far.
#[derive(Debug)]
pub(super) struct Blocks {
    out: String,
    inline: Inline,
    containers: Vec<Container>,
    /// How many of the containers are quotes.
    quotes: usize,
    /// How many containers have been open since the last block.
    common: usize,
    /// The level of the open heading; 0 without one.
    heading: usize,
    /// The open code block with its language, and whether a run of it is main text.
    pre: Option<(String, String, bool)>,
    table: Option<Table>,
    /// Bytes that addresses of links may still take.
    link_bytes: usize,
}

impl Blocks {
    /// For a page of this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            out: String::new(),
            inline: Inline::default(),
            containers: vec![],
            quotes: 0,
            common: 0,
            heading: 0,
            pre: None,
            table: None,
            link_bytes: bytes.saturating_mul(2).saturating_add(LINK_BYTES),
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.close_pre();
        if let Some(table) = &mut self.table {
            table.depth = 1;
        }
        self.close_table();
        self.end_block();
        self.out
    }

    pub(super) fn text(&mut self, text: &str, is_main: bool) {
        match &mut self.pre {
            Some((code, _, main)) => {
                code.push_str(text);
                *main |= is_main;
            }
            None => self.inline.push(text, is_main),
        }
    }

    pub(super) fn line_break(&mut self) {
        match &mut self.pre {
            Some((code, ..)) => code.push('\n'),
            None => self.inline.line_break(),
        }
    }

    pub(super) fn open_link(&mut self, address: Option<String>) {
        if self.pre.is_some() {
            return;
        }
        let address = address.filter(|address| address.len() <= self.link_bytes);
        self.link_bytes -= address.as_ref().map_or(0, String::len);
        self.inline.open_link(address);
    }

    pub(super) fn close_link(&mut self) {
        self.inline.close_link();
    }

    pub(super) fn open_code(&mut self, class: Option<&str>) {
        match &mut self.pre {
            Some((_, name, _)) if name.is_empty() => *name = language(class),
            Some(_) => {}
            None => self.inline.open_code(),
        }
    }

    pub(super) fn close_code(&mut self) {
        self.inline.close_code();
    }

    pub(super) fn open_pre(&mut self, class: Option<&str>) {
        if self.pre.is_none() {
            self.end_block();
            self.pre = Some((String::new(), language(class), false));
        }
    }

    pub(super) fn close_pre(&mut self) {
        let Some((code, name, is_main)) = self.pre.take() else { return };
        // The standard ignores a line end after the tag.
        let code = code.strip_prefix('\n').unwrap_or(&code).trim_end();
        if code.trim().is_empty() || !is_main {
            return;
        }
        if self.in_cell() {
            let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
            self.inline.push_code(&code, true);
            return;
        }
        let fence = "`".repeat(longest_fence(code).max(2) + 1);
        let mut lines = vec![format!("{fence}{name}")];
        lines.extend(code.lines().map(|line| line.trim_end().to_owned()));
        lines.push(fence);
        self.write(&lines);
    }

    pub(super) fn open_heading(&mut self, level: usize) {
        if self.pre.is_some() {
            return;
        }
        self.end_block();
        self.dissolve();
        self.heading = level;
    }

    pub(super) fn close_heading(&mut self) {
        self.end_block();
        self.heading = 0;
    }

    pub(super) fn rule(&mut self) {
        self.end_block();
        if self.pre.is_none() && !self.in_cell() && !self.out.is_empty() {
            self.write(&["---".to_owned()]);
        }
    }

    pub(super) fn open(&mut self, container: Container) {
        self.end_block();
        self.quotes += usize::from(matches!(container, Container::Quote));
        self.containers.push(container);
    }

    pub(super) fn open_item(&mut self) {
        self.end_block();
        if !matches!(self.containers.last(), Some(Container::List { .. })) {
            self.containers.push(Container::list(None));
        }
        if let Some(Container::List { number, marker, is_due }) = self.containers.last_mut() {
            *is_due = true;
            if let Some(number) = number {
                *marker = format!("{number}. ");
                *number = number.saturating_add(1);
            }
        }
    }

    pub(super) fn close_list(&mut self) {
        self.end_block();
        if self.containers.len() > self.quotes {
            self.close(|container| matches!(container, Container::List { .. }));
        }
    }

    pub(super) fn close_quote(&mut self) {
        self.end_block();
        if self.quotes > 0 {
            self.close(|container| matches!(container, Container::Quote));
        }
    }

    /// Closes the last container of a kind, and those inside it.
    fn close(&mut self, is_kind: impl Fn(&Container) -> bool) {
        let Some(place) = self.containers.iter().rposition(is_kind) else { return };
        self.truncate(place);
    }

    fn truncate(&mut self, length: usize) {
        let is_quote = |container: &&Container| matches!(container, Container::Quote);
        let ended = self.containers.get(length..).unwrap_or_default();
        self.quotes -= ended.iter().filter(is_quote).count();
        self.containers.truncate(length);
        self.common = self.common.min(length);
    }

    fn in_cell(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.in_cell && !table.is_layout)
    }

    pub(super) fn open_table(&mut self) {
        self.end_block();
        self.dissolve();
        if let Some(table) = &mut self.table {
            table.depth += 1;
        } else {
            let containers = self.containers.len();
            self.table = Some(Table::new(containers));
        }
    }

    pub(super) fn open_row(&mut self) {
        self.end_block();
        if let Some(table) = self.table.as_mut().filter(|table| !table.is_layout) {
            table.open_row();
        }
    }

    pub(super) fn open_cell(&mut self) {
        self.end_block();
        if let Some(table) = self.table.as_mut().filter(|table| !table.is_layout) {
            table.open_cell();
        }
    }

    pub(super) fn close_cell(&mut self) {
        self.end_block();
        if let Some(table) = &mut self.table {
            table.in_cell = false;
        }
    }

    pub(super) fn close_table(&mut self) {
        self.end_block();
        let Some(table) = &mut self.table else { return };
        table.depth -= 1;
        if table.depth > 0 {
            return;
        }
        let Some(mut table) = self.table.take() else { return };
        self.truncate(table.containers.min(self.containers.len()));
        if !table.is_main {
            return;
        }
        match table.lines() {
            Some(lines) => self.write(&lines),
            None => self.write_cells(table.take_cells()),
        }
    }

    /// Turns the open table into blocks: what is inside its cells has blocks of its own.
    fn dissolve(&mut self) {
        let Some(table) = self.table.as_mut().filter(|table| table.in_cell) else { return };
        table.is_layout = true;
        let is_main = table.is_main;
        let cells = table.take_cells();
        if is_main {
            self.write_cells(cells);
        }
    }

    fn write_cells(&mut self, cells: Vec<String>) {
        for cell in cells {
            self.write(&cell.lines().map(escape_start).collect::<Vec<_>>());
        }
    }

    /// Ends the block of text: what follows is another.
    pub(super) fn end_block(&mut self) {
        if self.pre.is_some() {
            return;
        }
        if self.inline.is_empty() {
            self.inline.restart();
            return;
        }
        let (text, is_main) = self.inline.take();
        if self.in_cell() {
            if let Some(table) = &mut self.table {
                table.push(&text, is_main);
            }
            return;
        }
        if !is_main {
            return;
        }
        if self.heading > 0 {
            let line = format!("{} {}", "#".repeat(self.heading), text.replace('\n', " "));
            self.write(&[line]);
            return;
        }
        let lines: Vec<String> = text.lines().map(|line| escape_start(line.trim())).collect();
        self.write(&lines);
    }

    /// Writes the lines of a block inside the open containers.
    fn write(&mut self, lines: &[String]) {
        let depth = self.containers.len().min(DEEPEST);
        let is_item =
            |container: &Container| matches!(container, Container::List { is_due, .. } if *is_due);
        let begins_item = self.containers[..depth].iter().any(is_item);
        if !self.out.is_empty() {
            self.out.push('\n');
            let common = self.common.min(depth);
            // Items follow each other without an empty line.
            let was_in_list =
                self.containers[..common].iter().any(|it| matches!(it, Container::List { .. }));
            if !(begins_item && was_in_list) {
                let prefix = prefix(&mut self.containers[..common], false);
                self.out.push_str(prefix.trim_end());
                self.out.push('\n');
            }
        }
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                self.out.push('\n');
            }
            let prefix = prefix(&mut self.containers[..depth], number == 0);
            self.out.push_str(if line.is_empty() { prefix.trim_end() } else { &prefix });
            self.out.push_str(line);
        }
        self.common = self.containers.len();
    }
}

/// What stands before a line in these containers; with the signs of items that are due, if it is the first
/// line of a block.
fn prefix(containers: &mut [Container], is_first: bool) -> String {
    let mut prefix = String::new();
    for container in containers {
        match container {
            Container::Quote => prefix.push_str("> "),
            Container::List { marker, is_due, .. } if *is_due && is_first => {
                prefix.push_str(marker);
                *is_due = false;
            }
            Container::List { marker, .. } => prefix.extend(marker.chars().map(|_| ' ')),
        }
    }
    prefix
}

/// The language of a program, as classes such as `language-rust` name it.
fn language(class: Option<&str>) -> String {
    let names = class.unwrap_or_default().split_ascii_whitespace();
    let mut found = names.filter_map(|name| {
        ["language-", "lang-", "highlight-source-"]
            .iter()
            .find_map(|start| name.strip_prefix(start))
    });
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '_');
    let name = found.next().unwrap_or_default();
    if name.len() <= 32 && name.chars().all(is_plain) { name.to_owned() } else { String::new() }
}
