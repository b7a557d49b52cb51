//! The columns that the learned corrections see.
//!
//! None of them says which week it is or how large the site is: such columns do not carry over to
//! other sites.
use crawl::{Known, PageNo, Time};
use instruments::fragments::{Fragments, Traits};

use super::{
    counters::{Counters, Priors},
    scorer::{Assessed, HORIZON},
};

/// The names of the columns.
pub const COLUMNS: [&str; COUNT] = [
    "age",
    "visits",
    "changes",
    "rate",
    "changed_before",
    "since_change",
    "dir_rate",
    "site_rate",
    "dir_since",
    "dir_since_changed",
    "group_since",
    "group_since_changed",
    "site_since",
    "site_since_changed",
    "dir_recent",
    "group_recent",
    "site_recent",
    "dir_visited",
    "dir_changed",
    "site_visited",
    "site_changed",
    "class",
    "share",
    "signal",
    "doubt",
    "worth",
    "depth",
    "index",
    "url_year",
    "version",
    "digits",
    "type",
    "text",
    "links",
    "text_day",
    "text_year",
    "dates",
    "html",
    "shared",
    "stays",
    "gone",
];
/// Their number.
pub const COUNT: usize = 41;

/// Means and deviations of the traits of the pages of each host.
#[derive(Clone, Debug, Default)]
pub(super) struct Scales(Vec<[Moments; 2]>);

#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    fn scaled(&self, value: f64) -> f32 {
        let mean = self.sum / self.count.max(1.0);
        let variance = (self.squares / self.count.max(1.0) - mean * mean).max(0.01);
        ((value - mean) / variance.sqrt()) as f32
    }
}

fn scaled(traits: &Traits) -> [f64; 2] {
    [f64::from(traits.text_bytes).ln_1p(), f64::from(traits.links).ln_1p()]
}

impl Scales {
    pub(super) fn new(known: &Known<'_>, fragments: &Fragments) -> Self {
        let mut hosts = vec![[Moments::default(); 2]; known.pages.host_count()];
        for page in known.pages.numbers() {
            let moments = &mut hosts[known.pages.host(page).0 as usize];
            for (moments, value) in moments.iter_mut().zip(scaled(&fragments.traits(page))) {
                moments.add(value);
            }
        }
        Self(hosts)
    }
}

/// What the columns of one page are computed from.
pub(super) struct Row<'a> {
    pub(super) known: &'a Known<'a>,
    pub(super) counters: &'a Counters,
    pub(super) priors: &'a Priors,
    pub(super) fragments: &'a Fragments,
    pub(super) scales: &'a Scales,
}

fn weeks(now: Time, then: Option<Time>) -> f32 {
    then.map_or(8.0, |then| (((now - then).days() / 7.0).max(0.0)).ln_1p() as f32)
}

impl Row<'_> {
    pub(super) fn columns(&self, page: PageNo, assessed: &Assessed, worth: f64) -> [f32; COUNT] {
        let &Assessed { belief, evidence, signal, doubt, gone, .. } = assessed;
        let Self { known, counters, priors, fragments, scales } = self;
        let now = known.now;
        let own = counters.own(page);
        let [directory, group, root] = counters.levels(page);
        let mut row = [0.0; COUNT];
        let (visits, changes) = (known.pages.visits(page), known.pages.changes(page));
        row[0] = weeks(now, known.pages.last_seen(page));
        row[1] = (visits as f32).ln_1p();
        row[2] = (changes as f32).ln_1p();
        row[3] = belief.rate().ln() as f32;
        row[4] = f32::from(u8::from(own.had_changed()));
        row[5] = weeks(now, own.changed_at());
        row[6] = priors.rate(directory).ln() as f32;
        row[7] = priors.rate(root).ln() as f32;
        for (level, directory) in [directory, group, root].into_iter().enumerate() {
            let since = counters.since(&own, level, directory);
            let share = (since.changes as f32 + 0.1) / (since.visits as f32 + 0.5);
            row[8 + 2 * level] = (since.visits as f32).ln_1p();
            row[9 + 2 * level] = share;
            row[14 + level] = counters.pool(directory).recent(now);
        }
        for (place, directory) in [(17, directory), (19, root)] {
            let pool = counters.pool(directory);
            row[place] = weeks(now, pool.visited_at);
            row[place + 1] = weeks(now, pool.changed_at);
        }
        row[21] = f32::from(evidence.class);
        row[22] = evidence.share;
        row[23] = signal as f32;
        row[24] = logit(doubt) as f32;
        row[25] = worth.max(1e-9).ln() as f32;
        let address = Address::new(known.pages.address(page), now);
        row[26] = address.depth;
        row[27] = address.is_index;
        row[28] = address.year_age;
        row[29] = address.has_version;
        row[30] = address.digits;
        row[31] = address.kind;
        let traits = fragments.traits(page);
        let moments = scales.0[known.pages.host(page).0 as usize];
        let [text, links] = scaled(&traits);
        row[32] = moments[0].scaled(text);
        row[33] = moments[1].scaled(links);
        let today = (now.millis() / 86_400_000) as f32;
        row[34] =
            traits.dates.latest_day.map_or(-1.0, |day| (today - f32::from(day)).max(0.0).ln_1p());
        row[35] = match traits.dates.latest_year {
            0 => -1.0,
            year => (today / 365.25 + 1970.0 - f32::from(year)).clamp(-1.0, 30.0),
        };
        row[36] = f32::from(traits.dates.count).ln_1p();
        row[37] = f32::from(u8::from(traits.is_html));
        row[38] = fragments.shared_share(page);
        row[39] = logit(assessed.mean_survival(HORIZON)) as f32;
        row[40] = logit(gone) as f32;
        row
    }
}

/// The log odds of a probability.
pub(super) fn logit(probability: f64) -> f64 {
    let p = probability.clamp(1e-4, 1.0 - 1e-4);
    (p / (1.0 - p)).ln()
}

/// What an address says about its page.
struct Address {
    depth: f32,
    is_index: f32,
    year_age: f32,
    has_version: f32,
    digits: f32,
    kind: f32,
}

/// Words in addresses of pages that list others, and of pages that stay as they are.
const LISTS: [&str; 11] = [
    "news",
    "index",
    "tag",
    "category",
    "categories",
    "archive",
    "release",
    "list",
    "feed",
    "page/",
    "blog/",
];
const KEPT: [&str; 6] = ["legal", "license", "licence", "about", "security", "event"];

impl Address {
    fn new(address: &str, now: Time) -> Self {
        let path = address.split_once("://").map_or(address, |(_, rest)| rest);
        let path = &path[path.find('/').unwrap_or(path.len())..];
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let depth = path.trim_end_matches('/').matches('/').count();
        let is_index = path.ends_with('/') || name.starts_with("index.");
        let digits = name.bytes().filter(u8::is_ascii_digit).count();
        let this_year = now.millis() as f32 / 86_400_000.0 / 365.25 + 1970.0;
        let year = path
            .split(|c: char| !c.is_ascii_digit())
            .filter(|part| part.len() == 4)
            .filter_map(|part| part.parse::<u16>().ok())
            .find(|year| (1990..=2100).contains(year));
        let version = path.split('/').any(|part| {
            let part = part.strip_prefix('v').unwrap_or(part);
            part.contains('.')
                && part.starts_with(|c: char| c.is_ascii_digit())
                && part.chars().all(|c| c.is_ascii_digit() || c == '.' || c == 'x')
        });
        let lower = path.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let flag = |is: bool| f32::from(u8::from(is));
        Self {
            depth: depth as f32,
            is_index: flag(is_index),
            year_age: year.map_or(-1.0, |year| (this_year - f32::from(year)).clamp(0.0, 30.0)),
            has_version: flag(version),
            digits: digits as f32 / name.len().max(1) as f32,
            kind: flag(has(&LISTS)) - flag(has(&KEPT)),
        }
    }
}
