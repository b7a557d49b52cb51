//! Says before a tournament what policies do without on traces that have digests in place of bodies.
use std::path::PathBuf;

use extract::detect::main_text::BoilerplateNeeds;
use instruments::{features::FeatureNeeds, fragments::Fragments, impact::Measure};
use lab::{
    readings::ReadingsError,
    tournament::{Contender, Experiment, WebSource},
    trace::TraceReader,
};

use crate::failure::Failure;

/// A line for each trace without bodies, and one for what each policy does without.
pub(super) fn notes(experiment: &Experiment) -> Result<Vec<String>, Failure> {
    let mut notes = vec![];
    for web in &experiment.webs {
        let paths: &[PathBuf] = match web {
            WebSource::Trace(path) => std::slice::from_ref(path),
            WebSource::Together(paths) => paths,
            WebSource::Repository(repository) => &repository.traces,
            WebSource::Synthetic(_) => &[],
        };
        for path in paths {
            if TraceReader::open(path).map_err(ReadingsError::from)?.has_digests_only() {
                notes.push(format!(
                    "{} has digests in place of bodies: a change is another digest, and there are no \
                     texts, links and queries",
                    path.display()
                ));
            }
        }
    }
    if notes.is_empty() {
        return Ok(notes);
    }
    for policy in experiment.policies.iter().filter_map(Contender::as_policy) {
        let needs = policy.make(1).needs();
        let missing = [
            (needs.find::<FeatureNeeds>().is_some(), "features of texts"),
            (Fragments::needed(&needs).is_some(), "fragments of texts"),
            (needs.find::<Measure>().is_some(), "the impact of visits on search results"),
        ];
        let missing: Vec<&str> =
            missing.iter().filter(|(needed, _)| *needed).map(|(_, what)| *what).collect();
        if !missing.is_empty() {
            notes.push(format!("there {} works without {}", policy.name(), missing.join(", ")));
        }
    }
    let detector = extract::detect::by_name(&experiment.detector);
    if detector.is_some_and(|detector| detector.needs().find::<BoilerplateNeeds>().is_some()) {
        notes.push(format!("there {} finds the same changes as digest", experiment.detector));
    }
    Ok(notes)
}
