//! What can be set about a policy: the parameters it declares, and values that were checked against
//! them.
//!
//! A value is written as text and read once; after that a policy asks for it by name and type, and
//! cannot be refused.
use std::{
    collections::BTreeSet,
    fmt::{self, Display, Formatter},
};

use crate::{Choice, predict};

/// Something that can be set about a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, as in `NAME:d=1`.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// What holds where nothing is written, as it would be written.
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
    /// A policy that shares nothing itself; in parentheses where it has parameters of its own.
    Policy,
    /// Where chances of change come from: `rates`, or the policy `predicted`, in parentheses where it has
    /// parameters of its own.
    Chances,
}

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Whole(i64),
    Number(f64),
    Word(&'static str),
    Words(Vec<String>),
    Policy(Choice),
    /// `None` where chances come from rates.
    Chances(Option<Choice>),
}

/// What stands for chances by change rates.
const RATES: &str = "rates";

/// Values for all parameters of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    table: &'static [Parameter],
    /// One for each of the table.
    values: Vec<Value>,
}

impl Kind {
    /// The value that a text means; `None` where it is not allowed. A set of words is put into the
    /// order of its list, or of the alphabet.
    fn read(self, text: &str) -> Option<Value> {
        match self {
            Self::Whole(first, last) => {
                let number = text.parse().ok()?;
                (first..=last).contains(&number).then_some(Value::Whole(number))
            }
            Self::Number(first, last) => {
                let number: f64 = text.parse().ok()?;
                // Adding nothing makes -0 the same as 0.
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
                let choice = chosen(text)?;
                let is_shared = choice.parameters().policies().next().is_some();
                (!is_shared).then_some(Value::Policy(choice))
            }
            Self::Chances if text == RATES => Some(Value::Chances(None)),
            Self::Chances => {
                let choice = chosen(text)?;
                (choice.entry().name == "predicted").then_some(Value::Chances(Some(choice)))
            }
        }
    }
}

/// The policy that is written so, with or without parentheses.
fn chosen(text: &str) -> Option<Choice> {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    Choice::parse(inner.unwrap_or(text)).ok()
}

/// The words that are joined by `+`; `None` where one is empty or there twice.
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
                "the name of a policy that divides no budget, as (NAME:KEY=VALUE) where parameters are set"
            ),
            Self::Chances => {
                write!(
                    out,
                    "{RATES}, or predicted, as (predicted:KEY=VALUE) where parameters are set"
                )
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
            Self::Policy(choice) | Self::Chances(Some(choice)) if choice.name().contains(':') => {
                write!(out, "({choice})")
            }
            Self::Policy(choice) | Self::Chances(Some(choice)) => choice.fmt(out),
            Self::Chances(None) => RATES.fmt(out),
        }
    }
}

impl Parameters {
    /// The defaults of a table.
    ///
    /// # Panics
    /// Where a default is not a value of its own kind, which a test of all policies rules out.
    pub fn defaults(table: &'static [Parameter]) -> Self {
        let read = |parameter: &Parameter| {
            parameter.kind.read(parameter.default).expect("a default is of its parameter's kind")
        };
        Self { table, values: table.iter().map(read).collect() }
    }

    /// Sets a parameter. Whether the text is one of its values; if not, nothing is set.
    ///
    /// # Panics
    /// Where the table does not have the parameter.
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

    /// The parameters that differ from their defaults, with their values, in the table's order.
    pub(crate) fn unusual(&self) -> impl Iterator<Item = (&'static str, String)> {
        let usual = Self::defaults(self.table).values;
        let rows = self.table.iter().zip(&self.values).zip(usual);
        rows.filter(|((_, value), usual)| *value != usual)
            .map(|((parameter, value), _)| (parameter.name, value.to_string()))
    }

    /// The value of a parameter that is a whole number.
    ///
    /// # Panics
    /// Where the policy's table has no such parameter of that kind.
    pub fn whole(&self, name: &str) -> i64 {
        match self.value(name) {
            Value::Whole(number) => *number,
            other => panic!("{name} is not a whole number but {other}"),
        }
    }

    /// The value of a parameter that is a number.
    ///
    /// # Panics
    /// Where the policy's table has no such parameter of that kind.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Number(number) => *number,
            other => panic!("{name} is not a number but {other}"),
        }
    }

    /// The value of a parameter that is one of some words.
    ///
    /// # Panics
    /// Where the policy's table has no such parameter of that kind.
    pub fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Word(word) => word,
            other => panic!("{name} is not a word but {other}"),
        }
    }

    /// The value of a parameter that is a set of words, in the order of its list, or of the
    /// alphabet where any words are allowed.
    ///
    /// # Panics
    /// Where the policy's table has no such parameter of that kind.
    pub fn words(&self, name: &str) -> &[String] {
        match self.value(name) {
            Value::Words(words) => words,
            other => panic!("{name} is not a set of words but {other}"),
        }
    }

    /// The value of a parameter that is a policy.
    ///
    /// # Panics
    /// Where the policy's table has no such parameter of that kind.
    pub fn policy(&self, name: &str) -> &Choice {
        match self.value(name) {
            Value::Policy(choice) => choice,
            other => panic!("{name} is not a policy but {other}"),
        }
    }

    /// Whether a policy that is a part of it draws by lot.
    pub(crate) fn uses_chance(&self) -> bool {
        self.values.iter().any(|value| match value {
            Value::Policy(choice) => choice.uses_chance(),
            Value::Chances(Some(choice)) => predict::uses_chance(choice.parameters()),
            _ => false,
        })
    }

    /// The values of all parameters that are policies, in the table's order.
    pub fn policies(&self) -> impl Iterator<Item = &Choice> {
        self.values.iter().filter_map(|value| match value {
            Value::Policy(choice) => Some(choice),
            _ => None,
        })
    }

    /// The value of a parameter that says where chances of change come from: the policy that predicts
    /// them, or `None` where they come from rates.
    ///
    /// # Panics
    /// Where the policy's table has no such parameter of that kind.
    pub fn chances(&self, name: &str) -> Option<&Choice> {
        match self.value(name) {
            Value::Chances(choice) => choice.as_ref(),
            other => panic!("{name} is not where chances come from but {other}"),
        }
    }

    fn value(&self, name: &str) -> &Value {
        &self.values[self.row(name)]
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
        let told: Vec<_> = parameters.unusual().collect();
        assert_eq!(told, [("d", "2".into()), ("share", "0.25".into()), ("domains", "edu".into())]);
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
