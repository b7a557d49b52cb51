//! Features of every held page, updated as pages are visited.
//!
//! Policies that cluster pages build their feature vectors from them (Tan and Mitra 2010, section 3;
//! `docs/papers.md` A1.2). The features of a page change when it is visited. Only `PageRank`, incoming
//! links and the ranks for popular words are computed at the start of each cycle. The word clusters are
//! fitted once, and again whenever the number of held pages has doubled.
mod keywords;
mod model;
mod page;
mod window;

use std::{collections::BTreeSet, sync::Arc};

use self::page::LinkScore;
pub use self::{
    keywords::{Keyword, MOST_KEYWORDS, RANKED, ranking_feature},
    model::{WordCluster, WordModel, tf_idf_rows},
    page::{ChangeStats, PageFeatures},
    window::{Changes, Target, VisitRecord, Window},
};
use crawl::{
    CycleStart, Instrument, Links, Need, Needs, Outcome, PageNo, PageRank, Pages, Recorded, Result,
    Saved, Snapshot, State, Visited,
};
use text::chi_squared;
use text::counts::{WordCountCache, WordCounter, WordCounts, term_hash};
use text::words::{Language, address_text};

/// The name under which features are stored.
pub const NAME: &str = "features";

/// A policy's request for features of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureNeeds {
    /// The number of last visits of each page that it needs.
    pub look_back: usize,
}

impl Need for FeatureNeeds {
    fn join(&self, other: &Self) -> Self {
        Self { look_back: self.look_back.max(other.look_back) }
    }
}

/// The features of every held page: an instrument that runs only where a policy needs it.
#[derive(Debug, Default)]
pub struct Features {
    /// The number of visits of each page that are kept.
    look_back: usize,
    pages: Vec<Option<Box<PageFeatures>>>,
    models: Models,
    /// By page, its word clusters by content and by address.
    clusters: Vec<[WordCluster; 2]>,
    link_scores: LinkScores,
    keywords: Vec<Keyword>,
    /// By keyword, the pages that rank first.
    best: Vec<Vec<PageNo>>,
    /// Word counts of texts that snapshots come without.
    word_counts: Option<Arc<WordCountCache>>,
    counter: WordCounter,
}

/// The word clusters of contents and of addresses.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Models {
    /// Of contents.
    pub content: WordModel,
    /// Of addresses.
    pub address: WordModel,
    /// The number of pages that they were fitted to.
    pub fitted_to: u32,
}

/// `PageRank` and incoming links of all pages at the start of a cycle.
#[derive(Clone, Debug, Default)]
struct LinkScores {
    page_rank: PageRank,
    in_links: Vec<u32>,
    held: usize,
}

impl Features {
    /// Features for these needs, of no page yet.
    pub fn new(needs: FeatureNeeds) -> Self {
        Self::default().with_look_back(needs.look_back)
    }

    /// Features for the needs of a policy; `None` where it needs none.
    pub fn needed(needs: &Needs) -> Option<Self> {
        needs.find::<FeatureNeeds>().copied().map(Self::new)
    }

    /// Keeps this number of last visits of each page.
    #[must_use]
    pub fn with_look_back(self, look_back: usize) -> Self {
        Self { look_back, ..self }
    }

    /// Uses these word counts for snapshots without content.
    #[must_use]
    pub fn with_word_counts(self, word_counts: Arc<WordCountCache>) -> Self {
        Self { word_counts: Some(word_counts), ..self }
    }

    /// An independent copy.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self {
            look_back: self.look_back,
            pages: self.pages.clone(),
            models: self.models.clone(),
            clusters: self.clusters.clone(),
            link_scores: self.link_scores.clone(),
            keywords: self.keywords.clone(),
            best: self.best.clone(),
            word_counts: self.word_counts.clone(),
            counter: WordCounter::default(),
        }
    }

    /// Sets the words of the ranking features.
    pub fn set_keywords(&mut self, keywords: Vec<Keyword>) {
        self.keywords = keywords;
    }

    /// Whether there are query words, without which no page has ranking features.
    pub fn has_keywords(&self) -> bool {
        !self.keywords.is_empty()
    }

    /// The features of a page; `None` where it is not held.
    pub fn page(&self, page: PageNo) -> Option<&PageFeatures> {
        self.pages.get(page.index())?.as_deref()
    }

    /// The languages of the held pages.
    pub fn languages(&self) -> BTreeSet<Language> {
        self.pages.iter().flatten().map(|features| features.language).collect()
    }

    /// The word clusters.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// The word clusters of a page, by content and by address.
    pub fn word_clusters(&self, page: PageNo) -> [WordCluster; 2] {
        self.clusters.get(page.index()).copied().unwrap_or_default()
    }

    /// The `PageRank` of a page at the start of the cycle, times the number of held pages.
    pub fn page_rank(&self, page: PageNo) -> f32 {
        self.link_scores.of(page).page_rank
    }

    /// The number of held pages that linked to a page at the start of the cycle.
    pub fn in_links(&self, page: PageNo) -> u32 {
        self.link_scores.of(page).in_links
    }

    /// By keyword, the best pages at the start of the cycle, the best first.
    pub fn best_for_keywords(&self) -> &[Vec<PageNo>] {
        &self.best
    }

    /// Updates the features after a visit. Returns whether the page's features are new.
    pub fn apply(&mut self, visit: &Visited<'_>) -> bool {
        let &Visited { page, outcome, new, .. } = visit;
        if outcome == Outcome::Gone {
            self.put(page, None);
            return false;
        }
        let before = self.pages.get_mut(page.index()).and_then(Option::take);
        let link_score = self.link_scores.of(page);
        let features = match (outcome, new, &before) {
            (_, Some(new), before) => {
                let words = words_of(new, self.word_counts.as_deref(), &mut self.counter);
                let features = PageFeatures::from_snapshot(new, words, link_score);
                match before {
                    Some(before) => features.compared_with(before),
                    None => features,
                }
            }
            (Outcome::Same, None, Some(before)) => {
                before.with_link_score(link_score).compared_with(before)
            }
            _ => {
                if let Some(before) = before {
                    self.pages[page.index()] = Some(before);
                }
                return false;
            }
        };
        let window = self.window(visit, before, &features);
        self.put(page, Some(PageFeatures { window, ..features }));
        true
    }

    /// The last visits of a page, including this one, which changed its features from `before` to
    /// `now`.
    fn window(
        &self,
        visit: &Visited<'_>,
        before: Option<Box<PageFeatures>>,
        now: &PageFeatures,
    ) -> Window {
        if self.look_back == 0 {
            return Window::default();
        }
        let Some(before) = before else {
            return Window::default().with(
                visit.at,
                Changes::default(),
                None,
                &now.words,
                self.look_back,
            );
        };
        let changes = Changes {
            any: matches!(visit.outcome, Outcome::Changed(_)),
            significant: chi_squared::differ(&before.words, &now.words),
            new_link: visit.shows_new_link,
        };
        before.window.with(visit.at, changes, Some(&before.words), &now.words, self.look_back)
    }

    /// Sets the features of a page.
    pub fn insert(&mut self, page: PageNo, features: PageFeatures) {
        self.put(page, Some(features));
    }

    fn put(&mut self, page: PageNo, features: Option<PageFeatures>) {
        let row = page.index();
        if self.pages.len() <= row {
            self.pages.resize(row + 1, None);
        }
        if let Some([content, _]) = self.clusters.get_mut(row) {
            let words = features.as_ref().map(|features| &features.words);
            *content = words.and_then(|words| self.models.content.cluster_of(words));
        }
        self.pages[row] = features.map(Box::new);
    }

    /// Updates, at the start of a cycle, what depends on more than one page. Returns whether the word
    /// clusters were fitted again.
    pub fn begin_cycle(&mut self, pages: &Pages, links: &Links) -> bool {
        self.link_scores.update(pages, links);
        let held = self.pages.iter().flatten().count() as u32;
        let fits = held > 0 && held >= self.models.fitted_to.saturating_mul(2);
        if fits {
            self.fit(pages, held);
        }
        for number in self.clusters.len()..pages.len() {
            let page = PageNo(number as u32);
            let content = self
                .page(page)
                .and_then(|features| self.models.content.cluster_of(&features.words));
            let address = self.models.address.cluster_of(&address_words(pages.address(page)));
            self.clusters.push([content, address]);
        }
        let all = || pages.numbers().filter_map(|page| Some((page, self.page(page)?)));
        self.best = self.keywords.iter().map(|keyword| keyword.best(pages, all())).collect();
        fits
    }

    /// Fits the word clusters to the held pages.
    fn fit(&mut self, pages: &Pages, held: u32) {
        let content = WordModel::fit(self.pages.iter().flatten().map(|features| &*features.words));
        let addresses: Vec<WordCounts> = pages
            .numbers()
            .filter(|&page| self.page(page).is_some())
            .map(|page| address_words(pages.address(page)))
            .collect();
        let address = WordModel::fit(addresses.iter());
        self.models = Models { content, address, fitted_to: held };
        self.clusters.clear();
    }
}

impl Instrument for Features {
    fn name(&self) -> &'static str {
        NAME
    }

    fn begin_cycle(&mut self, cycle: &CycleStart<'_>) -> bool {
        if cycle.has_plans {
            Self::begin_cycle(self, cycle.pages, cycle.links)
        } else {
            self.link_scores.update(cycle.pages, cycle.links);
            false
        }
    }

    fn visited(&mut self, visit: &Visited<'_>) -> Result<Recorded> {
        Ok(Recorded { impact: None, has_new_state: self.apply(visit) })
    }

    fn fork(&self) -> Box<dyn Instrument> {
        Box::new(self.copy())
    }

    fn state(&self) -> Vec<u8> {
        encode(&self.models)
    }

    fn page_state(&self, page: PageNo) -> Option<Vec<u8>> {
        self.page(page).map(encode)
    }

    fn restore(&mut self, state: &[u8]) {
        if let Some(models) = decode(state) {
            self.models = models;
            self.clusters.clear();
        }
    }

    fn restore_page(&mut self, page: PageNo, saved: Saved<'_>) -> bool {
        let features = match saved {
            Saved::State(state) => decode(state),
            Saved::Held(held) => {
                let words = words_of(held, self.word_counts.as_deref(), &mut self.counter);
                Some(PageFeatures::from_snapshot(held, words, LinkScore::default()))
            }
        };
        let is_valid = features.is_some();
        if is_valid {
            self.put(page, features);
        }
        is_valid
    }
}

fn encode<T: serde::Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("numbers and lists can always be encoded")
}

fn decode<T: serde::de::DeserializeOwned>(state: &[u8]) -> Option<T> {
    match postcard::take_from_bytes(state) {
        Ok((value, [])) => Some(value),
        _ => None,
    }
}

impl LinkScores {
    fn update(&mut self, pages: &Pages, links: &Links) {
        if !self.page_rank.update(pages, links) {
            return;
        }
        self.held = 0;
        self.in_links.clear();
        self.in_links.resize(pages.len(), 0);
        for page in pages.numbers().filter(|&page| pages.state(page) == State::Held) {
            self.held += 1;
            for to in links.of(page).iter().filter(|&&to| to != page) {
                self.in_links[to.index()] += 1;
            }
        }
    }

    fn of(&self, page: PageNo) -> LinkScore {
        let row = page.index();
        let rank = self.page_rank.ranks().get(row).copied().unwrap_or(0.0);
        LinkScore {
            page_rank: (rank * self.held as f64) as f32,
            in_links: self.in_links.get(row).copied().unwrap_or(0),
        }
    }
}

/// The language and the word counts of a snapshot: from the cache, which has no languages, or from its
/// content.
fn words_of(
    snapshot: &Snapshot,
    cache: Option<&WordCountCache>,
    counter: &mut WordCounter,
) -> (Language, Arc<WordCounts>) {
    let found = cache.and_then(|cache| cache.find(snapshot.fingerprints.text));
    match (found, &snapshot.content) {
        (Some(words), _) => (Language::Other, Arc::clone(words)),
        (None, Some(content)) => {
            let language = Language::detect(content);
            (language, Arc::new(counter.count_in(language, content)))
        }
        (None, None) => (Language::Other, Arc::default()),
    }
}

/// The word counts of an address, including host and folders.
pub fn address_words(address: &str) -> WordCounts {
    let text = address_text(address).to_lowercase();
    WordCounts::from_terms(text.split_whitespace().map(term_hash).collect())
}
