//! A crawl at work: the data folder, the live web and the policy, joined by the loop.
use std::sync::Arc;

use flow::{
    Budget, ChangeDetector, Crawl, Links, Observation, PageNo, Pages, Policy, Repository, Snapshot,
    Span, State, Time, World, detect,
};
use index::{Index, Indexed, Pace};
use store::{CycleStart, Store, StoreError};
use web::{Clock, LiveWorld, scope::ScopeKind};

use super::{
    admission::Admission,
    asked::{self, Asked},
    features::Upkeep,
    impact::Gauge,
    searching,
    tally::Tally,
};
use crate::{
    failure::{Failure, with_causes},
    settings::Settings,
};

/// The keys under which the data folder remembers what a crawl began with.
const SEEDS: &str = "seeds";
const SCOPE: &str = "scope";
const CONTACT: &str = "contact";

/// An open data folder and everything that works on it.
pub(crate) struct Session {
    store: Store,
    /// What is kept in step with the store; `None` where no index is wanted.
    index: Option<Index>,
    gauge: Gauge,
    pace: Pace,
    /// The `PageRank` of every page when the links had this revision.
    ranks: (Option<u64>, Vec<f64>),
    pub(crate) world: LiveWorld,
    policy: Box<dyn Policy>,
    detector: Box<dyn ChangeDetector>,
    admission: Admission,
    pub(crate) pages: Pages,
    links: Links,
    features: Upkeep,
    cycles: u32,
    policy_name: String,
    seed: u64,
}

/// What a crawl or a cycle did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) tally: Tally,
    pub(crate) took: Span,
    pub(crate) robots_fetches: u32,
    /// Whether it was told to stop before it was done.
    pub(crate) interrupted: bool,
}

/// What is spent, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Pages that are known but were never visited, and what they lead to.
    Follow(Budget),
    /// What the policy chooses; the time to the next cycle, where cycles come at fixed intervals.
    Cycle(Budget, Option<Span>),
}

impl Session {
    /// Opens the data folder, which is made where there is none, and rebuilds what the policy knew.
    pub(crate) fn open(settings: &Settings, clock: Clock) -> Result<Self, Failure> {
        let asked = Asked::of(settings)?;
        if !is_begun(settings) {
            // Before anything is written: a crawl that may not begin leaves no folder behind.
            check_contact(&settings.web, &settings.seeds)?;
        }
        let detector = detect::by_name(settings.detector)
            .ok_or_else(|| Failure::Ours(format!("no detector {}", settings.detector)))?;
        let options =
            store::Options { with_content: detector.reads_content(), ..Default::default() };
        let mut store = Store::open(&settings.data, options)?;
        let (seeds, scope) = began_with(|key| store.get(key), settings)?;
        if seeds.is_empty() {
            return Err(Failure::Input(
                "there is nothing to begin with; name an address, such as: sanderling crawl \
                 https://docs.example.org"
                    .to_owned(),
            ));
        }
        let mut web = settings.web.clone();
        web.contact = web.contact.or(store.get(CONTACT)?);
        check_contact(&web, &seeds)?;
        if let Some(contact) = &web.contact {
            store.set(CONTACT, contact)?;
        }
        store.set(SEEDS, &seeds.join("\n"))?;
        store.set(SCOPE, &scope.to_string())?;
        let index = if settings.index {
            let mut index = Index::open(&settings.data)?;
            searching::bring_up_open(&mut index, false)?;
            Some(index)
        } else {
            None
        };
        let loaded = store.load()?;
        let now = clock.now();
        let admission = Admission::new(scope, &seeds, settings.traps, &loaded.pages, now);
        let choice = asked::policy(settings)?;
        let mut policy = choice.make(settings.seed);
        flow::Repository::play_log(&store, &mut |seen| policy.learn(seen))?;
        let features = Upkeep::new(policy.as_ref(), settings)?;
        let gauge = Gauge::new(policy.as_ref(), asked);
        web.after_restart = store.acknowledged() > 0;
        let world = LiveWorld::new(web, clock, store.robots()?, store.manners()?)?;
        let mut pages = loaded.pages;
        for seed in &seeds {
            pages.admit(seed, now);
        }
        store.know(&pages)?;
        Ok(Self {
            store,
            index,
            gauge,
            pace: Pace { wait: settings.index_wait, ..Pace::default() },
            ranks: (None, vec![]),
            world,
            policy,
            detector,
            admission,
            pages,
            links: loaded.links,
            features,
            cycles: loaded.cycles,
            policy_name: choice.name().to_owned(),
            seed: settings.seed,
        })
    }

    /// Does a piece of work, telling `watch` of every observation. Until `limit` is over.
    pub(crate) fn work(
        &mut self,
        work: Work,
        limit: Option<Span>,
        watch: &mut dyn FnMut(&Observation, &Tally),
    ) -> Result<Done, Failure> {
        let stopper = self.world.stopper();
        if !self.features.prepare(&self.store, &|| stopper.is_stopped())? {
            return Ok(Done {
                tally: Tally::default(),
                took: Span::default(),
                robots_fetches: 0,
                interrupted: true,
            });
        }
        if let Some(index) = &mut self.index {
            self.gauge.prepare(index)?;
        }
        let start = self.world.now();
        self.admission.tell_time(start);
        self.world.set_deadline(limit.map(|limit| start + limit));
        let (kind, budget, cadence) = match work {
            Work::Follow(budget) => ("crawl", budget, None),
            Work::Cycle(budget, cadence) => ("refresh", budget, cadence),
        };
        self.cycles = self.store.begin_cycle(CycleStart {
            kind: kind.to_owned(),
            policy: self.policy_name.clone(),
            detector: self.detector.name().to_owned(),
            budget: (budget != Budget::UNLIMITED).then_some(budget.0),
            seed: self.seed,
            at: start,
        })?;
        let asked_before = self.world.robots_fetches();
        let mut tally = Tally::default();
        let admission = &self.admission;
        let mut indexed;
        let repository: &mut dyn Repository = match &mut self.index {
            Some(index) => {
                indexed = Indexed::new(&mut self.store, index).at_pace(self.pace);
                &mut indexed
            }
            None => &mut self.store,
        };
        let mut crawl = Crawl {
            world: &mut self.world,
            policy: self.policy.as_mut(),
            repository,
            detector: self.detector.as_ref(),
            admits: &|address| admission.admits(address),
            watch: &mut |seen| {
                tally.add(seen);
                watch(seen, &tally);
            },
            cadence,
            revisits_gone: true,
            pages: std::mem::take(&mut self.pages),
            links: std::mem::take(&mut self.links),
            features: self.features.take(),
            cycles: self.cycles,
        };
        let outcome = match work {
            Work::Follow(budget) => crawl.follow(budget).map(|_| ()),
            Work::Cycle(budget, _) => crawl.cycle(budget).map(|_| ()),
        };
        let interrupted = matches!(outcome, Err(flow::Error::Interrupted));
        if interrupted {
            crawl.repository.commit()?;
        } else {
            outcome?;
        }
        Crawl {
            pages: self.pages,
            links: self.links,
            features: self.features.features,
            cycles: self.cycles,
            ..
        } = crawl;
        self.rank()?;
        // Sitemaps that a robots.txt names become known without a visit.
        self.store.know(&self.pages)?;
        let end = self.world.now();
        self.store.end_cycle(end)?;
        Ok(Done {
            tally,
            took: end - start,
            robots_fetches: self.world.robots_fetches() - asked_before,
            interrupted,
        })
    }

    /// Ranks the pages anew for those who search, where links have moved.
    fn rank(&mut self) -> Result<(), Failure> {
        let Some(index) = &mut self.index else { return Ok(()) };
        let (revision, ranks) = &mut self.ranks;
        if *revision != Some(self.links.revision()) {
            *ranks = flow::page_rank(&self.pages, &self.links, ranks);
            *revision = Some(self.links.revision());
            index.set_ranks(ranks)?;
        }
        Ok(())
    }

    /// Says in the data folder that its time is not the machine's.
    pub(crate) fn has_own_time(&mut self) -> Result<(), Failure> {
        Ok(self.store.set(super::OWN_TIME, "yes")?)
    }

    /// The name of the policy that chooses the visits.
    pub(crate) fn policy_name(&self) -> &str {
        &self.policy_name
    }

    /// Pages that are known but were never visited.
    pub(crate) fn waiting(&self) -> u64 {
        let linked = |&page: &PageNo| self.pages.state(page) == State::Linked;
        self.pages.numbers().filter(linked).count() as u64
    }

    /// Pages that are held.
    pub(crate) fn held(&self) -> u64 {
        let held = |&page: &PageNo| self.pages.state(page) == State::Held;
        self.pages.numbers().filter(held).count() as u64
    }

    /// What is held of a page, without its text.
    pub(crate) fn snapshot(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>, Failure> {
        Ok(flow::Repository::held(&self.store, page)?)
    }

    /// The instant it is now in its world.
    pub(crate) fn now(&self) -> Time {
        self.world.now()
    }
}

/// Whether a crawl has begun in the data folder.
pub(super) fn is_begun(settings: &Settings) -> bool {
    settings.data.join("sanderling.db").exists()
}

/// Refuses to begin where a site owner could not reach the user.
fn check_contact(web: &web::Settings, seeds: &[String]) -> Result<(), Failure> {
    web.check_contact(seeds.iter().map(String::as_str)).map_err(|error| {
        Failure::Input(format!(
            "{}: add --contact you@example.org, or contact = \"you@example.org\" to {}",
            with_causes(&error),
            crate::settings::FILE
        ))
    })
}

/// What a crawl begins with: what was written, and what the data folder remembers under `get`.
pub(super) fn began_with(
    get: impl Fn(&str) -> Result<Option<String>, StoreError>,
    settings: &Settings,
) -> Result<(Vec<String>, ScopeKind), Failure> {
    let mut seeds: Vec<String> =
        get(SEEDS)?.unwrap_or_default().lines().map(str::to_owned).collect();
    for seed in &settings.seeds {
        if !seeds.contains(seed) {
            seeds.push(seed.clone());
        }
    }
    let before = get(SCOPE)?.and_then(|word| word.parse().ok());
    Ok((seeds, settings.scope.or(before).unwrap_or(ScopeKind::Host)))
}
