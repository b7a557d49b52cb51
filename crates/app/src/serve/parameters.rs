//! The query parameters of a request.
use http::Uri;
use index::Filter;
use url::form_urlencoded;

use super::problem::Problem;
use crate::live::search_filter::search_filter;

/// Longer queries are refused.
pub(crate) const LONGEST_QUERY: usize = 1_000;

/// Parameters by name, decoded.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    pub(crate) pairs: Vec<(String, String)>,
    /// Whether the request says what somebody searches for, and counts in the query log.
    pub(crate) counts: bool,
}

impl Parameters {
    pub(crate) fn parse(uri: &Uri) -> Self {
        let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        Self { pairs: pairs.into_owned().collect(), counts: true }
    }

    /// The first value of a parameter.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The search query, trimmed; it may be empty.
    pub(crate) fn query(&self) -> Result<&str, Problem> {
        let query = self.text("q").unwrap_or_default().trim();
        if query.chars().count() > LONGEST_QUERY {
            return Err(Problem::too_long());
        }
        Ok(query)
    }

    /// A whole number within bounds; `None` if missing.
    pub(crate) fn number(&self, name: &str, low: u64, high: u64) -> Result<Option<u64>, Problem> {
        let Some(word) = self.text(name).filter(|word| !word.is_empty()) else { return Ok(None) };
        match word.parse::<u64>() {
            Ok(number) if (low..=high).contains(&number) => Ok(Some(number)),
            _ => Err(Problem::input(
                format!("{name} is not a whole number from {low} to {high}"),
                format!("Leave {name} out, or give such a number."),
            )),
        }
    }

    /// The conditions of a search beside words.
    pub(crate) fn filter(&self) -> Result<Filter, Problem> {
        let given = |name: &str| self.text(name).map(str::trim).filter(|text| !text.is_empty());
        search_filter(given).map_err(|wrong| {
            let hint = format!("Leave {} out, or write it like {}.", wrong.name, wrong.example);
            Problem::input(wrong.to_string(), hint)
        })
    }

    /// `true` or `false`; `false` if missing.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Problem> {
        match self.text(name).unwrap_or("false") {
            "true" | "1" | "" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(Problem::input(
                format!("{name} is neither true nor false"),
                format!("Leave {name} out, or write {name}=true."),
            )),
        }
    }
}

/// Encodes a text for use in a query parameter.
pub(crate) fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(path: &str) -> Parameters {
        Parameters::parse(&path.parse().unwrap())
    }

    #[test]
    fn values_are_decoded_and_the_first_counts() {
        let found = parameters("/search?q=a+b%20%C3%A9&q=other&p=");
        assert_eq!(found.query().unwrap(), "a b é");
        assert_eq!(found.text("p"), Some(""));
        assert_eq!(found.text("none"), None);
        assert_eq!(parameters("/search?q=100%&x=%ff").query().unwrap(), "100%");
        assert_eq!(parameters("/search").query().unwrap(), "");
    }

    #[test]
    fn what_is_encoded_is_decoded_to_the_same() {
        for text in ["a b", "c++ & d=e?", "日本語", "100%", "\"x\" -y", "<script>"] {
            let found = parameters(&format!("/search?q={}", encoded(text)));
            assert_eq!(found.query().unwrap(), text);
        }
    }

    #[test]
    fn numbers_have_bounds_and_queries_an_end() {
        let found = parameters("/x?a=7&b=101&c=-1&d=x&e=");
        assert_eq!(found.number("a", 1, 100).unwrap(), Some(7));
        for name in ["b", "c", "d"] {
            assert!(found.number(name, 1, 100).is_err(), "{name}");
        }
        assert_eq!(found.number("e", 1, 100).unwrap(), None);
        let longest = "ä".repeat(LONGEST_QUERY);
        assert!(parameters(&format!("/x?q={}", encoded(&longest))).query().is_ok());
        assert!(parameters(&format!("/x?q={}x", encoded(&longest))).query().is_err());
    }
}
