//! The repository of a live crawl.
mod instruments;

use std::path::Path;
use std::sync::Arc;

use crawl::{
    HostState, HostUpdate, Links, LogEntry, Observation, Outcome, PageNo, Pages, Repository,
    RobotsCopy, Snapshot, State, Time, Update, Validators,
};
use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashMap;

use crate::batch::{Batch, CycleMark, CycleStart, NewPage, QueuedVisit, exchange_bytes};
use crate::column;
use crate::folder::Folder;
use crate::load::{self, Loaded};
use crate::lock::Lock;
use crate::options::Options;
use crate::queue::Queue;
use crate::writer::Writer;
use crate::{StoreError, held, schema};

/// The repository in a data folder. One process at a time has it; [`View`](crate::View) looks at
/// it from others.
///
/// A thread of its own writes in batches what is appended: [`acknowledged`](Self::acknowledged)
/// says how far, [`commit`](Repository::commit) waits for all of it. Dropping the store writes what
/// is left, but cannot tell of a failure.
pub struct Store {
    folder: Folder,
    options: Options,
    /// For reading beside the thread that writes.
    reader: Connection,
    queue: Queue,
    next: u64,
    /// How many pages, hosts and lists of links have been handed to the queue.
    pages: u32,
    hosts: u32,
    lists: u32,
    cycles: u32,
    cycle: Option<u32>,
    /// What the reader cannot see yet.
    fresh: FxHashMap<PageNo, Fresh>,
    _lock: Lock,
}

/// What a visit changed that may not be on the disk yet.
struct Fresh {
    /// The number of the visit.
    no: u64,
    held: Held,
    validators: Option<Validators>,
}

enum Held {
    AsBefore,
    Now(Arc<Snapshot>),
    NoLonger,
}

impl Store {
    /// Opens the data folder at `folder`, which is made where there is none, and clears away
    /// what a writer left that was stopped in the middle.
    ///
    /// # Errors
    /// When the folder is used for something else or by another process, was written by a later
    /// version, or is damaged; then nothing in it is changed. When the disk refuses.
    pub fn open(folder: &Path, options: Options) -> Result<Self, StoreError> {
        let folder = Folder::new(folder);
        let root = folder.root();
        if !folder.has_database() {
            folder.check_is_free()?;
        }
        std::fs::create_dir_all(root).map_err(|e| StoreError::file("make", root, e))?;
        let lock = Lock::take(root, &folder.lock())?;
        if schema::is_unwritten(&folder.database())? {
            folder.check_is_free()?;
        }
        let writer = Writer::open(&folder, &options)?;
        let path = folder.database();
        let reader = schema::open_to_read(&path)?;
        let count = |select: &str| {
            let counted = reader.query_row(select, (), |row| row.get::<_, i64>(0));
            counted.map_err(|e| StoreError::sql("read", &path, e))
        };
        let acknowledged = count("SELECT coalesce(max(no), 0) FROM observation")? as u64;
        let pages = count("SELECT coalesce(max(no), -1) + 1 FROM page")? as u32;
        let hosts = count("SELECT coalesce(max(no), -1) + 1 FROM host")? as u32;
        let lists = count("SELECT coalesce(max(no), -1) + 1 FROM link_list")? as u32;
        let cycles = count("SELECT coalesce(max(no), -1) + 1 FROM cycle")? as u32;
        let queue = Queue::new(writer, &options, acknowledged)
            .map_err(|e| StoreError::file("start writing to", root, e))?;
        Ok(Self {
            folder,
            options,
            reader,
            queue,
            next: acknowledged + 1,
            pages,
            hosts,
            lists,
            cycles,
            cycle: None,
            fresh: FxHashMap::default(),
            _lock: lock,
        })
    }

    /// Everything known of pages and links.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
    pub fn load(&self) -> Result<Loaded, StoreError> {
        self.queue.flush(false)?;
        load::load(&self.reader, &self.folder)
    }

    /// The last copy of every robots.txt, by origin.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
    pub fn robots(&self) -> Result<Vec<RobotsCopy>, StoreError> {
        self.queue.flush(false)?;
        load::robots(&self.reader, &self.folder)
    }

    /// How every host is to be treated, by name.
    ///
    /// # Errors
    /// When the store cannot be read, or is damaged.
    pub fn host_states(&self) -> Result<Vec<HostState>, StoreError> {
        self.queue.flush(false)?;
        load::host_states(&self.reader, &self.folder)
    }

    /// A value that was set before.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        load::get(&self.reader, &self.folder, key)
    }

    /// Sets a value, which lasts when this returns. Keys are the caller's, but for `identity`.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.queue.add(|batch| batch.meta.push((key.to_owned(), value.to_owned())))?;
        self.queue.flush(false)
    }

    /// Makes pages last that became known without a visit, such as seeds.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn know(&mut self, pages: &Pages) -> Result<(), StoreError> {
        let found = self.found(pages, None);
        self.queue.add(|batch| found.add_to(batch))
    }

    /// Begins a cycle: the visits appended from now on are its own. Returns its number, which counts
    /// cycles from 0, those included that were interrupted.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn begin_cycle(&mut self, start: CycleStart) -> Result<u32, StoreError> {
        let (no, first) = (self.cycles, self.next);
        self.queue.add(|batch| batch.cycle = Some(CycleMark::Begins { no, first, start }))?;
        self.queue.flush(false)?;
        (self.cycles, self.cycle) = (no + 1, Some(no));
        Ok(no)
    }

    /// Ends the cycle that was begun, and brings the indexes of the archive up to date.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn end_cycle(&mut self, at: Time) -> Result<(), StoreError> {
        if let Some(no) = self.cycle.take() {
            self.queue.add(|batch| batch.cycle = Some(CycleMark::Ends { no, at }))?;
        }
        self.queue.flush(true)
    }

    /// The number of the last observation that lasts, whatever happens; observations are numbered
    /// from 1.
    pub fn acknowledged(&self) -> u64 {
        self.queue.acknowledged()
    }

    /// Makes everything durable and closes the data folder.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn finish(self) -> Result<(), StoreError> {
        self.queue.flush(true)
    }

    /// What is new in `pages` and `links` since the last time.
    fn found(&mut self, pages: &Pages, links: Option<&Links>) -> Found {
        let mut found = Found::default();
        for row in self.pages..pages.len() as u32 {
            let page = PageNo(row);
            let address = pages.address(page).to_owned();
            found.bytes += address.len() + size_of::<NewPage>();
            let (host, record) = (pages.host(page).0, pages.record(page));
            found.pages.push(NewPage { page, address, host, record });
        }
        self.pages = self.pages.max(pages.len() as u32);
        for host in self.hosts..pages.host_count() as u32 {
            found.hosts.push((host, pages.host_name(crawl::HostNo(host)).to_owned()));
        }
        self.hosts = self.hosts.max(pages.host_count() as u32);
        for (digest, list) in links.into_iter().flat_map(|links| links.lists_from(self.lists)) {
            let no = self.lists + found.lists.len() as u32;
            let packed = column::pack_pages(list);
            found.bytes += packed.len() + 32;
            found.lists.push((no, digest, packed));
        }
        self.lists += found.lists.len() as u32;
        found
    }

    fn append_visit(&mut self, entry: LogEntry<'_>) -> Result<(), StoreError> {
        let LogEntry { seen, new, states, exchange, pages, links } = entry;
        let (no, page) = (self.next, seen.page);
        let is_gone = seen.outcome == Outcome::Gone;
        let given = exchange.as_deref().map(|exchange| (exchange.status, &exchange.validators));
        let validators = match given {
            _ if is_gone => None,
            Some((_, validators)) if new.is_some() => Some(validators.clone()),
            Some((304, validators)) if seen.outcome == Outcome::Same => {
                self.renewed(page, validators)?
            }
            _ => None,
        };
        let held = match new {
            _ if is_gone => Held::NoLonger,
            Some(new) => Held::Now(Arc::clone(new)),
            None => Held::AsBefore,
        };
        let may_be_back =
            |page: &PageNo| pages.state(*page) == State::Linked && pages.misses(*page) > 0;
        let found = self.found(pages, Some(links));
        let visit = QueuedVisit {
            no,
            seen: seen.clone(),
            record: pages.record(page),
            list: links.list_of(page),
            back: seen.leads.iter().copied().filter(may_be_back).collect(),
            new: new.cloned(),
            states: states.encoded().collect(),
            validators: validators.clone(),
            exchange,
        };
        self.queue.add(|batch| {
            found.add_to(batch);
            batch.bytes += visit.exchange.as_deref().map_or(0, exchange_bytes)
                + visit.states.iter().map(|(_, state)| state.len()).sum::<usize>()
                + (visit.seen.leads.len() + 4 * visit.seen.signals.len()) * 4
                + 2_048;
            batch.visits.push(visit);
        })?;
        self.next += 1;
        self.freshen(page, no, held, validators);
        Ok(())
    }

    /// What to ask a page by from now on, where a "not modified" changes that.
    fn renewed(&self, page: PageNo, given: &Validators) -> Result<Option<Validators>, StoreError> {
        let present = self.validators_of(page)?.unwrap_or_default();
        let renewed = Validators {
            entity_tag: given.entity_tag.clone().or_else(|| present.entity_tag.clone()),
            last_modified: given.last_modified.clone().or_else(|| present.last_modified.clone()),
        };
        Ok((renewed != present).then_some(renewed))
    }

    fn freshen(&mut self, page: PageNo, no: u64, held: Held, validators: Option<Validators>) {
        if self.fresh.len() > 2 * self.options.batch_visits {
            let acknowledged = self.acknowledged();
            self.fresh.retain(|_, fresh| fresh.no > acknowledged);
        }
        match held {
            Held::AsBefore if validators.is_none() => {}
            Held::AsBefore => {
                let fresh = self.fresh.entry(page);
                let fresh = fresh.or_insert(Fresh { no, held, validators: None });
                (fresh.no, fresh.validators) = (no, validators);
            }
            held => {
                self.fresh.insert(page, Fresh { no, held, validators });
            }
        }
    }

    fn validators_of(&self, page: PageNo) -> Result<Option<Validators>, StoreError> {
        if let Some(fresh) = self.fresh.get(&page) {
            match (&fresh.held, &fresh.validators) {
                (_, Some(validators)) => return Ok(Some(validators.clone())),
                (Held::AsBefore, None) => {}
                (Held::Now(_) | Held::NoLonger, None) => return Ok(None),
            }
        }
        held::validators(&self.reader, page)
            .optional()
            .map_err(|e| StoreError::sql("read", &self.folder.database(), e))
    }

    fn held_of(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>, StoreError> {
        match self.fresh.get(&page).map(|fresh| &fresh.held) {
            Some(Held::Now(snapshot)) => return Ok(Some(Arc::clone(snapshot))),
            Some(Held::NoLonger) => return Ok(None),
            Some(Held::AsBefore) | None => {}
        }
        let limit = self.options.with_content.then_some(self.options.body_limit);
        Ok(held::snapshot(&self.reader, &self.folder, page, limit)?.map(Arc::new))
    }
}

impl Repository for Store {
    fn held(&self, page: PageNo) -> crawl::Result<Option<Arc<Snapshot>>> {
        Ok(self.held_of(page)?)
    }

    fn validators(&self, page: PageNo) -> crawl::Result<Option<Validators>> {
        Ok(self.validators_of(page)?.filter(|validators| !validators.is_empty()))
    }

    fn append(&mut self, entry: LogEntry<'_>) -> crawl::Result<()> {
        Ok(self.append_visit(entry)?)
    }

    fn remember(&mut self, update: Update) -> crawl::Result<()> {
        match update {
            Update::Instrument { name, state } => {
                self.queue.add(|batch| batch.states.push((name, state)))?;
            }
            Update::Host(HostUpdate::Robots(copy)) => {
                self.queue.add(|batch| {
                    batch.bytes += copy.exchanges.iter().map(exchange_bytes).sum::<usize>() + 256;
                    batch.robots.push(copy);
                })?;
                // It may ask for a long delay, which whoever starts next must keep, too.
                self.queue.flush_soon();
            }
            Update::Host(HostUpdate::State(state)) => {
                let backs_off = state.back_off_until.is_some();
                self.queue.add(|batch| {
                    batch.host_states.insert(state.host.clone(), state);
                })?;
                if backs_off {
                    // Whoever starts next must leave the host alone, too.
                    self.queue.flush_soon();
                }
            }
        }
        Ok(())
    }

    fn replay(&self, each: &mut dyn FnMut(&Observation)) -> crawl::Result<()> {
        self.queue.flush(false)?;
        Ok(load::replay(&self.reader, &self.folder, each)?)
    }

    fn commit(&mut self) -> crawl::Result<()> {
        self.queue.flush(true)?;
        self.fresh.clear();
        Ok(())
    }
}

/// What became known since the last visit.
#[derive(Default)]
struct Found {
    pages: Vec<NewPage>,
    hosts: Vec<(u32, String)>,
    lists: Vec<(u32, u64, Vec<u8>)>,
    bytes: usize,
}

impl Found {
    fn add_to(self, batch: &mut Batch) {
        batch.pages.extend(self.pages);
        batch.hosts.extend(self.hosts);
        batch.lists.extend(self.lists);
        batch.bytes += self.bytes;
    }
}
