//! Experts by warping: pages whose words come and go alike, if not on the same days.
//!
//! Candidates are found by the mean count of each word. Few of them are warped in full: a word that does
//! not vary on both sides needs no warping, for the others there is a lower bound, and a page is given up
//! as soon as it cannot be among the nearest any more.
use flow::{Time, features::Look};
use rayon::prelude::*;

use super::{
    Choosing, Chosen, Relating, heavier,
    index::{Index, LONG, Mine},
    latest,
    series::{Catalogue, catalogue},
    vocabulary::{Vocabulary, Word},
    warping::{Course, envelope, least_cost, plain_cost, warped, weight},
};

/// A page is given up only when it is farther by more than rounding.
const CLEARLY: f64 = 1.0 + 1e-9;

/// The words of all pages, with how they vary.
pub(super) struct Warper {
    days: usize,
    band: usize,
    own: Vec<Vec<Word>>,
    /// The words that vary, also some that a page no longer has, with the number of their series.
    varying: Vec<Vec<(u32, u32)>>,
    series: Catalogue,
    /// By mean count.
    index: Index<f32>,
}

impl Warper {
    pub(super) fn new(
        choosing: &Choosing,
        vocabulary: &Vocabulary,
        pasts: &[&[Look]],
        now: Time,
    ) -> Self {
        let days = choosing.days();
        let (varying, series) = catalogue(pasts, now, days, vocabulary, |_| ());
        let words = |looks: &&[Look]| {
            latest(looks).map(|words| vocabulary.words(words)).unwrap_or_default()
        };
        let own: Vec<Vec<Word>> = pasts.par_iter().map(words).collect();
        let mean = |number: u32| {
            let sum: f32 = series.series(number).iter().map(|&count| f32::from(count)).sum();
            sum / days as f32
        };
        let means: Vec<f32> = (0..series.len() as u32).into_par_iter().map(mean).collect();
        let row = |(own, varying): (&Vec<Word>, &Vec<(u32, u32)>)| {
            let mut row: Vec<(u32, f32)> =
                varying.iter().map(|&(word, number)| (word, means[number as usize])).collect();
            let constant = own.iter().filter(|word| find(varying, word.number).is_none());
            row.extend(constant.map(|word| (word.number, f32::from(word.count))));
            row.sort_unstable_by_key(|&(word, _)| word);
            row
        };
        let rows = own.par_iter().zip(&varying).map(row).collect();
        let index = Index::new(vocabulary.len(), rows, f32::total_cmp);
        Self { days, band: choosing.band, own, varying, series, index }
    }

    /// The words of a page that experts are looked for, ready to be compared with many.
    fn courses(&self, page: usize) -> Vec<Own<'_>> {
        let course = |word: &Word| match find(&self.varying[page], word.number) {
            None => (Course::Constant(word.count), vec![]),
            Some(number) => {
                let series = self.series.series(number);
                (Course::Varying(series), envelope(series, self.band))
            }
        };
        let own = self.own[page].iter().map(|word| (word, course(word)));
        own.map(|(word, (course, envelope))| Own {
            word: word.number,
            share: word.share,
            course,
            envelope,
        })
        .collect()
    }

    /// What each word costs at least, and the series where it may cost more.
    fn bounds<'a>(&'a self, own: &[Own<'_>], other: usize, bounds: &mut Vec<Bound<'a>>) {
        bounds.clear();
        let (constant, varying) = (&self.own[other], &self.varying[other]);
        let (mut at, mut row) = (0, 0);
        for word in own {
            while constant.get(at).is_some_and(|found| found.number < word.word) {
                at += 1;
            }
            while varying.get(row).is_some_and(|found| found.0 < word.word) {
                row += 1;
            }
            let course = match (varying.get(row), constant.get(at)) {
                (Some(&(found, number)), _) if found == word.word => {
                    Course::Varying(self.series.series(number))
                }
                (_, Some(found)) if found.number == word.word => Course::Constant(found.count),
                _ => Course::Constant(0),
            };
            bounds.push(match (plain_cost(word.course, course, self.days), course) {
                (None, Course::Varying(series)) => {
                    Bound { cost: least_cost(&word.envelope, series), series: Some(series) }
                }
                (cost, _) => Bound { cost: cost.unwrap_or(0), series: None },
            });
        }
    }

    /// The distance to a page, of which the bounds are known; none where it is clearly above `limit`.
    fn distance(&self, own: &[Own<'_>], bounds: &mut [Bound<'_>], limit: f64) -> Option<f64> {
        let limit = limit * CLEARLY;
        let mut bound = total(own, bounds);
        for (word, known) in own.iter().zip(bounds.iter_mut()) {
            let (Course::Varying(mine), Some(theirs)) = (word.course, known.series) else {
                continue;
            };
            // What this word may cost if all others cost no more than they must.
            let most = (limit - bound) / word.share + known.cost as f64;
            let cost = warped(mine, theirs, self.band, most as u64)?;
            bound += word.share * (cost - known.cost) as f64;
            known.cost = cost;
        }
        Some(total(own, bounds))
    }
}

/// A word of the page that experts are looked for.
struct Own<'a> {
    word: u32,
    share: f64,
    course: Course<'a>,
    /// Where it varies.
    envelope: Vec<(u16, u16)>,
}

/// What a word costs at least, and exactly where there is no series.
struct Bound<'a> {
    cost: u64,
    series: Option<&'a [u16]>,
}

/// Always in the order of words: the same costs have the same sum, and lower ones none above it.
fn total(own: &[Own<'_>], costs: &[Bound<'_>]) -> f64 {
    own.iter().zip(costs).map(|(word, bound)| word.share * bound.cost as f64).sum()
}

fn find(varying: &[(u32, u32)], word: u32) -> Option<u32> {
    varying.binary_search_by_key(&word, |&(word, _)| word).ok().map(|row| varying[row].1)
}

impl Relating for Warper {
    type Value = f32;

    fn index(&self) -> &Index<f32> {
        &self.index
    }

    fn mine(&self, page: usize) -> Vec<Mine<f32>> {
        let mine = |word: &Word| {
            let row = self.index.row(page);
            let found = row.binary_search_by_key(&word.number, |&(word, _)| word);
            let value = found.map_or(0.0, |found| row[found].1);
            Mine { word: word.number, weight: word.share, value }
        };
        self.own[page].iter().map(mine).collect()
    }

    /// Lists are in order of mean: of a long one the pages with the same mean, then those above, then
    /// those below.
    fn head<'a>(&self, mine: f32, list: &'a [(f32, u32)]) -> &'a [(f32, u32)] {
        let start = list.partition_point(|posting| posting.0 < mine);
        let end = list.len().min(start + LONG);
        &list[end - LONG.min(end)..end]
    }

    /// How much nearer a page is for having the word: by day, and as if neither varied.
    fn gain(&self, mine: f32, theirs: f32) -> f64 {
        f64::from(mine - (mine - theirs).abs())
    }

    fn itself(&self, _: usize) -> f64 {
        1.0
    }

    /// A page without words is at no distance from any other, and has no experts.
    fn best(&self, page: usize, among: &[u32], most: usize) -> Vec<Chosen> {
        let own = self.courses(page);
        if own.is_empty() {
            return vec![];
        }
        let mut bounds = Vec::with_capacity(own.len());
        let mut least: Vec<(f64, u32)> = Vec::with_capacity(among.len());
        for &other in among {
            self.bounds(&own, other as usize, &mut bounds);
            least.push((total(&own, &bounds), other));
        }
        least.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut nearest: Vec<(Chosen, f64)> = vec![];
        for (bound, other) in least {
            let limit = match nearest.last() {
                Some(&(_, farthest)) if nearest.len() == most => farthest,
                _ => f64::MAX / 2.0,
            };
            if bound > limit * CLEARLY {
                break;
            }
            self.bounds(&own, other as usize, &mut bounds);
            let Some(distance) = self.distance(&own, &mut bounds, limit) else { continue };
            let chosen = Chosen { page: other as usize, weight: weight(distance), lag: 0 };
            let place = nearest.partition_point(|kept| heavier(&kept.0, &chosen).is_lt());
            nearest.insert(place, (chosen, distance));
            nearest.truncate(most);
        }
        nearest.into_iter().map(|(chosen, _)| chosen).collect()
    }
}
