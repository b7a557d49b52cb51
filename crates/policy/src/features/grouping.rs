//! Pages in clusters by their features, worked out again only where a feature has changed.
use cluster::{Clusters, Dense, Options};
use flow::{Known, PageNo};
use xxhash_rust::xxh3::Xxh3;

use super::{FeatureSettings, FeatureTable};

/// Stands for a page in no cluster.
const NONE: u32 = u32::MAX;

/// Clusters of the held pages. A function of their features alone: a policy that starts anew from the
/// same features finds the same clusters.
#[derive(Debug)]
pub struct Grouping {
    settings: FeatureSettings,
    restarts: usize,
    made_from: Option<(u64, usize)>,
    /// By page, its cluster.
    of_page: Vec<u32>,
    /// By cluster, its pages, those nearest to the centroid first.
    pages: Vec<Vec<PageNo>>,
    /// By cluster, then by rank: the cluster with that rank by centroid distance, itself first.
    nearest: Vec<Vec<u32>>,
    /// How often clusters were worked out.
    times_made: usize,
}

impl Grouping {
    /// No clusters yet; they will be made from these features, with so many restarts of each
    /// bisection.
    pub fn new(settings: FeatureSettings, restarts: usize) -> Self {
        Self {
            settings,
            restarts,
            made_from: None,
            of_page: vec![],
            pages: vec![],
            nearest: vec![],
            times_made: 0,
        }
    }

    /// Brings the clusters up to date, at most `count` of them. Where no feature of any page has
    /// changed, they stay as they are.
    pub fn update(&mut self, known: &Known<'_>, count: usize) {
        let table = FeatureTable::of(known, &self.settings);
        let pages = table.pages.clone();
        let mut rows = table.scaled();
        let made_from = (digest(&pages, &rows), count);
        if self.made_from == Some(made_from) {
            return;
        }
        let options = Options { clusters: count, restarts: self.restarts, ..Options::default() };
        let clusters = cluster::bisect_in_place(&mut rows, &options);
        self.sort(known, &pages, &rows, &clusters);
        self.nearest = nearest(&clusters);
        self.made_from = Some(made_from);
        self.times_made += 1;
    }

    /// Puts the pages of each cluster in the order of their distance to its centroid.
    fn sort(&mut self, known: &Known<'_>, pages: &[PageNo], rows: &Dense, clusters: &Clusters) {
        self.of_page.clear();
        self.of_page.resize(known.pages.len(), NONE);
        let mut members: Vec<Vec<(f32, PageNo)>> = vec![vec![]; clusters.count()];
        for (row, (&page, &number)) in pages.iter().zip(&clusters.assignment).enumerate() {
            self.of_page[page.index()] = number;
            let closeness = cluster::cosine(rows.row(row), clusters.centroids.row(number as usize));
            members[number as usize].push((closeness, page));
        }
        for members in &mut members {
            // Pages with the same features in the order of their ids, which is as good as by lot:
            // neighbours by address often change together, and would stand for the cluster badly.
            members.sort_unstable_by(|a, b| {
                let id = |page| known.pages.id(page);
                b.0.total_cmp(&a.0).then_with(|| id(a.1).cmp(&id(b.1)))
            });
        }
        let pages =
            |members: Vec<(f32, PageNo)>| members.into_iter().map(|(_, page)| page).collect();
        self.pages = members.into_iter().map(pages).collect();
    }

    /// How many clusters there are.
    pub fn count(&self) -> usize {
        self.pages.len()
    }

    /// The cluster of a page; `None` where it is not held.
    pub fn of(&self, page: PageNo) -> Option<usize> {
        let number = self.of_page.get(page.index()).copied().filter(|&number| number != NONE)?;
        Some(number as usize)
    }

    /// The pages of a cluster, those nearest to its centroid first.
    pub fn pages(&self, number: usize) -> &[PageNo] {
        &self.pages[number]
    }

    /// All clusters by the distance of their centroids to that of one, itself first.
    pub fn nearest(&self, number: usize) -> impl Iterator<Item = usize> {
        self.nearest[number].iter().map(|&other| other as usize)
    }

    /// How often clusters were worked out so far.
    pub fn times_made(&self) -> usize {
        self.times_made
    }
}

/// What tells tables of features apart.
fn digest(pages: &[PageNo], rows: &Dense) -> u64 {
    let mut hasher = Xxh3::new();
    let mut bytes = vec![];
    for (row, page) in pages.iter().enumerate() {
        bytes.clear();
        bytes.extend(page.0.to_le_bytes());
        for value in rows.row(row) {
            bytes.extend(value.to_le_bytes());
        }
        hasher.update(&bytes);
    }
    hasher.digest()
}

fn nearest(clusters: &Clusters) -> Vec<Vec<u32>> {
    let centroid = |number: u32| clusters.centroids.row(number as usize);
    let count = clusters.count() as u32;
    let of = |number: u32| {
        let mut others: Vec<(f32, u32)> = (0..count)
            .filter(|&other| other != number)
            .map(|other| (cluster::cosine(centroid(number), centroid(other)), other))
            .collect();
        others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        std::iter::once(number).chain(others.into_iter().map(|(_, other)| other)).collect()
    };
    (0..count).map(of).collect()
}
