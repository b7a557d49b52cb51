//! The words of a web's texts, for policies that look at features: a replay leaves texts on disk.
use flow::features::{Library, WordCounter, WordCounts};
use rayon::prelude::*;

use crate::{
    compare::{Texts, TextsError},
    truth::Truth,
};

/// What a counter has learned is lost with it: few of them, each for many pages.
const PAGES_AT_ONCE: usize = 256;

/// The words of every reading that is live at any cycle: no other is ever seen in a run.
///
/// # Errors
/// When the texts cannot be read.
pub fn library(truth: &Truth, texts: &dyn Texts) -> Result<Library, TextsError> {
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
                (history.readings[*reading as usize].marks.text, counter.count(content))
            })
            .collect())
    };
    let pages: Vec<Vec<(flow::Digest, WordCounts)>> = (0..history.pages.len())
        .into_par_iter()
        .with_min_len(PAGES_AT_ONCE)
        .map_init(WordCounter::default, of_page)
        .collect::<Result<_, _>>()?;
    let mut library = Library::default();
    for (text, words) in pages.into_iter().flatten() {
        library.add(text, words);
    }
    Ok(library)
}
