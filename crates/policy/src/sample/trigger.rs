//! The download probability of Tan 2007, section 5: the probability that a sample leads to its neighbours.
use crawl::{Known, Observation, PageNo};

use super::change_frequency::{Count, Form, Score, VisitHistory, Weights};
use crate::{by_page::row_mut, random};

/// The values of the parameter `chance`.
pub(super) const WORDS: &[&str] = &[
    "change",
    "history",
    "weighted-history",
    "weighted-history-literal",
    "page-rank",
    "always",
    "never",
];

/// Separates this draw from those that order pages.
const TRIGGERS: u64 = 0x7472_6967;
/// The number of PageRank classes, 0 to 10, as in Google's toolbar.
const CLASSES: f64 = 11.0;
/// Ranks whose ratio is below this differ only by the precision of the iteration.
const SAME_RANKS: f64 = 1.0 + 1e-6;

/// A sample that was visited.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleVisit {
    pub(super) page: PageNo,
    cycle: u32,
    /// Whether it was requested at all. If not, it leads to nothing.
    requested: bool,
    changed: bool,
}

impl SampleVisit {
    pub(super) fn new(seen: &Observation) -> Self {
        Self {
            page: seen.page,
            cycle: seen.cycle,
            requested: seen.was_requested(),
            changed: seen.changed() == Some(true),
        }
    }
}

/// Decides which samples lead to their neighbours.
#[derive(Clone, Debug)]
pub(super) struct Trigger {
    rule: Rule,
    count: Count,
    seed: u64,
    /// By page number: its visits.
    histories: Vec<VisitHistory>,
    /// The revision of the links that the classes are for, and the class of each page.
    popularity: (Option<u64>, Vec<u8>),
}

/// What the probability depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Eq. 3: 1 if the sample has changed now, else 0.
    Change,
    /// HA (eq. 5 and 6) with equal weights, WHA (eq. 5 and 8) with higher weights for later cycles: how often
    /// it was found changed. The literal form of WHA has the 1/n of the paper, by which the probability of a
    /// page falls the longer it is known.
    History(Weights, Form),
    /// PRA, section 5.3: its popularity only.
    PageRank,
    /// The two extremes of section 5.
    Always,
    Never,
}

impl Trigger {
    pub(super) fn new(word: &'static str, count: Count, seed: u64) -> Self {
        let rule = match word {
            "history" => Rule::History(Weights::NonAdaptive, Form::Plain),
            "weighted-history" => Rule::History(Weights::Arithmetic, Form::Plain),
            "weighted-history-literal" => Rule::History(Weights::Arithmetic, Form::Literal),
            "page-rank" => Rule::PageRank,
            "always" => Rule::Always,
            "never" => Rule::Never,
            _ => Rule::Change,
        };
        Self { rule, count, seed, histories: vec![], popularity: (None, vec![]) }
    }

    /// Prepares for a cycle.
    pub(super) fn prepare(&mut self, known: &Known<'_>) {
        let revision = Some(known.links.revision());
        if self.rule == Rule::PageRank && self.popularity.0 != revision {
            // From a cold start: ranks must not depend on earlier cycles of a policy.
            let ranks = crawl::page_rank(known.pages, known.links, &[]);
            self.popularity = (revision, classes(&ranks));
        }
    }

    pub(super) fn learn(&mut self, seen: &Observation) {
        let Rule::History(..) = self.rule else { return };
        let history = row_mut(&mut self.histories, seen.page.index());
        history.add(seen.cycle, seen.changed(), self.count);
    }

    /// Whether a sample leads to its neighbours.
    pub(super) fn is_drawn(&self, sample: SampleVisit, known: &Known<'_>) -> bool {
        let id = known.pages.id(sample.page);
        sample.requested
            && random::unit(self.seed ^ TRIGGERS, known.cycle, id) < self.probability(sample)
    }

    /// The download probability; its history includes the outcome of this sample.
    fn probability(&self, sample: SampleVisit) -> f64 {
        let row = sample.page.index();
        match self.rule {
            Rule::Change => f64::from(u8::from(sample.changed)),
            Rule::History(weights, form) => {
                let history = self.histories.get(row).copied().unwrap_or_default();
                Score::Poisson.of(history.frequency(sample.cycle, weights, form, self.count))
            }
            Rule::PageRank => {
                let class = self.popularity.1.get(row).copied().unwrap_or_default();
                (f64::from(class) + 1.0) / CLASSES
            }
            Rule::Always => 1.0,
            Rule::Never => 0.0,
        }
    }
}

/// The class of each rank, 0 to 10: equally wide steps of its logarithm from the lowest rank of any page to
/// the highest. Pages that are not held have no rank and class 0.
fn classes(ranks: &[f64]) -> Vec<u8> {
    let held = || ranks.iter().copied().filter(|&rank| rank > 0.0);
    let (least, most) = (held().fold(f64::INFINITY, f64::min), held().fold(0.0, f64::max));
    if most <= least * SAME_RANKS {
        return vec![0; ranks.len()];
    }
    let width = (most / least).ln() / CLASSES;
    let class = |&rank: &f64| ((rank / least).ln() / width).clamp(0.0, CLASSES - 1.0) as u8;
    ranks.iter().map(class).collect()
}

#[cfg(test)]
mod tests {
    use crawl::{HostNo, Links, Outcome, Pages, Reason, Span, Time};

    use super::*;

    /// A visit to page 0 on a day.
    fn visit(day: i64, outcome: Outcome) -> Observation {
        Observation {
            reason: if outcome == Outcome::First { Reason::First } else { Reason::Sample },
            // Visits before the first cycle have its number.
            cycle: day.max(1) as u32,
            ..Observation::new(
                PageNo(0),
                HostNo(0),
                Time::from_millis(0) + Span::from_days(day),
                outcome,
            )
        }
    }

    fn sample(page: PageNo) -> SampleVisit {
        SampleVisit { page, cycle: 1, requested: true, changed: false }
    }

    /// The probability after visits of which the n-th found a change if the n-th letter is `x`, and failed if
    /// it is `?`.
    fn probability(word: &'static str, visits: &str) -> f64 {
        let mut trigger = Trigger::new(word, Count::Cycles, 1);
        trigger.learn(&visit(0, Outcome::First));
        let mut last = SampleVisit { cycle: 1, ..sample(PageNo(0)) };
        for (day, letter) in (1..).zip(visits.chars()) {
            let outcome = match letter {
                'x' => Outcome::Changed(1.0),
                '?' => Outcome::Failed,
                _ => Outcome::Same,
            };
            let seen = visit(day, outcome);
            trigger.learn(&seen);
            last = SampleVisit::new(&seen);
        }
        trigger.probability(last)
    }

    fn assert_close(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-9, "{actual} is not {expected}");
    }

    #[test]
    fn by_change_only_what_was_just_found_counts() {
        assert_close(probability("change", "xx."), 0.0);
        assert_close(probability("change", "..x"), 1.0);
        assert_close(probability("change", "xx?"), 0.0);
    }

    /// The three pages of Fig. 3, seen eight times: P1 changed once, at the end; P2 twice at the beginning and
    /// at the end; P3 the last three times.
    #[test]
    fn history_is_the_share_of_changes_made_into_a_chance() {
        let [p1, p2, p3] =
            [".......x", "xx.....x", ".....xxx"].map(|visits| probability("history", visits));
        // 1 - e^-(1/8) and 1 - e^-(3/8).
        assert_close(p1, 0.117_503_097);
        assert_close(p2, 0.312_710_721);
        assert_close(p3, p2);
    }

    #[test]
    fn weighted_history_orders_the_pages_of_the_paper_as_it_does() {
        let [p1, p2, p3] = [".......x", "xx.....x", ".....xxx"]
            .map(|visits| probability("weighted-history", visits));
        // The weights are 1 to 8 of 36: 8/36, (1 + 2 + 8)/36 and (6 + 7 + 8)/36.
        assert_close(p1, 1.0 - (-8.0_f64 / 36.0).exp());
        assert_close(p2, 1.0 - (-11.0_f64 / 36.0).exp());
        assert_close(p3, 1.0 - (-21.0_f64 / 36.0).exp());
        assert!(p1 < p2 && p2 < p3);
    }

    #[test]
    fn the_literal_form_divides_once_more_by_the_number_of_visits() {
        // As 8/36 above, divided by 8: 1/36. The order within one length is the same, the scale is not.
        assert_close(
            probability("weighted-history-literal", ".......x"),
            1.0 - (-1.0_f64 / 36.0).exp(),
        );
        assert_close(probability("weighted-history-literal", "x"), 1.0 - (-1.0_f64).exp());
        assert_close(probability("weighted-history", "x"), 1.0 - (-1.0_f64).exp());
    }

    #[test]
    fn a_page_without_history_or_with_failures_alone_has_no_chance_by_history() {
        for word in ["history", "weighted-history", "weighted-history-literal"] {
            assert_close(probability(word, ""), 0.0);
            assert_close(probability(word, "??"), 0.0);
            // By cycles a failure is a cycle that found no change.
            assert_close(probability(word, "x??"), probability(word, "x.."));
        }
    }

    #[test]
    fn the_extremes_are_one_and_nothing() {
        assert_close(probability("always", "..."), 1.0);
        assert_close(probability("never", "xxx"), 0.0);
    }

    #[test]
    fn ranks_fall_into_eleven_equal_steps_of_their_logarithm() {
        // From 1 to 2^11, so that a class is a doubling; the highest belongs to the last.
        let ranks = [1.0, 1.9, 2.1, 3.9, 4.1, 1000.0, 1048.0, 2048.0];
        assert_eq!(classes(&ranks), [0, 0, 1, 1, 2, 9, 10, 10]);
        assert_eq!(classes(&[0.0, 0.25, 0.0]), [0, 0, 0]);
        assert_eq!(classes(&[0.25; 4]), [0; 4]);
        assert_eq!(classes(&[]), [0; 0]);
    }

    #[test]
    fn by_page_rank_the_least_popular_page_has_one_chance_in_eleven_and_the_most_popular_all() {
        let mut trigger = Trigger::new("page-rank", Count::Cycles, 1);
        trigger.popularity.1 = vec![0, 4, 10];
        let of = |page| trigger.probability(sample(PageNo(page)));
        assert_close(of(0), 1.0 / 11.0);
        assert_close(of(1), 5.0 / 11.0);
        assert_close(of(2), 1.0);
        // One that became known since the ranks were computed.
        assert_close(of(3), 1.0 / 11.0);
    }

    #[test]
    fn a_sample_that_was_not_asked_for_leads_nowhere() {
        let mut pages = Pages::default();
        pages.insert("http://a.example/", Time::from_millis(0));
        let links = Links::default();
        let known = Known::new(Time::from_millis(0), &pages, &links);
        let trigger = Trigger::new("always", Count::Cycles, 1);
        for (outcome, leads) in
            [(Outcome::Same, true), (Outcome::Failed, true), (Outcome::Unreached, false)]
        {
            assert_eq!(trigger.is_drawn(SampleVisit::new(&visit(1, outcome)), &known), leads);
        }
    }

    #[test]
    fn the_share_of_samples_that_lead_on_is_the_probability() {
        let mut pages = Pages::default();
        for number in 0..4000 {
            pages.insert(&format!("http://a.example/{number}"), Time::from_millis(0));
        }
        let links = Links::default();
        let known = Known::new(Time::from_millis(0), &pages, &links);
        let mut trigger = Trigger::new("page-rank", Count::Cycles, 1);
        trigger.popularity.1 = vec![2; 4000];
        let drawn = pages.numbers().filter(|&page| trigger.is_drawn(sample(page), &known)).count();
        // 3/11 of 4000 is 1091, with a deviation of 28.
        assert!((1091 - 85..1091 + 85).contains(&drawn), "{drawn}");
    }
}
