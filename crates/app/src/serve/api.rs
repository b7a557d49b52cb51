//! The API. `openapi.json` describes it.
use std::{sync::LazyLock, time::Instant};

use crawl::PageNo;
use http::StatusCode;
use hyper::body::Bytes;
use index::SearchRequest;
use serde_json::{Value, json};
use store::{ChangeRow, PageView, View};

use super::{
    atom,
    changes::{self, Change, LoggedChanges},
    following::ChangeFilter,
    page::PageDetails,
    parameters::Parameters,
    problem::Problem,
    service::Answer,
    state::State,
};
use crate::{
    live::{
        search::{results_json, with_briefs},
        tally::stamp,
        why::visit_json,
    },
    settings::values,
};

/// Most results per search.
const MOST_RESULTS: u64 = 100;
/// Largest offset: who needs more results needs another query.
const DEEPEST: u64 = 10_000;
/// Most changes per answer.
const MOST_CHANGES: u64 = 1_000;

/// The description, with the version of this program.
static DESCRIPTION: LazyLock<Bytes> = LazyLock::new(|| {
    let mut text: Value = serde_json::from_str(include_str!("openapi.json"))
        .expect("the file is JSON, which a test checks");
    text["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    format!("{text:#}\n").into()
});

/// `/api/openapi.json`.
pub(crate) fn openapi() -> Answer {
    Answer::new("application/json", DESCRIPTION.clone())
}

/// `/api/search`.
pub(crate) fn search(state: &State, parameters: &Parameters) -> Result<Answer, Problem> {
    let query = parameters.query()?;
    if query.is_empty() {
        return Err(Problem::input("q is missing", "Add a query: q=tide+tables."));
    }
    let offset = parameters.number("offset", 0, DEEPEST)?.unwrap_or(0);
    let limit = parameters.number("limit", 1, MOST_RESULTS)?.unwrap_or(10);
    let start = Instant::now();
    let request = SearchRequest {
        query: query.to_owned(),
        offset: offset as usize,
        limit: limit as usize,
        filter: parameters.filter()?,
    };
    let found = state.search(&request)?;
    let hits = with_briefs(&found, |pages| state.read(|view| view.briefs(pages)))?;
    let took = start.elapsed();
    if offset == 0 && parameters.counts {
        state.count_query(query);
    }
    let mut value = results_json(query, &request, &found, &hits);
    value["limit"] = limit.into();
    value["took_seconds"] = took.as_secs_f64().into();
    for (place, hit) in found.hits.iter().enumerate() {
        value["hits"][place]["changes_per_day"] = state.rate(hit.page).into();
    }
    Ok(Answer::json(&value))
}

/// `/api/page`.
pub(crate) fn page(state: &State, parameters: &Parameters) -> Result<Answer, Problem> {
    let number = parameters.number("no", 0, u64::from(u32::MAX))?;
    let with_text = parameters.flag("text")?;
    let view = match (parameters.text("url"), number) {
        (Some(url), None) => by_address(state, url)?,
        (None, Some(number)) => {
            let page = PageNo(number as u32);
            state.read(|view| view.page_numbered(page))?
        }
        _ => {
            return Err(Problem::input(
                "Exactly one of url and no is required",
                "Give url=https://docs.example.org/, or no= with the number of a search result.",
            ));
        }
    };
    let unknown =
        || Problem::not_found("No such page is known", "sanderling why URL explains why.");
    let known = PageDetails::read(state, view.ok_or_else(unknown)?)?;
    Ok(Answer::json(&page_json(&known, with_text)))
}

fn by_address(state: &State, url: &str) -> Result<Option<PageView>, Problem> {
    let address = values::seed(url)
        .map_err(|why| Problem::input(format!("url: {why}"), "Give a whole URL."))?;
    match state.following.find(&address) {
        Some(page) => state.read(|view| view.page_numbered(page)),
        // It may have become known in the meantime.
        None => state.read(|view| view.page(&address)),
    }
}

fn page_json(known: &PageDetails, with_text: bool) -> Value {
    let PageView { page, address, record, held } = &known.view;
    let content = known.content();
    let mut value = json!({
        "page": page.0,
        "url": address,
        "state": record.state_name(),
        "title": content.map(|content| &content.title),
        "first_seen": stamp(record.first_seen),
        "last_tried": record.last_tried.map(stamp),
        "last_seen": record.last_seen.map(stamp),
        "said_changed": record.claimed_change.map(stamp),
        "visits": record.visits,
        "changes": record.changes,
        "misses": record.misses,
        "failures": record.failures,
        "changes_per_day": known.rate,
        "fresh_chance": known.fresh_probability,
        "held": held.as_ref().map(|held| json!({
            "at": stamp(held.at),
            "form": format!("{:?}", held.form).to_lowercase(),
            "words": held.counts.words,
            "noindex": held.directives.noindex,
            "canonical": held.directives.canonical,
        })),
        "versions": known.versions.iter().map(visit_json).collect::<Vec<_>>(),
    });
    if with_text {
        value["text"] = content.map(|content| content.text.as_str()).into();
    }
    value
}

/// `/api/status`: as `sanderling status --json`, with the state of the index.
pub(crate) fn status(state: &State) -> Result<Answer, Problem> {
    let published = state.following.published();
    let mut value = published.status.json();
    value["now"] = stamp(state.now()).into();
    value["estimated_position"] = published.position.into();
    value["mean_seconds_since_seen"] = published.mean_seconds_since_seen.into();
    let position = state.read(View::position)?;
    value["observations"] = position.into();
    value["index"] = state.searcher().ok().map_or(Value::Null, |searcher| {
        let indexed = searcher.position();
        json!({
            "position": indexed,
            "lag": position.saturating_sub(indexed),
            "pages": searcher.pages(),
        })
    });
    Ok(Answer::json(&value))
}

/// `/api/changes`: the change feed. With `after` in the order of the log, otherwise newest first.
pub(crate) fn changes(state: &State, parameters: &Parameters) -> Result<Answer, Problem> {
    let after = parameters.number("after", 0, i64::MAX as u64)?;
    let limit = parameters.number("limit", 1, MOST_CHANGES)?.unwrap_or(100) as usize;
    let filter = changes::filter(parameters, state.now())?;
    let Some(after) = after else {
        let published = state.following.published();
        let (latest, has_more) = changes::latest(state, &filter, limit)?;
        return Ok(Answer::json(&json!({
            "changes": latest.iter().map(Change::json).collect::<Vec<_>>(),
            "before": latest.last().map(|change| change.row.no),
            "next": latest.first().map_or(published.position, |change| change.row.no),
            "more": has_more,
        })));
    };
    if filter.before.is_some() {
        return Err(Problem::input(
            "before and after exclude each other",
            "Give after= to read on in the order of the log, before= to go back in time.",
        ));
    }
    let (changes, next, has_more) = state.read(|view| {
        let LoggedChanges { rows, next, has_more } =
            changes::logged(view, after, limit, |row| is_wanted(row, &filter))?;
        Ok((changes::with_summaries(state, view, rows)?, next, has_more))
    })?;
    Ok(Answer::json(&json!({
        "changes": changes.iter().map(Change::json).collect::<Vec<_>>(),
        "before": changes.first().map(|change| change.row.no),
        "next": next,
        "more": has_more,
    })))
}

/// Whether a change matches a filter.
fn is_wanted(row: &ChangeRow, filter: &ChangeFilter) -> bool {
    let host = atom::host(&row.address).to_ascii_lowercase();
    let is_of = |site: &String| {
        host == *site || host.strip_suffix(site).is_some_and(|rest| rest.ends_with('.'))
    };
    filter.site.as_ref().is_none_or(is_of) && filter.since.is_none_or(|since| row.at >= since)
}

/// `/healthz`: whether search works.
pub(crate) fn health(state: &State) -> Result<Answer, Problem> {
    state.read(View::position)?;
    match state.searcher() {
        Ok(_) => Ok(Answer::json(&json!({ "status": "ok" }))),
        Err(why) => {
            let value = json!({ "status": "no index", "why": why });
            Ok(Answer { status: StatusCode::SERVICE_UNAVAILABLE, ..Answer::json(&value) })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::serve::route::tests::patterns;

    #[test]
    fn the_description_has_exactly_the_served_paths() {
        let described: Value = serde_json::from_slice(&DESCRIPTION).unwrap();
        assert_eq!(described["openapi"], "3.1.0");
        let paths: BTreeSet<&str> =
            described["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(paths, patterns().into_iter().collect());
    }

    #[test]
    fn every_reference_resolves() {
        fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
            match value {
                Value::Object(fields) => {
                    found.extend(fields.get("$ref").and_then(Value::as_str));
                    fields.values().for_each(|value| references(value, found));
                }
                Value::Array(values) => values.iter().for_each(|value| references(value, found)),
                _ => {}
            }
        }
        let described: Value = serde_json::from_slice(&DESCRIPTION).unwrap();
        let mut found = vec![];
        references(&described, &mut found);
        assert!(found.len() > 20);
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(described.pointer(pointer).is_some(), "{reference}");
        }
    }
}
