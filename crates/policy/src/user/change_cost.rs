//! The cost of an unseen change of a page to searchers, learned from the impact of visits.
//!
//! `docs/papers.md` D3.6: the measured cost on a page, shrunk towards a prior. The prior is the page's
//! exposure in search results times the measured cost per exposure on its host; that ratio is shrunk
//! towards the one of all hosts. A page without exposure may come to match queries, so a part of the mean
//! is added to every page's exposure. The same holds for the impact of a day, if loss is linear in time.
use crawl::{HostNo, Known, Observation, Outcome, PageNo, State};

use instruments::Measured as _;

use crate::by_page::row_mut;

/// Weight of the level above, in changes.
const PRIOR: f64 = 2.0;
/// Added to every page's exposure, as a share of the mean of held pages.
const FLOOR: f64 = 0.1;

/// What impact is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Per {
    /// Changes found.
    Change,
    /// Days waited.
    Day,
}

/// Measurements by page and host; a fold of the log.
#[derive(Clone, Debug)]
pub(crate) struct ChangeCosts {
    per: Per,
    pages: Vec<Measured>,
    hosts: Vec<Pool>,
    all: Pool,
}

/// The impact of visits that compared something, and their changes or days.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    impact: f32,
    over: f32,
}

/// Measurements on many pages.
#[derive(Clone, Copy, Debug, Default)]
struct Pool {
    impact: f64,
    over: f64,
    /// Visits that count in `over`.
    visits: u64,
    /// The impact of measured first visits, and their number.
    firsts: f64,
    first_visits: u64,
}

impl Pool {
    fn add(&mut self, impact: f32, over: f32) {
        self.impact += f64::from(impact);
        self.over += f64::from(over);
        self.visits += u64::from(over > 0.0);
    }

    fn add_first(&mut self, impact: f32) {
        self.firsts += f64::from(impact);
        self.first_visits += 1;
    }

    /// The mean impact of first visits, where `above` is the prior mean.
    fn first(&self, above: f64) -> f64 {
        (self.firsts + PRIOR * above) / (self.first_visits as f64 + PRIOR)
    }
}

impl ChangeCosts {
    pub(crate) fn new(per: Per) -> Self {
        Self { per, pages: vec![], hosts: vec![], all: Pool::default() }
    }

    /// Learns from one observation. An impact below 0 is an error of measurement and counts as 0.
    pub(crate) fn learn(&mut self, seen: &Observation) {
        let Some(impact) = seen.impact.map(|impact| impact.max(0.0)) else { return };
        let (page, host) = (seen.page.index(), seen.host.0 as usize);
        let of_host = row_mut(&mut self.hosts, host);
        if seen.outcome == Outcome::First {
            of_host.add_first(impact);
            self.all.add_first(impact);
        }
        let (Some(changed), Some(since)) = (seen.changed(), seen.since) else { return };
        let over = match self.per {
            Per::Change => f32::from(u8::from(changed)),
            Per::Day => since.days() as f32,
        };
        let of_page = row_mut(&mut self.pages, page);
        of_page.impact += impact;
        of_page.over += over;
        of_host.add(impact, over);
        self.all.add(impact, over);
    }

    /// The costs as of now.
    pub(crate) fn at<'a>(&'a self, known: &'a Known<'_>) -> CurrentCosts<'a> {
        let is_held = |page: &PageNo| known.pages.state(*page) == State::Held;
        let held = known.pages.numbers().filter(is_held);
        let (sum, count) = held.fold((0.0, 0_u32), |(sum, count), page| {
            (sum + f64::from(known.exposure(page)), count + 1)
        });
        let mean_exposure = if sum > 0.0 { Some(sum / f64::from(count)) } else { None };
        let mean_over = match self.per {
            Per::Day if self.all.visits > 0 => self.all.over / self.all.visits as f64,
            Per::Day | Per::Change => 1.0,
        };
        let mut current = CurrentCosts {
            costs: self,
            known,
            mean_exposure,
            prior_over: PRIOR * mean_over,
            all: 1.0,
            hosts: vec![],
        };
        current.compare();
        current
    }
}

/// Costs as of a plan.
pub(crate) struct CurrentCosts<'a> {
    costs: &'a ChangeCosts,
    known: &'a Known<'a>,
    /// The mean exposure of held pages, if any has one.
    mean_exposure: Option<f64>,
    /// Weight of the level above, in changes or days.
    prior_over: f64,
    /// Impact per exposure, over all and by host.
    all: f64,
    hosts: Vec<f64>,
}

impl CurrentCosts<'_> {
    /// The exposure of a page, with the floor: the mean for a page that is not held, and 1 for all pages
    /// without any exposures.
    fn exposure(&self, page: PageNo) -> f64 {
        match self.mean_exposure {
            None => 1.0,
            Some(mean) if self.known.pages.state(page) == State::Held => {
                f64::from(self.known.exposure(page)) + FLOOR * mean
            }
            Some(_) => self.average_exposure(),
        }
    }

    fn average_exposure(&self) -> f64 {
        self.mean_exposure.map_or(1.0, |mean| (1.0 + FLOOR) * mean)
    }

    /// Divides the measured impact by the exposure of the pages on which it was measured.
    fn compare(&mut self) {
        let mut exposed = vec![0.0; self.costs.hosts.len()];
        for (page, measured) in self.known.pages.numbers().zip(&self.costs.pages) {
            if measured.over > 0.0 {
                let host = self.known.pages.host(page).0 as usize;
                exposed[host] += f64::from(measured.over) * self.exposure(page);
            }
        }
        let exposed_all: f64 = exposed.iter().sum();
        let Pool { impact, .. } = self.costs.all;
        self.all = if impact > 0.0 && exposed_all > 0.0 { impact / exposed_all } else { 1.0 };
        let prior = self.prior_over * self.average_exposure();
        let ratio =
            |(pool, exposed): (&Pool, f64)| (pool.impact + prior * self.all) / (exposed + prior);
        self.hosts = self.costs.hosts.iter().zip(exposed).map(ratio).collect();
    }

    /// The cost of a change of a page, or of a day without a visit.
    pub(crate) fn of(&self, page: PageNo) -> f64 {
        let host = self.known.pages.host(page).0 as usize;
        let prior = self.hosts.get(host).copied().unwrap_or(self.all) * self.exposure(page);
        let own = self.costs.pages.get(page.index()).copied().unwrap_or_default();
        (f64::from(own.impact) + self.prior_over * prior) / (f64::from(own.over) + self.prior_over)
    }

    /// The cost of a change of an average page, or of a day without a visit.
    pub(crate) fn average(&self) -> f64 {
        self.all * self.average_exposure()
    }

    /// The worth of the first visit to a page of this host, where `otherwise` is the prior.
    pub(crate) fn first(&self, host: HostNo, otherwise: f64) -> f64 {
        let all = self.costs.all.first(otherwise);
        self.costs.hosts.get(host.0 as usize).map_or(all, |pool| pool.first(all))
    }
}
