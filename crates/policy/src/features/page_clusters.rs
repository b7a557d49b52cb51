//! Clusters of pages by their features, recomputed only when a feature has changed.
use crawl::{Known, PageNo};
use learn::cluster::{Clusters, Dense, Options};
use xxhash_rust::xxh3::Xxh3;

use super::{FeatureSettings, FeatureTable};

/// A page in no cluster.
const NONE: u32 = u32::MAX;

/// Clusters of the held pages. They depend on the features alone, so that a policy rebuilt from the log finds
/// the same clusters.
#[derive(Clone, Debug)]
pub struct PageClusters {
    settings: FeatureSettings,
    restarts: usize,
    made_from: Option<(u64, usize)>,
    /// By page, its cluster.
    of_page: Vec<u32>,
    /// By cluster, its pages, those nearest to the centroid first.
    pages: Vec<Vec<PageNo>>,
    /// By cluster: all clusters in order of centroid distance, itself first.
    nearest: Vec<Vec<u32>>,
    /// How often clusters were computed.
    times_made: usize,
}

impl PageClusters {
    /// No clusters yet; `restarts` applies to each bisection.
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

    /// Updates the clusters, at most `count` of them. They stay the same if no feature of any page has changed.
    pub fn update(&mut self, known: &Known<'_>, count: usize) {
        let table = FeatureTable::new(known, &self.settings);
        let pages = table.pages.clone();
        let mut rows = table.scaled();
        let made_from = (digest(&pages, &rows), count);
        if self.made_from == Some(made_from) {
            return;
        }
        let options = Options { clusters: count, restarts: self.restarts, ..Options::default() };
        let clusters = learn::cluster::bisect_in_place(&mut rows, &options);
        self.sort(known, &pages, &rows, &clusters);
        self.nearest = nearest(&clusters);
        self.made_from = Some(made_from);
        self.times_made += 1;
    }

    /// Orders the pages of each cluster by their distance to its centroid.
    fn sort(&mut self, known: &Known<'_>, pages: &[PageNo], rows: &Dense, clusters: &Clusters) {
        self.of_page.clear();
        self.of_page.resize(known.pages.len(), NONE);
        let mut members: Vec<Vec<(f32, PageNo)>> = vec![vec![]; clusters.count()];
        for (row, (&page, &number)) in pages.iter().zip(&clusters.assignment).enumerate() {
            self.of_page[page.index()] = number;
            let closeness =
                learn::cluster::cosine(rows.row(row), clusters.centroids.row(number as usize));
            members[number as usize].push((closeness, page));
        }
        for members in &mut members {
            // Pages with the same features in the order of their ids, which is as good as random: neighbours by
            // address often change together and would represent the cluster badly.
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

    /// The cluster of a page; `None` if it is not held.
    pub fn cluster(&self, page: PageNo) -> Option<usize> {
        let number = self.of_page.get(page.index()).copied().filter(|&number| number != NONE)?;
        Some(number as usize)
    }

    /// The pages of a cluster, those nearest to its centroid first.
    pub fn pages(&self, number: usize) -> &[PageNo] {
        &self.pages[number]
    }

    /// All clusters by the distance of their centroids to that of `number`, itself first.
    pub fn nearest(&self, number: usize) -> impl Iterator<Item = usize> {
        self.nearest[number].iter().map(|&other| other as usize)
    }

    /// How often clusters were computed so far.
    pub fn times_made(&self) -> usize {
        self.times_made
    }
}

/// Identifies a feature table.
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
            .map(|other| (learn::cluster::cosine(centroid(number), centroid(other)), other))
            .collect();
        others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        std::iter::once(number).chain(others.into_iter().map(|(_, other)| other)).collect()
    };
    (0..count).map(of).collect()
}
