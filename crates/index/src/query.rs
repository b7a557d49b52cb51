//! Reading a query as it was typed. Nothing in it is an error.
use extract::read::address::canonical;

use crate::document::{cut, host_of};

/// A query is read up to here; nobody types more.
const MOST_BYTES: usize = 1_000;

/// A query as it was typed, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// What must be there.
    pub(crate) wanted: Vec<Part>,
    /// What must not.
    pub(crate) unwanted: Vec<Part>,
    /// The hosts, with all their subdomains, one of which a page must be on, where there are any.
    pub(crate) sites: Vec<String>,
    /// The hosts that it must not be on.
    pub(crate) other_sites: Vec<String>,
}

/// Some words of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// As they were typed.
    pub(crate) text: String,
    /// Whether they must follow each other.
    pub(crate) is_phrase: bool,
    /// Whether they are looked for in titles only.
    pub(crate) in_title: bool,
}

impl Query {
    /// Reads a query: words, `"a phrase"`, `-without`, `site:host`, `title:word`, and each with a minus
    /// in front. A quote that is not closed reaches to the end; what cannot be meant is words.
    pub(crate) fn read(typed: &str) -> Self {
        let mut query = Self::default();
        let mut rest = cut(typed, MOST_BYTES);
        loop {
            rest = rest.trim_start_matches(is_gap);
            if rest.is_empty() {
                return query;
            }
            // A minus alone, or before another, is none that is meant.
            let after = rest.strip_prefix('-').filter(|after| !after.starts_with(is_gap_or_minus));
            let is_unwanted = after.is_some_and(|after| !after.is_empty());
            let body = if is_unwanted { &rest[1..] } else { rest };
            rest = query.read_one(body, is_unwanted);
        }
    }

    /// Whether nothing is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.sites.is_empty()
    }

    /// Reads one part at the start of `body`, and returns what follows it.
    fn read_one<'q>(&mut self, body: &'q str, is_unwanted: bool) -> &'q str {
        if let Some(after) = strip_name(body, "site:") {
            let (value, rest) = word(after);
            if let Some(host) = host(value) {
                let sites = if is_unwanted { &mut self.other_sites } else { &mut self.sites };
                sites.push(host);
                return rest;
            }
        }
        let in_title = strip_name(body, "title:");
        let body = in_title.unwrap_or(body);
        let quoted = body.strip_prefix(is_quote);
        let (text, rest) = match quoted {
            Some(quoted) => quoted.split_once(is_quote).unwrap_or((quoted, "")),
            None => word(body),
        };
        let part = Part {
            text: text.to_owned(),
            is_phrase: quoted.is_some(),
            in_title: in_title.is_some(),
        };
        if part.text.contains(char::is_alphanumeric) {
            if is_unwanted { &mut self.unwanted } else { &mut self.wanted }.push(part);
        }
        rest
    }
}

/// The word at the start, and what follows it: up to a space or a quote.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter| is_gap(letter) || is_quote(letter)).unwrap_or(text.len()))
}

fn is_gap(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control()
}

fn is_gap_or_minus(letter: char) -> bool {
    is_gap(letter) || letter == '-'
}

/// Typed quotes, and those that phones and word processors make of them.
fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '“' | '”' | '„' | '«' | '»')
}

/// What follows `name` at the start, in upper or lower case, where anything does.
fn strip_name<'q>(text: &'q str, name: &str) -> Option<&'q str> {
    let (start, rest) = text.split_at_checked(name.len())?;
    let follows = !rest.is_empty() && !rest.starts_with(is_gap);
    (start.eq_ignore_ascii_case(name) && follows).then_some(rest)
}

/// The host that was meant, as addresses have it; also where an address was given.
fn host(typed: &str) -> Option<String> {
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

    fn words(text: &str) -> Part {
        Part { text: text.to_owned(), is_phrase: false, in_title: false }
    }

    #[test]
    fn words_phrases_and_what_they_must_not_have_are_told_apart() {
        let query = Query::read("one \"two three\" -four -\"five six\" title:seven");
        let phrase = |text| Part { is_phrase: true, ..words(text) };
        let title = Part { in_title: true, ..words("seven") };
        assert_eq!(query.wanted, [words("one"), phrase("two three"), title]);
        assert_eq!(query.unwanted, [words("four"), phrase("five six")]);
    }

    #[test]
    fn sites_are_hosts_as_addresses_have_them() {
        let query = Query::read("a site:Example.COM site:https://b.example/x?y -SITE:*.c.example.");
        assert_eq!(query.sites, ["example.com", "b.example"]);
        assert_eq!(query.other_sites, ["c.example"]);
        assert_eq!(Query::read("site:bücher.example").sites, ["xn--bcher-kva.example"]);
    }

    #[test]
    fn what_cannot_be_meant_is_words() {
        assert_eq!(Query::read("a - b -- c -").wanted, ["a", "b", "c"].map(words));
        assert_eq!(Query::read("--a").wanted, [words("--a")]);
        assert_eq!(Query::read("site: title:").wanted, [words("site:"), words("title:")]);
        assert_eq!(Query::read("what:ever x:").wanted, [words("what:ever"), words("x:")]);
        assert_eq!(Query::read("\"no end here").wanted[0].text, "no end here");
        assert_eq!(Query::read("say\"hi\"").wanted[0], words("say"));
    }

    #[test]
    fn nothing_is_asked_for_by_signs_alone() {
        for typed in ["", " ", "\"\"", "-", "!?", "\u{0}\u{1b}[31m"[..2].into(), "-a", "\"", "' '"]
        {
            assert!(Query::read(typed).is_empty(), "{typed:?}");
        }
    }

    #[test]
    fn a_query_without_end_is_cut() {
        let typed = "é ".repeat(1 << 19);
        assert!(Query::read(&typed).wanted.len() <= MOST_BYTES / 3 + 1);
        assert!(Query::read(&"a".repeat(1 << 20)).wanted[0].text.len() <= MOST_BYTES);
    }
}
