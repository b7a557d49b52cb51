//! Experts by warping: pages whose words come and go alike, but not on the same days.
//!
//! Candidates are found by the mean count of each word. Few of them are warped in full: a word that is constant
//! on one side needs no warping, others have a lower bound, and a page is dropped as soon as it cannot be among
//! the nearest any more.
use crawl::Time;
use instruments::features::VisitRecord;
use rayon::prelude::*;

use super::{
    ChosenExpert, ExpertSettings, WordRelation, heavier,
    inverted_index::{Index, LONG, OwnWord},
    latest,
    series::{Catalogue, catalogue},
    vocabulary::{Vocabulary, Word},
    warping::{Course, envelope, least_cost, plain_cost, warped, weight},
};

/// A page is dropped only if it is farther by more than rounding.
const CLEARLY: f64 = 1.0 + 1e-9;

/// The words of all pages, with their series.
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
        settings: &ExpertSettings,
        vocabulary: &Vocabulary,
        histories: &[&[VisitRecord]],
        now: Time,
    ) -> Self {
        let days = settings.days();
        let (varying, series) = catalogue(histories, now, days, vocabulary, |_| ());
        let words = |visits: &&[VisitRecord]| {
            latest(visits).map(|words| vocabulary.words(words)).unwrap_or_default()
        };
        let own: Vec<Vec<Word>> = histories.par_iter().map(words).collect();
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
        Self { days, band: settings.band, own, varying, series, index }
    }

    /// The words of a page whose experts are searched, ready to be compared with many.
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

    /// The lower bound of each word's cost, and the series if the cost may be higher.
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

    /// The distance to a page with known bounds; `None` if it is clearly above `limit`.
    fn distance(&self, own: &[Own<'_>], bounds: &mut [Bound<'_>], limit: f64) -> Option<f64> {
        let limit = limit * CLEARLY;
        let mut bound = total(own, bounds);
        for (word, known) in own.iter().zip(bounds.iter_mut()) {
            let (Course::Varying(mine), Some(theirs)) = (word.course, known.series) else {
                continue;
            };
            // The most that this word may cost if all others cost no more than their bounds.
            let most = (limit - bound) / word.share + known.cost as f64;
            let cost = warped(mine, theirs, self.band, most as u64)?;
            bound += word.share * (cost - known.cost) as f64;
            known.cost = cost;
        }
        Some(total(own, bounds))
    }
}

/// A word of the page whose experts are searched.
struct Own<'a> {
    word: u32,
    share: f64,
    course: Course<'a>,
    /// Of a varying word.
    envelope: Vec<(u16, u16)>,
}

/// A lower bound on the cost of a word; exact if there is no series.
struct Bound<'a> {
    cost: u64,
    series: Option<&'a [u16]>,
}

/// Always in the order of words, so that equal costs have equal sums and lower ones no higher.
fn total(own: &[Own<'_>], costs: &[Bound<'_>]) -> f64 {
    own.iter().zip(costs).map(|(word, bound)| word.share * bound.cost as f64).sum()
}

fn find(varying: &[(u32, u32)], word: u32) -> Option<u32> {
    varying.binary_search_by_key(&word, |&(word, _)| word).ok().map(|row| varying[row].1)
}

impl WordRelation for Warper {
    type Value = f32;

    fn index(&self) -> &Index<f32> {
        &self.index
    }

    fn mine(&self, page: usize) -> Vec<OwnWord<f32>> {
        let mine = |word: &Word| {
            let row = self.index.row(page);
            let found = row.binary_search_by_key(&word.number, |&(word, _)| word);
            let value = found.map_or(0.0, |found| row[found].1);
            OwnWord { word: word.number, weight: word.share, value }
        };
        self.own[page].iter().map(mine).collect()
    }

    /// Lists are in order of mean: the head of a long one has the pages with the same mean, then those above, then
    /// those below.
    fn head<'a>(&self, mine: f32, list: &'a [(f32, u32)]) -> &'a [(f32, u32)] {
        let start = list.partition_point(|posting| posting.0 < mine);
        let end = list.len().min(start + LONG);
        &list[end - LONG.min(end)..end]
    }

    /// How much a shared word reduces the distance per day, as if neither varied.
    fn gain(&self, mine: f32, theirs: f32) -> f64 {
        f64::from(mine - (mine - theirs).abs())
    }

    fn self_weight(&self, _: usize) -> f64 {
        1.0
    }

    /// A page without words is at distance 0 from any other, and has no experts.
    fn best(&self, page: usize, among: &[u32], most: usize) -> Vec<ChosenExpert> {
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
        let mut nearest: Vec<(ChosenExpert, f64)> = vec![];
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
            let chosen = ChosenExpert { page: other as usize, weight: weight(distance), lag: 0 };
            let place = nearest.partition_point(|kept| heavier(&kept.0, &chosen).is_lt());
            nearest.insert(place, (chosen, distance));
            nearest.truncate(most);
        }
        nearest.into_iter().map(|(chosen, _)| chosen).collect()
    }
}
