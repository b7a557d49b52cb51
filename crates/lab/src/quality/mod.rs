//! The quality of searching the repository, compared with searching the live web.
//!
//! For one web and one workload, computed once for all runs: the queries each reading answers
//! (`Matches`), and the results of the live web at every cycle (`LiveCycle`). A run then updates
//! the results of its repository cycle by cycle ([`Searched`]), and only for queries that a change
//! affects.
//!
//! Repository quality is that of Pandey and Olston 2005 (`docs/papers.md` A3.1, eq. 5): over the
//! queries, weighted by frequency, the true scores of the repository's results times the view
//! probability of their rank, divided by the same sum for the live web. The papers leave some
//! points open; here:
//!
//! - The counts behind TF-IDF (the number of pages, and of pages with a word) are those of the live
//!   web at the start of the window. So the score of a page depends on the page only, and quality
//!   changes only because pages do.
//! - The live web consists of the pages that take part in the run: with fixed pages those alive at
//!   the start.
//! - Equal scores are ordered by address, in byte order.
mod answers;
mod corpus;
mod look;
mod matches;
mod standing;
mod sums;
mod workload;

use std::sync::Arc;

use crawl::{Links, Pages, State};
use instruments::features::Keyword;
use text::{
    relevance::{Profile, WordNo},
    workload::{PreparedQuery, PreparedWorkload},
};

use self::{
    answers::Answers,
    corpus::{Corpus, TakingPart},
    matches::Matches,
    standing::{LinkScore, LiveStanding},
    sums::{Live, Measured, Top},
};
pub use self::{
    look::QualityLook,
    workload::{FEWEST_QUERIES, Queries},
};
use crate::{
    compare::{Texts, TextsError},
    results::WorkloadFacts,
    tournament::PageSet,
    truth::{GroundTruth, Numbers},
};

/// How many results are shown (k of Tan and Mitra 2010).
pub const SHOWN: usize = 10;

/// The reading of a page that does not exist.
const ABSENT: u32 = u32::MAX;

/// A workload on a web, and the results of the live web at every cycle.
pub struct Quality {
    truth: Arc<GroundTruth>,
    taking_part: TakingPart,
    queries: Vec<PreparedQuery>,
    told: PreparedWorkload,
    keywords: Vec<Keyword>,
    /// By reading, its words of the workload; `None` if it cannot be a result.
    profiles: Vec<Option<Profile>>,
    frequencies: Vec<f64>,
    matches: Matches,
    /// By cycle, cycle 0 included.
    live: Vec<LiveCycle>,
}

/// The results of the live web at one cycle.
struct LiveCycle {
    standing: Arc<LinkScore>,
    /// By query, the highest TF-IDF of a page.
    highest: Vec<f64>,
    /// The value of all queries, by scoring function.
    best: [f64; 3],
    /// By query, the first results.
    tops: Vec<Top>,
}

impl Quality {
    /// Fits a workload to a web and computes the results of the live web. `None` if there are no
    /// queries or no texts; the facts name the workload in any case.
    ///
    /// # Errors
    /// If the texts cannot be read.
    pub fn new(
        truth: &Arc<GroundTruth>,
        texts: &dyn Texts,
        pages: PageSet,
        queries: &Queries,
        halves: bool,
    ) -> Result<(Option<Self>, Option<WorkloadFacts>), TextsError> {
        let taking_part = TakingPart::of(truth, pages);
        let corpus = Corpus { truth, texts, taking_part: &taking_part };
        let Some(asked) = workload::fit(&corpus, queries)? else { return Ok((None, None)) };
        let workload::Asked { mut workload, profiles, statistics, facts } = asked;
        let told = told(&mut workload, halves);
        let quality = (!workload.queries.is_empty() && statistics.pages > 0).then(|| {
            let queries = workload.queries;
            let words: Vec<&[WordNo]> =
                queries.iter().map(|query| query.words.as_slice()).collect();
            let matches = Matches::of(&profiles, &statistics, &words);
            let mut quality = Self {
                truth: Arc::clone(truth),
                taking_part,
                keywords: Keyword::most_popular(&told),
                told,
                profiles,
                frequencies: queries.iter().map(|query| query.frequency).collect(),
                queries,
                matches,
                live: vec![],
            };
            quality.live = quality.live_cycles();
            quality
        });
        Ok((quality, Some(facts)))
    }

    /// The queries of the evaluation.
    pub fn queries(&self) -> &[PreparedQuery] {
        &self.queries
    }

    /// The queries that policies know.
    pub fn known_queries(&self) -> &PreparedWorkload {
        &self.told
    }

    /// The workload words of a reading; `None` if it cannot be a result.
    pub fn profile(&self, reading: u32) -> Option<&Profile> {
        self.profiles[reading as usize].as_ref()
    }

    /// The most frequent query words, as a policy may know them.
    pub fn keywords(&self) -> &[Keyword] {
        &self.keywords
    }

    /// The live web as its own repository.
    fn live_cycles(&self) -> Vec<LiveCycle> {
        let mut standings = LiveStanding::new(&self.truth, &self.taking_part);
        let mut measured = self.measured(true);
        let mut cycles = vec![];
        for cycle in 0..=self.truth.grid().cycles {
            let (readings, standing) = (self.live_readings(cycle), standings.at(cycle));
            let mut highest = vec![0.0; self.frequencies.len()];
            let (places, stands) = (&mut highest, standing.as_ref());
            measured.update(&readings, &readings, stands, move |answers| {
                for (query, highest) in places.iter_mut().enumerate() {
                    *highest = answers.of(query).first().map_or(0.0, |first| first.score);
                }
                Live { standing: stands, highest: places }
            });
            let best = look::total_worth(&self.frequencies, &measured.sums);
            let tops = measured.sums.iter().map(|sums| sums.top.clone()).collect();
            cycles.push(LiveCycle { standing, highest, best, tops });
        }
        cycles
    }

    /// By page, the reading live at a cycle.
    fn live_readings(&self, cycle: usize) -> Vec<u32> {
        let reading = |page| self.truth.reading(page, cycle).filter(|_| self.taking_part.has(page));
        (0..self.truth.history().pages.len()).map(|page| reading(page).unwrap_or(ABSENT)).collect()
    }

    fn measured(&self, is_blended: bool) -> Measured<'_> {
        let (pages, queries) = (self.truth.history().pages.len(), self.frequencies.len());
        Measured::new(Answers::new(&self.matches, pages, queries), pages, queries, is_blended)
    }
}

/// The queries that policies know: all of them, or with `halves` the queries at even positions,
/// which are then not used for evaluation.
fn told(workload: &mut PreparedWorkload, halves: bool) -> PreparedWorkload {
    let mut told = workload.clone();
    if halves {
        let queries = std::mem::take(&mut workload.queries).into_iter().enumerate();
        let (even, odd): (Vec<_>, Vec<_>) = queries.partition(|(place, _)| place % 2 == 0);
        let queries = |half: Vec<(usize, PreparedQuery)>| half.into_iter().map(|(_, query)| query);
        told.queries = queries(even).collect();
        workload.queries = queries(odd).collect();
    }
    told
}

/// The repository of one run, searched after every cycle.
pub struct Searched<'q> {
    quality: &'q Quality,
    measured: Measured<'q>,
    standing: LinkScore,
    revision: Option<u64>,
    is_blended: bool,
}

impl<'q> Searched<'q> {
    /// The state at the beginning of a run. The blended ranking takes longest; it is undefined
    /// unless `weighted`.
    pub fn new(quality: &'q Quality, is_blended: bool) -> Self {
        Self {
            quality,
            measured: quality.measured(is_blended),
            standing: LinkScore::default(),
            revision: None,
            is_blended,
        }
    }

    /// Measures a run after the visits of `cycle`. `ranks` is the `PageRank` of the held pages,
    /// which only the blended ranking uses.
    pub fn look(
        &mut self,
        cycle: usize,
        pages: &Pages,
        numbers: &Numbers,
        links: &Links,
        ranks: &[f64],
    ) -> QualityLook {
        let Quality { truth, frequencies, .. } = self.quality;
        let live = &self.quality.live[cycle];
        let mut held = vec![ABSENT; truth.history().pages.len()];
        for page in pages.numbers().filter(|&page| pages.state(page) == State::Held) {
            if let (Some(number), Some(seen)) = (numbers.of(page), pages.last_seen(page)) {
                // In a replay all visits of a cycle see the same instant.
                let reading = truth.reading(number, truth.grid().number(seen));
                held[number] = reading.unwrap_or(ABSENT);
            }
        }
        if self.revision != Some(links.revision()) {
            self.standing = LinkScore::of(pages, links, ranks, numbers, held.len());
            self.revision = Some(links.revision());
        }
        let live_readings = self.quality.live_readings(cycle);
        self.measured.update(&held, &live_readings, &self.standing, |_| Live {
            standing: &live.standing,
            highest: &live.highest,
        });
        let is_fresh = |page: u32| {
            let reading = |readings: &[u32]| Some(readings[page as usize]).filter(|&r| r != ABSENT);
            truth.same(reading(&held), reading(&live_readings))
        };
        let look =
            QualityLook::of(frequencies, &self.measured.sums, &live.best, &live.tops, is_fresh);
        if self.is_blended { look } else { look.without_blend() }
    }
}
