//! `/`: the search box, and what can be found.
use maud::html;

use super::{ago, layout, search_box};
use crate::{
    live::tally::counted,
    serve::{service::Answer, state::State, words},
};

pub(crate) fn home(state: &State) -> Answer {
    let published = state.following.published();
    let (status, now) = (&published.status, state.now());
    let searcher = state.searcher();
    let main = html! {
        div.home {
            h1 { "Search the held pages" }
            (search_box("", true))
            @match &searcher {
                Ok(searcher) => {
                    p.facts {
                        b { (counted(searcher.pages(), "page", "pages")) } " indexed"
                        @if let Some(freshness) = &status.freshness {
                            span.dot { " · " }
                            b { (words::percent(freshness.share)) } " estimated up to date"
                        }
                        @if let Some(last) = status.totals.last {
                            span.dot { " · " } "last visit " (ago(last, now))
                        }
                    }
                    p.facts.tips {
                        "Results contain all words. " code { "\"in a row\"" } " finds a phrase, "
                        code { "-word" } " excludes a word, " code { "site:docs.example.org" }
                        " and " code { "title:word" } " narrow the search."
                    }
                }
                Err(why) => {
                    div.notice role="status" {
                        p { b { (why) "." } " There "
                            @if status.totals.held == 1 { "is" } @else { "are" } " "
                            (counted(status.totals.held, "held page", "held pages"))
                            " to index." }
                        p { "Run " code { "sanderling index" } ", then search here." }
                    }
                }
            }
        }
    };
    layout("Sanderling: search", None, &main)
}
