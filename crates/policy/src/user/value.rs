//! What a change of a page costs searchers while it is not seen, learned from the impact of visits.
//!
//! `docs/papers.md` D3.6: what was found on a page, drawn towards a prior until it is enough. The
//! prior is how much searchers look at the page as it is held, times what changes on its host were
//! found to cost for every such look; that ratio is drawn towards the one of all hosts. A page that
//! nobody looks at may come to hold what is asked for, so a part of the mean is added to every page's
//! looks. The same for the impact of a day, where loss is taken to grow by the day.
use flow::{HostNo, Known, Observation, Outcome, PageNo, State};

/// How many changes the level above counts for against a page's or a host's own.
const PRIOR: f64 = 2.0;
/// What is added to every page's looks, as a part of the mean of held pages.
const FLOOR: f64 = 0.1;

/// What impact is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Per {
    /// Changes found.
    Change,
    /// Days waited.
    Day,
}

/// What was measured on every page and host so far; a fold of the log.
#[derive(Debug)]
pub(super) struct Values {
    per: Per,
    pages: Vec<Measured>,
    hosts: Vec<Pool>,
    all: Pool,
}

/// The impact of visits to a page that compared something, over so many changes or days.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    impact: f32,
    over: f32,
}

/// What was measured on many pages together.
#[derive(Clone, Copy, Debug, Default)]
struct Pool {
    impact: f64,
    over: f64,
    /// Visits that count in `over`.
    visits: u64,
    /// The impact of first visits, and how many were measured.
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

    /// The mean impact of first visits, where `above` is what is believed without them.
    fn first(&self, above: f64) -> f64 {
        (self.firsts + PRIOR * above) / (self.first_visits as f64 + PRIOR)
    }
}

impl Values {
    pub(super) fn new(per: Per) -> Self {
        Self { per, pages: vec![], hosts: vec![], all: Pool::default() }
    }

    /// Takes in one observation. What was measured below 0 is an error of measurement and counts as 0.
    pub(super) fn learn(&mut self, seen: &Observation) {
        let Some(impact) = seen.impact.map(|impact| impact.max(0.0)) else { return };
        let (page, host) = (seen.page.index(), seen.host.0 as usize);
        if self.hosts.len() <= host {
            self.hosts.resize(host + 1, Pool::default());
        }
        if seen.outcome == Outcome::First {
            self.hosts[host].add_first(impact);
            self.all.add_first(impact);
        }
        let (Some(changed), Some(since)) = (seen.changed(), seen.since) else { return };
        let over = match self.per {
            Per::Change => f32::from(u8::from(changed)),
            Per::Day => since.days() as f32,
        };
        if self.pages.len() <= page {
            self.pages.resize(page + 1, Measured::default());
        }
        self.pages[page].impact += impact;
        self.pages[page].over += over;
        self.hosts[host].add(impact, over);
        self.all.add(impact, over);
    }

    /// What is believed now.
    pub(super) fn at<'a>(&'a self, known: &'a Known<'_>) -> Valued<'a> {
        let is_held = |page: &PageNo| known.pages.state(*page) == State::Held;
        let held = known.pages.numbers().filter(is_held);
        let (sum, count) = held.fold((0.0, 0_u32), |(sum, count), page| {
            (sum + f64::from(known.exposure(page)), count + 1)
        });
        let mean_looks = if sum > 0.0 { Some(sum / f64::from(count)) } else { None };
        let mean_over = match self.per {
            Per::Day if self.all.visits > 0 => self.all.over / self.all.visits as f64,
            Per::Day | Per::Change => 1.0,
        };
        let mut valued = Valued {
            values: self,
            known,
            mean_looks,
            prior_over: PRIOR * mean_over,
            all: 1.0,
            hosts: vec![],
        };
        valued.compare();
        valued
    }
}

/// Values as of a plan.
pub(super) struct Valued<'a> {
    values: &'a Values,
    known: &'a Known<'a>,
    /// The mean of what held pages are looked at, where that is known of any.
    mean_looks: Option<f64>,
    /// Over how many changes or days the level above counts.
    prior_over: f64,
    /// Impact for every look, over all and by host.
    all: f64,
    hosts: Vec<f64>,
}

impl Valued<'_> {
    /// How much a page is looked at, and may come to be: the mean for one that is not held, and 1
    /// for all where nothing is known.
    fn looks(&self, page: PageNo) -> f64 {
        match self.mean_looks {
            None => 1.0,
            Some(mean) if self.known.pages.state(page) == State::Held => {
                f64::from(self.known.exposure(page)) + FLOOR * mean
            }
            Some(_) => self.average_looks(),
        }
    }

    fn average_looks(&self) -> f64 {
        self.mean_looks.map_or(1.0, |mean| (1.0 + FLOOR) * mean)
    }

    /// Holds what was found against how much the pages are looked at on which it was.
    fn compare(&mut self) {
        let mut looked = vec![0.0; self.values.hosts.len()];
        for (page, measured) in self.known.pages.numbers().zip(&self.values.pages) {
            if measured.over > 0.0 {
                let host = self.known.pages.host(page).0 as usize;
                looked[host] += f64::from(measured.over) * self.looks(page);
            }
        }
        let looked_all: f64 = looked.iter().sum();
        let Pool { impact, .. } = self.values.all;
        self.all = if impact > 0.0 && looked_all > 0.0 { impact / looked_all } else { 1.0 };
        let prior = self.prior_over * self.average_looks();
        let ratio =
            |(pool, looked): (&Pool, f64)| (pool.impact + prior * self.all) / (looked + prior);
        self.hosts = self.values.hosts.iter().zip(looked).map(ratio).collect();
    }

    /// What a change of a page costs, or a day without a visit.
    pub(super) fn of(&self, page: PageNo) -> f64 {
        let host = self.known.pages.host(page).0 as usize;
        let prior = self.hosts.get(host).copied().unwrap_or(self.all) * self.looks(page);
        let own = self.values.pages.get(page.index()).copied().unwrap_or_default();
        (f64::from(own.impact) + self.prior_over * prior) / (f64::from(own.over) + self.prior_over)
    }

    /// What a change of an average page costs, or a day without a visit.
    pub(super) fn average(&self) -> f64 {
        self.all * self.average_looks()
    }

    /// What the first visit to a page of this host is worth, where `otherwise` is what is believed
    /// while no first visits were measured.
    pub(super) fn first(&self, host: HostNo, otherwise: f64) -> f64 {
        let all = self.values.all.first(otherwise);
        self.values.hosts.get(host.0 as usize).map_or(all, |pool| pool.first(all))
    }
}
