//! Visits under way: from requests to observations in the log.
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{
    Answer, Arrival, Capture, ChangeDetector, Cost, Error, Expectation, Form, HostUpdate,
    Instruments, Link, Links, LogEntry, Observation, Outcome, PageNo, Pages, Reason, Repository,
    Request, Result, Signal, SignalSource, Snapshot, Span, State, Time, Update, Visited, Watch,
    frontier::Frontier, release::Release,
};

/// Fewer links with other texts than this are never taken for another layout.
const LAYOUT: usize = 4;

/// The requests of one fetch, and everything that an arrival touches.
pub(crate) struct Visits<'v> {
    pub(crate) repository: &'v mut dyn Repository,
    pub(crate) instruments: &'v mut Instruments,
    pub(crate) detector: &'v dyn ChangeDetector,
    pub(crate) admits: &'v dyn Fn(&str) -> bool,
    pub(crate) follows: fn(Form) -> bool,
    pub(crate) watch: Watch<'v>,
    pub(crate) pages: &'v mut Pages,
    pub(crate) links: &'v mut Links,
    pub(crate) cycle: u32,
    pub(crate) revisits_gone: bool,
    pub(crate) cycle_start: Time,
    pub(crate) received: &'v mut u64,
    /// The pages without an answer yet, and why each is visited.
    pub(crate) pending: FxHashMap<PageNo, Reason>,
    /// What the policy expects of visits.
    pub(crate) expected: FxHashMap<PageNo, Expectation>,
    /// The number of requests made.
    pub(crate) requested: usize,
    /// Notices that the next observation logs.
    pub(crate) notices: &'v mut Vec<Signal>,
}

impl Visits<'_> {
    /// Makes requests for the world.
    pub(crate) fn requests(
        &mut self,
        visits: impl Iterator<Item = (PageNo, Reason)>,
    ) -> Result<Vec<Request>> {
        let request = |(page, reason)| {
            self.pending.insert(page, reason);
            self.requested += 1;
            let held = self.pages.state(page) == State::Held;
            let validators = if held { self.repository.validators(page)? } else { None };
            Ok(Request { page, address: self.pages.address(page).to_owned(), validators })
        };
        visits.map(request).collect()
    }

    /// Makes requests for the pages that the frontier releases.
    pub(crate) fn first_requests(&mut self, frontier: &mut Frontier) -> Result<Vec<Request>> {
        let ready = frontier.take();
        self.requests(ready.into_iter().map(|page| (page, Reason::First)))
    }

    /// Makes requests for the visits of a plan that the budget allows now.
    pub(crate) fn released(
        &mut self,
        release: &mut Release<'_>,
        now: Time,
    ) -> Result<Vec<Request>> {
        let visits = release.take(self.instruments, now);
        self.requests(visits.into_iter().map(|visit| (visit.page, visit.reason)))
    }

    /// Records an arrival. Returns the observation and what it cost, if it was a capture.
    pub(crate) fn arrived(&mut self, arrival: Arrival) -> Result<Option<(Observation, Cost)>> {
        match arrival {
            Arrival::Capture(capture) => {
                let cost = capture.cost;
                self.captured(capture).map(|seen| Some((seen, cost)))
            }
            Arrival::Host(update) => {
                if let HostUpdate::Robots(copy) = &update {
                    for sitemap in &copy.sitemaps {
                        self.admit(sitemap, copy.requested_at);
                    }
                }
                self.repository.remember(Update::Host(update))?;
                Ok(None)
            }
        }
    }

    /// An error unless every request was answered.
    pub(crate) fn check_all_answered(&self) -> Result<()> {
        let (requested, left) = (self.requested, self.pending.len());
        if left == 0 {
            return Ok(());
        }
        Err(Error::Unanswered { requested, answered: requested - left })
    }

    fn captured(&mut self, capture: Capture) -> Result<Observation> {
        let Capture { page, at, answer, cost, exchange } = capture;
        let Some(reason) = self.pending.remove(&page) else {
            return Err(Error::Unrequested { address: name(self.pages, page) });
        };
        *self.received += cost.bytes;
        let held = self.pages.state(page) == State::Held;
        let old = if held { self.repository.held(page)? } else { None };
        let (misses, was_held) = (self.pages.misses(page), self.pages.was_held(page));
        let old = match (old, &answer) {
            (Some(old), Answer::Content(new)) => Some(self.in_full(page, old, new)?),
            (old, _) => old,
        };
        let change = |old: &Snapshot, new: &Snapshot| self.change(old, new);
        let outcome = Outcome::from_answer(&answer, old.as_deref(), misses, was_held, change);
        let before = self.pages.last_seen(page);
        let since = before.map(|then| at - then);
        self.pages.apply(page, at, outcome);
        let (new, fault) = match answer {
            Answer::Content(new) => (Some(new), None),
            Answer::Failed(fault) | Answer::Refused(fault) => (None, Some(fault)),
            _ => (None, None),
        };
        let (mut leads, mut signals, mut shows_new_link) = (vec![], vec![], false);
        if let Some(new) = &new {
            // A page that moved to another address is not a discovery. A redirect that leads
            // somewhere else than before may be one.
            let had_content = old.as_ref().is_some_and(|old| old.form != Form::Moved);
            let has_moved = new.form == Form::Moved && had_content;
            (leads, shows_new_link) = self.follow_links(page, new, at, has_moved);
            signals = change_signals(new, self.pages);
            if let Some((old, before)) = old.as_ref().zip(before) {
                signals.extend(link_signals(page, (old, before), new, self.pages));
            }
            for &signal in &signals {
                self.pages.signal(signal);
            }
        } else if self.pages.state(page) == State::Gone {
            self.links.forget(page);
        }
        signals.append(self.notices);
        let (impact, states) = self.instruments.visited(&Visited {
            page,
            host: self.pages.host(page),
            address: self.pages.address(page),
            at,
            outcome,
            new: new.as_ref(),
            shows_new_link,
            cost,
        })?;
        let seen = Observation {
            cycle: self.cycle,
            reason,
            fault,
            since,
            leads,
            signals,
            impact,
            expected: self.expected.remove(&page),
            ..Observation::new(page, self.pages.host(page), at, outcome)
        };
        self.repository.append(LogEntry {
            seen: &seen,
            new: new.as_ref(),
            states,
            exchange,
            pages: self.pages,
            links: self.links,
        })?;
        (self.watch)(&seen);
        Ok(seen)
    }

    /// The held snapshot of a page, with what the detector and the comparison of link texts need besides
    /// fingerprints where the texts differ.
    fn in_full(&self, page: PageNo, held: Arc<Snapshot>, new: &Snapshot) -> Result<Arc<Snapshot>> {
        let is_compared = self.detector.reads_content() || !new.link_texts.is_empty();
        if !is_compared || !has_other_text(&held, new) {
            return Ok(held);
        }
        Ok(self.repository.read_held(page)?.unwrap_or(held))
    }

    /// The change from the held snapshot of a page to a new one.
    fn change(&self, held: &Snapshot, new: &Snapshot) -> f32 {
        if is_reread(held, new) {
            return 0.0;
        }
        self.detector.change(held, new, self.instruments)
    }

    /// Makes an address a known page, if it is new and admitted.
    fn admit(&mut self, address: &str, now: Time) {
        if self.pages.find(address).is_none() && (self.admits)(address) {
            self.pages.insert(address, now);
        }
    }

    /// Makes the targets of a snapshot's links known. Returns its leads, and whether the page links
    /// to anything that it did not link to before. Both are empty where the page only moved.
    fn follow_links(
        &mut self,
        page: PageNo,
        new: &Arc<Snapshot>,
        at: Time,
        has_moved: bool,
    ) -> (Vec<PageNo>, bool) {
        let before = self.links.list_of(page);
        let admits: &dyn Fn(&str) -> bool =
            if (self.follows)(new.form) { self.admits } else { &|_| false };
        let is_other_list = self.links.apply(page, new, self.pages, at, admits);
        // The canonical address is not a link for readers, but it is a page.
        if let Some(canonical) = &new.directives.canonical {
            self.admit(canonical, at);
        }
        if !is_other_list || has_moved {
            return (vec![], false);
        }
        let is_new = |to: &PageNo| self.pages.first_seen(*to) >= self.cycle_start;
        // A page found to be gone in this cycle is not a lead.
        let is_there = |to: &PageNo| self.pages.state(*to) != State::Gone;
        let shown = self.links.of(page).iter().copied();
        let mut leads: Vec<PageNo> = shown.filter(|to| is_new(to) && is_there(to)).collect();
        // A new link to a page that was missing suggests that the page exists now.
        let may_be_back = |to: &PageNo| match self.pages.state(*to) {
            State::Held => false,
            State::Linked => self.pages.misses(*to) > 0,
            State::Gone => self.revisits_gone || self.pages.changes(*to) == 0,
        };
        let added: Vec<PageNo> = self.links.added_since(page, before).collect();
        let back = added.iter().copied().filter(|to| !is_new(to));
        let back: Vec<PageNo> = back.filter(may_be_back).collect();
        leads.extend(&back);
        leads.sort_unstable();
        for to in back {
            self.pages.relink(to);
        }
        (leads, !added.is_empty())
    }
}

/// What to call a page in an error; a faulty world may have made up the number.
fn name(pages: &Pages, page: PageNo) -> String {
    if page.index() < pages.len() {
        pages.address(page).to_owned()
    } else {
        format!("page number {}", page.0)
    }
}

/// Whether both have the same bytes, and the new one was read by a version that reads more of them.
fn is_reread(held: &Snapshot, new: &Snapshot) -> bool {
    held.form != new.form && held.fingerprints.body == new.fingerprints.body
}

/// Whether the text of a page differs from the held one.
fn has_other_text(held: &Snapshot, new: &Snapshot) -> bool {
    held.fingerprints.text != new.fingerprints.text && !is_reread(held, new)
}

/// Claims about held pages beside whose link on `page` another text stands than in the snapshot that was held
/// since `before`. Where most texts differ, the page itself has another layout, which says nothing.
fn link_signals(
    page: PageNo,
    (old, before): (&Snapshot, Time),
    new: &Snapshot,
    pages: &Pages,
) -> Vec<Signal> {
    let texts = |snapshot: &Snapshot| snapshot.links.links().len() == snapshot.link_texts.len();
    // Where the text is the same, a repository need not know the texts of links.
    if new.link_texts.is_empty() || !texts(old) || !texts(new) || !has_other_text(old, new) {
        return vec![];
    }
    let held = old.links.links().iter().zip(old.link_texts.iter());
    let held: FxHashMap<&str, u32> = held.map(|(link, text)| (&*link.address, *text)).collect();
    let (mut both, mut others) = (0, vec![]);
    for (link, text) in new.links.links().iter().zip(new.link_texts.iter()) {
        let Some(before) = held.get(&*link.address) else { continue };
        both += 1;
        if before != text {
            others.push(link);
        }
    }
    if others.len() > LAYOUT && 2 * others.len() > both {
        return vec![];
    }
    // A target that was seen since `before` may have been seen with the change.
    let changed = before + Span::from_millis(1);
    let signal = |link: &Link| {
        let target = pages.find(&link.address)?;
        let is_held = target != page && pages.state(target) == State::Held;
        is_held.then_some(Signal { page: target, changed, source: SignalSource::Link })
    };
    others.into_iter().filter_map(signal).collect()
}

/// The dates that a sitemap or feed gives for known pages.
fn change_signals(snapshot: &Arc<Snapshot>, pages: &Pages) -> Vec<Signal> {
    let source =
        if snapshot.form == Form::Feed { SignalSource::Feed } else { SignalSource::Sitemap };
    let signal = |link: &crate::Link| {
        let changed = link.date?;
        Some(Signal { page: pages.find(&link.address)?, changed, source })
    };
    snapshot.links.links().iter().filter_map(signal).collect()
}
