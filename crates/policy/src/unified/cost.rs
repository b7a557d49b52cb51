//! Scores where the budget is in bytes: what a visit buys for what it is expected to bring.
//!
//! A conditional request for a page that has not changed is answered by a few hundred bytes, if the server
//! compares. So a visit costs c0, and c1 more where the page has changed. The exact index is the worth
//! divided by c0 + c1 A(x), A(x) = 1 - (1 + x) e^-x, where e^-x is the probability that the copy is still
//! fresh (`docs/papers.md` D2). Where the budget is in visits, every visit costs the same. Where it is
//! in time, too: hosts are visited side by side, and on one host the delay between two requests is most of
//! the time.
use crawl::{Allowance, Known, PageNo};
use instruments::costs::{Costs, Price};

use super::scorer::Scorer;
use crate::{Kind, Parameter};

pub(super) const PARAMETER: Parameter = Parameter {
    name: "cost",
    meaning: "whether scores are divided by expected bytes where the budget is in bytes",
    default: "on",
    kind: Kind::Word(&["on", "off"]),
};

/// Scores are per kilobyte.
const UNIT_BYTES: f64 = 1_000.0;

/// What a visit to a page is expected to cost; 1 where all cost the same.
pub(super) fn expected(known: &Known<'_>, scorer: &Scorer<'_>, page: PageNo) -> f64 {
    let Allowance::Bytes(_) = known.allowance else { return 1.0 };
    let Some(costs) = known.instruments.find::<Costs>() else { return 1.0 };
    let Price { same, full } = costs.price(page, known.pages.host(page));
    let changed = scorer.assess(page).map_or(1.0, |assessed| changed_share(1.0 - assessed.stale()));
    (same + (full - same) * changed) / UNIT_BYTES
}

/// A(x) for a copy that is still fresh with probability e^-x.
fn changed_share(fresh: f64) -> f64 {
    let fresh = fresh.clamp(1e-12, 1.0);
    1.0 - fresh + fresh * fresh.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kernel, testing::assert_close};

    #[test]
    fn the_share_that_is_paid_for_a_change_is_that_of_the_kernel() {
        for x in [0.01_f64, 0.5, 2.0] {
            assert_close(changed_share((-x).exp()), kernel::shape(x), 1e-12);
        }
        assert_close(changed_share(1.0), 0.0, 0.0);
        assert_close(changed_share(0.0), 1.0, 1e-9);
    }
}
