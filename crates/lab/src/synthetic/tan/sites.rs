//! The sites: their sizes, folders, and which topic each page has.
use super::topic::{self, TOPICS, Topic};
use crate::{
    rng::Rng,
    synthetic::{
        Spec,
        words::{divided, order, weighted, zipf},
    },
};

/// Top-level domains: sites of each in the papers, and pages of a site at a tenth of their scale.
const DOMAINS: [(&str, f64, f64); 6] = [
    ("edu", 68.0, 157.7),
    ("com", 92.0, 109.5),
    ("gov", 23.0, 168.2),
    ("org", 16.0, 139.9),
    ("net", 12.0, 108.1),
    ("mil", 1.0, 199.8),
];
/// Pages of a site on average, at a tenth of the scale of the papers.
const PAGES_PER_SITE: f64 = 134.3;
/// How sites of one domain differ: the standard deviation of the logarithm, and the limits.
const SIZES: (f64, f64, f64) = (0.45, 0.25, 2.47);
/// Pages of a folder on average.
const PAGES_PER_FOLDER: usize = 22;
/// The shares of folders by level: pages in folders of the first level have a depth of 2.
const LEVELS: [f64; 7] = [0.30, 0.30, 0.22, 0.10, 0.05, 0.02, 0.01];
/// Topics of a site.
const TOPICS_OF_A_SITE: usize = 8;
/// The chance that a folder has the topics of the one above it.
const LIKE_ABOVE: f64 = 0.5;
/// The share of the first of a folder's two topics.
const MAIN_SHARE: f64 = 0.6;
/// The share of pages whose topic is any.
const NOISE: f64 = 0.05;
/// How much likelier than elsewhere topics that change often are: on commercial sites and on others, in
/// folders of the first level and below the second.
const OFTEN: (f64, f64, f64, f64) = (1.5, 0.6, 1.5, 0.5);

/// A page before its changes are known.
pub(super) struct Planned {
    pub(super) address: String,
    pub(super) topic: usize,
    /// Places of other pages.
    pub(super) links: Vec<usize>,
}

/// A folder of a site.
struct Folder {
    path: String,
    level: usize,
    above: Option<usize>,
    topics: [usize; 2],
    pages: Vec<usize>,
}

/// All pages, in the order of their addresses.
pub(super) fn pages(spec: Spec, topics: &[Topic]) -> Vec<Planned> {
    let mut rng = Rng::named(spec.seed, "sites");
    let sites = ((spec.pages as f64 / PAGES_PER_SITE).round() as usize).max(1);
    let domains: Vec<&(&str, f64, f64)> = (0..sites).map(|site| domain(site, sites)).collect();
    let (spread, least, most) = SIZES;
    let size =
        |domain: &&(&str, f64, f64)| domain.2 * (spread * rng.normal()).exp().clamp(least, most);
    let weights: Vec<f64> = domains.iter().map(size).collect();
    let mut pages = vec![];
    for (site, size) in divided(spec.pages, &weights).into_iter().enumerate() {
        let mut rng = Rng::named(spec.seed, &format!("site {site}"));
        let base = format!("https://site{site:03}-example.{}/", domains[site].0);
        let is_commercial = matches!(domains[site].0, "com" | "net");
        let often = if is_commercial { OFTEN.0 } else { OFTEN.1 };
        let mut planned = Site { topics, often, rng: &mut rng }.pages(&base, size, pages.len());
        pages.append(&mut planned);
    }
    in_order(pages)
}

/// The domain of a site: as many sites of each as in the papers, in proportion.
fn domain(site: usize, sites: usize) -> &'static (&'static str, f64, f64) {
    let all: f64 = DOMAINS.iter().map(|domain| domain.1).sum();
    let mut rest = (site as f64 + 0.5) / sites as f64 * all;
    let found = DOMAINS.iter().find(|domain| {
        rest -= domain.1;
        rest < 0.0
    });
    found.unwrap_or(&DOMAINS[0])
}

/// Sorts pages by address; links follow them.
fn in_order(pages: Vec<Planned>) -> Vec<Planned> {
    let (order, place) = order(pages.iter().map(|page| page.address.as_str()));
    let mut pages: Vec<Option<Planned>> = pages.into_iter().map(Some).collect();
    let moved = order.into_iter().filter_map(|before| pages[before].take());
    let moved = moved.map(|page| {
        let links = page.links.iter().map(|&to| place[to]).collect();
        Planned { links, ..page }
    });
    moved.collect()
}

/// A site that is being made.
struct Site<'a> {
    topics: &'a [Topic],
    /// How much likelier topics that change often are on it.
    often: f64,
    rng: &'a mut Rng,
}

impl Site<'_> {
    /// Its pages, of which the first has this place.
    fn pages(&mut self, base: &str, size: usize, first: usize) -> Vec<Planned> {
        if size == 0 {
            return vec![];
        }
        let mut folders = self.folders(base, size);
        let mut pages = vec![];
        for folder in &mut folders {
            let count = folder.pages.len();
            for (place, number) in folder.pages.iter_mut().enumerate() {
                *number = first + pages.len();
                let topic = self.topic(folder.topics);
                let name = match place {
                    // The first page of a folder is the one that lists the others.
                    0 => String::new(),
                    _ => {
                        format!("{}-{place:0width$}.html", self.word(topic), width = digits(count))
                    }
                };
                let address = format!("{}{name}", folder.path);
                pages.push(Planned { address, topic, links: vec![] });
            }
        }
        self.link(&folders, &mut pages, first);
        pages
    }

    /// Its folders, with as many pages as they will have.
    fn folders(&mut self, base: &str, size: usize) -> Vec<Folder> {
        let everything: Vec<usize> = (0..TOPICS).collect();
        let mut own: Vec<usize> = vec![];
        while own.len() < TOPICS_OF_A_SITE {
            let topic = topic::draw(self.rng, self.topics, &everything, self.often);
            if !own.contains(&topic) {
                own.push(topic);
            }
        }
        // The front page is a folder of its own.
        let count = (size / PAGES_PER_FOLDER).clamp(1, size);
        let mut sizes = divided(size - 1, &zipf(count, 1.0));
        sizes.retain(|&pages| pages > 0);
        let front = Folder {
            path: base.to_owned(),
            level: 0,
            above: None,
            topics: self.two(&own, 0),
            pages: vec![0],
        };
        let mut folders = vec![front];
        for pages in sizes {
            let level = 1 + weighted(self.rng, &LEVELS);
            let fit = |below: usize| {
                let level = level - 1 - below;
                let fits = |place: &usize| folders[*place].level == level;
                (0..folders.len()).filter(fits).collect::<Vec<_>>()
            };
            let fitting = (0..level).map(fit).find(|fitting| !fitting.is_empty());
            let fitting = fitting.unwrap_or_else(|| vec![0]);
            let above = fitting[self.rng.below(fitting.len())];
            let level = folders[above].level + 1;
            let is_alike = level > 1 && self.rng.unit() < LIKE_ABOVE;
            let topics = if is_alike { folders[above].topics } else { self.two(&own, level) };
            let name = self.word(topics[0]);
            let path = format!("{}{name}{}/", folders[above].path, folders.len());
            folders.push(Folder { path, level, above: Some(above), topics, pages: vec![0; pages] });
        }
        folders
    }

    /// The two topics of a folder.
    fn two(&mut self, own: &[usize], level: usize) -> [usize; 2] {
        let often = match level {
            1 => OFTEN.2,
            0 | 2 => 1.0,
            _ => OFTEN.3,
        };
        let first = topic::draw(self.rng, self.topics, own, often);
        let others: Vec<usize> = own.iter().copied().filter(|&topic| topic != first).collect();
        [first, topic::draw(self.rng, self.topics, &others, often)]
    }

    /// The topic of a page of a folder.
    fn topic(&mut self, of_folder: [usize; 2]) -> usize {
        if self.rng.unit() < NOISE {
            let everything: Vec<usize> = (0..TOPICS).collect();
            return topic::draw(self.rng, self.topics, &everything, 1.0);
        }
        of_folder[usize::from(self.rng.unit() >= MAIN_SHARE)]
    }

    fn word(&mut self, topic: usize) -> String {
        self.topics[topic].word(self.rng)
    }

    /// Links: a folder's first page to its pages, to the folder above and to those below; a page to
    /// that one, to the next, to two of its topic and to any one of the site.
    fn link(&mut self, folders: &[Folder], pages: &mut [Planned], first: usize) {
        let mut of_topic: Vec<Vec<usize>> = vec![vec![]; TOPICS];
        for (place, page) in pages.iter().enumerate() {
            of_topic[page.topic].push(first + place);
        }
        for (number, folder) in folders.iter().enumerate() {
            let index = folder.pages[0];
            let mut links: Vec<usize> = folder.pages[1..].to_vec();
            links.extend(folder.above.map(|above| folders[above].pages[0]));
            let below = folders.iter().filter(|other| other.above == Some(number));
            links.extend(below.map(|other| other.pages[0]));
            pages[index - first].links = links;
            for (place, &page) in folder.pages.iter().enumerate().skip(1) {
                let alike = &of_topic[pages[page - first].topic];
                let mut links = vec![index, folder.pages[(place + 1) % folder.pages.len()]];
                links.extend([(); 2].map(|()| alike[self.rng.below(alike.len())]));
                links.push(first + self.rng.below(pages.len()));
                links.retain(|&to| to != page);
                links.sort_unstable();
                links.dedup();
                pages[page - first].links = links;
            }
        }
    }
}

/// The digits that numbers below a count need, so that pages sort by number.
fn digits(count: usize) -> usize {
    count.to_string().len()
}
