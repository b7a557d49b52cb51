//! Courses of the past that explain a log, drawn at random: which pages change by themselves and how often,
//! and when a host changed many pages at once.
//!
//! A host has *events*, such as a rebuild with a new template. In each period there is one with the same chance,
//! or none. Pages of a host have a rank from 0 to 1, and an event of a size changes the pages with a lower rank:
//! it is always the same pages that have the template. Besides, a page changes by itself at a rate of its class.
//! Ranks, classes, events, their chance and their sizes are drawn in turn, each given all others (Gibbs sampling;
//! Geman and Geman 1984). What the log does not tell thus differs from draw to draw.
use super::{
    evidence::{Evidence, Visit},
    rates::{ByClass, CLASSES, FIRST_SHARES},
};
use crate::rng::Rng;

/// The number of sizes of events, and of ranks of pages.
pub(super) const LEVELS: usize = 10;

/// A number for each size or rank.
pub(super) type ByLevel = [f64; LEVELS];

/// The shares of pages that events of each size change.
const SIZES: ByLevel = [0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 1.0];
/// A page that an event changes looks the same this often, and the other way round.
const ODD: f64 = 0.02;
/// The weight of what is believed before any evidence, in pages.
const FIRST_PAGES: f64 = 2.0;
/// The weight of a host for its directories, and of all hosts for one, in pages.
const PAGES_ABOVE: f64 = 5.0;
/// The weight of other hosts for the chance of events, in periods.
const PERIODS_ABOVE: f64 = 4.0;
/// The weight of "events of any size" before any evidence, in events.
const FIRST_EVENTS: f64 = 1.0;
/// Periods with and without an event that count before any evidence: most are without.
const FIRST_WITH: f64 = 0.5;
const FIRST_WITHOUT: f64 = 8.0;
/// Draws that are thrown away at first, and from one that is kept to the next.
const FIRST_SWEEPS: usize = 40;
const SWEEPS: usize = 3;

/// What happened on one host.
#[derive(Clone, Debug)]
pub(super) struct HostDraw {
    /// By period, the size of the event in it, from 1 on; 0 where there was none.
    pub events: Vec<usize>,
    /// The chance of an event in a period.
    pub chance: f64,
    /// How likely each size is.
    pub sizes: ByLevel,
}

/// One course of the past.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    /// By page, the class of its own rate.
    pub classes: Vec<usize>,
    /// By page, its rank: events of a size above it change it.
    pub ranks: Vec<usize>,
    /// By host, its events.
    pub hosts: Vec<HostDraw>,
}

/// Where a page belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its host.
    pub host: usize,
    /// Its directory.
    pub group: usize,
}

/// Draws so many courses of the past.
///
/// Where every page was found changed at its first repeated visit, one event explains it, and so do pages that
/// change all the time. Single steps do not lead from the one to the other. So half of the draws are from a chain
/// that begins with an event in every period, of which it takes away those that nothing asks for, and half from one
/// that begins with none.
pub(super) fn draws(evidence: &Evidence, places: &[Place], count: usize, seed: u64) -> Vec<Draw> {
    let chain = |name: &str, first: usize, count: usize| {
        let mut chain = Chain::new(evidence, places, first, Rng::named(seed, name));
        (0..FIRST_SWEEPS).for_each(|_| chain.sweep());
        let mut kept = vec![];
        for _ in 0..count {
            (0..SWEEPS).for_each(|_| chain.sweep());
            kept.push(chain.draw.clone());
        }
        kept
    };
    let (mut without, with) = rayon::join(
        || chain("without events", 0, count.div_ceil(2)),
        || chain("with events", LEVELS, count / 2),
    );
    without.extend(with);
    without
}

struct Chain<'e> {
    evidence: &'e Evidence,
    places: &'e [Place],
    /// By directory, its host.
    host_of: Vec<usize>,
    draw: Draw,
    /// By directory, the logarithms of the shares of classes.
    classes: Vec<ByClass>,
    /// The logarithms of the shares of ranks.
    ranks: ByLevel,
    rng: Rng,
}

impl<'e> Chain<'e> {
    /// A chain that begins with an event of size `first` in every period, or none where that is 0.
    fn new(evidence: &'e Evidence, places: &'e [Place], first: usize, rng: Rng) -> Self {
        let groups = places.iter().map(|place| place.group + 1).max().unwrap_or(0);
        let mut host_of = vec![0; groups];
        for place in places {
            host_of[place.group] = place.host;
        }
        let events = vec![first; evidence.periods];
        let host = HostDraw { events, chance: 0.1, sizes: [1.0 / LEVELS as f64; LEVELS] };
        let hosts = vec![host; evidence.by_host.len()];
        let draw = Draw { classes: vec![0; places.len()], ranks: vec![0; places.len()], hosts };
        Self {
            evidence,
            places,
            host_of,
            draw,
            classes: vec![FIRST_SHARES.map(f64::ln); groups],
            ranks: widths().map(f64::ln),
            rng,
        }
    }

    fn sweep(&mut self) {
        for (page, place) in self.places.iter().enumerate() {
            if !self.evidence.checked[page] {
                let none = [[0.0; CLASSES]; LEVELS];
                self.draw_page(page, place.group, &none);
            }
        }
        for host in 0..self.evidence.by_host.len() {
            self.draw_pages(host);
        }
        self.draw_shares();
        for host in 0..self.evidence.by_host.len() {
            self.draw_events(host);
        }
        self.draw_chances();
    }

    /// Draws class and rank of the visited pages of a host.
    fn draw_pages(&mut self, host: usize) {
        let visits = &self.evidence.by_host[host];
        let largest = Largest::new(&self.draw.hosts[host].events);
        for visits in visits.chunk_by(|one, other| one.page == other.page) {
            // By the largest event that a wait spans: what it says if that changed the page, and if not.
            let (mut hit, mut own) = ([0.0; LEVELS + 1], [[0.0; CLASSES]; LEVELS + 1]);
            for visit in visits {
                let event = largest.within(visit.from, visit.to);
                hit[event] += if_hit(visit);
                add(&mut own[event], &visit.own);
            }
            let mut all = [[0.0; CLASSES]; LEVELS];
            let (mut unhit, mut hits) = ([0.0; CLASSES], hit.iter().sum::<f64>());
            for (rank, sums) in all.iter_mut().enumerate() {
                // An event of a size up to the rank leaves the page alone.
                add(&mut unhit, &own[rank]);
                hits -= hit[rank];
                *sums = unhit.map(|sum| sum + hits);
            }
            let page = visits[0].page as usize;
            self.draw_page(page, self.places[page].group, &all);
        }
    }

    /// Draws class and rank of a page, where each pair has this log-likelihood.
    fn draw_page(&mut self, page: usize, group: usize, likelihoods: &[ByClass; LEVELS]) {
        let mut logs = [0.0; LEVELS * CLASSES];
        for (rank, row) in likelihoods.iter().enumerate() {
            for (class, likelihood) in row.iter().enumerate() {
                logs[rank * CLASSES + class] =
                    likelihood + self.ranks[rank] + self.classes[group][class];
            }
        }
        let drawn = draw_log(&logs, &mut self.rng);
        self.draw.ranks[page] = drawn / CLASSES;
        self.draw.classes[page] = drawn % CLASSES;
    }

    /// Draws the shares of classes in each directory, its host, and all hosts.
    fn draw_shares(&mut self) {
        let groups = self.host_of.len();
        let mut classes = vec![[0.0; CLASSES]; groups];
        for (page, place) in self.places.iter().enumerate() {
            if self.evidence.checked[page] {
                classes[place.group][self.draw.classes[page]] += 1.0;
            }
        }
        let mut hosts = vec![[0.0; CLASSES]; self.evidence.by_host.len()];
        let mut all = [0.0; CLASSES];
        for (counts, &host) in classes.iter().zip(&self.host_of) {
            add(&mut hosts[host], counts);
            add(&mut all, counts);
        }
        let rng = &mut self.rng;
        let all = dirichlet(&all, &FIRST_SHARES, FIRST_PAGES, rng);
        let hosts: Vec<ByClass> =
            hosts.iter().map(|counts| dirichlet(counts, &all, PAGES_ABOVE, rng)).collect();
        for (group, &host) in self.host_of.iter().enumerate() {
            let shares = dirichlet(&classes[group], &hosts[host], PAGES_ABOVE, rng);
            self.classes[group] = shares.map(f64::ln);
        }
    }

    /// Draws the event of each period of a host, in order.
    fn draw_events(&mut self, host: usize) {
        let visits = &self.evidence.by_host[host];
        let Draw { classes, ranks, hosts } = &mut self.draw;
        let HostDraw { events, chance, sizes } = &mut hosts[host];
        let mut first = [(1.0 - *chance).ln(); LEVELS + 1];
        for (log, size) in first[1..].iter_mut().zip(sizes.iter()) {
            *log = chance.ln() + size.ln();
        }
        for period in 0..events.len() {
            let before = largest_before(events, period);
            let after = largest_after(events, period);
            // By rank, what is gained if an event in this period changed the pages of that rank.
            let mut gains = [0.0; LEVELS];
            for visit in visits.iter().filter(|visit| visit.from <= period && period < visit.to) {
                let (rank, class) = (ranks[visit.page as usize], classes[visit.page as usize]);
                if before[visit.from].max(after[visit.to - period - 1]) <= rank {
                    gains[rank] += if_hit(visit) - visit.own[class];
                }
            }
            let (mut logs, mut sum) = (first, 0.0);
            for (log, gain) in logs[1..].iter_mut().zip(gains) {
                sum += gain;
                *log += sum;
            }
            events[period] = draw_log(&logs, &mut self.rng);
        }
    }

    /// Draws the chance and the sizes of events on each host.
    fn draw_chances(&mut self) {
        let periods = self.evidence.periods as f64;
        let with_event = |host: &HostDraw| host.events.iter().filter(|&&size| size > 0).count();
        let all: f64 = self.draw.hosts.iter().map(|host| with_event(host) as f64).sum();
        let others = periods * (self.draw.hosts.len() as f64 - 1.0);
        for host in &mut self.draw.hosts {
            let own = with_event(host) as f64;
            let weight = if others > 0.0 { (PERIODS_ABOVE / others).min(1.0) } else { 0.0 };
            let elsewhere = all - own;
            let yes = FIRST_WITH + own + weight * elsewhere;
            let no = FIRST_WITHOUT + (periods - own) + weight * (others - elsewhere);
            let (yes, no) = (self.rng.gamma(yes), self.rng.gamma(no));
            host.chance = (yes / (yes + no).max(1e-12)).clamp(1e-4, 1.0 - 1e-4);
            let mut counts = [0.0; LEVELS];
            for &size in host.events.iter().filter(|&&size| size > 0) {
                counts[size - 1] += 1.0;
            }
            let even = [1.0 / LEVELS as f64; LEVELS];
            host.sizes = dirichlet(&counts, &even, FIRST_EVENTS, &mut self.rng);
        }
    }
}

/// The log-likelihood of what a visit found, if an event changed the page.
fn if_hit(visit: &Visit) -> f64 {
    if visit.changed { (1.0 - ODD).ln() } else { ODD.ln() }
}

/// The shares of pages of each rank.
fn widths() -> ByLevel {
    std::array::from_fn(|rank| if rank == 0 { SIZES[0] } else { SIZES[rank] - SIZES[rank - 1] })
}

/// The largest event between any two periods.
struct Largest(Vec<Vec<usize>>);

impl Largest {
    fn new(events: &[usize]) -> Self {
        Self((0..=events.len()).map(|from| running(events[from..].iter())).collect())
    }

    /// The largest event from one period up to another, 0 if there is none.
    fn within(&self, from: usize, to: usize) -> usize {
        self.0[from][to.saturating_sub(from)]
    }
}

/// The largest of none, of the first, of the first two and so on.
fn running<'a>(events: impl Iterator<Item = &'a usize>) -> Vec<usize> {
    let next = |most: &mut usize, &event: &usize| {
        *most = event.max(*most);
        Some(*most)
    };
    std::iter::once(0).chain(events.scan(0, next)).collect()
}

/// By period up to this one: the largest event from then until before it.
fn largest_before(events: &[usize], period: usize) -> Vec<usize> {
    let mut before = running(events[..period].iter().rev());
    before.reverse();
    before
}

/// By number of periods: the largest event in so many after this one.
fn largest_after(events: &[usize], period: usize) -> Vec<usize> {
    running(events[period + 1..].iter())
}

fn add<const N: usize>(sums: &mut [f64; N], other: &[f64; N]) {
    for (sum, other) in sums.iter_mut().zip(other) {
        *sum += other;
    }
}

/// A number drawn by the logarithms of its weights.
fn draw_log(logs: &[f64], rng: &mut Rng) -> usize {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
    let mut left = rng.unit() * sum;
    for (place, log) in logs.iter().enumerate() {
        left -= (log - most).exp();
        if left < 0.0 {
            return place;
        }
    }
    logs.len() - 1
}

/// Shares drawn from the Dirichlet distribution of these counts, where `above` was believed before.
fn dirichlet<const N: usize>(
    counts: &[f64; N],
    above: &[f64; N],
    weight: f64,
    rng: &mut Rng,
) -> [f64; N] {
    // Every share stays possible.
    let parts: [f64; N] =
        std::array::from_fn(|place| rng.gamma(counts[place] + weight * above[place]).max(1e-9));
    let sum: f64 = parts.iter().sum();
    parts.map(|part| part / sum)
}
