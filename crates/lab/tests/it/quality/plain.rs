//! The metrics that need a workload, worked out in the plainest way: from the texts, every query and
//! every page anew in every cycle, with nothing kept in between.
use std::{collections::BTreeSet, sync::Arc};

use crawl::{
    Budget, Content, Crawl, Form, Links, MemoryRepository, Pages, Policy, State, World, page_rank,
};
use lab::{
    replay::ReplayWorld,
    tournament::{LoadedWeb, PageSet, Start},
    truth::GroundTruth,
};
use text::{
    words::{Analyser, Language, query_words},
    workload::PreparedQuery,
};

pub(crate) struct Plain {
    truth: Arc<GroundTruth>,
    pages: PageSet,
    /// By reading, its words; none where it cannot be a result.
    terms: Vec<Option<Vec<String>>>,
    queries: Vec<Query>,
    /// How many pages there are at the start.
    at_start: f64,
}

struct Query {
    frequency: f64,
    /// Each word by the terms it is found by, and its weight.
    words: Vec<(BTreeSet<String>, f64)>,
}

/// One collection of pages: a repository, or the live web.
struct Collection {
    /// By page.
    readings: Vec<Option<u32>>,
    in_links: Vec<f64>,
    /// In millionths of the highest.
    ranks: Vec<f64>,
}

impl Plain {
    pub(crate) fn new(web: &LoadedWeb, pages: PageSet, queries: &[PreparedQuery]) -> Self {
        let truth = Arc::clone(&web.truth);
        let mut terms: Vec<Option<Vec<String>>> = vec![None; truth.history().readings.len()];
        let mut languages = BTreeSet::new();
        for page in 0..truth.history().pages.len() {
            for (reading, content) in web.texts.contents(page).unwrap() {
                let form = truth.history().readings[reading as usize].form;
                if matches!(form, Form::Html | Form::Text) {
                    languages.insert(Language::detect(&content));
                    terms[reading as usize] = Some(terms_of(&content));
                }
            }
        }
        let languages: Vec<Language> = languages.into_iter().collect();
        let mut plain = Self { truth, pages, terms, queries: vec![], at_start: 0.0 };
        let start: Vec<&Vec<String>> = (0..plain.count())
            .filter_map(|page| plain.terms[plain.truth.reading(page, 0)? as usize].as_ref())
            .collect();
        let weight = |forms: &BTreeSet<String>| {
            let holds = |terms: &&&Vec<String>| terms.iter().any(|term| forms.contains(term));
            let holding = start.iter().filter(holds).count() as f64;
            1.0 + (start.len() as f64 / (holding + 1.0)).ln()
        };
        let queries = queries.iter().map(|query| {
            let words: BTreeSet<Vec<String>> =
                query_words(&query.text, &languages).into_iter().collect();
            let words = words.into_iter().map(|forms| {
                let forms: BTreeSet<String> = forms.into_iter().collect();
                let weight = weight(&forms);
                (forms, weight)
            });
            Query { frequency: query.frequency, words: words.collect() }
        });
        (plain.queries, plain.at_start) = (queries.collect(), start.len() as f64);
        assert!(plain.at_start > 0.0 && !plain.queries.is_empty());
        plain
    }

    fn count(&self) -> usize {
        self.truth.history().pages.len()
    }

    fn takes_part(&self, page: usize) -> bool {
        self.pages == PageSet::Growing || self.truth.reading(page, 0).is_some()
    }

    /// The TF-IDF of a reading for a query, where it holds every word.
    fn tf_idf(&self, reading: Option<u32>, query: &Query) -> Option<f64> {
        let terms = self.terms[reading? as usize].as_ref()?;
        let mut sum = 0.0;
        for (forms, weight) in &query.words {
            let count = terms.iter().filter(|term| forms.contains(*term)).count();
            if count == 0 {
                return None;
            }
            sum += (count as f64).sqrt() * weight * weight;
        }
        Some(sum / (terms.len() as f64).sqrt())
    }

    /// By cycle, the metrics in the order of the test.
    pub(crate) fn run(
        &self,
        start: &Start,
        policy: Box<dyn Policy>,
        budget: Budget,
    ) -> Vec<Vec<Option<f64>>> {
        let (truth, grid) = (&self.truth, self.truth.grid());
        let mut pages = Pages::default();
        for (number, page) in truth.history().pages.iter().enumerate() {
            let is_known = match start {
                Start::Synchronised => truth.reading(number, 0).is_some(),
                Start::Empty(addresses) => addresses.contains(&page.address),
            };
            if is_known {
                pages.insert(&page.address, grid.start);
            }
        }
        let part: Vec<bool> = (0..self.count()).map(|page| self.takes_part(page)).collect();
        let known = Arc::clone(truth);
        let world = ReplayWorld::new(Arc::clone(truth));
        let mut crawl = Crawl {
            admits: Box::new(move |address| known.find(address).is_some_and(|page| part[page])),
            interval: Some(grid.cycle),
            revisits_gone: self.pages == PageSet::Growing,
            pages,
            ..Crawl::new(world, policy, MemoryRepository::default(), truth.comparison().clone())
        };
        if *start == Start::Synchronised {
            let first = crawl.hold_linked().unwrap();
            for seen in &first {
                crawl.policy.learn(seen);
            }
        }
        let mut cycles = vec![];
        for cycle in 1..=grid.cycles {
            crawl.world.wait_until(grid.instant(cycle));
            crawl.cycle(budget, &mut |_| {}).unwrap();
            let held = self.held(&crawl.pages, &crawl.links);
            cycles.push(self.metrics(&held, &self.live(cycle)));
        }
        cycles
    }

    fn held(&self, pages: &Pages, links: &Links) -> Collection {
        let ranks = page_rank(pages, links, &[]);
        let highest = ranks.iter().copied().fold(0.0, f64::max);
        let mut held = self.nothing();
        for page in pages.numbers().filter(|&page| pages.state(page) == State::Held) {
            let number = self.truth.find(pages.address(page)).unwrap();
            held.readings[number] =
                self.truth.history().pages[number].reading(pages.last_seen(page).unwrap());
            held.ranks[number] = (ranks[page.index()] / highest * 1e6).round();
            let linking = pages.numbers().filter(|&from| {
                from != page && pages.state(from) == State::Held && links.of(from).contains(&page)
            });
            held.in_links[number] = linking.count() as f64;
        }
        held
    }

    /// The live web, with `PageRank` by the power method.
    fn live(&self, cycle: usize) -> Collection {
        let mut live = self.nothing();
        for page in (0..self.count()).filter(|&page| self.takes_part(page)) {
            live.readings[page] = self.truth.reading(page, cycle);
        }
        let alive: Vec<usize> =
            (0..self.count()).filter(|&page| live.readings[page].is_some()).collect();
        let targets: Vec<Vec<usize>> = alive
            .iter()
            .map(|&page| {
                let reading = live.readings[page].unwrap() as usize;
                let links = self.truth.history().readings[reading].links.links();
                let targets = links.iter().filter_map(|link| self.truth.find(&link.address));
                let targets: BTreeSet<usize> = targets.collect();
                let is_alive = |&to: &usize| to != page && live.readings[to].is_some();
                targets.into_iter().filter(is_alive).collect()
            })
            .collect();
        for to in targets.iter().flatten() {
            live.in_links[*to] += 1.0;
        }
        let count = alive.len() as f64;
        let mut ranks = vec![0.0; self.count()];
        for &page in &alive {
            ranks[page] = 1.0 / count;
        }
        for _ in 0..400 {
            let mut next = vec![0.0; self.count()];
            let mut anywhere = 0.0;
            for (&page, targets) in alive.iter().zip(&targets) {
                if targets.is_empty() {
                    anywhere += ranks[page];
                }
                for &to in targets {
                    next[to] += 0.85 * ranks[page] / targets.len() as f64;
                }
            }
            for &page in &alive {
                next[page] += (0.15 + 0.85 * anywhere) / count;
            }
            ranks = next;
        }
        let highest = ranks.iter().copied().fold(0.0, f64::max);
        live.ranks = ranks.iter().map(|rank| (rank / highest * 1e6).round()).collect();
        live
    }

    fn nothing(&self) -> Collection {
        let count = self.count();
        Collection {
            readings: vec![None; count],
            in_links: vec![0.0; count],
            ranks: vec![0.0; count],
        }
    }

    /// The results of a query in a collection by a scoring function, best first, with their scores.
    fn results(&self, from: &Collection, query: &Query, scoring: usize) -> Vec<(usize, f64)> {
        let all = (0..self.count())
            .filter_map(|page| Some((page, self.tf_idf(from.readings[page], query)?)));
        let mut results: Vec<(usize, f64)> = all.collect();
        let highest = results.iter().map(|result| result.1).fold(0.0, f64::max);
        for (page, score) in &mut results {
            match scoring {
                0 => {}
                1 => *score = from.in_links[*page],
                _ => *score = 0.5 * *score / highest + 0.5 * from.ranks[*page] / 1e6,
            }
        }
        results.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        results
    }

    fn metrics(&self, held: &Collection, live: &Collection) -> Vec<Option<f64>> {
        let chance = |rank: usize| ((rank + 1) as f64).powf(-1.5);
        let (mut worth, mut best) = ([0.0; 3], [0.0; 3]);
        let (mut lost, mut viewed) = (0.0, 0.0);
        let (mut fresh, mut fresh_literal) = (vec![], vec![]);
        let (mut precise, mut precise_literal) = (vec![], vec![]);
        let is_fresh = |page: usize| self.truth.same(held.readings[page], live.readings[page]);
        let ten: f64 = (0..10).map(chance).sum();
        for query in &self.queries {
            for scoring in 0..3 {
                let shown = self.results(held, query, scoring);
                let truth = self.results(live, query, scoring);
                let score = |page: usize| {
                    truth.iter().find(|result| result.0 == page).map_or(0.0, |result| result.1)
                };
                for (rank, (page, _)) in shown.iter().enumerate() {
                    worth[scoring] += query.frequency * chance(rank) * score(*page);
                    if scoring == 0 {
                        let answers = truth.iter().any(|result| result.0 == *page);
                        lost += if answers { 0.0 } else { query.frequency * chance(rank) };
                        viewed += query.frequency * chance(rank);
                    }
                }
                for (rank, (_, score)) in truth.iter().enumerate() {
                    best[scoring] += query.frequency * chance(rank) * score;
                }
                if scoring < 2 {
                    continue;
                }
                let top: Vec<usize> = shown.iter().take(10).map(|result| result.0).collect();
                let true_top: Vec<usize> = truth.iter().take(10).map(|result| result.0).collect();
                if !top.is_empty() {
                    let fresh_weight: f64 =
                        (0..top.len()).filter(|&rank| is_fresh(top[rank])).map(chance).sum();
                    fresh.push(fresh_weight / (0..top.len()).map(chance).sum::<f64>());
                    fresh_literal.push(fresh_weight / ten / 10.0);
                }
                if !true_top.is_empty() {
                    let relevant = |rank: &usize| true_top.contains(&top[*rank]);
                    let precision = |rank: usize| {
                        (0..=rank).filter(relevant).count() as f64 / (rank + 1) as f64
                    };
                    let sum: f64 = (0..top.len()).filter(relevant).map(precision).sum();
                    precise.push(sum / true_top.len() as f64);
                    precise_literal.push(sum);
                }
            }
        }
        let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let mean = |values: &[f64]| ratio(values.iter().sum(), values.len() as f64);
        vec![
            ratio(worth[0], best[0]),
            ratio(worth[1], best[1]),
            ratio(worth[2], best[2]),
            mean(&fresh),
            mean(&fresh_literal),
            mean(&precise),
            mean(&precise_literal),
            ratio(lost, viewed),
        ]
    }
}

fn terms_of(content: &Content) -> Vec<String> {
    let mut analyser = Analyser::new(Language::detect(content));
    let mut terms = vec![];
    for text in [&content.title, &content.text] {
        let mut words = analyser.words(text);
        while let Some(word) = words.advance() {
            terms.push(word.term.to_owned());
        }
    }
    terms
}
