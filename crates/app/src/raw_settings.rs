//! Settings as written: in a file, in the environment or as flags. Every value remembers its place.
//!
//! The first of two steps; the second, in `settings`, checks the values. All sources become lists of
//! words here, so a key and its flag cannot differ in meaning.
//!
//! `serde` with `deny_unknown_fields` would need a second list of all keys beside the table that makes
//! flags, help and the settings file. Its messages lack the flag or variable that a value came from.
use std::{collections::BTreeMap, fmt::Display, fs, path::Path};

use crate::failure::Failure;

/// Keys whose values are never lists: a comma is part of the value.
const WHOLE: [&str; 2] = ["webhook", "webhook_secret"];

/// The words written for one key, and where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Words {
    pub(crate) place: String,
    pub(crate) words: Vec<String>,
}

/// Settings as written, by key.
#[derive(Debug, Default)]
pub(crate) struct RawSettings(BTreeMap<&'static str, Words>);

impl RawSettings {
    /// Reads a file, which may use `keys` and no others. `aliases` are pairs of another name and its key.
    pub(crate) fn from_file(
        path: &Path,
        keys: &[&'static str],
        aliases: &[(&str, &str)],
    ) -> Result<Self, Failure> {
        let file = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::Input(format!("{file}: cannot be read: {error}")))?;
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let place = error.span().map_or(String::new(), |span| position(&text, span.start));
            let message = error.message().replace('\n', " ");
            Failure::Input(format!("{file}{place}: {message}"))
        })?;
        let mut raw = Self::default();
        for (name, value) in table {
            let alias = aliases.iter().find(|(alias, _)| *alias == name);
            let meant = alias.map_or(name.as_str(), |&(_, key)| key);
            let Some(key) = keys.iter().find(|&&key| key == meant) else {
                let hint = nearest(&name, keys.iter().copied());
                return Err(Failure::Input(format!("{file}: unknown key {name:?}{hint}")));
            };
            let place = format!("{file}: {name}");
            let words = words(&place, key, value)?;
            if let Some(other) = raw.0.insert(key, Words { place, words }) {
                let other = other.place;
                return Err(Failure::Input(format!(
                    "{other}: set twice, also as {name}; keep one"
                )));
            }
        }
        Ok(raw)
    }

    /// Sets a key by its flag, which overrides the file. Commas separate the values of a list.
    pub(crate) fn set_flag(&mut self, key: &'static str, value: Option<&str>) {
        let Some(value) = value else { return };
        self.set(key, format!("--{}", key.replace('_', "-")), value);
    }

    /// Sets a key to a value with its place, over any value that it had.
    pub(crate) fn set(&mut self, key: &'static str, place: String, value: &str) {
        if WHOLE.contains(&key) {
            let words = vec![value.to_owned()];
            self.0.insert(key, Words { place, words });
            return;
        }
        let mut words: Vec<String> = vec![];
        for word in value.split(',').map(str::trim) {
            match words.last_mut() {
                // kind=poisson,pages=500,seed=1 is one web, like its table in a file.
                Some(web) if key == "synthetic" && is_part(word) => {
                    web.push(':');
                    web.push_str(word);
                }
                _ => words.push(word.to_owned()),
            }
        }
        self.0.insert(key, Words { place, words });
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Words> {
        self.0.get(key)
    }
}

/// Whether a word names a part of a synthetic web other than its kind.
fn is_part(word: &str) -> bool {
    ["pages=", "seed=", "weeks="].iter().any(|part| word.starts_with(part))
}

/// ":line:column" of a byte in a text.
fn position(text: &str, byte: usize) -> String {
    let before = &text[..text.floor_char_boundary(byte)];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    format!(":{line}:{column}")
}

/// The words of a TOML value: one for a scalar, several for a list.
fn words(place: &str, key: &str, value: toml::Value) -> Result<Vec<String>, Failure> {
    match value {
        toml::Value::Array(values) => {
            let each = |value| match value {
                toml::Value::Array(_) => Err(Failure::Input(format!(
                    "{place}: a list inside a list is not allowed here"
                ))),
                value => words(place, key, value),
            };
            Ok(values.into_iter().map(each).collect::<Result<Vec<_>, _>>()?.concat())
        }
        toml::Value::Table(table) if key == "synthetic" => Ok(vec![synthetic(place, table)?]),
        toml::Value::Table(table) if key == "weights" => weights(place, table),
        toml::Value::String(word) => Ok(vec![word]),
        toml::Value::Boolean(is)
            if ["index", "query_log", "archive_headers", "together", "query_halves"]
                .contains(&key) =>
        {
            Ok(vec![if is { "yes" } else { "no" }.to_owned()])
        }
        toml::Value::Integer(number) => Ok(vec![number.to_string()]),
        toml::Value::Float(number) => Ok(vec![number.to_string()]),
        other => {
            Err(Failure::Input(format!("{place}: a {} is not allowed here", other.type_str())))
        }
    }
}

/// A table such as { kind = "poisson", pages = 500, seed = 1 }, written as a word.
fn synthetic(place: &str, table: toml::Table) -> Result<String, Failure> {
    const PARTS: [&str; 4] = ["kind", "pages", "seed", "weeks"];
    let mut parts: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in table {
        let Some(part) = PARTS.iter().find(|&&part| part == name) else {
            let hint = nearest(&name, PARTS.iter().copied());
            return Err(Failure::Input(format!("{place}: unknown key {name:?}{hint}")));
        };
        let [word] = words(place, "", value)?
            .try_into()
            .map_err(|_| Failure::Input(format!("{place}: {part} takes one value")))?;
        parts.insert(part, word);
    }
    if !parts.contains_key("kind") {
        return Err(Failure::Input(format!(
            "{place}: a kind is needed, such as kind = \"poisson\""
        )));
    }
    let given = PARTS.iter().filter_map(|part| Some(format!("{part}={}", parts.get(part)?)));
    Ok(given.collect::<Vec<_>>().join(":"))
}

/// A table of patterns and weights, each as a word PATTERN=WEIGHT.
fn weights(place: &str, table: toml::Table) -> Result<Vec<String>, Failure> {
    let word = |(pattern, weight): (String, toml::Value)| {
        let [weight] = words(place, "", weight)?
            .try_into()
            .map_err(|_| Failure::Input(format!("{place}: {pattern} takes one weight")))?;
        Ok(format!("{pattern}={weight}"))
    };
    table.into_iter().map(word).collect()
}

/// "; did you mean ...?" if a candidate is similar to the name, otherwise a list of all candidates.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> String {
    /// Less similar names are not suggested.
    const ALIKE: f64 = 0.8;
    let likeness = |candidate: &str| strsim::jaro_winkler(name, candidate);
    let best = candidates.clone().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match best {
        Some(best) if likeness(best) >= ALIKE => format!("; did you mean {best:?}?"),
        _ => format!("; there are: {}", candidates.collect::<Vec<_>>().join(", ")),
    }
}

/// An input error at the place of `words`.
pub(crate) fn invalid(words: &Words, why: impl Display) -> Failure {
    Failure::Input(format!("{}: {why}", words.place))
}

/// The one value of a key.
pub(crate) fn one<T>(
    words: &Words,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Failure> {
    match words.words.as_slice() {
        [word] => parse(word).map_err(|why| invalid(words, why)),
        several => Err(invalid(words, format!("takes one value, not {}", several.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_separates_the_values_of_a_list_but_is_part_of_a_secret() {
        let mut raw = RawSettings::default();
        raw.set_flag("listen_names", Some("a.example, b.example"));
        raw.set_flag("webhook_secret", Some("salt, and pepper"));
        assert_eq!(raw.get("listen_names").unwrap().words, ["a.example", "b.example"]);
        assert_eq!(raw.get("webhook_secret").unwrap().words, ["salt, and pepper"]);
    }
}
