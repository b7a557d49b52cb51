//! Experts: pages whose past helps to predict the future of another.
//!
//! Radinsky and Bennett 2013 (`docs/papers.md` A5), section 6: pages that link to each other, that have the
//! same words, or whose words come and go together, the expert's first. Departures: correlations use standard
//! deviations and only lags by which the expert leads, and negative ones count as 0; warping compares series
//! scaled to run from 0 to 1, a distance d of two words makes them alike by 1 / (1 + d), and its matrix has
//! infinite borders and a band. The inverse document
//! frequency of a word that `df` of N pages have is ln(1 + N / df) instead of ln(N / df): it is positive, so
//! that the words of a page always have weights, even with one page or if a word is on all pages. N counts the
//! pages visited until now, and `df` those whose last visit shows the word.
//!
//! Not all pairs of pages are compared: `inverted_index` selects the pairs, and [`recall()`] measures how many
//! experts that loses.
mod content;
mod correlation;
mod correlator;
mod courses;
mod inverted_index;
mod links;
mod online;
mod recall;
mod series;
mod sliding_series;
#[cfg(test)]
mod tests;
mod vocabulary;
mod warping;

use crawl::Time;
use instruments::features::VisitRecord;
pub use online::Online;
use rayon::prelude::*;
pub use recall::recall;
use text::counts::WordCounts;

use self::{
    content::Content,
    correlator::Correlator,
    courses::Courses,
    inverted_index::{Index, OwnWord, Scratch},
    vocabulary::Vocabulary,
    warping::Warper,
};

/// What makes a page an expert for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// A link between them in either direction (section 6.1, neighbours only).
    Links,
    /// The same words: the cosine of their tf-idf (section 6.2).
    Content,
    /// Words that come and go together or some days earlier on the expert: cross-correlation (section 6.3).
    Correlation,
    /// Words that come and go alike, faster or slower: dynamic time warping (section 6.3).
    Warping,
}

impl Relation {
    /// Every relation, by the name used in settings.
    pub const ALL: [(&'static str, Self); 4] = [
        ("links", Self::Links),
        ("content", Self::Content),
        ("correlation", Self::Correlation),
        ("warping", Self::Warping),
    ];

    /// Whether it uses the counts of each day.
    fn is_by_day(self) -> bool {
        matches!(self, Self::Correlation | Self::Warping)
    }
}

/// How to choose experts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpertSettings {
    /// What makes an expert.
    pub relation: Relation,
    /// The most experts of a page.
    pub experts: usize,
    /// The days of a window that ends now; 0 counts as 1.
    pub days: usize,
    /// The most days by which an expert's words may lead, never more than a quarter of the window.
    pub lags: usize,
    /// The most days by which warping may shift a day.
    pub band: usize,
    /// How many pages that share a word each page is compared with in full; 0 for all pages. Links need no
    /// comparing.
    pub candidates: usize,
}

impl Default for ExpertSettings {
    /// The paper's k and window; lags and band are a week, after which pages repeat themselves.
    fn default() -> Self {
        Self {
            relation: Relation::Correlation,
            experts: 20,
            days: 50,
            lags: 7,
            band: 7,
            candidates: 200,
        }
    }
}

impl ExpertSettings {
    fn days(&self) -> usize {
        self.days.max(1)
    }

    /// A lag is stored in a byte.
    fn lags(&self) -> usize {
        self.lags.min(self.days() / 4).min(usize::from(u8::MAX))
    }
}

/// An expert of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChosenExpert {
    /// Its row.
    pub page: usize,
    /// Its weight, above 0 when chosen.
    pub weight: f64,
    /// By how many days it leads in the word that contributes most to its weight; 0 if lags do not matter.
    pub lag: u8,
}

/// The experts of a page, and the weight of the page itself.
///
/// By correlation and by warping, a page without varying words has no experts and weight 0 itself; the caller
/// falls back to the page's own past.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbours {
    /// The weight of the page itself: by correlation and by warping the share of its words that vary, else 1; 0
    /// for a page without visits or that is not wanted.
    pub self_weight: f64,
    /// Its experts: the heaviest first, of equals the lower row.
    pub experts: Vec<ChosenExpert>,
}

/// The experts of each `wanted` page; the others get none.
///
/// `histories` are the visits of each page, the oldest first. Only visits at or before `now` are used, and a
/// page without any is nobody's expert. `links(page)` are the rows that a page links to, needed only for
/// [`Relation::Links`].
pub fn choose(
    settings: &ExpertSettings,
    histories: &[&[VisitRecord]],
    links: &(dyn Fn(usize) -> Vec<usize> + Sync),
    now: Time,
    wanted: &(dyn Fn(usize) -> bool + Sync),
) -> Vec<Neighbours> {
    let histories: Vec<&[VisitRecord]> =
        histories.iter().map(|visits| until(visits, now)).collect();
    match settings.relation {
        Relation::Links => links::choose(settings, &histories, links, wanted),
        Relation::Content => {
            let vocabulary = Vocabulary::new(&histories);
            all_neighbours(settings, &Content::new(&vocabulary, &histories), &histories, wanted)
        }
        Relation::Correlation => {
            let vocabulary = Vocabulary::new(&histories);
            let (days, lags) = (settings.days(), settings.lags());
            let likeness = |shapes: &_| Correlator::new(shapes, days, lags);
            let courses = Courses::new(&vocabulary, &histories, now, days, likeness);
            all_neighbours(settings, &courses, &histories, wanted)
        }
        Relation::Warping => {
            let vocabulary = Vocabulary::new(&histories);
            let likeness = |_: &_| Warper { band: settings.band };
            let courses = Courses::new(&vocabulary, &histories, now, settings.days(), likeness);
            all_neighbours(settings, &courses, &histories, wanted)
        }
    }
}

/// A relation by words: which pages may be related to a page, and how closely.
trait WordRelation: Sync {
    /// The compared property of a word.
    type Value: Copy + PartialEq + Send + Sync;

    /// The words of all pages.
    fn index(&self) -> &Index<Self::Value>;

    /// The words of a page by which others are found, in order of word.
    fn mine(&self, page: usize) -> Vec<OwnWord<Self::Value>>;

    /// The part of a long list to read, given the page's own value.
    fn head<'a>(
        &self,
        mine: Self::Value,
        list: &'a [(Self::Value, u32)],
    ) -> &'a [(Self::Value, u32)];

    /// How much a shared word adds to the similarity of two pages.
    fn gain(&self, mine: Self::Value, theirs: Self::Value) -> f64;

    /// The weight of a page as its own expert.
    fn self_weight(&self, page: usize) -> f64;

    /// The heaviest experts among these pages, each compared in full.
    fn best(&self, page: usize, among: &[u32], most: usize) -> Vec<ChosenExpert>;
}

fn all_neighbours<R: WordRelation>(
    settings: &ExpertSettings,
    relation: &R,
    histories: &[&[VisitRecord]],
    wanted: &(dyn Fn(usize) -> bool + Sync),
) -> Vec<Neighbours> {
    let visited: Vec<u32> = (0..histories.len())
        .filter(|&page| !histories[page].is_empty())
        .map(|page| page as u32)
        .collect();
    let neighbours = |scratch: &mut Scratch, page: usize| {
        if histories[page].is_empty() || !wanted(page) {
            return Neighbours::default();
        }
        let self_weight = relation.self_weight(page);
        if settings.experts == 0 {
            return Neighbours { self_weight, experts: vec![] };
        }
        let among = if settings.candidates == 0 {
            visited.iter().copied().filter(|&other| other as usize != page).collect()
        } else {
            inverted_index::candidates(relation, page, settings.candidates, scratch)
        };
        Neighbours { self_weight, experts: relation.best(page, &among, settings.experts) }
    };
    (0..histories.len())
        .into_par_iter()
        .map_init(|| Scratch::new(histories.len()), |scratch, page| neighbours(scratch, page))
        .collect()
}

/// The visits at or before an instant.
fn until(visits: &[VisitRecord], now: Time) -> &[VisitRecord] {
    &visits[..visits.partition_point(|visit| visit.at <= now)]
}

/// The words of a page at its last visit.
fn latest(visits: &[VisitRecord]) -> Option<&WordCounts> {
    visits.last().map(|visit| visit.words.as_ref())
}

/// Sorts by weight, of equals the lower row first, and keeps the first ones.
fn keep_heaviest(mut chosen: Vec<ChosenExpert>, most: usize) -> Vec<ChosenExpert> {
    chosen.sort_unstable_by(heavier);
    chosen.truncate(most);
    chosen
}

fn heavier(one: &ChosenExpert, other: &ChosenExpert) -> std::cmp::Ordering {
    other.weight.total_cmp(&one.weight).then(one.page.cmp(&other.page))
}
