//! Properties for any pages.
use proptest::prelude::*;

use super::{super::warping::warped, brute::Web, *};

const HOUR: i64 = 3_600_000;

/// Some pages with a few visits at irregular times over some days, and few distinct words.
fn some_pasts() -> impl Strategy<Value = Vec<Vec<VisitRecord>>> {
    let visit = (1_i64..50, prop::collection::vec(0_u32..6, 0..8));
    let visits = prop::collection::vec(visit, 0..14);
    let history = visits.prop_map(|visits| {
        let mut at = 0;
        let visits = visits.into_iter().map(|(gap, terms)| {
            at += gap * HOUR;
            record(Time::from_millis(at), &terms)
        });
        visits.collect()
    });
    prop::collection::vec(history, 1..7)
}

fn some_choosing() -> impl Strategy<Value = ExpertSettings> {
    let relation = prop::sample::select(Relation::ALL.map(|(_, relation)| relation).to_vec());
    (relation, 0_usize..18, 0_usize..9, 0_usize..9).prop_map(|(relation, days, lags, band)| {
        ExpertSettings { lags, band, ..all_pairs(relation, days) }
    })
}

fn some_series() -> impl Strategy<Value = (Vec<u16>, Vec<u16>)> {
    (1_usize..40).prop_flat_map(|days| {
        let series = || prop::collection::vec(0_u16..9, days);
        (series(), series())
    })
}

fn floats(series: &[u16]) -> Vec<f64> {
    series.iter().map(|&value| f64::from(value)).collect()
}

fn ring(count: usize) -> impl Fn(usize) -> Vec<usize> {
    move |page| vec![(page + 1) % count, (page * 2) % count]
}

proptest! {
    #[test]
    fn weights_are_those_of_the_definitions(
        histories in some_pasts(), settings in some_choosing(), hours in 0_i64..700,
    ) {
        prop_assume!(settings.relation != Relation::Links);
        let now = Time::from_millis(hours * HOUR);
        let found = choose(&settings, &slices(&histories), &no_links, now, &everyone);
        let web = Web { settings: &settings, histories: &histories, now };
        for (page, neighbours) in found.iter().enumerate() {
            prop_assert!(near(neighbours.self_weight, web.self_weight(page)));
            for other in (0..histories.len()).filter(|&other| other != page) {
                let (found, expected) = (weight_of(neighbours, other), web.weight(page, other));
                prop_assert!(near(found, expected), "{page} {other}: {found} {expected}");
            }
            prop_assert!(neighbours.experts.is_sorted_by(|a, b| heavier(a, b).is_lt()));
            prop_assert!(neighbours.experts.iter().all(|expert| expert.weight > 0.0));
        }
    }

    #[test]
    fn warping_is_that_of_the_whole_matrix((one, other) in some_series(), band in 0_usize..45) {
        let expected = brute::warped(&floats(&one), &floats(&other), band);
        prop_assert_eq!(warped(&one, &other, band), expected as u64);
    }

    #[test]
    fn a_wide_band_is_no_band((one, other) in some_series(), more in 0_usize..9) {
        let days = one.len();
        let plain = brute::warped(&floats(&one), &floats(&other), usize::MAX);
        for band in [days + more, usize::MAX] {
            prop_assert_eq!(warped(&one, &other, band), plain as u64);
        }
    }

    #[test]
    fn looks_after_now_change_nothing(
        histories in some_pasts(), others in some_pasts(), settings in some_choosing(),
        candidates in 0_usize..4, hours in 0_i64..700,
    ) {
        let settings = ExpertSettings { candidates, ..settings };
        let now = Time::from_millis(hours * HOUR);
        let links = ring(histories.len());
        let known: Vec<Vec<VisitRecord>> =
            histories.iter().map(|visits| until(visits, now).to_vec()).collect();
        let replaced: Vec<Vec<VisitRecord>> = known
            .iter()
            .enumerate()
            .map(|(page, visits)| {
                let future = others.get(page).into_iter().flatten();
                let future = future.filter(|visit| visit.at > now).cloned();
                visits.iter().cloned().chain(future).collect()
            })
            .collect();
        let expected = choose(&settings, &slices(&known), &links, now, &everyone);
        for histories in [histories, replaced] {
            let found = choose(&settings, &slices(&histories), &links, now, &everyone);
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn enough_candidates_are_as_good_as_all_pairs(
        histories in some_pasts(), settings in some_choosing(),
    ) {
        let enough = ExpertSettings { candidates: 100, ..settings.clone() };
        let expected = chosen(&settings, &histories, 9);
        prop_assert_eq!(chosen(&enough, &histories, 9), expected);
    }

    #[test]
    fn threads_do_not_matter(
        histories in some_pasts(), settings in some_choosing(), candidates in 0_usize..4,
    ) {
        let settings = ExpertSettings { candidates, ..settings };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| choose(&settings, &slices(&histories), &ring(histories.len()), day(9), &everyone))
        };
        prop_assert_eq!(with(1), with(3));
    }
}
