//! Selects the queries of a web's evaluation.
use std::sync::Arc;

use crawl::Digest;
use text::{
    relevance::{Profile, Statistics, Vocabulary, WordNo},
    workload::{PreparedWorkload, PseudoQueries, Source, Workload},
};

use super::corpus::Corpus;
use crate::{compare::TextsError, results::WorkloadFacts};

/// If fewer queries of a file fit a web, pseudo-queries replace them: a mean over so few says
/// little.
pub const FEWEST_QUERIES: usize = 50;

/// The query source of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub enum Queries {
    /// No queries: metrics that need a workload are undefined.
    None,
    /// Pseudo-queries made from each web itself.
    Pseudo {
        /// The maximum number of queries per web.
        limit: usize,
    },
    /// The queries of a file that a web has good answers to; pseudo-queries with the frequencies of
    /// the file if too few fit.
    File {
        /// The queries.
        workload: Arc<Workload>,
        /// The digest of the file.
        digest: Digest,
        /// The maximum number of queries per web.
        limit: usize,
    },
}

impl Queries {
    /// Identifies the queries: their kind, the digest of a file, the limit.
    pub(crate) fn key(&self) -> (&'static str, Digest, usize) {
        match self {
            Self::None => ("none", Digest::default(), 0),
            Self::Pseudo { limit } => ("pseudo", Digest::default(), *limit),
            Self::File { digest, limit, .. } => ("file", *digest, *limit),
        }
    }

    /// Their name in reports; empty if there are none.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::None => String::new(),
            Self::Pseudo { .. } => Source::Pseudo.to_string(),
            Self::File { workload, .. } => workload.source.to_string(),
        }
    }
}

/// A workload that fits a web, and the profiles of the web's readings.
pub(super) struct FittedWorkload {
    pub(super) workload: PreparedWorkload,
    /// By reading.
    pub(super) profiles: Vec<Option<Profile>>,
    /// Of the live web at the start.
    pub(super) statistics: Statistics,
    pub(super) facts: WorkloadFacts,
}

/// Fits the queries to a web; `None` if there are none. A web with queries of its own is asked these:
/// its words are made up, and nobody else asks for them.
pub(super) fn fit(
    corpus: &Corpus<'_>,
    queries: &Queries,
) -> Result<Option<FittedWorkload>, TextsError> {
    if let (Some(own), Queries::Pseudo { limit } | Queries::File { limit, .. }) =
        (corpus.texts.workload(), queries)
    {
        return filtered(corpus, &own, *limit).map(Some);
    }
    match queries {
        Queries::None => Ok(None),
        Queries::Pseudo { limit } => pseudo(corpus, *limit, None).map(Some),
        Queries::File { workload, limit, .. } => {
            let fitted = filtered(corpus, workload, *limit)?;
            if fitted.facts.kept >= FEWEST_QUERIES.min(*limit) {
                return Ok(Some(fitted));
            }
            pseudo(corpus, *limit, Some((workload, &fitted.facts))).map(Some)
        }
    }
}

/// The queries of a file that the web has good answers to at its start.
fn filtered(
    corpus: &Corpus<'_>,
    workload: &Workload,
    limit: usize,
) -> Result<FittedWorkload, TextsError> {
    let all = workload.prepare(&corpus.survey(|_| ())?);
    let vocabulary = all.vocabulary.clone();
    let mut profiles = corpus.profiles(&vocabulary)?;
    let statistics = Statistics::from_profiles(vocabulary.len(), corpus.at_start(&profiles));
    let relevance = all.relevance(corpus.at_start(&profiles), &statistics);
    let (workload, filter) = all.filtered(&relevance, limit);
    // The kept words have new numbers. They are mapped instead of reading the texts again.
    let number = new_numbers(&vocabulary, &workload.vocabulary);
    for profile in profiles.iter_mut().flatten() {
        let counts = profile.counts().iter();
        let kept = counts.filter_map(|&(word, count)| Some((number[word as usize]?, count)));
        *profile = Profile::new(profile.length, kept.collect());
    }
    let statistics =
        Statistics::from_profiles(workload.vocabulary.len(), corpus.at_start(&profiles));
    let facts = WorkloadFacts {
        source: workload.source.to_string(),
        is_pseudo: workload.source.is_pseudo(),
        queries: filter.queries,
        answered: filter.answered,
        kept: filter.kept,
        threshold: Some(filter.threshold),
    };
    Ok(FittedWorkload { workload, profiles, statistics, facts })
}

/// By word of `old`, its number in `new`, if it has the word.
fn new_numbers(old: &Vocabulary, new: &Vocabulary) -> Vec<Option<WordNo>> {
    let known = new.len() as WordNo;
    let mut grown = new.clone();
    let number = |word| Some(grown.add(old.forms(word))).filter(|&number| number < known);
    (0..old.len() as WordNo).map(number).collect()
}

/// Queries made from the web's own pages at its start, with the frequencies of a workload too few
/// queries of which fit, if any.
fn pseudo(
    corpus: &Corpus<'_>,
    limit: usize,
    instead_of: Option<(&Workload, &WorkloadFacts)>,
) -> Result<FittedWorkload, TextsError> {
    let mut made = PseudoQueries::default();
    let languages = corpus.survey(|content| made.add(content))?;
    let made = made.finish(limit, instead_of.map(|(workload, _)| workload));
    let workload = made.prepare(&languages);
    let profiles = corpus.profiles(&workload.vocabulary)?;
    let statistics =
        Statistics::from_profiles(workload.vocabulary.len(), corpus.at_start(&profiles));
    let relevance = workload.relevance(corpus.at_start(&profiles), &statistics);
    let source = match instead_of {
        None => workload.source.to_string(),
        Some((_, file)) => format!(
            "{} with the frequencies of {}, of which only {} of {} fit",
            workload.source, file.source, file.kept, file.queries
        ),
    };
    let facts = WorkloadFacts {
        source,
        is_pseudo: true,
        queries: made.queries.len(),
        answered: relevance.iter().filter(|&&sum| sum > 0.0).count(),
        kept: workload.queries.len(),
        threshold: None,
    };
    Ok(FittedWorkload { workload, profiles, statistics, facts })
}
