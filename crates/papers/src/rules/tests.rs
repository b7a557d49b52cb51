//! Each rule on a handful of sites.
use super::*;

const STATEMENT: Statement<'_> = Statement { what: "one is so", paper: "so" };

fn side(name: &str, sample: Result<Sample, String>) -> Side {
    Side { name: name.to_owned(), sample, is_searched: false, samples_sites: false }
}

/// Two policies by their values on four sites.
fn pair(one: [f64; 4], other: [f64; 4]) -> Pair {
    let sample = |values: [f64; 4]| Ok(Sample::Values(values.map(Some).into()));
    Pair { one: side("A", sample(one)), other: side("B", sample(other)), tests: Tests::default() }
}

#[test]
fn above_needs_an_interval_without_zero() {
    let met = above(&STATEMENT, &pair([0.4, 0.5, 0.6, 0.7], [0.3, 0.3, 0.3, 0.3]));
    assert_eq!(met.outcome, Outcome::Met);
    assert_eq!(met.number, "+0.250: A 0.550, B 0.300");
    let interval = met.interval.unwrap();
    assert!(interval.low > 0.1 && interval.high < 0.4, "{interval:?}");
    // Above in the mean by one site alone: a third of the draws do not have it.
    let lucky = above(&STATEMENT, &pair([0.9, 0.3, 0.3, 0.3], [0.3, 0.3, 0.3, 0.3]));
    assert_eq!(lucky.outcome, Outcome::NotMet);
    assert_eq!(lucky.explanation, "above, but the interval by site holds 0");
    let below = above(&STATEMENT, &pair([0.1, 0.1, 0.1, 0.1], [0.3, 0.3, 0.3, 0.3]));
    assert_eq!(below.outcome, Outcome::NotMet);
    assert_eq!(below.number, "\u{2212}0.200: A 0.100, B 0.300");
    assert_eq!(below.explanation, "the difference is not above 0");
}

#[test]
fn alike_says_by_which_rule() {
    // Half a point apart on every site: the interval excludes 0, and yet they are alike.
    let close = alike(&STATEMENT, &pair([0.305, 0.305, 0.305, 0.305], [0.3, 0.3, 0.3, 0.3]));
    assert_eq!(close.outcome, Outcome::Met);
    assert_eq!(close.explanation, "alike: the difference is at most 0.005");
    let noisy = alike(&STATEMENT, &pair([0.9, 0.1, 0.5, 0.2], [0.3, 0.5, 0.3, 0.4]));
    assert_eq!(noisy.outcome, Outcome::Met);
    assert!(noisy.explanation.starts_with("not told apart"), "{}", noisy.explanation);
    let apart = alike(&STATEMENT, &pair([0.4, 0.4, 0.5, 0.5], [0.3, 0.3, 0.3, 0.3]));
    assert_eq!(apart.outcome, Outcome::NotMet);
}

#[test]
fn about_three_times_is_three_quarters_of_it_or_more() {
    let small = [0.1, 0.1, 0.1, 0.1];
    let met = about_times(&STATEMENT, &pair([0.23, 0.23, 0.22, 0.22], small), 3.0);
    assert_eq!(met.outcome, Outcome::Met);
    assert_eq!(met.number, "2.25 times: A 0.225, B 0.100");
    let less = about_times(&STATEMENT, &pair([0.22, 0.22, 0.22, 0.22], small), 3.0);
    assert_eq!(less.outcome, Outcome::NotMet);
    assert_eq!(less.explanation, "less than 2.25 times");
    // Three times in the mean by one site alone.
    let lucky = about_times(&STATEMENT, &pair([0.9, 0.1, 0.1, 0.1], small), 3.0);
    assert_eq!(lucky.explanation, "the interval by site does not lie above 1");
    assert_eq!(lucky.outcome, Outcome::NotMet);
}

#[test]
fn what_was_not_measured_or_has_no_interval_is_not_testable() {
    let missing =
        Pair { one: side("A", Err("A was not run".to_owned())), ..pair([0.1; 4], [0.2; 4]) };
    for sub_claim in [
        above(&STATEMENT, &missing),
        alike(&STATEMENT, &missing),
        about_times(&STATEMENT, &missing, 2.0),
    ] {
        assert_eq!(sub_claim.outcome, Outcome::NotTestable("A was not run".to_owned()));
    }
    let whole = |value| Ok(Sample::Whole(vec![value]));
    let joint = Pair {
        one: Side { is_searched: true, ..side("A", whole(0.5)) },
        other: side("B", whole(0.3)),
        tests: Tests::default(),
    };
    let sub_claim = above(&STATEMENT, &joint);
    assert_eq!(
        sub_claim.outcome,
        Outcome::NotTestable(
            "no interval by site, since what searchers see belongs to no one site \
             (+0.200: A 0.500, B 0.300)"
                .to_owned()
        )
    );
    assert_eq!(sub_claim.decides, WebKind::Sites);
    // Within the margin no interval is needed.
    let same = Pair { other: side("B", whole(0.497)), ..joint };
    assert_eq!(alike(&STATEMENT, &same).outcome, Outcome::Met);
}

#[test]
fn small_numbers_keep_two_digits() {
    assert_eq!(short(0.12345), "0.123");
    assert_eq!(short(-0.0021), "\u{2212}0.002");
    assert_eq!(short(0.000_012_3), "1.23e-5");
    assert_eq!(short(0.0), "0.000");
}
