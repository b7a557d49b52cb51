//! Sampling by sites: visit a few pages of every site, then whole sites, those with most changed samples
//! first.
//!
//! The greedy policy of Cho and Ntoulas, "Effective change detection using sampling", VLDB 2002, as the
//! baseline of Tan 2007 (GSB) and Tan 2010 (SLS): sqrt(N r) samples of a site, N being the mean number of
//! pages of a site and r the share of all pages that the budget can visit. A site is a host here. Pages
//! never seen come before any sample.
//!
//! The papers do not say which of two sites with the same share of changed samples comes first. Here it is
//! the one whose pages have waited longer on average, so that sites take turns if nothing has changed. The
//! pages of a site, samples and others, are drawn at random.
use std::cmp::Ordering;

use crawl::{Budget, HostNo, Known, Observation, PageNo, Plan, Policy, Reason, State, Time, Visit};

use super::first_visits;
use crate::{Kind, Parameter, Parameters, PolicyEntry, random};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    is_random: |_| true,
    parameters: &[SIZE],
    ..PolicyEntry::new(
        "site-sample",
        "a few pages of every site, then whole sites, those with most changes first",
        |seed, parameters| Box::new(SiteSample::new(seed, parameters)),
    )
};

/// The number of samples per site.
const SIZE: Parameter = Parameter {
    name: "size",
    meaning: "samples of each site; 0 is the root of a site's mean pages times the budget's share",
    default: "0",
    kind: Kind::Whole(0, 1_000_000),
};

/// Samples every site, then visits whole sites.
#[derive(Clone, Debug)]
struct SiteSample {
    seed: u64,
    /// A fixed sample size; 0 for the formula.
    size: usize,
    /// The number of the cycle and its start; `None` before the first.
    cycle: Option<(u32, Time)>,
    /// What the samples of this cycle showed, by host; `None` before they were taken.
    tallies: Option<Vec<Tally>>,
}

/// What the samples of a host showed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    compared: u32,
    changed: u32,
}

/// A page that may be visited, and its random number.
struct Candidate {
    page: PageNo,
    host: HostNo,
    draw: f64,
}

impl SiteSample {
    fn new(seed: u64, parameters: &Parameters) -> Self {
        Self { seed, size: parameters.whole("size") as usize, cycle: None, tallies: None }
    }

    /// The due pages that are held or gone.
    fn candidates(&self, known: &Known<'_>) -> Vec<Candidate> {
        let held = known.due().filter(|&page| known.pages.state(page) != State::Linked);
        let candidate = |page| Candidate {
            page,
            host: known.pages.host(page),
            draw: random::unit(self.seed, known.cycle, known.pages.id(page)),
        };
        held.map(candidate).collect()
    }

    /// Samples of every site: one of each, then a second of each, and so on, so that a small budget is spread
    /// over all sites.
    fn samples(&self, known: &Known<'_>, budget: Budget) -> Plan {
        let size = if self.size > 0 { self.size } else { usual_size(known, budget) };
        let mut candidates = self.candidates(known);
        candidates.sort_unstable_by(|a, b| a.host.cmp(&b.host).then_with(|| a.order(b, known)));
        let of_hosts = candidates.chunk_by(|a, b| a.host == b.host);
        let mut samples: Vec<(usize, &Candidate)> =
            of_hosts.flat_map(|pages| pages.iter().take(size).enumerate()).collect();
        samples.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.order(b.1, known)));
        let visit = |(_, sample): (usize, &Candidate)| Visit {
            page: sample.page,
            score: sample.draw,
            reason: Reason::Sample,
        };
        Plan(samples.into_iter().map(visit).collect()).within(budget)
    }

    /// Whole sites, by the results of their samples.
    fn sites(&self, tallies: &[Tally], known: &Known<'_>, budget: Budget) -> Plan {
        let mut candidates = self.candidates(known);
        let places = places(tallies, &candidates, known);
        let place = |candidate: &Candidate| places[candidate.host.0 as usize];
        candidates.sort_unstable_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.order(b, known)));
        let visit = |candidate: Candidate| Visit {
            page: candidate.page,
            score: tallies.get(candidate.host.0 as usize).map_or(0.0, |tally| tally.share()),
            reason: Reason::Refresh,
        };
        Plan(candidates.into_iter().map(visit).collect()).within(budget)
    }
}

impl Policy for SiteSample {
    fn name(&self) -> &'static str {
        "site-sample"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let cycle = Some((known.cycle, known.cycle_start));
        if self.cycle != cycle {
            (self.cycle, self.tallies) = (cycle, None);
            let firsts = first_visits(known, budget);
            if !firsts.0.is_empty() {
                return firsts;
            }
        }
        let plan = if let Some(tallies) = &self.tallies {
            self.sites(tallies, known, budget)
        } else {
            self.tallies = Some(vec![Tally::default(); known.pages.host_count()]);
            self.samples(known, budget)
        };
        if plan.0.is_empty() { first_visits(known, budget) } else { plan }
    }

    fn learn(&mut self, seen: &Observation) {
        let Some(tallies) = self.tallies.as_mut().filter(|_| seen.reason == Reason::Sample) else {
            return;
        };
        if let (Some(tally), Some(changed)) =
            (tallies.get_mut(seen.host.0 as usize), seen.changed())
        {
            tally.compared += 1;
            tally.changed += u32::from(changed);
        }
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

impl Tally {
    fn share(self) -> f64 {
        f64::from(self.changed) / f64::from(self.compared.max(1))
    }
}

impl Candidate {
    /// The random order of the pages of a site.
    fn order(&self, other: &Self, known: &Known<'_>) -> Ordering {
        let at_random = other.draw.total_cmp(&self.draw);
        at_random.then_with(|| known.pages.address_order(self.page, other.page))
    }
}

/// The position of every host, by host number, in the order of visits.
fn places(tallies: &[Tally], candidates: &[Candidate], known: &Known<'_>) -> Vec<u32> {
    let count = known.pages.host_count();
    let (mut days, mut pages) = (vec![0.0; count], vec![0_u32; count]);
    for candidate in candidates {
        let host = candidate.host.0 as usize;
        days[host] += crate::score::age_days(known, candidate.page).unwrap_or(0.0);
        pages[host] += 1;
    }
    let wait = |host: usize| days[host] / f64::from(pages[host].max(1));
    let share = |host: usize| tallies.get(host).map_or(0.0, |tally| tally.share());
    let mut hosts: Vec<usize> = (0..count).collect();
    hosts.sort_unstable_by(|&a, &b| {
        let name = |host: usize| known.pages.host_name(HostNo(host as u32));
        let changed = share(b).total_cmp(&share(a));
        changed.then(wait(b).total_cmp(&wait(a))).then_with(|| name(a).cmp(name(b)))
    });
    let mut places = vec![0; count];
    for (place, host) in hosts.into_iter().enumerate() {
        places[host] = place as u32;
    }
    places
}

/// sqrt(N r), rounded, at least 1.
fn usual_size(known: &Known<'_>, budget: Budget) -> usize {
    let mut is_site = vec![false; known.pages.host_count()];
    let mut pages = 0_u32;
    for page in known.pages.numbers().filter(|&page| known.pages.state(page) == State::Held) {
        is_site[known.pages.host(page).0 as usize] = true;
        pages += 1;
    }
    let sites = is_site.into_iter().filter(|is| *is).count();
    sample_size(pages, sites, budget)
}

fn sample_size(pages: u32, sites: usize, budget: Budget) -> usize {
    let mean_pages = f64::from(pages) / sites.max(1) as f64;
    let share = f64::from(budget.0) / f64::from(pages.max(1));
    (mean_pages * share).sqrt().round().max(1.0) as usize
}

#[cfg(test)]
mod tests {
    use crawl::Outcome;

    use super::*;
    use crate::sample::tests::{Web, made, pages_of};

    /// Three sites of four, six and ten pages.
    fn sites() -> Web {
        let mut addresses = vec![];
        for (site, count) in [("a", 4), ("b", 6), ("c", 10)] {
            addresses.extend((0..count).map(|page| format!("http://{site}.example/{page}")));
        }
        Web::new(&addresses.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn site(web: &Web, page: PageNo) -> char {
        web.pages.address(page)["http://".len()..].chars().next().unwrap()
    }

    fn sites_of(web: &Web, plan: &Plan) -> String {
        pages_of(plan).into_iter().map(|page| site(web, page)).collect()
    }

    #[test]
    fn a_sample_is_the_root_of_the_mean_pages_times_the_budgets_share() {
        // 284,692 pages of 212 sites and 25,000 visits: N = 1342.9, r = 0.0878, sqrt(117.9) = 10.9.
        assert_eq!(sample_size(284_692, 212, Budget(25_000)), 11);
        // 20 pages of 3 sites and 12 visits: N = 6.67, r = 0.6, sqrt(4) = 2.
        assert_eq!(sample_size(20, 3, Budget(12)), 2);
        assert_eq!(sample_size(20, 3, Budget(1)), 1);
        assert_eq!(sample_size(0, 0, Budget(1)), 1);
    }

    #[test]
    fn every_site_is_sampled_then_the_one_with_most_changes_comes_first() {
        for seed in 0..10 {
            let mut web = sites();
            let is_c = |page: PageNo| page.0 >= 10;
            let plans = web.spend(made("site-sample", seed).as_mut(), 12, &|page| {
                if is_c(page) { Outcome::Changed(1.0) } else { Outcome::Same }
            });
            let [samples, rest] = plans.as_slice() else { panic!("{plans:?}") };
            let mut names: Vec<char> = sites_of(&web, samples).chars().collect();
            // One of each before the second of any.
            names[..3].sort_unstable();
            names[3..].sort_unstable();
            assert_eq!(names, ['a', 'b', 'c', 'a', 'b', 'c']);
            assert!(samples.0.iter().all(|visit| visit.reason == Reason::Sample));
            assert_eq!(sites_of(&web, rest), "cccccc");
            assert!(rest.0.iter().all(|visit| visit.reason == Reason::Refresh));
        }
    }

    #[test]
    fn when_a_site_is_done_the_next_best_follows() {
        // Both samples of c change, one of b's, none of a's; a first run shows which are b's.
        let tried = sites().spend(made("site-sample:size=2", 1).as_mut(), 6, &|_| Outcome::Same);
        let mut web = sites();
        let of_b = pages_of(&tried[0]).into_iter().find(|&page| site(&web, page) == 'b');
        let plans = web.spend(made("site-sample:size=2", 1).as_mut(), 20, &|page| {
            if page.0 >= 10 || Some(page) == of_b { Outcome::Changed(1.0) } else { Outcome::Same }
        });
        assert_eq!(plans[0].0.len(), 6);
        assert_eq!(sites_of(&web, &plans[1]), "ccccccccbbbbaa");
    }

    #[test]
    fn of_equal_sites_the_one_whose_pages_have_waited_longer_comes_first() {
        let mut web = sites();
        let mut policy = made("site-sample:size=1", 1);
        let same = |_| Outcome::Same;
        // Nothing ever changes: on the first day all have waited equally and names decide.
        let first = web.spend(policy.as_mut(), 3 + 3, &same);
        assert_eq!(sites_of(&web, &first[1]), "aaa");
        // Then b's and c's pages have waited longer except for their one sample, c's on average.
        let second = web.spend(policy.as_mut(), 3 + 9, &same);
        assert_eq!(sites_of(&web, &second[1])[..9], *"ccccccccc");
    }

    #[test]
    fn a_budget_too_small_for_all_samples_is_spread_over_the_sites() {
        let mut web = sites();
        let plans = web.spend(made("site-sample:size=3", 1).as_mut(), 5, &|_| Outcome::Same);
        assert_eq!(plans.len(), 1);
        let sampled = sites_of(&web, &plans[0]);
        assert!(['a', 'b', 'c'].iter().all(|&site| sampled[..3].contains(site)), "{sampled}");
    }

    #[test]
    fn samples_that_failed_say_nothing() {
        let tally = Tally { compared: 3, changed: 2 };
        assert!((tally.share() - 2.0 / 3.0).abs() < 1e-12);
        assert!(Tally::default().share().abs() < 1e-12);
        // All samples of a fail, one of two of b changed.
        let mut web = sites();
        let plans = web.spend(made("site-sample:size=2", 1).as_mut(), 12, &|page| match page.0 {
            0..4 => Outcome::Failed,
            4..10 => Outcome::Changed(1.0),
            _ => Outcome::Same,
        });
        assert_eq!(sites_of(&web, &plans[1])[..4], *"bbbb");
    }
}
