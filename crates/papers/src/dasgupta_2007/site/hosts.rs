//! The sites of a web: a made-up one has many, each on a host of its own.
use std::{collections::BTreeMap, sync::Arc};

use extract::detect;
use lab::{
    compare::{Comparison, Texts, TextsError},
    history::{History, PageHistory, Version},
    truth::GroundTruth,
};
use rustc_hash::FxHashMap;

/// Links do not depend on what counts as a change.
const DETECTOR: &str = "digest";

/// The ground truth of every host of a web.
///
/// # Errors
/// If the texts cannot be read.
pub(crate) fn by_host(
    truth: &GroundTruth,
    texts: &dyn Texts,
) -> Result<Vec<GroundTruth>, TextsError> {
    let mut hosts: BTreeMap<&str, Vec<&PageHistory>> = BTreeMap::new();
    for page in &truth.history().pages {
        hosts.entry(host(&page.address)).or_default().push(page);
    }
    let of_host = |(host, pages): (&str, Vec<&PageHistory>)| {
        let history = Arc::new(some_pages(truth.history(), host, &pages));
        let detector = detect::by_name(DETECTOR).ok_or("there is no detector of digests")?;
        let comparison = Comparison::new(&history, texts, truth.grid(), detector)?;
        Ok(GroundTruth::new(history, comparison, truth.grid()))
    };
    hosts.into_iter().map(of_host).collect()
}

/// The host of an address.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split_once('/').map_or(rest, |(host, _)| host)
}

/// The history of some pages, with the readings that they have.
fn some_pages(all: &History, host: &str, pages: &[&PageHistory]) -> History {
    let mut readings = vec![];
    let mut places: FxHashMap<u32, u32> = FxHashMap::default();
    let mut moved = |reading: u32| {
        *places.entry(reading).or_insert_with(|| {
            readings.push(Arc::clone(&all.readings[reading as usize]));
            readings.len() as u32 - 1
        })
    };
    let mut page = |page: &&PageHistory| {
        let versions = page.versions.iter();
        let versions = versions
            .map(|version| Version { at: version.at, reading: version.reading.map(&mut moved) })
            .collect();
        PageHistory { address: page.address.clone(), versions }
    };
    let pages = pages.iter().map(&mut page).collect();
    let name = format!("{} {host}", all.name);
    History { name, source: all.source.clone(), window: all.window, pages, readings }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dasgupta_2007::site::Site;
    use lab::discovery::testing::truth;

    struct NoTexts;

    impl Texts for NoTexts {
        fn contents(&self, _: usize) -> Result<Vec<(u32, Arc<crawl::Content>)>, TextsError> {
            Err("digests need no texts".into())
        }
    }

    #[test]
    fn every_host_is_a_site_with_its_own_pages_and_links() {
        let web = truth(&[
            ("http://a/", vec![Some(vec![]), Some(vec!["http://a/1", "http://b/1"])]),
            ("http://a/1", vec![None, Some(vec![])]),
            ("http://b/", vec![Some(vec![]), Some(vec![])]),
            ("http://b/1", vec![None, Some(vec![])]),
        ]);
        let sites: Vec<Site> = by_host(&web, &NoTexts).unwrap().iter().map(Site::new).collect();
        assert_eq!(sites.len(), 2);
        // Links to other sites do not count: the page of b is an orphan.
        assert_eq!((sites[0].new_pages(), sites[0].orphans()), (1, 0));
        assert_eq!((sites[1].new_pages(), sites[1].orphans()), (1, 1));
        assert!(sites[1].name.ends_with(" b"), "{}", sites[1].name);
    }
}
