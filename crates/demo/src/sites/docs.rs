//! Manuals of software: still for days, then a release changes many pages in the same second.
use std::sync::Arc;

use flow::Time;

use super::{Era, add_fixed, edited, slug, still};
use crate::chance::Chance;
use crate::list::{Entry, List, Order};
use crate::moments::{DAY, day_words, later};
use crate::page::{Block, End, Form, Page};
use crate::phrases::Voice;
use crate::site::{Manners, Site, SitemapKind, Validators};
use crate::words::{BIRDS, GEAR, PLANTS, Topic};

/// One manual.
pub(super) struct Spec {
    host: &'static str,
    name: &'static str,
    about: &'static str,
    chapters: &'static [(&'static str, &'static str)],
    pages_per_chapter: usize,
    /// Days between releases, on average.
    release_days: f64,
    /// The share of pages that a release edits.
    edited: f64,
    /// Whether every page names the version, so that a release changes all of them.
    versioned: bool,
    manners: Manners,
}

pub(super) const SPECS: &[Spec] = &[
    Spec {
        host: "shore-docs.example",
        name: "Shore documentation",
        about: "The manual of Shore, the toolkit that listens to tide gauges.",
        chapters: &[
            ("start", "First steps"),
            ("gauges", "Gauges"),
            ("charts", "Charts"),
            ("berths", "Berths"),
            ("signals", "Signals"),
            ("reports", "Reports"),
            ("reference", "Reference"),
        ],
        pages_per_chapter: 16,
        release_days: 11.0,
        edited: 0.25,
        versioned: true,
        manners: Manners {
            validators: Validators::Date,
            gzip: true,
            cache_control: Some("max-age=3600"),
            private: &["/drafts/"],
            sitemap: SitemapKind::Build,
            ..Manners::PLAIN
        },
    },
    Spec {
        host: "rigging-manual.example",
        name: "The rigging manual",
        about: "How to set up, tune and mend the Rigging library.",
        chapters: &[
            ("ropes", "Ropes"),
            ("masts", "Masts"),
            ("sails", "Sails"),
            ("knots", "Knots"),
            ("mending", "Mending"),
        ],
        pages_per_chapter: 16,
        release_days: 9.0,
        edited: 0.3,
        versioned: false,
        manners: Manners { validators: Validators::Tag, slow: 0.05, ..Manners::PLAIN },
    },
];

/// Of a chapter's pages, the one with this number moves to a new path with the first release.
const MOVING: usize = 5;

/// A release: when, and its number.
struct Release {
    at: Time,
    version: String,
}

pub(super) fn site(era: &Era, spec: &Spec) -> Site {
    let chance = Chance::new(era.seed, spec.host);
    let mut site = Site::new(spec.host, spec.name, spec.about, spec.manners.clone());
    let releases = releases(era, spec, chance);
    let mut chapters = Vec::new();
    for (folder, label) in spec.chapters {
        let path = format!("/guide/{folder}/");
        site.navigate(&path, label);
        let mut entries = Vec::new();
        for number in 0..spec.pages_per_chapter {
            let chance = chance.of(folder).at(number as u64);
            add_guide(&mut site, era, spec, chance, &path, number, &releases, &mut entries);
        }
        let topic = Topic::any(&mut chance.of(folder).of("topic").draws());
        let blocks = vec![
            still(chance.of(folder), Voice::Manual, &topic, 1),
            Block::List(List::new("In this chapter", entries, Order::Given)),
        ];
        site.add(Page::html(path.clone(), *label, era.long_ago(), blocks));
        chapters.push(Entry::fixed(&path, label));
    }
    let notes = add_releases(&mut site, chance, &releases);
    site.navigate("/releases/", "Releases");
    site.navigate("/latest", "Latest release");
    let mut front = vec![Block::List(List::new("Chapters", chapters, Order::Given))];
    front.push(Block::List(List::new("Newest release", notes, Order::Newest).limit(1).dated()));
    if spec.manners.private.contains(&"/drafts/") {
        let drafts = [("/drafts/next", "The next release, a draft"), ("/drafts/ideas", "Ideas")];
        let drafts = add_fixed(&mut site, era, Voice::Manual, &drafts);
        front.push(Block::List(List::new("Not ready", drafts, Order::Given)));
    }
    site.add(Page::html("/", spec.name, era.long_ago(), front));
    site
}

/// The last releases before the start and those after it.
fn releases(era: &Era, spec: &Spec, chance: Chance) -> Vec<Release> {
    let mut draws = chance.of("releases").draws();
    let mut at = era.before(spec.release_days * 3.4);
    let mut releases = Vec::new();
    let (mut major, mut minor) = (3, 6);
    while at < era.end {
        releases.push(Release { at, version: format!("{major}.{minor}") });
        // Somewhat regular: nobody releases twice in a day.
        let days = spec.release_days * (0.4 + 1.2 * draws.unit());
        at = later(at, (days * DAY as f64) as i64);
        minor += 1;
        if minor == 10 {
            (major, minor) = (major + 1, 0);
        }
    }
    releases
}

#[expect(clippy::too_many_arguments, reason = "one page of a manual, and all it depends on")]
fn add_guide(
    site: &mut Site,
    era: &Era,
    spec: &Spec,
    chance: Chance,
    folder: &str,
    number: usize,
    releases: &[Release],
    entries: &mut Vec<Arc<Entry>>,
) {
    let mut draws = chance.of("guide").draws();
    let subjects = [BIRDS, PLANTS, GEAR][draws.below(3)];
    let topic = Topic::draw(&mut draws, subjects);
    let title = Voice::Manual.title(&topic, &mut draws);
    let path = site.free_path(format!("{folder}{}", slug(&title)));
    let edits = releases.iter().filter(|_| draws.happens(spec.edited)).map(|release| release.at);
    let edits: Vec<Time> = edits.collect();
    let mut blocks = Vec::new();
    if spec.versioned {
        let versions = releases.iter().map(|release| (release.at, release.version.clone()));
        blocks.push(Block::Value("Version", versions.collect()));
    }
    blocks.push(edited(chance, Voice::Manual, &topic, draws.between(3, 6), edits));
    blocks.push(Block::Fixed(format!(
        "<pre><code>shore --station \"{}\" --limit {}\n</code></pre>",
        topic.place,
        draws.between(2, 90)
    )));
    if let Some(last) = entries.last() {
        let before = Entry::fixed(&last.target, &last.title);
        blocks.push(Block::List(List::new("Before this", vec![before], Order::Given)));
    }
    let born = era.long_ago();
    let page = Page::html(path.clone(), title.clone(), born, blocks);
    let entry = Entry { from: born, ..(*Entry::fixed(&path, &title)).clone() };
    let moving = releases.iter().find(|release| era.start < release.at && number == MOVING);
    let Some(Release { at, .. }) = moving else {
        entries.push(Arc::new(entry));
        site.add(page);
        return;
    };
    let new_path = site.free_path(format!("{path}-explained"));
    site.add(page.moved(new_path.clone(), *at));
    site.add(page.until(Some((*at, End::Moved(301, new_path.clone())))));
    entries.push(Arc::new(Entry { until: Some(*at), ..entry.clone() }));
    entries.push(Arc::new(Entry { target: new_path, from: *at, ..entry }));
}

/// Adds a page of notes for each release, a list of them, and a redirect to the newest.
fn add_releases(site: &mut Site, chance: Chance, releases: &[Release]) -> Vec<Arc<Entry>> {
    let mut entries = Vec::new();
    for release in releases {
        let chance = chance.of(&release.version);
        let topic = Topic::any(&mut chance.of("topic").draws());
        let title = format!("Release {}", release.version);
        let path = format!("/releases/{}", release.version.replace('.', "-"));
        let date = format!("<p>Released on {}.</p>", day_words(release.at));
        let blocks = vec![Block::Fixed(date), still(chance, Voice::Manual, &topic, 3)];
        let entry = Entry { from: release.at, ..(*Entry::fixed(&path, &title)).clone() };
        site.add(Page::html(path, title, release.at, blocks));
        entries.push(Arc::new(entry));
    }
    let born = entries[0].from;
    let list = List::new("", entries.clone(), Order::Newest).dated();
    site.add(Page::html("/releases/", "Releases", born, vec![Block::List(list)]));
    let targets = entries.iter().map(|entry| (entry.from, entry.target.clone())).collect();
    site.add(Page::new("/latest", "", born, Form::Redirect(302, targets)));
    entries
}
