//! What features of pages are made from: facts of every held page, kept up as pages are visited.
//!
//! The features themselves (Tan and Mitra 2010, section 3; `docs/papers.md` A1.2) are made of these
//! by the policies that cluster pages. A page's facts change when it is visited; only `PageRank`, links
//! to it and its ranks for popular words are worked out anew at the start of each cycle. The clusters
//! of words are fitted once, and again when twice as many pages are held.
mod facts;
mod keywords;
mod model;
mod window;
mod words;

use std::{collections::BTreeSet, sync::Arc};

use self::facts::Standing;
pub(crate) use self::window::each_word;
pub use self::{
    facts::{Drift, Facts},
    keywords::{Keyword, MOST_KEYWORDS, RANKED, ranking_feature},
    model::{WordCluster, WordModel, tf_idf_rows},
    window::{Changes, Look, Target, Window},
    words::{Library, MOST_WORDS, TermHash, WordCounter, WordCounts, term_hash},
};
use crate::{
    Links, Outcome, PageNo, Pages, Policy, Snapshot, State, Time, detect, page_rank,
    words::{Language, address_text},
};

/// The facts of every held page.
///
/// Unless they are [`wanted`](Self::wanted) nothing is kept: few policies look at them.
#[derive(Debug, Default)]
pub struct Features {
    wanted: bool,
    /// How many visits of each page are looked back on.
    looks: usize,
    facts: Vec<Option<Box<Facts>>>,
    models: Models,
    /// By page, its clusters by words of its content and of its address.
    clusters: Vec<[WordCluster; 2]>,
    ranks: Ranks,
    keywords: Vec<Keyword>,
    /// By keyword, the pages that rank first.
    best: Vec<Vec<PageNo>>,
    library: Option<Arc<Library>>,
    counter: WordCounter,
}

/// What a visit found, as far as facts of pages are made from it.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The page.
    pub page: PageNo,
    /// When.
    pub at: Time,
    /// What came of it.
    pub outcome: Outcome,
    /// The snapshot that it brought, if any.
    pub new: Option<&'a Snapshot>,
    /// Whether the page links to an address that it did not link to.
    pub shows_new_link: bool,
}

/// The clusters of words of contents and of addresses.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Models {
    /// Of contents.
    pub content: WordModel,
    /// Of addresses.
    pub address: WordModel,
    /// How many pages they were fitted to.
    pub fitted_to: u32,
}

/// How pages stand among each other, as of the start of a cycle.
#[derive(Clone, Debug, Default)]
struct Ranks {
    page_rank: Vec<f64>,
    in_links: Vec<u32>,
    held: usize,
    revision: Option<u64>,
}

impl Features {
    /// Kept up from now on.
    pub fn wanted() -> Self {
        Self { wanted: true, ..Self::default() }
    }

    /// As this policy wants them.
    pub fn wanted_by(policy: &dyn Policy) -> Self {
        if policy.needs_features() {
            Self::wanted().looking_back(policy.looks_back())
        } else {
            Self::default()
        }
    }

    /// With so many of the last visits of each page.
    #[must_use]
    pub fn looking_back(self, looks: usize) -> Self {
        Self { looks, ..self }
    }

    /// With the words of texts that snapshots come without.
    #[must_use]
    pub fn with_library(self, library: Arc<Library>) -> Self {
        Self { library: Some(library), ..self }
    }

    /// Another crawl's, to begin from the same facts.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            wanted: self.wanted,
            looks: self.looks,
            facts: self.facts.clone(),
            models: self.models.clone(),
            clusters: self.clusters.clone(),
            ranks: self.ranks.clone(),
            keywords: self.keywords.clone(),
            best: self.best.clone(),
            library: self.library.clone(),
            counter: WordCounter::default(),
        }
    }

    /// Whether they are kept up.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// Makes these the words that ranking features are about.
    pub fn ask(&mut self, keywords: Vec<Keyword>) {
        self.keywords = keywords;
    }

    /// The facts of a page; `None` where it is not held.
    pub fn facts(&self, page: PageNo) -> Option<&Facts> {
        self.facts.get(page.index())?.as_deref()
    }

    /// The languages that held pages are in.
    pub fn languages(&self) -> BTreeSet<Language> {
        self.facts.iter().flatten().map(|facts| facts.language).collect()
    }

    /// The clusters of words.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// The clusters of a page by the words of its content and of its address.
    pub fn word_clusters(&self, page: PageNo) -> [WordCluster; 2] {
        self.clusters.get(page.index()).copied().unwrap_or_default()
    }

    /// The `PageRank` of a page at the start of the cycle, times the number of held pages.
    pub fn page_rank(&self, page: PageNo) -> f32 {
        self.ranks.of(page).page_rank
    }

    /// How many held pages linked to a page at the start of the cycle.
    pub fn in_links(&self, page: PageNo) -> u32 {
        self.ranks.of(page).in_links
    }

    /// By keyword, the pages that ranked first at the start of the cycle, the best first.
    pub fn best_for_keywords(&self) -> &[Vec<PageNo>] {
        &self.best
    }

    /// Takes in what a visit found. Returns the page's facts where they are new.
    pub fn absorb(&mut self, found: &Found<'_>) -> Option<&Facts> {
        if !self.wanted {
            return None;
        }
        let &Found { page, outcome, new, .. } = found;
        if outcome == Outcome::Gone {
            self.put(page, None);
            return None;
        }
        let before = self.facts.get_mut(page.index()).and_then(Option::take);
        let standing = self.ranks.of(page);
        let facts = match (outcome, new, &before) {
            (_, Some(new), before) => {
                let words = words_of(new, self.library.as_deref(), &mut self.counter);
                let facts = Facts::of(new, words, standing);
                match before {
                    Some(before) => facts.after(before),
                    None => facts,
                }
            }
            (Outcome::Same, None, Some(before)) => before.again(standing).after(before),
            _ => {
                if let Some(before) = before {
                    self.facts[page.index()] = Some(before);
                }
                return None;
            }
        };
        let window = self.looked(found, before, &facts);
        self.put(page, Some(Facts { window, ..facts }));
        self.facts(page)
    }

    /// The last visits of a page, this one included, that made its facts from those `before`.
    fn looked(&self, found: &Found<'_>, before: Option<Box<Facts>>, now: &Facts) -> Window {
        if self.looks == 0 {
            return Window::default();
        }
        let Some(before) = before else {
            return Window::default().with(
                found.at,
                Changes::default(),
                None,
                &now.words,
                self.looks,
            );
        };
        let changes = Changes {
            any: matches!(found.outcome, Outcome::Changed(_)),
            significant: detect::differ(&before.words, &now.words),
            new_link: found.shows_new_link,
        };
        before.window.with(found.at, changes, Some(&before.words), &now.words, self.looks)
    }

    /// Takes in the facts of a page as a repository kept them.
    pub fn restore(&mut self, page: PageNo, facts: Facts) {
        self.put(page, Some(facts));
    }

    /// Takes in a page that is held but whose facts were not kept.
    pub fn restore_from(&mut self, page: PageNo, held: &Snapshot) {
        let words = words_of(held, self.library.as_deref(), &mut self.counter);
        self.put(page, Some(Facts::of(held, words, Standing::default())));
    }

    /// Takes in the clusters of words as a repository kept them.
    pub fn restore_models(&mut self, models: Models) {
        self.models = models;
        self.clusters.clear();
    }

    fn put(&mut self, page: PageNo, facts: Option<Facts>) {
        let row = page.index();
        if self.facts.len() <= row {
            self.facts.resize(row + 1, None);
        }
        if let Some([content, _]) = self.clusters.get_mut(row) {
            *content =
                facts.as_ref().and_then(|facts| self.models.content.cluster_of(&facts.words));
        }
        self.facts[row] = facts.map(Box::new);
    }

    /// Brings up to date how pages stand among each other, as at the start of a cycle.
    pub(crate) fn rank(&mut self, pages: &Pages, links: &Links) {
        if self.wanted {
            self.ranks.update(pages, links);
        }
    }

    /// Brings up to date, at the start of a cycle, what depends on more than one page. Whether the
    /// clusters of words were fitted anew.
    pub fn begin_cycle(&mut self, pages: &Pages, links: &Links) -> bool {
        if !self.wanted {
            return false;
        }
        self.ranks.update(pages, links);
        let held = self.facts.iter().flatten().count() as u32;
        let fits = held > 0 && held >= self.models.fitted_to.saturating_mul(2);
        if fits {
            self.fit(pages, held);
        }
        for number in self.clusters.len()..pages.len() {
            let page = PageNo(number as u32);
            let content =
                self.facts(page).and_then(|facts| self.models.content.cluster_of(&facts.words));
            let address = self.models.address.cluster_of(&address_words(pages.address(page)));
            self.clusters.push([content, address]);
        }
        let facts = || {
            let facts = |page| Some((page, self.facts(page)?));
            pages.numbers().filter_map(facts)
        };
        self.best = self.keywords.iter().map(|keyword| keyword.best(pages, facts())).collect();
        fits
    }

    /// Fits the clusters of words to the pages that are held.
    fn fit(&mut self, pages: &Pages, held: u32) {
        let content = WordModel::fit(self.facts.iter().flatten().map(|facts| &*facts.words));
        let addresses: Vec<WordCounts> = pages
            .numbers()
            .filter(|&page| self.facts(page).is_some())
            .map(|page| address_words(pages.address(page)))
            .collect();
        let address = WordModel::fit(addresses.iter());
        self.models = Models { content, address, fitted_to: held };
        self.clusters.clear();
    }
}

impl Ranks {
    fn update(&mut self, pages: &Pages, links: &Links) {
        if self.revision == Some(links.revision()) {
            return;
        }
        self.revision = Some(links.revision());
        // From nothing, not from the ranks before: their last bits would depend on these, and a crawl
        // that was stopped and goes on has none.
        self.page_rank = page_rank(pages, links, &[]);
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

    fn of(&self, page: PageNo) -> Standing {
        let row = page.index();
        let rank = self.page_rank.get(row).copied().unwrap_or(0.0);
        Standing {
            page_rank: (rank * self.held as f64) as f32,
            in_links: self.in_links.get(row).copied().unwrap_or(0),
        }
    }
}

/// The language and the words of a snapshot: of its content, or from the library, which does not
/// know languages.
fn words_of(
    snapshot: &Snapshot,
    library: Option<&Library>,
    counter: &mut WordCounter,
) -> (Language, Arc<WordCounts>) {
    let found = library.and_then(|library| library.find(snapshot.marks.text));
    match (found, &snapshot.content) {
        (Some(words), _) => (Language::Other, Arc::clone(words)),
        (None, Some(content)) => {
            let language = Language::of(content);
            (language, Arc::new(counter.count_in(language, content)))
        }
        (None, None) => (Language::Other, Arc::default()),
    }
}

/// The words of an address, host and folders included.
pub fn address_words(address: &str) -> WordCounts {
    let text = address_text(address).to_lowercase();
    WordCounts::of(text.split_whitespace().map(term_hash).collect())
}
