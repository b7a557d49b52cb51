//! Word counts of the texts of a web, for policies that use features. A replay leaves texts on disk.
use rayon::prelude::*;
use text::counts::{WordCountCache, WordCounter, WordCounts};

use crate::{
    compare::{Texts, TextsError},
    truth::GroundTruth,
};

/// A counter loses its cache with each chunk, so each one serves many pages.
const PAGES_AT_ONCE: usize = 256;

/// The word counts of every reading that is live at any cycle. A run sees no other.
///
/// # Errors
/// If the texts cannot be read.
pub fn count_words(truth: &GroundTruth, texts: &dyn Texts) -> Result<WordCountCache, TextsError> {
    let history = truth.history();
    let of_page = |counter: &mut WordCounter, page: usize| -> Result<Vec<_>, TextsError> {
        let cycles = 0..=truth.grid().cycles;
        let mut live: Vec<u32> = cycles.filter_map(|cycle| truth.reading(page, cycle)).collect();
        live.sort_unstable();
        live.dedup();
        if live.is_empty() {
            return Ok(vec![]);
        }
        let contents = texts.contents(page)?;
        let contents = contents.iter().filter(|(reading, _)| live.binary_search(reading).is_ok());
        Ok(contents
            .map(|(reading, content)| {
                (history.readings[*reading as usize].fingerprints.text, counter.count(content))
            })
            .collect())
    };
    let pages: Vec<Vec<(crawl::Digest, WordCounts)>> = (0..history.pages.len())
        .into_par_iter()
        .with_min_len(PAGES_AT_ONCE)
        .map_init(WordCounter::default, of_page)
        .collect::<Result<_, _>>()?;
    let mut cache = WordCountCache::default();
    for (text, words) in pages.into_iter().flatten() {
        cache.add(text, words);
    }
    Ok(cache)
}
