//! Errors of a tournament.
use std::{io, path::PathBuf};

use super::NameError;
use crate::{compare::TextsError, readings::ReadingsError, report::ReportError};

/// Why a tournament failed.
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
        /// The cause.
        #[source]
        source: TextsError,
    },
    /// The window of a web is too short for the cycles.
    #[error("{web}: covers {days:.1} days, too short for {}", cycles_of(*cycles, *cycle_days))]
    TooShort {
        /// The web.
        web: String,
        /// The length of its window.
        days: f64,
        /// The number of cycles.
        cycles: usize,
        /// Their length.
        cycle_days: f64,
    },
    /// All cycles are warm-up, so none would be measured.
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
    /// A text is neither a policy nor an oracle.
    #[error(transparent)]
    Policy(#[from] NameError),
    /// `known-rates` on a web without known change rates.
    #[error("{0}: known-rates needs a synthetic web of kind poisson or clustered")]
    UnknownRates(String),
    /// No page of a web is alive at the start.
    #[error("{0}: no page of it is alive at the start of its window")]
    NoPages(String),
    /// Two webs would have the same name in the results.
    #[error("two webs are called {0:?}; rename one of the files")]
    SameName(String),
    /// Two traces of a joined web have a page in common.
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
    /// None of the seed addresses is a page of a web.
    #[error("{web}: none of the seed_urls is a page of it ({})", addresses.join(", "))]
    NoSeed {
        /// The web.
        web: String,
        /// The addresses.
        addresses: Vec<String>,
    },
    /// The journal of finished runs cannot be read or written.
    #[error("{}: cannot be used", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// The cause.
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

/// For example "1 cycle of 35 days" or "200 cycles of 1.5 hours".
fn cycles_of(cycles: usize, days: f64) -> String {
    let (length, unit) = if days < 1.0 { (days * 24.0, "hour") } else { (days, "day") };
    let length = (length * 100.0).round() / 100.0;
    let (cycle_end, unit_end) =
        (if cycles == 1 { "" } else { "s" }, if (length - 1.0).abs() < 0.005 { "" } else { "s" });
    format!("{cycles} cycle{cycle_end} of {length} {unit}{unit_end}")
}
