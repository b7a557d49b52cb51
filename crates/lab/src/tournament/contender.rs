//! The policies and oracles of an experiment, parsed once.
use std::str::FromStr;

use policy::{PolicySpec, SpecError};

use crate::{
    hindsight::{Hindsight, HindsightError},
    oracle::{CoverError, cover_name, cover_share},
};

/// A policy or an oracle that takes part in an experiment.
#[derive(Clone, Debug, PartialEq)]
pub enum Contender {
    /// A policy.
    Policy(PolicySpec),
    /// A policy fitted in hindsight.
    Hindsight(Hindsight),
    /// The greedy cover of this share of the pages to be found.
    GreedyCover(f64),
    /// Visits every page in every cycle; its budget is unlimited.
    Ideal,
    /// Knows the future and catches the most changes.
    OracleChanges,
    /// Knows the future and keeps pages fresh.
    OracleFreshness,
    /// `freshness-index` with the true change rates of a synthetic web.
    KnownRates,
}

/// Why a text is neither a policy nor an oracle.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It is not a policy.
    #[error(transparent)]
    Policy(#[from] SpecError),
    /// It names a policy fitted in hindsight and has invalid parameters.
    #[error(transparent)]
    Hindsight(#[from] HindsightError),
    /// It names the greedy cover and has an invalid parameter.
    #[error(transparent)]
    Cover(#[from] CoverError),
}

impl Contender {
    /// Parses a policy or an oracle with parameters.
    ///
    /// # Errors
    /// If the text is neither, or has invalid parameters.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if let Some(share) = cover_share(text) {
            return Ok(Self::GreedyCover(share?));
        }
        if let Some(hindsight) = Hindsight::parse(text) {
            return Ok(Self::Hindsight(hindsight?));
        }
        Ok(match text {
            "ideal" => Self::Ideal,
            "oracle-changes" => Self::OracleChanges,
            "oracle-freshness" => Self::OracleFreshness,
            "known-rates" => Self::KnownRates,
            _ => Self::Policy(PolicySpec::parse(text)?),
        })
    }

    /// The canonical text, used in results, reports and journal keys.
    pub fn name(&self) -> String {
        match self {
            Self::Policy(spec) => spec.name().to_owned(),
            Self::Hindsight(hindsight) => hindsight.name(),
            Self::GreedyCover(share) => cover_name(*share),
            Self::Ideal => "ideal".to_owned(),
            Self::OracleChanges => "oracle-changes".to_owned(),
            Self::OracleFreshness => "oracle-freshness".to_owned(),
            Self::KnownRates => "known-rates".to_owned(),
        }
    }

    /// Whether its runs depend on the seed.
    pub fn uses_randomness(&self) -> bool {
        matches!(self, Self::Policy(spec) if spec.is_random())
    }

    /// The policy, unless this is an oracle.
    pub fn as_policy(&self) -> Option<&PolicySpec> {
        match self {
            Self::Policy(spec) => Some(spec),
            _ => None,
        }
    }
}

impl FromStr for Contender {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{ORACLES, is_oracle};

    #[test]
    fn every_name_of_the_tables_parses_to_itself() {
        for entry in policy::ALL {
            let contender = Contender::parse(entry.name).unwrap();
            assert_eq!(contender.name(), entry.name);
            assert!(contender.as_policy().is_some() && !is_oracle(entry.name));
        }
        for &(name, _) in ORACLES {
            let contender = Contender::parse(name).unwrap();
            assert_eq!(contender.name(), name);
            assert!(contender.as_policy().is_none() && !contender.uses_randomness());
        }
    }
}
