//! The quality of searching the repository, compared with searching the live web.
//!
//! For one web and one workload, computed once for all runs: the queries each reading answers
//! (`Matches`), and the results of the live web at every cycle (`LiveCycle`). A run then updates
//! the results of its repository cycle by cycle ([`SearchTracker`]), and only for queries that a change
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
mod link_scores;
mod matches;
mod search_metrics;
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
    corpus::{Corpus, Participants},
    link_scores::{LinkScores, LiveLinkScores},
    matches::Matches,
    search_metrics::Judge,
    sums::{Live, Measured, Top},
};
pub use self::{
    search_metrics::SearchMetrics,
    workload::{FEWEST_QUERIES, Queries},
};
use crate::{
    compare::{Texts, TextsError},
    results::WorkloadFacts,
    tournament::{PageSet, PaperSetting},
    truth::{GroundTruth, HistoryNumbers},
};

/// How many results are shown (k of Tan and Mitra 2010).
pub const SHOWN: usize = 10;

/// The reading of a page that does not exist.
const ABSENT: u32 = u32::MAX;

/// A workload on a web, and the results of the live web at every cycle.
pub struct Quality {
    truth: Arc<GroundTruth>,
    participants: Participants,
    queries: Vec<PreparedQuery>,
    known_queries: PreparedWorkload,
    keywords: Vec<Keyword>,
    /// By reading, its words of the workload; `None` if it cannot be a result.
    profiles: Vec<Option<Profile>>,
    frequencies: Vec<f64>,
    matches: Matches,
    /// The queries whose words are all in the title or the headings of a reading, where relevance is
    /// judged in two steps.
    subjects: Option<Matches>,
    /// By page, its in-links at the start, where results are scored by these.
    first_in_links: Option<Vec<u32>>,
    /// By cycle, cycle 0 included.
    live: Vec<LiveCycle>,
}

/// The results of the live web at one cycle.
struct LiveCycle {
    link_scores: Arc<LinkScores>,
    /// By query, the highest TF-IDF of a page.
    highest: Vec<f64>,
    /// The value of all queries, by scoring function.
    best: [f64; 3],
    /// By query, the first results.
    tops: Vec<Top>,
    /// By query, the number of pages that are relevant by their titles and headings; empty unless
    /// that is judged.
    relevant: Vec<u32>,
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
        Self::as_in_paper(truth, texts, pages, queries, halves, PaperSetting::default())
    }

    /// The same with the settings of a paper.
    ///
    /// # Errors
    /// If the texts cannot be read.
    pub fn as_in_paper(
        truth: &Arc<GroundTruth>,
        texts: &dyn Texts,
        pages: PageSet,
        queries: &Queries,
        halves: bool,
        paper: PaperSetting,
    ) -> Result<(Option<Self>, Option<WorkloadFacts>), TextsError> {
        let participants = Participants::new(truth, pages);
        let corpus = Corpus { truth, texts, participants: &participants };
        let Some(fitted) = workload::fit(&corpus, queries)? else { return Ok((None, None)) };
        let workload::FittedWorkload { mut workload, profiles, statistics, facts } = fitted;
        let subjects = if paper.two_step_relevance {
            Some(corpus.subjects(&workload.vocabulary)?)
        } else {
            None
        };
        let known_queries = split_known(&mut workload, halves);
        let quality = (!workload.queries.is_empty() && statistics.pages > 0).then(|| {
            let queries = workload.queries;
            let words: Vec<&[WordNo]> =
                queries.iter().map(|query| query.words.as_slice()).collect();
            let matches = Matches::new(&profiles, &statistics, &words);
            let subjects = subjects.map(|subjects| Matches::new(&subjects, &statistics, &words));
            let mut quality = Self {
                truth: Arc::clone(truth),
                participants,
                keywords: Keyword::most_popular(&known_queries),
                known_queries,
                profiles,
                frequencies: queries.iter().map(|query| query.frequency).collect(),
                queries,
                matches,
                subjects,
                first_in_links: None,
                live: vec![],
            };
            if paper.fixed_in_links && pages == PageSet::Fixed {
                let first = LiveLinkScores::new(truth, &quality.participants).at(0);
                quality.first_in_links = Some(first.in_links.clone());
            }
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
        &self.known_queries
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
        let mut live_scores = LiveLinkScores::new(&self.truth, &self.participants);
        let mut measured = self.measured(true);
        let mut cycles = vec![];
        for cycle in 0..=self.truth.grid().cycles {
            let (readings, link_scores) = (self.live_readings(cycle), live_scores.at(cycle));
            let link_scores = match &self.first_in_links {
                None => link_scores,
                Some(first) => {
                    let ranks = link_scores.ranks.clone();
                    Arc::new(LinkScores { in_links: first.clone(), ranks })
                }
            };
            let mut highest = vec![0.0; self.frequencies.len()];
            let (places, stands) = (&mut highest, link_scores.as_ref());
            measured.update(&readings, &readings, stands, move |answers| {
                for (query, highest) in places.iter_mut().enumerate() {
                    *highest = answers.results(query).first().map_or(0.0, |first| first.score);
                }
                Live { link_scores: stands, highest: places }
            });
            let best = search_metrics::total_worth(&self.frequencies, &measured.sums);
            let tops = measured.sums.iter().map(|sums| sums.top.clone()).collect();
            let relevant = self.relevant(&readings);
            cycles.push(LiveCycle { link_scores, highest, best, tops, relevant });
        }
        cycles
    }

    /// By query, the number of these readings that are relevant.
    fn relevant(&self, readings: &[u32]) -> Vec<u32> {
        let Some(subjects) = &self.subjects else { return vec![] };
        let mut relevant = vec![0; self.frequencies.len()];
        for &reading in readings.iter().filter(|&&reading| reading != ABSENT) {
            subjects.of_reading(reading).for_each(|(query, _)| relevant[query as usize] += 1);
        }
        relevant
    }

    /// By page, the reading live at a cycle.
    fn live_readings(&self, cycle: usize) -> Vec<u32> {
        let reading =
            |page| self.truth.reading(page, cycle).filter(|_| self.participants.has(page));
        (0..self.truth.history().pages.len()).map(|page| reading(page).unwrap_or(ABSENT)).collect()
    }

    fn measured(&self, is_blended: bool) -> Measured<'_> {
        let (pages, queries) = (self.truth.history().pages.len(), self.frequencies.len());
        Measured::new(Answers::new(&self.matches, pages, queries), pages, queries, is_blended)
    }
}

/// The queries that policies know: all of them, or with `halves` the queries at even positions,
/// which are then not used for evaluation.
fn split_known(workload: &mut PreparedWorkload, halves: bool) -> PreparedWorkload {
    let mut known = workload.clone();
    if halves {
        let queries = std::mem::take(&mut workload.queries).into_iter().enumerate();
        let (even, odd): (Vec<_>, Vec<_>) = queries.partition(|(place, _)| place % 2 == 0);
        let queries = |half: Vec<(usize, PreparedQuery)>| half.into_iter().map(|(_, query)| query);
        known.queries = queries(even).collect();
        workload.queries = queries(odd).collect();
    }
    known
}

/// The repository of one run, searched after every cycle.
pub struct SearchTracker<'q> {
    quality: &'q Quality,
    measured: Measured<'q>,
    link_scores: LinkScores,
    revision: Option<u64>,
    is_blended: bool,
}

impl<'q> SearchTracker<'q> {
    /// The state at the beginning of a run. The blended ranking takes longest; it is undefined
    /// unless `weighted`.
    pub fn new(quality: &'q Quality, is_blended: bool) -> Self {
        Self {
            quality,
            measured: quality.measured(is_blended),
            link_scores: LinkScores::default(),
            revision: None,
            is_blended,
        }
    }

    /// Measures a run after the visits of `cycle`. `ranks` is the `PageRank` of the held pages,
    /// which only the blended ranking uses.
    pub fn measure(
        &mut self,
        cycle: usize,
        pages: &Pages,
        numbers: &HistoryNumbers,
        links: &Links,
        ranks: &[f64],
    ) -> SearchMetrics {
        let Quality { truth, frequencies, .. } = self.quality;
        let live = &self.quality.live[cycle];
        let mut held = vec![ABSENT; truth.history().pages.len()];
        for page in pages.numbers().filter(|&page| pages.state(page) == State::Held) {
            if let (Some(number), Some(seen)) = (numbers.get(page), pages.last_seen(page)) {
                // In a replay all visits of a cycle see the same instant.
                let reading = truth.reading(number, truth.grid().number(seen));
                held[number] = reading.unwrap_or(ABSENT);
            }
        }
        if self.revision != Some(links.revision()) {
            self.link_scores = LinkScores::compute(pages, links, ranks, numbers, held.len());
            if let Some(first) = &self.quality.first_in_links {
                self.link_scores.in_links.clone_from(first);
            }
            self.revision = Some(links.revision());
        }
        let live_readings = self.quality.live_readings(cycle);
        self.measured.update(&held, &live_readings, &self.link_scores, |_| Live {
            link_scores: &live.link_scores,
            highest: &live.highest,
        });
        let is_fresh = |page: u32| {
            let reading = |readings: &[u32]| Some(readings[page as usize]).filter(|&r| r != ABSENT);
            truth.same(reading(&held), reading(&live_readings))
        };
        let is_relevant = |query: usize, page: u32| {
            let is_about = |readings: &[u32]| {
                let reading = readings[page as usize];
                let subjects = self.quality.subjects.as_ref().filter(|_| reading != ABSENT);
                subjects.is_some_and(|all| all.score(reading, query as u32) > 0.0)
            };
            is_about(&held) && is_about(&live_readings)
        };
        let judge = Judge { relevant: &live.relevant, is_relevant: &is_relevant };
        let metrics = SearchMetrics::from_sums(
            frequencies,
            &self.measured.sums,
            &live.best,
            &live.tops,
            self.quality.subjects.is_some().then_some(&judge),
            is_fresh,
        );
        if self.is_blended { metrics } else { metrics.without_blend() }
    }
}
