//! The results of every query from one collection of pages, updated incrementally.
//!
//! The collection is a repository or the live web itself. A cycle touches only the queries that a
//! changed page answers or answered.
use super::{ABSENT, matches::Matches};

/// One result of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    /// The history's number of the page.
    pub(super) page: u32,
    /// The TF-IDF of what the collection holds of it.
    pub(super) score: f64,
    /// The TF-IDF of the live page; 0 if it is gone or lacks a word of the query.
    pub(super) truth: f64,
}

impl Hit {
    /// The order of results: the best first; ties by address.
    fn is_before(&self, other: &Self) -> bool {
        self.score > other.score || (self.score >= other.score && self.page < other.page)
    }
}

/// The results of every query.
pub(super) struct Answers<'m> {
    matches: &'m Matches,
    /// By page, the reading in the collection and on the live web; [`ABSENT`] if there is none.
    held: Vec<u32>,
    live: Vec<u32>,
    /// By query, the best result first.
    lists: Vec<Vec<Hit>>,
}

/// The effect of a page's change on a query.
struct Step {
    query: u32,
    page: u32,
    /// The new result; `None` if the page is no longer a result.
    now: Option<Hit>,
}

impl<'m> Answers<'m> {
    /// The results of an empty collection.
    pub(super) fn new(matches: &'m Matches, pages: usize, queries: usize) -> Self {
        let lists = vec![vec![]; queries];
        Self { matches, held: vec![ABSENT; pages], live: vec![ABSENT; pages], lists }
    }

    /// The results of a query, the best first.
    pub(super) fn results(&self, query: usize) -> &[Hit] {
        &self.lists[query]
    }

    /// The queries that a page of the collection answers.
    pub(super) fn queries_of(&self, page: usize) -> impl Iterator<Item = u32> {
        let held = Some(self.held[page]).filter(|&held| held != ABSENT);
        held.into_iter().flat_map(|held| self.matches.of_reading(held)).map(|(query, _)| query)
    }

    /// Applies the current held and live readings. Returns the queries whose results changed, in
    /// order.
    pub(super) fn update(&mut self, held: &[u32], live: &[u32]) -> Vec<u32> {
        let mut steps = vec![];
        for page in 0..held.len() {
            if held[page] == self.held[page] && live[page] == self.live[page] {
                continue;
            }
            self.change(page, held[page], live[page], &mut steps);
            (self.held[page], self.live[page]) = (held[page], live[page]);
        }
        // The removal of a page comes before its other steps, and the stable sort keeps that order.
        steps.sort_by_key(|step| step.query);
        let mut touched = vec![];
        for steps in steps.chunk_by(|one, other| one.query == other.query) {
            touched.push(steps[0].query);
            apply(&mut self.lists[steps[0].query as usize], steps);
        }
        touched
    }

    fn change(&self, page: usize, held: u32, live: u32, steps: &mut Vec<Step>) {
        let number = page as u32;
        let before = self.held[page];
        if before != ABSENT {
            let gone = self.matches.of_reading(before);
            steps.extend(gone.map(|(query, _)| Step { query, page: number, now: None }));
        }
        if held == ABSENT {
            return;
        }
        for (query, score) in self.matches.of_reading(held) {
            let truth = match live {
                ABSENT => 0.0,
                same if same == held => score,
                other => self.matches.score(other, query),
            };
            let now = Some(Hit { page: number, score, truth });
            steps.push(Step { query, page: number, now });
        }
    }
}

/// Updates a list: removes the pages of all steps and merges their new results.
fn apply(list: &mut Vec<Hit>, steps: &[Step]) {
    let mut changed: Vec<u32> = steps.iter().map(|step| step.page).collect();
    changed.dedup();
    list.retain(|hit| changed.binary_search(&hit.page).is_err());
    let mut new: Vec<Hit> = steps.iter().filter_map(|step| step.now).collect();
    new.sort_unstable_by(|one, other| {
        other.score.total_cmp(&one.score).then(one.page.cmp(&other.page))
    });
    // Merged from the back, in place: the list grows by the new results, and the last positions are
    // filled first.
    let mut old = list.len();
    list.resize(old + new.len(), Hit { page: ABSENT, score: 0.0, truth: 0.0 });
    let mut place = list.len();
    while let Some(last) = new.last() {
        place -= 1;
        if old > 0 && last.is_before(&list[old - 1]) {
            list[place] = list[old - 1];
            old -= 1;
        } else {
            list[place] = *last;
            new.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use text::relevance::{Profile, Statistics, WordNo};

    use super::*;

    const READINGS: usize = 12;

    /// Every reading has some of three words; there is a query for each word and one for two.
    fn matches() -> Matches {
        let profile = |reading: u32| {
            let counts =
                (0..3).map(|word| (word, (reading >> word) & 3)).filter(|found| found.1 > 0);
            Some(Profile::new(4 + reading % 3, counts.collect()))
        };
        let profiles: Vec<_> = (0..READINGS as u32).map(profile).collect();
        let statistics = Statistics::from_profiles(3, profiles.iter().flatten());
        let queries: [&[WordNo]; 4] = [&[0], &[1], &[2], &[0, 2]];
        Matches::new(&profiles, &statistics, &queries)
    }

    /// The results computed from scratch.
    fn from_nothing(matches: &Matches, held: &[u32], live: &[u32], query: u32) -> Vec<Hit> {
        let score = |reading| if reading == ABSENT { 0.0 } else { matches.score(reading, query) };
        let mut list: Vec<Hit> = (0_u32..)
            .zip(held.iter().zip(live))
            .map(|(page, (&held, &live))| Hit { page, score: score(held), truth: score(live) })
            .filter(|hit| hit.score > 0.0)
            .collect();
        list.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then(one.page.cmp(&other.page))
        });
        list
    }

    fn state() -> impl Strategy<Value = Vec<u32>> {
        let reading = prop_oneof![Just(ABSENT), 0..READINGS as u32];
        prop::collection::vec(reading, 6)
    }

    proptest! {
        #[test]
        fn lists_kept_up_are_lists_made_anew(states in prop::collection::vec((state(), state()), 1..8)) {
            let matches = matches();
            let mut answers = Answers::new(&matches, 6, 4);
            for (held, live) in &states {
                let before: Vec<Vec<Hit>> = (0..4).map(|query| answers.results(query).to_vec()).collect();
                let touched = answers.update(held, live);
                for query in 0..4 {
                    let expected = from_nothing(&matches, held, live, query);
                    prop_assert_eq!(answers.results(query as usize), expected.as_slice());
                    let is_touched = touched.contains(&query);
                    prop_assert!(is_touched || before[query as usize] == expected);
                }
            }
        }
    }
}
