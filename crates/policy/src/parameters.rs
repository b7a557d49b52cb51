//! The parameters that policies declare, and values checked against these declarations.
//!
//! A value is parsed once. After that a policy reads it by name and type, which cannot fail.
use std::{
    collections::BTreeSet,
    fmt::{self, Display, Formatter},
};

use crate::{PolicySpec, predict};

/// A parameter of a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, as in `NAME:d=1`.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// The text of its default value.
    pub default: &'static str,
    /// Which values it takes.
    pub kind: Kind,
}

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number from the first to the last, both included.
    Whole(i64, i64),
    /// A number from the first to the last, both included.
    Number(f64, f64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Some of these words, joined by `+`.
    Words(&'static [&'static str]),
    /// Any words of lower-case letters, digits, dots and dashes, joined by `+`.
    FreeWords,
    /// A policy other than `mix`; in parentheses if it has parameters of its own.
    Policy,
    /// Where change probabilities come from: `rates`, or the policy `predicted`, in parentheses if it
    /// has parameters of its own.
    ChangeModel,
}

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Whole(i64),
    Number(f64),
    Word(&'static str),
    Words(Vec<String>),
    Policy(PolicySpec),
    /// `None` means from learned rates.
    ChangeModel(Option<PolicySpec>),
}

/// The text for learned change rates.
const RATES: &str = "rates";

/// Values for all parameters of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    table: &'static [Parameter],
    /// One for each row of the table.
    values: Vec<Value>,
}

impl Kind {
    /// Parses a value; `None` if it is not allowed. A set of words gets the order of its list, or the
    /// alphabetical order.
    fn read(self, text: &str) -> Option<Value> {
        match self {
            Self::Whole(first, last) => {
                let number = text.parse().ok()?;
                (first..=last).contains(&number).then_some(Value::Whole(number))
            }
            Self::Number(first, last) => {
                let number: f64 = text.parse().ok()?;
                // Adding 0 turns -0 into 0.
                (first..=last).contains(&number).then_some(Value::Number(number + 0.0))
            }
            Self::Word(words) => {
                words.iter().find(|&&word| word == text).map(|&word| Value::Word(word))
            }
            Self::Words(list) => {
                let given = set(text)?;
                let known = given.iter().all(|word| list.contains(word));
                let ordered = list.iter().filter(|word| given.contains(*word));
                known.then(|| Value::Words(ordered.map(|&word| word.to_owned()).collect()))
            }
            Self::FreeWords => {
                let given = set(text)?;
                let allowed =
                    |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
                let known = given.iter().all(|word| word.chars().all(allowed));
                known.then(|| Value::Words(given.into_iter().map(str::to_owned).collect()))
            }
            Self::Policy => {
                let spec = chosen(text)?;
                let is_shared = spec.parameters().policies().next().is_some();
                (!is_shared).then_some(Value::Policy(spec))
            }
            Self::ChangeModel if text == RATES => Some(Value::ChangeModel(None)),
            Self::ChangeModel => {
                let spec = chosen(text)?;
                (spec.entry().name == "predicted").then_some(Value::ChangeModel(Some(spec)))
            }
        }
    }
}

/// Parses a policy with or without parentheses.
fn chosen(text: &str) -> Option<PolicySpec> {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    PolicySpec::parse(inner.unwrap_or(text)).ok()
}

/// The words that `+` joins; `None` if one is empty or repeated.
fn set(text: &str) -> Option<BTreeSet<&str>> {
    let mut words = BTreeSet::new();
    text.split('+').all(|word| !word.is_empty() && words.insert(word)).then_some(words)
}

impl Display for Kind {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(first, last) => write!(out, "a whole number from {first} to {last}"),
            Self::Number(first, last) => write!(out, "a number from {first} to {last}"),
            Self::Word(words) => write!(out, "one of {}", words.join(", ")),
            Self::Words(words) => {
                write!(out, "some of {}, each once, joined by +", words.join(", "))
            }
            Self::FreeWords => write!(
                out,
                "words of lower-case letters, digits, dots and dashes, each once, joined by +"
            ),
            Self::Policy => write!(
                out,
                "the name of a policy other than mix, as (NAME:KEY=VALUE) with parameters"
            ),
            Self::ChangeModel => {
                write!(out, "{RATES}, or predicted, as (predicted:KEY=VALUE) with parameters")
            }
        }
    }
}

impl Display for Value {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(out),
            Self::Number(number) => number.fmt(out),
            Self::Word(word) => word.fmt(out),
            Self::Words(words) => words.join("+").fmt(out),
            Self::Policy(spec) | Self::ChangeModel(Some(spec)) if spec.name().contains(':') => {
                write!(out, "({spec})")
            }
            Self::Policy(spec) | Self::ChangeModel(Some(spec)) => spec.fmt(out),
            Self::ChangeModel(None) => RATES.fmt(out),
        }
    }
}

impl Parameters {
    /// The defaults of a table.
    ///
    /// # Panics
    /// If a default is not a value of its own kind; a test of all policies rules that out.
    pub fn defaults(table: &'static [Parameter]) -> Self {
        let read = |parameter: &Parameter| {
            parameter.kind.read(parameter.default).expect("a default is of its parameter's kind")
        };
        Self { table, values: table.iter().map(read).collect() }
    }

    /// Sets a parameter. Returns whether the text is one of its values.
    ///
    /// # Panics
    /// If the table does not have the parameter.
    pub(crate) fn set(&mut self, name: &str, text: &str) -> bool {
        let row = self.row(name);
        match self.table[row].kind.read(text) {
            Some(value) => {
                self.values[row] = value;
                true
            }
            None => false,
        }
    }

    /// The parameters that differ from their defaults, in the table's order.
    pub(crate) fn unusual(&self) -> impl Iterator<Item = (&'static str, String)> {
        let usual = Self::defaults(self.table).values;
        let rows = self.table.iter().zip(&self.values).zip(usual);
        rows.filter(|((_, value), usual)| *value != usual)
            .map(|((parameter, value), _)| (parameter.name, value.to_string()))
    }

    /// The value of a parameter that is a whole number. Like the other getters, it panics if the policy has no
    /// such parameter of that kind.
    pub fn whole(&self, name: &str) -> i64 {
        self.get(name, |value| if let Value::Whole(number) = value { Some(*number) } else { None })
    }

    /// The value of a parameter that is a number.
    pub fn number(&self, name: &str) -> f64 {
        self.get(name, |value| if let Value::Number(number) = value { Some(*number) } else { None })
    }

    /// The value of a parameter that is one of some words.
    pub fn word(&self, name: &str) -> &'static str {
        self.get(name, |value| if let Value::Word(word) = value { Some(*word) } else { None })
    }

    /// The value of a parameter that is a set of words, in the order of its list, or in alphabetical order if
    /// any words are allowed.
    pub fn words(&self, name: &str) -> &[String] {
        self.get(name, |value| if let Value::Words(words) = value { Some(words) } else { None })
    }

    /// The value of a parameter that is a policy.
    pub fn policy(&self, name: &str) -> &PolicySpec {
        self.get(name, |value| if let Value::Policy(spec) = value { Some(spec) } else { None })
    }

    /// Whether a policy among the values is random.
    pub(crate) fn is_random(&self) -> bool {
        self.values.iter().any(|value| match value {
            Value::Policy(spec) => spec.is_random(),
            Value::ChangeModel(Some(spec)) => predict::is_random(spec.parameters()),
            _ => false,
        })
    }

    /// All values that are policies, in the table's order.
    pub fn policies(&self) -> impl Iterator<Item = &PolicySpec> {
        self.values.iter().filter_map(|value| match value {
            Value::Policy(spec) => Some(spec),
            _ => None,
        })
    }

    /// The value of a parameter that names the source of change probabilities: the policy that predicts
    /// them, or `None` for learned rates.
    pub fn change_model(&self, name: &str) -> Option<&PolicySpec> {
        self.get(name, |value| {
            if let Value::ChangeModel(spec) = value { Some(spec.as_ref()) } else { None }
        })
    }

    fn get<'a, T>(&'a self, name: &str, cast: impl Fn(&'a Value) -> Option<T>) -> T {
        let value = &self.values[self.row(name)];
        cast(value).unwrap_or_else(|| panic!("{name} is of another kind: {value}"))
    }

    fn row(&self, name: &str) -> usize {
        self.table
            .iter()
            .position(|parameter| parameter.name == name)
            .unwrap_or_else(|| panic!("there is no parameter {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: &[Parameter] = &[
        Parameter { name: "d", meaning: "how far", default: "1", kind: Kind::Whole(-3, 3) },
        Parameter {
            name: "share",
            meaning: "how many",
            default: "0.5",
            kind: Kind::Number(0.0, 1.0),
        },
        Parameter {
            name: "form",
            meaning: "which",
            default: "plain",
            kind: Kind::Word(&["plain", "fancy"]),
        },
        Parameter {
            name: "groups",
            meaning: "of what",
            default: "links+words",
            kind: Kind::Words(&["words", "links", "images"]),
        },
        Parameter { name: "domains", meaning: "where", default: "com+org", kind: Kind::FreeWords },
    ];

    fn set(name: &str, text: &str) -> Option<Parameters> {
        let mut parameters = Parameters::defaults(TABLE);
        parameters.set(name, text).then_some(parameters)
    }

    #[test]
    fn what_is_not_written_has_its_default() {
        let usual = Parameters::defaults(TABLE);
        assert_eq!(usual.whole("d"), 1);
        assert!((usual.number("share") - 0.5).abs() < f64::EPSILON);
        assert_eq!(usual.word("form"), "plain");
        // In the order of the list, not of the text.
        assert_eq!(usual.words("groups"), ["words", "links"]);
        assert_eq!(usual.words("domains"), ["com", "org"]);
        assert_eq!(usual.unusual().count(), 0);
    }

    #[test]
    fn what_is_written_is_read_by_its_kind() {
        assert_eq!(set("d", "-3").unwrap().whole("d"), -3);
        assert!((set("share", "1e-1").unwrap().number("share") - 0.1).abs() < f64::EPSILON);
        assert_eq!(set("form", "fancy").unwrap().word("form"), "fancy");
        assert_eq!(set("groups", "images+words").unwrap().words("groups"), ["words", "images"]);
        assert_eq!(set("domains", "org+co.uk").unwrap().words("domains"), ["co.uk", "org"]);
    }

    #[test]
    fn what_is_outside_its_kind_is_refused() {
        for (name, text) in [
            ("d", "4"),
            ("d", "-4"),
            ("d", "1.0"),
            ("d", ""),
            ("share", "1.01"),
            ("share", "NaN"),
            ("share", "some"),
            ("form", "Plain"),
            ("form", ""),
            ("groups", "words+words"),
            ("groups", "words+tables"),
            ("groups", "words+"),
            ("groups", ""),
            ("domains", "com+com"),
            ("domains", "Com"),
            ("domains", "c_m"),
        ] {
            assert_eq!(set(name, text), None, "{name}={text}");
        }
    }

    #[test]
    fn only_what_differs_from_its_default_is_told_in_one_form_and_order() {
        let mut parameters = Parameters::defaults(TABLE);
        for (name, text) in [("domains", "edu"), ("groups", "links+words"), ("d", "+2")] {
            assert!(parameters.set(name, text));
        }
        assert!(parameters.set("share", "0.250"));
        let unusual: Vec<_> = parameters.unusual().collect();
        assert_eq!(
            unusual,
            [("d", "2".into()), ("share", "0.25".into()), ("domains", "edu".into())]
        );
        assert_eq!(set("share", "0").unwrap(), set("share", "-0").unwrap());
    }

    #[test]
    fn kinds_say_what_they_allow() {
        let allowed: Vec<String> = TABLE.iter().map(|row| row.kind.to_string()).collect();
        assert_eq!(
            allowed,
            [
                "a whole number from -3 to 3",
                "a number from 0 to 1",
                "one of plain, fancy",
                "some of words, links, images, each once, joined by +",
                "words of lower-case letters, digits, dots and dashes, each once, joined by +",
            ]
        );
    }
}
