//! A predictor in a crawl of small webs whose pages change by rules.
use std::sync::Arc;

use crawl::{
    HostNo, Instruments, Known, Links, Observation, Outcome, PageNo, Pages, Span, Time, Visited,
};
use instruments::features::Features;

use super::Predictor;
use crate::{PolicySpec, testing::day};

const ADDRESS: &str = "http://a.example/";

/// A crawl that visits given pages.
struct Web {
    pages: Pages,
    links: Links,
    instruments: Instruments,
    predictor: Predictor,
    /// By page, how often it has changed.
    versions: Vec<u32>,
}

impl Web {
    fn new(pages: usize, policy: &str) -> Self {
        let spec = PolicySpec::parse(policy).unwrap();
        let predictor = Predictor::new(1, spec.parameters());
        let features = Features::needed(&predictor.needs()).unwrap();
        let instruments = Instruments::default().with(features);
        let mut known = Pages::default();
        for page in 0..pages {
            known.insert(&format!("http://a.example/{page}"), day(0));
        }
        let (links, versions) = (Links::default(), vec![0; pages]);
        Self { pages: known, links, instruments, predictor, versions }
    }

    /// Visits a page, which has or has not changed.
    fn visit(&mut self, page: u32, at: Time, changes: bool) {
        let number = PageNo(page);
        let row = number.index();
        self.versions[row] += u32::from(changes);
        let since = self.pages.last_seen(number).map(|then| at - then);
        let outcome = match (since, changes) {
            (None, _) => Outcome::First,
            (_, true) => Outcome::Changed(0.5),
            (_, false) => Outcome::Same,
        };
        // Words that stay, and one that says what is new, the same on all pages.
        let news = format!("news{} ", self.versions[row] % 3).repeat(8);
        let html = format!("<p>{} page{page} page{page} {news}</p>", "sand tide ".repeat(5));
        let new = extract::read::read(ADDRESS, "text/html", html.as_bytes());
        self.observe(&Visited {
            host: crawl::HostNo(0),
            page: number,
            address: ADDRESS,
            at,
            outcome,
            new: Some(&Arc::new(new)),
            shows_new_link: false,
            cost: crawl::Cost::default(),
        });
    }

    fn observe(&mut self, found: &Visited<'_>) {
        let &Visited { page, at, outcome, .. } = found;
        let since = self.pages.last_seen(page).map(|then| at - then);
        self.pages.apply(page, at, outcome);
        self.instruments.find_mut::<Features>().unwrap().apply(found);
        self.predictor
            .learn(&Observation { since, ..Observation::new(page, HostNo(0), at, outcome) });
    }

    /// The probabilities that pages have changed by then.
    fn probabilities<const N: usize>(&mut self, now: Time, pages: [u32; N]) -> [f64; N] {
        let known =
            Known { instruments: &self.instruments, ..Known::new(now, &self.pages, &self.links) };
        self.predictor.prepare(&known);
        pages.map(|page| self.predictor.probability(&known, PageNo(page)))
    }
}

#[test]
fn before_anything_is_learned_chances_are_those_of_change_rates() {
    let mut web = Web::new(2, "predicted");
    assert!(web.probabilities(day(0), [0])[0] >= 1.0, "nothing is held of it");
    web.visit(0, day(0), false);
    let [soon, late] = [day(1), day(20)].map(|then| web.probabilities(then, [0])[0]);
    // A page without evidence changes once a month.
    assert!(0.0 < soon && soon < 0.05 && soon < late && late < 0.6, "{soon} {late}");
    web.visit(0, day(21), true);
    let rates = web.predictor.rates().clone();
    let expected =
        1.0 - rates.belief(PageNo(0), HostNo(0), Span::from_days(4)).fresh_probability(4.0);
    assert!((web.probabilities(day(25), [0])[0] - expected).abs() < 1e-12);
}

#[test]
fn pages_that_never_or_always_change_are_left_to_their_rates() {
    for predictor in ["single", "multiple", "union", "boosting"] {
        let mut web = Web::new(2, &format!("predicted:predictor={predictor}"));
        for number in 0..40 {
            web.visit(0, day(number), false);
            web.visit(1, day(number), number > 0);
        }
        let [never, always] = web.probabilities(day(40), [0, 1]);
        assert!(0.0 < never && never < 0.05, "{predictor}: {never}");
        assert!(0.6 < always && always < 1.0, "{predictor}: {always}");
    }
}

#[test]
fn a_page_that_changes_every_other_day_is_seen_through_by_its_own_past() {
    let probabilities = |predictor: &str, days: i64| {
        let mut web = Web::new(1, &format!("predicted:predictor={predictor}"));
        for number in 0..days {
            web.visit(0, day(number), number % 2 == 1);
        }
        web.probabilities(day(days), [0])[0]
    };
    // After an even number of days the last visit found a change and the next will not.
    let [low, high] = [50, 51].map(|days| probabilities("single", days));
    assert!(low < 0.2 && high > 0.8, "{low} {high}");
    let [one, other] = [50, 51].map(|days| probabilities("coin", days));
    assert!((one - other).abs() < 0.1, "frequencies cannot tell: {one} {other}");
}

/// Whether a page without a visible pattern changes on a day.
fn leads(day: i64) -> bool {
    day > 0 && xxhash_rust::xxh3::xxh3_64(&day.to_le_bytes()).is_multiple_of(3)
}

/// Page 0 changes without a pattern, page 1 a day later, and the others independently.
fn led(policy: &str, days: i64) -> Web {
    let mut web = Web::new(4, policy);
    for number in 0..days {
        web.visit(0, day(number), leads(number));
        web.visit(1, day(number), leads(number - 1));
        for page in 2..4 {
            let bytes = [page, number];
            let draw = xxhash_rust::xxh3::xxh3_64(&bytes.map(i64::to_le_bytes).concat());
            web.visit(page as u32, day(number), draw.is_multiple_of(3));
        }
    }
    web
}

/// The mean probability of page 1 on days after a change of page 0, and on others.
fn told_apart(policy: &str) -> (f64, f64) {
    let (mut led_days, mut others) = (vec![], vec![]);
    for days in 71..101 {
        let mut web = led(policy, days);
        let probability = web.probabilities(day(days), [1])[0];
        if leads(days - 1) { led_days.push(probability) } else { others.push(probability) }
    }
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    (mean(led_days), mean(others))
}

#[test]
fn a_page_that_follows_another_is_seen_through_by_that_one() {
    let (led, other) = told_apart("predicted:predictor=multiple-others:experts=1");
    assert!(led > other + 0.3, "by its leader: {led} and {other}");
    let (led, other) = told_apart("predicted:predictor=single");
    assert!((led - other).abs() < 0.15, "by itself: {led} and {other}");
}

#[test]
fn an_expert_that_vanished_no_longer_speaks() {
    let gone = |page: u32| Visited {
        host: crawl::HostNo(0),
        address: ADDRESS,
        page: PageNo(page),
        at: day(80),
        outcome: Outcome::Gone,
        new: None,
        shows_new_link: false,
        cost: crawl::Cost::default(),
    };
    let mut web = led("predicted:predictor=multiple", 80);
    let before = web.probabilities(day(80), [1])[0];
    web.observe(&gone(0));
    let after = web.probabilities(day(80), [1])[0];
    assert!((0.0..1.0).contains(&before) && (0.0..1.0).contains(&after));
    for page in [0, 2, 3] {
        web.observe(&gone(page));
    }
    assert!((0.0..1.0).contains(&web.probabilities(day(80), [1])[0]));
}

#[test]
fn chances_rise_while_a_page_is_not_looked_at() {
    let mut web = led("predicted", 80);
    let probabilities: Vec<f64> =
        [80, 82, 90, 120].iter().map(|&then| web.probabilities(day(then), [1])[0]).collect();
    // Within a week no model is trained.
    assert!(probabilities[0] <= probabilities[1], "{probabilities:?}");
    assert!(
        probabilities.iter().all(|probability| (0.0..1.0).contains(probability)),
        "{probabilities:?}"
    );
}

#[test]
fn models_are_trained_on_schedule_out_of_what_was_seen_before() {
    let trained = |days: i64| {
        let mut web = led("predicted:predictor=single:retrain=10", days);
        web.probabilities(day(days), [1]);
        web.predictor.trained
    };
    assert_eq!(
        [9, 10, 19, 20, 25].map(trained),
        [None, Some(10), Some(10), Some(20), Some(20)].map(|it| it.map(day))
    );
    let mut once = led("predicted:predictor=single:retrain=0", 80);
    once.probabilities(day(80), [1]);
    assert_eq!(once.predictor.trained, Some(day(50)));
}

#[test]
fn a_crawl_that_goes_on_trains_what_it_had_trained() {
    for policy in ["predicted", "predicted:predictor=single", "predicted:relation=content"] {
        // One that trained when due, and one that was stopped and continued three days later.
        let mut lived = led(policy, 77);
        lived.probabilities(day(77), [1]);
        let mut stopped = led(policy, 77);
        for web in [&mut lived, &mut stopped] {
            for number in 77..80 {
                web.visit(1, day(number), leads(number - 1));
                web.visit(0, day(number), leads(number));
            }
        }
        let probabilities =
            [&mut lived, &mut stopped].map(|web| web.probabilities(day(80), [0, 1, 2, 3]));
        assert_eq!(
            probabilities[0].map(f64::to_bits),
            probabilities[1].map(f64::to_bits),
            "{policy}"
        );
    }
}

#[test]
fn new_links_are_another_target() {
    let mut web = Web::new(1, "predicted:target=new-link:predictor=single");
    // Every visit finds other words, every third new links: only these are the target.
    for number in 0..60 {
        let html = format!("<p>{}</p>", format!("word{number} ").repeat(9));
        let new = extract::read::read(ADDRESS, "text/html", html.as_bytes());
        web.observe(&Visited {
            host: crawl::HostNo(0),
            page: PageNo(0),
            address: ADDRESS,
            at: day(number),
            outcome: if number > 0 { Outcome::Changed(1.0) } else { Outcome::First },
            new: Some(&Arc::new(new)),
            shows_new_link: number % 3 == 2,
            cost: crawl::Cost::default(),
        });
    }
    let probability = web.probabilities(day(60), [0])[0];
    assert!(probability < 0.2, "the last visit found some, so the next will not: {probability}");
}
