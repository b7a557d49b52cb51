//! Which visits of a cycle showed much the same: those with half or more of eight minima of hashes in common
//! (Broder 1997; `docs/papers.md` D3.8).
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::ArmVisit;

/// Minima that represent the finds of a visit.
const HASHES: usize = 8;
/// Equal minima that make two visits alike: an estimated Jaccard coefficient of 0.5.
const LEAST_EQUAL: usize = 4;
/// A visit is compared with this many others that share a minimum.
const NEAR: usize = 2;

/// Pairs of pages whose visits showed much the same; enough pairs to connect each group. The work is linear
/// in what was shown.
pub(super) fn alike(visits: &[ArmVisit]) -> Vec<(u32, u32)> {
    let shown = visits.iter().filter(|visit| !visit.found.is_empty());
    let minima: Vec<(u32, [u32; HASHES])> =
        shown.map(|visit| (visit.key, minima(&visit.found))).collect();
    let mut order: Vec<usize> = (0..minima.len()).collect();
    let mut pairs = vec![];
    for hash in 0..HASHES {
        let minimum = |visit: usize| minima[visit].1[hash];
        order.sort_unstable_by_key(|&visit| (minimum(visit), minima[visit].0, visit));
        for same in order.chunk_by(|&a, &b| minimum(a) == minimum(b)) {
            for (place, &one) in same.iter().enumerate() {
                for &other in same[place + 1..].iter().take(NEAR) {
                    let both = minima[one].1.iter().zip(&minima[other].1);
                    let is_other = minima[one].0 != minima[other].0;
                    if is_other && both.filter(|(a, b)| a == b).count() >= LEAST_EQUAL {
                        pairs.push((minima[one].0, minima[other].0));
                    }
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn minima(found: &[u32]) -> [u32; HASHES] {
    std::array::from_fn(|seed| {
        let hash = |page: &u32| xxh3_64_with_seed(&page.to_le_bytes(), seed as u64) as u32;
        found.iter().map(hash).min().unwrap_or(u32::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(key: u32, found: impl IntoIterator<Item = u32>) -> ArmVisit {
        ArmVisit { key, waited: 1.0, found: found.into_iter().collect() }
    }

    #[test]
    fn mirrors_are_alike_and_pages_with_little_in_common_are_not() {
        let visits =
            [visit(5, 0..100), visit(3, 0..100), visit(4, 95..200), visit(2, []), visit(1, [])];
        assert_eq!(alike(&visits), [(3, 5)]);
    }

    #[test]
    fn a_page_is_not_alike_to_itself() {
        assert_eq!(alike(&[visit(5, [1]), visit(5, [1])]), []);
    }

    #[test]
    fn many_mirrors_are_tied_together_by_few_pairs() {
        let visits: Vec<ArmVisit> = (0..1000).map(|key| visit(key, [7])).collect();
        let pairs = alike(&visits);
        assert!(pairs.len() < 2000);
        assert!((0..999).all(|key| pairs.contains(&(key, key + 1))));
    }
}
