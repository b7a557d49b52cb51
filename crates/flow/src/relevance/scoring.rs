//! The scoring functions S of the papers.
use super::{Profile, WordNo};

/// What a page is scored by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scoring {
    /// The classic TF-IDF of Lucene (Pandey and Olston 2005).
    TfIdf,
    /// How many pages link to it (Pandey and Olston 2005).
    InLinks,
    /// Half TF-IDF, half `PageRank`, both in [0, 1] (Tan and Mitra 2010, eq. 14).
    Blend,
    /// BM25, which our own search ranks by.
    Bm25,
}

/// A page that may be among the results of a query.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'p> {
    /// Its number.
    pub page: u32,
    /// The words it holds.
    pub profile: &'p Profile,
    /// How many pages link to it.
    pub in_links: u32,
    /// Its `PageRank`.
    pub page_rank: f64,
}

/// What is known of a collection of pages: how many there are, and how many hold each word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How many pages there are.
    pub pages: u32,
    /// How many of them hold each word, by word.
    pub holding: Vec<u32>,
    /// How many words they have in all.
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

    /// What a word weighs that `holding` of `pages` hold: what all scores for it have in common.
    pub fn weight(self, pages: u32, holding: u32) -> f64 {
        match self {
            Self::TfIdf => inverse_frequency(pages, holding).powi(2),
            Self::InLinks | Self::Blend => 1.0,
            Self::Bm25 => {
                let (pages, holding) = (f64::from(pages), f64::from(holding));
                (((pages - holding).max(0.0) + 0.5) / (holding + 0.5)).ln_1p()
            }
        }
    }

    /// The results of a query among these pages, as page and score, in the order given: those that
    /// hold all its `words`. [`rank`](super::rank()) puts them in order.
    ///
    /// The paper does not say how eq. 14 brings its halves to [0, 1]. Here TF-IDF is divided by the
    /// highest among the results of the same query, and `PageRank` by `highest_page_rank`, that of the
    /// collection; only the blend uses it.
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

/// The idf of a word: 1 + ln(N / (df + 1)). Of an empty collection, that of one page.
fn inverse_frequency(pages: u32, holding: u32) -> f64 {
    1.0 + (f64::from(pages.max(1)) / (f64::from(holding) + 1.0)).ln()
}

/// A page's part of its BM25 for a word that it holds `count` times, with the usual constants: what is
/// left to multiply is the word's weight. Pages have `average_length` words.
pub fn bm25_part(count: u32, length: u32, average_length: f64) -> f64 {
    const SATURATION: f64 = 1.2;
    const BY_LENGTH: f64 = 0.75;
    let count = f64::from(count);
    let longer = f64::from(length) / average_length.max(1.0);
    let norm = SATURATION * (1.0 - BY_LENGTH + BY_LENGTH * longer);
    count * (SATURATION + 1.0) / (count + norm)
}

/// Half of each, as a share of the highest. Where there is no highest, nothing has any share.
fn blend(tf_idf: f64, highest_tf_idf: f64, page_rank: f64, highest_page_rank: f64) -> f64 {
    let share = |value: f64, highest: f64| if highest > 0.0 { value / highest } else { 0.0 };
    0.5 * share(tf_idf, highest_tf_idf) + 0.5 * share(page_rank, highest_page_rank)
}

impl Statistics {
    /// Counts a collection.
    pub fn of<'p>(words: usize, profiles: impl Iterator<Item = &'p Profile>) -> Self {
        let mut statistics = Self { pages: 0, holding: vec![0; words], words: 0 };
        for profile in profiles {
            statistics.add(profile);
        }
        statistics
    }

    /// Takes a page into the collection.
    pub fn add(&mut self, profile: &Profile) {
        self.pages += 1;
        self.words += u64::from(profile.length);
        for &(word, _) in profile.counts() {
            self.holding[word as usize] += 1;
        }
    }

    /// Takes a page that was added out of the collection again.
    pub fn remove(&mut self, profile: &Profile) {
        self.pages -= 1;
        self.words -= u64::from(profile.length);
        for &(word, _) in profile.counts() {
            self.holding[word as usize] -= 1;
        }
    }

    /// The idf of a word.
    pub fn inverse_frequency(&self, word: WordNo) -> f64 {
        inverse_frequency(self.pages, self.holding[word as usize])
    }

    /// What a word weighs in TF-IDF: idf², once for the page and once for the query.
    pub fn weight(&self, word: WordNo) -> f64 {
        Scoring::TfIdf.weight(self.pages, self.holding[word as usize])
    }

    /// The BM25 of a page for a query whose words it holds, each word once.
    pub fn bm25(&self, profile: &Profile, words: &[WordNo]) -> f64 {
        let average = self.words as f64 / f64::from(self.pages.max(1));
        let of_word = |&word: &WordNo| {
            let weight = Scoring::Bm25.weight(self.pages, self.holding[word as usize]);
            weight * bm25_part(profile.count(word), profile.length, average)
        };
        words.iter().map(of_word).sum()
    }

    /// The TF-IDF of a page for a query: sum of sqrt(tf) idf² / sqrt(length) over its words, each
    /// word once. `None` where the page does not hold all of them, and for a query without words.
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
        Statistics::of(3, profiles().iter())
    }

    fn assert_near(found: f64, by_hand: f64) {
        assert!((found - by_hand).abs() < 1e-9, "{found} is not {by_hand}");
    }

    #[test]
    fn idf_is_one_and_the_logarithm_of_pages_to_holders_and_one() {
        let statistics = statistics();
        assert_near(statistics.inverse_frequency(0), 1.287_682_072_451_781); // 1 + ln(4/3)
        assert_near(statistics.inverse_frequency(1), 1.693_147_180_559_945); // 1 + ln(4/2)
        assert_near(statistics.inverse_frequency(2), 2.386_294_361_119_891); // 1 + ln(4/1)
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
    fn a_page_without_one_of_the_words_is_no_result() {
        let (statistics, profiles) = (statistics(), profiles());
        assert_eq!(statistics.tf_idf(&profiles[1], &[0, 1]), None);
        assert_eq!(statistics.tf_idf(&profiles[3], &[0]), None);
        assert_eq!(statistics.tf_idf(&profiles[0], &[]), None);
        assert_eq!(statistics.tf_idf(&profiles[3], &[]), None);
    }

    #[test]
    fn statistics_of_an_empty_collection_give_finite_weights() {
        let statistics = Statistics::of(1, std::iter::empty());
        assert_near(statistics.inverse_frequency(0), 1.0);
    }

    #[test]
    fn a_page_taken_out_leaves_no_trace() {
        let [first, rest @ ..] = profiles();
        let mut statistics = statistics();
        statistics.remove(&first);
        assert_eq!(statistics, Statistics::of(3, rest.iter()));
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
    fn results_hold_every_word_and_are_scored_by_what_was_chosen() {
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
        // Nobody has a rank: text alone decides.
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
    fn scoring_functions_go_by_their_names() {
        assert_eq!(Scoring::ALL.map(Scoring::name), ["tf-idf", "in-links", "blend", "bm25"]);
        for scoring in Scoring::ALL {
            assert_eq!(Scoring::by_name(scoring.name()), Some(scoring));
        }
        assert_eq!(Scoring::by_name("bm26"), None);
    }
}
