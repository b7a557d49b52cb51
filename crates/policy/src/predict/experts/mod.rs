//! The pages whose past speaks for the future of another: its experts.
//!
//! Radinsky and Bennett 2013 (`docs/papers.md` A5), section 6: pages that link to each other, that have
//! the same words, or whose words come and go together, the expert's first. Departures: correlations use
//! standard deviations, only lags by which the expert leads, and count as 0 where they are negative; the
//! distance by warping is turned into the weight 1 / (1 + distance), and its matrix has infinite borders
//! and a band. The inverse document frequency of a word that `df` of N pages have is
//! ln(1 + N / df) instead of ln(N / df): it is positive, so that the words of a page always have weights,
//! also where there is one page only or a word is on all pages. N counts the pages looked at until now, and
//! `df` those whose last look shows the word.
//!
//! Not all pairs of pages are compared: `index` says which ones are, and [`recall()`] how many experts
//! that loses.
mod content;
mod correlation;
mod correlator;
mod index;
mod links;
mod moving;
mod online;
mod recall;
mod series;
#[cfg(test)]
mod tests;
mod vocabulary;
mod warper;
mod warping;

use flow::{
    Time,
    features::{Look, WordCounts},
};
pub use online::Online;
use rayon::prelude::*;
pub use recall::recall;

use self::{
    content::Content,
    correlator::Correlator,
    index::{Index, Mine, Scratch},
    vocabulary::Vocabulary,
    warper::Warper,
};

/// What makes a page an expert on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// A link between them, in either direction (section 6.1, neighbours only).
    Links,
    /// The same words: the cosine of their weights (section 6.2).
    Content,
    /// Words that come and go together or, by some days, first on the expert: cross-correlation
    /// (section 6.3).
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

    /// Whether it looks at each day of the window.
    fn is_by_day(self) -> bool {
        matches!(self, Self::Correlation | Self::Warping)
    }
}

/// How experts are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choosing {
    /// What makes an expert.
    pub relation: Relation,
    /// The most experts of a page.
    pub experts: usize,
    /// How many days a window has, of which the last ends now; none are taken for one.
    pub days: usize,
    /// The most days by which an expert's words may lead, never more than a quarter of the window.
    pub lags: usize,
    /// The most days by which warping may shift a day.
    pub band: usize,
    /// With how many pages each page is compared in full, all of which share a word with it; 0: with all
    /// pages. Links need no comparing.
    pub candidates: usize,
}

impl Default for Choosing {
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

impl Choosing {
    fn days(&self) -> usize {
        self.days.max(1)
    }

    /// A lag is told in a byte.
    fn lags(&self) -> usize {
        self.lags.min(self.days() / 4).min(usize::from(u8::MAX))
    }
}

/// A page that was chosen as an expert.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// Its row.
    pub page: usize,
    /// How much it has to say; above 0 when it is chosen.
    pub weight: f64,
    /// By how many days it leads in the word that gives it most of its weight; 0 where lags have no part.
    pub lag: u8,
}

/// The experts of a page, and what the page itself has to say.
///
/// A page none of whose words vary has no experts by correlation, and weight 0 itself; the caller falls
/// back to the page's own past.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Company {
    /// The weight of the page itself: by correlation the share of its words that vary, else 1; 0 for a
    /// page that was never looked at or that nobody asked about.
    pub itself: f64,
    /// Its experts: the heaviest first, of equals the lower row.
    pub experts: Vec<Chosen>,
}

/// The experts of each page that is `wanted`; the others get an empty company.
///
/// `pasts` are the looks of each page, the oldest first; only those at or before `now` are used, and a page
/// without any is nobody's expert. `links(page)` are the rows that a page links to, asked for only where
/// the relation is [`Relation::Links`].
pub fn choose(
    choosing: &Choosing,
    pasts: &[&[Look]],
    links: &(dyn Fn(usize) -> Vec<usize> + Sync),
    now: Time,
    wanted: &(dyn Fn(usize) -> bool + Sync),
) -> Vec<Company> {
    let pasts: Vec<&[Look]> = pasts.iter().map(|looks| until(looks, now)).collect();
    match choosing.relation {
        Relation::Links => links::choose(choosing, &pasts, links, wanted),
        Relation::Content => {
            let vocabulary = Vocabulary::of(&pasts);
            companies(choosing, &Content::new(&vocabulary, &pasts), &pasts, wanted)
        }
        Relation::Correlation => {
            let vocabulary = Vocabulary::of(&pasts);
            let correlator = Correlator::new(choosing, &vocabulary, &pasts, now);
            companies(choosing, &correlator, &pasts, wanted)
        }
        Relation::Warping => {
            let vocabulary = Vocabulary::of(&pasts);
            let warper = Warper::new(choosing, &vocabulary, &pasts, now);
            companies(choosing, &warper, &pasts, wanted)
        }
    }
}

/// A relation by words: which pages may be near a page, and how near they are.
trait Relating: Sync {
    /// What is compared of a word of two pages.
    type Value: Copy + PartialEq + Send + Sync;

    /// All pages' words.
    fn index(&self) -> &Index<Self::Value>;

    /// The words of a page by which others are found, in order of word.
    fn mine(&self, page: usize) -> Vec<Mine<Self::Value>>;

    /// The part of a long list that is worth reading, given what the page has.
    fn head<'a>(
        &self,
        mine: Self::Value,
        list: &'a [(Self::Value, u32)],
    ) -> &'a [(Self::Value, u32)];

    /// How much a word adds to what two pages have in common.
    fn gain(&self, mine: Self::Value, theirs: Self::Value) -> f64;

    /// The weight of a page as its own expert.
    fn itself(&self, page: usize) -> f64;

    /// The heaviest experts among these pages, each compared in full.
    fn best(&self, page: usize, among: &[u32], most: usize) -> Vec<Chosen>;
}

fn companies<R: Relating>(
    choosing: &Choosing,
    relating: &R,
    pasts: &[&[Look]],
    wanted: &(dyn Fn(usize) -> bool + Sync),
) -> Vec<Company> {
    let looked_at: Vec<u32> =
        (0..pasts.len()).filter(|&page| !pasts[page].is_empty()).map(|page| page as u32).collect();
    let company = |scratch: &mut Scratch, page: usize| {
        if pasts[page].is_empty() || !wanted(page) {
            return Company::default();
        }
        let itself = relating.itself(page);
        if choosing.experts == 0 {
            return Company { itself, experts: vec![] };
        }
        let among = if choosing.candidates == 0 {
            looked_at.iter().copied().filter(|&other| other as usize != page).collect()
        } else {
            index::candidates(relating, page, choosing.candidates, scratch)
        };
        Company { itself, experts: relating.best(page, &among, choosing.experts) }
    };
    (0..pasts.len())
        .into_par_iter()
        .map_init(|| Scratch::new(pasts.len()), |scratch, page| company(scratch, page))
        .collect()
}

/// The looks at or before an instant.
fn until(looks: &[Look], now: Time) -> &[Look] {
    &looks[..looks.partition_point(|look| look.at <= now)]
}

/// What a page held when it was last looked at.
fn latest(looks: &[Look]) -> Option<&WordCounts> {
    looks.last().map(|look| look.words.as_ref())
}

/// Puts the heaviest first, of equals the lower row, and keeps the first ones.
fn keep_heaviest(mut chosen: Vec<Chosen>, most: usize) -> Vec<Chosen> {
    chosen.sort_unstable_by(heavier);
    chosen.truncate(most);
    chosen
}

fn heavier(one: &Chosen, other: &Chosen) -> std::cmp::Ordering {
    other.weight.total_cmp(&one.weight).then(one.page.cmp(&other.page))
}
