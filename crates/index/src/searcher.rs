//! Search.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use crawl::{Digest, PageNo, Time};
use extract::detect::main_text::{self, Boilerplate};
use store::View;
use tantivy::schema::Value;
use tantivy::{IndexReader, TantivyDocument};
use text::words::Language;

use crate::analysis::{self, Analysers};
use crate::collector::{Match, Matches, TopPages};
use crate::commit_payload::CommitPayload;
use crate::copies::Copies;
use crate::main_text::StoredPage;
use crate::open::{self, Row};
use crate::query::ParsedQuery;
use crate::query_terms::{self, QueryTerm};
use crate::ranks::Ranks;
use crate::schema::{CHANGED, Fields, LANGUAGE};
use crate::snippet::Highlighter;
use crate::tantivy_query::{DocumentFrequencies, SearchTerms, selective_terms};
use crate::{Hit, IndexError, SearchRequest, SearchResults, folder, similar_words};

/// Minimum time between two checks for new commits.
const RELOAD_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum offset. All hits before it must be sorted.
const MAX_OFFSET: usize = 10_000;
/// Maximum number of hits per request.
const MAX_HITS: usize = 1_000;
/// So many of the best matches are ordered anew by whether they match in main text. Each is read for
/// that, so it costs about as much as showing them.
const REORDERED: usize = 30;

/// Searches an index, also while another process writes it. Share it between threads.
pub struct Searcher {
    folder: PathBuf,
    index: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
    current: RwLock<Arc<Current>>,
    /// Pool, because each search needs one exclusively.
    analysers: Mutex<Vec<Analysers>>,
    /// Locked by the search that checks for new commits. Others do not wait.
    last_reload: Mutex<LastReload>,
}

/// The index as of one commit.
struct Current {
    searcher: tantivy::Searcher,
    payload: CommitPayload,
    languages: Vec<Language>,
    ranks: Arc<Ranks>,
    boilerplate: Arc<Boilerplate>,
    copies: Arc<Copies>,
}

/// What the last reload found.
struct LastReload {
    at: Instant,
    meta: Digest,
    ranks: Option<SystemTime>,
}

impl Searcher {
    /// Opens the index of the data folder `folder` and verifies its checksums, which takes as long
    /// as reading it once.
    ///
    /// # Errors
    /// If the index is missing, damaged or of another repository, or the repository cannot be read.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let opened = open::open(folder, &View::open(folder)?)?;
        let current = Current {
            searcher: opened.reader.searcher(),
            languages: opened.languages,
            payload: opened.payload,
            ranks: Arc::default(),
            boilerplate: Arc::default(),
            copies: Arc::default(),
        };
        let searcher = Self {
            folder: folder.to_owned(),
            index: opened.index,
            reader: opened.reader,
            fields: opened.fields,
            current: RwLock::new(Arc::new(current)),
            analysers: Mutex::default(),
            // No digest yet, so that the first reload reads ranks, boilerplate and newer commits.
            last_reload: Mutex::new(LastReload {
                at: Instant::now(),
                meta: Digest::default(),
                ranks: None,
            }),
        };
        searcher.reload()?;
        Ok(searcher)
    }

    /// Searches the last commit. Commits of the last half second may be missing.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResults, IndexError> {
        self.reload_if_due();
        let current = self.current();
        let mut analysers = lock(&self.analysers).pop().unwrap_or_default();
        let results = self.search_in(&current, request, &mut analysers);
        lock(&self.analysers).push(analysers);
        results.map_err(IndexError::engine("search", &self.folder))
    }

    /// Log position of the last commit: all observations up to it are indexed.
    pub fn position(&self) -> u64 {
        self.reload_if_due();
        self.current().payload.position
    }

    /// Number of indexed pages.
    pub fn pages(&self) -> u64 {
        self.reload_if_due();
        self.current().searcher.num_docs()
    }

    /// Loads the last commit now.
    ///
    /// # Errors
    /// If it cannot be read. Searches continue with the previous commit.
    pub fn reload(&self) -> Result<(), IndexError> {
        self.reload_if_changed(&mut lock(&self.last_reload))
    }

    /// Every indexed page, by number, with the digest of its title and text.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn digests(&self) -> Result<Vec<(PageNo, Digest)>, IndexError> {
        let rows = open::rows(&self.current().searcher);
        let rows = rows.map_err(|why| IndexError::unusable(&self.folder, why))?;
        Ok(rows.into_iter().map(|Row { page, digest, .. }| (page, digest)).collect())
    }

    fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Checks for a new commit if the last check is old enough and no other search does it.
    fn reload_if_due(&self) {
        let mut last = match self.last_reload.try_lock() {
            Ok(last) => last,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if last.at.elapsed() >= RELOAD_INTERVAL {
            // Fails while the index is being replaced. The open commit stays valid, and the next
            // check is soon.
            let _ = self.reload_if_changed(&mut last);
        }
    }

    fn reload_if_changed(&self, last: &mut LastReload) -> Result<(), IndexError> {
        last.at = Instant::now();
        let path = folder::meta(&self.folder);
        let meta = std::fs::read(&path).map_err(IndexError::file("read", &path))?;
        let meta = Digest::from_bytes(&meta);
        let ranks = folder::ranks(&self.folder);
        let ranks = std::fs::metadata(ranks).and_then(|about| about.modified()).ok();
        if meta == last.meta && ranks == last.ranks {
            return Ok(());
        }
        let mut current = self.current();
        if meta != last.meta {
            // Before the segments, so that the position is never ahead of them.
            let payload = self.read_payload()?;
            let reload = || {
                self.reader.reload()?;
                let searcher = self.reader.searcher();
                let languages = open::languages(&searcher, &self.fields)?;
                let copies = Arc::new(Copies::read(&searcher)?);
                Ok((searcher, languages, copies))
            };
            let (searcher, languages, copies) =
                reload().map_err(IndexError::engine("read", &self.folder))?;
            let Current { ranks, boilerplate, .. } = &*current;
            let (ranks, boilerplate) = (Arc::clone(ranks), Arc::clone(boilerplate));
            current =
                Arc::new(Current { searcher, payload, languages, ranks, boilerplate, copies });
        }
        let new_ranks =
            (ranks != last.ranks).then(|| Ranks::read(&self.folder).unwrap_or_default());
        let Current { searcher, payload, languages, ranks: old_ranks, copies, .. } = &*current;
        current = Arc::new(Current {
            searcher: searcher.clone(),
            payload: payload.clone(),
            languages: languages.clone(),
            ranks: new_ranks.map_or_else(|| Arc::clone(old_ranks), Arc::new),
            // It is stored at the end of a cycle, as ranks are.
            boilerplate: Arc::new(self.read_boilerplate()?),
            copies: Arc::clone(copies),
        });
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = current;
        (last.meta, last.ranks) = (meta, ranks);
        Ok(())
    }

    /// The boilerplate of every host, as the last cycle left it; none if no detector needs it.
    fn read_boilerplate(&self) -> Result<Boilerplate, IndexError> {
        let state = View::open(&self.folder)?.instrument_state(main_text::NAME)?;
        Ok(state.map_or_else(Boilerplate::default, |state| Boilerplate::from_state(&state)))
    }

    /// Payload of the last commit. Fails if another version writes the index now.
    fn read_payload(&self) -> Result<CommitPayload, IndexError> {
        let metas = self.index.load_metas().map_err(IndexError::engine("read", &self.folder))?;
        let payload = metas.payload.as_deref().and_then(CommitPayload::decode);
        payload
            .filter(CommitPayload::has_current_format)
            .ok_or_else(|| IndexError::unusable(&self.folder, "another version is writing it"))
    }

    fn search_in(
        &self,
        current: &Current,
        request: &SearchRequest,
        analysers: &mut Analysers,
    ) -> tantivy::Result<SearchResults> {
        let position = current.payload.position;
        let mut query = ParsedQuery::parse(&request.query);
        query.filter.restrict(&request.filter);
        if query.is_empty() {
            return Ok(SearchResults { position, ..SearchResults::default() });
        }
        let mut required = query_terms::query_terms(&query.required, &current.languages, analysers);
        let excluded = query_terms::query_terms(&query.excluded, &current.languages, analysers);
        let offset = request.offset.min(MAX_OFFSET);
        let limit = request.limit.min(MAX_HITS);
        let wanted = offset + limit;
        // A search for nothing is a count.
        let reorders = !current.boilerplate.is_empty() && wanted > 0 && !query.filter.by_date;
        let read = if reorders { wanted.max(REORDERED) } else { wanted };
        let (mut relaxed, mut corrected) = (false, vec![]);
        let terms = SearchTerms { required: &required, excluded: &excluded, query: &query };
        let mut matches = self.matches(current, &terms, read, relaxed)?;
        if matches.total == 0 && required.iter().any(|term| term.forms.len() > 1) {
            // Without a match in the own language of a page, the stem of another is better than none.
            let any: Vec<_> = required.iter().map(QueryTerm::in_any_language).collect();
            let terms = SearchTerms { required: &any, ..terms };
            matches = self.matches(current, &terms, read, false)?;
        }
        if matches.total == 0
            && let Some((similar, words)) = similar_words::corrected(
                &current.searcher,
                &self.fields,
                &required,
                &request.query,
            )?
        {
            let terms = SearchTerms { required: &similar, ..terms };
            matches = self.matches(current, &terms, read, false)?;
            (required, corrected) = (similar, words);
        }
        let terms = SearchTerms { required: &required, excluded: &excluded, query: &query };
        let words: Vec<QueryTerm> = required.iter().flat_map(QueryTerm::split).collect();
        if matches.total == 0 && words.len() > 1 {
            let selective = selective_terms(&current.searcher, &self.fields, &words)?;
            let selective: Vec<_> = selective.iter().map(QueryTerm::in_any_language).collect();
            let terms = SearchTerms { required: &selective, ..terms };
            matches = self.matches(current, &terms, read, true)?;
            relaxed = matches.total > 0;
            required = words;
        }
        if matches.total == 0 {
            corrected = vec![];
        }
        let highlighter = Highlighter::new(&required);
        if reorders {
            self.reorder(current, &mut matches.top, &highlighter, analysers)?;
            matches.top.truncate(wanted);
        }
        let shown = if request.offset > MAX_OFFSET { &[] } else { &matches.top[..] };
        let hits = shown.iter().skip(offset);
        let hits: tantivy::Result<Vec<Hit>> =
            hits.map(|found| self.hit(current, found, &highlighter, analysers)).collect();
        Ok(SearchResults { total: matches.total, hits: hits?, position, relaxed, corrected })
    }

    fn matches(
        &self,
        current: &Current,
        terms: &SearchTerms<'_>,
        limit: usize,
        relaxed: bool,
    ) -> tantivy::Result<Matches> {
        if terms.required.is_empty() && terms.query.filter.admits_all() {
            return Ok(Matches::default());
        }
        let query = terms.to_query(&self.fields, relaxed)?;
        let searcher = &current.searcher;
        let frequencies = DocumentFrequencies::new(searcher, &self.fields, terms.required)?;
        let (ranks, copies) = (Arc::clone(&current.ranks), Arc::clone(&current.copies));
        let top = TopPages { limit, ranks, copies, by_date: terms.query.filter.by_date };
        searcher.search_with_statistics_provider(&query, &top, &frequencies)
    }

    /// Lowers the scores of the best matches that match in boilerplate, and orders them anew.
    fn reorder(
        &self,
        current: &Current,
        top: &mut [Match],
        highlighter: &Highlighter,
        analysers: &mut Analysers,
    ) -> tantivy::Result<()> {
        let best = top.len().min(REORDERED);
        for found in &mut top[..best] {
            let stored: TantivyDocument = current.searcher.doc(found.location)?;
            let page = self.stored_page(current, found, &stored)?;
            found.score *= page.weight(&current.boilerplate, highlighter, analysers);
        }
        top[..best].sort_by(|one, other| other.cmp(one));
        Ok(())
    }

    /// What is stored of a page.
    fn stored_page<'d>(
        &self,
        current: &Current,
        found: &Match,
        stored: &'d TantivyDocument,
    ) -> tantivy::Result<StoredPage<'d>> {
        let segment = current.searcher.segment_reader(found.location.segment_ord);
        let language = segment.fast_fields().u64(LANGUAGE)?.first(found.location.doc_id);
        let text = |field| stored.get_first(field).and_then(|value| value.as_str());
        let text = |field| text(field).unwrap_or_default();
        let runs = stored.get_first(self.fields.runs).and_then(|value| value.as_bytes());
        Ok(StoredPage {
            address: text(self.fields.shown_address),
            title: text(self.fields.shown_title),
            text: text(self.fields.shown_text),
            runs: runs.unwrap_or_default(),
            language: analysis::language_from_number(language.unwrap_or_default()),
        })
    }

    fn hit(
        &self,
        current: &Current,
        found: &Match,
        highlighter: &Highlighter,
        analysers: &mut Analysers,
    ) -> tantivy::Result<Hit> {
        let segment = current.searcher.segment_reader(found.location.segment_ord);
        let changed = segment.fast_fields().i64(CHANGED)?.first(found.location.doc_id);
        let stored: TantivyDocument = current.searcher.doc(found.location)?;
        let page = self.stored_page(current, found, &stored)?;
        Ok(Hit {
            page: found.page,
            address: page.address.to_owned(),
            title: page.title.to_owned(),
            score: found.score,
            rank: current.ranks.rank(found.page),
            changed: Time::from_millis(changed.unwrap_or_default()),
            language: page.language,
            copies: current.copies.others(found.page),
            snippet: page.snippet(&current.boilerplate, highlighter, analysers),
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
