//! A table while it grows. Tables that only lay out a page come apart into blocks.

/// The cells of a table.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    /// Whether a cell is open.
    pub(super) in_cell: bool,
    /// Whether its cells are blocks of the page: it has a table or a heading in it.
    pub(super) is_layout: bool,
    /// The number of open tables, itself included.
    pub(super) depth: u32,
    /// Whether a text run of it is main text.
    pub(super) is_main: bool,
    /// How many containers were open when it began.
    pub(super) containers: usize,
}

impl Table {
    /// A table that begins where so many containers are open.
    pub(super) fn new(containers: usize) -> Self {
        Self { depth: 1, containers, ..Self::default() }
    }

    pub(super) fn open_row(&mut self) {
        self.rows.push(vec![]);
        self.in_cell = false;
    }

    pub(super) fn open_cell(&mut self) {
        if self.rows.is_empty() {
            self.rows.push(vec![]);
        }
        if let Some(row) = self.rows.last_mut() {
            row.push(String::new());
        }
        self.in_cell = true;
    }

    /// Adds a block to the open cell.
    pub(super) fn push(&mut self, text: &str, is_main: bool) {
        let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) else { return };
        self.is_main |= is_main;
        if !cell.is_empty() {
            cell.push_str("<br>");
        }
        cell.push_str(&text.replace('|', "\\|").replace('\n', "<br>"));
    }

    /// The cells so far, each a block.
    pub(super) fn take_cells(&mut self) -> Vec<String> {
        let cells = std::mem::take(&mut self.rows).into_iter().flatten();
        cells.filter(|cell| !cell.is_empty()).map(|cell| cell.replace("<br>", "\n")).collect()
    }

    /// The lines of the table; `None` if it has one column or none.
    pub(super) fn lines(&self) -> Option<Vec<String>> {
        let rows: Vec<&Vec<String>> =
            self.rows.iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).collect();
        let columns = rows.iter().map(|row| row.len()).max().filter(|columns| *columns > 1)?;
        let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
        let mut first = rows[0].clone();
        first.resize(columns, String::new());
        let mut lines = vec![line(&first), format!("|{}", " --- |".repeat(columns))];
        lines.extend(rows[1..].iter().map(|row| line(row)));
        Some(lines)
    }
}
