//! The search metrics of one cycle, which need a workload.
use text::relevance::{Scoring, ViewProbabilities};

use super::{
    SHOWN,
    sums::{Sums, Top},
};

/// The search metrics at the end of one cycle.
///
/// `None` if a number is undefined, such as a mean over no queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchMetrics {
    /// Repository quality by scoring function, as in [`Scoring::ALL`].
    quality: [Option<f64>; 3],
    /// Freshness of the results shown, weighted by view probability; the mean over queries with
    /// results.
    pub freshness: Option<f64>,
    /// The same with the paper's formula.
    pub freshness_literal: Option<f64>,
    /// Average precision of the results shown; the mean over queries that have a result.
    pub precision: Option<f64>,
    /// The sum of precisions of the paper's formula.
    pub precision_literal: Option<f64>,
    /// The probability that a click leads to a page that does not answer the query.
    pub embarrassment: Option<f64>,
}

impl SearchMetrics {
    /// Repository quality by a scoring function (Pandey and Olston 2005, eq. 5).
    pub fn quality(&self, scoring: Scoring) -> Option<f64> {
        let place = Scoring::ALL.iter().position(|&one| one == scoring);
        place.and_then(|place| self.quality[place])
    }

    /// The same without the metrics of the blended ranking.
    pub(super) fn without_blend(self) -> Self {
        let Self { quality: [tf_idf, in_links, _], embarrassment, .. } = self;
        Self { quality: [tf_idf, in_links, None], embarrassment, ..Self::default() }
    }

    /// Combines the sums of all queries. `best` is the value of the live web by scoring function,
    /// `tops` are its first results by query, `is_fresh` returns whether a page is held as it is
    /// live.
    ///
    /// Quality and embarrassment weight queries by their frequency, as Pandey and Olston do.
    /// Freshness and precision of the results shown are plain means over queries, as in Tan and
    /// Mitra.
    pub(super) fn from_sums(
        frequencies: &[f64],
        sums: &[Sums],
        best: &[f64; 3],
        tops: &[Top],
        judge: Option<&Judge<'_>>,
        is_fresh: impl Fn(u32) -> bool,
    ) -> Self {
        let worth = total_worth(frequencies, sums);
        let quality = [0, 1, 2].map(|place| ratio(worth[place], best[place]));
        let (mut lost, mut viewed) = (0.0, 0.0);
        let (mut fresh, mut precise) = (Mean::default(), Mean::default());
        let chances = ViewProbabilities::new(SHOWN);
        for (query, ((sums, frequency), true_top)) in
            sums.iter().zip(frequencies).zip(tops).enumerate()
        {
            lost += frequency * sums.lost;
            viewed += frequency * sums.viewed;
            if !sums.top.is_empty() {
                fresh.add(freshness(&sums.top, &chances, &is_fresh));
            }
            let found = match judge {
                None => precision(&sums.top, true_top.len(), |page| true_top.contains(&page)),
                Some(judge) => {
                    let all = judge.relevant[query] as usize;
                    precision(&sums.top, all, |page| (judge.is_relevant)(query, page))
                }
            };
            if let Some(found) = found {
                precise.add(found);
            }
        }
        let [freshness, freshness_literal] = fresh.values();
        let [precision, precision_literal] = precise.values();
        let embarrassment = ratio(lost, viewed);
        Self { quality, freshness, freshness_literal, precision, precision_literal, embarrassment }
    }
}

/// Judges relevance in two steps: by the local copy, then by the live page.
pub(super) struct Judge<'j> {
    /// By query, the number of relevant pages of the live web.
    pub(super) relevant: &'j [u32],
    /// Whether a page is relevant to a query, as it is held and as it is live.
    pub(super) is_relevant: &'j dyn Fn(usize, u32) -> bool,
}

/// The value of all queries, by scoring function.
pub(super) fn total_worth(frequencies: &[f64], sums: &[Sums]) -> [f64; 3] {
    let mut total = [0.0; 3];
    for (frequency, sums) in frequencies.iter().zip(sums) {
        for (total, worth) in total.iter_mut().zip(sums.worth) {
            *total += frequency * worth;
        }
    }
    total
}

/// Freshness@k of one query (Tan and Mitra 2010, eqs. 15 and 16), corrected and literal.
///
/// The paper divides by k although its weights sum to 1 already, so its freshness@10 is at most 0.1
/// (`docs/papers.md` A1.7-5). Corrected: the weights of the results shown sum to 1.
fn freshness(
    top: &[u32],
    chances: &ViewProbabilities,
    is_fresh: &impl Fn(u32) -> bool,
) -> [f64; 2] {
    let results = (1..).zip(top).filter(|&(_, &page)| is_fresh(page));
    let fresh = results.fold(0.0, |sum, (rank, _)| sum + chances.at(rank));
    [fresh / chances.sum(top.len()), fresh / chances.sum(SHOWN) / SHOWN as f64]
}

/// Average precision of one query, normalised and literal (Tan and Mitra 2010, eqs. 17 and 18).
///
/// The paper uses human judgements; here see [`Judge`], or without it a result is relevant if it is among
/// the first results of the live web. The paper's formula reuses an index and does not divide by the
/// number of relevant pages, so it can reach k (`docs/papers.md` A1.7-6); normalised, it is divided by
/// its maximum. `None` if no page is relevant.
fn precision(top: &[u32], all: usize, is_relevant: impl Fn(u32) -> bool) -> Option<[f64; 2]> {
    let (mut relevant, mut sum) = (0.0, 0.0);
    for (rank, page) in top.iter().enumerate() {
        if is_relevant(*page) {
            relevant += 1.0;
            sum += relevant / (rank + 1) as f64;
        }
    }
    Some([ratio(sum, all.min(SHOWN) as f64)?, sum])
}

/// Means of two numbers over the same queries.
#[derive(Default)]
struct Mean {
    sums: [f64; 2],
    count: usize,
}

impl Mean {
    fn add(&mut self, values: [f64; 2]) {
        self.sums = [self.sums[0] + values[0], self.sums[1] + values[1]];
        self.count += 1;
    }

    fn values(&self) -> [Option<f64>; 2] {
        self.sums.map(|sum| ratio(sum, self.count as f64))
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
    }

    #[test]
    fn freshness_of_a_full_page_of_results_is_ten_times_the_literal_one() {
        let chances = ViewProbabilities::new(SHOWN);
        let top: Vec<u32> = (0..10).collect();
        let [corrected, literal] = freshness(&top, &chances, &|page| page % 3 == 0);
        near(corrected, 10.0 * literal);
        near(freshness(&top, &chances, &|_| true)[0], 1.0);
        near(freshness(&top, &chances, &|_| true)[1], 0.1);
    }

    #[test]
    fn freshness_of_two_results_is_that_of_what_is_shown() {
        // Weights 1 and 2^-1.5; only the second is fresh.
        let second = 1.0 / 8.0_f64.sqrt();
        let chances = ViewProbabilities::new(SHOWN);
        let [corrected, literal] = freshness(&[4, 5], &chances, &|page| page == 5);
        near(corrected, second / (1.0 + second));
        near(literal, second / chances.sum(10) / 10.0);
    }

    #[test]
    fn precision_is_that_of_the_ranks_that_are_relevant() {
        // Relevant at ranks 1 and 3, of three relevant pages: 1/1 + 2/3, of at most 3.
        let found = |top: &[u32], relevant: &[u32]| {
            precision(top, relevant.len(), |page| relevant.contains(&page)).unwrap()
        };
        let [normalised, literal] = found(&[7, 8, 9], &[9, 1, 7]);
        near(literal, 5.0 / 3.0);
        near(normalised, 5.0 / 9.0);
        near(found(&[1, 2], &[2, 1])[0], 1.0);
        near(found(&[], &[2, 1])[0], 0.0);
        // Of thirty relevant pages ten can be shown.
        let ten: Vec<u32> = (0..10).collect();
        near(precision(&ten, 30, |_| true).unwrap()[0], 1.0);
        assert_eq!(precision(&[1], 0, |_| false), None, "no page is relevant");
    }
}
