//! Classes of change rates, and how likely a page is in each, from its repeated visits.
//!
//! The rates of pages differ by orders of magnitude, so no curve with two parameters fits them. Here a
//! page is in one of fourteen classes, from "never changes" to "is different every time it is asked for".
//! The shares of the classes are learned, of each host and of all hosts: they are a mixture, fitted by
//! incremental EM (Neal and Hinton 1998). What a single page did says how likely it is in each class.

/// The number of classes.
pub(crate) const CLASSES: usize = 14;

/// A number for each class.
pub(crate) type ByClass = [f64; CLASSES];

/// Changes per day.
const RATES: ByClass = [
    0.0,
    1.0 / 3_000.0,
    1.0 / 1_000.0,
    1.0 / 300.0,
    1.0 / 100.0,
    1.0 / 30.0,
    1.0 / 10.0,
    1.0 / 3.0,
    1.0,
    3.0,
    10.0,
    100.0,
    1_000.0,
    f64::INFINITY,
];

/// The shares before any evidence: most pages change rarely, and any speed is possible.
const FIRST_SHARES: ByClass =
    [0.12, 0.05, 0.08, 0.11, 0.14, 0.15, 0.1, 0.08, 0.05, 0.03, 0.02, 0.01, 0.01, 0.05];
/// The weight of these shares, in pages.
const FIRST_PAGES: f64 = 2.0;
/// The weight of the shares of all hosts for one host, in pages.
pub(crate) const PRIOR_PAGES: f64 = 4.0;
/// A page that is different every time looks the same this often. Also keeps every class possible.
const ODD: f64 = 0.02;
/// A page that never changes did so this often.
const LEAST: f64 = 1e-3;
/// Half-life of what a page did: half a year.
const HALF_LIFE_DAYS: f64 = 182.0;

/// The repeated visits to one page: how many found no change and how many found one, and the days waited
/// before each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repeated {
    same: f32,
    same_days: f32,
    changed: f32,
    changed_days: f32,
}

impl Repeated {
    /// Whether there are any.
    pub(crate) fn any(&self) -> bool {
        self.same + self.changed > 0.0
    }

    /// Adds a visit after `days`.
    pub(crate) fn add(&mut self, days: f64, changed: bool) {
        let kept = (-days / HALF_LIFE_DAYS).exp2() as f32;
        for part in [&mut self.same, &mut self.same_days, &mut self.changed, &mut self.changed_days]
        {
            *part *= kept;
        }
        let (count, waited) = if changed {
            (&mut self.changed, &mut self.changed_days)
        } else {
            (&mut self.same, &mut self.same_days)
        };
        *count += 1.0;
        *waited += days as f32;
    }

    /// How likely the page is in each class, where `shares` are those of pages about which nothing is
    /// known. Waits before changes are taken as equal, which they mostly are.
    pub(crate) fn classes(&self, shares: &ByClass) -> ByClass {
        if !self.any() {
            return *shares;
        }
        let [same, same_days, changed, changed_days] =
            [self.same, self.same_days, self.changed, self.changed_days].map(f64::from);
        let wait = if changed > 0.0 { changed_days / changed } else { 0.0 };
        let likelihood = |class: usize| {
            let rate = RATES[class];
            if rate.is_infinite() {
                return same * ODD.ln() + changed * (1.0 - ODD).ln();
            }
            let found = -(-rate * wait).exp_m1();
            changed * found.clamp(LEAST, 1.0 - ODD).ln() - rate * same_days
        };
        let logs: ByClass = std::array::from_fn(likelihood);
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        normalised(std::array::from_fn(|class| shares[class] * (logs[class] - most).exp()))
    }
}

/// The probability that a page of each class has not changed in `days`.
pub(crate) fn unchanged(days: f64) -> ByClass {
    RATES.map(|rate| match rate {
        _ if days <= 0.0 => 1.0,
        rate if rate.is_infinite() => ODD,
        rate => (-rate * days).exp(),
    })
}

/// The shares of the classes among all pages, given how many pages are believed in each.
pub(crate) fn shares_of_all(all: &ByClass) -> ByClass {
    normalised(std::array::from_fn(|class| all[class] + FIRST_PAGES * FIRST_SHARES[class]))
}

/// The shares of the classes among the pages of a host, given those of all.
pub(crate) fn shares_of_host(host: &ByClass, all: &ByClass) -> ByClass {
    normalised(std::array::from_fn(|class| host[class] + PRIOR_PAGES * all[class]))
}

/// The weight of the first shares, in pages.
pub(crate) fn first_pages() -> f64 {
    FIRST_PAGES
}

/// The sum of products.
pub(crate) fn mean(shares: &ByClass, values: &ByClass) -> f64 {
    shares.iter().zip(values).map(|(share, value)| share * value).sum()
}

/// The variance of `values` among pages with these shares.
pub(crate) fn variance(shares: &ByClass, values: &ByClass) -> f64 {
    let mean = mean(shares, values);
    shares.iter().zip(values).map(|(share, value)| share * (value - mean).powi(2)).sum()
}

fn normalised(parts: ByClass) -> ByClass {
    let sum: f64 = parts.iter().sum();
    parts.map(|part| part / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(visits: &[(f64, bool)]) -> ByClass {
        let mut repeated = Repeated::default();
        for &(days, changed) in visits {
            repeated.add(days, changed);
        }
        repeated.classes(&shares_of_all(&[0.0; CLASSES]))
    }

    #[test]
    fn a_page_that_is_different_within_a_minute_is_of_the_fastest_classes() {
        let minute = 1.0 / 1_440.0;
        let classes = seen(&[(minute, true); 3]);
        assert!(classes[CLASSES - 1] + classes[CLASSES - 2] > 0.9, "{classes:?}");
        assert!(mean(&classes, &unchanged(1.0)) < 0.1);
    }

    #[test]
    fn a_page_that_stayed_the_same_for_a_year_is_slow() {
        let classes = seen(&[(30.0, false); 12]);
        assert!(mean(&classes, &unchanged(7.0)) > 0.97);
        assert!(classes[8..].iter().sum::<f64>() < 1e-3, "{classes:?}");
    }

    #[test]
    fn a_page_that_changed_every_week_is_believed_to_have_changed_after_a_month() {
        let classes = seen(&[(7.0, true); 8]);
        assert!(mean(&classes, &unchanged(30.0)) < 0.05);
    }

    #[test]
    fn one_look_after_a_minute_says_little_about_a_week() {
        let classes = seen(&[(1.0 / 1_440.0, false)]);
        let before = mean(&shares_of_all(&[0.0; CLASSES]), &unchanged(7.0));
        assert!((mean(&classes, &unchanged(7.0)) - before).abs() < 0.06);
    }
}
