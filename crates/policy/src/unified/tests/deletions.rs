//! Pages that are gone.
use super::*;

#[test]
fn pages_that_are_known_to_be_gone_leave_the_budget_to_those_that_are_held() {
    for policy in ["unified", "unified:learned=off"] {
        let mut web = Web::new(policy);
        // Half of the pages are gone: not found, and not found again.
        for at in [7, 14] {
            web.plan(day(at), 20);
            for page in 0..10 {
                let outcome = if at == 7 { Outcome::Missing } else { Outcome::Gone };
                web.visit(PageNo(page), day(at), outcome, &[]);
            }
        }
        // A year later every page is due.
        let plan = web.plan(day(379), 80);
        assert!(plan.iter().all(|&page| page >= 10), "{policy}: {plan:?}");
    }
}
