//! Sums in a fixed order: column `c` is added to lane `c % LANES`, and the lanes are then added in
//! pairs. Compilers can vectorise the lanes without changing the result.

/// The number of lanes. Sixteen floats are one to four registers.
pub(crate) const LANES: usize = 16;

/// A number type of lanes.
pub(crate) trait Number: Copy + Default + std::ops::AddAssign {}
impl Number for f32 {}
impl Number for f64 {}

/// The sum of the lanes, added in pairs.
pub(crate) fn total<N: Number>(mut lanes: [N; LANES]) -> N {
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            let other = lanes[lane + width];
            lanes[lane] += other;
        }
    }
    lanes[0]
}

/// The sum of `term` over the elements of `a` and `b`.
#[inline]
pub(crate) fn sum<A: Copy, B: Copy, N: Number>(a: &[A], b: &[B], term: impl Fn(A, B) -> N) -> N {
    const QUARTER: usize = LANES / 4;
    let mut lanes = [N::default(); LANES];
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            lanes[lane] += term(a[lane], b[lane]);
        }
    }
    // The rest in quarters: many widths are multiples of four and few of sixteen.
    let (a, a_rest) = a_rest.as_chunks::<QUARTER>();
    let (b, b_rest) = b_rest.as_chunks::<QUARTER>();
    let (quarters, _) = lanes.as_chunks_mut::<QUARTER>();
    for (quarter, (a, b)) in quarters.iter_mut().zip(a.iter().zip(b)) {
        for lane in 0..QUARTER {
            quarter[lane] += term(a[lane], b[lane]);
        }
    }
    let done = a.len() * QUARTER;
    for (lane, (&a, &b)) in lanes[done..].iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *lane += term(a, b);
    }
    total(lanes)
}

/// The length of a sum of rows.
pub(crate) fn length(sum_of_rows: &[f64]) -> f64 {
    sum(sum_of_rows, sum_of_rows, |a, b| a * b).sqrt()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums are exact")]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_added_once_for_any_width() {
        for width in 0..70_u16 {
            let a: Vec<f64> = (0..width).map(f64::from).collect();
            let expected = f64::from(width) * (f64::from(width) - 1.0) / 2.0;
            assert_eq!(sum(&a, &a, |a, _| a), expected, "{width} elements");
        }
    }

    #[test]
    fn elements_are_added_to_their_lanes() {
        // In single precision 2^24 + 1 rounds to 2^24, but 2^24 + 2 is exact. Elements 1 and 17 share
        // lane 1, so the ones there are added first.
        let mut a = [0.0_f32; 18];
        (a[0], a[1], a[17]) = (16_777_216.0, 1.0, 1.0);
        assert_eq!(sum(&a, &a, |a, _| a), 16_777_218.0);
        (a[16], a[17]) = (1.0, 0.0);
        assert_eq!(sum(&a, &a, |a, _| a), 16_777_216.0);
    }
}
