//! Searching.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use crawl::{Digest, PageNo, Time};
use store::View;
use tantivy::schema::Value;
use tantivy::{IndexReader, TantivyDocument};
use text::words::Language;

use crate::analysis::{self, Analysers};
use crate::best::{Best, Match, Matches};
use crate::matching::{Frequencies, Request, telling};
use crate::opened::{self, Row};
use crate::query::Query;
use crate::ranks::Ranks;
use crate::reflects::Reflects;
use crate::schema::{CHANGED, Fields, LANGUAGE};
use crate::snippet::Terms;
use crate::wanted::{self, Wanted};
use crate::{Ask, Found, Hit, IndexError, folder};

/// A search looks for new commits when the last look was so long ago.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// No hits are given beyond this: they would all have to be sorted, and nobody reads that far.
const MOST_OFFSET: usize = 10_000;
/// So many hits are given at once, at most.
const MOST_HITS: usize = 1_000;

/// Reads an index, beside whoever writes it. Cheap to share between threads.
pub struct Searcher {
    folder: PathBuf,
    index: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
    current: RwLock<Arc<Current>>,
    /// Lent to one search after the other.
    analysers: Mutex<Vec<Analysers>>,
    /// Held by the one search that looks for new commits, while others go on.
    looked: Mutex<Looked>,
}

/// The index as of one commit.
struct Current {
    searcher: tantivy::Searcher,
    reflects: Reflects,
    languages: Vec<Language>,
    ranks: Arc<Ranks>,
}

/// What was there at the last look.
struct Looked {
    at: Instant,
    meta: Digest,
    ranks: Option<SystemTime>,
}

impl Searcher {
    /// Opens the index of the data folder at `folder`, and checks that it is whole: that takes as long
    /// as reading it once.
    ///
    /// # Errors
    /// When there is none yet, it is damaged, or it is not of this repository; when the repository
    /// cannot be read.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let opened = opened::open(folder, &View::open(folder)?)?;
        let current = Current {
            searcher: opened.reader.searcher(),
            languages: opened.languages,
            reflects: opened.reflects,
            ranks: Arc::default(),
        };
        let searcher = Self {
            folder: folder.to_owned(),
            index: opened.index,
            reader: opened.reader,
            fields: opened.fields,
            current: RwLock::new(Arc::new(current)),
            analysers: Mutex::default(),
            // Nothing was looked at yet, so that ranks are read, and what was committed meanwhile.
            looked: Mutex::new(Looked { at: Instant::now(), meta: Digest::default(), ranks: None }),
        };
        searcher.reload()?;
        Ok(searcher)
    }

    /// Searches what was committed last; what was committed in the last half second may be missing.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn search(&self, ask: &Ask) -> Result<Found, IndexError> {
        self.look_sometimes();
        let current = self.current();
        let mut analysers = lock(&self.analysers).pop().unwrap_or_default();
        let found = self.search_in(&current, ask, &mut analysers);
        lock(&self.analysers).push(analysers);
        found.map_err(IndexError::engine("search", &self.folder))
    }

    /// The position of the log that the last commit reflects: everything up to it can be found.
    pub fn position(&self) -> u64 {
        self.look_sometimes();
        self.current().reflects.position
    }

    /// How many pages can be found.
    pub fn pages(&self) -> u64 {
        self.look_sometimes();
        self.current().searcher.num_docs()
    }

    /// Takes up what was committed last at once, where a search would look only now and then.
    ///
    /// # Errors
    /// When it cannot be read. Searches go on with what was there before.
    pub fn reload(&self) -> Result<(), IndexError> {
        self.look(&mut lock(&self.looked))
    }

    /// Every page that can be found, by number, with the digest of its title and text.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn digests(&self) -> Result<Vec<(PageNo, Digest)>, IndexError> {
        let rows = opened::rows(&self.current().searcher);
        let rows = rows.map_err(|why| IndexError::unusable(&self.folder, why))?;
        Ok(rows.into_iter().map(|Row { page, digest, .. }| (page, digest)).collect())
    }

    fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks for a new commit if the last look was a while ago and no other search does.
    fn look_sometimes(&self) {
        let mut looked = match self.looked.try_lock() {
            Ok(looked) => looked,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if looked.at.elapsed() >= LOOK_EVERY {
            // An index that is being thrown away and begun anew cannot be read for an instant.
            // What is open stays whole; it is looked at again soon.
            let _ = self.look(&mut looked);
        }
    }

    fn look(&self, looked: &mut Looked) -> Result<(), IndexError> {
        looked.at = Instant::now();
        let path = folder::meta(&self.folder);
        let meta = std::fs::read(&path).map_err(IndexError::file("read", &path))?;
        let meta = Digest::from_bytes(&meta);
        let ranks = folder::ranks(&self.folder);
        let ranks = std::fs::metadata(ranks).and_then(|about| about.modified()).ok();
        if meta == looked.meta && ranks == looked.ranks {
            return Ok(());
        }
        let mut current = self.current();
        if meta != looked.meta {
            // What it reflects is read before its segments are: these may be newer, never older.
            let reflects = self.reflects()?;
            let reload = || {
                self.reader.reload()?;
                let searcher = self.reader.searcher();
                let languages = opened::languages(&searcher, &self.fields)?;
                Ok((searcher, languages))
            };
            let (searcher, languages) =
                reload().map_err(IndexError::engine("read", &self.folder))?;
            let ranks = Arc::clone(&current.ranks);
            current = Arc::new(Current { searcher, reflects, languages, ranks });
        }
        if ranks != looked.ranks {
            let Current { searcher, reflects, languages, .. } = &*current;
            current = Arc::new(Current {
                searcher: searcher.clone(),
                reflects: reflects.clone(),
                languages: languages.clone(),
                ranks: Arc::new(Ranks::read(&self.folder).unwrap_or_default()),
            });
        }
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = current;
        (looked.meta, looked.ranks) = (meta, ranks);
        Ok(())
    }

    /// What the last commit reflects; an error where another program makes the index by now.
    fn reflects(&self) -> Result<Reflects, IndexError> {
        let metas = self.index.load_metas().map_err(IndexError::engine("read", &self.folder))?;
        let reflects = metas.payload.as_deref().and_then(Reflects::read);
        reflects.filter(Reflects::is_made_alike).ok_or_else(|| {
            IndexError::unusable(&self.folder, "it is being made by another version")
        })
    }

    fn search_in(
        &self,
        current: &Current,
        ask: &Ask,
        analysers: &mut Analysers,
    ) -> tantivy::Result<Found> {
        let position = current.reflects.position;
        let query = Query::read(&ask.query);
        if query.is_empty() {
            return Ok(Found { position, ..Found::default() });
        }
        let mut wanted = wanted::wanted(&query.wanted, &current.languages, analysers);
        let unwanted = wanted::wanted(&query.unwanted, &current.languages, analysers);
        let offset = ask.offset.min(MOST_OFFSET);
        let limit = ask.limit.min(MOST_HITS);
        let most = offset + limit;
        let mut relaxed = false;
        let request = Request { wanted: &wanted, unwanted: &unwanted, query: &query };
        let mut matches = self.matches(current, &request, most, relaxed)?;
        let apart: Vec<Wanted> = wanted.iter().flat_map(Wanted::apart).collect();
        if matches.total == 0 && apart.len() > 1 {
            let telling = telling(&current.searcher, &self.fields, &apart)?;
            let request = Request { wanted: &telling, ..request };
            matches = self.matches(current, &request, most, true)?;
            relaxed = matches.total > 0;
            wanted = apart;
        }
        let terms = Terms::of(&wanted);
        let shown = if ask.offset > MOST_OFFSET { &[] } else { &matches.best[..] };
        let hits = shown.iter().skip(offset);
        let hits: tantivy::Result<Vec<Hit>> =
            hits.map(|found| self.hit(current, found, &terms, analysers)).collect();
        Ok(Found { total: matches.total, hits: hits?, position, relaxed })
    }

    fn matches(
        &self,
        current: &Current,
        request: &Request<'_>,
        most: usize,
        relaxed: bool,
    ) -> tantivy::Result<Matches> {
        if request.wanted.is_empty() && request.query.sites.is_empty() {
            return Ok(Matches::default());
        }
        let matching = request.matching(&self.fields, relaxed)?;
        let searcher = &current.searcher;
        let frequencies = Frequencies::of(searcher, &self.fields, request.wanted)?;
        let best = Best { most, ranks: Arc::clone(&current.ranks) };
        searcher.search_with_statistics_provider(&matching, &best, &frequencies)
    }

    fn hit(
        &self,
        current: &Current,
        found: &Match,
        terms: &Terms,
        analysers: &mut Analysers,
    ) -> tantivy::Result<Hit> {
        let segment = current.searcher.segment_reader(found.place.segment_ord);
        let columns = segment.fast_fields();
        let document = found.place.doc_id;
        let changed = columns.i64(CHANGED)?.first(document).unwrap_or_default();
        let language = columns.u64(LANGUAGE)?.first(document).unwrap_or_default();
        let language = analysis::language_at(language);
        let stored: TantivyDocument = current.searcher.doc(found.place)?;
        let text = |field| stored.get_first(field).and_then(|value| value.as_str());
        let text = |field| text(field).unwrap_or_default();
        Ok(Hit {
            page: found.page,
            address: text(self.fields.shown_address).to_owned(),
            title: text(self.fields.shown_title).to_owned(),
            score: found.score,
            rank: current.ranks.rank(found.page),
            changed: Time::from_millis(changed),
            language,
            snippet: terms.snippet(text(self.fields.shown_text), language, analysers),
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher").field("folder", &self.folder).finish_non_exhaustive()
    }
}
