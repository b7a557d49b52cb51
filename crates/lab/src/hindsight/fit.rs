//! Fits policies to a whole record.
use policy::{Allocated, Objective, PageDemand, Parameters, UserCentric};

use super::record::{ObservedChange, PageRecord, WholeRecord};

/// Knows the effect of a refresh of each page on search results, per day (delta-QA of the paper).
pub(super) fn user_centric(record: &WholeRecord, parameters: &Parameters) -> UserCentric {
    let impact: fn(&[ObservedChange]) -> f64 = match parameters.word("mean") {
        "sums" => ratio_of_sums,
        _ => mean_of_ratios,
    };
    let value = |page: &PageRecord| (page.page, impact(&page.changes));
    UserCentric::with_values(record.pages.iter().map(value).collect())
}

/// Knows how often each page changes by more than a threshold.
pub(super) fn staleness_based(record: &WholeRecord, parameters: &Parameters) -> Allocated {
    Allocated::with_demands(Objective::Freshness, above(record, parameters))
}

/// The same, minimising age instead of maximising freshness.
pub(super) fn age_based(record: &WholeRecord, parameters: &Parameters) -> Allocated {
    Allocated::with_demands(Objective::Age, above(record, parameters))
}

/// Knows how often each page changes and the share of large changes: the probability that a changed
/// page no longer answers a query.
pub(super) fn embarrassment_based(record: &WholeRecord, parameters: &Parameters) -> Allocated {
    let threshold = parameters.number("threshold");
    let by_clicks = parameters.word("clicks") == "seen";
    let demand = |page: &PageRecord| {
        let clicks = if by_clicks { page.exposure } else { 1.0 };
        let large = page.changes.iter().filter(|change| change.amount >= threshold).count();
        let share = large as f64 / page.changes.len().max(1) as f64;
        let rate_per_day = per_day(page.changes.len(), page.days);
        (page.page, PageDemand { rate_per_day, weight: share * clicks })
    };
    Allocated::with_demands(Objective::Freshness, record.pages.iter().map(demand).collect())
}

/// By page, how often it changes by more than the threshold; all pages weigh the same.
fn above(record: &WholeRecord, parameters: &Parameters) -> Vec<(crawl::PageId, PageDemand)> {
    let threshold = parameters.number("threshold");
    let demand = |page: &PageRecord| {
        let changes = page.changes.iter().filter(|change| change.amount > threshold).count();
        (page.page, PageDemand { rate_per_day: per_day(changes, page.days), weight: 1.0 })
    };
    record.pages.iter().map(demand).collect()
}

fn per_day(changes: usize, days: f64) -> f64 {
    if days > 0.0 { changes as f64 / days } else { 0.0 }
}

/// Impact per day: the mean over changes of impact / gap, as in the paper. It is high for changes
/// in bursts, since short gaps count as much as long ones (`docs/papers.md` A3.4-2).
pub fn mean_of_ratios(changes: &[ObservedChange]) -> f64 {
    let ratios = changes.iter().map(|change| change.impact / change.gap_days);
    ratios.sum::<f64>() / changes.len().max(1) as f64
}

/// Impact per day: the sum of impacts divided by the sum of gaps.
fn ratio_of_sums(changes: &[ObservedChange]) -> f64 {
    let sum = |of: fn(&ObservedChange) -> f64| changes.iter().map(of).sum::<f64>();
    if changes.is_empty() {
        0.0
    } else {
        sum(|change| change.impact) / sum(|change| change.gap_days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(gap_days: f64, impact: f64) -> ObservedChange {
        ObservedChange { cycle: 1, gap_days, amount: 0.5, impact }
    }

    #[test]
    fn short_gaps_weigh_more_in_the_mean_of_ratios() {
        // 0.1 / 1 and 0.1 / 9; 0.2 / 10.
        let changes = [found(1.0, 0.1), found(9.0, 0.1)];
        assert!((mean_of_ratios(&changes) - f64::midpoint(0.1, 0.1 / 9.0)).abs() < 1e-12);
        assert!((ratio_of_sums(&changes) - 0.02).abs() < 1e-12);
        assert!(mean_of_ratios(&[]).abs() < f64::MIN_POSITIVE);
        assert!(ratio_of_sums(&[]).abs() < f64::MIN_POSITIVE);
    }

    #[test]
    fn a_page_that_was_not_watched_changes_never() {
        assert!(per_day(0, 0.0).abs() < f64::MIN_POSITIVE);
        assert!((per_day(3, 6.0) - 0.5).abs() < 1e-12);
    }
}
