//! `/changes.atom`: the latest changes as an Atom feed (RFC 4287).
//!
//! Links are relative: they lead to the host under which the feed was fetched, also behind a proxy.
use std::fmt::Write;

use lab::report::html::escape;
use store::View;

use super::{
    changes::{self, Change},
    parameters::{Parameters, encoded},
    problem::Problem,
    service::Answer,
    state::State,
};
use crate::live::tally::stamp;

/// The entries of a feed.
const ENTRIES: usize = 50;

pub(crate) fn feed(state: &State, parameters: &Parameters) -> Result<Answer, Problem> {
    let filter = changes::filter(parameters, state.now())?;
    let (latest, _) = changes::latest(state, &filter, ENTRIES)?;
    let identity = state.read(View::identity)?;
    let updated = latest.first().map_or(state.now(), |change| change.row.at);
    let (name, query) = match &filter.site {
        None => (String::new(), String::new()),
        Some(site) => (format!(" on {site}"), format!("?site={}", encoded(site))),
    };
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    let _ = writeln!(xml, "<feed xmlns=\"http://www.w3.org/2005/Atom\">");
    let _ = writeln!(xml, "<title>Changes{}</title>", escape(&name));
    let _ = writeln!(xml, "<id>urn:sanderling:{}{}</id>", escape(&identity), escape(&query));
    let _ = writeln!(xml, "<updated>{}</updated>", stamp(updated));
    let _ = writeln!(xml, "<generator>Sanderling</generator>");
    let _ = writeln!(xml, "<link rel=\"self\" href=\"/changes.atom{}\"/>", escape(&query));
    let _ = writeln!(xml, "<link rel=\"alternate\" href=\"/changes{}\"/>", escape(&query));
    for change in &latest {
        entry(&mut xml, change, &identity);
    }
    xml.push_str("</feed>\n");
    Ok(Answer::new("application/atom+xml; charset=utf-8", xml))
}

fn entry(xml: &mut String, change: &Change, identity: &str) {
    let row = &change.row;
    let excerpt = change.summary.as_ref().map_or("", |summary| summary.excerpt.as_str());
    let words = change.words();
    let summary = if excerpt.is_empty() { words.clone() } else { format!("{words}: {excerpt}") };
    let host = host(&row.address);
    let _ = writeln!(
        xml,
        "<entry><title>{}</title><id>urn:sanderling:{}:{}</id><updated>{}</updated>\
         <author><name>{}</name></author><link rel=\"alternate\" href=\"{}\"/>\
         <link rel=\"via\" href=\"{}\"/><summary>{}</summary></entry>",
        escape(change.title()),
        escape(identity),
        row.no,
        stamp(row.at),
        escape(host),
        escape(&change.link()),
        escape(&row.address),
        escape(&summary),
    );
}

/// The host of a URL, with its port.
pub(crate) fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}
