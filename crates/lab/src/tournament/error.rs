//! Why a tournament could not be held.
use std::{io, path::PathBuf};

use super::NameError;
use crate::{compare::TextsError, readings::ReadingsError, report::ReportError};

/// Why a tournament could not be held.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TournamentError {
    /// A trace cannot be read.
    #[error(transparent)]
    Readings(#[from] ReadingsError),
    /// The texts of a web cannot be read.
    #[error("{web}: its texts cannot be read")]
    Texts {
        /// The web.
        web: String,
        /// Why.
        #[source]
        source: TextsError,
    },
    /// A web's time is shorter than the cycles asked for.
    #[error("{web}: covers {days:.1} days, too short for {}", cycles_of(*cycles, *cycle_days))]
    TooShort {
        /// The web.
        web: String,
        /// The length of its window.
        days: f64,
        /// Cycles asked for.
        cycles: usize,
        /// Their length.
        cycle_days: f64,
    },
    /// Nothing would be measured.
    #[error("{web}: has {cycles} cycles, so warm_up must be less than that")]
    AllWarmUp {
        /// The web.
        web: String,
        /// Its cycles.
        cycles: usize,
    },
    /// No detector has this name.
    #[error("no detector is called {0:?}")]
    UnknownDetector(String),
    /// A word means neither a policy nor an oracle.
    #[error(transparent)]
    Policy(#[from] NameError),
    /// `known-rates` on a web whose rates nobody knows.
    #[error("{0}: known-rates needs a synthetic web of kind poisson or clustered")]
    UnknownRates(String),
    /// A web that is to be held from the start has nothing to hold.
    #[error("{0}: no page of it is alive at the start of its window")]
    NoPages(String),
    /// Two webs would have the same name in the results.
    #[error("two webs are called {0:?}; rename one of the files")]
    SameName(String),
    /// Two traces that are to be one web have a page in common.
    #[error(
        "{one} and {other} cannot be one web: both have {address}; leave one of them out, or join \
         traces of different hosts"
    )]
    SharedAddress {
        /// The address.
        address: String,
        /// A trace that has it.
        one: String,
        /// Another.
        other: String,
    },
    /// None of the addresses to start from is a page of a web.
    #[error("{web}: none of the seed_urls is a page of it ({})", addresses.join(", "))]
    NoSeed {
        /// The web.
        web: String,
        /// The addresses.
        addresses: Vec<String>,
    },
    /// The list of finished runs cannot be read or written.
    #[error("{}: cannot be used", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The results cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The loop failed.
    #[error(transparent)]
    Crawl(#[from] crawl::Error),
}

/// Such as "1 cycle of 35 days" or "200 cycles of 1.5 hours".
fn cycles_of(cycles: usize, days: f64) -> String {
    let (length, unit) = if days < 1.0 { (days * 24.0, "hour") } else { (days, "day") };
    let length = (length * 100.0).round() / 100.0;
    let (cycle_end, unit_end) =
        (if cycles == 1 { "" } else { "s" }, if (length - 1.0).abs() < 0.005 { "" } else { "s" });
    format!("{cycles} cycle{cycle_end} of {length} {unit}{unit_end}")
}
