//! `/api`: what programs can ask.
use maud::html;

use super::layout;
use crate::serve::desk::Answer;

/// A path, what it answers, and one to try.
const PATHS: [(&str, &str, &str); 7] = [
    (
        "/api/search?q=&offset=&limit=",
        "Pages that have all words of q, the best first, with snippets and what is known of them.",
        "/api/search?q=tide&limit=3",
    ),
    (
        "/api/page?url=|no=&text=",
        "One page by its address or number: facts, versions, and with text=true its text as held.",
        "/api/page?no=0&text=true",
    ),
    (
        "/api/status",
        "What is held, how fresh it is believed to be, the last cycles, how far the index is.",
        "/api/status",
    ),
    (
        "/api/changes?after=&limit=",
        "The change feed: observed changes in the order of the log. Ask again with after= the last \
         answer's next.",
        "/api/changes?limit=3",
    ),
    ("/api/openapi.json", "All of this for programs: OpenAPI 3.1.", "/api/openapi.json"),
    ("/metrics", "Numbers for Prometheus.", "/metrics"),
    ("/healthz", "200 when searches can be answered, else 503 with the reason.", "/healthz"),
];

pub(crate) fn api() -> Answer {
    let main = html! {
        h1 { "API" }
        p { "What is below " code { "/api/" } " is asked with GET and answered as JSON. What goes wrong is told as "
            code { "{\"error\": {\"message\", \"hint\"}}" } " with a status that says whose fault it is." }
        dl.paths {
            @for (path, meaning, example) in PATHS {
                dt { code { (path) } }
                dd { (meaning) " " a href=(example) { "Try " span.quiet { (path) } } }
            }
        }
    };
    layout("API · Sanderling", Some(""), &main)
}
