//! Parses queries as typed. No input is an error.
use extract::read::address::canonical;

use crate::Filter;
use crate::document::{host_of, truncate};

/// Longer queries are cut.
const MAX_BYTES: usize = 1_000;

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParsedQuery {
    /// Clauses that must match.
    pub(crate) required: Vec<Clause>,
    /// Clauses that must not match.
    pub(crate) excluded: Vec<Clause>,
    /// Conditions beside words.
    pub(crate) filter: Filter,
    /// Pages must not be on these hosts or their subdomains.
    pub(crate) excluded_sites: Vec<String>,
}

/// A word or phrase of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    /// As typed.
    pub(crate) text: String,
    /// Whether it is a quoted phrase.
    pub(crate) is_phrase: bool,
    /// Whether it must be in the title.
    pub(crate) in_title: bool,
}

impl ParsedQuery {
    /// Parses words, `"a phrase"`, `-without`, `site:host`, `title:word`, each with an optional
    /// minus, and `lang:`, `after:`, `before:`, `sort:`. An unclosed quote extends to the end. Anything
    /// else is words.
    pub(crate) fn parse(typed: &str) -> Self {
        let mut query = Self::default();
        let mut rest = truncate(typed, MAX_BYTES);
        loop {
            rest = rest.trim_start_matches(is_gap);
            if rest.is_empty() {
                return query;
            }
            // A minus alone or before another one is ignored.
            let after = rest.strip_prefix('-').filter(|after| !after.starts_with(is_gap_or_minus));
            let is_excluded = after.is_some_and(|after| !after.is_empty());
            let body = if is_excluded { &rest[1..] } else { rest };
            rest = query.parse_clause(body, is_excluded);
        }
    }

    /// Whether nothing is required, so that no page matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.required.is_empty() && self.filter.admits_all()
    }

    /// Parses one clause at the start of `body` and returns the rest.
    fn parse_clause<'q>(&mut self, body: &'q str, is_excluded: bool) -> &'q str {
        if let Some(after) = strip_operator(body, "site:") {
            let (value, rest) = word(after);
            if let Some(host) = host(value) {
                let Self { filter, excluded_sites, .. } = self;
                let sites = if is_excluded { excluded_sites } else { &mut filter.sites };
                sites.push(host);
                return rest;
            }
        }
        if !is_excluded && let Some(rest) = self.parse_filter(body) {
            return rest;
        }
        let in_title = strip_operator(body, "title:");
        let body = in_title.unwrap_or(body);
        let quoted = body.strip_prefix(is_quote);
        let (text, rest) = match quoted {
            Some(quoted) => quoted.split_once(is_quote).unwrap_or((quoted, "")),
            None => word(body),
        };
        let clause = Clause {
            text: text.to_owned(),
            is_phrase: quoted.is_some(),
            in_title: in_title.is_some(),
        };
        if clause.text.contains(char::is_alphanumeric) {
            if is_excluded { &mut self.excluded } else { &mut self.required }.push(clause);
        }
        rest
    }
}

impl ParsedQuery {
    /// Parses a language, a date or the order at the start of `body` and returns the rest.
    fn parse_filter<'q>(&mut self, body: &'q str) -> Option<&'q str> {
        let value = |name: &str| strip_operator(body, name).map(word);
        if let Some((code, rest)) = value("lang:") {
            self.filter.languages.push(Filter::language(code)?);
            return Some(rest);
        }
        if let Some((date, rest)) = value("after:") {
            self.filter.from = self.filter.from.max(Some(Filter::date(date)?));
            return Some(rest);
        }
        if let Some((date, rest)) = value("before:") {
            let date = Filter::date(date)?;
            self.filter.until = Some(self.filter.until.map_or(date, |until| until.min(date)));
            return Some(rest);
        }
        let (order, rest) = value("sort:")?;
        match order.to_ascii_lowercase().as_str() {
            "date" => self.filter.by_date = true,
            "relevance" => self.filter.by_date = false,
            _ => return None,
        }
        Some(rest)
    }
}

/// Splits off the first word, up to a space or quote.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter| is_gap(letter) || is_quote(letter)).unwrap_or(text.len()))
}

fn is_gap(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control()
}

fn is_gap_or_minus(letter: char) -> bool {
    is_gap(letter) || letter == '-'
}

/// Straight quotes, and typographic ones from phones and word processors.
fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '“' | '”' | '„' | '«' | '»')
}

/// The rest after the operator `name`, ignoring case; `None` if nothing follows.
fn strip_operator<'q>(text: &'q str, name: &str) -> Option<&'q str> {
    let (start, rest) = text.split_at_checked(name.len())?;
    let follows = !rest.is_empty() && !rest.starts_with(is_gap);
    (start.eq_ignore_ascii_case(name) && follows).then_some(rest)
}

/// The canonical host of what was typed, which may be a URL.
pub(crate) fn host(typed: &str) -> Option<String> {
    let typed = typed.split_once("://").map_or(typed, |(_, rest)| rest);
    let typed = typed.strip_prefix("*.").unwrap_or(typed);
    let end = typed.find(['/', '?', '#']).unwrap_or(typed.len());
    let typed = typed[..end].trim_matches('.');
    let address = canonical(&format!("http://{typed}/"))?;
    Some(host_of(&address).to_owned()).filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Clause {
        Clause { text: text.to_owned(), is_phrase: false, in_title: false }
    }

    #[test]
    fn words_phrases_and_what_they_must_not_have_are_told_apart() {
        let query = ParsedQuery::parse("one \"two three\" -four -\"five six\" title:seven");
        let phrase = |text| Clause { is_phrase: true, ..words(text) };
        let title = Clause { in_title: true, ..words("seven") };
        assert_eq!(query.required, [words("one"), phrase("two three"), title]);
        assert_eq!(query.excluded, [words("four"), phrase("five six")]);
    }

    #[test]
    fn sites_are_hosts_as_addresses_have_them() {
        let query =
            ParsedQuery::parse("a site:Example.COM site:https://b.example/x?y -SITE:*.c.example.");
        assert_eq!(query.filter.sites, ["example.com", "b.example"]);
        assert_eq!(query.excluded_sites, ["c.example"]);
        assert_eq!(
            ParsedQuery::parse("site:bücher.example").filter.sites,
            ["xn--bcher-kva.example"]
        );
    }

    #[test]
    fn what_cannot_be_meant_is_words() {
        assert_eq!(ParsedQuery::parse("a - b -- c -").required, ["a", "b", "c"].map(words));
        assert_eq!(ParsedQuery::parse("--a").required, [words("--a")]);
        assert_eq!(ParsedQuery::parse("site: title:").required, [words("site:"), words("title:")]);
        assert_eq!(ParsedQuery::parse("what:ever x:").required, [words("what:ever"), words("x:")]);
        assert_eq!(ParsedQuery::parse("\"no end here").required[0].text, "no end here");
        assert_eq!(ParsedQuery::parse("say\"hi\"").required[0], words("say"));
    }

    #[test]
    fn languages_dates_and_the_order_are_filters_and_other_words_are_not() {
        let query = ParsedQuery::parse("a lang:DE after:2026-11 before:2026-11-15 sort:date");
        assert_eq!(query.required, [words("a")]);
        let filter = Filter {
            languages: vec![text::words::Language::German],
            from: Filter::date("2026-11-01"),
            until: Filter::date("2026-11-15"),
            by_date: true,
            ..Filter::default()
        };
        assert_eq!(query.filter, filter);
        let typed = "lang:xx after:lunch before:8 sort:size";
        assert_eq!(ParsedQuery::parse(typed).required.len(), 4);
        assert!(ParsedQuery::parse("sort:date").is_empty());
    }

    #[test]
    fn nothing_is_asked_for_by_signs_alone() {
        for typed in ["", " ", "\"\"", "-", "!?", "\u{0}\u{1b}[31m"[..2].into(), "-a", "\"", "' '"]
        {
            assert!(ParsedQuery::parse(typed).is_empty(), "{typed:?}");
        }
    }

    #[test]
    fn a_query_without_end_is_cut() {
        let typed = "é ".repeat(1 << 19);
        assert!(ParsedQuery::parse(&typed).required.len() <= MAX_BYTES / 3 + 1);
        assert!(ParsedQuery::parse(&"a".repeat(1 << 20)).required[0].text.len() <= MAX_BYTES);
    }
}
