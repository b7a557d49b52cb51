//! Which looks of a cycle showed much the same: eight minima of hashes of what each showed, of which
//! half or more are equal (Broder 1997; `docs/papers.md` D3.8).
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::Look;

/// How many minima stand for what a look showed.
const HASHES: usize = 8;
/// Equal minima from which on two looks showed the same: an estimated Jaccard coefficient of 0.5.
const LEAST_EQUAL: usize = 4;
/// With how many others that share a minimum with it a look is compared.
const NEAR: usize = 2;

/// Pairs of pages whose looks showed much the same; enough of them to tie each group together. The
/// work is linear in what was shown.
pub(super) fn alike(looks: &[Look]) -> Vec<(u32, u32)> {
    let shown = looks.iter().filter(|look| !look.found.is_empty());
    let minima: Vec<(u32, [u32; HASHES])> =
        shown.map(|look| (look.key, minima(&look.found))).collect();
    let mut order: Vec<usize> = (0..minima.len()).collect();
    let mut pairs = vec![];
    for hash in 0..HASHES {
        let minimum = |look: usize| minima[look].1[hash];
        order.sort_unstable_by_key(|&look| (minimum(look), minima[look].0, look));
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

    fn look(key: u32, found: impl IntoIterator<Item = u32>) -> Look {
        Look { key, waited: 1.0, found: found.into_iter().collect() }
    }

    #[test]
    fn mirrors_are_alike_and_pages_with_little_in_common_are_not() {
        let looks = [look(5, 0..100), look(3, 0..100), look(4, 95..200), look(2, []), look(1, [])];
        assert_eq!(alike(&looks), [(3, 5)]);
    }

    #[test]
    fn a_page_is_not_alike_to_itself() {
        assert_eq!(alike(&[look(5, [1]), look(5, [1])]), []);
    }

    #[test]
    fn many_mirrors_are_tied_together_by_few_pairs() {
        let looks: Vec<Look> = (0..1000).map(|key| look(key, [7])).collect();
        let pairs = alike(&looks);
        assert!(pairs.len() < 2000);
        assert!((0..999).all(|key| pairs.contains(&(key, key + 1))));
    }
}
