//! Features by hand, and clusters that are not computed twice.
use std::sync::Arc;

use crawl::{Counts, Form, Instruments, Links, Outcome, Pages, Time};
use instruments::features::{ChangeStats, Features, Keyword, PageFeatures};
use text::counts::WordCounts;

use super::*;

const NOW: Time = Time::from_millis(0);

/// Held pages with these features.
fn held(page_features: Vec<(&str, PageFeatures)>) -> (Pages, Features) {
    let (mut pages, mut features) = (Pages::default(), Features::default());
    for (address, page_features) in page_features {
        let page = pages.insert(address, NOW);
        pages.apply(page, NOW, Outcome::First);
        features.insert(page, page_features);
    }
    (pages, features)
}

fn measured(features: &Features) -> Instruments {
    Instruments::default().with(features.copy())
}

fn known<'k>(pages: &'k Pages, links: &'k Links, instruments: &'k Instruments) -> Known<'k> {
    Known { instruments, ..Known::new(NOW, pages, links) }
}

fn table(pages: &Pages, features: &Features, settings: &FeatureSettings) -> FeatureTable {
    let links = Links::default();
    FeatureTable::new(&known(pages, &links, &measured(features)), settings)
}

fn only(groups: &[Group]) -> FeatureSettings {
    FeatureSettings { groups: groups.to_vec(), ..FeatureSettings::default() }
}

fn counts(images: u32, tables: u32, words: u32, text_bytes: u32, emails: u32) -> Counts {
    Counts { images, tables, words, text_bytes, emails }
}

#[test]
fn what_a_page_holds_is_its_own_unit() {
    let html = PageFeatures {
        counts: counts(3, 1, 200, 1_400, 2),
        out_links: 9,
        ..PageFeatures::default()
    };
    let text = PageFeatures {
        form: Form::Text,
        counts: counts(0, 0, 50, 300, 0),
        ..PageFeatures::default()
    };
    let (pages, features) = held(vec![("https://a.org/x/y.html", html), ("https://b.edu/", text)]);
    let found = table(&pages, &features, &only(&[Group::Content, Group::Url, Group::Linkage]));
    // Images, tables, words, bytes, html, text, other; slashes, com edu gov org net mil; PageRank,
    // links to it, links of it, e-mail addresses.
    let html = [3., 1., 200., 1_400., 1., 0., 0., 2., 0., 0., 0., 1., 0., 0., 0., 0., 9., 2.];
    let text = [0., 0., 50., 300., 0., 1., 0., 1., 0., 1., 0., 0., 0., 0., 0., 0., 0., 0.];
    assert_eq!(found.row(0), html);
    assert_eq!(found.row(1), text);
}

#[test]
fn a_page_seen_once_is_taken_for_one_that_stays_as_it_is() {
    let change = ChangeStats {
        cosine: 0.5,
        images: 1,
        tables: -1,
        text_bytes: 20,
        words: -3,
        page_rank: 0.25,
        in_links: 2,
        out_links: -4,
        emails: 0,
    };
    let changed = PageFeatures { change: Some(change), ..PageFeatures::default() };
    let (mut pages, features) =
        held(vec![("https://a.org/1", changed), ("https://a.org/2", PageFeatures::default())]);
    let page = pages.insert("https://a.org/1", NOW);
    pages.apply(page, NOW, Outcome::Changed(1.0));
    pages.apply(page, NOW, Outcome::Same);
    let groups = [Group::DynamicContent, Group::DynamicLinkage, Group::ChangeFrequency];
    let found = table(&pages, &features, &only(&groups));
    assert_eq!(found.row(0), [0.5, 1., -1., 20., -3., 0.25, 2., -4., 0., 0.5]);
    assert_eq!(found.row(1), [1., 0., 0., 0., 0., 0., 0., 0., 0., 0.]);
}

#[test]
fn ranking_features_are_for_the_words_that_are_asked_for() {
    let about = |times: usize| PageFeatures {
        counts: counts(0, 0, 100, 500, 0),
        words: Arc::new(WordCounts::from_terms(vec![7; times])),
        ..PageFeatures::default()
    };
    let (pages, mut features) = held(vec![
        ("https://a.org/1", about(1)),
        ("https://a.org/2", about(5)),
        ("https://a.org/3", about(0)),
    ]);
    features.set_keywords(vec![Keyword { terms: vec![7] }, Keyword { terms: vec![8] }]);
    features.begin_cycle(&pages, &Links::default());
    let settings = FeatureSettings { keywords: 2, ..only(&[Group::Ranking]) };
    let found = table(&pages, &features, &settings);
    assert_eq!([found.row(0), found.row(1), found.row(2)], [[0.9, 0.], [1., 0.], [0., 0.]]);
}

#[test]
fn scaled_columns_have_mean_0_and_deviation_1_by_the_root_of_their_group() {
    let with = |images, words| PageFeatures {
        counts: counts(images, 0, words, 0, 0),
        ..PageFeatures::default()
    };
    let (pages, features) =
        held(vec![("https://a.org/1", with(0, 100)), ("https://a.org/2", with(2, 100))]);
    let scaled = table(&pages, &features, &only(&[Group::Content])).scaled();
    // Images 0 and 2 have mean 1 and deviation 1; the group has seven columns. All others are equal.
    let unit = (1.0 / 7.0_f64.sqrt()) as f32;
    assert_eq!(scaled.row(0), [-unit, 0., 0., 0., 0., 0., 0.]);
    assert_eq!(scaled.row(1), [unit, 0., 0., 0., 0., 0., 0.]);
}

#[test]
fn clusters_are_not_made_again_where_no_feature_has_changed() {
    let page = |number: usize| {
        let size = if number < 4 { 10 } else { 1_000 };
        let page_features =
            PageFeatures { counts: counts(size, 0, size, size, 0), ..PageFeatures::default() };
        (["1", "2", "3", "4", "5", "6", "7", "8"][number], page_features)
    };
    let (pages, mut features) = held((0..8).map(page).collect());
    let links = Links::default();
    let mut grouping = PageClusters::new(only(&[Group::Content]), 3);
    grouping.update(&known(&pages, &links, &measured(&features)), 2);
    grouping.update(&known(&pages, &links, &measured(&features)), 2);
    assert_eq!((grouping.count(), grouping.times_made()), (2, 1));
    let of =
        |grouping: &PageClusters, numbers: [u32; 2]| numbers.map(|no| grouping.cluster(PageNo(no)));
    assert_eq!(of(&grouping, [0, 4])[0], of(&grouping, [3, 7])[0]);
    assert_ne!(of(&grouping, [0, 4])[0], of(&grouping, [0, 4])[1]);
    features.insert(PageNo(0), page(7).1);
    grouping.update(&known(&pages, &links, &measured(&features)), 2);
    assert_eq!(grouping.times_made(), 2);
    assert_eq!(grouping.cluster(PageNo(0)), grouping.cluster(PageNo(7)));
}

#[test]
fn nothing_held_and_features_all_equal_make_at_most_one_cluster() {
    let mut grouping = PageClusters::new(FeatureSettings::default(), 3);
    let (pages, features) = held(vec![]);
    let links = Links::default();
    grouping.update(&known(&pages, &links, &measured(&features)), 100);
    assert_eq!(grouping.count(), 0);
    let same = ["https://a.org/1", "https://a.org/2", "https://a.org/3"];
    let (pages, features) = held(same.map(|address| (address, PageFeatures::default())).to_vec());
    grouping.update(&known(&pages, &links, &measured(&features)), 100);
    assert_eq!(grouping.count(), 1);
    assert_eq!(grouping.pages(0).len(), 3);
}
