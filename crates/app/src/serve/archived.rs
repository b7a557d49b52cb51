//! A version of a page as it was fetched: its record, and its content in a frame that can do nothing.
use std::borrow::Cow;

use crawl::PageNo;
use extract::read::coding;
use http::StatusCode;
use store::{Body, VisitRow};

use super::{page::PageDetails, problem::Problem, service::Answer, state::State};

/// The longest content shown, after decompression.
const LONGEST: usize = 10 << 20;

/// For archived content: no script, no form, no frame, and nothing from any network. Only styles and images
/// that are part of it are shown.
const REPLAY_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
    font-src data:; media-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

/// Start tags that make Chromium connect to other hosts before it applies the policy (`preconnect`, frames),
/// or that would override the encoding.
const DISARMED: [&str; 6] = ["<link", "<meta", "<iframe", "<frame", "<object", "<embed"];

/// The visit of a page with this number that fetched a version.
pub(crate) fn find(state: &State, page: PageNo, number: u64) -> Result<PageDetailsOf, Problem> {
    let view = state.read(|view| view.page_numbered(page))?;
    let unknown = || Problem::not_found("There is no such page", "Search for it.");
    let known = PageDetails::read(state, view.ok_or_else(unknown)?)?;
    let visit = known.versions.iter().find(|visit| visit.no == number).cloned();
    let visit = visit.ok_or_else(|| {
        Problem::not_found(
            "This page has no such version",
            "Choose a version on the page of this page.",
        )
    })?;
    Ok(PageDetailsOf { known, visit })
}

/// A page and one of its versions.
pub(crate) struct PageDetailsOf {
    pub(crate) known: PageDetails,
    pub(crate) visit: VisitRow,
}

/// `/page/{no}/version/{visit}/record`: the WARC record.
pub(crate) fn record(state: &State, page: PageNo, number: u64) -> Result<Answer, Problem> {
    let position = find(state, page, number)?.visit.position.ok_or_else(no_record)?;
    let bytes = state.read(|view| view.record(&position))?;
    Ok(Answer {
        file_name: Some(format!("sanderling-{}-{number}.warc.gz", page.0)),
        ..Answer::new("application/gzip", bytes)
    })
}

fn no_record() -> Problem {
    Problem::not_found(
        "This version has no record in the archive",
        "Only versions that were fetched over HTTP have one.",
    )
}

/// Why a version cannot be shown as it was; `None` if it can.
pub(crate) fn obstacle(visit: &VisitRow) -> Option<String> {
    let kind = visit.mime.as_deref().unwrap_or_default();
    match (&visit.position, visit.status) {
        (None, _) => Some("it was not fetched over HTTP".to_owned()),
        (_, Some(status)) if !(200..300).contains(&status) => {
            Some(format!("the server answered with status {status}, not with a page"))
        }
        _ if is_shown(kind) => None,
        _ if kind.is_empty() => {
            Some("the server did not say what kind of content it is".to_owned())
        }
        _ => Some(format!("it is of the type {kind}; only HTML and plain text are shown")),
    }
}

fn is_shown(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    ["text/html", "application/xhtml+xml", "text/plain"].contains(&kind.as_str())
}

/// `/page/{no}/version/{visit}/frame`: the content, for a frame without rights.
pub(crate) fn frame(state: &State, page: PageNo, number: u64) -> Result<Answer, Problem> {
    let PageDetailsOf { known, visit } = find(state, page, number)?;
    if let Some(why) = obstacle(&visit) {
        return Err(Problem::not_found(
            format!("This version cannot be shown: {why}"),
            "Its record can be downloaded.",
        ));
    }
    let position = visit.position.as_ref().ok_or_else(no_record)?;
    let Body { encoding, bytes, .. } = state.read(|view| view.body(position))?;
    let body = coding::decode(&encoding, &bytes, LONGEST).map_err(|error| Problem {
        status: StatusCode::NOT_FOUND,
        message: format!("This version cannot be shown: {error}"),
        hint: "Its record can be downloaded.".to_owned(),
    })?;
    let declared = visit.mime.as_deref().unwrap_or_default();
    let text = extract::read::decoded(&known.view.address, declared, &body);
    let is_plain = declared.trim_start().to_ascii_lowercase().starts_with("text/plain");
    let (kind, text) = if is_plain {
        ("text/plain; charset=utf-8", text)
    } else {
        ("text/html; charset=utf-8", Cow::Owned(disarmed(&text)))
    };
    Ok(Answer { policy: Some(REPLAY_POLICY), ..Answer::new(kind, text.into_owned()) })
}

/// HTML without elements that connect to other hosts: their start tags get a name that means nothing. A tag begins
/// with exactly these characters, so none is missed.
fn disarmed(html: &str) -> String {
    let lower = html.to_ascii_lowercase();
    let mut out = String::with_capacity(html.len() + 64);
    let mut from = 0;
    for (at, _) in lower.match_indices('<') {
        if DISARMED.iter().any(|tag| lower[at..].starts_with(tag)) {
            out.push_str(&html[from..at]);
            out.push_str("<x-");
            from = at + 1;
        }
    }
    out.push_str(&html[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_element_is_left_that_connects_before_a_policy_applies() {
        let html = "<HTML><LiNk rel=preconnect href=//a.example><meta http-equiv=refresh content=0>\
                    <p>a<b</p><a href=x>é</a><metal><iframe src=//a.example>";
        let shown = disarmed(html);
        assert_eq!(
            shown,
            "<HTML><x-LiNk rel=preconnect href=//a.example><x-meta http-equiv=refresh content=0>\
             <p>a<b</p><a href=x>é</a><x-metal><x-iframe src=//a.example>"
        );
        assert_eq!(disarmed(""), "");
    }

    #[test]
    fn only_text_is_shown_and_the_reason_is_told_otherwise() {
        for kind in ["text/html", "Text/HTML; charset=x", "text/plain", "application/xhtml+xml"] {
            assert!(is_shown(kind), "{kind}");
        }
        for kind in ["", "application/pdf", "image/svg+xml", "text/html2"] {
            assert!(!is_shown(kind), "{kind}");
        }
    }
}
