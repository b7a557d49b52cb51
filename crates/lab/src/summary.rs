//! Statistics of a history, as printed by `sanderling lab list`.
//!
//! Weeks are counted from the start of the window; an incomplete week at its end is ignored.
//! "Changed" means that the bytes at the start and at the end of a week differ.
use std::fmt;

use crawl::{Form, Span, Time};
use jiff::Timestamp;
use rustc_hash::FxHashMap;

use crate::history::{History, PageHistory, Window, folder_of_index};

const WEEK: Span = Span::from_days(7);

/// Statistics of a history; `None` if undefined, such as a ratio with divisor 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The name used in results.
    pub name: String,
    /// A description of its origin.
    pub source: String,
    /// The time it covers.
    pub window: Window,
    /// Whole weeks in the window.
    pub weeks: usize,
    /// Pages alive at the start.
    pub pages_at_start: usize,
    /// All pages that ever existed.
    pub pages: usize,
    /// Versions with content, including those at the start.
    pub versions: usize,
    /// Share of the pages alive at the start of a week that change in it: mean over weeks.
    pub changing_mean: Option<f64>,
    /// The same, median over weeks.
    pub changing_median: Option<f64>,
    /// Pages alive at the end of a week and not at its start: mean over weeks.
    pub born_per_week: Option<f64>,
    /// Pages alive at the start of a week and not at its end: mean over weeks.
    pub gone_per_week: Option<f64>,
    /// Share of the pages at the start that do not change until the end of the window.
    pub never_changed: Option<f64>,
    /// Pages first alive after the start.
    pub new_pages: usize,
    /// Share of new pages that an older page links to in the first or second weekly snapshot after
    /// their birth.
    pub linked: Option<f64>,
    /// The same, including links in feeds and sitemaps.
    pub linked_or_announced: Option<f64>,
    /// Share of new pages that any other page links to at any time, including feeds and sitemaps.
    pub linked_ever: Option<f64>,
}

/// Computes the statistics of `history`, in one pass over the links of its readings.
pub fn summarise(history: &History) -> Summary {
    let Window { start, end } = history.window;
    let count = (history.window.length().millis() / WEEK.millis()).max(0);
    // The start of the window, then the end of every week.
    let ends: Vec<Time> = (0..=count).map(|week| start + WEEK.times(week)).collect();
    let weeks: Vec<Week> =
        ends.windows(2).map(|ends| Week::between(history, ends[0], ends[1])).collect();

    let at_start: Vec<&PageHistory> =
        history.pages.iter().filter(|page| page.reading(start).is_some()).collect();
    let stays = |page: &&&PageHistory| {
        page.versions.iter().all(|version| version.at <= start || version.at > end)
    };
    let contents = |page: &PageHistory| {
        page.versions.iter().filter(|version| version.reading.is_some()).count()
    };
    let changing: Vec<f64> = weeks.iter().filter_map(Week::changing).collect();
    let reach = Reach::compute(history, &ends);
    Summary {
        name: history.name.clone(),
        source: history.source.clone(),
        window: history.window,
        weeks: weeks.len(),
        pages_at_start: at_start.len(),
        pages: history.pages.len(),
        versions: history.pages.iter().map(contents).sum(),
        changing_mean: mean(&changing),
        changing_median: median(changing),
        born_per_week: mean(&weeks.iter().map(|week| week.born as f64).collect::<Vec<_>>()),
        gone_per_week: mean(&weeks.iter().map(|week| week.gone as f64).collect::<Vec<_>>()),
        never_changed: share(at_start.iter().filter(stays).count(), at_start.len()),
        new_pages: reach.new_pages,
        linked: share(reach.linked, reach.new_pages),
        linked_or_announced: share(reach.linked_or_announced, reach.new_pages),
        linked_ever: share(reach.linked_ever, reach.new_pages),
    }
}

/// Changes, births and deaths in a week.
#[derive(Default)]
struct Week {
    alive: usize,
    changed: usize,
    born: usize,
    gone: usize,
}

impl Week {
    fn between(history: &History, start: Time, end: Time) -> Self {
        let body = |reading: u32| history.readings[reading as usize].fingerprints.body;
        let mut week = Self::default();
        for page in &history.pages {
            let (before, after) = (page.reading(start), page.reading(end));
            week.alive += usize::from(before.is_some());
            match (before, after) {
                (Some(before), Some(after)) => {
                    week.changed += usize::from(before != after && body(before) != body(after));
                }
                (Some(_), None) => week.gone += 1,
                (None, Some(_)) => week.born += 1,
                (None, None) => {}
            }
        }
        week
    }

    fn changing(&self) -> Option<f64> {
        share(self.changed, self.alive)
    }
}

/// The number of new pages that can be found by links.
struct Reach {
    new_pages: usize,
    linked: usize,
    linked_or_announced: usize,
    linked_ever: usize,
}

/// A page first alive after the window's start.
#[derive(Clone, Copy)]
struct NewPage {
    /// Its number in the history.
    page: usize,
    born: Time,
    /// The first end of a week at or after its birth.
    seen: usize,
    linked: bool,
    announced: bool,
    ever: bool,
}

impl Reach {
    fn compute(history: &History, ends: &[Time]) -> Self {
        let births: Vec<Option<Time>> = history.pages.iter().map(birth).collect();
        let mut new: Vec<NewPage> = Vec::new();
        for (page, born) in births.iter().enumerate() {
            if let Some(born) = born.filter(|born| *born > history.window.start) {
                let seen = ends.partition_point(|end| *end < born);
                let (linked, announced, ever) = (false, false, false);
                new.push(NewPage { page, born, seen, linked, announced, ever });
            }
        }
        let targets = targets(history, &new);
        for (page, record) in history.pages.iter().enumerate() {
            let readings = record.versions.iter().filter_map(|version| version.reading);
            for &target in readings.flat_map(|reading| &targets[reading as usize]) {
                new[target as usize].ever |= new[target as usize].page != page;
            }
            for (week, &end) in ends.iter().enumerate() {
                let Some(reading) = record.reading(end) else { continue };
                let form = history.readings[reading as usize].form;
                let announces = matches!(form, Form::Feed | Form::Sitemap);
                for &target in &targets[reading as usize] {
                    let target = &mut new[target as usize];
                    let in_time = week == target.seen || week == target.seen + 1;
                    if in_time && births[page].is_some_and(|born| born < target.born) {
                        target.linked |= !announces;
                        target.announced |= announces;
                    }
                }
            }
        }
        let count = |is: fn(&NewPage) -> bool| new.iter().filter(|page| is(page)).count();
        Self {
            new_pages: new.len(),
            linked: count(|page| page.linked),
            linked_or_announced: count(|page| page.linked || page.announced),
            linked_ever: count(|page| page.ever),
        }
    }
}

/// The time at which a page was first alive.
fn birth(page: &PageHistory) -> Option<Time> {
    page.versions.iter().find(|version| version.reading.is_some()).map(|version| version.at)
}

/// By reading, the new pages that it links to, as positions in `new`. Each distinct list of links
/// is resolved once.
fn targets(history: &History, new: &[NewPage]) -> Vec<Vec<u32>> {
    let address = |page: &NewPage| history.pages[page.page].address.as_str();
    let places: FxHashMap<&str, u32> =
        new.iter().enumerate().map(|(place, page)| (address(page), place as u32)).collect();
    let mut known: FxHashMap<u64, usize> = FxHashMap::default();
    let mut targets: Vec<Vec<u32>> = Vec::with_capacity(history.readings.len());
    for (number, reading) in history.readings.iter().enumerate() {
        let first = *known.entry(reading.links.digest()).or_insert(number);
        let found = if first == number {
            let links = reading.links.links().iter();
            let found = links.filter_map(|link| place(&places, &link.address));
            let mut found: Vec<u32> = found.collect();
            found.sort_unstable();
            found.dedup();
            found
        } else {
            targets[first].clone()
        };
        targets.push(found);
    }
    targets
}

/// The new page at `address`; for an index file also the page of its folder.
fn place(places: &FxHashMap<&str, u32>, address: &str) -> Option<u32> {
    let found = places.get(address).copied();
    found.or_else(|| places.get(folder_of_index(address)?).copied())
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The median.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    if values.len() % 2 == 1 {
        Some(upper)
    } else {
        Some(f64::midpoint(values[values.len() / 2 - 1], upper))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: Option<f64>| match share {
            Some(share) => format!("{:.1} %", share * 100.0),
            None => "none".to_owned(),
        };
        let number = |value: Option<f64>| match value {
            Some(value) => format!("{value:.2}"),
            None => "none".to_owned(),
        };
        let Window { start, end } = self.window;
        writeln!(formatter, "{} ({})", self.name, self.source)?;
        writeln!(
            formatter,
            "  window        {} to {}, {} weeks",
            date(start),
            date(end),
            self.weeks
        )?;
        writeln!(
            formatter,
            "  pages         {} at start, {} ever",
            self.pages_at_start, self.pages
        )?;
        writeln!(formatter, "  versions      {}", self.versions)?;
        writeln!(
            formatter,
            "  changing      {} of pages per week in the mean, {} in the median",
            percent(self.changing_mean),
            percent(self.changing_median)
        )?;
        writeln!(formatter, "  never changed {}", percent(self.never_changed))?;
        writeln!(
            formatter,
            "  per week      {} pages born, {} gone",
            number(self.born_per_week),
            number(self.gone_per_week)
        )?;
        write!(
            formatter,
            "  new pages     {}; linked from an older page {}, with feeds and sitemaps {}, ever {}",
            self.new_pages,
            percent(self.linked),
            percent(self.linked_or_announced),
            percent(self.linked_ever)
        )
    }
}

/// The date of an instant, in UTC.
fn date(time: Time) -> String {
    let instant = Timestamp::from_millisecond(time.millis());
    instant.map_or_else(|_| "?".to_owned(), |instant| instant.strftime("%Y-%m-%d").to_string())
}
