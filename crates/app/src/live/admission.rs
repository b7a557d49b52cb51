//! Which linked addresses become pages: those in scope that are no trap.
use std::cell::RefCell;

use flow::{Pages, Time};
use web::{
    scope::{Scope, ScopeKind},
    traps::{TrapLimits, Traps},
};

/// The crawl's edge.
pub(crate) struct Admission {
    scope: Scope,
    /// Counted as pages are admitted, which the loop does through a shared reference.
    traps: RefCell<Traps>,
    now: RefCell<Time>,
}

impl Admission {
    /// The edge of a crawl that knows `pages` already.
    pub(crate) fn new(
        kind: ScopeKind,
        seeds: &[String],
        limits: TrapLimits,
        pages: &Pages,
        now: Time,
    ) -> Self {
        let mut traps = Traps::new(limits);
        for page in pages.numbers() {
            traps.note(pages.address(page));
        }
        Self { scope: Scope::new(kind, seeds), traps: RefCell::new(traps), now: RefCell::new(now) }
    }

    /// Tells the time, by which a calendar's far future is known.
    pub(crate) fn tell_time(&self, now: Time) {
        *self.now.borrow_mut() = now;
    }

    /// Whether a new address becomes a page; if so, it is counted as one.
    pub(crate) fn admits(&self, address: &str) -> bool {
        if !self.scope.admits(address) {
            return false;
        }
        let mut traps = self.traps.borrow_mut();
        if traps.refuses(address, *self.now.borrow()).is_some() {
            return false;
        }
        traps.note(address);
        true
    }

    /// Why an address is not let in, in words; `None` where it is.
    pub(crate) fn refusal(&self, address: &str) -> Option<String> {
        if !self.scope.admits(address) {
            return Some("it is outside the scope of the crawl".to_owned());
        }
        self.traps.borrow().refuses(address, *self.now.borrow()).map(|trap| trap.to_string())
    }
}
