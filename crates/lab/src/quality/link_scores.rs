//! Link scores of pages: in-links and `PageRank`.
use std::sync::Arc;

use crawl::{LinkList, Links, Outcome, PageNo, Pages, State, page_rank};
use rustc_hash::FxHashMap;

use super::Participants;
use crate::truth::{GroundTruth, HistoryNumbers};

/// `PageRank` is rounded to this many parts of the highest rank.
///
/// The iteration stops when ranks change by less than 1e-10 in total, so equal ranks differ in
/// their last digits, depending on the initial values. Rounding makes them equal, so that ties are
/// broken by address on the live web and in the repository.
pub(super) const RANK_PARTS: u32 = 1_000_000;

/// The link scores of every page of a history in one collection.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LinkScores {
    /// By page, the number of other pages of the collection that link to it.
    pub(super) in_links: Vec<u32>,
    /// By page, its `PageRank` in [parts](RANK_PARTS) of the highest; 0 for pages not in the
    /// collection.
    pub(super) ranks: Vec<u32>,
}

impl LinkScores {
    /// The link scores of the `count` pages of a history among the held `pages`, whose `PageRank`
    /// is given.
    pub(super) fn compute(
        pages: &Pages,
        links: &Links,
        ranks: &[f64],
        numbers: &HistoryNumbers,
        count: usize,
    ) -> Self {
        let mut link_scores = Self { in_links: vec![0; count], ranks: vec![0; count] };
        let is_held = |page: PageNo| pages.state(page) == State::Held;
        let highest = ranks.iter().copied().fold(0.0, f64::max);
        for page in pages.numbers().filter(|&page| is_held(page)) {
            for &to in links.of(page).iter().filter(|&&to| to != page && is_held(to)) {
                if let Some(number) = numbers.get(to) {
                    link_scores.in_links[number] += 1;
                }
            }
            if let Some(number) = numbers.get(page)
                && highest > 0.0
            {
                let rank = ranks.get(page.index()).copied().unwrap_or(0.0);
                link_scores.ranks[number] = (rank / highest * f64::from(RANK_PARTS)).round() as u32;
            }
        }
        link_scores
    }
}

/// The link scores on the live web, cycle by cycle.
pub(super) struct LiveLinkScores<'t> {
    truth: &'t GroundTruth,
    participants: &'t Participants,
    /// Every page that takes part, as linked only.
    pages: Pages,
    numbers: HistoryNumbers,
    /// The pages that take part, by their page number here: as numbers of the history.
    of_history: Vec<usize>,
    /// Every list of links that appears at any cycle.
    links: Links,
    /// By digest, the number of a list in `links`.
    lists: FxHashMap<u64, u32>,
    ranks: Vec<f64>,
    /// The lists that pages showed at the previous cycle, and the link scores then.
    before: Option<(Vec<Option<u32>>, Arc<LinkScores>)>,
}

impl<'t> LiveLinkScores<'t> {
    pub(super) fn new(truth: &'t GroundTruth, participants: &'t Participants) -> Self {
        let history = truth.history();
        let (mut pages, mut numbers) = (Pages::default(), HistoryNumbers::default());
        let mut of_history = vec![];
        for (number, page) in history.pages.iter().enumerate() {
            if participants.has(number) {
                pages.insert(&page.address, history.window.start);
                of_history.push(number);
            }
        }
        numbers.update(truth, &pages);
        let mut link_scores = Self {
            truth,
            participants,
            pages,
            numbers,
            of_history,
            links: Links::default(),
            lists: FxHashMap::default(),
            ranks: vec![],
            before: None,
        };
        link_scores.add_lists();
        link_scores
    }

    fn add_lists(&mut self) {
        let readings = &self.truth.history().readings;
        for &page in &self.of_history {
            for reading in self.participants.live_readings(self.truth, page) {
                let list: &LinkList = &readings[reading as usize].links;
                let next = self.lists.len() as u32;
                if *self.lists.entry(list.digest()).or_insert(next) < next {
                    continue;
                }
                let targets = list.links().iter().map(|link| self.pages.find(&link.address));
                let mut targets: Vec<PageNo> = targets.flatten().collect();
                targets.sort_unstable();
                targets.dedup();
                self.links.restore_list(list.digest(), &targets);
            }
        }
    }

    /// The link scores at a cycle. Cycles must be requested in order: each ranking starts from the
    /// previous one, and is skipped if no link changed.
    pub(super) fn at(&mut self, cycle: usize) -> Arc<LinkScores> {
        let readings = &self.truth.history().readings;
        let shown: Vec<Option<u32>> = self
            .of_history
            .iter()
            .map(|&page| {
                let reading = self.truth.reading(page, cycle)?;
                Some(self.lists[&readings[reading as usize].links.digest()])
            })
            .collect();
        if let Some((before, link_scores)) = &self.before
            && *before == shown
        {
            return Arc::clone(link_scores);
        }
        let (mut pages, mut links) = (self.pages.clone(), self.links.clone());
        let at = self.truth.grid().instant(cycle);
        for (number, &list) in (0_u32..).zip(&shown) {
            if list.is_some() {
                pages.apply(PageNo(number), at, Outcome::First);
            }
            links.restore_shown(list);
        }
        self.ranks = page_rank(&pages, &links, &self.ranks);
        let count = self.truth.history().pages.len();
        let link_scores = LinkScores::compute(&pages, &links, &self.ranks, &self.numbers, count);
        let link_scores = Arc::new(link_scores);
        self.before = Some((shown, Arc::clone(&link_scores)));
        link_scores
    }
}
