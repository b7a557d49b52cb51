use proptest::prelude::*;

use super::*;
use crawl::{Outcome, Time};
use text::{
    relevance::{Candidate, Statistics, rank, view_probability},
    words::Language,
    workload::{Source, Workload},
};

const WORDS: usize = 5;

/// Queries over five words, of one or two each.
fn workload() -> PreparedWorkload {
    let asked = [("a", 8.0), ("b c", 4.0), ("c", 2.0), ("d", 1.0), ("e", 0.5)];
    let asked = asked.map(|(text, frequency)| (text.to_owned(), frequency));
    let workload = Workload::new(Source::Log, asked).prepare(&[Language::Other]);
    assert_eq!(workload.vocabulary.len(), WORDS);
    workload
}

fn numbered(profiles: &[Profile]) -> impl Iterator<Item = (PageNo, &Profile)> + Clone {
    (0..).map(PageNo).zip(profiles)
}

fn meter(scoring: Scoring, profiles: &[Profile], link_scores: LinkScores) -> Meter {
    let mut meter = Meter::new(&workload(), Measure::by(scoring));
    assert!(meter.needs_fit());
    meter.fit(numbered(profiles), link_scores);
    meter
}

/// The exact value of all results for single words, when pages are ranked by `shown` and their scores
/// are those of `truth`. Weights and average length are those of `first`.
fn by_hand(scoring: Scoring, first: &[Profile], shown: &[Profile], truth: &[Profile]) -> f64 {
    let meter = Meter::new(&workload(), Measure::by(scoring));
    let statistics = Statistics::from_profiles(WORDS, first.iter());
    let mut all = 0.0;
    for word in 0..WORDS as WordNo {
        let score = |profile: &Profile| match scoring {
            Scoring::TfIdf => statistics.tf_idf(profile, &[word]).unwrap_or(0.0),
            _ if profile.count(word) == 0 => 0.0,
            _ => statistics.bm25(profile, &[word]),
        };
        let candidates = (0..).zip(shown).map(|(page, profile)| Candidate {
            page,
            profile,
            in_links: 0,
            page_rank: 0.0,
        });
        let held = candidates.filter(|candidate| candidate.profile.count(word) > 0);
        let mut results: Vec<(u32, f64)> =
            held.map(|candidate| (candidate.page, score(candidate.profile))).collect();
        rank(&mut results);
        let values = (1..).zip(&results);
        let values =
            values.map(|(rank, &(page, _))| view_probability(rank) * score(&truth[page as usize]));
        all += meter.frequency(word) * values.sum::<f64>();
    }
    all
}

fn profile() -> impl Strategy<Value = Profile> {
    let counts = prop::collection::btree_map(0..WORDS as u32, 1..12_u32, 0..=WORDS);
    (20..400_u32, counts)
        .prop_map(|(length, counts)| Profile::new(length, counts.into_iter().collect()))
}

/// Sixty pages, made by a fixed rule.
fn collection() -> Vec<Profile> {
    let page = |number: u32| {
        let count = |word: u32| (number * (word + 3) + word) % 9;
        Profile::new(
            60 + number * 37 % 300,
            (0..WORDS as u32).map(|word| (word, count(word))).collect(),
        )
    };
    (0..60).map(page).collect()
}

#[test]
fn an_unchanged_page_has_no_gain() {
    let pages = collection();
    let mut meter = meter(Scoring::TfIdf, &pages, LinkScores::default());
    for (page, profile) in numbered(&pages) {
        let moved = meter.visit(page, Some(profile), Some(profile)).unwrap();
        assert!(moved.gain.abs() < f32::MIN_POSITIVE);
        assert!((moved.exposure - meter.exposures()[page.index()]).abs() < f32::MIN_POSITIVE);
    }
    assert!(!meter.needs_fit());
}

#[test]
fn nothing_is_measured_before_curves_are_fitted() {
    let page = Profile::new(100, vec![(0, 1)]);
    let mut meter = Meter::new(&workload(), Measure::by(Scoring::Bm25));
    assert_eq!(meter.visit(PageNo(0), None, Some(&page)), None);
    assert!(meter.exposures().is_empty());
}

#[test]
fn curves_are_fitted_again_when_half_of_the_pages_have_changed() {
    let pages = collection();
    let mut meter = meter(Scoring::TfIdf, &pages, LinkScores::default());
    for number in 0..30 {
        assert!(!meter.needs_fit());
        meter.visit(PageNo(number), Some(&pages[number as usize]), None);
    }
    assert!(meter.needs_fit());
}

#[test]
fn a_word_costs_at_most_24_bytes_with_three_pieces() {
    for scoring in Scoring::ALL {
        let meter = Meter::new(&workload(), Measure::by(scoring));
        let bytes = size_of_val(&*meter.frequencies)
            + size_of_val(&*meter.highest)
            + size_of_val(&*meter.results)
            + size_of_val(&*meter.knots);
        assert!(bytes <= 24 * WORDS, "{}: {bytes}", scoring.name());
    }
}

#[test]
fn exposures_are_shares_of_all_views() {
    let pages = collection();
    let meter = meter(Scoring::Bm25, &pages, LinkScores::default());
    let sum: f32 = meter.exposures().iter().sum();
    // Ranks come from curves, and pages with the same score share the best of theirs.
    assert!((0.8..1.4).contains(&sum), "{sum}");
}

#[test]
fn words_without_queries_or_results_have_no_value() {
    let nobody = Workload::new(Source::Log, []).prepare(&[Language::Other]);
    let page = Profile::new(10, vec![]);
    let mut meter = Meter::new(&nobody, Measure::by(Scoring::TfIdf));
    meter.fit(numbered(std::slice::from_ref(&page)), LinkScores::default());
    assert_eq!(meter.visit(PageNo(0), Some(&page), None), Some(VisitEffect::default()));
    let mut meter = self::meter(Scoring::Blend, &[page], LinkScores::default());
    let found = Profile::new(10, vec![(2, 3)]);
    let moved = meter.visit(PageNo(0), None, Some(&found)).unwrap();
    assert!(moved.gain.is_finite() && moved.exposure.is_finite());
}

#[test]
fn a_new_first_result_gains_the_difference_of_the_lists() {
    // One word, one result before: the new first has twice its score (four times the count).
    let pages = [Profile::new(100, vec![(0, 1)]), Profile::new(100, vec![])];
    let mut meter = meter(Scoring::TfIdf, &pages, LinkScores::default());
    let after = Profile::new(100, vec![(0, 4)]);
    let moved = meter.visit(PageNo(1), None, Some(&after)).unwrap();
    // Before: 1. After: 2 + 1 / 2^1.5 = 2.353553. The gain is 1.353553 of 1.
    assert!((moved.gain - 1.353_553).abs() < 1e-3, "{}", moved.gain);
}

#[test]
fn links_alone_can_decide() {
    let mut pages = Pages::default();
    let start = Time::from_millis(0);
    let numbers: Vec<PageNo> = ["a", "b", "c"].map(|name| pages.insert(name, start)).into();
    for &page in &numbers {
        pages.apply(page, start, Outcome::First);
    }
    let mut links = Links::default();
    // "a" and "c" link to "b" only.
    links.restore_list(1, &[numbers[1]]);
    for list in [Some(0), None, Some(0)] {
        assert!(links.restore_shown(list));
    }
    let link_scores = LinkScores::compute(Scoring::InLinks, &pages, &links);
    assert_eq!(link_scores, LinkScores(vec![0.0, 2.0, 0.0]));
    let held: Vec<Profile> = (0..3).map(|_| Profile::new(50, vec![(0, 2)])).collect();
    let mut meter = meter(Scoring::InLinks, &held, link_scores);
    // The only result disappears, so others gain nothing.
    let left = meter.visit(numbers[1], Some(&held[1]), None).unwrap();
    assert!(left.gain.abs() < 1e-6);
    // A page as good as the only result pushes that one to the second rank: 2 / 2^1.5 of 2.
    let came = meter.visit(numbers[1], None, Some(&held[1])).unwrap();
    assert!((came.gain - 0.353_553).abs() < 1e-3, "{}", came.gain);
    // "a" has no incoming links, so its words do not matter.
    let elsewhere = meter.visit(numbers[0], Some(&held[0]), None).unwrap();
    assert!(elsewhere.gain.abs() < 1e-6);
}

/// The gain of one visit to a page of [`collection`], by curves of three pieces and exactly.
fn measured_and_by_hand(scoring: Scoring, page: usize, after: Option<&Profile>) -> (f64, f64) {
    let before = collection();
    let mut meter = meter(scoring, &before, LinkScores::default());
    let mut now = before.clone();
    now[page] = after.cloned().unwrap_or_default();
    let all = by_hand(scoring, &before, &before, &before);
    let gain = by_hand(scoring, &before, &now, &now) - by_hand(scoring, &before, &before, &now);
    let found = meter.visit(PageNo(page as u32), Some(&before[page]), after).unwrap();
    (f64::from(found.gain), gain / all)
}

#[test]
fn over_many_visits_the_gain_is_nearly_exact() {
    let changes =
        [None, Some(Profile::new(90, vec![(0, 7), (2, 1)])), Some(Profile::new(250, vec![(1, 3)]))];
    for scoring in [Scoring::TfIdf, Scoring::Bm25] {
        let visits = (0..60).flat_map(|page| changes.iter().map(move |after| (page, after)));
        let gains: Vec<(f64, f64)> = visits
            .map(|(page, after)| measured_and_by_hand(scoring, page, after.as_ref()))
            .collect();
        let sum = |of: fn(&(f64, f64)) -> f64| gains.iter().map(of).sum::<f64>();
        let (found, expected) = (sum(|gain| gain.0), sum(|gain| gain.1));
        let off = sum(|gain| (gain.0 - gain.1).abs());
        assert!((found / expected - 1.0).abs() < 0.2, "{}: {found} for {expected}", scoring.name());
        assert!(off / expected < 0.2, "{}: {off} of {expected}", scoring.name());
    }
}

proptest! {
    /// One visit, against the exact value: within half of its gain and a hundredth of the total.
    #[test]
    fn the_gain_of_a_visit_is_approximately_exact(
        page in 0..60_usize,
        after in prop::option::weighted(0.8, profile()),
        by_text in any::<bool>(),
    ) {
        let scoring = if by_text { Scoring::TfIdf } else { Scoring::Bm25 };
        let (found, expected) = measured_and_by_hand(scoring, page, after.as_ref());
        prop_assert!((found - expected).abs() < 0.01 + 0.6 * expected, "{} for {}", found, expected);
        prop_assert!(found > -1e-6);
    }

    #[test]
    fn any_pages_and_link_scores_give_finite_numbers(
        before in prop::collection::vec(profile(), 0..20),
        after in profile(),
        scoring in prop::sample::select(&Scoring::ALL[..]),
        link_scores in prop::collection::vec(0.0_f32..4.0, 20),
        pieces in 1..=Measure::MOST_PIECES,
    ) {
        let mut meter = Meter::new(&workload(), Measure { scoring, pieces });
        meter.fit(numbered(&before), LinkScores(link_scores));
        for page in 0..=before.len() as u32 {
            let held = before.get(page as usize);
            for moved in [meter.visit(PageNo(page), held, Some(&after)), meter.visit(PageNo(page), held, None)] {
                let moved = moved.unwrap_or_default();
                prop_assert!(moved.gain.is_finite() && moved.exposure.is_finite());
                prop_assert!(moved.exposure >= 0.0);
            }
        }
    }
}
