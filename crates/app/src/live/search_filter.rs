//! The conditions of a search beside words: sites, languages, dates and the order.
use std::fmt::{self, Display};

use index::Filter;

/// A value that is not understood.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    pub(crate) example: &'static str,
}

impl Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, example } = self;
        match *name {
            "language" => {
                write!(
                    f,
                    "{name}: no pages are recognised as {value:?}; write a code such as {example}"
                )
            }
            _ => write!(f, "{name}: {value:?} is not a value such as {example}"),
        }
    }
}

/// Reads a filter from named values: `site` and `language` (each a list with commas), `after`, `before`,
/// `sort`.
pub(crate) fn search_filter<'v>(
    given: impl Fn(&'static str) -> Option<&'v str>,
) -> Result<Filter, Wrong> {
    let wrong = |name, example| move |value: &str| Wrong { name, value: value.to_owned(), example };
    let sites = each(given("site"), Filter::site, wrong("site", "docs.example.org"))?;
    let languages = each(given("language"), Filter::language, wrong("language", "en"))?;
    let date = |name| {
        let parse = |text| Filter::date(text).ok_or_else(|| wrong(name, "2026-11-15")(text));
        given(name).map(parse).transpose()
    };
    let by_date = match given("sort") {
        None | Some("relevance") => false,
        Some("date") => true,
        Some(other) => return Err(wrong("sort", "date or relevance")(other)),
    };
    Ok(Filter { sites, languages, from: date("after")?, until: date("before")?, by_date })
}

fn each<T>(
    list: Option<&str>,
    parse: impl Fn(&str) -> Option<T>,
    wrong: impl Fn(&str) -> Wrong,
) -> Result<Vec<T>, Wrong> {
    let words = list.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| parse(word).ok_or_else(|| wrong(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(name: &'static str, value: &'static str) -> Result<Filter, Wrong> {
        search_filter(|asked| (asked == name).then_some(value))
    }

    #[test]
    fn each_condition_is_read_and_what_is_wrong_is_named() {
        assert_eq!(filter("site", "A.org, https://b.org/x").unwrap().sites, ["a.org", "b.org"]);
        assert_eq!(filter("language", "de,EN").unwrap().languages.len(), 2);
        assert!(filter("sort", "date").unwrap().by_date);
        assert_eq!(filter("before", "2026").unwrap().until, Filter::date("2026-01-01"));
        for (name, value) in
            [("language", "xx"), ("after", "today"), ("sort", "size"), ("site", "a b")]
        {
            assert_eq!(filter(name, value).unwrap_err().name, name);
        }
    }
}
