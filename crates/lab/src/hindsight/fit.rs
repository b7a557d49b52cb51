//! From a whole record to what policies are told of every page.
use policy::{Allocated, Objective, Parameters, Told, UserCentric};

use super::record::{Found, PageRecord, WholeRecord};

/// Told what a refresh of each page does to answers, per day (delta-QA of the paper).
pub(super) fn user_centric(record: &WholeRecord, parameters: &Parameters) -> UserCentric {
    let impact: fn(&[Found]) -> f64 = match parameters.word("mean") {
        "sums" => ratio_of_sums,
        _ => mean_of_ratios,
    };
    let value = |page: &PageRecord| (page.page, impact(&page.changes));
    UserCentric::told(record.pages.iter().map(value).collect())
}

/// Told how often each page changes by more than a threshold.
pub(super) fn staleness_based(record: &WholeRecord, parameters: &Parameters) -> Allocated {
    Allocated::told(Objective::Freshness, above(record, parameters))
}

/// The same, for the least age instead of the most freshness.
pub(super) fn age_based(record: &WholeRecord, parameters: &Parameters) -> Allocated {
    Allocated::told(Objective::Age, above(record, parameters))
}

/// Told how often each page changes at all, and how many of the changes are large: that is the chance
/// that a changed page does not answer a query any more.
pub(super) fn embarrassment_based(record: &WholeRecord, parameters: &Parameters) -> Allocated {
    let threshold = parameters.number("threshold");
    let by_clicks = parameters.word("clicks") == "seen";
    let told = |page: &PageRecord| {
        let clicks = if by_clicks { page.exposure } else { 1.0 };
        let large = page.changes.iter().filter(|change| change.amount >= threshold).count();
        let share = large as f64 / page.changes.len().max(1) as f64;
        let rate_per_day = per_day(page.changes.len(), page.days);
        (page.page, Told { rate_per_day, weight: share * clicks })
    };
    Allocated::told(Objective::Freshness, record.pages.iter().map(told).collect())
}

/// By page, how often it changes by more than the threshold; all weigh the same.
fn above(record: &WholeRecord, parameters: &Parameters) -> Vec<(flow::PageId, Told)> {
    let threshold = parameters.number("threshold");
    let told = |page: &PageRecord| {
        let changes = page.changes.iter().filter(|change| change.amount > threshold).count();
        (page.page, Told { rate_per_day: per_day(changes, page.days), weight: 1.0 })
    };
    record.pages.iter().map(told).collect()
}

fn per_day(changes: usize, days: f64) -> f64 {
    if days > 0.0 { changes as f64 / days } else { 0.0 }
}

/// Impact per day: the mean over changes of impact by gap, as the paper has it. High where changes come
/// in bursts, since short gaps are as many as long ones (`docs/papers.md` A3.4-2).
pub(crate) fn mean_of_ratios(changes: &[Found]) -> f64 {
    let ratios = changes.iter().map(|change| change.impact / change.gap_days);
    ratios.sum::<f64>() / changes.len().max(1) as f64
}

/// Impact per day: all impact by all gaps.
fn ratio_of_sums(changes: &[Found]) -> f64 {
    let sum = |of: fn(&Found) -> f64| changes.iter().map(of).sum::<f64>();
    if changes.is_empty() {
        0.0
    } else {
        sum(|change| change.impact) / sum(|change| change.gap_days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(gap_days: f64, impact: f64) -> Found {
        Found { cycle: 1, gap_days, amount: 0.5, impact }
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
