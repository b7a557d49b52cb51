//! Figure 2: the cost of measuring impact, as the benchmark recorded it.
use serde::Deserialize;

/// A recorded run of `cargo bench -p sanderling --bench impact`; `docs/benchmarks.md` has all of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recorded {
    /// When it ran.
    pub(crate) date: String,
    /// The number of queries whose results are measured.
    pub(crate) queries: String,
    /// The time that measuring adds, as a share of the time of indexing: the median of its rounds.
    pub(crate) share: f64,
    /// The least and the most of its rounds.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Recorded {
    /// The recorded run.
    pub(crate) fn read() -> Result<Self, String> {
        toml::from_str(include_str!("figure-2.toml")).map_err(|error| error.message().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_whole() {
        let recorded = Recorded::read().unwrap();
        assert!(0.0 < recorded.low && recorded.low <= recorded.share);
        assert!(recorded.share <= recorded.high && recorded.high < 1.0);
    }
}
