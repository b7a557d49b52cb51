//! The policy and the instruments of a data folder as its next cycle finds them, for forecasts.
use crawl::{CycleStart, HostState, Instruments, Observation, Policy};
use extract::detect;
use policy::PolicySpec;
use store::{CycleSummary, Loaded, View};

use super::{
    costs, features, impact, query_source,
    stored_instrument::{self, COSTS, FRAGMENTS},
    weights,
};
use crate::{failure::Failure, settings::Settings};

/// The number of cycles that a forecast starts from.
const CYCLES: usize = 20;

/// What a forecast starts from.
pub(super) struct Preparation {
    pub(super) spec: PolicySpec,
    /// It has learned from the whole log.
    pub(super) policy: Box<dyn Policy>,
    pub(super) instruments: Instruments,
    pub(super) hosts: Vec<HostState>,
    pub(super) cycles: Vec<CycleSummary>,
}

impl Preparation {
    /// Reads the log; `each` sees every observation.
    pub(super) fn new(
        settings: &Settings,
        view: &View,
        loaded: &Loaded,
        each: &mut dyn FnMut(&Observation),
    ) -> Result<Self, Failure> {
        let cycles = view.cycles_uncounted(CYCLES)?;
        let (spec, seed) = folder_policy(&cycles, settings)?;
        let mut policy = spec.make(seed);
        view.replay(&mut |seen| {
            each(seen);
            policy.learn(seen);
        })?;
        let mut instruments = Instruments::default();
        let needs = policy.needs();
        features::insert_current(&mut instruments, &needs, view, settings)?;
        let detector = detect::by_name(settings.detector)
            .ok_or_else(|| Failure::Internal(format!("no detector {}", settings.detector)))?;
        let fragments = stored_instrument::fragments(&needs, &*detector);
        stored_instrument::insert_current(fragments, FRAGMENTS, &mut instruments, view)?;
        let costs = costs::needed(costs::next_budget(settings, &cycles));
        stored_instrument::insert_current(costs, COSTS, &mut instruments, view)?;
        impact::insert_current(&mut instruments, &needs, settings)?;
        weights::insert_current(&mut instruments, &needs, settings);
        let start = CycleStart { pages: &loaded.pages, links: &loaded.links, has_plans: true };
        instruments.begin_cycle(&start);
        Ok(Self { spec, policy, instruments, hosts: view.host_states()?, cycles })
    }
}

/// The policy and seed of the last refresh; before the first refresh, those of the settings.
pub(super) fn folder_policy(
    cycles: &[CycleSummary],
    settings: &Settings,
) -> Result<(PolicySpec, u64), Failure> {
    let last = cycles.iter().rev().find(|cycle| cycle.kind == "refresh");
    match last.and_then(|cycle| Some((PolicySpec::parse(&cycle.policy).ok()?, cycle.seed))) {
        Some(found) => Ok(found),
        None => Ok((query_source::policy(settings)?, settings.seed)),
    }
}
