//! A crawl that visits a tenth of the pages a day, after some days on which it saw all of them (section
//! 8.3).
//!
//! As in the paper: models are trained once, on the days that were fully seen, and not again; each day pages
//! are drawn by the chance that they change; what a visit finds describes the page from then on, and pages
//! that are not visited stay as they were last seen, for themselves and for those whose experts they are.
//! The pages of the crawl are those that pass the filter, and experts are chosen among them.
use crawl::Time;
use instruments::features::{Changes, Target, VisitRecord};
use lab::rng::Rng;
use policy::predict::{
    experts::{ExpertSettings, Neighbours, Relation, choose},
    learn::{Expert, Method, Model, Settings, TrainingSet},
};
use rayon::prelude::*;

use crate::radinsky_2013::forecast::{
    Web, choosing,
    settings::{BACK, CRAWL_DAYS, EXPERTS, FILTERS, SHARE_A_DAY},
};

/// The seed of all draws, the same for all methods.
const SEED: u64 = 1;

/// The pages of a crawl, on every day.
struct Crawled<'a> {
    /// By page, its visits if it were visited every day; place n is day n.
    days: Vec<&'a [VisitRecord]>,
    settings: Settings,
    /// The last day on which all pages are seen.
    trained: usize,
    neighbours: Vec<Neighbours>,
}

/// The mean freshness of the pages after so many fully seen days, by method; `None` if the web has too few
/// pages or days.
pub(crate) fn crawled_freshness(
    web: &Web,
    filter: usize,
    trained: usize,
    methods: &[Method],
) -> Option<Vec<f64>> {
    let (days, pages) = web.crawled(filter)?;
    let (label, _) = FILTERS[filter];
    let visits = days.visits(label);
    // Only pages that are there every day.
    let lasting = pages.iter().map(|&page| visits[page].as_slice());
    let lasting: Vec<&[VisitRecord]> =
        lasting.filter(|visits| visits.len() == days.last() + 1).collect();
    if lasting.len() < 2 || days.last() <= trained {
        return None;
    }
    let settings =
        Settings { target: label.target(), window: trained, back: BACK, ..Settings::default() };
    let seen: Vec<&[VisitRecord]> = lasting.iter().map(|visits| &visits[..=trained]).collect();
    let choosing =
        ExpertSettings { experts: EXPERTS, days: trained, ..choosing(Relation::Correlation) };
    let now = days.instant(trained);
    let neighbours = choose(&choosing, &seen, &|_| vec![], now, &|_| true);
    let crawled = Crawled { days: lasting, settings, trained, neighbours };
    Some(methods.iter().map(|&method| crawled.freshness(method)).collect())
}

impl Crawled<'_> {
    fn freshness(&self, method: Method) -> f64 {
        let seen: Vec<&[VisitRecord]> =
            self.days.iter().map(|visits| &visits[..=self.trained]).collect();
        let models: Vec<Model> = (0..seen.len())
            .into_par_iter()
            .map(|page| {
                let experts = self.experts(page, &seen);
                let itself = self.neighbours[page].self_weight;
                TrainingSet::new(&self.settings, seen[page], &experts, itself).train(method)
            })
            .collect();
        let mut known: Vec<Vec<VisitRecord>> = seen.iter().map(|visits| visits.to_vec()).collect();
        let mut visited = vec![self.trained; known.len()];
        let budget = ((known.len() as f64 * SHARE_A_DAY).round() as usize).max(1);
        let last = (self.days[0].len() - 1).min(self.trained + CRAWL_DAYS);
        let mut sum = 0.0;
        for day in self.trained + 1..=last {
            for page in self.draw(&models, &known, day, budget) {
                let found = self.found(page, visited[page], day);
                known[page].push(found);
                visited[page] = day;
            }
            let is_fresh = |page: &usize| !self.changed(*page, visited[*page], day).0;
            let fresh = (0..known.len()).filter(is_fresh).count();
            sum += fresh as f64 / known.len() as f64;
        }
        sum / (last - self.trained) as f64
    }

    fn experts<'v, V: AsRef<[VisitRecord]>>(
        &self,
        page: usize,
        visits: &'v [V],
    ) -> Vec<Expert<'v>> {
        let chosen = self.neighbours[page].experts.iter();
        chosen
            .map(|chosen| Expert { visits: visits[chosen.page].as_ref(), weight: chosen.weight })
            .collect()
    }

    /// Draws pages, each with a chance in proportion to that of its change (Efraimidis and Spirakis, IPL
    /// 97(5), 2006).
    fn draw(
        &self,
        models: &[Model],
        known: &[Vec<VisitRecord>],
        day: usize,
        budget: usize,
    ) -> Vec<usize> {
        let now: Time = self.days[0][day - 1].at;
        let key = |page: usize| {
            let experts = self.experts(page, known);
            let chance = models[page].forecast(&known[page], &experts, now, 1.0).probability;
            let draw = Rng::named(SEED, &format!("page {page} on day {day}")).unit();
            (draw.max(f64::MIN_POSITIVE).ln() / chance.max(f64::MIN_POSITIVE), page)
        };
        let mut keys: Vec<(f64, usize)> = (0..known.len()).into_par_iter().map(key).collect();
        keys.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        keys.into_iter().take(budget).map(|(_, page)| page).collect()
    }

    /// What changed after one day until another: the label, and everything.
    fn changed(&self, page: usize, after: usize, until: usize) -> (bool, Changes) {
        let mut all = Changes::default();
        for visit in &self.days[page][after + 1..=until] {
            all.any |= visit.changes.any;
            all.significant |= visit.changes.significant;
            all.new_link |= visit.changes.new_link;
        }
        let target: Target = self.settings.target;
        (all.includes(target), all)
    }

    /// What a visit finds.
    fn found(&self, page: usize, before: usize, day: usize) -> VisitRecord {
        let changes = self.changed(page, before, day).1;
        VisitRecord { changes, ..self.days[page][day].clone() }
    }
}
