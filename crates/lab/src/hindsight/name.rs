//! The names of policies fitted in hindsight: `hindsight-NAME:KEY=VALUE`.
use crawl::Policy;
use instruments::impact::Measure;
use policy::{PolicySpec, SpecError};

use super::{fit, record::WholeRecord};

const PREFIX: &str = "hindsight-";

/// The policies that can be fitted in hindsight.
const FITTED: [&str; 4] = ["user-centric", "staleness-based", "embarrassment-based", "age-based"];

/// A policy fitted in hindsight, and the values of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Hindsight {
    choice: PolicySpec,
}

/// Why a text is not a policy fitted in hindsight.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HindsightError {
    /// The parameters are invalid for the fitted policy. The message begins with the name of that
    /// policy.
    #[error("{PREFIX}{0}")]
    PolicySpec(#[from] SpecError),
    /// A parameter that limits how much of the past counts. The fit uses all of it.
    #[error("{PREFIX}{policy} is fitted on the whole record, so {part} has no effect")]
    Past {
        /// The policy.
        policy: &'static str,
        /// The parameter and its value.
        part: String,
    },
}

impl Hindsight {
    /// Parses a policy fitted in hindsight; `None` if the text names something else.
    pub fn parse(word: &str) -> Option<Result<Self, HindsightError>> {
        let causal = word.strip_prefix(PREFIX)?;
        let name = causal.split(':').next()?;
        FITTED.contains(&name).then(|| Self::fitted(causal))
    }

    fn fitted(causal: &str) -> Result<Self, HindsightError> {
        let choice = PolicySpec::parse(causal)?;
        let policy = choice.entry().name;
        // The canonical text holds what is not the default.
        for part in choice.name().split(':').skip(1) {
            if part.starts_with("window=") || part == "mean=decayed" {
                let part = part.to_owned();
                return Err(HindsightError::Past { policy, part });
            }
        }
        Ok(Self { choice })
    }

    /// The canonical text, used in results and reports.
    pub fn name(&self) -> String {
        format!("{PREFIX}{}", self.choice.name())
    }

    /// The impact measure that its record needs.
    pub fn measure(&self) -> Option<Measure> {
        self.choice.make(0).needs().find().copied()
    }

    /// The policy, fitted on a whole record.
    pub fn make(&self, record: &WholeRecord) -> Box<dyn Policy> {
        let parameters = self.choice.parameters();
        match self.choice.entry().name {
            "user-centric" => Box::new(fit::user_centric(record, parameters)),
            "staleness-based" => Box::new(fit::staleness_based(record, parameters)),
            "embarrassment-based" => Box::new(fit::embarrassment_based(record, parameters)),
            _ => Box::new(fit::age_based(record, parameters)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(word: &str) -> Option<Result<String, String>> {
        let parsed = Hindsight::parse(word)?;
        Some(parsed.map(|found| found.name()).map_err(|error| error.to_string()))
    }

    #[test]
    fn a_name_takes_the_parameters_of_its_namesake_in_canonical_form() {
        for (word, name) in [
            ("hindsight-user-centric", "hindsight-user-centric"),
            ("hindsight-user-centric:mean=ratios", "hindsight-user-centric"),
            (
                "hindsight-user-centric:pieces=5:mean=sums",
                "hindsight-user-centric:mean=sums:pieces=5",
            ),
            ("hindsight-age-based:threshold=0.50", "hindsight-age-based:threshold=0.5"),
        ] {
            assert_eq!(said(word), Some(Ok(name.to_owned())), "{word}");
        }
        for word in ["user-centric", "hindsight-round-robin", "hindsight-", "hindsight"] {
            assert_eq!(said(word), None, "{word}");
        }
    }

    #[test]
    fn what_cannot_be_is_said_by_its_whole_name() {
        let why = |word: &str| said(word).unwrap().unwrap_err();
        assert!(
            why("hindsight-staleness-based:tau=1")
                .starts_with("hindsight-staleness-based has no parameter \"tau\"; there are: "),
        );
        assert!(
            why("hindsight-staleness-based:threshold=2")
                .starts_with("hindsight-staleness-based: threshold cannot be \"2\""),
        );
        assert_eq!(
            why("hindsight-user-centric:window=3"),
            "hindsight-user-centric is fitted on the whole record, so window=3 has no effect"
        );
        assert!(why("hindsight-user-centric:mean=decayed").contains("mean=decayed"));
    }
}
