//! Facts about a predictor in a crawl, told by small webs whose pages change by rules.
use flow::{
    HostNo, Known, Links, Observation, Outcome, PageNo, Pages, Reason, Span, Time,
    features::{Features, Found},
};

use super::Predictor;
use crate::Choice;

fn day(day: i64) -> Time {
    Time::from_millis(0) + Span::from_days(day)
}

/// A crawl that looks at the pages it is told to.
struct Web {
    pages: Pages,
    links: Links,
    features: Features,
    predictor: Predictor,
    /// By page, how often it has changed.
    versions: Vec<u32>,
}

impl Web {
    fn new(pages: usize, policy: &str) -> Self {
        let choice = Choice::parse(policy).unwrap();
        let predictor = Predictor::new(1, choice.parameters());
        let features = Features::wanted().looking_back(predictor.looks_back());
        let mut known = Pages::default();
        for page in 0..pages {
            known.admit(&format!("http://a.example/{page}"), day(0));
        }
        let (links, versions) = (Links::default(), vec![0; pages]);
        Self { pages: known, links, features, predictor, versions }
    }

    /// Looks at a page, which has or has not changed.
    fn look(&mut self, page: u32, at: Time, changes: bool) {
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
        let new = flow::read::read("http://a.example/", "text/html", html.as_bytes());
        self.observe(&Found { page: number, at, outcome, new: Some(&new), shows_new_link: false });
    }

    fn observe(&mut self, found: &Found<'_>) {
        let &Found { page, at, outcome, .. } = found;
        let since = self.pages.last_seen(page).map(|then| at - then);
        self.pages.absorb(page, at, outcome);
        self.features.absorb(found);
        self.predictor.learn(&Observation {
            page,
            host: HostNo(0),
            cycle: 0,
            at,
            reason: Reason::Refresh,
            outcome,
            fault: None,
            since,
            leads: vec![],
            signals: vec![],
            impact: None,
        });
    }

    /// The chances that pages have changed by then.
    fn chances<const N: usize>(&mut self, now: Time, pages: [u32; N]) -> [f64; N] {
        let known = Known { features: &self.features, ..Known::new(now, &self.pages, &self.links) };
        self.predictor.prepare(&known);
        pages.map(|page| self.predictor.chance(&known, PageNo(page)))
    }
}

#[test]
fn before_anything_is_learned_chances_are_those_of_change_rates() {
    let mut web = Web::new(2, "predicted");
    assert!(web.chances(day(0), [0])[0] >= 1.0, "nothing is held of it");
    web.look(0, day(0), false);
    let [soon, late] = [day(1), day(20)].map(|then| web.chances(then, [0])[0]);
    // A change a month is assumed of a page that nothing is known of.
    assert!(0.0 < soon && soon < 0.05 && soon < late && late < 0.6, "{soon} {late}");
    web.look(0, day(21), true);
    let rates = web.predictor.rates().clone();
    let expected = 1.0 - rates.belief(PageNo(0), HostNo(0), Span::from_days(4)).fresh_chance(4.0);
    assert!((web.chances(day(25), [0])[0] - expected).abs() < 1e-12);
}

#[test]
fn pages_that_never_or_always_change_are_left_to_their_rates() {
    for predictor in ["single", "multiple", "union", "boosting"] {
        let mut web = Web::new(2, &format!("predicted:predictor={predictor}"));
        for number in 0..40 {
            web.look(0, day(number), false);
            web.look(1, day(number), number > 0);
        }
        let [never, always] = web.chances(day(40), [0, 1]);
        assert!(0.0 < never && never < 0.05, "{predictor}: {never}");
        assert!(0.6 < always && always < 1.0, "{predictor}: {always}");
    }
}

#[test]
fn a_page_that_changes_every_other_day_is_seen_through_by_its_own_past() {
    let chances = |predictor: &str, days: i64| {
        let mut web = Web::new(1, &format!("predicted:predictor={predictor}"));
        for number in 0..days {
            web.look(0, day(number), number % 2 == 1);
        }
        web.chances(day(days), [0])[0]
    };
    // After an even number of days the last visit found a change and the next will not.
    let [low, high] = [50, 51].map(|days| chances("single", days));
    assert!(low < 0.2 && high > 0.8, "{low} {high}");
    let [one, other] = [50, 51].map(|days| chances("coin", days));
    assert!((one - other).abs() < 0.1, "frequencies cannot tell: {one} {other}");
}

/// Whether a page that nobody sees through changes on a day.
fn leads(day: i64) -> bool {
    day > 0 && xxhash_rust::xxh3::xxh3_64(&day.to_le_bytes()).is_multiple_of(3)
}

/// Page 0 changes by a rule that nobody sees through, page 1 a day later, and the others on their own.
fn led(policy: &str, days: i64) -> Web {
    let mut web = Web::new(4, policy);
    for number in 0..days {
        web.look(0, day(number), leads(number));
        web.look(1, day(number), leads(number - 1));
        for page in 2..4 {
            let bytes = [page, number];
            let lot = xxhash_rust::xxh3::xxh3_64(&bytes.map(i64::to_le_bytes).concat());
            web.look(page as u32, day(number), lot.is_multiple_of(3));
        }
    }
    web
}

/// The mean chance given to page 1 on days before which page 0 had changed, and on others.
fn told_apart(policy: &str) -> (f64, f64) {
    let (mut led_days, mut others) = (vec![], vec![]);
    for days in 71..101 {
        let mut web = led(policy, days);
        let chance = web.chances(day(days), [1])[0];
        if leads(days - 1) { led_days.push(chance) } else { others.push(chance) }
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
    let gone = |page: u32| Found {
        page: PageNo(page),
        at: day(80),
        outcome: Outcome::Gone,
        new: None,
        shows_new_link: false,
    };
    let mut web = led("predicted:predictor=multiple", 80);
    let before = web.chances(day(80), [1])[0];
    web.observe(&gone(0));
    let after = web.chances(day(80), [1])[0];
    assert!((0.0..1.0).contains(&before) && (0.0..1.0).contains(&after));
    for page in [0, 2, 3] {
        web.observe(&gone(page));
    }
    assert!((0.0..1.0).contains(&web.chances(day(80), [1])[0]));
}

#[test]
fn chances_rise_while_a_page_is_not_looked_at() {
    let mut web = led("predicted", 80);
    let chances: Vec<f64> =
        [80, 82, 90, 120].iter().map(|&then| web.chances(day(then), [1])[0]).collect();
    // Within a week nothing is trained anew.
    assert!(chances[0] <= chances[1], "{chances:?}");
    assert!(chances.iter().all(|chance| (0.0..1.0).contains(chance)), "{chances:?}");
}

#[test]
fn models_are_trained_on_schedule_out_of_what_was_seen_before() {
    let trained = |days: i64| {
        let mut web = led("predicted:predictor=single:retrain=10", days);
        web.chances(day(days), [1]);
        web.predictor.trained
    };
    assert_eq!(
        [9, 10, 19, 20, 25].map(trained),
        [None, Some(10), Some(10), Some(20), Some(20)].map(|it| it.map(day))
    );
    let mut once = led("predicted:predictor=single:retrain=0", 80);
    once.chances(day(80), [1]);
    assert_eq!(once.predictor.trained, Some(day(50)));
}

#[test]
fn a_crawl_that_goes_on_trains_what_it_had_trained() {
    for policy in ["predicted", "predicted:predictor=single", "predicted:relation=content"] {
        // One that trained on the day it was due, and one that was stopped and began three days later.
        let mut lived = led(policy, 77);
        lived.chances(day(77), [1]);
        let mut stopped = led(policy, 77);
        for web in [&mut lived, &mut stopped] {
            for number in 77..80 {
                web.look(1, day(number), leads(number - 1));
                web.look(0, day(number), leads(number));
            }
        }
        let chances = [&mut lived, &mut stopped].map(|web| web.chances(day(80), [0, 1, 2, 3]));
        assert_eq!(chances[0].map(f64::to_bits), chances[1].map(f64::to_bits), "{policy}");
    }
}

#[test]
fn new_links_are_another_target() {
    let mut web = Web::new(1, "predicted:target=new-link:predictor=single");
    // Every visit finds other words, every third new links: only these are asked about.
    for number in 0..60 {
        let html = format!("<p>{}</p>", format!("word{number} ").repeat(9));
        let new = flow::read::read("http://a.example/", "text/html", html.as_bytes());
        web.observe(&Found {
            page: PageNo(0),
            at: day(number),
            outcome: if number > 0 { Outcome::Changed(1.0) } else { Outcome::First },
            new: Some(&new),
            shows_new_link: number % 3 == 2,
        });
    }
    let chance = web.chances(day(60), [0])[0];
    assert!(chance < 0.2, "the last visit found some, so the next will not: {chance}");
}
