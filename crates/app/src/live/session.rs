//! An open data folder with its crawl: the store, the live web and the policy.
use std::{
    cell::RefCell,
    collections::{BTreeSet, HashSet},
    rc::Rc,
    sync::{Arc, atomic::AtomicBool},
};

use crawl::{
    Allowance, Budget, Crawl, Form, HostNo, Instrument, Instruments, Known, Observation, PageNo,
    PageRank, Repository, Snapshot, Span, State, Time, Update, World,
};
use extract::detect::{self, main_text::Boilerplate};
use index::{CommitInterval, Index, IndexedStore};
use instruments::{costs::Costs, fragments::Fragments};
use store::{CycleStart, Store, StoreError};
use tracing::info;
use web::{BackOff, Clock, LiveWorld, scope::ScopeKind};

use super::{
    admission::Admission,
    clock, costs,
    events::Events,
    failing::waiting_words,
    features::FeatureStore,
    impact::ImpactSetup,
    lacks::{self, Lacks},
    listed::Listed,
    logged::LoggedStore,
    open_files,
    query_source::{self, QuerySource},
    repair, searching, stop,
    stored_instrument::{self, BOILERPLATE, COSTS, FRAGMENTS, StoredInstrument},
    tally::{self, Tally},
    watch::Line,
    weights,
};
use crate::{
    failure::{Failure, with_causes},
    settings::Settings,
};

/// The keys of what the data folder remembers of the first crawl.
const SEEDS: &str = "seeds";
const SCOPE: &str = "scope";
const CONTACT: &str = "contact";

/// An open data folder and everything that works on it.
pub(crate) struct Session {
    pub(crate) crawl: Crawl<LiveWorld, LoggedStore>,
    /// Decides which URLs become pages. Shared with the crawl.
    admission: Rc<Admission>,
    features: FeatureStore,
    fragments: StoredInstrument<Fragments>,
    boilerplate: StoredInstrument<Boilerplate>,
    costs: StoredInstrument<Costs>,
    impact: ImpactSetup,
    /// The ranks that the index has.
    ranks: PageRank,
    policy_name: String,
    seed: u64,
    /// What the policy lacked at the start of the last cycle.
    lacks: Lacks,
    clock: Clock,
}

/// What a crawl or a cycle did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) tally: Tally,
    pub(crate) took: Span,
    pub(crate) robots_fetches: u32,
    /// Bytes received.
    pub(crate) received: u64,
    /// Whether a signal ended it early.
    pub(crate) interrupted: bool,
}

impl Done {
    /// Whether nothing is left of the budget.
    pub(crate) fn is_spent(&self, budget: Allowance) -> bool {
        match budget {
            Allowance::Visits(visits) => self.tally.made() >= visits,
            Allowance::Bytes(bytes) => self.received >= bytes,
            Allowance::Time(time) => self.took >= time,
        }
    }
}

/// What to do with a budget.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Visit pages that were never visited, and the pages they link to.
    Follow(Budget),
    /// Visit the pages that the policy chooses. With the interval of the cycles, if there is one.
    Cycle(Allowance, Option<Span>),
}

impl Session {
    /// Opens the data folder, or makes one, and restores what the policy has learned.
    pub(crate) fn open(settings: &Settings, clock: Clock) -> Result<Self, Failure> {
        let queries = QuerySource::open(settings)?;
        if !is_begun(settings) {
            // Before anything is written: a crawl that may not start leaves no folder behind.
            check_contact(&settings.web, &settings.seeds)?;
        }
        let detector: Arc<dyn crawl::ChangeDetector> = detect::by_name(settings.detector)
            .map(Arc::from)
            .ok_or_else(|| Failure::Internal(format!("no detector {}", settings.detector)))?;
        let mut web = settings.web.clone();
        settings.access.read_into(&mut web)?;
        web.hosts_at_once = open_files::hosts_at_once(web.hosts_at_once);
        let mut store = open_store(settings, &clock)?;
        let kept_clock = clock.clone();
        let (seeds, scope) = seeds_and_scope(|key| store.get(key), settings)?;
        if seeds.is_empty() {
            return Err(Failure::Input(
                "no seeds; add a URL, such as: sanderling crawl https://docs.example.org"
                    .to_owned(),
            ));
        }
        web.contact = web.contact.or(store.get(CONTACT)?);
        check_contact(&web, &seeds)?;
        if let Some(contact) = &web.contact {
            store.set(CONTACT, contact)?;
        }
        store.set(SEEDS, &seeds.join("\n"))?;
        store.set(SCOPE, &scope.to_string())?;
        let index = if settings.index {
            let mut index = Index::open(&settings.data)?;
            searching::catch_up_open(&mut index, false)?;
            Some(index)
        } else {
            None
        };
        let loaded = store.load()?;
        let now = clock.now();
        web.rules.seeds.extend(seeds.iter().cloned());
        let rules = web.rules.clone();
        let admission =
            Rc::new(Admission::new(scope, &seeds, rules, settings.traps, &loaded.pages, now));
        let spec = query_source::policy(settings)?;
        let mut policy = spec.make(settings.seed);
        crawl::Repository::replay(&store, &mut |seen| policy.learn(seen))?;
        let needs = policy.needs();
        let impact = ImpactSetup::new(&needs, queries);
        web.after_restart = store.acknowledged() > 0;
        let world = LiveWorld::new(web, clock, store.robots()?, store.host_states()?)?;
        let mut pages = loaded.pages;
        for seed in &seeds {
            pages.insert(seed, now);
        }
        store.add_pages(&pages)?;
        let interval = CommitInterval { wait: settings.index_wait, ..CommitInterval::default() };
        let repository = LoggedStore(
            IndexedStore::new(store, index).with_commit_interval(interval),
            Events::default(),
        );
        let admits = Rc::clone(&admission);
        let mut instruments = Instruments::default();
        let features = FeatureStore::new(&needs, settings, &mut instruments)?;
        let fragments = stored_instrument::fragments(&needs, &*detector);
        let fragments = StoredInstrument::new(fragments, FRAGMENTS, &mut instruments);
        let boilerplate = Boilerplate::needed(&detector.needs(), &pages);
        let boilerplate = StoredInstrument::new(boilerplate, BOILERPLATE, &mut instruments);
        let costs = costs::needed(settings.budget);
        let costs = StoredInstrument::new(costs, COSTS, &mut instruments);
        weights::insert(&mut instruments, &needs, settings, &pages)?;
        let crawl = Crawl {
            instruments,
            admits: Box::new(move |address| admits.admits(address)),
            revisits_gone: true,
            follows: if settings.only_sitemaps { is_list } else { |_| true },
            recheck_share: Some(settings.recheck_share),
            seeds: seeds.iter().filter_map(|seed| pages.find(seed)).collect(),
            pages,
            links: loaded.links,
            cycles: loaded.cycles,
            ..Crawl::new(world, policy, repository, detector)
        };
        Ok(Self {
            crawl,
            admission,
            features,
            fragments,
            costs,
            boilerplate,
            impact,
            ranks: PageRank::default(),
            policy_name: spec.name().to_owned(),
            seed: settings.seed,
            lacks: Lacks::default(),
            clock: kept_clock,
        })
    }

    /// Opens the data folder on the real web. The first signal stops its work and sets the flag.
    pub(crate) fn open_real(settings: &Settings) -> Result<(Self, Arc<AtomicBool>), Failure> {
        let session = Self::open(settings, clock::clock())?;
        let stopper = session.crawl.world.stopper();
        let is_stopped = stop::on_signal(move || stopper.stop())?;
        Ok((session, is_stopped))
    }

    /// Writes events to standard output from now on, if `are_on`.
    pub(crate) fn set_events(&mut self, are_on: bool) {
        self.crawl.repository.1 = Events { are_on };
    }

    /// Spends a budget within the time limit, with a progress line.
    pub(crate) fn work_with_progress(
        &mut self,
        work: Work,
        limit: Option<Span>,
        quiet: bool,
    ) -> Result<Done, Failure> {
        let what = if matches!(work, Work::Follow(_)) { "crawling" } else { "refreshing" };
        let line = Rc::new(RefCell::new(Line::new(what, quiet)));
        let waiting = Rc::clone(&line);
        self.crawl.world.on_waiting(move |back_offs, waits| {
            // Who does not wait says so at the end.
            for back_off in back_offs.iter().filter(|_| waits) {
                waiting.borrow().say(&waiting_words(back_off));
            }
        });
        let saying = Rc::clone(&line);
        self.lacks.on_news(move |words| saying.borrow().say(words));
        let done = self.work(work, limit, &mut |_, tally| line.borrow_mut().show(tally));
        self.lacks.on_news(|_| ());
        self.crawl.world.on_waiting(|_, _| ());
        line.borrow().clear();
        done
    }

    /// Spends a budget within the time limit. `watch` sees every observation.
    pub(crate) fn work(
        &mut self,
        work: Work,
        limit: Option<Span>,
        watch: &mut dyn FnMut(&Observation, &Tally),
    ) -> Result<Done, Failure> {
        let stopper = self.crawl.world.stopper();
        let Crawl { repository, instruments, .. } = &mut self.crawl;
        let is_stopped = || stopper.is_stopped();
        if !self.features.prepare(repository.store(), instruments, &is_stopped)?
            || !self.fragments.prepare(repository.store(), instruments, &is_stopped)?
            || !self.costs.prepare(repository.store(), instruments, &is_stopped)?
            || !self.boilerplate.prepare(repository.store(), instruments, &is_stopped)?
        {
            return Ok(Done {
                tally: Tally::default(),
                took: Span::default(),
                robots_fetches: 0,
                received: 0,
                interrupted: true,
            });
        }
        if let Some(index) = repository.index() {
            self.impact.prepare(index, instruments)?;
        }
        let start = self.crawl.world.now();
        self.admission.set_time(start);
        let (kind, budget, interval) = match work {
            Work::Follow(budget) => ("crawl", budget.into(), None),
            Work::Cycle(budget, interval) => ("refresh", budget, interval),
        };
        let limit = match (limit, budget) {
            // The limit is for cycles that would go on for ever.
            (_, Allowance::Time(time)) => Some(time),
            (limit, _) => limit,
        };
        self.crawl.world.set_deadline(limit.map(|limit| start + limit));
        let limited = (budget != Budget::UNLIMITED.into()).then_some(budget);
        self.crawl.interval = interval;
        if matches!(work, Work::Cycle(..)) {
            self.say_lacks(start, budget)?;
        }
        self.crawl.cycles = self.crawl.repository.store_mut().begin_cycle(CycleStart {
            kind: kind.to_owned(),
            policy: self.policy_name.clone(),
            detector: self.crawl.detector.name().to_owned(),
            budget: limited,
            seed: self.seed,
            at: start,
        })?;
        info!(
            kind,
            budget = limited.map(tally::budget),
            policy = self.policy_name,
            "cycle started"
        );
        let events = self.crawl.repository.1;
        events.started(kind, start, limited, &self.policy_name)?;
        let robots_before = self.crawl.world.robots_fetches();
        let received_before = self.crawl.received;
        let mut tally = Tally::default();
        let mut watch = |seen: &Observation| {
            tally.add(seen);
            watch(seen, &tally);
        };
        let outcome = match work {
            Work::Follow(budget) => self.crawl.follow(budget, &mut watch).map(|_| ()),
            Work::Cycle(budget, _) => self.crawl.cycle(budget, &mut watch).map(|_| ()),
        };
        let interrupted = matches!(outcome, Err(crawl::Error::Interrupted));
        if interrupted {
            self.crawl.repository.commit()?;
        } else {
            outcome?;
        }
        self.store_boilerplate()?;
        self.rank()?;
        let Crawl { world, repository, pages, received, .. } = &mut self.crawl;
        let received = *received - received_before;
        // Sitemaps that a robots.txt names become known without a visit.
        repository.store_mut().add_pages(pages)?;
        let end = world.now();
        repository.store_mut().end_cycle(end, received)?;
        let took = end - start;
        let (visits, changed, ms) = (tally.made(), tally.changed, took.millis());
        info!(kind, visits, changed, ms, received, interrupted, "cycle finished");
        let robots_fetches = world.robots_fetches() - robots_before;
        let done = Done { tally, took, robots_fetches, received, interrupted };
        events.finished(kind, end, &done, self.held())?;
        Ok(done)
    }

    /// Says what the policy lacks, unless it was said before, and keeps it for `status`.
    fn say_lacks(&mut self, now: Time, allowance: Allowance) -> Result<(), Failure> {
        let Crawl { policy, pages, links, instruments, cycles, .. } = &self.crawl;
        let known =
            Known { allowance, cycle: *cycles, instruments, ..Known::new(now, pages, links) };
        if let Some(stored) = self.lacks.update(&self.policy_name, policy::lacks(&**policy, &known))
        {
            self.remember(lacks::KEY, &stored)?;
        }
        Ok(())
    }

    /// Calls `say` with what the policy lacks, at the start of the first cycle and whenever that changes.
    pub(crate) fn on_lacks(&mut self, say: impl Fn(&str) + 'static) {
        self.lacks.on_news(say);
    }

    /// Decides what is boilerplate after this cycle, so that searches know it before the next.
    fn store_boilerplate(&mut self) -> Result<(), Failure> {
        let Crawl { repository, instruments, .. } = &mut self.crawl;
        if let Some(boilerplate) = instruments.find_mut::<Boilerplate>()
            && boilerplate.update()
        {
            let (name, state) = (boilerplate.name(), boilerplate.state());
            repository.remember(Update::Instrument { name, state })?;
            repository.commit()?;
        }
        Ok(())
    }

    /// Updates the ranks in the index if links have changed.
    fn rank(&mut self) -> Result<(), Failure> {
        let Crawl { repository, pages, links, .. } = &mut self.crawl;
        let Some(index) = repository.index_mut() else { return Ok(()) };
        if self.ranks.update_warm(pages, links) {
            index.set_ranks(self.ranks.ranks())?;
        }
        Ok(())
    }

    /// Visits these pages in the next cycle, and no others.
    pub(crate) fn visit_only(&mut self, pages: Vec<PageNo>) {
        self.crawl.policy = Box::new(Listed(pages));
    }

    /// Checks that the clock is not before the last visit.
    pub(crate) fn check_clock(&self) -> Result<(), Failure> {
        clock::check(self.crawl.repository.0.store(), &self.clock)
    }

    /// Notes in the data folder that its clock is not the machine's.
    pub(crate) fn set_own_time(&mut self) -> Result<(), Failure> {
        Ok(self.crawl.repository.store_mut().set(super::OWN_TIME, "yes")?)
    }

    /// Stores a value in the data folder.
    pub(crate) fn remember(&mut self, key: &str, value: &str) -> Result<(), Failure> {
        Ok(self.crawl.repository.store_mut().set(key, value)?)
    }

    /// Notes when the next cycle starts, for whoever looks at the data folder.
    pub(crate) fn set_next_cycle(&mut self, at: Time) -> Result<(), Failure> {
        let millis = at.millis().to_string();
        Ok(self.crawl.repository.store_mut().set(super::activity::NEXT_CYCLE, &millis)?)
    }

    /// The name of the policy that chooses the visits.
    pub(crate) fn policy_name(&self) -> &str {
        &self.policy_name
    }

    /// The number of held pages.
    pub(crate) fn held(&self) -> u64 {
        self.crawl.pages.states().iter().filter(|&&state| state == State::Held).count() as u64
    }

    /// The hosts that must be left alone now and have pages that would be visited otherwise. `only_new`
    /// counts pages that were never held alone.
    pub(crate) fn awaited(&self, only_new: bool) -> Vec<BackOff> {
        let Crawl { world, pages, links, .. } = &self.crawl;
        let mut back_offs = world.back_offs();
        let next = world.now() + Span::from_millis(1);
        let known = Known { revisits_gone: true, ..Known::new(next, pages, links) };
        let is_wanted = |page: &PageNo| !only_new || known.pages.state(*page) == State::Linked;
        let hosts: BTreeSet<HostNo> =
            known.due().filter(is_wanted).map(|page| pages.host(page)).collect();
        back_offs.retain(|host| {
            pages.find_host(&host.host).is_some_and(|number| hosts.contains(&number))
        });
        back_offs
    }

    /// The held snapshot of a page, without its text.
    pub(crate) fn snapshot(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>, Failure> {
        Ok(self.crawl.repository.held(page)?)
    }

    /// The current time of its world.
    pub(crate) fn now(&self) -> Time {
        self.crawl.world.now()
    }
}

/// Opens the data folder for a crawl at the time of `clock`.
fn open_store(settings: &Settings, clock: &Clock) -> Result<Store, Failure> {
    let limits = &settings.web.limits;
    let options = store::Options {
        warc_file_bytes: settings.warc_bytes,
        body_limit: limits.body.max(limits.decompressed),
        ..store::Options::default()
    };
    let store = Store::open(&settings.data, options)?;
    repair::tell_set_aside(&store);
    clock::check(&store, clock)?;
    Ok(store)
}

/// Whether the data folder has a crawl.
pub(super) fn is_begun(settings: &Settings) -> bool {
    settings.data.join("sanderling.db").exists()
}

/// Refuses to start if site owners could not reach the user.
fn check_contact(web: &web::Settings, seeds: &[String]) -> Result<(), Failure> {
    web.check_contact(seeds.iter().map(String::as_str)).map_err(|error| {
        Failure::Input(format!(
            "{}: add --contact you@example.org, or contact = \"you@example.org\" to {}",
            with_causes(&error),
            crate::settings::FILE
        ))
    })
}

/// Whether a form lists URLs, or leads to one.
fn is_list(form: Form) -> bool {
    matches!(form, Form::Sitemap | Form::Feed | Form::Moved)
}

/// The seeds that a data folder remembers.
pub(super) fn stored_seeds(
    get: impl Fn(&str) -> Result<Option<String>, StoreError>,
) -> Result<Vec<String>, StoreError> {
    Ok(get(SEEDS)?.unwrap_or_default().lines().map(str::to_owned).collect())
}

/// The seeds and the scope of a crawl, from the settings and from what the data folder remembers.
pub(super) fn seeds_and_scope(
    get: impl Fn(&str) -> Result<Option<String>, StoreError>,
    settings: &Settings,
) -> Result<(Vec<String>, ScopeKind), Failure> {
    let mut seeds = stored_seeds(&get)?;
    let mut known: HashSet<String> = seeds.iter().cloned().collect();
    for seed in &settings.seeds {
        if known.insert(seed.clone()) {
            seeds.push(seed.clone());
        }
    }
    let before = get(SCOPE)?.and_then(|word| word.parse().ok());
    Ok((seeds, settings.scope.or(before).unwrap_or(ScopeKind::Host)))
}
