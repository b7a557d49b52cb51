//! What is counted of a page: its text runs, and which run follows which.

/// Stands for the beginning and the end of a page.
const EDGE: u32 = 0x9e37_79b9;

/// Stands for two consecutive runs, as one number of the same kind as a run. `None` is an edge of the
/// page.
pub(super) fn pair(left: Option<u32>, right: Option<u32>) -> u32 {
    let (left, right) = (left.unwrap_or(EDGE), right.unwrap_or(EDGE));
    let mixed = (u64::from(left) << 32 | u64::from(right)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32) as u32
}

/// The runs of a page and its pairs of consecutive runs, ascending, each once. Empty where the page has
/// no runs.
pub(super) fn marks(runs: &[u32]) -> Vec<u32> {
    let (Some(&first), Some(&last)) = (runs.first(), runs.last()) else { return vec![] };
    let inner = runs.windows(2).map(|two| pair(Some(two[0]), Some(two[1])));
    let edges = [pair(None, Some(first)), pair(Some(last), None)];
    let mut marks: Vec<u32> = runs.iter().copied().chain(inner).chain(edges).collect();
    marks.sort_unstable();
    marks.dedup();
    marks
}
