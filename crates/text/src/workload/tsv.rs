//! Workloads in TSV files: query, tab, count.
use std::fmt::Write;

use super::{Source, Workload};

/// The comment that marks a file of pseudo-queries: after `#`, on a line of its own.
pub const PSEUDO: &str = "pseudo-queries";
/// Higher counts are mistakes, and their sums might not be finite.
const MOST_ASKED: f64 = 1e15;
/// The number of characters of a wrong count that an error shows.
const SHOWN_CHARACTERS: usize = 40;

/// Why a query file is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// A line has no tab, or more than one.
    #[error("{name}, line {line}: expected a query, one tab and a count, found {tabs} tabs")]
    Columns {
        /// The file.
        name: String,
        /// The line, the first being 1.
        line: usize,
        /// The number of tabs.
        tabs: usize,
    },
    /// A line has a count and no query.
    #[error("{name}, line {line}: expected a query before the tab, found nothing")]
    NoQuery {
        /// The file.
        name: String,
        /// The line, the first being 1.
        line: usize,
    },
    /// The count is not a valid number.
    #[error("{name}, line {line}: expected a positive number of at most 1e15, found {found:?}")]
    Count {
        /// The file.
        name: String,
        /// The line, the first being 1.
        line: usize,
        /// The text found instead, shortened.
        found: String,
    },
}

impl Workload {
    /// Parses `text`, the content of a file called `name`: lines of `query<TAB>count`. A byte order mark,
    /// CRLF and blank lines are allowed. A line that begins with `#` and has no tab is a comment; the
    /// comment [`PSEUDO`] marks pseudo-queries.
    ///
    /// # Errors
    /// The first invalid line.
    pub fn from_tsv(name: &str, text: &str) -> Result<Self, WorkloadError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (mut queries, mut source) = (vec![], Source::File(name.to_owned()));
        for (row, line) in text.lines().enumerate() {
            match line.strip_prefix('#').filter(|about| !about.contains('\t')) {
                Some(about) if about.trim().starts_with(PSEUDO) => source = Source::Pseudo,
                Some(_) => {}
                None if line.trim().is_empty() => {}
                None => queries.push(query(name, row + 1, line)?),
            }
        }
        Ok(Self::new(source, queries))
    }

    /// Writes queries in the format that [`from_tsv`](Self::from_tsv) parses.
    pub fn to_tsv<'q>(source: &Source, queries: impl Iterator<Item = (&'q str, f64)>) -> String {
        let mut text = if source.is_pseudo() { format!("# {source}\n") } else { String::new() };
        for (query, frequency) in queries {
            let _ = writeln!(text, "{query}\t{frequency}");
        }
        text
    }
}

fn query(name: &str, line: usize, text: &str) -> Result<(String, f64), WorkloadError> {
    let name = || name.to_owned();
    let tabs = text.matches('\t').count();
    let (query, count) = match text.split_once('\t') {
        Some(columns) if tabs == 1 => columns,
        _ => return Err(WorkloadError::Columns { name: name(), line, tabs }),
    };
    if query.trim().is_empty() {
        return Err(WorkloadError::NoQuery { name: name(), line });
    }
    match count.trim().parse() {
        Ok(count) if count > 0.0 && count <= MOST_ASKED => Ok((query.to_owned(), count)),
        _ => {
            let found = count.trim().chars().take(SHOWN_CHARACTERS).collect();
            Err(WorkloadError::Count { name: name(), line, found })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::workload::Query;

    fn read(text: &str) -> Result<Vec<(String, f64)>, String> {
        let workload = Workload::from_tsv("q.tsv", text).map_err(|error| error.to_string())?;
        assert_eq!(workload.source, Source::File("q.tsv".into()));
        Ok(workload.queries.into_iter().map(|query| (query.text, query.frequency)).collect())
    }

    fn asked<const N: usize>(queries: [(&str, f64); N]) -> Vec<(String, f64)> {
        queries.map(|(text, frequency)| (text.to_owned(), frequency)).into()
    }

    #[test]
    fn a_line_is_a_query_and_a_count() {
        assert_eq!(
            read("map quest\t62\ngoogle\t401\n").unwrap(),
            asked([("google", 401.0), ("map quest", 62.0)])
        );
    }

    #[test]
    fn byte_order_marks_crlf_and_blank_lines_are_allowed() {
        assert_eq!(
            read("\u{feff}google\t401\r\n\r\n  \r\nGoogle \t 2.5").unwrap(),
            asked([("google", 403.5)])
        );
        assert_eq!(read("").unwrap(), []);
        assert_eq!(read("\u{feff}").unwrap(), []);
    }

    #[test]
    fn pseudo_queries_stay_marked_in_a_file() {
        let queries = [("tide table", 1.0), ("gull", 0.25)];
        let text = Workload::to_tsv(&Source::Pseudo, queries.into_iter());
        let workload = Workload::from_tsv("q.tsv", &text).unwrap();
        assert_eq!(workload.source, Source::Pseudo);
        assert_eq!(workload.queries[1], Query { text: "gull".into(), frequency: 0.25 });
        let text = Workload::to_tsv(&Source::Log, queries.into_iter());
        assert_eq!(read(&format!("# from the log\n{text}")).unwrap(), asked(queries));
        assert_eq!(read("#pseudo-queries\t3").unwrap(), asked([("#pseudo-queries", 3.0)]));
    }

    #[test]
    fn errors_name_the_line_and_what_was_expected() {
        let wrong = |text: &str| read(text).unwrap_err();
        assert_eq!(
            wrong("a\t1\n\nb 2\n"),
            "q.tsv, line 3: expected a query, one tab and a count, found 0 tabs"
        );
        assert_eq!(
            wrong("a\t1\t2\n"),
            "q.tsv, line 1: expected a query, one tab and a count, found 2 tabs"
        );
        assert_eq!(
            wrong(" \t1\n"),
            "q.tsv, line 1: expected a query before the tab, found nothing"
        );
        assert_eq!(
            wrong("query\tcount\n"),
            "q.tsv, line 1: expected a positive number of at most 1e15, found \"count\""
        );
    }

    #[test]
    fn counts_are_positive_and_finite() {
        for count in ["0", "-1", "nan", "inf", "1e16", "", "1,000", "0x10"] {
            assert!(read(&format!("a\t{count}")).is_err(), "{count:?}");
        }
        for count in ["1", "0.5", "1e3", "+2"] {
            assert!(read(&format!("a\t{count}")).is_ok(), "{count:?}");
        }
    }

    #[test]
    fn an_error_shows_only_the_beginning_of_a_long_count() {
        let error = read(&format!("a\t{}", "\u{1b}x".repeat(1_000_000))).unwrap_err();
        assert!(error.len() < 400 && !error.contains('\u{1b}'), "{error}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-zA-Z \t\r\n0-9.\u{feff}é-]{0,60}") {
            if let Ok(queries) = read(&text) {
                let finite = queries.iter().all(|(_, count)| *count > 0.0 && count.is_finite());
                prop_assert!(finite);
                prop_assert!(queries.windows(2).all(|pair| pair[0].1 >= pair[1].1));
            }
        }
    }
}
