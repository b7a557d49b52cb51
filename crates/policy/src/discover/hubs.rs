//! Hubs: pages that link to more than the others of their host are expected to link to more new pages.
//!
//! The menu is on every page, so only the links above the host's median count. A page that links to a
//! hundred pages is expected to show about a hundred times what a page with one such link shows, until
//! visits tell otherwise.
use super::{Arm, PageKind};

/// Sets the exposure of arms that are not known by their address. It is 1 on average on a host.
pub(super) fn expose(arms: &mut [Arm], links: impl Fn(u32) -> usize) {
    let hosts = arms.iter().map(|arm| arm.host as usize + 1).max().unwrap_or(0);
    let mut counts: Vec<Vec<usize>> = vec![vec![]; hosts];
    let is_page = |arm: &&mut Arm| arm.kind == PageKind::Page;
    for arm in arms.iter_mut().filter(is_page) {
        counts[arm.host as usize].push(links(arm.key));
    }
    // The links of the menu, and how many there are besides it on average.
    let typical = |mut counts: Vec<usize>| {
        let middle = counts.len() / 2;
        let menu = if counts.is_empty() { 0 } else { *counts.select_nth_unstable(middle).1 };
        let besides: usize = counts.iter().map(|count| count.saturating_sub(menu) + 1).sum();
        (menu, besides as f64 / counts.len().max(1) as f64)
    };
    let typical: Vec<(usize, f64)> = counts.into_iter().map(typical).collect();
    for arm in arms.iter_mut().filter(is_page) {
        let (menu, mean) = typical[arm.host as usize];
        arm.exposure = (links(arm.key).saturating_sub(menu) + 1) as f64 / mean;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_with_many_links_besides_the_menu_is_expected_to_show_more() {
        let arm = |key, host, kind| Arm { key, host, kind, waited: 1.0, exposure: 1.0 };
        let page = |key| arm(key, 0, PageKind::Page);
        let mut arms = vec![page(0), page(1), page(2), page(3), arm(4, 0, PageKind::Front)];
        arms.push(arm(5, 2, PageKind::Page));
        // A menu of 20 links; page 3 has 36 more.
        let links = [20, 20, 20, 56, 90, 7];
        expose(&mut arms, |key| links[key as usize]);
        let exposures: Vec<f64> = arms.iter().map(|arm| arm.exposure).collect();
        assert_eq!(exposures, [0.1, 0.1, 0.1, 3.7, 1.0, 1.0]);
        expose(&mut [], |_| 0);
    }
}
