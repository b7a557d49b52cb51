//! One possible future of a repository's pages, and the world in which it comes true.
use std::{collections::BTreeMap, sync::Arc};

use crawl::{
    Answer, Arrival, Capture, Digest, Fingerprints, HostNo, Link, LinkList, PageNo, Request,
    Result, Snapshot, Span, State, Time, World, answer_in_order,
};

use super::{
    evidence::Evidence,
    model::{ChangeModel, directories},
    posterior::{Draw, HostDraw},
    rates::RATES,
    record::Record,
};
use crate::rng::Rng;

/// By how much habits of a site change, as a factor either way.
const HABIT: f64 = 2.0;

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
    /// Draws a future that lasts until `end`, after one course of the past.
    pub(super) fn draw(
        record: &Record,
        model: &ChangeModel,
        past: &Draw,
        end: Time,
        seed: u64,
    ) -> Self {
        let Record { pages, now, .. } = record;
        let hosts: Vec<HostFuture> = (0..pages.host_count())
            .map(|host| {
                let rng = Rng::named(seed, pages.host_name(HostNo(host as u32)));
                HostFuture::draw(&model.evidence, &past.hosts[host], *now, end, rng)
            })
            .collect();
        let mut changes = vec![vec![]; pages.len()];
        for page in pages.numbers().filter(|&page| pages.state(page) == State::Held) {
            let mut rng = Rng::named(seed, pages.address(page));
            let host = &hosts[pages.host(page).0 as usize];
            let last = pages.last_seen(page).unwrap_or(*now);
            let rate = RATES[past.classes[page.index()]];
            let mut own = poisson(rate, last, *now, &mut rng);
            own.extend(poisson(rate * host.faster, *now, end, &mut rng));
            own.extend(host.hits(past.ranks[page.index()], last));
            own.sort_unstable();
            changes[page.index()] = own;
        }
        let mut future = Self { changes, births: vec![], end };
        future.draw_births(record, model, past, &hosts, seed);
        future
    }

    /// Draws new pages like those of the past: shown by the same pages, in the same directory.
    fn draw_births(
        &mut self,
        record: &Record,
        model: &ChangeModel,
        past: &Draw,
        hosts: &[HostFuture],
        seed: u64,
    ) {
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
            let number_of_host = record.pages.host(*like);
            let host = &hosts[number_of_host.0 as usize];
            let rate = RATES[past.classes[like.index()]] * host.faster;
            for hub in hubs {
                let times = &mut self.changes[hub.index()];
                let place = times.partition_point(|&time| time <= at);
                times.insert(place, at);
            }
            let mut changes = poisson(rate, at, self.end, &mut rng);
            changes.extend(host.hits(past.ranks[like.index()], at));
            changes.sort_unstable();
            self.births.push(Birth {
                at,
                address: format!("{directory}sanderling-simulated-{number}").into(),
                host: number_of_host,
                hubs: hubs.clone(),
                changes,
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

/// What happens on one host.
struct HostFuture {
    /// When many of its pages change at once, and the size of that, in order of time.
    events: Vec<(Time, usize)>,
    /// How many times as often as before its pages change by themselves.
    faster: f64,
}

impl HostFuture {
    /// The events of the past, in periods of the evidence, and those to come.
    fn draw(evidence: &Evidence, past: &HostDraw, now: Time, end: Time, mut rng: Rng) -> Self {
        let faster = habit(&mut rng);
        // The odds of an event change, too.
        let odds = past.chance / (1.0 - past.chance) * habit(&mut rng);
        let chance = odds / (1.0 + odds);
        let period = evidence.period;
        let within = |start: Time, limit: Time, rng: &mut Rng| {
            let length = period.millis().min((limit - start).millis()).max(0);
            start + Span::from_millis((rng.unit() * length as f64) as i64)
        };
        let mut events = vec![];
        for (number, &size) in past.events.iter().enumerate().filter(|(_, size)| **size > 0) {
            let start = evidence.start + period.times(number as i64);
            events.push((within(start, now, &mut rng), size));
        }
        let mut start = now;
        while start < end {
            if rng.unit() < chance {
                let size = 1 + draw_share(&past.sizes, &mut rng);
                events.push((within(start, end, &mut rng), size));
            }
            start = start + period;
        }
        Self { events, faster }
    }

    /// When events change a page of this rank that was seen at an instant.
    fn hits(&self, rank: usize, seen: Time) -> impl Iterator<Item = Time> + '_ {
        let is_hit = move |&&(at, size): &&(Time, usize)| at > seen && size > rank;
        self.events.iter().filter(is_hit).map(|&(at, _)| at)
    }
}

/// How many times as often as in the past something happens: habits change, by a factor of about [`HABIT`]
/// either way, and not on average.
fn habit(rng: &mut Rng) -> f64 {
    let spread = HABIT.ln();
    (spread * rng.normal() - spread * spread / 2.0).exp()
}

/// A number drawn by shares of 1.
fn draw_share(shares: &[f64], rng: &mut Rng) -> usize {
    let mut left = rng.unit();
    for (place, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return place;
        }
    }
    shares.len() - 1
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
