//! Which linked URLs become pages: those in scope that no pattern excludes and that are not crawler traps.
use std::cell::RefCell;

use crawl::{Pages, Time};
use web::{
    rules::VisitRules,
    scope::{Scope, ScopeKind},
    traps::{TrapLimits, Traps},
};

/// The boundary of a crawl.
pub(crate) struct Admission {
    scope: Scope,
    rules: VisitRules,
    /// Counts admitted pages. The loop has only a shared reference to it.
    traps: RefCell<Traps>,
    now: RefCell<Time>,
}

impl Admission {
    /// The boundary of a crawl that already knows `pages`.
    pub(crate) fn new(
        kind: ScopeKind,
        seeds: &[String],
        rules: VisitRules,
        limits: TrapLimits,
        pages: &Pages,
        now: Time,
    ) -> Self {
        let mut traps = Traps::new(limits);
        for page in pages.numbers() {
            traps.note(pages.address(page));
        }
        Self {
            scope: Scope::new(kind, seeds),
            rules,
            traps: RefCell::new(traps),
            now: RefCell::new(now),
        }
    }

    /// Sets the time, from which dates in URLs are judged.
    pub(crate) fn set_time(&self, now: Time) {
        *self.now.borrow_mut() = now;
    }

    /// Whether a new URL becomes a page. If so, counts it.
    pub(crate) fn admits(&self, address: &str) -> bool {
        if !self.scope.admits(address) || self.rules.refusal(address).is_some() {
            return false;
        }
        let mut traps = self.traps.borrow_mut();
        if traps.refuses(address, *self.now.borrow()).is_some() {
            return false;
        }
        traps.note(address);
        true
    }

    /// Why a URL is not admitted; `None` if it is.
    pub(crate) fn refusal(&self, address: &str) -> Option<String> {
        if !self.scope.admits(address) {
            return Some("it is outside the scope of the crawl".to_owned());
        }
        if let Some(refusal) = self.rules.refusal(address) {
            return Some(refusal);
        }
        self.traps.borrow().refuses(address, *self.now.borrow()).map(|trap| trap.to_string())
    }
}
