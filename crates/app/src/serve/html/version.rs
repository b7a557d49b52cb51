//! `/page/{no}/version/{visit}`: a version of a page as it was fetched.
use crawl::PageNo;
use maud::html;

use super::{date, layout, shown_address};
use crate::{
    live::tally::{bytes, grouped},
    serve::{
        archived::{self, PageDetailsOf},
        problem::Problem,
        service::Answer,
        state::State,
    },
};

pub(crate) fn version(state: &State, page: PageNo, number: u64) -> Result<Answer, Problem> {
    let PageDetailsOf { known, visit } = archived::find(state, page, number)?;
    let obstacle = archived::obstacle(&visit);
    let here = format!("/page/{}/version/{number}", page.0);
    let main = html! {
        h1 { "Archived version" }
        p.where { (shown_address(&known.view.address)) }
        dl.facts-list {
            div { dt { "Fetched" } dd { (date(visit.at)) " UTC" } }
            @if let Some(status) = visit.status { div { dt { "Status" } dd { (status) } } }
            @if let Some(kind) = &visit.mime { div { dt { "Type" } dd { (kind) } } }
            @if let Some(size) = visit.bytes { div { dt { "Size" } dd { (bytes(size)) } } }
            @if let Some(position) = &visit.position {
                div.wide { dt { "WARC file" } dd {
                    (position.file) " at byte " (grouped(position.offset))
                } }
            }
        }
        p.actions {
            @if visit.position.is_some() {
                a href={ (here) "/record" } download { "Download the WARC record" } " "
            }
            @if obstacle.is_none() { a href={ (here) "/frame" } { "Open it alone" } " " }
            a href={ "/page/" (page.0) "#versions" } { "All versions" }
        }
        @match obstacle {
            Some(why) => { p.notice { "This version cannot be shown as it was: " (why) "." } }
            None => {
                p.facts { "As it was archived, without scripts and without anything from the network: \
                    images and style sheets of their own files are missing." }
                // No browser shows where the focus is in a frame without rights, so the keyboard skips it:
                // the link above leads to the same.
                iframe.replay sandbox="" tabindex="-1" src={ (here) "/frame" }
                    title={ "Archived version of " (known.view.address) } {}
            }
        }
    };
    Ok(layout("Archived version · Sanderling", Some(""), &main))
}
