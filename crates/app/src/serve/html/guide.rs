//! `/api`: the API, for people.
use maud::html;

use super::layout;
use crate::serve::service::Answer;

/// A path, what it returns, and an example.
const PATHS: [(&str, &str, &str); 9] = [
    (
        "/api/search?q=&offset=&limit=",
        "Pages that contain all words of q, best first, with snippets and page records.",
        "/api/search?q=tide&limit=3",
    ),
    (
        "/api/page?url=|no=&text=",
        "One page by URL or number: its record, its versions, and with text=true its text.",
        "/api/page?no=0&text=true",
    ),
    (
        "/api/status",
        "What is held, its estimated freshness, the last cycles, the state of the index.",
        "/api/status",
    ),
    (
        "/api/changes?site=&within=&before=&limit=",
        "The latest changes, newest first, with title, summary and link. Go back in time with before= set \
         to before of the last answer.",
        "/api/changes?limit=3",
    ),
    (
        "/api/changes?after=&site=&limit=",
        "The change feed: observed changes in the order of the log, those of first crawls included. \
         Continue with after= set to next of the last answer.",
        "/api/changes?after=0&limit=3",
    ),
    (
        "/changes.atom?site=&within=",
        "The latest changes as an Atom feed, of one site if site= names it.",
        "/changes.atom",
    ),
    ("/api/openapi.json", "This description for programs: OpenAPI 3.1.", "/api/openapi.json"),
    ("/metrics", "Metrics for Prometheus.", "/metrics"),
    ("/healthz", "200 if search works, otherwise 503 with the reason.", "/healthz"),
];

pub(crate) fn api() -> Answer {
    let main = html! {
        h1 { "API" }
        p { "Everything below " code { "/api/" } " takes GET and returns JSON. Errors are "
            code { "{\"error\": {\"message\", \"hint\"}}" } " with the matching HTTP status." }
        dl.paths {
            @for (path, meaning, example) in PATHS {
                dt { code { (path) } }
                dd { (meaning) " " a href=(example) { "Try " span.quiet { (path) } } }
            }
        }
    };
    layout("API · Sanderling", Some(""), &main)
}
