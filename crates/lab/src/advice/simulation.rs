//! The real loop in a simulated future.
use std::sync::Arc;

use crawl::{Budget, Crawl, Outcome, Policy, Result, SimulatedRepository, World};
use extract::detect::TextDigest;

use super::{CostlyHost, Future, Question, Record, future::FutureWorld};

/// What one policy with one budget brings in one future.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The mean over time of the share of held pages that are up to date.
    pub freshness: f64,
    /// Changes found per cycle, in the sample.
    pub changes: f64,
    /// The share of new pages that are held at the end; `None` where there are none.
    pub new_pages: Option<f64>,
    /// By host: sums of fresh pages, of pages and of visits.
    hosts: Vec<(f64, f64, f64)>,
}

/// Runs the loop with a budget of visits of the sample. The policy has learned from the log. `None` once
/// `goes_on` says no.
///
/// # Errors
/// If the loop fails, which does not happen in a simulation.
pub fn simulate(
    record: &Record,
    future: &Future,
    policy: Box<dyn Policy>,
    budget: u32,
    question: &Question,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Forecast>> {
    let world = FutureWorld::new(record, future);
    let mut crawl = Crawl {
        interval: Some(question.interval),
        revisits_gone: true,
        pages: record.pages.clone(),
        links: record.links.clone(),
        cycles: record.cycles,
        ..Crawl::new(world, policy, SimulatedRepository::default(), Arc::new(TextDigest))
    };
    let mut hosts = vec![(0.0, 0.0, 0.0); record.pages.host_count()];
    let (mut freshness, mut changes) = (0.0, 0.0);
    for number in 0..question.cycles {
        if !goes_on() {
            return Ok(None);
        }
        let start = record.now + question.interval.times(i64::from(number));
        crawl.world.wait_until(start);
        let cycle = crawl.cycle(Budget(budget), &mut |_| {})?;
        for seen in &cycle.log {
            changes += f64::from(u8::from(matches!(seen.outcome, Outcome::Changed(_))));
            hosts[seen.host.0 as usize].2 += 1.0;
        }
        // Pages go out of date until the next cycle: the mean of both ends is close to that over time.
        for end in [start, (start + question.interval).before()] {
            crawl.world.wait_until(end);
            let (mut fresh, mut held) = (0, 0);
            for (sums, (fresh_here, held_here)) in hosts.iter_mut().zip(crawl.world.fresh_by_host())
            {
                sums.0 += f64::from(fresh_here);
                sums.1 += f64::from(held_here);
                fresh += fresh_here;
                held += held_here;
            }
            freshness += f64::from(fresh) / f64::from(held.max(1)) / 2.0;
        }
    }
    let cycles = f64::from(question.cycles.max(1));
    let (found, born) = crawl.world.new_pages();
    Ok(Some(Forecast {
        freshness: freshness / cycles,
        changes: changes / cycles,
        new_pages: (born > 0).then(|| found as f64 / born as f64),
        hosts,
    }))
}

/// The hosts, the one with most pages out of date first.
pub(super) fn costly_hosts(record: &Record, forecasts: &[Forecast]) -> Vec<CostlyHost> {
    let mut sums = vec![(0.0, 0.0, 0.0); record.pages.host_count()];
    for forecast in forecasts {
        for (sum, own) in sums.iter_mut().zip(&forecast.hosts) {
            *sum = (sum.0 + own.0, sum.1 + own.1, sum.2 + own.2);
        }
    }
    let pages: f64 = sums.iter().map(|sum| sum.1).sum();
    let visits: f64 = sums.iter().map(|sum| sum.2).sum();
    let mut hosts: Vec<(f64, CostlyHost)> = sums
        .iter()
        .enumerate()
        .filter(|(_, sum)| sum.1 > 0.0)
        .map(|(number, &(fresh, held, visited))| {
            let host = record.pages.host_name(crawl::HostNo(number as u32)).to_owned();
            let costly = CostlyHost {
                host,
                pages: held / pages,
                visits: if visits > 0.0 { visited / visits } else { 0.0 },
                freshness: fresh / held,
            };
            (held - fresh, costly)
        })
        .collect();
    hosts.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.host.cmp(&b.1.host)));
    hosts.into_iter().map(|(_, host)| host).collect()
}
