//! `/page/{no}/why`: what `sanderling why` says about a page.
use crawl::PageNo;
use maud::html;

use super::{layout, shown_address};
use crate::{
    failure::Failure,
    live::tally::grouped,
    serve::{
        forecasting::{self, MOST_PAGES},
        problem::Problem,
        service::Answer,
        state::State,
    },
};

pub(crate) fn why(state: &State, page: PageNo) -> Result<Answer, Problem> {
    let view = state.read(|view| view.page_numbered(page))?;
    let view = view.ok_or_else(|| Problem::not_found("There is no such page", "Search for it."))?;
    if forecasting::is_too_large(state) {
        let command = format!("Run: sanderling why {}", view.address);
        let most = grouped(MOST_PAGES);
        return Err(Problem::busy_with(
            format!("There are more than {most} pages to plan"),
            command,
        ));
    }
    let lines = state.forecasted.explain(state, page).ok_or_else(Problem::busy)?;
    let lines = lines.map_err(|failure: Failure| {
        state.report(&failure.to_string());
        Problem::internal()
    })?;
    let main = html! {
        h1 { "When and why it is visited next" }
        p.where { (shown_address(&view.address)) }
        dl.why {
            @for (name, text) in &lines {
                @if !name.is_empty() { dt { (name) } }
                dd { @for line in text.lines() { span.line-of-text { (line.trim()) } " " } }
            }
        }
        p { a href={ "/page/" (page.0) } { "The page about this page" } }
    };
    Ok(layout("Next visit · Sanderling", Some(""), &main))
}
