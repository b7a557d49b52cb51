//! Sites that grow by bundles of new pages: the web of Dasgupta, Ghosh, Kumar, Olston, Pandey,
//! Tomkins, "The discoverability of the web", WWW 2007. `docs/worlds.md` has the sentence behind each
//! parameter.
use crawl::Time;

use super::{
    Spec,
    model::Model,
    words::{common, divided, html, links, on_day, order, past, weighted, zipf},
};
use crate::{history::Window, rng::Rng};

/// Pages and weeks: the paper's 42 sites and 23 weeks, a fifth of its new pages and a twentieth of its
/// old ones.
pub(super) const FULL_SCALE: (usize, u32) = (76_440, 23);

/// Pages of a site over the whole time.
const PAGES_PER_SITE: usize = 1_820;
/// The share of them that is there at the start.
const OLD: f64 = 760.0 / 1_820.0;
/// Front pages, which all show the same.
const FRONTS: usize = 5;
/// Sections, and the pages of each, which show the same: its own and its mirrors.
const SECTIONS: (usize, usize) = (20, 4);
/// The exponent of how often sections have something new.
const SECTION_EXPONENT: f64 = 1.3;
/// Sections that have something new in a week.
const ACTIVE_SECTIONS: usize = 3;
/// The share of new pages that front pages show, and that pages show which never led to any before.
const SHARES: (f64, f64) = (0.1, 0.1);
/// The chance of such a page in a week.
const FIRST_TIME: f64 = 0.38;
/// The share of new pages that an old page links to, beside the first of each bundle.
const DIRECT: f64 = 0.34;
/// How weeks, and the bundles of a week, differ: standard deviations of logarithms.
const SPREADS: (f64, f64) = (0.5, 1.2);

/// The web.
#[derive(Debug)]
pub(super) struct Discover {
    seed: u64,
    pages: Vec<Page>,
}

/// A page. Old ones are there at the start.
#[derive(Debug)]
struct Page {
    address: String,
    born: Time,
    /// Links that it always has.
    links: Vec<usize>,
    /// New pages that it shows from an instant on, in order of time.
    shows: Vec<(Time, usize)>,
}

impl Discover {
    pub(super) fn new(spec: Spec, window: Window) -> Self {
        let sites = ((spec.pages as f64 / PAGES_PER_SITE as f64).round() as usize).max(1);
        let mut pages = vec![];
        for (site, size) in divided(spec.pages, &vec![1.0; sites]).into_iter().enumerate() {
            let base = format!("https://discover{site:02}.example/");
            let rng = Rng::named(spec.seed, &format!("site {site}"));
            let first = pages.len();
            pages.append(&mut Site { base, window, rng, first }.pages(size, spec.weeks as usize));
        }
        Self { seed: spec.seed, pages: in_order(pages) }
    }
}

/// Sorts pages by address; links follow them.
fn in_order(pages: Vec<Page>) -> Vec<Page> {
    let (order, place) = order(pages.iter().map(|page| page.address.as_str()));
    let mut pages: Vec<Option<Page>> = pages.into_iter().map(Some).collect();
    let moved = order.into_iter().filter_map(|before| pages[before].take());
    let moved = moved.map(|page| {
        let links = page.links.iter().map(|&to| place[to]).collect();
        let shows = page.shows.iter().map(|&(at, to)| (at, place[to])).collect();
        Page { links, shows, ..page }
    });
    moved.collect()
}

/// A site that is being made.
struct Site {
    base: String,
    window: Window,
    rng: Rng,
    /// The place of its first page.
    first: usize,
}

/// The old pages of a site, by what they do.
struct Old {
    fronts: Vec<usize>,
    /// By section, its pages.
    sections: Vec<Vec<usize>>,
    /// Pages that never led to new ones so far.
    quiet: Vec<usize>,
}

impl Site {
    fn pages(mut self, size: usize, weeks: usize) -> Vec<Page> {
        let count = ((size as f64 * OLD).round() as usize).max(1);
        let (mut pages, old) = self.old_pages(count);
        let draw = |_| (SPREADS.0 * self.rng.normal()).exp();
        let busy: Vec<f64> = (0..weeks).map(draw).collect();
        let mut quiet = old.quiet.clone();
        for (week, new) in divided(size - count, &busy).into_iter().enumerate() {
            self.week(week, new, &old, &mut quiet, &mut pages);
        }
        pages
    }

    /// The pages at the start, of which front pages link to sections, and sections to the others.
    fn old_pages(&mut self, count: usize) -> (Vec<Page>, Old) {
        let fronts = FRONTS.min(count.div_ceil(4));
        let sections = (count / 12).clamp(1, SECTIONS.0);
        let mirrors = SECTIONS.1.min(count.saturating_sub(fronts) / (2 * sections)).max(1);
        let names = (0..count).map(|number| match number.checked_sub(fronts) {
            None if number == 0 => String::new(),
            None => format!("front{number}.html"),
            Some(place) if place < sections * mirrors => {
                format!("s{:02}/m{}.html", place / mirrors, place % mirrors)
            }
            Some(place) => format!("old/p{place:04}.html"),
        });
        let mut pages: Vec<Page> = names.map(|name| self.page(&name, self.window.start)).collect();
        let at = |place: usize| self.first + place;
        let hubs = (fronts + sections * mirrors).min(count);
        let section = |number: usize| {
            let first = fronts + number * mirrors;
            (first..(first + mirrors).min(count)).collect::<Vec<_>>()
        };
        let sections: Vec<Vec<usize>> =
            (0..sections).map(section).filter(|pages| !pages.is_empty()).collect();
        for front in pages.iter_mut().take(fronts) {
            front.links = (fronts..hubs).map(at).collect();
        }
        for (number, section) in sections.iter().enumerate() {
            let below: Vec<usize> =
                (hubs..count).skip(number).step_by(sections.len()).map(at).collect();
            for &page in section {
                pages[page].links = [vec![at(0)], below.clone()].concat();
            }
        }
        for quiet in hubs..count {
            let section = &sections[(quiet - hubs) % sections.len()];
            pages[quiet].links = vec![at(0), at(section[0])];
        }
        (pages, Old { fronts: (0..fronts).collect(), sections, quiet: (hubs..count).collect() })
    }

    /// The new pages of a week, and the old pages that show them.
    fn week(
        &mut self,
        week: usize,
        new: usize,
        old: &Old,
        quiet: &mut Vec<usize>,
        pages: &mut Vec<Page>,
    ) {
        // What shows each bundle, and how large it is relative to the others.
        let mut bundles: Vec<(Vec<usize>, f64)> = vec![(old.fronts.clone(), SHARES.0)];
        let has_first_time = self.rng.unit() < FIRST_TIME && !quiet.is_empty();
        let first_time = if has_first_time { SHARES.1 / FIRST_TIME } else { 0.0 };
        if has_first_time {
            let page = quiet.swap_remove(self.rng.below(quiet.len()));
            bundles.push((vec![page], first_time));
        }
        let weights = zipf(old.sections.len(), SECTION_EXPONENT);
        let drawn = [(); ACTIVE_SECTIONS]
            .map(|()| (weighted(&mut self.rng, &weights), (SPREADS.1 * self.rng.normal()).exp()));
        let all: f64 = drawn.iter().map(|drawn| drawn.1).sum();
        let left = 1.0 - SHARES.0 - first_time;
        for (section, size) in drawn {
            bundles.push((old.sections[section].clone(), left * size / all));
        }
        let at = on_day(self.window, 7.0 * (week as f64 + 0.02 + 0.96 * self.rng.unit()));
        let weights: Vec<f64> = bundles.iter().map(|bundle| bundle.1).collect();
        let mut sizes = vec![0; bundles.len()];
        for _ in 0..new {
            sizes[weighted(&mut self.rng, &weights)] += 1;
        }
        for ((shown_by, _), size) in bundles.iter().zip(sizes) {
            self.bundle(week, at, shown_by, size, pages);
        }
    }

    /// New pages of which old ones show some, and the new ones before them the others.
    fn bundle(
        &mut self,
        week: usize,
        at: Time,
        shown_by: &[usize],
        size: usize,
        pages: &mut Vec<Page>,
    ) {
        let begins = pages.len();
        for place in 0..size {
            let number = pages.len();
            let page = self.page(&format!("new/w{week:02}-{number:05}.html"), at);
            pages.push(page);
            if place == 0 || self.rng.unit() < DIRECT {
                for &by in shown_by {
                    pages[by].shows.push((at, self.first + number));
                }
            } else {
                let parent = begins + self.rng.below(place);
                pages[parent].links.push(self.first + number);
            }
        }
    }

    fn page(&self, name: &str, born: Time) -> Page {
        Page { address: format!("{}{name}", self.base), born, links: vec![], shows: vec![] }
    }
}

impl Model for Discover {
    fn pages(&self) -> usize {
        self.pages.len()
    }

    fn address(&self, page: usize) -> &str {
        &self.pages[page].address
    }

    fn change_times(&self, page: usize) -> Vec<Time> {
        let page = &self.pages[page];
        let mut times = vec![page.born];
        times.extend(page.shows.iter().map(|&(at, _)| at));
        times.dedup();
        times
    }

    fn render(&self, page: usize, at: Time) -> Option<String> {
        let page = &self.pages[page];
        if at < page.born {
            return None;
        }
        let times: Vec<Time> = page.shows.iter().map(|&(time, _)| time).collect();
        let shown = page.shows[..past(&times, at)].iter().rev().map(|&(_, to)| to);
        let linked = shown.chain(page.links.iter().copied());
        let mut body = String::from("<p>");
        common(&mut Rng::named(self.seed, &page.address), 12, &mut body);
        body.push_str("</p>\n");
        links(&mut body, linked.map(|to| self.pages[to].address.as_str()));
        let mut title = String::new();
        common(&mut Rng::named(self.seed, &format!("{} title", page.address)), 3, &mut title);
        Some(html(title.trim_end(), &body))
    }
}
