//! A world, a policy and a repository that do as they are told.
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use flow::{
    Answer, Arrival, Budget, Capture, Crawl, Cycle, Digest, Directives, Fault, FaultKind, Form,
    Kept, Known, Link, LinkList, Links, Marks, Observation, Outcome, PageNo, Pages, Plan, Policy,
    Reason, Repository, Request, Result, Snapshot, Span, State, Time, Visit, World,
    detect::TextDigest, features::Features,
};

pub(crate) const DAY: Span = Span::from_days(1);

/// The instant `day` days after the start.
pub(crate) fn day(day: i64) -> Time {
    Time::from_millis(0) + DAY.times(day)
}

/// What a world answers for an address at an instant.
type Answers = dyn Fn(&str, Time) -> Vec<Answer>;
/// Which pages a policy plans to visit, given what it learned so far.
type Plans = dyn Fn(&Known<'_>, Budget, &[Observation]) -> Vec<PageNo> + Send;

/// A web that answers each address by a rule; no answer or several are broken promises.
pub(crate) struct Scripted {
    now: Time,
    rule: Box<Answers>,
    /// Captures are handed over from the last request to the first.
    pub(crate) backwards: bool,
    /// Every address asked for, in order.
    pub(crate) asked: Vec<String>,
    pub(crate) resting: Vec<String>,
}

impl World for Scripted {
    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, then: Time) {
        self.now = self.now.max(then);
    }

    fn fetch(
        &mut self,
        mut requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        if self.backwards {
            requests.reverse();
        }
        let mut queue = VecDeque::from(requests);
        while let Some(request) = queue.pop_front() {
            self.asked.push(request.address.clone());
            for answer in (self.rule)(&request.address, self.now) {
                queue.extend(arrive(Arrival::Capture(Capture::new(
                    request.page,
                    self.now,
                    answer,
                )))?);
            }
        }
        Ok(())
    }

    fn resting(&self) -> Vec<String> {
        self.resting.clone()
    }
}

/// Plans by a rule, which is told how much was learned so far.
pub(crate) struct Ruled {
    rule: Box<Plans>,
    pub(crate) learned: Vec<Observation>,
}

impl Policy for Ruled {
    fn name(&self) -> &'static str {
        "ruled"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let visit = |page: PageNo| {
            let linked = known.pages.state(page) == State::Linked;
            let reason = if linked { Reason::First } else { Reason::Refresh };
            Visit { page, score: 0.0, reason }
        };
        Plan((self.rule)(known, budget, &self.learned).into_iter().map(visit).collect())
    }

    fn learn(&mut self, seen: &Observation) {
        self.learned.push(seen.clone());
    }
}

#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) held: BTreeMap<PageNo, Arc<Snapshot>>,
    pub(crate) log: Vec<Observation>,
    pub(crate) commits: usize,
}

impl Repository for Memory {
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        Ok(self.held.get(&page).cloned())
    }

    fn keep(&mut self, kept: Kept<'_>) -> Result<()> {
        let Kept { seen, new, .. } = kept;
        if let Some(new) = new {
            self.held.insert(seen.page, Arc::clone(new));
        } else if seen.outcome == Outcome::Gone {
            self.held.remove(&seen.page);
        }
        self.log.push(seen.clone());
        Ok(())
    }

    fn play_log(&self, each: &mut dyn FnMut(&Observation)) -> Result<()> {
        self.log.iter().for_each(each);
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.commits += 1;
        Ok(())
    }
}

/// A crawl and all its parts. Pages "a", "b" and "c" are known at first.
pub(crate) struct Site {
    pub(crate) world: Scripted,
    pub(crate) policy: Ruled,
    pub(crate) repository: Memory,
    pub(crate) pages: Pages,
    pub(crate) links: Links,
    pub(crate) features: Features,
    pub(crate) cycles: u32,
}

pub(crate) const A: PageNo = PageNo(0);
pub(crate) const B: PageNo = PageNo(1);
pub(crate) const C: PageNo = PageNo(2);
pub(crate) const D: PageNo = PageNo(3);

impl Site {
    pub(crate) fn new(rule: impl Fn(&str, Time) -> Vec<Answer> + 'static) -> Self {
        let mut pages = Pages::default();
        for address in ["a", "b", "c"] {
            pages.admit(address, day(0));
        }
        let everything = |known: &Known<'_>, _: Budget, _: &[Observation]| known.due().collect();
        Self {
            world: Scripted {
                now: day(0),
                rule: Box::new(rule),
                backwards: false,
                asked: vec![],
                resting: vec![],
            },
            policy: Ruled { rule: Box::new(everything), learned: vec![] },
            repository: Memory::default(),
            pages,
            links: Links::default(),
            features: Features::default(),
            cycles: 0,
        }
    }

    pub(crate) fn planning(
        self,
        rule: impl Fn(&Known<'_>, Budget, &[Observation]) -> Vec<PageNo> + Send + 'static,
    ) -> Self {
        Self { policy: Ruled { rule: Box::new(rule), learned: vec![] }, ..self }
    }

    pub(crate) fn crawl<T>(&mut self, work: impl FnOnce(&mut Crawl<'_>) -> T) -> T {
        let mut crawl = Crawl {
            world: &mut self.world,
            policy: &mut self.policy,
            repository: &mut self.repository,
            detector: &TextDigest,
            admits: &|address| !address.starts_with('x'),
            watch: &mut |_| {},
            cadence: None,
            revisits_gone: false,
            pages: std::mem::take(&mut self.pages),
            links: std::mem::take(&mut self.links),
            features: std::mem::take(&mut self.features),
            cycles: self.cycles,
        };
        let worked = work(&mut crawl);
        let Crawl { pages, links, features, cycles, .. } = crawl;
        (self.pages, self.links, self.features, self.cycles) = (pages, links, features, cycles);
        worked
    }

    /// The cycle of a day.
    pub(crate) fn cycle(&mut self, number: i64, budget: u32) -> Result<Cycle> {
        self.world.wait_until(day(number));
        self.crawl(|crawl| crawl.cycle(Budget(budget)))
    }
}

pub(crate) fn shows(text: &str, links: &[(&str, Option<Time>)]) -> Vec<Answer> {
    let link = |&(address, date): &(&str, Option<Time>)| Link { date, ..Link::to(address) };
    let text = Digest::of(text.as_bytes());
    vec![Answer::Content(Arc::new(Snapshot {
        form: Form::Html,
        marks: Marks { body: text, text, ..Marks::default() },
        counts: flow::Counts::default(),
        links: Arc::new(LinkList::new(links.iter().map(link).collect())),
        directives: Directives::default(),
        content: None,
    }))]
}

pub(crate) fn fails() -> Vec<Answer> {
    vec![Answer::Failed(Fault { kind: FaultKind::Broken, why: "connection reset".into() })]
}
