//! The pages for people. They need no script; one of ours updates some of them. The template escapes
//! everything that comes from crawled pages, and `bdi` isolates its text direction.
mod changes;
mod charts;
mod compare;
mod dashboard;
mod guide;
mod home;
mod host;
mod known;
mod login;
mod results;
mod timeline;
mod version;
mod why;

use std::sync::LazyLock;

use crawl::{Digest, Time};
use hyper::body::Bytes;
use lab::report::html::CHART_STYLE;
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub(crate) use self::{
    changes::changes,
    compare::compare,
    dashboard::{dashboard, per_100},
    guide::api,
    home::home,
    host::{host, hosts},
    known::page,
    login::login,
    results::search,
    version::version,
    why::why,
};
use super::{problem::Problem, service::Answer, words};
use crate::live::tally::{instant, stamp};

const ICON: &str = include_str!("icon.svg");
const SCRIPT: &str = include_str!("live.js");

/// The style sheet: that of charts, then ours.
static STYLE: LazyLock<Bytes> =
    LazyLock::new(|| format!("{CHART_STYLE}{}", include_str!("style.css")).into());

/// The paths of the style sheet and the script. They change with the files.
static ASSET_PATHS: LazyLock<[String; 2]> = LazyLock::new(|| {
    let digest = |bytes: &[u8]| Digest::from_bytes(bytes).0 as u64;
    [
        format!("/assets/style-{:016x}.css", digest(&STYLE)),
        format!("/assets/live-{:016x}.js", digest(SCRIPT.as_bytes())),
    ]
});

/// The paths of the style sheet and the script.
pub(crate) fn asset_paths() -> [&'static str; 2] {
    let [style, script] = &*ASSET_PATHS;
    [style, script]
}

pub(crate) fn style() -> Answer {
    Answer::new("text/css; charset=utf-8", STYLE.clone())
}

pub(crate) fn script() -> Answer {
    Answer::new("text/javascript; charset=utf-8", SCRIPT)
}

pub(crate) fn icon() -> Answer {
    Answer::new("image/svg+xml", ICON)
}

/// A whole page. `query` is the text of the search box in its header; `None` leaves the box out.
pub(crate) fn layout(title: &str, query: Option<&str>, main: &Markup) -> Answer {
    whole(title, query, main, &PreEscaped(String::new()))
}

/// A page that updates itself: the parts marked `data-live`. `feed` is the path of its Atom feed.
fn live_layout(title: &str, main: &Markup, feed: &str) -> Answer {
    let head = html! {
        link rel="alternate" type="application/atom+xml" title="Changes" href=(feed);
        script src=(asset_paths()[1]) defer {}
    };
    whole(title, Some(""), main, &head)
}

fn whole(title: &str, query: Option<&str>, main: &Markup, head: &Markup) -> Answer {
    Answer::html(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                link rel="icon" href="/favicon.ico" type="image/svg+xml";
                link rel="stylesheet" href=(asset_paths()[0]);
                (head)
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    a.brand href="/" { (PreEscaped(ICON)) span { "Sanderling" } }
                    @if let Some(query) = query { (search_box(query, false)) }
                    nav aria-label="Site" {
                        a href="/dashboard" { "Dashboard" }
                        a href="/changes" { "Changes" }
                        a href="/hosts" { "Hosts" }
                        a href="/api" { "API" }
                    }
                }
                main id="main" tabindex="-1" { (main) }
            }
        }
    })
}

/// The search form.
pub(crate) fn search_box(query: &str, is_focused: bool) -> Markup {
    html! {
        form.search action="/search" method="get" role="search" {
            label.quiet for="q" { "Search the held pages" }
            input #q type="search" name="q" value=(query) maxlength="1000" dir="auto"
                autocomplete="off" spellcheck="false" enterkeyhint="search" autofocus[is_focused];
            button type="submit" { "Search" }
        }
    }
}

/// A page for an error.
pub(crate) fn problem(problem: &Problem) -> Answer {
    if problem.is_login() {
        return login::refused(problem);
    }
    let main = html! {
        h1 { (problem.message) }
        p { (problem.hint) }
    };
    layout(&format!("{} · Sanderling", problem.message), Some(""), &main)
}

/// A time in words, with the exact time as a tooltip.
fn ago(then: Time, now: Time) -> Markup {
    html! { time datetime=(stamp(then)) title=(instant(then)) { (words::ago(then, now)) } }
}

/// A date, with the exact time for machines.
fn date(time: Time) -> Markup {
    let exact = instant(time);
    let day = exact.trim_end_matches(" UTC");
    html! { time datetime=(stamp(time)) { (day.get(..16).unwrap_or(day)) } }
}

/// A title, or the URL if there is none.
fn title(title: &str, address: &str) -> Markup {
    html! { @if title.trim().is_empty() { bdi dir="ltr" { (address) } } @else { bdi { (title) } } }
}

/// A URL with its host in bold, to show where a link leads.
fn shown_address(address: &str) -> Markup {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    html! {
        bdi.address dir="ltr" {
            @if !scheme.is_empty() { (scheme) "://" }
            b { (host) }
            (path)
        }
    }
}

/// A URL that a link may have: http or https, not a script.
pub(crate) fn web_address(address: &str) -> Option<&str> {
    let lower = address.get(..8).unwrap_or(address).to_ascii_lowercase();
    (lower.starts_with("https://") || lower.starts_with("http://")).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_urls_become_links() {
        assert_eq!(web_address("https://a.example/"), Some("https://a.example/"));
        assert_eq!(web_address("HTTP://a.example/"), Some("HTTP://a.example/"));
        for address in ["javascript:alert(1)", "data:text/html,x", "//a.example", "", "ähttp://"] {
            assert_eq!(web_address(address), None, "{address}");
        }
    }

    #[test]
    fn foreign_text_is_inert() {
        let hostile = "\"><script>alert(1)</script>&\u{202e}";
        let shown = [
            title(hostile, "x").into_string(),
            shown_address(hostile).into_string(),
            search_box(hostile, false).into_string(),
        ];
        for markup in shown {
            assert!(!markup.contains("<script"), "{markup}");
            assert!(markup.contains("&lt;script&gt;"), "{markup}");
            assert!(!markup.contains("\"\">"), "{markup}");
        }
        assert!(title(hostile, "x").into_string().starts_with("<bdi>"));
    }
}
