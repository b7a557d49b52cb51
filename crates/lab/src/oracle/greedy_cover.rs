//! An oracle for discovery: it knows what every held page shows now.
use std::sync::Arc;

use crawl::{Budget, Known, PageNo, Plan, Policy, Reason, State, Visit};
use policy::discover::{Leads, Until, greedy};

use crate::{
    discovery::links::SiteLinks,
    truth::{GroundTruth, HistoryNumbers},
};

/// The name of the oracle.
const NAME: &str = "greedy-cover";

/// Above any possible value of finding pages.
const FIRST: f64 = 1e9;

/// Why a text is not a greedy cover.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{NAME} takes share=S with S above 0 and at most 1, not {0:?}")]
pub struct CoverError(String);

/// Parses the share of the pages to be found; `None` if the text names something else.
pub(crate) fn share(word: &str) -> Option<Result<f64, CoverError>> {
    let rest = word.strip_prefix(NAME)?;
    if rest.is_empty() {
        return Some(Ok(1.0));
    }
    let written = rest.strip_prefix(':')?;
    let share = written.strip_prefix("share=").and_then(|share| share.parse::<f64>().ok());
    let share = share.filter(|share| *share > 0.0 && *share <= 1.0);
    Some(share.ok_or_else(|| CoverError(written.to_owned())))
}

/// The canonical text of the greedy cover with a share.
pub(crate) fn cover_name(share: f64) -> String {
    if share < 1.0 { format!("{NAME}:share={share}") } else { NAME.to_owned() }
}

/// In each cycle plans the first visits of linked pages that exist, then a greedy cover of the live
/// pages that the run does not know, then the pages not visited for longest, so that the whole
/// budget is spent.
///
/// Dasgupta et al. 2007, section 2.2, on the held pages instead of all old pages: a page that was
/// not found when it was new is still to be found. A visit of the cover is planned only if its
/// finds can be visited in the same cycle, too.
#[derive(Clone, Debug)]
pub struct GreedyCover {
    truth: Arc<GroundTruth>,
    links: Arc<SiteLinks>,
    share: f64,
    numbers: HistoryNumbers,
    /// By page of the history, whether the run knows it.
    is_known: Vec<bool>,
    seen: usize,
    /// The cycle, and how many of its unknown pages may stay unknown.
    leaves: Option<(u32, usize)>,
}

impl GreedyCover {
    /// Covers `share` of the unknown pages in each cycle.
    pub fn new(truth: Arc<GroundTruth>, share: f64) -> Self {
        let links = Arc::new(SiteLinks::new(&truth));
        Self::with_links(truth, links, share)
    }

    /// The same with shared links.
    pub(crate) fn with_links(truth: Arc<GroundTruth>, links: Arc<SiteLinks>, share: f64) -> Self {
        let is_known = vec![false; truth.history().pages.len()];
        let numbers = HistoryNumbers::default();
        Self { truth, links, share, numbers, is_known, seen: 0, leaves: None }
    }

    fn update(&mut self, known: &Known<'_>) {
        self.numbers.update(&self.truth, known.pages);
        for page in self.seen..known.pages.len() {
            if let Some(number) = self.numbers.get(PageNo(page as u32)) {
                self.is_known[number] = true;
            }
        }
        self.seen = known.pages.len();
    }

    /// Which of the due pages lead to unknown ones. Keys are page numbers of the run.
    fn leads(&self, known: &Known<'_>, cycle: usize) -> Leads {
        let mut unknown = vec![];
        let mut place = |(page, is_known): (usize, &bool)| {
            let reading = self.truth.reading(page, cycle).filter(|_| !is_known)?;
            unknown.push(reading);
            Some(unknown.len() as u32 - 1)
        };
        let places: Vec<Option<u32>> = self.is_known.iter().enumerate().map(&mut place).collect();
        if unknown.is_empty() {
            return Leads::new(0, vec![], vec![]);
        }
        let shown = |reading: u32| -> Vec<u32> {
            self.links.targets(reading).iter().filter_map(|&to| places[to as usize]).collect()
        };
        let held = |page: &PageNo| known.pages.state(*page) == State::Held;
        let row = |page: PageNo| {
            let reading = self.truth.reading(self.numbers.get(page)?, cycle)?;
            Some((page.0, shown(reading)))
        };
        let rows = known.due().filter(held).filter_map(row).filter(|row| !row.1.is_empty());
        let chains = (0_u32..).zip(&unknown).map(|(place, &reading)| (place, shown(reading)));
        let chains = chains.filter(|chain| !chain.1.is_empty()).collect();
        Leads::new(unknown.len(), rows.collect(), chains)
    }

    /// The visits of a cover that fit into `budget`, together with the visits of their finds.
    fn cover(&mut self, known: &Known<'_>, cycle: usize, budget: usize) -> Vec<Visit> {
        let leads = self.leads(known, cycle);
        let coverable = leads.covered();
        let leaves = match self.leaves {
            Some((of, leaves)) if of == known.cycle => leaves,
            _ => ((1.0 - self.share) * coverable as f64) as usize,
        };
        self.leaves = Some((known.cycle, leaves));
        let (mut found, mut spent, mut visits) = (0, 0, vec![]);
        for step in greedy(&leads, Until::Visits(budget)) {
            let cost = 1 + step.gained as usize;
            let fits = visits.is_empty() || spent + cost <= budget;
            if coverable - found <= leaves || !fits {
                break;
            }
            found += step.gained as usize;
            spent += cost;
            let page = PageNo(leads.pages()[step.row]);
            visits.push(Visit { page, score: f64::from(step.gained), reason: Reason::Discover });
        }
        visits
    }
}

impl Policy for GreedyCover {
    fn name(&self) -> &'static str {
        NAME
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        self.update(known);
        let cycle = self.truth.grid().number(known.now);
        let exists = |page: &PageNo| {
            let number = self.numbers.get(*page);
            number.is_some_and(|number| self.truth.reading(number, cycle).is_some())
        };
        let linked = |page: &PageNo| known.pages.state(*page) == State::Linked;
        let first = |page| Visit { page, score: FIRST, reason: Reason::First };
        let firsts = known.due().filter(|page| linked(page) && exists(page)).map(first).collect();
        let mut plan = Plan::best(budget, firsts, known.pages);
        let left = budget.less(plan.0.len());
        plan.0.extend(self.cover(known, cycle, left.0 as usize));
        if plan.0.is_empty() {
            let refresh = |page| Visit { page, score: 0.0, reason: Reason::Refresh };
            let held = known.due().filter(|page| !linked(page)).map(refresh).collect();
            plan = Plan::best(budget, held, known.pages);
        }
        plan
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crawl::{Links, Outcome, Pages, Time};

    use super::*;
    use crate::discovery::testing::truth;

    #[test]
    fn a_name_has_a_share_or_is_said_to_be_wrong() {
        assert_eq!(share("greedy-cover"), Some(Ok(1.0)));
        assert_eq!(share("greedy-cover:share=0.90"), Some(Ok(0.9)));
        assert_eq!((share("greedy"), share("greedy-covers")), (None, None));
        for wrong in ["greedy-cover:share=0", "greedy-cover:share=1.5", "greedy-cover:rho=1"] {
            assert!(share(wrong).unwrap().is_err(), "{wrong}");
        }
        assert_eq!(
            (cover_name(0.9).as_str(), cover_name(1.0).as_str()),
            ("greedy-cover:share=0.9", "greedy-cover")
        );
    }

    /// Pages 1 to 3 are held; at the first cycle 1 shows 4 and 5, 2 shows 5, 3 shows 6, and 4 shows 7.
    fn planned(share: f64, budget: u32, linked: &[&str]) -> Vec<(String, Reason)> {
        let new = |shown: Vec<&'static str>| vec![None, Some(shown)];
        let truth = Arc::new(truth(&[
            ("http://a/1", vec![Some(vec![]), Some(vec!["http://a/4", "http://a/5"])]),
            ("http://a/2", vec![Some(vec![]), Some(vec!["http://a/5"])]),
            ("http://a/3", vec![Some(vec![]), Some(vec!["http://a/6"])]),
            ("http://a/4", new(vec!["http://a/7"])),
            ("http://a/5", new(vec![])),
            ("http://a/6", new(vec![])),
            ("http://a/7", new(vec![])),
            ("http://a/8", vec![Some(vec![]), None]),
        ]));
        let mut pages = Pages::default();
        let start = Time::from_millis(0);
        for address in ["http://a/1", "http://a/2", "http://a/3"] {
            let page = pages.insert(address, start);
            pages.apply(page, start, Outcome::First);
        }
        for address in linked {
            pages.insert(address, start);
        }
        let now = truth.grid().instant(1);
        let mut policy = GreedyCover::new(truth, share);
        let held_links = Links::default();
        let known = Known { cycle_start: now, ..Known::new(now, &pages, &held_links) };
        let plan = policy.plan(&known, Budget(budget));
        let planned = |visit: &Visit| (pages.address(visit.page)[9..].to_owned(), visit.reason);
        plan.0.iter().map(planned).collect()
    }

    #[test]
    fn covers_what_nobody_knows_as_far_as_there_is_room_for_it() {
        use Reason::{Discover, First};
        let visit = |page: &str, reason| (page.to_owned(), reason);
        // Page 1 leads to 4, 5 and through 4 to 7: four visits with itself. Page 3 needs two more.
        assert_eq!(planned(1.0, 6, &[]), [visit("1", Discover), visit("3", Discover)]);
        assert_eq!(planned(1.0, 5, &[]), [visit("1", Discover)]);
        assert_eq!(planned(1.0, 1, &[]), [visit("1", Discover)]);
        // Three of four are enough.
        assert_eq!(planned(0.75, 6, &[]), [visit("1", Discover)]);
        // Linked pages that exist come first; page 8 is gone.
        assert_eq!(
            planned(1.0, 6, &["http://a/4", "http://a/8"]),
            [visit("4", First), visit("1", Discover), visit("3", Discover)]
        );
    }

    #[test]
    fn nothing_is_covered_where_everything_is_known() {
        let all = ["http://a/4", "http://a/5", "http://a/6", "http://a/7"];
        let reasons: Vec<Reason> = planned(1.0, 9, &all).into_iter().map(|visit| visit.1).collect();
        assert_eq!(reasons, [Reason::First; 4]);
        assert_eq!(planned(1.0, 0, &all), []);
    }
}
