//! The scoring functions of the papers.
use super::{Profile, WordNo};

/// A scoring function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scoring {
    /// The classic TF-IDF of Lucene (Pandey and Olston 2005).
    TfIdf,
    /// The number of incoming links (Pandey and Olston 2005).
    InLinks,
    /// Half TF-IDF, half `PageRank`, both in [0, 1] (Tan and Mitra 2010, eq. 14).
    Blend,
    /// BM25, which our own search uses.
    Bm25,
}

/// A page that may be among the results of a query.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'p> {
    /// Its number.
    pub page: u32,
    /// Its word counts.
    pub profile: &'p Profile,
    /// The number of pages that link to it.
    pub in_links: u32,
    /// Its `PageRank`.
    pub page_rank: f64,
}

/// Statistics of a collection of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of pages.
    pub pages: u32,
    /// By word, the number of pages that contain it.
    pub document_frequencies: Vec<u32>,
    /// The total number of words.
    pub words: u64,
}

impl Scoring {
    /// Every scoring function.
    pub const ALL: [Self; 4] = [Self::TfIdf, Self::InLinks, Self::Blend, Self::Bm25];

    /// Its name in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::TfIdf => "tf-idf",
            Self::InLinks => "in-links",
            Self::Blend => "blend",
            Self::Bm25 => "bm25",
        }
    }

    /// The scoring function of that name, if there is one.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scoring| scoring.name() == name)
    }

    /// The weight of a word that `frequency` of `pages` pages contain: the factor that all scores for
    /// it share.
    pub fn weight(self, pages: u32, frequency: u32) -> f64 {
        match self {
            Self::TfIdf => idf(pages, frequency).powi(2),
            Self::InLinks | Self::Blend => 1.0,
            Self::Bm25 => {
                let (pages, frequency) = (f64::from(pages), f64::from(frequency));
                (((pages - frequency).max(0.0) + 0.5) / (frequency + 0.5)).ln_1p()
            }
        }
    }

    /// The results of a query among these pages, as page and score, in the order given: the pages that
    /// contain all its `words`. [`rank`](super::rank()) sorts them.
    ///
    /// The paper does not say how eq. 14 scales its halves to [0, 1]. Here TF-IDF is divided by the
    /// highest among the results of the query, and `PageRank` by `highest_page_rank`, the highest in
    /// the collection. Only the blend uses it.
    pub fn results<'p>(
        self,
        statistics: &Statistics,
        words: &[WordNo],
        candidates: impl IntoIterator<Item = Candidate<'p>>,
        highest_page_rank: f64,
    ) -> Vec<(u32, f64)> {
        let answers = candidates.into_iter().filter_map(|candidate| {
            Some((statistics.tf_idf(candidate.profile, words)?, candidate))
        });
        match self {
            Self::TfIdf => answers.map(|(tf_idf, answer)| (answer.page, tf_idf)).collect(),
            Self::InLinks => {
                answers.map(|(_, answer)| (answer.page, f64::from(answer.in_links))).collect()
            }
            Self::Blend => {
                let answers: Vec<(f64, Candidate<'_>)> = answers.collect();
                let highest = answers.iter().map(|&(tf_idf, _)| tf_idf).fold(0.0, f64::max);
                let blend = |&(tf_idf, answer): &(f64, Candidate<'_>)| {
                    (answer.page, blend(tf_idf, highest, answer.page_rank, highest_page_rank))
                };
                answers.iter().map(blend).collect()
            }
            Self::Bm25 => answers
                .map(|(_, answer)| (answer.page, statistics.bm25(answer.profile, words)))
                .collect(),
        }
    }
}

/// The idf of a word: 1 + ln(N / (df + 1)). An empty collection counts as one page.
fn idf(pages: u32, frequency: u32) -> f64 {
    1.0 + (f64::from(pages.max(1)) / (f64::from(frequency) + 1.0)).ln()
}

/// The BM25 of a page for a word with this count, without the factor of the word's weight. The
/// constants are the usual ones; pages have `average_length` words.
pub fn bm25_part(count: u32, length: u32, average_length: f64) -> f64 {
    const SATURATION: f64 = 1.2;
    const BY_LENGTH: f64 = 0.75;
    let count = f64::from(count);
    let longer = f64::from(length) / average_length.max(1.0);
    let norm = SATURATION * (1.0 - BY_LENGTH + BY_LENGTH * longer);
    count * (SATURATION + 1.0) / (count + norm)
}

/// Half of each, as a share of the highest; 0 where the highest is 0.
fn blend(tf_idf: f64, highest_tf_idf: f64, page_rank: f64, highest_page_rank: f64) -> f64 {
    let share = |value: f64, highest: f64| if highest > 0.0 { value / highest } else { 0.0 };
    0.5 * share(tf_idf, highest_tf_idf) + 0.5 * share(page_rank, highest_page_rank)
}

impl Statistics {
    /// The statistics of pages with a vocabulary of `words` words.
    pub fn from_profiles<'p>(words: usize, profiles: impl Iterator<Item = &'p Profile>) -> Self {
        let mut statistics = Self { pages: 0, document_frequencies: vec![0; words], words: 0 };
        for profile in profiles {
            statistics.add(profile);
        }
        statistics
    }

    /// Adds a page.
    pub fn add(&mut self, profile: &Profile) {
        self.pages += 1;
        self.words += u64::from(profile.length);
        for &(word, _) in profile.counts() {
            self.document_frequencies[word as usize] += 1;
        }
    }

    /// Removes a page that was added.
    pub fn remove(&mut self, profile: &Profile) {
        self.pages -= 1;
        self.words -= u64::from(profile.length);
        for &(word, _) in profile.counts() {
            self.document_frequencies[word as usize] -= 1;
        }
    }

    /// The idf of a word.
    pub fn idf(&self, word: WordNo) -> f64 {
        idf(self.pages, self.document_frequencies[word as usize])
    }

    /// The weight of a word in TF-IDF: idf², once for the page and once for the query.
    pub fn weight(&self, word: WordNo) -> f64 {
        Scoring::TfIdf.weight(self.pages, self.document_frequencies[word as usize])
    }

    /// The BM25 of a page for a query whose words it contains, each word once.
    pub fn bm25(&self, profile: &Profile, words: &[WordNo]) -> f64 {
        let average = self.words as f64 / f64::from(self.pages.max(1));
        let of_word = |&word: &WordNo| {
            let frequency = self.document_frequencies[word as usize];
            let weight = Scoring::Bm25.weight(self.pages, frequency);
            weight * bm25_part(profile.count(word), profile.length, average)
        };
        words.iter().map(of_word).sum()
    }

    /// The TF-IDF of a page for a query: the sum of sqrt(tf) idf² / sqrt(length) over its words, each
    /// word once. `None` where the page lacks one of them, and for a query without words.
    pub fn tf_idf(&self, profile: &Profile, words: &[WordNo]) -> Option<f64> {
        let mut sum = 0.0;
        for &word in words {
            let count = profile.count(word);
            if count == 0 {
                return None;
            }
            sum += f64::from(count).sqrt() * self.weight(word);
        }
        (!words.is_empty()).then(|| sum / f64::from(profile.length).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relevance::rank;

    /// Four pages; word 0 is on two of them, word 1 on one, word 2 on none.
    fn profiles() -> [Profile; 4] {
        [
            Profile::new(100, vec![(0, 4), (1, 9)]),
            Profile::new(25, vec![(0, 1)]),
            Profile::new(50, vec![]),
            Profile::new(0, vec![]),
        ]
    }

    fn statistics() -> Statistics {
        Statistics::from_profiles(3, profiles().iter())
    }

    fn assert_near(found: f64, by_hand: f64) {
        assert!((found - by_hand).abs() < 1e-9, "{found} is not {by_hand}");
    }

    #[test]
    fn idf_follows_its_formula() {
        let statistics = statistics();
        assert_near(statistics.idf(0), 1.287_682_072_451_781); // 1 + ln(4/3)
        assert_near(statistics.idf(1), 1.693_147_180_559_945); // 1 + ln(4/2)
        assert_near(statistics.idf(2), 2.386_294_361_119_891); // 1 + ln(4/1)
    }

    #[test]
    fn tf_idf_is_that_of_classic_lucene() {
        let (statistics, profiles) = (statistics(), profiles());
        // (sqrt 4 * 1.287682² + sqrt 9 * 1.693147²) / sqrt 100 = (3.316250 + 8.600242) / 10.
        assert_near(statistics.tf_idf(&profiles[0], &[0, 1]).unwrap(), 1.191_649_236_454);
        // sqrt 1 * 1.287682² / sqrt 25 = 1.658125 / 5.
        assert_near(statistics.tf_idf(&profiles[1], &[0]).unwrap(), 0.331_625_024);
    }

    #[test]
    fn a_page_without_one_of_the_words_is_not_a_result() {
        let (statistics, profiles) = (statistics(), profiles());
        assert_eq!(statistics.tf_idf(&profiles[1], &[0, 1]), None);
        assert_eq!(statistics.tf_idf(&profiles[3], &[0]), None);
        assert_eq!(statistics.tf_idf(&profiles[0], &[]), None);
        assert_eq!(statistics.tf_idf(&profiles[3], &[]), None);
    }

    #[test]
    fn statistics_of_an_empty_collection_give_finite_weights() {
        let statistics = Statistics::from_profiles(1, std::iter::empty());
        assert_near(statistics.idf(0), 1.0);
    }

    #[test]
    fn removing_a_page_undoes_adding_it() {
        let [first, rest @ ..] = profiles();
        let mut statistics = statistics();
        statistics.remove(&first);
        assert_eq!(statistics, Statistics::from_profiles(3, rest.iter()));
        statistics.add(&first);
        assert_eq!(statistics, self::statistics());
    }

    fn results(scoring: Scoring, words: &[WordNo], highest_page_rank: f64) -> Vec<(u32, f64)> {
        let profiles = profiles();
        let candidates = profiles.iter().zip([(7, 3, 0.1), (5, 8, 0.4), (4, 9, 0.5), (1, 0, 0.0)]);
        let candidates = candidates.map(|(profile, (page, in_links, page_rank))| Candidate {
            page,
            profile,
            in_links,
            page_rank,
        });
        let mut results = scoring.results(&statistics(), words, candidates, highest_page_rank);
        rank(&mut results);
        results
    }

    #[test]
    fn results_contain_every_word_and_have_the_chosen_score() {
        // sqrt 4 * 1.658125 / 10 = 0.331625 for page 7: as much as page 5 by hand, above.
        let by_text = results(Scoring::TfIdf, &[0], 0.5);
        assert_eq!(by_text.len(), 2);
        assert_near(by_text[0].1, 0.331_625_024);
        assert_near(by_text[1].1, 0.331_625_024);
        assert_eq!(results(Scoring::InLinks, &[0], 0.5), [(5, 8.0), (7, 3.0)]);
        assert_eq!(results(Scoring::InLinks, &[0, 1], 0.5), [(7, 3.0)]);
        assert_eq!(results(Scoring::InLinks, &[2], 0.5), []);
    }

    #[test]
    fn the_blend_is_half_of_each_as_a_share_of_the_highest() {
        // Equal TF-IDF: 0.5 each; ranks 0.4 and 0.1 of 0.5: 0.4 and 0.1.
        let blended = results(Scoring::Blend, &[0], 0.5);
        assert_eq!([blended[0].0, blended[1].0], [5, 7]);
        assert_near(blended[0].1, 0.9);
        assert_near(blended[1].1, 0.6);
        // No page has a rank, so only the text counts.
        assert_near(results(Scoring::Blend, &[1], 0.0)[0].1, 0.5);
    }

    #[test]
    fn bm25_has_the_usual_constants() {
        // 4 pages with 43.75 words on average. idf of word 0: ln(1 + 2.5 / 2.5) = ln 2. Of page 5, which holds
        // it once among 25 words: 2.2 / (1 + 1.2 (0.25 + 0.75 * 25 / 43.75)) = 2.2 / 1.814286 = 1.212598.
        let found = results(Scoring::Bm25, &[0], 0.5);
        // Page 7 holds it four times among 100: 8.8 / (4 + 1.2 (0.25 + 1.714286)) = 8.8 / 6.357143 = 1.384270.
        assert_eq!([found[0].0, found[1].0], [7, 5]);
        assert_near(found[0].1, 1.384_269_662_921 * 2.0_f64.ln());
        assert_near(found[1].1, 1.212_598_425_197 * 2.0_f64.ln());
    }

    #[test]
    fn scoring_functions_are_found_by_name() {
        assert_eq!(Scoring::ALL.map(Scoring::name), ["tf-idf", "in-links", "blend", "bm25"]);
        for scoring in Scoring::ALL {
            assert_eq!(Scoring::by_name(scoring.name()), Some(scoring));
        }
        assert_eq!(Scoring::by_name("bm26"), None);
    }
}
