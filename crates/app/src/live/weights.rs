//! The weights of pages that the user set, for policies that use them.
use crawl::{Instruments, Needs, Pages, State};
use instruments::weights::WeightNeeds;
use tracing::warn;

use crate::{failure::Failure, settings::Settings};

/// Inserts the weights where the policy needs them. Says which rules change nothing.
pub(super) fn insert(
    instruments: &mut Instruments,
    needs: &Needs,
    settings: &Settings,
    pages: &Pages,
) -> Result<(), Failure> {
    if needs.find::<WeightNeeds>().is_none() {
        if !settings.weights.is_empty() {
            warn!("weights: not used by this policy; --policy unified:value=weights uses them");
        }
        return Ok(());
    }
    if settings.weights.is_empty() {
        return Err(Failure::Input(
            "the policy weighs pages by your weights, and there are none; set weights in \
             sanderling.toml or with --weights, such as --weights https://docs.example.org/2.1/=3"
                .to_owned(),
        ));
    }
    let mut weights = settings.weights.clone();
    weights.read(pages);
    if pages.states().contains(&State::Held) {
        for rule in weights.unused() {
            warn!("weights: no known page has its weight from {rule}");
        }
    }
    instruments.insert(weights);
    Ok(())
}

/// The same for a command that only reads. The settings may have changed since the last refresh.
pub(super) fn insert_current(instruments: &mut Instruments, needs: &Needs, settings: &Settings) {
    if needs.find::<WeightNeeds>().is_some() {
        instruments.insert(settings.weights.clone());
    }
}
