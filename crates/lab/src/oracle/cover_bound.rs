//! A certified upper bound on the number of new pages that a number of visits can find
//! (`docs/papers.md` C3).
//!
//! For any set C of pages, k other pages find at most what C finds plus the k largest gains beyond
//! it: the gain of a page never grows as others are added. So every prefix of the greedy cover
//! gives a bound, and the smallest of them holds.
use policy::discover::{Cover, Leads, Until, greedy};

/// The minimum work for the bounds of one graph. A bound of one prefix needs one step per followed
/// link.
const STEPS: usize = 20_000_000;

/// For every budget, an upper bound on the pages that so many rows can find.
pub fn most_found(leads: &Leads, budgets: &[usize]) -> Vec<usize> {
    let rows = leads.pages().len();
    let mut bounds = vec![leads.covered(); budgets.len()];
    let steps = greedy(leads, Until::Everything);
    let mut cover = Cover::new(leads);
    let followed: usize = leads.degrees().iter().map(|&degree| degree as usize + 1).sum();
    let wanted = places(steps.len(), STEPS / followed.max(1));
    for (place, step) in steps.iter().enumerate() {
        if wanted.contains(&place) {
            let mut gains: Vec<u32> = (0..rows).map(|row| cover.gain(row)).collect();
            gains.sort_unstable_by(|one, other| other.cmp(one));
            for (bound, &budget) in bounds.iter_mut().zip(budgets) {
                let best: usize = gains.iter().take(budget).map(|&gain| gain as usize).sum();
                *bound = (*bound).min(cover.covered() + best);
            }
        }
        cover.take(step.row);
    }
    bounds
}

/// About `count` positions from 0 to `last`, dense at the beginning, where bounds are best for
/// small budgets, then with growing gaps.
fn places(last: usize, count: usize) -> Vec<usize> {
    let count = count.max(8);
    if last <= count {
        return (0..last).collect();
    }
    let growth = (last as f64).powf(1.0 / count as f64);
    let mut places: Vec<usize> =
        (0..=count).map(|place| growth.powi(place as i32) as usize - 1).collect();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_from_a_longer_beginning_can_be_the_better_one() {
        // Rows 0 to 3 show {0,1,2}, {0,1,3}, {0,2,3}, {4}. Two rows find 4 at most (or 4 with row 3).
        // From nothing: 3 + 3 = 6, which all 5 bound. After row 0: 3 + (1 + 1) = 5. After rows 0 and 1:
        // 4 + (1 + 0) = 5.
        let rows = vec![(7, vec![0, 1, 2]), (8, vec![0, 1, 3]), (9, vec![0, 2, 3]), (10, vec![4])];
        let leads = Leads::new(5, rows, vec![]);
        assert_eq!(most_found(&leads, &[0, 1, 2, 3, 4]), [0, 3, 5, 5, 5]);
    }

    #[test]
    fn pages_with_the_same_links_count_once() {
        // Ten pages show the same five new ones, one shows two others: with two visits 7, not 10.
        let mut rows: Vec<(u32, Vec<u32>)> =
            (0..10).map(|key| (key, vec![0, 1, 2, 3, 4])).collect();
        rows.push((10, vec![5, 6]));
        let leads = Leads::new(7, rows, vec![]);
        assert_eq!(most_found(&leads, &[1, 2, 9]), [5, 7, 7]);
    }

    #[test]
    fn nothing_is_found_where_nothing_leads_anywhere() {
        assert_eq!(most_found(&Leads::new(3, vec![], vec![]), &[1, 10]), [0, 0]);
    }

    #[test]
    fn places_begin_densely_and_keep_to_their_number() {
        assert_eq!(places(3, 100), [0, 1, 2]);
        let some = places(100_000, 10);
        assert!(some.len() <= 11 && some.starts_with(&[0, 2]), "{some:?}");
        assert!(some.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
