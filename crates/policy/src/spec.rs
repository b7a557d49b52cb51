//! A policy written as text: `NAME`, or `NAME:KEY=VALUE:KEY=VALUE` with parameters. A value that is a
//! policy with parameters of its own is written in parentheses.
//!
//! Different texts can mean the same policy. Its canonical text is used everywhere: it has only the
//! values that differ from the defaults, in the order of the policy's table.
use std::fmt::{self, Debug, Display, Formatter};

use crawl::Policy;

use crate::{Parameters, PolicyEntry, by_name, parameters::Kind};

/// A policy and the values of its parameters.
#[derive(Clone)]
pub struct PolicySpec {
    entry: &'static PolicyEntry,
    parameters: Parameters,
    name: String,
}

/// Why a text is not a policy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// No policy has this name.
    #[error("no policy is called {0:?}")]
    UnknownPolicy(String),
    /// A part of the text is not `KEY=VALUE`.
    #[error("{policy}: {part:?} is not a parameter; write KEY=VALUE")]
    NotAParameter {
        /// The policy.
        policy: &'static str,
        /// The part.
        part: String,
    },
    /// The policy has no such parameter.
    #[error("{policy} has no parameter {name:?}; {}", those_of(policy))]
    UnknownParameter {
        /// The policy.
        policy: &'static str,
        /// The name.
        name: String,
    },
    /// A parameter is set twice.
    #[error("{policy}: {name} is given twice")]
    GivenTwice {
        /// The policy.
        policy: &'static str,
        /// The parameter.
        name: &'static str,
    },
    /// A parameter does not take this value.
    #[error("{policy}: {name} cannot be {value:?}; it is {allowed}")]
    BadValue {
        /// The policy.
        policy: &'static str,
        /// The parameter.
        name: &'static str,
        /// The text of the value.
        value: String,
        /// What is allowed.
        allowed: Kind,
    },
}

/// The parameter names of a policy, for an error message.
fn those_of(policy: &str) -> String {
    let table = by_name(policy).map_or(&[][..], |entry| entry.parameters);
    let names: Vec<&str> = table.iter().map(|parameter| parameter.name).collect();
    if names.is_empty() {
        "it has none".to_owned()
    } else {
        format!("there are: {}", names.join(", "))
    }
}

/// Splits at colons that are not in parentheses.
fn parts(word: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (vec![], 0, 0_usize);
    for (at, letter) in word.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                parts.push(&word[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&word[start..]);
    parts
}

impl PolicySpec {
    /// Parses a policy with parameters.
    ///
    /// # Errors
    /// If there is no such policy, or a parameter is unknown, given twice or has a value that it does
    /// not take.
    pub fn parse(word: &str) -> Result<Self, SpecError> {
        let mut parts = parts(word).into_iter();
        let name = parts.next().unwrap_or_default();
        let entry = by_name(name).ok_or_else(|| SpecError::UnknownPolicy(name.to_owned()))?;
        let policy = entry.name;
        let mut parameters = Parameters::defaults(entry.parameters);
        let mut given = vec![];
        for part in parts {
            let Some((name, value)) = part.split_once('=') else {
                return Err(SpecError::NotAParameter { policy, part: part.to_owned() });
            };
            let found = entry.parameters.iter().find(|parameter| parameter.name == name);
            let Some(parameter) = found else {
                return Err(SpecError::UnknownParameter { policy, name: name.to_owned() });
            };
            let (name, allowed) = (parameter.name, parameter.kind);
            if given.contains(&name) {
                return Err(SpecError::GivenTwice { policy, name });
            }
            given.push(name);
            if !parameters.set(name, value) {
                let value = value.to_owned();
                return Err(SpecError::BadValue { policy, name, value, allowed });
            }
        }
        Ok(Self::new(entry, parameters))
    }

    fn new(entry: &'static PolicyEntry, parameters: Parameters) -> Self {
        let mut name = entry.name.to_owned();
        for (key, value) in parameters.unusual() {
            name.extend([":", key, "=", value.as_str()]);
        }
        Self { entry, parameters, name }
    }

    /// The canonical text: the name in results, logs and reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The entry of the policy in [`ALL`](crate::ALL).
    pub fn entry(&self) -> &'static PolicyEntry {
        self.entry
    }

    /// The values of its parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Whether plans depend on the seed.
    pub fn is_random(&self) -> bool {
        (self.entry.is_random)(&self.parameters) || self.parameters.is_random()
    }

    /// Makes the policy from a seed.
    pub fn make(&self, seed: u64) -> Box<dyn Policy> {
        (self.entry.make)(seed, &self.parameters)
    }
}

impl From<&'static PolicyEntry> for PolicySpec {
    /// The policy with its defaults.
    fn from(entry: &'static PolicyEntry) -> Self {
        Self::new(entry, Parameters::defaults(entry.parameters))
    }
}

impl PartialEq for PolicySpec {
    /// The canonical text says everything.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Debug for PolicySpec {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "PolicySpec({})", self.name)
    }
}

impl Display for PolicySpec {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{ALL, Parameter};

    /// The canonical text, or the error message.
    fn canonical(word: &str) -> Result<String, String> {
        PolicySpec::parse(word).map(|spec| spec.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_alone_is_the_policy_with_its_defaults() {
        for entry in ALL {
            let spec = PolicySpec::parse(entry.name).unwrap();
            assert_eq!(spec.name(), entry.name);
            assert_eq!(spec, PolicySpec::from(entry));
            assert!(std::ptr::eq(spec.entry(), entry));
            assert_eq!(spec.make(1).name(), entry.name);
        }
    }

    #[test]
    fn every_default_is_a_value_and_written_it_changes_nothing() {
        for entry in ALL {
            for parameter in entry.parameters {
                let word = format!("{}:{}={}", entry.name, parameter.name, parameter.default);
                assert_eq!(canonical(&word), Ok(entry.name.to_owned()));
            }
        }
    }

    #[test]
    fn names_of_parameters_can_be_written_and_told_apart() {
        for entry in ALL {
            for (number, parameter) in entry.parameters.iter().enumerate() {
                let letters = |c: char| c.is_ascii_lowercase() || c == '-' || c == '_';
                assert!(parameter.name.chars().all(letters), "{}", parameter.name);
                let before = &entry.parameters[..number];
                assert!(before.iter().all(|other| other.name != parameter.name));
            }
        }
    }

    #[test]
    fn only_what_differs_is_written_in_the_order_of_the_table() {
        for (word, expected) in [
            ("directory-sample:d=-3:chance=history", "directory-sample:d=-3:chance=history"),
            ("directory-sample:chance=history:d=-3", "directory-sample:d=-3:chance=history"),
            ("directory-sample:chance=change:d=+2", "directory-sample:d=2"),
            ("directory-sample:batch=1:d=1", "directory-sample"),
            ("mix:share=0.1:refresh=freshness-index", "mix"),
            ("mix:refresh=(frequency)", "mix:refresh=frequency"),
            ("freshness-index:chances=rates", "freshness-index"),
            (
                "mix:refresh=(freshness-index:chances=(predicted:back=2:experts=20))",
                "mix:refresh=(freshness-index:chances=(predicted:back=2))",
            ),
            (
                "mix:share=.5:discover=(link-sample:batch=1:d=2)",
                "mix:discover=(link-sample:d=2):share=0.5",
            ),
        ] {
            assert_eq!(canonical(word).as_deref(), Ok(expected));
            assert_eq!(canonical(expected).as_deref(), Ok(expected));
            assert_eq!(PolicySpec::parse(word), PolicySpec::parse(expected));
        }
        assert_ne!(PolicySpec::parse("link-sample"), PolicySpec::parse("link-sample:d=1"));
    }

    #[test]
    fn what_cannot_be_chosen_is_refused_with_the_reason() {
        for (word, reason) in [
            ("", "no policy is called \"\""),
            ("nonsense:d=1", "no policy is called \"nonsense\""),
            ("link-sample:d", "link-sample: \"d\" is not a parameter; write KEY=VALUE"),
            ("link-sample:", "link-sample: \"\" is not a parameter; write KEY=VALUE"),
            ("random:d=1", "random has no parameter \"d\"; it has none"),
            (
                "link-sample:depth=1",
                "link-sample has no parameter \"depth\"; there are: d, batch, chance, count",
            ),
            ("link-sample:d=1:d=1", "link-sample: d is given twice"),
            (
                "link-sample:d=21",
                "link-sample: d cannot be \"21\"; it is a whole number from -20 to 20",
            ),
            (
                "directory-sample:distance=far",
                "directory-sample: distance cannot be \"far\"; it is one of corrected, literal",
            ),
            (
                "mix:refresh=mix",
                "mix: refresh cannot be \"mix\"; it is the name of a policy other than mix, as \
                 (NAME:KEY=VALUE) with parameters",
            ),
            (
                "freshness-index:chances=random",
                "freshness-index: chances cannot be \"random\"; it is rates, or predicted, as \
                 (predicted:KEY=VALUE) with parameters",
            ),
            (
                "mix:refresh=(link-sample:d=21)",
                "mix: refresh cannot be \"(link-sample:d=21)\"; it is the name of a policy other than \
                 mix, as (NAME:KEY=VALUE) with parameters",
            ),
        ] {
            assert_eq!(canonical(word), Err(reason.to_owned()));
        }
    }

    #[test]
    fn chance_is_used_where_a_part_uses_it() {
        for (word, expected) in [
            ("mix:refresh=round-robin:discover=frequency", false),
            ("mix:refresh=random:discover=frequency", true),
            ("predicted", false),
            ("predicted:by=draw", true),
            ("freshness-index:chances=(predicted:by=draw)", false),
            ("freshness-index:chances=(predicted:predictor=bagging)", true),
            ("mix:refresh=frequency:discover=(site-sample:size=3)", true),
        ] {
            assert_eq!(PolicySpec::parse(word).unwrap().is_random(), expected, "{word}");
        }
    }

    /// The text of some value of a kind.
    fn value(kind: Kind, pick: u32) -> String {
        let some = |words: &[&str]| {
            let first = 1 << (pick as usize % words.len());
            let picked = (0..words.len()).filter(|place| (pick | first) >> place & 1 == 1);
            picked.map(|place| words[place]).collect::<Vec<_>>().join("+")
        };
        match kind {
            Kind::Whole(first, last) => (first + i64::from(pick) % (last - first + 1)).to_string(),
            Kind::Number(first, last) => {
                (first + (last - first) * f64::from(pick) / f64::from(u32::MAX)).to_string()
            }
            Kind::Word(words) => words[pick as usize % words.len()].to_owned(),
            Kind::Words(words) => some(words),
            Kind::FreeWords => some(&["org", "com", "co.uk"]),
            Kind::Policy => {
                let written = ["random", "(user-centric:window=3)", "(link-sample:d=2:batch=4)"];
                written[pick as usize % written.len()].to_owned()
            }
            Kind::ChangeModel => {
                let written = ["rates", "predicted", "(predicted:window=30:predictor=single)"];
                written[pick as usize % written.len()].to_owned()
            }
        }
    }

    proptest! {
        #[test]
        fn the_canonical_text_says_everything(
            entry in 0..ALL.len(),
            picks in prop::collection::vec(prop::option::of(any::<u32>()), 20),
            is_reversed in any::<bool>(),
        ) {
            let entry = &ALL[entry];
            let part = |(parameter, pick): (&Parameter, &Option<u32>)| {
                pick.map(|pick| format!(":{}={}", parameter.name, value(parameter.kind, pick)))
            };
            let mut parts: Vec<String> =
                entry.parameters.iter().zip(&picks).filter_map(part).collect();
            if is_reversed {
                parts.reverse();
            }
            let spec = PolicySpec::parse(&(entry.name.to_owned() + &parts.concat())).unwrap();
            let again = PolicySpec::parse(spec.name()).unwrap();
            prop_assert_eq!(again.parameters(), spec.parameters());
            prop_assert_eq!(again.name(), spec.name());
        }
    }
}
