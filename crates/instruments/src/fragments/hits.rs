//! How often evidence of dead fragments was right.
use std::collections::BTreeMap;

/// The number of classes of [`Evidence`](super::Evidence), that of none included.
pub const CLASSES: usize = 5;
/// The share of visits that find a change, by class, before anything is known.
const FIRST: [f32; CLASSES] = [0.0, 0.15, 0.6, 0.8, 0.97];
/// The weight of the level above, in visits.
const WEIGHT: f32 = 2.0;

/// Visits to pages with evidence, and how many of them found a change, by host and by group.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HitRates {
    hosts: BTreeMap<u32, [Hits; CLASSES]>,
    groups: BTreeMap<u32, [Hits; CLASSES]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Hits {
    visits: f32,
    hits: f32,
}

impl Hits {
    fn rate(self, above: f32) -> f32 {
        (self.hits + WEIGHT * above) / (self.visits + WEIGHT)
    }
}

impl HitRates {
    pub(super) fn add(&mut self, host: u32, group: u32, class: u8, changed: bool) {
        for (level, key) in [(&mut self.hosts, host), (&mut self.groups, group)] {
            let hits = &mut level.entry(key).or_default()[usize::from(class)];
            hits.visits += 1.0;
            hits.hits += f32::from(u8::from(changed));
        }
    }

    /// The share of visits to pages of a group with evidence of a class that found a change.
    pub fn rate(&self, host: u32, group: u32, class: u8) -> f32 {
        let class = usize::from(class);
        let at = |level: &BTreeMap<u32, [Hits; CLASSES]>, key| {
            level.get(&key).map_or(Hits::default(), |hits| hits[class])
        };
        at(&self.groups, group).rate(at(&self.hosts, host).rate(FIRST[class]))
    }

    /// The visits to pages of a group with evidence of a class, and how many found a change.
    pub fn counts(&self, group: u32, class: u8) -> (u32, u32) {
        let hits = self.groups.get(&group).map_or(Hits::default(), |hits| hits[usize::from(class)]);
        (hits.visits as u32, hits.hits as u32)
    }
}
