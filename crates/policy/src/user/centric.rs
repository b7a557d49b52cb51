//! User-centric crawling: the visits expected to improve search results most.
//!
//! Pandey and Olston, "User-Centric Web Crawling", WWW 2005, section 6.1.3. The priority of a page is the
//! impact of past visits per day waited, times the days since its last visit. Departures: a page without
//! measurements takes the value of its host, shrunk towards that of all; pages never seen come first; and
//! measurements below 0, which can only be errors, count as 0.
use crawl::{Budget, HostNo, Known, Needs, Observation, PageId, PageNo, Plan, Policy};
use instruments::impact::Measure;

use super::{PIECES, SCORING, measure};
use crate::{
    Kind, Parameter, Parameters, PolicyEntry,
    by_page::{GivenValues, row_mut},
    score,
};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    parameters: PARAMETERS,
    ..PolicyEntry::new(
        "user-centric",
        "the visits expected to improve search results most",
        |_, parameters| Box::new(UserCentric::new(parameters)),
    )
};

/// Weight of all hosts compared with a host's own evidence: a month of one page.
const PRIOR_DAYS: f64 = 30.0;
/// The least value of a page without measurements, so that it comes before pages measured to be worth 0.
const LEAST_VALUE: f64 = 1e-30;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "mean",
        meaning: "average over past visits: the mean of impact per day waited, or total impact by total \
                  time, of the last visits or faded",
        default: "ratios",
        kind: Kind::Word(&["ratios", "sums", "decayed"]),
    },
    Parameter {
        name: "window",
        meaning: "how many visits to a page count; if they fade, about how many",
        default: "8",
        kind: Kind::Whole(1, 64),
    },
    SCORING,
    PIECES,
];

/// Visits pages by expected impact.
#[derive(Clone, Debug)]
pub struct UserCentric {
    source: Source,
}

/// Where the impact per day of pages comes from.
#[derive(Clone, Debug)]
enum Source {
    /// Learned from visits, with this measure of impact.
    Learned(Values, Measure),
    Given(GivenValues<f64>),
}

/// How the visits of a page are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mean {
    /// The mean of ratios.
    Ratios,
    /// The ratio of sums.
    Sums,
    /// The ratio of sums, later visits counting more.
    Decayed,
}

/// Measurements by page and host; a fold of the log.
#[derive(Clone, Debug)]
struct Values {
    mean: Mean,
    window: usize,
    /// By page, the visits that count, oldest first; if they fade, their sums as one.
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
    /// Learns from a visit that was measured, compared something and had to wait.
    fn learn(&mut self, seen: &Observation) {
        let (Some(impact), Some(since), Some(_)) = (seen.impact, seen.since, seen.changed()) else {
            return;
        };
        let (impact, days) = (impact.max(0.0), since.days() as f32);
        if days <= 0.0 {
            return;
        }
        let (page, host) = (seen.page.index(), seen.host.0 as usize);
        row_mut(&mut self.hosts, host).add(impact, days);
        self.all.add(impact, days);
        let visits = row_mut(&mut self.pages, page);
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

    /// Impact per day of a host's typical page; 1 for all hosts before any measurement.
    fn host(&self, host: HostNo) -> f64 {
        let all = if self.all.days > 0.0 { self.all.impact / self.all.days } else { 1.0 };
        let own = self.hosts.get(host.0 as usize).copied().unwrap_or_default();
        (own.impact + PRIOR_DAYS * all) / (own.days + PRIOR_DAYS)
    }
}

impl UserCentric {
    fn new(parameters: &Parameters) -> Self {
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

    /// The policy with given impact per day. A page without a value has none.
    pub fn with_values(values: Vec<(PageId, f64)>) -> Self {
        Self { source: Source::Given(GivenValues::new(values)) }
    }

    /// Impact per day of a page.
    fn value(&self, known: &Known<'_>, page: PageNo) -> f64 {
        match &self.source {
            Source::Learned(values, _) => values.of(page, known.pages.host(page)),
            Source::Given(values) => values.get(known, page),
        }
    }
}

impl Policy for UserCentric {
    fn name(&self) -> &'static str {
        match self.source {
            Source::Learned(..) => "user-centric",
            Source::Given(_) => "known-impacts",
        }
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        score::best(known, budget, |page| {
            let age = score::age_days(known, page);
            age.map_or(f64::INFINITY, |age| self.value(known, page) * age)
        })
    }

    fn needs(&self) -> Needs {
        match self.source {
            Source::Learned(_, measure) => Needs::none().with(measure),
            Source::Given(_) => Needs::none(),
        }
    }

    fn learn(&mut self, seen: &Observation) {
        if let Source::Learned(values, _) = &mut self.source {
            values.learn(seen);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
