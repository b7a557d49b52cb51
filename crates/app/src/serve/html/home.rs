//! `/`: the search box, and what there is to be found.
use maud::html;

use super::{ago, layout, search_box};
use crate::{
    live::tally::counted,
    serve::{desk::Answer, state::State, words},
};

pub(crate) fn home(state: &State) -> Answer {
    let published = state.following.published();
    let (status, now) = (&published.status, state.now());
    let searcher = state.searcher();
    let main = html! {
        div.home {
            h1 { "Search what is held" }
            (search_box("", true))
            @match &searcher {
                Ok(searcher) => {
                    p.facts {
                        b { (counted(searcher.pages(), "page", "pages")) } " to be found"
                        @if let Some(freshness) = &status.freshness {
                            span.dot { " · " }
                            b { (words::percent(freshness.share)) } " believed to be up to date"
                        }
                        @if let Some(last) = status.totals.last {
                            span.dot { " · " } "last visit " (ago(last, now))
                        }
                    }
                    p.facts.tips {
                        "All words must be there. " code { "\"in a row\"" } " finds a phrase, "
                        code { "-word" } " leaves out, " code { "site:docs.example.org" }
                        " and " code { "title:word" } " narrow down."
                    }
                }
                Err(why) => {
                    div.notice role="status" {
                        p { b { (why) "." } " There "
                            @if status.totals.held == 1 { "is" } @else { "are" } " "
                            (counted(status.totals.held, "held page", "held pages"))
                            " to make one from." }
                        p { "Run " code { "sanderling index" } "; this page finds it by itself." }
                    }
                }
            }
        }
    };
    layout("Sanderling: search", None, &main)
}
