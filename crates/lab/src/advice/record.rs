//! What the log says about a sample of the pages.
//!
//! A simulation of millions of pages would take hours and tell nothing that a few thousand do not. Pages
//! are sampled by a hash of their address, so the sample does not depend on the order of the log.
use crawl::{Links, Observation, PageNo, Pages, Signal, State, Time};

/// The log of a sample of the pages, renumbered.
#[derive(Clone, Debug)]
pub struct Record {
    /// The sampled pages in their present state.
    pub pages: Pages,
    /// Their links; empty where pages were left out.
    pub links: Links,
    /// Their observations, in order.
    pub log: Vec<Observation>,
    /// The present.
    pub now: Time,
    /// The number of finished cycles.
    pub cycles: u32,
    /// Held pages in the whole repository.
    pub held: usize,
}

impl Record {
    /// The number of held pages in the sample.
    pub fn simulated(&self) -> usize {
        self.pages.states().iter().filter(|&&state| state == State::Held).count()
    }

    /// Held pages of the repository for each of the sample.
    pub fn scale(&self) -> f64 {
        self.held as f64 / self.simulated().max(1) as f64
    }

    /// The budget for the sample that corresponds to one for the repository.
    pub fn scaled(&self, budget: u32) -> u32 {
        ((f64::from(budget) / self.scale()).round() as u32).max(1)
    }
}

/// Makes a [`Record`] from a repository.
#[derive(Debug)]
pub struct Recorder {
    record: Record,
    /// By page of the repository, its number in the record.
    numbers: Vec<Option<PageNo>>,
}

impl Recorder {
    /// A recorder of a sample of at most about `most` pages.
    pub fn new(pages: &Pages, links: &Links, cycles: u32, now: Time, most: usize) -> Self {
        let share = most as f64 / pages.len().max(1) as f64;
        let limit = if share >= 1.0 { u64::MAX } else { (share * u64::MAX as f64) as u64 };
        let mut sample = Pages::default();
        let numbers: Vec<Option<PageNo>> = pages
            .numbers()
            .map(|page| {
                let is_in = pages.id(page).0 <= limit;
                is_in.then(|| sample.restore(pages.address(page), &pages.record(page)))
            })
            .collect();
        let is_whole = sample.len() == pages.len();
        let held = pages.states().iter().filter(|&&state| state == State::Held).count();
        let links = if is_whole { links.clone() } else { Links::default() };
        Self { record: Record { pages: sample, links, log: vec![], now, cycles, held }, numbers }
    }

    /// Adds an observation of the log. Call it in the order of the log.
    pub fn add(&mut self, seen: &Observation) {
        let number = |page: PageNo| self.numbers.get(page.index()).copied().flatten();
        let Some(page) = number(seen.page) else { return };
        let signal = |signal: &Signal| Some(Signal { page: number(signal.page)?, ..*signal });
        let own = Observation {
            page,
            host: self.record.pages.host(page),
            leads: seen.leads.iter().filter_map(|&lead| number(lead)).collect(),
            signals: seen.signals.iter().filter_map(signal).collect(),
            fault: None,
            ..seen.clone()
        };
        self.record.log.push(own);
    }

    /// The record.
    pub fn finish(self) -> Record {
        self.record
    }
}
