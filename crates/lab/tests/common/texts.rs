//! Texts of webs that are made by hand.
use std::{collections::BTreeMap, sync::Arc};

use crawl::Content;
use lab::{
    compare::{Texts, TextsError},
    truth::GroundTruth,
};

/// Texts by the number of their reading.
pub(crate) struct ByReading {
    pub(crate) truth: Arc<GroundTruth>,
    pub(crate) texts: BTreeMap<u32, &'static str>,
}

impl Texts for ByReading {
    fn contents(&self, page: usize) -> Result<Vec<(u32, Arc<Content>)>, TextsError> {
        let versions = self.truth.history().pages[page].versions.iter();
        let mut readings: Vec<u32> = versions.filter_map(|version| version.reading).collect();
        readings.sort_unstable();
        readings.dedup();
        let content = |reading: u32| {
            let text = self.texts[&reading].to_owned();
            (reading, Arc::new(Content { text, language: "en".into(), ..Content::default() }))
        };
        Ok(readings.into_iter().map(content).collect())
    }
}
