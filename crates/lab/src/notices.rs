//! Simulated notices: what a publisher's pushes would say, right or wrong as often as asked.
//!
//! No recorded site has such notices. Results that use them must say that they are simulated.
use crawl::{Notice, Time};

use crate::{rng::Rng, truth::GroundTruth};

/// How right notices are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoticeModel {
    /// In every cycle this share of the changes is noticed, and this share of the notices is about a
    /// change. Where nearly all pages changed, there are too few others to be wrong about.
    Informed {
        /// The share of the changes that is noticed.
        recall: f64,
        /// The share of the notices that is about a change.
        precision: f64,
    },
    /// Every page has a notice with this probability in every cycle, changed or not.
    Noise(f64),
}

/// All notices of a history, in order: at the start of each cycle those of the time since the one before.
/// A page that is gone has changed.
pub fn simulate(truth: &GroundTruth, model: NoticeModel, seed: u64) -> Vec<(Time, Notice)> {
    let grid = truth.grid();
    let mut rng = Rng::named(seed, "notices");
    let mut notices = vec![];
    for cycle in 1..=grid.cycles {
        let alive = (0..truth.history().pages.len())
            .filter(|&page| truth.reading(page, cycle - 1).is_some());
        let (same, changed): (Vec<usize>, Vec<usize>) = alive.partition(|&page| {
            truth.same(truth.reading(page, cycle - 1), truth.reading(page, cycle))
        });
        let (if_changed, if_same) = match model {
            NoticeModel::Noise(share) => (share, share),
            NoticeModel::Informed { recall, precision } => {
                let right = recall * changed.len() as f64;
                let wrong = right * (1.0 - precision) / precision;
                (recall, wrong / same.len().max(1) as f64)
            }
        };
        let mut add = |page: usize, probability: f64| {
            if rng.unit() < probability {
                let address = truth.history().pages[page].address.clone();
                let changed = grid.instant(cycle);
                notices.push((changed, Notice { address, changed }));
            }
        };
        for page in changed {
            add(page, if_changed);
        }
        for page in same {
            add(page, if_same);
        }
    }
    notices
}
