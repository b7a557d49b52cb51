//! Days, labels and forecasts of small webs whose answers are known.
use std::{collections::BTreeMap, sync::Arc};

use crawl::{Content, Snapshot, Span, Time};
use extract::{detect, read};
use instruments::features::Target;
use lab::{
    compare::{Comparison, Texts, TextsError},
    grid::Grid,
    history::{History, PageHistory, Version, Window},
    synthetic::{Kind, Spec, SyntheticTexts, SyntheticWeb},
    truth::GroundTruth,
};
use policy::predict::{
    experts::{ChosenExpert, Relation},
    learn::Method,
};

use crate::radinsky_2013::forecast::{
    Days, Label, PageAnswers, Question, Web, ask, crawled_freshness,
    settings::{Extent, WHOLE},
};

const DAY: Span = Span::from_days(1);

/// What pages show, by reading.
struct Bodies(Vec<BTreeMap<u32, Arc<Content>>>);

impl Texts for Bodies {
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError> {
        Ok(self.0[page].iter().map(|(reading, content)| (*reading, Arc::clone(content))).collect())
    }
}

/// A web given by the body of each page on each day, the first being the start; `None` if it is not
/// there.
fn web(pages: &[Vec<Option<String>>]) -> (Arc<GroundTruth>, Bodies) {
    let (mut readings, mut histories, mut bodies) = (vec![], vec![], vec![]);
    for (number, days) in pages.iter().enumerate() {
        let address = format!("http://h.example/{number:02}");
        let (mut versions, mut contents) = (vec![], BTreeMap::new());
        for (day, body) in (0..).zip(days) {
            let reading = body.as_ref().map(|body| {
                let snapshot = read::read(&address, "text/html", body.as_bytes());
                let reading = readings.len() as u32;
                contents.insert(reading, snapshot.content.clone().unwrap_or_default());
                readings.push(Arc::new(Snapshot { content: None, ..snapshot }));
                reading
            });
            versions.push(Version { at: Time::from_millis(0) + DAY.times(day), reading });
        }
        histories.push(PageHistory { address, versions });
        bodies.push(contents);
    }
    let days = pages.iter().map(Vec::len).max().unwrap_or(1) as i64 - 1;
    let window =
        Window { start: Time::from_millis(0), end: Time::from_millis(0) + DAY.times(days) };
    let history = History {
        name: "made".into(),
        source: "by hand".into(),
        window,
        pages: histories,
        readings,
    };
    let texts = Bodies(bodies);
    (truth(history, &texts), texts)
}

fn truth(history: History, texts: &dyn Texts) -> Arc<GroundTruth> {
    let grid = Grid::within(history.window, DAY);
    let detector = detect::by_name("digest").unwrap();
    let comparison = Comparison::new(&history, texts, grid, detector).unwrap();
    Arc::new(GroundTruth::new(Arc::new(history), comparison, grid))
}

fn body(words: &[(&str, usize)], links: &[&str]) -> String {
    let words: Vec<String> =
        words.iter().map(|(word, times)| vec![*word; *times].join(" ")).collect();
    let links: Vec<String> = links.iter().map(|link| format!("<a href=\"{link}\"></a>")).collect();
    format!("<p>{}</p>{}", words.join(" "), links.concat())
}

#[test]
fn every_kind_of_change_has_its_label() {
    let days = vec![
        Some(body(&[("moon", 10), ("tide", 20)], &["/a"])),
        // The words change places.
        Some(body(&[("moon", 20), ("tide", 10)], &["/a"])),
        // One word more of thirty.
        Some(body(&[("moon", 20), ("tide", 10), ("sand", 1)], &["/a"])),
        // The same text with another link.
        Some(body(&[("moon", 20), ("tide", 10), ("sand", 1)], &["/a", "/b"])),
        None,
        // Back with one link fewer.
        Some(body(&[("moon", 20), ("tide", 10), ("sand", 1)], &["/b"])),
        Some(body(&[("moon", 20), ("tide", 10), ("sand", 1)], &["/b"])),
    ];
    let (truth, texts) = web(&[days]);
    let days = Days::new(&truth, &texts).unwrap();
    // The day on which it is gone has no label.
    let of =
        |label: Label| -> Vec<u8> { days.labels(0, label).into_iter().map(u8::from).collect() };
    assert_eq!(of(Label::Significant), [1, 0, 0, 0, 0]);
    assert_eq!(of(Label::Any), [1, 1, 0, 0, 0]);
    assert_eq!(of(Label::NewLink), [0, 0, 1, 0, 0]);
    // All shingles of the page are runs of one word but those where two meet.
    assert_eq!(of(Label::Far)[2..], [0, 0, 0]);
    let visits = days.visits(Label::Far);
    let far: Vec<bool> = visits[0].iter().skip(1).map(|visit| visit.changes.any).collect();
    assert_eq!(far, days.labels(0, Label::Far));
    assert_eq!(
        visits[0].iter().map(|visit| visit.at.millis() / 86_400_000).collect::<Vec<_>>(),
        [0, 1, 2, 3, 5, 6]
    );
    assert!(Arc::ptr_eq(&visits[0][2].words, &visits[0][5].words));
    assert_eq!((days.agreement.pairs, days.agreement.by_text), (2, 1));
    assert_eq!((days.agreement.by_words, days.agreement.agreed), (1, 2));
    assert_eq!(days.eventful(), [1, 2]);
}

/// A page that changes on every second day, one that never does, and one that does on the first
/// days only.
fn turning() -> (Arc<GroundTruth>, Bodies) {
    let page = |changes: &dyn Fn(usize) -> bool| {
        let mut revision = 0;
        let days = (0..200).map(|day| {
            revision += usize::from(changes(day));
            let word = format!("word{revision}");
            Some(body(&[("moon", 20), (&word, 20)], &[]))
        });
        days.collect::<Vec<_>>()
    };
    web(&[page(&|day| day % 2 == 0), page(&|_| false), page(&|day| day < 15)])
}

const ALL_DAYS: Extent = Extent { pages: 9, step: 1, ..WHOLE };

#[test]
fn accuracies_are_those_that_can_be_counted_by_hand() {
    let (truth, texts) = turning();
    let web = Web::new(&truth, &texts, ALL_DAYS).unwrap();
    assert_eq!((web.pages, web.lasting), (3, 3));
    // Labels 0, 1, 0, 1, ...: a turn at every step. The third turns once in 198.
    assert_eq!(web.passing, [1, 1, 1, 1, 1, 1, 0, 0]);
    assert!((web.changed[1] - (99.0 / 199.0 + 14.0 / 199.0) / 3.0).abs() < 1e-12);
    let methods = [
        Method::Coin,
        Method::Majority,
        Method::LastLabel,
        Method::FlippedLabel,
        Method::Single,
        Method::Multiple,
    ];
    let answers = ask(&web, &Question::new(0, &methods, (9, 1)));
    let [answers] = answers.as_slice() else { panic!("one page is forecast") };
    // Looks 52 to 198, each before another.
    assert_eq!((answers.page, answers.tests.len()), (0, 147));
    let accuracies: Vec<f64> = methods
        .iter()
        .enumerate()
        .map(|(place, method)| answers.accuracy(place, *method))
        .collect();
    // Of 50 days 25 have a change: half is not most. From day 52 on, 73 of 147 next days have a
    // change.
    for (found, expected) in accuracies.iter().zip([0.5, 74.0 / 147.0, 0.0, 1.0]) {
        assert!((found - expected).abs() < 1e-12, "{accuracies:?}");
    }
    // What changed today does not tomorrow: easily learned.
    assert!(accuracies[4] > 0.95 && accuracies[5] > 0.95, "{accuracies:?}");
    assert!((answers.tests[0].share - 0.5).abs() < 1e-12);
    assert!(answers.tests[0].before && !answers.tests[0].happened);
}

#[test]
fn a_coin_is_right_as_often_as_is_to_be_expected() {
    let test = |happened| super::Test { happened, before: false, share: 0.25, forecasts: vec![] };
    let answers = PageAnswers { page: 0, tests: vec![test(true), test(false), test(false)] };
    assert!((answers.accuracy(0, Method::Coin) - (0.25 + 0.75 + 0.75) / 3.0).abs() < 1e-12);
}

const FOLLOWERS: Spec = Spec { kind: Kind::Followers, pages: 36, seed: 3, weeks: 30 };

#[test]
fn where_pages_follow_others_these_are_found() {
    let made = SyntheticWeb::new(FOLLOWERS);
    let history = Arc::new(made.history());
    let texts = SyntheticTexts { web: made, history: Arc::clone(&history) };
    let truth = truth((*history).clone(), &texts);
    let web = Web::new(&truth, &texts, Extent { pages: 99, ..WHOLE }).unwrap();
    // Thirty leaves, by the paper's own label and filter; hubs change by themselves, and seldom.
    let (days, pages) = web.forecast(3).unwrap();
    assert_eq!((days.pages(), pages.len()), (36, 30));
    // The first of each group is led by nobody.
    let leaf = |page: usize| {
        let number: String = days.address(page).chars().filter(char::is_ascii_digit).collect();
        number[number.len() - 2..].parse::<usize>().map_or(0, |number| number - 6)
    };
    let (mut led, mut followers) = (0, 0);
    for choice in web.choices(Relation::Correlation) {
        for &page in pages.iter().filter(|page| leaf(**page) % 10 != 0) {
            let experts = &choice.neighbours[page].experts;
            let heaviest = experts.first().unwrap();
            assert_eq!(leaf(heaviest.page) / 10, leaf(page) / 10, "{}", days.address(page));
            let first = leaf(page) / 10 * 10;
            let leads = |chosen: &&ChosenExpert| leaf(chosen.page) == first;
            followers += 1;
            led +=
                usize::from(experts.iter().find(leads).is_some_and(|it| (1..=3).contains(&it.lag)));
        }
    }
    assert_eq!(followers, 27 * web.choices(Relation::Correlation).len());
    assert!(led * 10 >= followers * 9, "{led} of {followers}");
}

/// Two topics of one subject, and some days more than half a year.
const TOPICS: Spec = Spec { kind: Kind::Topics, pages: 64, seed: 1, weeks: 26 };

fn topics() -> Web {
    let made = SyntheticWeb::new(TOPICS);
    let history = Arc::new(made.history());
    let texts = SyntheticTexts { web: made, history: Arc::clone(&history) };
    let truth = truth((*history).clone(), &texts);
    Web::new(&truth, &texts, Extent { pages: 12, crawled: 30, ..WHOLE }).unwrap()
}

/// The paper's own label and filter.
const SIGNIFICANT: usize = 3;

#[test]
fn experts_by_warping_are_heard_and_are_of_the_topic() {
    let web = topics();
    let methods = [Method::Single, Method::Multiple];
    let question = Question::new(SIGNIFICANT, &methods, (12, 26));
    let answers = ask(&web, &Question { relation: Relation::Warping, ..question });
    assert!(answers.len() >= 10);
    let tests = answers.iter().flat_map(|page| &page.tests);
    let differ =
        tests.filter(|test| test.forecasts[0].predicts_change != test.forecasts[1].predicts_change);
    assert!(differ.count() > 0, "the vote is always that of the page itself");
    // Pages of one topic have numbers of one parity.
    let (days, pages) = web.forecast(SIGNIFICANT).unwrap();
    let parity = |page: usize| {
        days.address(page).trim_end_matches(".html").ends_with(['0', '2', '4', '6', '8'])
    };
    let last = web.choices(Relation::Warping).last().unwrap();
    let experts: Vec<bool> = pages
        .iter()
        .flat_map(|&page| {
            let experts = last.neighbours[page].experts.iter().take(20);
            experts.map(move |expert| parity(expert.page) == parity(page))
        })
        .collect();
    let alike = experts.iter().filter(|alike| **alike).count();
    assert!(alike * 10 > experts.len() * 9, "{alike} of {}", experts.len());
}

#[test]
fn a_crawl_begins_after_days_on_which_all_pages_were_seen() {
    let web = topics();
    let methods = [Method::Coin, Method::Majority];
    let fresh = crawled_freshness(&web, SIGNIFICANT, 150, &methods).unwrap();
    assert_eq!(fresh.len(), 2);
    // A page changes on 0.45 of the days, and a tenth is visited: few are fresh, but more than those visited today.
    assert!(fresh.iter().all(|fresh| (0.1..0.6).contains(fresh)), "{fresh:?}");
    assert_eq!(crawled_freshness(&web, SIGNIFICANT, 150, &methods), Some(fresh));
    // Without a day left there is no crawl.
    assert_eq!(crawled_freshness(&web, SIGNIFICANT, 182, &methods), None);
}

/// The same until a day; from then on every page shows its readings in another order, on other
/// days.
fn another_future(mut history: History, cut: Time) -> History {
    for (number, page) in history.pages.iter_mut().enumerate() {
        let readings: Vec<u32> =
            page.versions.iter().filter_map(|version| version.reading).collect();
        page.versions.retain(|version| version.at <= cut);
        for later in 0.. {
            let at = cut + DAY.times((2 * later + number % 2) as i64) + Span::from_millis(1);
            if at > history.window.end {
                break;
            }
            let reading = readings[(number + later * 7919) % readings.len()];
            page.versions.push(Version { at, reading: Some(reading) });
        }
    }
    history
}

#[test]
fn no_forecast_is_made_by_what_is_yet_to_come() {
    let made = SyntheticWeb::new(FOLLOWERS);
    let history = Arc::new(made.history());
    let texts = SyntheticTexts { web: made, history: Arc::clone(&history) };
    let cut = 120;
    let at = history.window.start + DAY.times(cut);
    let futures = [(*history).clone(), another_future((*history).clone(), at)];
    let said = futures.map(|history| {
        let truth = truth(history, &texts);
        let web = Web::new(&truth, &texts, Extent { pages: 99, ..WHOLE }).unwrap();
        let methods = [Method::Coin, Method::Single, Method::Multiple, Method::Bagging];
        let mut all = ask(&web, &Question::new(0, &methods, (99, 17)));
        all.sort_by_key(|page| page.page);
        all
    });
    // Tests on days 52, 69, 86, 103 and 120 know the same past; those after do not.
    let compared = |from: usize, to: usize| {
        let mut same = vec![];
        for one in &said[0] {
            let Some(other) = said[1].iter().find(|other| other.page == one.page) else { continue };
            let shown = |page: &PageAnswers| format!("{:?}", forecasts(&page.tests[from..to]));
            same.push(shown(one) == shown(other));
        }
        same
    };
    assert!(compared(0, 5).len() >= 30);
    assert!(compared(0, 5).iter().all(|same| *same));
    assert!(compared(5, 9).iter().any(|same| !same));
}

fn forecasts(tests: &[super::Test]) -> Vec<(bool, f64, Vec<policy::predict::learn::Forecast>)> {
    tests.iter().map(|test| (test.before, test.share, test.forecasts.clone())).collect()
}

#[test]
fn targets_are_where_looks_have_them() {
    assert_eq!(
        Label::ALL.map(|(_, label)| label.target()),
        [Target::Significant, Target::Any, Target::Any, Target::NewLink]
    );
}
