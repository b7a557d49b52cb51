//! Checks that instrument states are intact and belong to held pages.
use rusqlite::Row;

use super::{Verified, flaw};
use crate::schema::Names;
use crate::view::View;
use crate::{StoreError, instruments, schema};

pub(super) fn check(view: &View, verified: &mut Verified) -> Result<(), StoreError> {
    let error = |e| view.error(e);
    let Names { instrument, instrument_page, .. } =
        schema::names(view.connection()).map_err(error)?;
    let mut select = view
        .connection()
        .prepare(&format!(
            "SELECT saved.page, saved.digest, saved.state, page.address, \
             snapshot.page IS NOT NULL, observation.page IS saved.page, saved.instrument \
             FROM {instrument_page} AS saved \
             LEFT JOIN page ON page.no = saved.page \
             LEFT JOIN snapshot ON snapshot.page = saved.page \
             LEFT JOIN observation ON observation.no = saved.observation \
             ORDER BY saved.instrument, saved.page"
        ))
        .map_err(error)?;
    let mut rows = select.query(()).map_err(error)?;
    while let Some(row) = rows.next().map_err(error)? {
        if let Some(what) = state_flaw(row).map_err(error)? {
            return Err(flaw(view, what));
        }
        verified.page_states += 1;
    }
    let mut select = view
        .connection()
        .prepare(&format!("SELECT digest, state, name FROM {instrument}"))
        .map_err(error)?;
    let reads = |row: &Row<'_>| Ok((instruments::state(row, 0).is_some(), row.get(2)?));
    for row in select.query_map((), reads).map_err(error)? {
        let (reads, name): (bool, String) = row.map_err(error)?;
        if !reads {
            let what = format!("the state of the instrument {name} is corrupt; {RECOMPUTED}");
            return Err(flaw(view, what));
        }
    }
    Ok(())
}

const RECOMPUTED: &str = "the next refresh with a policy that needs it recomputes it";

fn state_flaw(row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    let (page, address): (i64, Option<String>) = (row.get(0)?, row.get(3)?);
    let (is_held, is_of_page): (bool, bool) = (row.get(4)?, row.get(5)?);
    let name: String = row.get(6)?;
    let page = address.unwrap_or_else(|| format!("unknown page {page}"));
    Ok(if !is_held {
        Some(format!("the instrument {name} has a state of {page}, which is not held"))
    } else if !is_of_page {
        Some(format!("the state of {page} in the instrument {name} is not of a visit to it"))
    } else if instruments::state(row, 1).is_none() {
        Some(format!("the state of {page} in the instrument {name} is corrupt; {RECOMPUTED}"))
    } else {
        None
    })
}
