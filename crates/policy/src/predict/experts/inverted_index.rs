//! Which pages to compare: those that share words, by an inverted index.
//!
//! All pairs of 20,000 pages are 200 million. For each word of a page its posting list is read, and the gain
//! of the word is summed by page. A word that very many pages have (a template that a whole site shares,
//! rebuilt in a night) says little and costs much: of a list of more than [`LONG`] pages only a head of at
//! most [`LONG`] is read, the pages whose use of the word is most similar or, for content, those where it
//! weighs most. To correct for what that misses, the best pages are then looked up in all long lists, and the
//! best of these are the candidates. A page that shares no word is never a candidate.
use std::cmp::Ordering;

use rayon::prelude::*;

use super::WordRelation;

/// The most pages read of a posting list. Measured where 20,000 pages share one topic, on about 100 pages
/// (`benches/experts.rs`, 2026-11-16): with 1,000 the recall was 0.53 by content, 0.99 by correlation and 0.23
/// by warping, with 4,000 it is 0.82, 1.00 and 0.80.
pub(super) const LONG: usize = 4_000;

/// How many more pages than candidates are looked up in the long lists.
const POOL_PER_CANDIDATE: usize = 4;

/// The words of all pages, by page and by word.
pub(super) struct Index<V> {
    rows: Vec<Vec<(u32, V)>>,
    lists: Vec<Vec<(V, u32)>>,
}

/// A word of the page whose experts are searched.
pub(super) struct OwnWord<V> {
    pub word: u32,
    pub weight: f64,
    pub value: V,
}

impl<V: Copy + Send + Sync> Index<V> {
    /// The index of pages, each with its words in order. Lists are in the given order of values, then by row.
    pub(super) fn new(
        words: usize,
        rows: Vec<Vec<(u32, V)>>,
        order: impl Fn(&V, &V) -> Ordering + Sync,
    ) -> Self {
        let mut lists: Vec<Vec<(V, u32)>> = Vec::new();
        lists.resize_with(words, Vec::new);
        for (page, row) in rows.iter().enumerate() {
            for &(word, value) in row {
                lists[word as usize].push((value, page as u32));
            }
        }
        lists.par_iter_mut().for_each(|list| list.sort_by(|one, other| order(&one.0, &other.0)));
        Self { rows, lists }
    }

    /// The words of a page.
    pub(super) fn row(&self, page: usize) -> &[(u32, V)] {
        &self.rows[page]
    }
}

/// The memory of one thread.
pub(super) struct Scratch {
    scores: Vec<Score>,
    seen: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Score {
    seen: bool,
    /// From lists that were read completely.
    whole: f64,
    /// From heads of long lists.
    head: f64,
}

impl Scratch {
    pub(super) fn new(pages: usize) -> Self {
        Self { scores: vec![Score::default(); pages], seen: vec![] }
    }

    fn score(&mut self, page: u32) -> &mut Score {
        let score = &mut self.scores[page as usize];
        if !score.seen {
            score.seen = true;
            self.seen.push(page);
        }
        score
    }
}

/// At most `most` pages that may be related to a page, in order of row.
pub(super) fn candidates<R: WordRelation>(
    relation: &R,
    page: usize,
    most: usize,
    scratch: &mut Scratch,
) -> Vec<u32> {
    let index = relation.index();
    let mine = relation.mine(page);
    let is_long = |word: u32| index.lists[word as usize].len() > LONG;
    for word in &mine {
        let list = &index.lists[word.word as usize];
        let long = is_long(word.word);
        let read = if long { relation.head(word.value, list) } else { list };
        // Equal values are adjacent, and comparing them costs more than reading on.
        for same in read.chunk_by(|one, other| one.0 == other.0) {
            let gain = word.weight * relation.gain(word.value, same[0].0);
            for &(_, other) in same {
                let score = scratch.score(other);
                *(if long { &mut score.head } else { &mut score.whole }) += gain;
            }
        }
    }
    let scored = |scratch: &Scratch, other: u32| {
        let score = scratch.scores[other as usize];
        (score.whole + score.head, other)
    };
    let others = scratch.seen.iter().filter(|&&other| other as usize != page);
    let mut pool: Vec<(f64, u32)> = others.map(|&other| scored(scratch, other)).collect();
    keep_highest(&mut pool, most.saturating_mul(POOL_PER_CANDIDATE));
    let long: Vec<&OwnWord<R::Value>> = mine.iter().filter(|word| is_long(word.word)).collect();
    if pool.len() > most {
        for (score, other) in &mut pool {
            *score = scratch.scores[*other as usize].whole;
            each_shared(
                &long,
                |word| word.word,
                index.row(*other as usize),
                |word, theirs| {
                    *score += word.weight * relation.gain(word.value, theirs);
                },
            );
        }
        keep_highest(&mut pool, most);
    }
    for other in scratch.seen.drain(..) {
        scratch.scores[other as usize] = Score::default();
    }
    let mut pages: Vec<u32> = pool.into_iter().map(|(_, other)| other).collect();
    pages.sort_unstable();
    pages
}

/// Calls `each` with every word that both have; both are in order of word.
pub(super) fn each_shared<M, V: Copy>(
    mine: &[M],
    word: impl Fn(&M) -> u32,
    theirs: &[(u32, V)],
    mut each: impl FnMut(&M, V),
) {
    let (mut row, mut other) = (0, 0);
    while let (Some(one), Some(&(number, value))) = (mine.get(row), theirs.get(other)) {
        match word(one).cmp(&number) {
            Ordering::Less => row += 1,
            Ordering::Greater => other += 1,
            Ordering::Equal => {
                each(one, value);
                row += 1;
                other += 1;
            }
        }
    }
}

/// Keeps the highest scores, of equals the lower rows, in any order.
fn keep_highest(scored: &mut Vec<(f64, u32)>, most: usize) {
    if scored.len() > most {
        scored.select_nth_unstable_by(most, |one, other| {
            other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
        });
        scored.truncate(most);
    }
}
