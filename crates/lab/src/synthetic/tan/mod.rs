//! Topics across sites: the web of Tan, Zhuang, Mitra, Giles, "Efficiently detecting webpage updates
//! using samples", ICWE 2007, and Tan, Mitra, "Clustering-based incremental web crawling", TOIS
//! 2010, at a tenth of its size. `docs/worlds.md` has the sentence behind each parameter.
mod body;
mod sites;
mod topic;

use crawl::Time;

use self::topic::Topic;
use super::{Spec, model::Model};
use crate::{history::Window, rng::Rng, synthetic::change};

/// Pages and weeks: a tenth of the 284,692 pages of the papers, for their year.
pub(super) const FULL_SCALE: (usize, u32) = (28_469, 52);

/// The web.
#[derive(Debug)]
pub(super) struct Tan {
    seed: u64,
    window: Window,
    topics: Vec<Topic>,
    pages: Vec<Page>,
}

/// A page.
#[derive(Debug)]
struct Page {
    address: String,
    topic: usize,
    links: Vec<usize>,
    changes: Vec<Time>,
}

impl Tan {
    pub(super) fn new(spec: Spec, window: Window) -> Self {
        let topics = topic::all(spec.seed);
        let planned = sites::pages(spec, &topics);
        let page = |planned: sites::Planned| {
            let mut rng = Rng::named(spec.seed, &planned.address);
            let rate = topics[planned.topic].rate(&mut rng);
            let changes = change::poisson(&mut rng, rate, window);
            let sites::Planned { address, topic, links } = planned;
            Page { address, topic, links, changes }
        };
        let pages = planned.into_iter().map(page).collect();
        Self { seed: spec.seed, window, topics, pages }
    }
}

impl Model for Tan {
    fn pages(&self) -> usize {
        self.pages.len()
    }

    fn address(&self, page: usize) -> &str {
        &self.pages[page].address
    }

    fn change_times(&self, page: usize) -> Vec<Time> {
        let changes = self.pages[page].changes.iter().copied();
        std::iter::once(self.window.start).chain(changes).collect()
    }

    fn render(&self, page: usize, at: Time) -> Option<String> {
        (at >= self.window.start).then(|| body::render(self, page, at))
    }
}
