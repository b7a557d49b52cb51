//! What searching the repository is like, against searching the live web.
//!
//! For one web and one workload, worked out once for all runs: which queries every reading answers
//! (`Matches`), how the live web answers them at every cycle (`LiveCycle`). A run then keeps the
//! answers of its repository up to date, cycle by cycle ([`Searched`]), and never looks at a query that
//! no change has touched.
//!
//! Repository quality is that of Pandey and Olston 2005 (`docs/papers.md` A3.1, eq. 5): over the queries, by
//! frequency, the true scores of what the repository shows, each by the chance that its rank is
//! viewed, per the same from the live web. The papers leave open, and here it is so:
//!
//! - The counts behind TF-IDF (how many pages there are, how many hold a word) are those of the live
//!   web at the start of the window and then stay. So the score of a page depends on the page, and
//!   quality moves only because pages do.
//! - The live web is the pages that take part in the run: with fixed pages those alive at the start.
//! - Of equal scores the first address, in byte order, comes first.
mod answers;
mod corpus;
mod look;
mod matches;
mod standing;
mod sums;
mod workload;

use std::sync::Arc;

use flow::{
    Links, Pages, State,
    features::Keyword,
    relevance::{Profile, WordNo},
    workload::{PreparedQuery, PreparedWorkload},
};

use self::{
    answers::Answers,
    corpus::{Corpus, TakingPart},
    matches::Matches,
    standing::{LiveStanding, Standing},
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
    truth::{Numbers, Truth},
};

/// How many results are shown (k of Tan and Mitra 2010).
pub const SHOWN: usize = 10;

/// Stands for the reading of a page that there is none of.
const ABSENT: u32 = u32::MAX;

/// A workload on a web, and how the live web answers it at every cycle.
pub struct Quality {
    truth: Arc<Truth>,
    taking_part: TakingPart,
    queries: Vec<PreparedQuery>,
    told: PreparedWorkload,
    keywords: Vec<Keyword>,
    /// By reading, what it holds of the workload; none where it cannot be a result.
    profiles: Vec<Option<Profile>>,
    frequencies: Vec<f64>,
    matches: Matches,
    /// By cycle, cycle 0 included.
    live: Vec<LiveCycle>,
}

/// How the live web answers the workload at one cycle.
struct LiveCycle {
    standing: Arc<Standing>,
    /// By query, the highest TF-IDF of a page.
    highest: Vec<f64>,
    /// What all queries are worth, by scoring function.
    best: [f64; 3],
    /// By query, the first results.
    tops: Vec<Top>,
}

impl Quality {
    /// Fits a workload to a web and works out how the live web answers it. `None` where there is
    /// nothing to ask or nothing to ask about; the facts say which workload was used all the same.
    ///
    /// # Errors
    /// When the texts cannot be read.
    pub fn new(
        truth: &Arc<Truth>,
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

    /// The queries that are asked.
    pub fn queries(&self) -> &[PreparedQuery] {
        &self.queries
    }

    /// The queries as policies are told of them.
    pub fn told(&self) -> &PreparedWorkload {
        &self.told
    }

    /// What a reading holds of the workload; `None` where it cannot be a result.
    pub fn profile(&self, reading: u32) -> Option<&Profile> {
        self.profiles[reading as usize].as_ref()
    }

    /// The words that are asked for most, as a policy may know them.
    pub fn keywords(&self) -> &[Keyword] {
        &self.keywords
    }

    /// The live web as its own repository: what it shows is what there is.
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

/// What policies are told of a workload: all of it, or of `halves` the queries at even places, which
/// are then not asked.
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
    standing: Standing,
    revision: Option<u64>,
    is_blended: bool,
}

impl<'q> Searched<'q> {
    /// Of a run that begins. What is shown by the blend takes longest, and is undefined where it is not
    /// wanted.
    pub fn new(quality: &'q Quality, is_blended: bool) -> Self {
        Self {
            quality,
            measured: quality.measured(is_blended),
            standing: Standing::default(),
            revision: None,
            is_blended,
        }
    }

    /// Looks at a run after the visits of `cycle`; `ranks` is the `PageRank` of what is held now, which
    /// only the blend asks for.
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
                // In a replay every visit of a cycle sees one instant.
                let reading = truth.reading(number, truth.grid().number(seen));
                held[number] = reading.unwrap_or(ABSENT);
            }
        }
        if self.revision != Some(links.revision()) {
            self.standing = Standing::of(pages, links, ranks, numbers, held.len());
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
