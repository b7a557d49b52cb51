//! Every page of a web on every day, as a crawler sees it that visits all pages every day.
use std::{borrow::Cow, sync::Arc};

use crawl::{ChangeDetector, Instruments, Outcome, PageNo, Snapshot, Time, Visited};
use extract::detect::{ChiSquared, ShinglesExact};
use instruments::features::{Changes, FeatureNeeds, Features, PageFeatures, VisitRecord};
use lab::{
    compare::{Texts, TextsError},
    discovery::links::SiteLinks,
    truth::GroundTruth,
};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use text::counts::{WordCountCache, WordCounter, WordCounts};

use crate::radinsky_2013::forecast::label::{FAR, Label, labels};

/// A counter caches words, so there are few of them, each for many pages.
const PAGES_AT_ONCE: usize = 64;

/// The fully observed days of a web (section 3.3).
#[derive(Debug)]
pub(crate) struct Days {
    truth: Arc<GroundTruth>,
    links: SiteLinks,
    /// The visits of every page, one for each day on which it is alive.
    visits: Vec<Vec<VisitRecord>>,
    /// For the same days, whether more than a tenth of the shingles differ from the day before.
    far: Vec<Vec<bool>>,
    /// How the test on stored words agrees with the test on whole texts.
    pub(crate) agreement: Agreement,
}

/// The days of one page.
#[derive(Default)]
struct PageDays {
    visits: Vec<VisitRecord>,
    far: Vec<bool>,
    agreement: Agreement,
}

/// Changed texts by the results of two tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreement {
    /// Pairs of texts that differ.
    pub(crate) pairs: usize,
    /// Those that differ significantly by the test on whole texts.
    pub(crate) by_text: usize,
    /// Those that differ significantly by the test on stored words.
    pub(crate) by_words: usize,
    /// Those on which they agree.
    pub(crate) agreed: usize,
}

impl Agreement {
    fn and(self, other: Self) -> Self {
        Self {
            pairs: self.pairs + other.pairs,
            by_text: self.by_text + other.by_text,
            by_words: self.by_words + other.by_words,
            agreed: self.agreed + other.agreed,
        }
    }
}

impl Days {
    /// The days of a web with daily cycles, where any difference of texts is a change.
    ///
    /// # Errors
    /// If the texts cannot be read.
    pub(crate) fn new(truth: &Arc<GroundTruth>, texts: &dyn Texts) -> Result<Self, TextsError> {
        let found: Vec<PageDays> = (0..truth.history().pages.len())
            .into_par_iter()
            .with_min_len(PAGES_AT_ONCE)
            .map_init(WordCounter::default, |counter, page| days_of(truth, texts, page, counter))
            .collect::<Result<_, _>>()?;
        let links = SiteLinks::new(truth);
        let (mut visits, mut far, mut agreement) = (vec![], vec![], Agreement::default());
        for page in found {
            visits.push(page.visits);
            far.push(page.far);
            agreement = agreement.and(page.agreement);
        }
        Ok(Self { truth: Arc::clone(truth), links, visits, far, agreement })
    }

    /// The name of the web.
    pub(crate) fn name(&self) -> &str {
        &self.truth.history().name
    }

    /// The number of pages over the whole time.
    pub(crate) fn pages(&self) -> usize {
        self.visits.len()
    }

    /// The address of a page.
    pub(crate) fn address(&self, page: usize) -> &str {
        &self.truth.history().pages[page].address
    }

    /// The instant of a day; the first is 0.
    pub(crate) fn instant(&self, day: usize) -> Time {
        self.truth.grid().instant(day)
    }

    /// The number of the last day.
    pub(crate) fn last(&self) -> usize {
        self.truth.grid().cycles
    }

    /// The visits of every page, with the label in place of its [target](Label::target).
    pub(crate) fn visits(&self, label: Label) -> Cow<'_, [Vec<VisitRecord>]> {
        if label != Label::Far {
            return Cow::Borrowed(&self.visits);
        }
        let mut visits = self.visits.clone();
        for (visit, is_far) in visits.iter_mut().flatten().zip(self.far.iter().flatten()) {
            visit.changes.any = *is_far;
        }
        Cow::Owned(visits)
    }

    /// The labels of a page: one for every day on which it is alive, except the first.
    pub(crate) fn labels(&self, page: usize, label: Label) -> Vec<bool> {
        match label {
            Label::Far => self.far[page].iter().skip(1).copied().collect(),
            _ => labels(&self.visits[page], label.target()),
        }
    }

    /// The days on which the text of any page differs from the day before.
    pub(crate) fn eventful(&self) -> Vec<usize> {
        let grid = self.truth.grid();
        let changed = self.visits.iter().flatten().filter(|visit| visit.changes.any);
        let mut days: Vec<usize> = changed.map(|visit| grid.number(visit.at)).collect();
        days.sort_unstable();
        days.dedup();
        days
    }

    /// The pages of its site that a page links to on a day.
    pub(crate) fn links(&self, page: usize, day: usize) -> Vec<usize> {
        let reading = self.truth.reading(page, day);
        let targets = reading.map_or(&[][..], |reading| self.links.targets(reading));
        targets.iter().map(|&target| target as usize).collect()
    }
}

fn days_of(
    truth: &GroundTruth,
    texts: &dyn Texts,
    page: usize,
    counter: &mut WordCounter,
) -> Result<PageDays, TextsError> {
    let cycles = 0..=truth.grid().cycles;
    let live: Vec<(Time, u32)> = cycles
        .filter_map(|cycle| Some((truth.grid().instant(cycle), truth.reading(page, cycle)?)))
        .collect();
    let readings: FxHashSet<u32> = live.iter().map(|&(_, reading)| reading).collect();
    if readings.is_empty() {
        return Ok(PageDays::default());
    }
    let mut full: FxHashMap<u32, Arc<Snapshot>> = FxHashMap::default();
    let mut word_counts = WordCountCache::default();
    for (reading, content) in texts.contents(page)? {
        if readings.contains(&reading) {
            let light = truth.history().readings[reading as usize].as_ref().clone();
            word_counts.add(light.fingerprints.text, counter.count(&content));
            full.insert(reading, Arc::new(Snapshot { content: Some(content), ..light }));
        }
    }
    let words = |reading: u32| -> Arc<WordCounts> {
        let text = truth.history().readings[reading as usize].fingerprints.text;
        word_counts.find(text).map_or_else(Arc::default, Arc::clone)
    };
    let mut days = PageDays::default();
    let mut known: FxHashMap<(u32, u32), (Changes, bool)> = FxHashMap::default();
    let mut before = None;
    for (at, reading) in live {
        let (changes, is_far) = match before {
            Some(before) if before != reading => {
                *known.entry((before, reading)).or_insert_with(|| {
                    let pair = [&full[&before], &full[&reading]];
                    let found = compared(truth, (before, reading), pair);
                    if found.0.any {
                        let by_words = kept(pair, &[before, reading].map(words));
                        days.agreement = days.agreement.and(Agreement {
                            pairs: 1,
                            by_text: usize::from(found.0.significant),
                            by_words: usize::from(by_words),
                            agreed: usize::from(found.0.significant == by_words),
                        });
                    }
                    found
                })
            }
            _ => Default::default(),
        };
        before = Some(reading);
        // Days without a change share their words.
        let words = match days.visits.last() {
            Some(last) if !changes.any => Arc::clone(&last.words),
            _ => words(reading),
        };
        days.visits.push(VisitRecord { at, changes, words });
        days.far.push(is_far);
    }
    Ok(days)
}

/// What changed from one reading to another, and whether many shingles differ.
fn compared(
    truth: &GroundTruth,
    (old, new): (u32, u32),
    full: [&Arc<Snapshot>; 2],
) -> (Changes, bool) {
    let any = !truth.same(Some(old), Some(new));
    let changes = Changes {
        any,
        significant: any && ChiSquared.change(full[0], full[1], Instruments::NONE) > 0.0,
        new_link: shows_new_link(full[0], full[1]),
    };
    (changes, any && ShinglesExact.change(full[0], full[1], Instruments::NONE) > FAR)
}

fn shows_new_link(old: &Snapshot, new: &Snapshot) -> bool {
    if old.links.digest() == new.links.digest() {
        return false;
    }
    let addresses = |snapshot: &'_ Snapshot| -> FxHashSet<Arc<str>> {
        snapshot.links.links().iter().map(|link| Arc::clone(&link.address)).collect()
    };
    let old = addresses(old);
    addresses(new).iter().any(|address| !old.contains(address))
}

/// Whether a change is significant for a crawler that stores only words.
fn kept(full: [&Arc<Snapshot>; 2], words: &[Arc<WordCounts>; 2]) -> bool {
    let mut word_counts = WordCountCache::default();
    for (snapshot, words) in full.iter().zip(words) {
        word_counts.add(snapshot.fingerprints.text, words.as_ref().clone());
    }
    let mut features =
        Features::new(FeatureNeeds { look_back: 2 }).with_word_counts(Arc::new(word_counts));
    let page = PageNo(0);
    for (outcome, snapshot) in [Outcome::First, Outcome::Changed(1.0)].into_iter().zip(full) {
        let at = Time::from_millis(0);
        features.apply(&Visited {
            host: crawl::HostNo(0),
            page,
            address: "",
            at,
            outcome,
            new: Some(snapshot),
            shows_new_link: false,
            cost: crawl::Cost::default(),
        });
    }
    let visits = features.page(page).map(PageFeatures::visits).unwrap_or_default();
    visits.last().is_some_and(|visit| visit.changes.significant)
}
