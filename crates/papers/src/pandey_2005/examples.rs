//! Pages on which policies differ, found by comparing their visits (figure 5).
//!
//! Two kinds, as in the paper: pages that `staleness-based` visits often although their changes
//! move no answers, and changes that move answers, which it finds late or never and
//! `user-centric-index` finds early. The clearest of each kind are shown, at most one per host
//! where there are several hosts.
use std::sync::{Arc, Mutex, PoisonError};

use crawl::{Budget, Known, Needs, Observation, PageNo, Plan, Policy};
use instruments::impact::Measure;
use lab::{
    hindsight::WholeRecord,
    report::{
        figure::{Example, Figure},
        words,
    },
    tournament::{NameError, TournamentError, visits_per_cycle},
};
use policy::PolicySpec;
use text::relevance::Scoring;

use crate::{
    analysis::Context,
    evidence::Measured,
    pandey_2005::{excerpt::differences, searched_web::SearchedWeb},
};

/// The webs that are searched for examples.
const MOST_WEBS: usize = 2;

/// The policies that are compared.
const BY_STALENESS: &str = "staleness-based";
const BY_IMPACT: &str = "user-centric-index:scoring=tf-idf";
/// Their budget.
const SHARE: f64 = 0.05;
/// The number of examples of each kind, over all webs.
const SHOWN: usize = 3;
/// A page moves next to no answers if its changes move at most this share of the mean over pages.
const NEXT_TO_NOTHING: f64 = 0.01;
/// The most queries that are named.
const QUERIES: usize = 5;

/// Compares the policies on every web and keeps the clearest examples.
pub(crate) fn examples(context: &Context<'_>) -> Result<Measured, TournamentError> {
    let (mut needless, mut late) = (vec![], vec![]);
    for source in context.webs.iter().take(MOST_WEBS) {
        let Some(web) = SearchedWeb::load(context, source)? else { continue };
        let found = Compared::new(&web)?;
        for (all, some) in [(&mut needless, found.needless()), (&mut late, found.late())] {
            let pages = web.dataset.pages();
            let shown = spread_over_hosts(some, |case| pages.host(PageNo(case.page as u32)));
            let texts = |source| TournamentError::Texts { web: web.name.clone(), source };
            for case in shown {
                all.push((case.score, found.example(&case).map_err(texts)?));
            }
        }
    }
    let mut figure = Figure::default();
    for mut kind in [needless, late] {
        // The sort is stable: of equal ones those of the first web stay first.
        kind.sort_by(|one: &(f64, Example), other| other.0.total_cmp(&one.0));
        let host = |(_, example): &(f64, Example)| {
            example.address.split('/').nth(2).unwrap_or_default().to_owned()
        };
        figure
            .examples
            .extend(spread_over_hosts(kind, host).into_iter().map(|(_, example)| example));
    }
    if figure.examples.is_empty() {
        return Ok(Measured::Nothing("no page on which the policies differed clearly".to_owned()));
    }
    Ok(Measured::Analysis(figure))
}

/// The visits of two policies on one web, beside all changes of its pages.
struct Compared<'w> {
    web: &'w SearchedWeb,
    record: WholeRecord,
    staleness: Visits,
    impact: Visits,
}

/// By page, the cycles in which it was visited.
type Visits = Vec<Vec<usize>>;

/// A change of a page that may be an example.
#[derive(Clone, Copy, Debug)]
struct Case {
    page: usize,
    /// Which of its changes.
    change: usize,
    /// How clear it is; comparable within its kind.
    score: f64,
    is_needless: bool,
}

impl<'w> Compared<'w> {
    fn new(web: &'w SearchedWeb) -> Result<Self, TournamentError> {
        let record = WholeRecord::record(&web.dataset, Some(Measure::by(Scoring::TfIdf)))?;
        let visits = |name: &str| -> Result<Visits, TournamentError> {
            let inner = PolicySpec::parse(name).map_err(NameError::from)?.make(0);
            let measure = inner.needs().find::<Measure>().copied();
            let visits = Arc::new(Mutex::new(vec![vec![]; record.pages.len()]));
            let logged = Logged { inner, visits: Arc::clone(&visits), cycle: 0 };
            let budget = Budget(visits_per_cycle(SHARE, web.dataset.pages_at_start()));
            web.dataset.run_to_end(Box::new(logged), measure, budget, None)?;
            let mut visits = visits.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(std::mem::take(&mut *visits))
        };
        let (staleness, impact) = (visits(BY_STALENESS)?, visits(BY_IMPACT)?);
        Ok(Self { web, record, staleness, impact })
    }

    /// Pages that one policy visits often for nothing, the clearest first, with their largest
    /// change.
    fn needless(&self) -> Vec<Case> {
        let totals = self
            .record
            .pages
            .iter()
            .map(|page| -> f64 { page.changes.iter().map(|change| change.impact).sum() });
        let totals: Vec<f64> = totals.collect();
        let moving = self.record.pages.iter().filter(|page| !page.changes.is_empty()).count();
        let little = NEXT_TO_NOTHING * totals.iter().sum::<f64>() / moving.max(1) as f64;
        let case = |page: usize| {
            let changes = &self.record.pages[page].changes;
            let more = self.staleness[page].len() as f64 - self.impact[page].len() as f64;
            // Of equal changes the first.
            let largest = (0..changes.len())
                .rev()
                .max_by(|&one, &other| changes[one].amount.total_cmp(&changes[other].amount))?;
            let is_case = totals[page] <= little
                && changes.len() > 1
                && more > 0.0
                && self.is_shown(page, largest);
            let score = more * changes[largest].amount;
            is_case.then_some(Case { page, change: largest, score, is_needless: true })
        };
        sorted((0..totals.len()).filter_map(case).collect())
    }

    /// Changes of much impact that one policy finds late or never and the other early.
    fn late(&self) -> Vec<Case> {
        let case = |page: usize, change: usize| {
            let found = self.record.pages[page].changes[change];
            let (one, other) =
                (self.wait(&self.staleness, page, change), self.wait(&self.impact, page, change));
            let score = found.impact * (one as f64 - other as f64);
            let is_case = score > 0.0 && self.is_shown(page, change);
            is_case.then_some(Case { page, change, score, is_needless: false })
        };
        let of_page = |page: usize| {
            let changes = 0..self.record.pages[page].changes.len();
            // One change of each page.
            sorted(changes.filter_map(|change| case(page, change)).collect()).into_iter().next()
        };
        sorted((0..self.record.pages.len()).filter_map(of_page).collect())
    }

    /// Whether the page can be a search result before a change and after it: feeds cannot, and a
    /// page that is gone has no text to show.
    fn is_shown(&self, page: usize, change: usize) -> bool {
        let quality = &self.web.quality;
        let is_result = |reading: Option<u32>| {
            reading.is_some_and(|reading| quality.profile(reading).is_some())
        };
        self.readings(page, change).into_iter().all(is_result)
    }

    /// The readings before a change and after it.
    fn readings(&self, page: usize, change: usize) -> [Option<u32>; 2] {
        let truth = &self.web.loaded.truth;
        let address = self.web.dataset.pages().address(PageNo(page as u32));
        let cycle = self.record.pages[page].changes[change].cycle;
        let number = truth.find(address);
        [cycle - 1, cycle].map(|cycle| truth.reading(number?, cycle))
    }

    /// The cycles that a change waits for a visit; all of its time where it is never found.
    fn wait(&self, visits: &Visits, page: usize, change: usize) -> usize {
        let (from, to) = self.lasts(page, change);
        self.found(visits, page, change).unwrap_or(to) - from
    }

    /// The cycle in which a change is found, before the next change.
    fn found(&self, visits: &Visits, page: usize, change: usize) -> Option<usize> {
        let (from, to) = self.lasts(page, change);
        visits[page].iter().copied().find(|cycle| (from..to).contains(cycle))
    }

    /// The first cycle in which a change can be seen, and the first in which it no longer can.
    fn lasts(&self, page: usize, change: usize) -> (usize, usize) {
        let changes = &self.record.pages[page].changes;
        let end = self.web.loaded.truth.grid().cycles + 1;
        (changes[change].cycle, changes.get(change + 1).map_or(end, |next| next.cycle))
    }

    /// The example of a case, with the text of the page.
    fn example(&self, case: &Case) -> Result<Example, lab::compare::TextsError> {
        let Case { page, change, is_needless, .. } = *case;
        let pages = self.web.dataset.pages();
        let address = pages.address(PageNo(page as u32)).to_owned();
        let found = self.record.pages[page].changes[change];
        let truth = &self.web.loaded.truth;
        let number = truth.find(&address).unwrap_or_default();
        let readings = self.readings(page, change);
        let contents = self.web.loaded.texts.contents(number)?;
        let text = |reading: Option<u32>| {
            let content = contents.iter().find(|(other, _)| Some(*other) == reading);
            content.map(|(_, content)| content)
        };
        let [before, after] = readings.map(text);
        let of = |content: Option<&Arc<crawl::Content>>| {
            content.map_or("", |content| content.text.as_str()).to_owned()
        };
        let (removed, added) = differences(&of(before), &of(after));
        let date = jiff::Timestamp::from_millisecond(truth.grid().instant(found.cycle).millis());
        Ok(Example {
            says: self.summary(case),
            title: after.or(before).map_or_else(String::new, |content| content.title.clone()),
            date: date.map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%d").to_string()),
            change: {
                let moved = match 100.0 * found.impact {
                    percent if percent < 5e-5 => "no answers moved".to_owned(),
                    percent => format!("answers moved by {percent:.4} % of what all are worth"),
                };
                format!("{:.0} % of the page changed; {moved}", 100.0 * found.amount)
            },
            policies: [(BY_STALENESS, &self.staleness), (BY_IMPACT, &self.impact)]
                .map(|(name, visits)| (name.to_owned(), self.did(visits, case)))
                .into(),
            queries: if is_needless { vec![] } else { self.moved(readings) },
            address,
            removed,
            added,
        })
    }

    fn summary(&self, case: &Case) -> String {
        let changes = &self.record.pages[case.page].changes;
        if case.is_needless {
            format!(
                "Visited for nothing: the page changed in {} cycles and its changes moved next to no \
                 answers.",
                changes.len()
            )
        } else {
            "Found late: a change that moved answers waited for a visit.".to_owned()
        }
    }

    /// What a policy did in a case, in words.
    fn did(&self, visits: &Visits, case: &Case) -> String {
        if case.is_needless {
            return words::count(visits[case.page].len(), "visit");
        }
        let (from, to) = self.lasts(case.page, case.change);
        match self.found(visits, case.page, case.change) {
            Some(cycle) if cycle == from => "found it in the first cycle".to_owned(),
            Some(cycle) => format!("found it {} later", words::count(cycle - from, "cycle")),
            None => {
                format!("never found it in {} that it lasted", words::count(to - from, "cycle"))
            }
        }
    }

    /// The queries whose words became more or less frequent on the page, by their
    /// frequency and how much the page changed.
    fn moved(&self, readings: [Option<u32>; 2]) -> Vec<String> {
        let quality = &self.web.quality;
        let [before, after] =
            readings.map(|reading| reading.and_then(|reading| quality.profile(reading)));
        let part = |profile: Option<&text::relevance::Profile>, words: &[u32]| -> f64 {
            let Some(profile) = profile else { return 0.0 };
            let counts = words.iter().map(|&word| profile.count(word));
            let roots = counts.map(|count| f64::from(count).sqrt());
            // A page answers a query if it contains all of its words.
            let (least, sum) =
                roots.fold((f64::MAX, 0.0), |(least, sum), root| (root.min(least), sum + root));
            if least > 0.0 { sum / f64::from(profile.length.max(1)).sqrt() } else { 0.0 }
        };
        let mut moved: Vec<(f64, &str)> = quality
            .queries()
            .iter()
            .map(|query| {
                let change = part(after, &query.words) - part(before, &query.words);
                (query.frequency * change.abs(), query.text.as_str())
            })
            .filter(|(moved, _)| *moved > 0.0)
            .collect();
        moved.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
        moved.into_iter().take(QUERIES).map(|(_, text)| text.to_owned()).collect()
    }
}

/// Sorts the clearest first; of equal ones the first page.
fn sorted(mut cases: Vec<Case>) -> Vec<Case> {
    cases.sort_by(|one, other| other.score.total_cmp(&one.score));
    cases
}

/// The first few in their order, preferring different hosts.
fn spread_over_hosts<T, H: PartialEq>(all: Vec<T>, host: impl Fn(&T) -> H) -> Vec<T> {
    let hosts: Vec<H> = all.iter().map(host).collect();
    let is_first = |place: &usize| !hosts[..*place].contains(&hosts[*place]);
    let (first, again): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(is_first);
    let mut shown: Vec<usize> = first.into_iter().chain(again).take(SHOWN).collect();
    shown.sort_unstable();
    let is_shown = |place: usize| shown.binary_search(&place).is_ok();
    let all = all.into_iter().enumerate();
    all.filter(|(place, _)| is_shown(*place)).map(|(_, one)| one).collect()
}

/// A policy that records its visits in a shared list.
struct Logged {
    inner: Box<dyn Policy>,
    visits: Arc<Mutex<Visits>>,
    /// The cycle, from 1 on.
    cycle: usize,
}

impl Policy for Logged {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn needs(&self) -> Needs {
        self.inner.needs()
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.cycle = known.cycle as usize + 1;
        self.inner.plan(known, budget)
    }

    fn learn(&mut self, seen: &Observation) {
        let mut visits = self.visits.lock().unwrap_or_else(PoisonError::into_inner);
        if self.cycle > 0
            && let Some(visits) = visits.get_mut(seen.page.index())
        {
            visits.push(self.cycle);
        }
        self.inner.learn(seen);
    }

    fn fork(&self) -> Box<dyn Policy> {
        let visits = self.visits.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let visits = Arc::new(Mutex::new(visits));
        Box::new(Self { inner: self.inner.fork(), visits, cycle: self.cycle })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_different_as_far_as_there_are_any_and_the_order_stays() {
        let host = |word: &&str| word.chars().next();
        assert_eq!(
            spread_over_hosts(vec!["a1", "a2", "b1", "a3", "c1", "d1"], host),
            ["a1", "b1", "c1"]
        );
        assert_eq!(spread_over_hosts(vec!["a1", "a2", "b1", "a3"], host), ["a1", "a2", "b1"]);
        assert_eq!(spread_over_hosts(vec!["a1", "a2"], host), ["a1", "a2"]);
    }
}
