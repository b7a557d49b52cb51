//! Each rule on a handful of sites.
use super::*;

const STATEMENT: Statement<'_> = Statement { what: "one is so", paper: "so" };

fn side(name: &str, sample: Result<Sample, String>) -> Side {
    Side { name: name.to_owned(), sample }
}

/// Two policies by their values on four sites.
fn pair(one: [f64; 4], other: [f64; 4]) -> Pair {
    let sample = |values: [f64; 4]| Ok(Sample::Values(values.map(Some).into()));
    Pair { one: side("A", sample(one)), other: side("B", sample(other)), tests: Tests::default() }
}

#[test]
fn above_is_met_or_contradicted_only_by_an_interval_on_one_side_of_zero() {
    let met = above(&STATEMENT, &pair([0.4, 0.5, 0.6, 0.7], [0.3, 0.3, 0.3, 0.3]));
    assert_eq!(met.outcome, Outcome::Met);
    assert_eq!(met.number, "+0.250: A 0.550, B 0.300");
    // A standard error of 0.0645, 3.182 of them.
    let interval = met.interval.unwrap();
    assert!(interval.low > 0.044 && interval.high < 0.456, "{interval:?}");
    // Above in the mean by one site alone.
    let lucky = above(&STATEMENT, &pair([0.9, 0.3, 0.3, 0.3], [0.3, 0.3, 0.3, 0.3]));
    assert_eq!(lucky.outcome, Outcome::Undecided);
    assert_eq!(lucky.explanation, "only part of the interval is above 0");
    let below = above(&STATEMENT, &pair([0.1, 0.1, 0.1, 0.1], [0.3, 0.3, 0.3, 0.3]));
    assert_eq!(below.outcome, Outcome::Contradicted);
    assert_eq!(below.number, "\u{2212}0.200: A 0.100, B 0.300");
    assert_eq!(below.explanation, "the interval is not above 0");
    let same = above(&STATEMENT, &pair([0.3; 4], [0.3; 4]));
    assert_eq!(same.outcome, Outcome::Contradicted, "no difference is not above");
}

#[test]
fn undecided_says_what_would_have_been_detected() {
    // A standard error of 0.1: the interval is 2 × 3.182 of it wide, judged as one of 3.92 standard errors.
    let lucky = above(&STATEMENT, &pair([0.7, 0.3, 0.3, 0.3], [0.3, 0.3, 0.3, 0.3]));
    assert_eq!(lucky.outcome, Outcome::Undecided);
    let least = lucky.tests.detectable.unwrap();
    assert!((least - 2.8 * 0.6364 / 3.92).abs() < 1e-9, "{least}");
    assert_eq!(lucky.number, "+0.100: A 0.400, B 0.300 (detectable: 0.455)");
}

#[test]
fn a_wide_interval_makes_nothing_alike_and_a_narrow_one_parts_nothing_within_the_margin() {
    // 0.7 points apart on every site: the interval excludes 0, and yet they are alike.
    let close = alike(&STATEMENT, &pair([0.307; 4], [0.3; 4]), 0.02);
    assert_eq!(close.outcome, Outcome::Met);
    assert_eq!(close.explanation, "the interval is within 0.020");
    // The mean difference is 0, but a site may be 0.6 apart.
    let noisy = alike(&STATEMENT, &pair([0.9, 0.1, 0.5, 0.2], [0.3, 0.5, 0.5, 0.4]), 0.02);
    assert_eq!(noisy.outcome, Outcome::Undecided);
    let apart = alike(&STATEMENT, &pair([0.4, 0.4, 0.5, 0.5], [0.3; 4]), 0.02);
    assert_eq!(apart.outcome, Outcome::Contradicted);
    // The margin is that of the paper: what is apart by 0.02 may be alike by 0.024.
    let paper = alike(&STATEMENT, &pair([0.322; 4], [0.3; 4]), 0.024);
    assert_eq!(paper.outcome, Outcome::Met);
}

#[test]
fn about_three_times_begins_at_two_and_a_half() {
    let small = [0.1, 0.1, 0.1, 0.1];
    let met = about_times(&STATEMENT, &pair([0.27, 0.27, 0.26, 0.26], small), 3.0);
    assert_eq!(met.outcome, Outcome::Met);
    assert_eq!(met.number, "2.65 times: A 0.265, B 0.100");
    let less = about_times(&STATEMENT, &pair([0.24; 4], small), 3.0);
    assert_eq!(less.outcome, Outcome::Contradicted);
    // Three times in the mean by one site alone.
    let lucky = about_times(&STATEMENT, &pair([0.9, 0.1, 0.1, 0.1], small), 3.0);
    assert_eq!(lucky.outcome, Outcome::Undecided);
}

#[test]
fn what_was_not_measured_is_not_testable_and_one_web_decides_nothing() {
    let missing =
        Pair { one: side("A", Err("A was not run".to_owned())), ..pair([0.1; 4], [0.2; 4]) };
    for sub_claim in [
        above(&STATEMENT, &missing),
        alike(&STATEMENT, &missing, 0.02),
        about_times(&STATEMENT, &missing, 2.0),
    ] {
        assert_eq!(sub_claim.outcome, Outcome::NotTestable("A was not run".to_owned()));
    }
    let whole = |value| Ok(Sample::Values(vec![Some(value)]));
    let one =
        Pair { one: side("A", whole(0.5)), other: side("B", whole(0.3)), tests: Tests::default() };
    let sub_claim = above(&STATEMENT, &one);
    assert_eq!(sub_claim.outcome, Outcome::Undecided);
    assert_eq!(sub_claim.number, "+0.200: A 0.500, B 0.300");
}

#[test]
fn a_value_without_an_interval_decides_by_itself() {
    let estimate = Estimate { value: 0.6, interval: None };
    let met = estimated(&STATEMENT, estimate, Rule::AtLeast(0.6), "a count");
    assert_eq!(met.outcome, Outcome::Met);
    let wide = Estimate { interval: Some(Interval { low: 0.4, high: 0.8 }), ..estimate };
    let open = estimated(&STATEMENT, wide, Rule::Between(0.5, 0.7), "a mean");
    assert_eq!(open.outcome, Outcome::Undecided);
    let far = estimated(&STATEMENT, wide, Rule::AtMost(0.3), "a mean");
    assert_eq!(far.outcome, Outcome::Contradicted);
}

#[test]
fn a_measured_value_without_an_interval_decides_nothing() {
    let estimate = Estimate { value: 0.6, interval: None };
    let open = measured(&STATEMENT, estimate, Rule::AtMost(0.5), "a share");
    assert_eq!((open.outcome, open.number.as_str()), (Outcome::Undecided, "0.600"));
}

#[test]
fn small_numbers_keep_two_digits() {
    assert_eq!(short(0.12345), "0.123");
    assert_eq!(short(-0.0021), "\u{2212}0.002");
    assert_eq!(short(0.000_012_3), "1.23e-5");
    assert_eq!(short(0.0), "0.000");
}
