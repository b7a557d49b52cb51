//! The repository of a live crawl.
mod instruments;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crawl::{
    HostState, HostUpdate, Links, LogEntry, Observation, Outcome, PageNo, Pages, Repository,
    RobotsCopy, Snapshot, State, Time, Update, Validators,
};
use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashMap;
use tracing::info;

use crate::batch::{Batch, CycleEvent, CycleStart, NewPage, QueuedVisit, exchange_bytes};
use crate::column;
use crate::folder::Folder;
use crate::load::{self, Loaded};
use crate::lock::Lock;
use crate::options::Options;
use crate::queue::Queue;
use crate::writer::Writer;
use crate::{StoreError, held, private, schema};
use warc::SetAside;

/// A data folder, open for writing. One process writes at a time; [`View`](crate::View)s read.
///
/// A thread writes appended visits in batches. [`acknowledged`](Self::acknowledged) returns the
/// last durable one, and [`commit`](Repository::commit) waits for all. Dropping the store writes
/// the rest but cannot report errors.
pub struct Store {
    folder: Folder,
    options: Options,
    /// For reading beside the writer thread. Closed before it, which then leaves one file.
    reader: Connection,
    queue: Queue,
    next: u64,
    /// Number of pages, hosts and link lists passed to the queue.
    pages: u32,
    hosts: u32,
    lists: u32,
    cycles: u32,
    cycle: Option<u32>,
    /// Changes that `reader` may not see yet.
    pending: FxHashMap<PageNo, PendingPage>,
    set_aside: Vec<SetAside>,
    _lock: Lock,
}

/// Unwritten changes of a page.
struct PendingPage {
    /// Number of the observation.
    no: u64,
    held: HeldChange,
    validators: Option<Validators>,
}

enum HeldChange {
    Unchanged,
    Replaced(Arc<Snapshot>),
    Removed,
}

impl Store {
    /// Opens the data folder `folder`, creates it if it is missing, and recovers from an
    /// interrupted write.
    ///
    /// # Errors
    /// If the folder holds other files, is locked, damaged or of a later version; then it is not
    /// changed. On I/O errors.
    pub fn open(folder: &Path, mut options: Options) -> Result<Self, StoreError> {
        let start = Instant::now();
        let folder = Folder::new(folder);
        let root = folder.root();
        if !folder.has_database() {
            folder.check_is_free()?;
        }
        private::create_folder(root).map_err(|e| StoreError::file("create", root, e))?;
        let lock = Lock::take(root, &folder.lock())?;
        if schema::is_unwritten(&folder.database())? {
            folder.check_is_free()?;
        }
        let writer = Writer::open(&folder, &mut options)?;
        let set_aside = writer.set_aside().to_vec();
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
            .map_err(|e| StoreError::file("start the writer of", root, e))?;
        let ms = start.elapsed().as_millis();
        info!(folder = %root.display(), pages, observations = acknowledged, ms, "data folder opened");
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
            pending: FxHashMap::default(),
            set_aside,
            _lock: lock,
        })
    }

    /// What was after the end of the log in the archive and is kept in the folder `set-aside`, because it
    /// has whole records.
    pub fn set_aside(&self) -> &[SetAside] {
        &self.set_aside
    }

    /// Loads pages and links.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn load(&self) -> Result<Loaded, StoreError> {
        self.queue.flush(false)?;
        load::load(&self.reader, &self.folder)
    }

    /// The last copy of each robots.txt, by origin.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn robots(&self) -> Result<Vec<RobotsCopy>, StoreError> {
        self.queue.flush(false)?;
        load::robots(&self.reader, &self.folder)
    }

    /// Politeness state of each host, by name.
    ///
    /// # Errors
    /// If the database cannot be read or is damaged.
    pub fn host_states(&self) -> Result<Vec<HostState>, StoreError> {
        self.queue.flush(false)?;
        load::host_states(&self.reader, &self.folder)
    }

    /// Value of a key, if it was set.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        load::get(&self.reader, &self.folder, key)
    }

    /// The latest instant that the log knows; `None` if it is empty.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn last_instant(&self) -> Result<Option<Time>, StoreError> {
        self.queue.flush(false)?;
        load::last_instant(&self.reader, &self.folder)
    }

    /// Sets a value. It is durable when this returns. Any key but `identity` is free.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.queue.add(|batch| batch.meta.push((key.to_owned(), value.to_owned())))?;
        self.queue.flush(false)
    }

    /// Adds pages that were not discovered by a visit, such as seeds.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn add_pages(&mut self, pages: &Pages) -> Result<(), StoreError> {
        let new = self.take_new_rows(pages, None);
        self.queue.add(|batch| new.add_to(batch))
    }

    /// Begins a cycle. Visits appended from now on belong to it. Returns its number, counted from 0
    /// and including interrupted cycles.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn begin_cycle(&mut self, start: CycleStart) -> Result<u32, StoreError> {
        let (no, first) = (self.cycles, self.next);
        self.queue.add(|batch| batch.cycle = Some(CycleEvent::Start { no, first, start }))?;
        self.queue.flush(false)?;
        (self.cycles, self.cycle) = (no + 1, Some(no));
        Ok(no)
    }

    /// Ends the current cycle, in which `received` bytes came, and updates the CDXJ indexes.
    ///
    /// # Errors
    /// If the data folder cannot be written.
    pub fn end_cycle(&mut self, at: Time, received: u64) -> Result<(), StoreError> {
        if let Some(no) = self.cycle.take() {
            self.queue.add(|batch| batch.cycle = Some(CycleEvent::End { no, at, received }))?;
        }
        self.queue.flush(true)
    }

    /// Number of the last durable observation; observations are numbered from 1.
    pub fn acknowledged(&self) -> u64 {
        self.queue.acknowledged()
    }

    /// Flushes everything and closes the data folder. The database is then one file, unless another
    /// process reads it.
    ///
    /// # Errors
    /// If the data folder cannot be written.
    pub fn finish(self) -> Result<(), StoreError> {
        self.queue.flush(true)
    }

    /// Rows for the pages, hosts and link lists added since the last call.
    fn take_new_rows(&mut self, pages: &Pages, links: Option<&Links>) -> NewRows {
        let mut new = NewRows::default();
        for row in self.pages..pages.len() as u32 {
            let page = PageNo(row);
            let address = pages.address(page).to_owned();
            new.bytes += address.len() + size_of::<NewPage>();
            let (host, record) = (pages.host(page).0, pages.record(page));
            new.pages.push(NewPage { page, address, host, record });
        }
        self.pages = self.pages.max(pages.len() as u32);
        for host in self.hosts..pages.host_count() as u32 {
            new.hosts.push((host, pages.host_name(crawl::HostNo(host)).to_owned()));
        }
        self.hosts = self.hosts.max(pages.host_count() as u32);
        for (digest, list) in links.into_iter().flat_map(|links| links.lists_from(self.lists)) {
            let no = self.lists + new.lists.len() as u32;
            let packed = column::pack_pages(list);
            new.bytes += packed.len() + 32;
            new.lists.push((no, digest, packed));
        }
        self.lists += new.lists.len() as u32;
        new
    }

    fn append_visit(&mut self, entry: LogEntry<'_>) -> Result<(), StoreError> {
        let LogEntry { seen, new, states, exchange, pages, links } = entry;
        let (no, page) = (self.next, seen.page);
        let is_gone = seen.outcome == Outcome::Gone;
        let received = exchange.as_deref().map(|exchange| (exchange.status, &exchange.validators));
        let validators = match received {
            _ if is_gone => None,
            Some((_, validators)) if new.is_some() => Some(validators.clone()),
            Some((304, validators)) if seen.outcome == Outcome::Same => {
                self.updated_validators(page, validators)?
            }
            _ => None,
        };
        let held = match new {
            _ if is_gone => HeldChange::Removed,
            Some(new) => HeldChange::Replaced(Arc::clone(new)),
            None => HeldChange::Unchanged,
        };
        let may_be_relinked =
            |page: &PageNo| pages.state(*page) == State::Linked && pages.misses(*page) > 0;
        let new_rows = self.take_new_rows(pages, Some(links));
        let visit = QueuedVisit {
            no,
            seen: seen.clone(),
            record: pages.record(page),
            list: links.list_of(page),
            relinked: seen.leads.iter().copied().filter(may_be_relinked).collect(),
            new: new.cloned(),
            states: states.encoded().collect(),
            validators: validators.clone(),
            exchange,
        };
        self.queue.add(|batch| {
            new_rows.add_to(batch);
            batch.bytes += visit.exchange.as_deref().map_or(0, exchange_bytes)
                + visit.states.iter().map(|(_, state)| state.len()).sum::<usize>()
                + (visit.seen.leads.len() + 4 * visit.seen.signals.len()) * 4
                + 2_048;
            batch.visits.push(visit);
        })?;
        self.next += 1;
        self.add_pending(page, no, held, validators);
        Ok(())
    }

    /// Validators after a 304, if it changed them.
    fn updated_validators(
        &self,
        page: PageNo,
        received: &Validators,
    ) -> Result<Option<Validators>, StoreError> {
        let present = self.stored_validators(page)?.unwrap_or_default();
        let updated = Validators {
            entity_tag: received.entity_tag.clone().or_else(|| present.entity_tag.clone()),
            last_modified: received.last_modified.clone().or_else(|| present.last_modified.clone()),
        };
        Ok((updated != present).then_some(updated))
    }

    fn add_pending(
        &mut self,
        page: PageNo,
        no: u64,
        held: HeldChange,
        validators: Option<Validators>,
    ) {
        if self.pending.len() > 2 * self.options.batch_visits {
            let acknowledged = self.acknowledged();
            self.pending.retain(|_, page| page.no > acknowledged);
        }
        match held {
            HeldChange::Unchanged if validators.is_none() => {}
            HeldChange::Unchanged => {
                let entry = self.pending.entry(page);
                let pending = entry.or_insert(PendingPage { no, held, validators: None });
                (pending.no, pending.validators) = (no, validators);
            }
            held => {
                self.pending.insert(page, PendingPage { no, held, validators });
            }
        }
    }

    fn stored_validators(&self, page: PageNo) -> Result<Option<Validators>, StoreError> {
        if let Some(pending) = self.pending.get(&page) {
            match (&pending.held, &pending.validators) {
                (_, Some(validators)) => return Ok(Some(validators.clone())),
                (HeldChange::Unchanged, None) => {}
                (HeldChange::Replaced(_) | HeldChange::Removed, None) => return Ok(None),
            }
        }
        held::validators(&self.reader, page)
            .optional()
            .map_err(|e| StoreError::sql("read", &self.folder.database(), e))
    }

    /// The held snapshot; with a body limit it is read back from the archive, with its content.
    fn held_snapshot(
        &self,
        page: PageNo,
        limit: Option<usize>,
    ) -> Result<Option<Arc<Snapshot>>, StoreError> {
        match self.pending.get(&page).map(|pending| &pending.held) {
            Some(HeldChange::Replaced(snapshot)) => return Ok(Some(Arc::clone(snapshot))),
            Some(HeldChange::Removed) => return Ok(None),
            Some(HeldChange::Unchanged) | None => {}
        }
        Ok(held::snapshot(&self.reader, &self.folder, page, limit)?.map(Arc::new))
    }
}

impl Repository for Store {
    fn held(&self, page: PageNo) -> crawl::Result<Option<Arc<Snapshot>>> {
        Ok(self.held_snapshot(page, None)?)
    }

    fn read_held(&self, page: PageNo) -> crawl::Result<Option<Arc<Snapshot>>> {
        Ok(self.held_snapshot(page, Some(self.options.body_limit))?)
    }

    fn validators(&self, page: PageNo) -> crawl::Result<Option<Validators>> {
        Ok(self.stored_validators(page)?.filter(|validators| !validators.is_empty()))
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
                // The next process must respect its crawl delay.
                self.queue.flush_soon();
            }
            Update::Host(HostUpdate::State(state)) => {
                let backs_off = state.back_off_until.is_some();
                self.queue.add(|batch| {
                    batch.host_states.insert(state.host.clone(), state);
                })?;
                if backs_off {
                    // The next process must respect the back-off.
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
        self.pending.clear();
        Ok(())
    }
}

/// Rows that a batch adds besides visits.
#[derive(Default)]
struct NewRows {
    pages: Vec<NewPage>,
    hosts: Vec<(u32, String)>,
    lists: Vec<(u32, u64, Vec<u8>)>,
    bytes: usize,
}

impl NewRows {
    fn add_to(self, batch: &mut Batch) {
        batch.pages.extend(self.pages);
        batch.hosts.extend(self.hosts);
        batch.lists.extend(self.lists);
        batch.bytes += self.bytes;
    }
}
