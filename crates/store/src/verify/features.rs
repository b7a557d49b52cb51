//! Facts of pages belong to held pages and read as they were written.
use flow::features::{Facts, Models};
use rusqlite::Row;

use super::{Verified, flaw};
use crate::view::View;
use crate::{StoreError, features, schema};

pub(super) fn check(view: &View, verified: &mut Verified) -> Result<(), StoreError> {
    let error = |e| view.error(e);
    if schema::version(view.connection()).map_err(error)? < schema::HAS_FEATURES {
        return Ok(());
    }
    let mut select = view
        .connection()
        .prepare(
            "SELECT facts.page, facts.digest, facts.facts, page.address, \
             snapshot.page IS NOT NULL, observation.page IS facts.page FROM facts \
             LEFT JOIN page ON page.no = facts.page \
             LEFT JOIN snapshot ON snapshot.page = facts.page \
             LEFT JOIN observation ON observation.no = facts.observation ORDER BY facts.page",
        )
        .map_err(error)?;
    let mut rows = select.query(()).map_err(error)?;
    while let Some(row) = rows.next().map_err(error)? {
        if let Some(what) = flaw_of(row).map_err(error)? {
            return Err(flaw(view, what));
        }
        verified.facts += 1;
    }
    let reads = |row: &Row<'_>| Ok(features::decode::<Models>(row, 0).is_some());
    let mut select =
        view.connection().prepare("SELECT digest, models FROM word_models").map_err(error)?;
    for reads in select.query_map((), reads).map_err(error)? {
        if !reads.map_err(error)? {
            let what = "the clusters of words do not read as they were written; they are made \
                 anew by the next refresh with a policy that looks at them";
            return Err(flaw(view, what));
        }
    }
    Ok(())
}

fn flaw_of(row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    let (page, address): (i64, Option<String>) = (row.get(0)?, row.get(3)?);
    let (is_held, is_of_page): (bool, bool) = (row.get(4)?, row.get(5)?);
    let of = address.unwrap_or_else(|| format!("page {page}, which is not known,"));
    Ok(if !is_held {
        Some(format!("there are facts of {of} of which nothing is held"))
    } else if !is_of_page {
        Some(format!("the facts of {of} are of another page's visit, or of none"))
    } else if features::decode::<Facts>(row, 1).is_none() {
        Some(format!(
            "the facts of {of} do not read as they were written; they are made anew by the next \
             refresh with a policy that looks at them"
        ))
    } else {
        None
    })
}
