//! `/search`: results.
use std::time::{Duration, Instant};

use crawl::{PageRecord, Time};
use index::{Hit, SearchRequest, SearchResults};
use maud::{Markup, html};
use store::Brief;

use super::{ago, layout, shown_address, title, web_address};
use crate::{
    live::{
        search::with_briefs,
        tally::{counted, grouped},
    },
    serve::{
        parameters::{Parameters, encoded},
        problem::Problem,
        service::Answer,
        state::State,
        words,
    },
};

/// Results on a page.
const RESULTS: u64 = 10;
/// The last page that is shown.
const LAST_PAGE: u64 = 100;

/// A search and what it found.
struct Results<'r> {
    state: &'r State,
    query: &'r str,
    /// From 1.
    page: u64,
    found: &'r SearchResults,
    hits: Vec<(&'r Hit, Option<Brief>)>,
    now: Time,
    took: Duration,
}

pub(crate) fn search(state: &State, parameters: &Parameters) -> Result<Answer, Problem> {
    let query = parameters.query()?;
    let page = parameters.number("p", 1, LAST_PAGE)?.unwrap_or(1);
    if query.is_empty() {
        let main = html! {
            h1 { "Search" }
            p { "Type words to find pages that contain them." }
        };
        return Ok(layout("Sanderling: search", Some(""), &main));
    }
    let start = Instant::now();
    let offset = ((page - 1) * RESULTS) as usize;
    let request = SearchRequest {
        query: query.to_owned(),
        offset,
        limit: RESULTS as usize,
        ..SearchRequest::default()
    };
    let found = state.search(&request)?;
    let hits = with_briefs(&found, |pages| state.read(|view| view.briefs(pages)))?;
    if page == 1 && parameters.counts {
        state.count_query(query);
    }
    let took = start.elapsed();
    let results = Results { state, query, page, found: &found, hits, now: state.now(), took };
    let title = format!("{query} · Sanderling");
    Ok(layout(&title, Some(query), &results.markup()))
}

impl Results<'_> {
    fn markup(&self) -> Markup {
        let SearchResults { total, relaxed, corrected, .. } = self.found;
        html! {
            h1.quiet { "Results for " bdi { (self.query) } }
            @if self.hits.is_empty() { (self.nothing()) } @else {
                @if !corrected.is_empty() {
                    p.notice role="status" {
                        "No page contains " (words::listed(corrected)) ". These pages contain similar words."
                    }
                }
                @if *relaxed {
                    p.notice role="status" {
                        "No page contains all of these words. These pages contain some of them."
                    }
                }
                p.facts {
                    (counted(*total as u64, "result", "results"))
                    @if self.page > 1 { ", page " (self.page) }
                    " in " (words::took(self.took))
                    span.dot { " · " }
                    (self.order())
                }
                ol.results start=((self.page - 1) * RESULTS + 1) {
                    @for (place, (hit, brief)) in self.hits.iter().enumerate() {
                        li { (self.hit(place, hit, brief.map(|brief| brief.record))) }
                    }
                }
                (self.pages())
            }
        }
    }

    /// A link to the other order of results.
    fn order(&self) -> Markup {
        const BY_DATE: &str = "sort:date";
        let words = self.query.split_whitespace();
        let without: Vec<&str> = words.filter(|word| *word != BY_DATE).collect();
        let is_by_date = self.query.split_whitespace().any(|word| word == BY_DATE);
        let without = without.join(" ");
        html! {
            @if is_by_date {
                "latest change first, " a href={ "/search?q=" (encoded(&without)) } { "best match first" }
            } @else {
                a href={ "/search?q=" (encoded(&format!("{without} {BY_DATE}"))) } { "latest change first" }
            }
        }
    }

    fn hit(&self, place: usize, hit: &Hit, record: Option<PageRecord>) -> Markup {
        let language = hit.language.code();
        let lang = Some(language).filter(|code| !code.is_empty());
        html! {
            article {
                h2 lang=[lang] {
                    @match web_address(&hit.address).map(|address| self.link(place, hit, address)) {
                        Some(link) => { a href=(link) rel="noreferrer" { (title(&hit.title, &hit.address)) } }
                        None => { (title(&hit.title, &hit.address)) }
                    }
                }
                p.where { (shown_address(&hit.address)) }
                @if !hit.snippet.is_empty() {
                    p.snippet dir="auto" lang=[lang] {
                        @for fragment in &hit.snippet {
                            @if fragment.highlighted { mark { (fragment.text) } } @else { (fragment.text) }
                        }
                    }
                }
                p.facts { (self.facts(hit, record)) }
            }
        }
    }

    fn facts(&self, hit: &Hit, record: Option<PageRecord>) -> Markup {
        let language = format!("{:?}", hit.language);
        html! {
            @if let Some(record) = record {
                @if let Some(seen) = record.last_seen {
                    "seen " (ago(seen, self.now)) span.dot { " · " }
                }
                (words::changes(&record, self.state.rate(hit.page))) span.dot { " · " }
            }
            @if !hit.language.code().is_empty() { (language) span.dot { " · " } }
            @if hit.copies > 0 {
                (counted(u64::from(hit.copies), "page", "pages")) " with the same text" span.dot { " · " }
            }
            a href={ "/page/" (hit.page.0) } {
                "versions" span.quiet { " of " (title(&hit.title, &hit.address)) }
            }
        }
    }

    /// The link of a result: through the click counter if queries are counted.
    fn link(&self, place: usize, hit: &Hit, address: &str) -> String {
        if !self.state.counts_queries() {
            return address.to_owned();
        }
        let rank = (self.page - 1) * RESULTS + place as u64 + 1;
        format!("/go/{}?q={}&r={rank}", hit.page.0, encoded(self.query))
    }

    fn pages(&self) -> Markup {
        let to = |page: u64| format!("/search?q={}&p={page}", encoded(self.query));
        let last = (self.found.total as u64).div_ceil(RESULTS).min(LAST_PAGE);
        html! {
            @if last > 1 {
                nav.pages aria-label="Pages of results" {
                    @if self.page > 1 { a rel="prev" href=(to(self.page - 1)) { "← Previous" } }
                    span { "Page " (self.page) " of " (grouped(last)) }
                    @if self.page < last { a rel="next" href=(to(self.page + 1)) { "Next →" } }
                }
            }
        }
    }

    fn nothing(&self) -> Markup {
        html! {
            p {
                @if self.page > 1 { "No more results for " }
                @else { "No results for " }
                b { bdi { (self.query) } } "."
            }
            ul {
                li { "Try fewer or other words." }
                li { "Remove quotation marks, " code { "-word" } ", " code { "site:" }
                    " or " code { "title:" } "." }
                li { a href="/status" { "See what is held" } " and the state of the index." }
            }
        }
    }
}
