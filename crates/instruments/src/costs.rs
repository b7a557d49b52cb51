//! Costs: how many bytes a visit to a page brings, and how long it takes.
//!
//! A page that is fetched in full costs what its last full answer did. A conditional request for a page
//! that has not changed is cheap if the server answers "not modified" (304). How often it does is counted
//! by page, host and over all. Budgets in bytes or time need these expectations (`crawl::Allowance`).
use crawl::{
    Cost, CycleStart, HostNo, Instrument, Outcome, PageNo, Recorded, Result, Saved, Span, Visited,
};
use serde::{Deserialize, Serialize};

/// The name under which costs are stored.
pub const NAME: &str = "costs";

/// Bytes of an answer without a body, such as 304: a status line and a few headers.
pub const HEAD_BYTES: u64 = 300;

/// Bytes of a body without any text, and for each byte of visible text: the line of least squares through
/// 9,070 bodies of 16 recorded sites, compressed by gzip as most servers do (2026-11-16). For pages whose
/// last answer was not measured.
const MARKUP_BYTES: u64 = 3_200;
const BODY_PER_TEXT: f64 = 0.38;

/// Weight of the level above, in visits.
const PRIOR: f64 = 2.0;
/// Before anything is measured: a page of usual size, the usual delay between two requests, and as many
/// pages that stayed the same as pages that changed, half of the former answered 304.
const FIRST_BYTES: f64 = 30_000.0;
const FIRST_MILLIS: f64 = 1_000.0;
const FIRST_SHARE: f64 = 0.5;

/// What visits to pages cost.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    pages: Vec<PageCosts>,
    hosts: Vec<Pool>,
    all: Pool,
}

/// What visits to one page cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct PageCosts {
    /// Bytes of the last full answer; 0 where there was none.
    full: u32,
    /// Milliseconds of the last visit; 0 where none was measured.
    millis: u32,
    /// Visits that found a change, and that found none.
    changed: u16,
    same: u16,
    /// Of the latter, those answered 304.
    not_modified: u16,
}

/// The sums of many pages.
#[derive(Clone, Copy, Debug, Default)]
struct Pool {
    full: f64,
    full_pages: f64,
    millis: f64,
    timed_pages: f64,
    changed: f64,
    same: f64,
    not_modified: f64,
}

impl Pool {
    /// Adds a page, or takes it away with a `sign` of -1.
    fn add(&mut self, page: &PageCosts, sign: f64) {
        self.full += sign * f64::from(page.full);
        self.full_pages += sign * f64::from(u8::from(page.full > 0));
        self.millis += sign * f64::from(page.millis);
        self.timed_pages += sign * f64::from(u8::from(page.millis > 0));
        self.changed += sign * f64::from(page.changed);
        self.same += sign * f64::from(page.same);
        self.not_modified += sign * f64::from(page.not_modified);
    }

    /// Means of these pages, where `above` is the level above.
    fn means(&self, above: Means) -> Means {
        let mean = |sum: f64, count: f64, above: f64| (sum + PRIOR * above) / (count + PRIOR);
        Means {
            full: mean(self.full, self.full_pages, above.full),
            millis: mean(self.millis, self.timed_pages, above.millis),
            same: mean(self.same, self.same + self.changed, above.same),
            not_modified: mean(self.not_modified, self.same, above.not_modified),
        }
    }
}

/// What to expect of a page.
#[derive(Clone, Copy, Debug)]
struct Means {
    full: f64,
    millis: f64,
    /// The probability that a visit finds no change.
    same: f64,
    /// The probability that it is then answered 304.
    not_modified: f64,
}

const FIRST: Means =
    Means { full: FIRST_BYTES, millis: FIRST_MILLIS, same: FIRST_SHARE, not_modified: FIRST_SHARE };

/// What a visit to a page costs, by what it finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Bytes of a visit that finds no change, in the mean of 304 and full answers.
    pub same: f64,
    /// Bytes of a full answer.
    pub full: f64,
}

impl Costs {
    /// What a visit to a page costs in bytes.
    pub fn price(&self, page: PageNo, host: HostNo) -> Price {
        let Means { full, not_modified, .. } = self.means(page, host);
        if self.page(page).full == 0 {
            // Not held: there is nothing to compare with.
            return Price { same: full, full };
        }
        Price { same: full + not_modified * (HEAD_BYTES as f64 - full), full }
    }

    fn page(&self, page: PageNo) -> PageCosts {
        self.pages.get(page.index()).copied().unwrap_or_default()
    }

    fn means(&self, page: PageNo, host: HostNo) -> Means {
        let all = self.all.means(FIRST);
        let host = self.hosts.get(host.0 as usize).map_or(all, |pool| pool.means(all));
        let own = self.page(page);
        let mut pool = Pool::default();
        pool.add(&own, 1.0);
        let means = pool.means(host);
        Means {
            // The last answer says more than any mean.
            full: if own.full > 0 { f64::from(own.full) } else { host.full },
            // The delay is the host's, and so is most of the time.
            millis: host.millis,
            ..means
        }
    }

    /// Takes in what is known of a page of a host, in place of what was known before.
    fn set(&mut self, page: PageNo, host: HostNo, now: PageCosts) {
        let (row, host) = (page.index(), host.0 as usize);
        if self.pages.len() <= row {
            self.pages.resize(row + 1, PageCosts::default());
        }
        if self.hosts.len() <= host {
            self.hosts.resize(host + 1, Pool::default());
        }
        let before = std::mem::replace(&mut self.pages[row], now);
        for pool in [&mut self.hosts[host], &mut self.all] {
            pool.add(&before, -1.0);
            pool.add(&now, 1.0);
        }
    }
}

impl Instrument for Costs {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Sums up by host. Restored pages came without their hosts.
    fn begin_cycle(&mut self, cycle: &CycleStart<'_>) -> bool {
        let pages = std::mem::take(&mut self.pages);
        *self = Self::default();
        for (page, costs) in cycle.pages.numbers().zip(pages) {
            self.set(page, cycle.pages.host(page), costs);
        }
        false
    }

    fn visited(&mut self, visit: &Visited<'_>) -> Result<Recorded> {
        let mut now = self.page(visit.page);
        match visit.outcome {
            // Not requested.
            Outcome::Unreached | Outcome::Refused => return Ok(Recorded::default()),
            Outcome::Gone => now = PageCosts::default(),
            Outcome::Changed(_) => now.changed = now.changed.saturating_add(1),
            Outcome::Same => {
                now.same = now.same.saturating_add(1);
                let not_modified = u16::from(visit.new.is_none());
                now.not_modified = now.not_modified.saturating_add(not_modified);
            }
            Outcome::First | Outcome::Missing | Outcome::Failed => {}
        }
        if now.same == u16::MAX {
            // Halved rather than stuck: the ratio is what counts.
            (now.same, now.not_modified) = (now.same / 2, now.not_modified / 2);
        }
        if visit.new.is_some() {
            now.full = u32::try_from(visit.cost.bytes).unwrap_or(u32::MAX).max(1);
        }
        now.millis = u32::try_from(visit.cost.time.millis()).unwrap_or(0);
        self.set(visit.page, visit.host, now);
        Ok(Recorded { impact: None, has_new_state: visit.outcome != Outcome::Gone })
    }

    fn expected_cost(&self, page: PageNo, host: HostNo) -> Option<Cost> {
        let Means { millis, same, .. } = self.means(page, host);
        let price = self.price(page, host);
        let bytes = price.full + same * (price.same - price.full);
        Some(Cost { bytes: bytes as u64, time: Span::from_millis(millis as i64) })
    }

    fn fork(&self) -> Box<dyn Instrument> {
        Box::new(self.clone())
    }

    fn page_state(&self, page: PageNo) -> Option<Vec<u8>> {
        let costs = self.pages.get(page.index())?;
        Some(postcard::to_stdvec(costs).expect("numbers can always be encoded"))
    }

    fn restore_page(&mut self, page: PageNo, saved: Saved<'_>) -> bool {
        let costs = match saved {
            Saved::State(state) => postcard::from_bytes(state).ok(),
            Saved::Held(held) => {
                let full = estimated_bytes(held.counts.text_bytes) as u32;
                Some(PageCosts { full, ..PageCosts::default() })
            }
        };
        let Some(costs) = costs else { return false };
        if self.pages.len() <= page.index() {
            self.pages.resize(page.index() + 1, PageCosts::default());
        }
        self.pages[page.index()] = costs;
        true
    }
}

/// About as many bytes as a page with so much visible text has on its way, head included.
pub fn estimated_bytes(text_bytes: u32) -> u64 {
    HEAD_BYTES + MARKUP_BYTES + (f64::from(text_bytes) * BODY_PER_TEXT) as u64
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crawl::{Counts, Links, Pages, Snapshot, Time};

    use super::*;

    const A: PageNo = PageNo(0);
    const HOST: HostNo = HostNo(0);

    fn visit(
        costs: &mut Costs,
        page: u32,
        outcome: Outcome,
        is_full: bool,
        bytes: u64,
    ) -> Recorded {
        let new = is_full.then(|| Arc::new(Snapshot::default()));
        costs
            .visited(&Visited {
                page: PageNo(page),
                host: HOST,
                address: "",
                at: Time::from_millis(0),
                outcome,
                new: new.as_ref(),
                shows_new_link: false,
                cost: Cost { bytes, time: Span::from_millis(2_000) },
            })
            .unwrap()
    }

    fn first_then(bytes: u64, then: &[(Outcome, bool)]) -> Costs {
        let mut costs = Costs::default();
        visit(&mut costs, 0, Outcome::First, true, bytes);
        for &(outcome, is_full) in then {
            visit(&mut costs, 0, outcome, is_full, if is_full { bytes } else { HEAD_BYTES });
        }
        costs
    }

    #[test]
    fn a_page_never_seen_costs_what_others_of_its_host_do() {
        let guess = Costs::default().expected_cost(A, HOST).unwrap();
        assert_eq!(guess, Cost { bytes: 30_000, time: Span::from_millis(1_000) });
        let mut costs = Costs::default();
        for page in 1..1_000 {
            visit(&mut costs, page, Outcome::First, true, 5_000);
        }
        let Cost { bytes, time } = costs.expected_cost(A, HOST).unwrap();
        assert!((5_000..5_200).contains(&bytes), "{bytes}");
        assert!((1_990..=2_000).contains(&time.millis()), "{time:?}");
        assert_eq!(costs.price(A, HOST).same as u64, bytes);
    }

    #[test]
    fn a_server_that_answers_304_makes_unchanged_pages_cheap() {
        let cheap = first_then(40_000, &[(Outcome::Same, false); 20]).price(A, HOST);
        let dear = first_then(40_000, &[(Outcome::Same, true); 20]).price(A, HOST);
        assert!(cheap.same < 3_000.0 && cheap.full as u64 == 40_000, "{cheap:?}");
        assert!(dear.same > 37_000.0 && dear.full as u64 == 40_000, "{dear:?}");
    }

    #[test]
    fn a_page_that_always_changes_costs_its_body() {
        let expected = |then: &[(Outcome, bool)]| {
            first_then(40_000, then).expected_cost(A, HOST).unwrap().bytes
        };
        assert!(expected(&[(Outcome::Changed(1.0), true); 30]) > 38_000);
        assert!(expected(&[(Outcome::Same, false); 30]) < 5_000);
    }

    #[test]
    fn visits_that_were_not_made_say_nothing() {
        let mut costs = first_then(1_000, &[]);
        let before = costs.expected_cost(A, HOST);
        for outcome in [Outcome::Unreached, Outcome::Refused] {
            assert_eq!(visit(&mut costs, 0, outcome, false, 0), Recorded::default());
        }
        assert_eq!(costs.expected_cost(A, HOST), before);
    }

    #[test]
    fn what_is_stored_expects_the_same() {
        let costs = first_then(7_000, &[(Outcome::Same, false), (Outcome::Changed(0.5), true)]);
        let mut restored = Costs::default();
        assert!(restored.restore_page(A, Saved::State(&costs.page_state(A).unwrap())));
        let (mut pages, links) = (Pages::default(), Links::default());
        pages.insert("http://a.example/", Time::from_millis(0));
        let start = CycleStart { pages: &pages, links: &links, has_plans: true };
        assert!(!restored.begin_cycle(&start));
        assert_eq!(restored.expected_cost(A, HOST), costs.expected_cost(A, HOST));
        assert!(!restored.restore_page(A, Saved::State(&[255])));
    }

    #[test]
    fn a_held_page_without_a_state_is_judged_by_its_text() {
        let counts = Counts { text_bytes: 10_000, ..Counts::default() };
        let held = Snapshot { counts, ..Snapshot::default() };
        let mut costs = Costs::default();
        assert!(costs.restore_page(A, Saved::Held(&held)));
        assert_eq!(costs.price(A, HOST).full as u64, estimated_bytes(10_000));
    }
}
