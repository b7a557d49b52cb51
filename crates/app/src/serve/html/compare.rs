//! `/page/{no}/compare`: the differences between two versions of a page.
use crawl::{PageNo, Time};
use extract::detect::main_text::Boilerplate;
use maud::{Markup, html};

use super::{date, layout, shown_address, title};
use crate::{
    live::tally::counted,
    serve::{
        difference::{Difference, Piece},
        page::PageDetails,
        parameters::Parameters,
        problem::Problem,
        service::Answer,
        state::State,
        summaries::{Fetched, boilerplate_of},
    },
};

/// One of the two versions.
struct Side {
    at: Time,
    fetched: Fetched,
}

pub(crate) fn compare(
    state: &State,
    page: PageNo,
    parameters: &Parameters,
) -> Result<Answer, Problem> {
    let most = i64::MAX as u64;
    let (from, to) = (parameters.number("from", 0, most)?, parameters.number("to", 0, most)?);
    let view = state.read(|view| view.page_numbered(page))?;
    let unknown = || Problem::not_found("There is no such page", "Search for it.");
    let known = PageDetails::read(state, view.ok_or_else(unknown)?)?;
    // By default the two latest.
    let latest: Vec<u64> = known.readable().map(|visit| visit.no).take(2).collect();
    let chosen = from.or(latest.get(1).copied()).zip(to.or(latest.first().copied()));
    let (from, to) = chosen.ok_or_else(|| {
        Problem::not_found(
            "This page has only one version so far",
            "Try again after it has changed.",
        )
    })?;
    let boilerplate = state.read(boilerplate_of)?;
    let side = |number| side(state, &known, number, &boilerplate);
    let (mut old, mut new) = (side(from)?, side(to)?);
    // The older one comes first.
    if old.at > new.at {
        std::mem::swap(&mut old, &mut new);
    }
    let main = markup(&known, &old, &new);
    let name = &new.fetched.content.title;
    let name = if name.is_empty() { &known.view.address } else { name };
    Ok(layout(&format!("Changes in {name} · Sanderling"), Some(""), &main))
}

/// The version that a visit fetched.
fn side(
    state: &State,
    known: &PageDetails,
    number: u64,
    boilerplate: &Boilerplate,
) -> Result<Side, Problem> {
    let missing = || {
        Problem::not_found(
            "This page has no such version",
            "Choose two versions on the page of this page.",
        )
    };
    let visit = known.versions.iter().find(|visit| visit.no == number).ok_or_else(missing)?;
    let fetched = state
        .read(|view| Fetched::read(view, number, boilerplate))?
        .filter(|fetched| fetched.page == known.view.page)
        .ok_or_else(missing)?;
    Ok(Side { at: visit.at, fetched })
}

fn markup(known: &PageDetails, old: &Side, new: &Side) -> Markup {
    let titles = Difference::new(&old.fetched.content.title, &new.fetched.content.title);
    let texts = Difference::of_versions(old.fetched.version(), new.fetched.version());
    html! {
        h1 { "Changes in " (title(&new.fetched.content.title, &known.view.address)) }
        p.where { (shown_address(&known.view.address)) }
        p.facts { "From " (date(old.at)) " to " (date(new.at)) ": "
            @if titles.is_none() && texts.is_none() {
                @if texts.boilerplate.is_empty() { "the texts are the same." } @else {
                    "the main text is the same."
                }
            } @else {
                ins.key { (counted(texts.added as u64, "word", "words")) " added" } ", "
                del.key { (counted(texts.removed as u64, "word", "words")) " removed" }
                @if !titles.is_none() { "; the title changed" } "."
            }
        }
        p { a href={ "/page/" (known.view.page.0) "#versions" } { "All versions" } }
        @if !titles.is_none() {
            section aria-labelledby="title" {
                h2 #title { "Title" }
                div.text dir="auto" { (pieces(&titles.pieces)) }
            }
        }
        @if !texts.is_none() {
            section aria-labelledby="text" {
                h2 #text { "Text" }
                div.text.compared dir="auto" { (pieces(&texts.pieces)) }
                @if texts.is_cut { p.facts { "Only the beginning of this long text was compared." } }
            }
        }
        @if !texts.boilerplate.is_empty() {
            details {
                summary { (counted(texts.boilerplate_words as u64, "word", "words"))
                    " of menu, header or footer "
                    @if texts.boilerplate_words == 1 { "differs" } @else { "differ" }
                }
                div.text.compared dir="auto" { (pieces(&texts.boilerplate)) }
            }
        }
    }
}

/// Changes, marked not only by colour. Long unchanged parts are folded.
fn pieces(pieces: &[Piece<'_>]) -> Markup {
    html! {
        @for piece in pieces {
            @match *piece {
                Piece::Same(text) => { span { (text) " " } }
                Piece::Removed(text) => {
                    del { span.quiet { "removed: " } (text) } " "
                }
                Piece::Added(text) => {
                    ins { span.quiet { "added: " } (text) } " "
                }
                Piece::Folded(text, words) => {
                    details {
                        summary { (counted(words as u64, "unchanged word", "unchanged words")) }
                        p { (text) }
                    }
                }
            }
        }
    }
}
