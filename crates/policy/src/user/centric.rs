//! User-centric crawling: the visits expected to do most for the answers that searchers get.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005, section 6.1.3. What past visits to a page
//! did to answers, per day since the visit before, is taken to go on: a page's priority is that times
//! the days since its last visit. Departures: a page of which nothing was measured takes the value of
//! its host, drawn to that of all; pages never seen come first; and what was measured below 0, which can
//! only be an error of measurement, counts as 0.
use flow::{Budget, HostNo, Known, Observation, PageId, PageNo, Plan, Policy, impact::Measure};

use super::{PIECES, SCORING, measure};
use crate::{Kind, Parameter, Parameters, score};

/// How much evidence that of all hosts counts for against a host's own: a month of one page.
const PRIOR_DAYS: f64 = 30.0;
/// The least value of a page of which nothing was measured, so that it comes before those that were
/// measured to be worth nothing.
const LEAST_VALUE: f64 = 1e-30;

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "mean",
        meaning: "what is taken of past visits: the mean of impact by time waited, or all impact by \
                  all time, of the last ones alone or faded",
        default: "ratios",
        kind: Kind::Word(&["ratios", "sums", "decayed"]),
    },
    Parameter {
        name: "window",
        meaning: "how many visits to a page count; where they fade, how many at most",
        default: "8",
        kind: Kind::Whole(1, 64),
    },
    SCORING,
    PIECES,
];

/// Visits pages by expected impact.
#[derive(Debug)]
pub struct UserCentric {
    source: Source,
}

/// Where the impact per day of pages comes from.
#[derive(Debug)]
enum Source {
    /// Learned from visits whose impact is measured so.
    Learned(Values, Measure),
    /// Given, by page id in ascending order: for the lab, where the truth is known.
    Told(Vec<(PageId, f64)>),
}

/// How the visits of a page are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mean {
    /// The mean of their ratios.
    Ratios,
    /// The ratio of their sums.
    Sums,
    /// The ratio of their sums, each visit counting less than the next.
    Decayed,
}

/// What was measured on every page and host; a fold of the log.
#[derive(Debug)]
struct Values {
    mean: Mean,
    window: usize,
    /// By page, the visits that count, oldest first; where they fade, their sums in one.
    pages: Vec<Vec<Measured<f32>>>,
    hosts: Vec<Measured<f64>>,
    all: Measured<f64>,
}

/// Impact, and the days waited for it.
#[derive(Clone, Copy, Debug, Default)]
struct Measured<Number> {
    impact: Number,
    days: Number,
}

impl Measured<f64> {
    fn add(&mut self, impact: f32, days: f32) {
        self.impact += f64::from(impact);
        self.days += f64::from(days);
    }
}

impl Values {
    /// Takes in one observation: a visit that was measured, compares something and had to wait.
    fn learn(&mut self, seen: &Observation) {
        let (Some(impact), Some(since), Some(_)) = (seen.impact, seen.since, seen.changed()) else {
            return;
        };
        let (impact, days) = (impact.max(0.0), since.days() as f32);
        if days <= 0.0 {
            return;
        }
        let (page, host) = (seen.page.index(), seen.host.0 as usize);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, Vec::new);
        }
        if self.hosts.len() <= host {
            self.hosts.resize(host + 1, Measured::default());
        }
        self.hosts[host].add(impact, days);
        self.all.add(impact, days);
        let visits = &mut self.pages[page];
        if let (Mean::Decayed, Some(sums)) = (self.mean, visits.first_mut()) {
            let kept = 1.0 - 1.0 / self.window as f32;
            sums.impact = sums.impact * kept + impact;
            sums.days = sums.days * kept + days;
            return;
        }
        if visits.len() == self.window {
            visits.remove(0);
        }
        visits.push(Measured { impact, days });
    }

    /// Impact per day of a page; above 0 where nothing was measured on it.
    fn of(&self, page: PageNo, host: HostNo) -> f64 {
        match self.pages.get(page.index()) {
            Some(visits) if !visits.is_empty() => self.mean_of(visits),
            _ => self.host(host).max(LEAST_VALUE),
        }
    }

    fn mean_of(&self, visits: &[Measured<f32>]) -> f64 {
        if self.mean == Mean::Ratios {
            let ratios = visits.iter().map(|one| f64::from(one.impact) / f64::from(one.days));
            return ratios.sum::<f64>() / visits.len() as f64;
        }
        let mut sums = Measured::default();
        for one in visits {
            sums.add(one.impact, one.days);
        }
        sums.impact / sums.days
    }

    /// Impact per day of a host's typical page; 1 for all while nothing was measured at all.
    fn host(&self, host: HostNo) -> f64 {
        let all = if self.all.days > 0.0 { self.all.impact / self.all.days } else { 1.0 };
        let own = self.hosts.get(host.0 as usize).copied().unwrap_or_default();
        (own.impact + PRIOR_DAYS * all) / (own.days + PRIOR_DAYS)
    }
}

impl UserCentric {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let mean = match parameters.word("mean") {
            "sums" => Mean::Sums,
            "decayed" => Mean::Decayed,
            _ => Mean::Ratios,
        };
        let values = Values {
            mean,
            window: parameters.whole("window") as usize,
            pages: vec![],
            hosts: vec![],
            all: Measured::default(),
        };
        Self { source: Source::Learned(values, measure(parameters)) }
    }

    /// The policy with the impact per day given for each page; a page not named has none.
    pub fn told(mut values: Vec<(PageId, f64)>) -> Self {
        values.sort_unstable_by_key(|&(page, _)| page);
        Self { source: Source::Told(values) }
    }

    /// Impact per day of a page.
    fn value(&self, known: &Known<'_>, page: PageNo) -> f64 {
        match &self.source {
            Source::Learned(values, _) => values.of(page, known.pages.host(page)),
            Source::Told(values) => {
                let row = values.binary_search_by_key(&known.pages.id(page), |&(page, _)| page);
                row.map_or(0.0, |row| values[row].1)
            }
        }
    }
}

impl Policy for UserCentric {
    fn name(&self) -> &'static str {
        match self.source {
            Source::Learned(..) => "user-centric",
            Source::Told(_) => "known-impacts",
        }
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        score::best(known, budget, |page| {
            let age = score::age_days(known, page);
            age.map_or(f64::INFINITY, |age| self.value(known, page) * age)
        })
    }

    fn measure(&self) -> Option<Measure> {
        match self.source {
            Source::Learned(_, measure) => Some(measure),
            Source::Told(_) => None,
        }
    }

    fn learn(&mut self, seen: &Observation) {
        if let Source::Learned(values, _) = &mut self.source {
            values.learn(seen);
        }
    }
}
