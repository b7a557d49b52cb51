//! Draws repositories of many sites from recorded ones.
use std::path::{Path, PathBuf};

use lab::{
    rng::Rng,
    tournament::{Repository, WebSource},
};

use crate::plan::Repositories;

/// With fewer sites, halves are no repositories of many sites: there is one, of all of them.
const FEWEST: usize = 6;

/// The seed of all draws, so that every part of every paper has the same repositories.
const SEED: u64 = 1;

/// Pairs of repositories: each pair divides all traces at random.
pub(crate) fn draw(traces: &[PathBuf], how: Repositories) -> Vec<WebSource> {
    if traces.len() < FEWEST {
        return vec![WebSource::Together(traces.to_vec())];
    }
    let mut rng = Rng::new(SEED);
    let mut all: Vec<&PathBuf> = traces.iter().collect();
    // By name, so that a draw does not depend on the order of the arguments.
    all.sort_by_key(|path| name(path));
    let mut repositories = vec![];
    for pair in 1..=how.pairs {
        for place in (1..all.len()).rev() {
            all.swap(place, rng.below(place + 1));
        }
        let (one, other) = all.split_at(all.len() / 2);
        for (half, traces) in [("a", one), ("b", other)] {
            let mut traces: Vec<PathBuf> = traces.iter().map(|&path| path.clone()).collect();
            traces.sort_by_key(|path| name(path));
            let name = format!("repository-{pair}{half}");
            repositories.push(WebSource::Repository(Repository { name, traces, pages: how.pages }));
        }
    }
    repositories
}

fn name(path: &Path) -> std::ffi::OsString {
    path.file_stem().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(count: usize) -> Vec<PathBuf> {
        (0..count).map(|number| PathBuf::from(format!("{number:02}.parquet"))).collect()
    }

    #[test]
    fn the_two_of_a_pair_have_every_site_once() {
        let drawn = draw(&paths(9), Repositories { pairs: 3, pages: 60 });
        assert_eq!(drawn.len(), 6);
        let sites = |source: &WebSource| match source {
            WebSource::Repository(repository) => repository.traces.clone(),
            other => panic!("{other:?}"),
        };
        for pair in drawn.chunks(2) {
            let mut both = [sites(&pair[0]), sites(&pair[1])].concat();
            both.sort();
            assert_eq!(both, paths(9));
            assert_eq!(sites(&pair[0]).len(), 4);
        }
        assert_ne!(sites(&drawn[0]), sites(&drawn[2]), "pairs differ");
        let mut turned = paths(9);
        turned.reverse();
        assert_eq!(draw(&turned, Repositories { pairs: 3, pages: 60 }), drawn);
    }

    #[test]
    fn a_few_sites_are_one_repository() {
        let drawn = draw(&paths(5), Repositories { pairs: 3, pages: 60 });
        assert_eq!(drawn, [WebSource::Together(paths(5))]);
    }
}
