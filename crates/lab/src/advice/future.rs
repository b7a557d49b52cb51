//! One possible future of a repository's pages, and the world in which it comes true.
use std::{collections::BTreeMap, sync::Arc};

use crawl::{
    Answer, Arrival, Capture, Digest, Fingerprints, HostNo, Link, LinkList, PageNo, Request,
    Result, Snapshot, Span, State, Time, World, answer_in_order,
};

use super::{
    model::{ChangeModel, directories},
    rates::{self, Weights},
    record::Record,
};
use crate::rng::Rng;

/// Pages change together because of events longer ago than this only where they were visited before it.
const FARTHEST: Span = Span::from_days(400);

/// When pages change and new ones appear.
#[derive(Clone, Debug)]
pub struct Future {
    /// By page of the record, when it changes after its last visit, ascending.
    changes: Vec<Vec<Time>>,
    /// New pages, in order of time.
    births: Vec<Birth>,
    /// The end of it.
    end: Time,
}

/// A page that does not exist yet.
#[derive(Clone, Debug)]
struct Birth {
    at: Time,
    address: Arc<str>,
    host: HostNo,
    /// The pages that link to it from then on.
    hubs: Vec<PageNo>,
    changes: Vec<Time>,
}

impl Future {
    /// Draws a future that lasts until `end`.
    pub fn draw(record: &Record, model: &ChangeModel, end: Time, seed: u64) -> Self {
        let Record { pages, now, .. } = record;
        let mut drawn: Vec<f64> = vec![0.0; pages.len()];
        let factors: Vec<f64> = (0..pages.host_count() as u32)
            .map(|host| {
                let mut rng = Rng::named(seed, pages.host_name(HostNo(host)));
                draw_factor(model.evidence[host as usize], &mut rng)
            })
            .collect();
        let mut groups: BTreeMap<u32, (f64, f64, Time)> = BTreeMap::new();
        for page in pages.numbers().filter(|&page| pages.state(page) == State::Held) {
            let mut rng = Rng::named(seed, pages.address(page));
            let factor = factors[pages.host(page).0 as usize];
            let rate = factor * draw_rate(&model.rates[page.index()], &mut rng);
            drawn[page.index()] = rate;
            let last = pages.last_seen(page).unwrap_or(*now);
            let group = groups.entry(model.groups[page.index()]).or_insert((0.0, 0.0, *now));
            *group = (group.0 + rate, group.1 + 1.0, group.2.min(last));
        }
        // Events that change pages of one group at once.
        let events: BTreeMap<u32, (f64, Vec<Time>)> = groups
            .into_iter()
            .map(|(group, (sum, count, seen))| {
                let start = seen.max(Time::from_millis(now.millis() - FARTHEST.millis()));
                let mut rng = Rng::named(seed, &format!("group {group}"));
                (group, (sum / count, poisson(sum / count, start, end, &mut rng)))
            })
            .collect();
        let share = model.correlation.sqrt();
        let mut changes = vec![vec![]; pages.len()];
        for page in pages.numbers().filter(|&page| pages.state(page) == State::Held) {
            let rate = drawn[page.index()];
            let last = pages.last_seen(page).unwrap_or(*now);
            let (common, times) = &events[&model.groups[page.index()]];
            let joins = (share * rate / common.max(1e-12)).min(1.0);
            let mut rng = Rng::named(seed ^ 1, pages.address(page));
            let mut own = poisson(rate - joins * common, last, end, &mut rng);
            own.extend(times.iter().filter(|&&at| at > last && rng.unit() < joins));
            own.sort_unstable();
            changes[page.index()] = own;
        }
        let mut future = Self { changes, births: vec![], end };
        future.draw_births(record, model, seed);
        future
    }

    /// Draws new pages like those of the past: shown by the same pages, in the same directory.
    fn draw_births(&mut self, record: &Record, model: &ChangeModel, seed: u64) {
        if model.found.is_empty() {
            return;
        }
        let mut rng = Rng::named(seed, "new pages");
        for (number, at) in
            poisson(model.new_pages, record.now, self.end, &mut rng).into_iter().enumerate()
        {
            let (like, hubs) = &model.found[rng.below(model.found.len())];
            let address = record.pages.address(*like);
            let directory = directories(address).next().unwrap_or(address);
            let rate = draw_rate(&model.rates[like.index()], &mut rng);
            for hub in hubs {
                let times = &mut self.changes[hub.index()];
                let place = times.partition_point(|&time| time <= at);
                times.insert(place, at);
            }
            self.births.push(Birth {
                at,
                address: format!("{directory}sanderling-simulated-{number}").into(),
                host: record.pages.host(*like),
                hubs: hubs.clone(),
                changes: poisson(rate, at, self.end, &mut rng),
            });
        }
    }

    /// The share of held pages that are still up to date at the end if nothing is visited.
    pub(super) fn unvisited(&self, record: &Record) -> f64 {
        let held = record.pages.numbers().filter(|&page| record.pages.state(page) == State::Held);
        let (mut fresh, mut all) = (0, 0);
        for page in held {
            all += 1;
            fresh += usize::from(self.changes[page.index()].is_empty());
        }
        f64::from(fresh as u32) / f64::from(all.max(1))
    }
}

/// A rate drawn from a distribution.
fn draw_rate(weights: &Weights, rng: &mut Rng) -> f64 {
    let rates = rates::rates();
    let mut left = rng.unit();
    for (rate, weight) in rates.iter().zip(weights) {
        left -= weight;
        if left <= 0.0 {
            return *rate;
        }
    }
    rates[rates::RATES - 1]
}

/// How much more often than in the past the pages of a host change, where so many independent changes say how
/// often that was: a draw from the posterior of their rate, with mean 1. The fewer there were, the wider.
fn draw_factor(evidence: f64, rng: &mut Rng) -> f64 {
    let shape = evidence.round().clamp(0.0, 1_000.0) as usize + 1;
    (0..shape).map(|_| rng.exponential()).sum::<f64>() / shape as f64
}

/// Events at `rate` per day after `start`, up to `end`.
fn poisson(rate: f64, start: Time, end: Time, rng: &mut Rng) -> Vec<Time> {
    let mut times = vec![];
    if rate <= 1e-9 {
        return times;
    }
    let mut at = start;
    loop {
        let wait = rng.exponential() / rate * 86_400_000.0;
        if wait >= (end - at).millis() as f64 {
            return times;
        }
        at = at + Span::from_millis(wait as i64 + 1);
        times.push(at);
    }
}

/// The world in which a future comes true.
pub(super) struct FutureWorld<'f> {
    record: &'f Record,
    future: &'f Future,
    now: Time,
    /// By page of the record, then by birth: the version that was served last.
    served: Vec<Option<usize>>,
    births: BTreeMap<&'f str, usize>,
    /// By page that shows new ones: the births, in order of time.
    shows: BTreeMap<PageNo, Vec<usize>>,
}

impl<'f> FutureWorld<'f> {
    pub(super) fn new(record: &'f Record, future: &'f Future) -> Self {
        let is_held = |page: PageNo| record.pages.state(page) == State::Held;
        let mut served: Vec<Option<usize>> =
            record.pages.numbers().map(|page| is_held(page).then_some(0)).collect();
        served.resize(served.len() + future.births.len(), None);
        let mut shows: BTreeMap<PageNo, Vec<usize>> = BTreeMap::new();
        for (number, birth) in future.births.iter().enumerate() {
            for &hub in &birth.hubs {
                shows.entry(hub).or_default().push(number);
            }
        }
        let births =
            future.births.iter().enumerate().map(|(number, birth)| (&*birth.address, number));
        Self { record, future, now: record.now, served, births: births.collect(), shows }
    }

    /// The place of a requested page in `served`.
    fn place(&self, request: &Request) -> Option<usize> {
        let known = self.future.changes.len();
        if request.page.index() < known {
            return Some(request.page.index());
        }
        self.births.get(&*request.address).map(|birth| known + birth)
    }

    fn changes(&self, place: usize) -> &'f [Time] {
        let known = self.future.changes.len();
        match place.checked_sub(known) {
            None => &self.future.changes[place],
            Some(birth) => &self.future.births[birth].changes,
        }
    }

    fn version(&self, place: usize) -> usize {
        self.changes(place).partition_point(|&at| at <= self.now)
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let Some(place) = self.place(request) else { return Answer::Gone };
        let known = self.future.changes.len();
        if place < known && self.record.pages.state(PageNo(place as u32)) == State::Gone {
            return Answer::Gone;
        }
        let version = self.version(place);
        if self.served[place].replace(version) == Some(version) {
            return Answer::NotModified;
        }
        let text = Digest::from_bytes(format!("{place} {version}").as_bytes());
        let fingerprints = Fingerprints { text, body: text, ..Fingerprints::default() };
        let links = Arc::new(self.links(place));
        Answer::Content(Arc::new(Snapshot { fingerprints, links, ..Snapshot::default() }))
    }

    /// What a page links to: what it links to today, and the new pages that it shows.
    fn links(&self, place: usize) -> LinkList {
        if place >= self.future.changes.len() {
            return LinkList::default();
        }
        let page = PageNo(place as u32);
        let today = self.record.links.of(page).iter().map(|&to| self.record.pages.address(to));
        let mut links: Vec<Link> = today.map(Link::to).collect();
        for &birth in self.shows.get(&page).map_or(&[][..], Vec::as_slice) {
            let birth = &self.future.births[birth];
            if birth.at <= self.now {
                links.push(Link::to(Arc::clone(&birth.address)));
            }
        }
        LinkList::new(links)
    }

    /// By host, the number of held pages that are up to date, and that of held pages.
    pub(super) fn fresh_by_host(&self) -> Vec<(u32, u32)> {
        let mut hosts = vec![(0, 0); self.record.pages.host_count()];
        let known = self.future.changes.len();
        for (place, served) in self.served.iter().enumerate() {
            let Some(served) = served else { continue };
            let host = match place.checked_sub(known) {
                None => self.record.pages.host(PageNo(place as u32)),
                Some(birth) => self.future.births[birth].host,
            };
            let sums = &mut hosts[host.0 as usize];
            sums.0 += u32::from(*served == self.version(place));
            sums.1 += 1;
        }
        hosts
    }

    /// The number of new pages that were held, and of those that appeared.
    pub(super) fn new_pages(&self) -> (usize, usize) {
        let known = self.future.changes.len();
        let held = self.served[known..].iter().flatten().count();
        (held, self.future.births.iter().filter(|birth| birth.at <= self.now).count())
    }
}

impl World for FutureWorld<'_> {
    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, then: Time) {
        self.now = self.now.max(then);
    }

    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        answer_in_order(requests, arrive, |request| {
            let answer = self.answer(request);
            Capture::new(request.page, self.now, answer)
        })
    }
}
