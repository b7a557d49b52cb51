//! Impact: the effect of a visit on search results.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005, section 5 (`docs/papers.md` A3.2). Queries
//! are split into words; the frequency of a word is that of all queries that contain it. For each word a
//! curve maps scores to ranks among its results. When a page changes, its old and new scores give its old
//! and new ranks, and these give the value of the move to users who view the results from the top.
//!
//! Departures: impact is a share of the total value of all results, so that it has the same unit for
//! every scoring function and workload. A page's score is the word's weight times the page's part, and
//! curves are kept of the logarithms of the parts; then only the page's move must be computed per word.
//! [`Meter::exposures`] gives how much users view each page as it is, for pages whose visits have not
//! been measured.
mod curve;
mod meter;
mod score_part;
mod shift;

use crawl::{CycleStart, Instrument, Need, PageNo, Pages, Recorded, Result, Visited};
use text::relevance::Profile;

pub use self::meter::{LinkScores, Meter, VisitEffect};
use text::relevance::Scoring;

/// How impact is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The scoring function that ranks results.
    pub scoring: Scoring,
    /// The number of linear pieces of the curve from score to rank.
    pub pieces: usize,
}

impl Measure {
    /// The most pieces of a curve.
    pub const MOST_PIECES: usize = 16;

    /// Measures with this scoring function and three pieces, as in the paper.
    pub fn by(scoring: Scoring) -> Self {
        Self { scoring, pieces: 3 }
    }
}

impl Need for Measure {
    /// A visit is measured in one way only, that of the first policy.
    fn join(&self, _: &Self) -> Self {
        *self
    }
}

/// A source of page profiles: the counts of the words of the workload.
pub trait Profiles: std::fmt::Debug + Send + Sync {
    /// Starts a cycle.
    fn begin_cycle(&mut self, pages: &Pages);

    /// Every page that search can find.
    fn held(&self) -> Vec<(PageNo, &Profile)>;

    /// Updates the profile of a visited page. After a conclusive visit it calls `measure` with the
    /// profiles before and after, each `None` where search cannot find the page.
    fn visited(&mut self, visit: &Visited<'_>, measure: MeasureMove<'_>) -> Option<f32>;

    /// An independent copy.
    fn fork(&self) -> Box<dyn Profiles>;
}

/// Measures the effect on search results when a page's profile changes.
pub type MeasureMove<'m> = &'m mut dyn FnMut(Option<&Profile>, Option<&Profile>) -> Option<f32>;

/// Measures the impact of every visit: an instrument that needs a query workload.
#[derive(Debug)]
pub struct Impact {
    meter: Meter,
    profiles: Box<dyn Profiles>,
}

impl Impact {
    /// Measures with `meter` and takes profiles from `profiles`.
    pub fn new(meter: Meter, profiles: Box<dyn Profiles>) -> Self {
        Self { meter, profiles }
    }

    /// An instrument with fixed exposures that measures nothing, for simulations and tests.
    pub fn fixed(exposures: Vec<f32>) -> Self {
        Self { meter: Meter::fixed(exposures), profiles: Box::new(NoProfiles) }
    }

    /// By page number, its share of all views of search results. Pages beyond the end have none.
    pub fn exposures(&self) -> &[f32] {
        self.meter.exposures()
    }
}

impl Instrument for Impact {
    fn name(&self) -> &'static str {
        "impact"
    }

    fn begin_cycle(&mut self, cycle: &CycleStart<'_>) -> bool {
        self.profiles.begin_cycle(cycle.pages);
        if self.meter.needs_fit() && !self.meter.is_fixed() {
            let scores =
                LinkScores::compute(self.meter.measure().scoring, cycle.pages, cycle.links);
            self.meter.fit(self.profiles.held().iter().copied(), scores);
        }
        false
    }

    fn visited(&mut self, visit: &Visited<'_>) -> Result<Recorded> {
        let meter = &mut self.meter;
        let impact = self.profiles.visited(visit, &mut |before, after| {
            meter.visit(visit.page, before, after).map(|effect| effect.gain)
        });
        Ok(Recorded { impact, has_new_state: false })
    }

    fn fork(&self) -> Box<dyn Instrument> {
        Box::new(Self { meter: self.meter.clone(), profiles: self.profiles.fork() })
    }
}

/// A source without profiles.
#[derive(Debug)]
struct NoProfiles;

impl Profiles for NoProfiles {
    fn begin_cycle(&mut self, _pages: &Pages) {}

    fn held(&self) -> Vec<(PageNo, &Profile)> {
        vec![]
    }

    fn visited(&mut self, _visit: &Visited<'_>, _measure: MeasureMove<'_>) -> Option<f32> {
        None
    }

    fn fork(&self) -> Box<dyn Profiles> {
        Box::new(Self)
    }
}
