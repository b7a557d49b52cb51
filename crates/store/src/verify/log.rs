//! Checks that replaying the log gives the stored pages.
use crawl::{Outcome, PageRecord, Pages, State};
use rustc_hash::FxHashSet;

use super::{Verified, flaw};
use crate::StoreError;
use crate::load::{self, Loaded, OBSERVATION_WIDTH};
use crate::view::View;

/// What the log says about a page so far.
#[derive(Clone, Copy, Default)]
struct Tail {
    last: Option<i64>,
    held: Option<i64>,
}

pub(super) fn check(
    view: &View,
    loaded: &Loaded,
    verified: &mut Verified,
) -> Result<(), StoreError> {
    let mut pages = Pages::default();
    for page in loaded.pages.numbers() {
        pages.insert(loaded.pages.address(page), loaded.pages.first_seen(page));
    }
    let tails = replay(view, &mut pages, verified)?;
    for page in pages.numbers() {
        let (replayed, stored) = (pages.record(page), loaded.pages.record(page));
        if (PageRecord { first_seen: stored.first_seen, ..replayed }) != stored {
            let address = pages.address(page);
            return Err(flaw(
                view,
                format!("{address} is stored as {stored:?}, but its visits give {replayed:?}"),
            ));
        }
    }
    verified.pages = pages.len() as u64;
    check_rows(view, &pages, &tails)
}

/// Applies the log to `pages`.
fn replay(
    view: &View,
    pages: &mut Pages,
    verified: &mut Verified,
) -> Result<Vec<Tail>, StoreError> {
    let error = |e| view.error(e);
    let columns = load::observation_columns(view.connection()).map_err(error)?;
    let mut select = view
        .connection()
        .prepare(&format!(
            "SELECT {columns}, observation.no, observation.before, observation.held, \
             observation.digest IS NOT NULL, observation.record IS 'revisit' \
             FROM observation LEFT JOIN page ON page.no = observation.page \
             ORDER BY observation.no"
        ))
        .map_err(error)?;
    let mut tails = vec![Tail::default(); pages.len()];
    let mut instants = FxHashSet::default();
    let mut rows = select.query(()).map_err(error)?;
    while let Some(row) = rows.next().map_err(error)? {
        let seen = load::observation(row).map_err(error)?;
        let number = |place: usize| row.get::<_, Option<i64>>(place).map_err(error);
        let first = OBSERVATION_WIDTH;
        let (no, before, held) = (number(first)?, number(first + 1)?, number(first + 2)?);
        let flag = |place: usize| row.get::<_, bool>(place).map_err(error);
        let (has_content, is_revisit) = (flag(first + 3)?, flag(first + 4)?);
        verified.observations += 1;
        if no != Some(verified.observations as i64) {
            let expected = verified.observations;
            return Err(flaw(view, format!("observation {expected} is missing from the log")));
        }
        let describe = |what: &str| flaw(view, format!("observation {}: {what}", no.unwrap_or(0)));
        if !instants.insert((seen.page, seen.at)) {
            return Err(describe("the page has another observation at the same time"));
        }
        let tail = &mut tails[seen.page.index()];
        if (before, held) != (tail.last, tail.held) {
            return Err(describe("it does not refer to the previous observation of its page"));
        }
        tail.last = no;
        if seen.outcome == Outcome::Gone {
            tail.held = None;
        } else if has_content && !is_revisit {
            tail.held = no;
        }
        pages.apply(seen.page, seen.at, seen.outcome);
        for &lead in &seen.leads {
            if lead.index() >= pages.len() {
                return Err(describe("it has a lead to an unknown page"));
            }
            pages.relink(lead);
        }
        for &signal in &seen.signals {
            if signal.page.index() >= pages.len() {
                return Err(describe("it has a signal for an unknown page"));
            }
            pages.signal(signal);
        }
    }
    Ok(tails)
}

/// Checks the references of each page's rows.
fn check_rows(view: &View, pages: &Pages, tails: &[Tail]) -> Result<(), StoreError> {
    let error = |e| view.error(e);
    let mut select = view
        .connection()
        .prepare(
            "SELECT page.last, snapshot.observation, page.links IS NOT NULL FROM page \
             LEFT JOIN snapshot ON snapshot.page = page.no ORDER BY page.no",
        )
        .map_err(error)?;
    let rows =
        select.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(error)?;
    for (page, row) in pages.numbers().zip(rows) {
        let (last, held, shows_links): (Option<i64>, Option<i64>, bool) = row.map_err(error)?;
        let (tail, is_held) = (tails[page.index()], pages.state(page) == State::Held);
        let address = pages.address(page);
        if last != tail.last {
            return Err(flaw(view, format!("{address} does not refer to its last observation")));
        }
        if held != tail.held || held.is_some() != is_held || shows_links != is_held {
            return Err(flaw(
                view,
                format!("the held snapshot of {address} is not the one its visits fetched"),
            ));
        }
    }
    let strays = "SELECT count(*) FROM snapshot WHERE page NOT IN (SELECT no FROM page)";
    match view.connection().query_row(strays, (), |row| row.get::<_, i64>(0)).map_err(error)? {
        0 => Ok(()),
        count => Err(flaw(view, format!("{count} snapshots have no page"))),
    }
}
