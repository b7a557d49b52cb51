//! `/page/{no}`: the record of a page, its versions and its text.
use crawl::{Content, PageNo, PageRecord, Reason, State as PageState, Time};
use maud::{Markup, html};
use store::VisitRow;

use super::{ago, date, layout, shown_address, timeline, title, web_address};
use crate::{
    live::{
        impact,
        tally::{bytes, counted, grouped, instant},
    },
    serve::{
        page::{PageDetails, is_readable},
        problem::Problem,
        service::Answer,
        state::State,
        words,
    },
};

/// Longer texts are cut here.
const LONGEST_TEXT: usize = 200_000;
/// Held text has no paragraphs. It is shown in parts of about this many bytes.
const PARAGRAPH: usize = 700;

pub(crate) fn page(state: &State, page: PageNo) -> Result<Answer, Problem> {
    let view = state.read(|view| view.page_numbered(page))?;
    let unknown = || Problem::not_found("There is no such page", "Search for it.");
    let known = PageDetails::read(state, view.ok_or_else(unknown)?)?;
    let content = known.content();
    let name = content.map_or("", |content| content.title.as_str());
    let main = html! {
        h1 { (title(name, &known.view.address)) }
        p.where { (shown_address(&known.view.address)) }
        p.actions {
            @if let Some(address) = web_address(&known.view.address) {
                a href=(address) rel="noreferrer nofollow" { "Open the live page" } " "
            }
            a href={ "/page/" (known.view.page.0) "/why" } { "When is it visited next?" }
        }
        (facts(state, &known))
        (versions(&known, state.now()))
        (held(&known))
    };
    let name = if name.is_empty() { &known.view.address } else { name };
    Ok(layout(&format!("{name} · Sanderling"), Some(""), &main))
}

fn facts(state: &State, known: &PageDetails) -> Markup {
    let (record, now) = (&known.view.record, state.now());
    html! {
        section aria-labelledby="facts" {
            h2 #facts { "Record" }
            dl.facts-list {
                div { dt { "State" } dd { (state_words(record)) } }
                div { dt { "First seen" } dd { (ago(record.first_seen, now)) } }
                @if let Some(seen) = record.last_seen {
                    div { dt { "Last seen" } dd { (ago(seen, now)) } }
                }
                div { dt { "Visits" } dd { (grouped(u64::from(record.visits))) } }
                div { dt { "Changes" } dd { (grouped(u64::from(record.changes))) } }
                div { dt { "Change rate" } dd { (words::changes(record, known.rate)) } }
                @if let Some(probability) = known.fresh_probability {
                    div { dt { "Up to date" } dd { (words::percent(probability)) " likely" } }
                }
                @if let Some(effects) = known.effects.words() {
                    div { dt { "Impact" } dd { (effects) } }
                }
                @if let Some(held) = &known.view.held {
                    div { dt { "Length" } dd {
                        (counted(u64::from(held.counts.words), "word", "words"))
                    } }
                    @if held.directives.noindex {
                        div { dt { "Robots" } dd { "noindex: not in search results" } }
                    }
                }
            }
        }
    }
}

fn state_words(record: &PageRecord) -> &'static str {
    match record.state {
        _ if record.is_missing() => "missing: a dead link, never held; checked rarely",
        PageState::Linked => "known, not held yet",
        PageState::Held => "held",
        PageState::Gone => "gone; revisited rarely",
    }
}

fn versions(known: &PageDetails, now: Time) -> Markup {
    let readable: Vec<&VisitRow> = known.readable().collect();
    let can_compare = readable.len() > 1;
    // By default the two latest.
    let (to, from) = (readable.first().map(|v| v.no), readable.get(1).map(|v| v.no));
    html! {
        section aria-labelledby="versions" {
            h2 #versions { "Versions" }
            @if let Some(line) = timeline::timeline(&known.versions, now) { (line) }
            @if known.versions.is_empty() { p { "No version yet." } } @else {
                form action={ "/page/" (known.view.page.0) "/compare" } method="get" {
                    div.table {
                        table {
                            thead { tr {
                                @if can_compare { th scope="col" { "From" } th scope="col" { "To" } }
                                th scope="col" { "Found" }
                                th scope="col" { "What" }
                                th.number scope="col" { "Size" }
                                th scope="col" { "Archived" }
                            } }
                            tbody {
                                @for visit in &known.versions {
                                    tr {
                                        @if can_compare {
                                            td { (choice("from", visit, from)) }
                                            td { (choice("to", visit, to)) }
                                        }
                                        td { (date(visit.at)) }
                                        td.what-cell {
                                            (outcome(visit))
                                            @if let Some(effect) = effect(visit) { "; " (effect) }
                                            @if let Some(leads) = leads(visit) { "; " (leads) }
                                        }
                                        td.number { (visit.bytes.map_or_else(|| "–".to_owned(), bytes)) }
                                        td { (archived(known, visit)) }
                                    }
                                }
                            }
                        }
                    }
                    @if can_compare { button type="submit" { "Compare" } }
                }
            }
        }
    }
}

/// Links to a version as it was fetched.
fn archived(known: &PageDetails, visit: &VisitRow) -> Markup {
    let of = format!(" the version of {}", instant(visit.at));
    let here = format!("/page/{}/version/{}", known.view.page.0, visit.no);
    html! {
        @if visit.position.is_some() {
            a href=(here) { "View" span.quiet { (of) } } " "
            a href={ (here) "/record" } download { "Record" span.quiet { " of" (of) } }
        }
    }
}

/// The radio button that chooses a version to compare.
fn choice(side: &str, visit: &VisitRow, chosen: Option<u64>) -> Markup {
    let label = format!("{side} the version of {}", instant(visit.at));
    html! {
        @if is_readable(visit) {
            label.choice {
                input type="radio" name=(side) value=(visit.no) aria-label=(label)
                    checked[chosen == Some(visit.no)];
            }
        }
    }
}

fn outcome(visit: &VisitRow) -> String {
    match visit.outcome {
        crawl::Outcome::First => "first held".to_owned(),
        crawl::Outcome::Gone => "found gone".to_owned(),
        // Detectors that do not measure the amount of change report 1.
        crawl::Outcome::Changed(change) if change < 1.0 => {
            format!("changed by {}", words::percent(f64::from(change.max(0.01))))
        }
        _ => "changed".to_owned(),
    }
}

/// The impact of a visit on search results, if it had any.
fn effect(visit: &VisitRow) -> Option<String> {
    let impact = visit.impact.filter(|&impact| impact > 0.0)?;
    Some(impact::words(f64::from(impact)))
}

/// New pages that a visit found; none for a first visit, since every page is new when a crawl starts.
fn leads(visit: &VisitRow) -> Option<String> {
    let leads = Some(visit.leads).filter(|&leads| leads > 0 && visit.reason != Reason::First)?;
    Some(format!("found {}", counted(leads as u64, "new page", "new pages")))
}

fn held(known: &PageDetails) -> Markup {
    let text = known.content().filter(|content| !content.text.is_empty());
    html! {
        section aria-labelledby="text" {
            h2 #text { "Held text" }
            @match text {
                None => { p { "No text is held of this page." } }
                Some(content) => {
                    @let lang = Some(content.language.as_str()).filter(|tag| is_tag(tag));
                    div.text lang=[lang] dir="auto" {
                        @for part in parts(content) {
                            @match part {
                                Part::Heading(text) => { p.heading { b { (text) } } }
                                Part::Text(text) => { p { (text) } }
                            }
                        }
                    }
                    @if content.text.len() > LONGEST_TEXT { p.facts { "The rest is not shown." } }
                }
            }
        }
    }
}

/// Whether the language that a page declares is a valid tag.
fn is_tag(tag: &str) -> bool {
    (2..=35).contains(&tag.len())
        && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    Heading(&'t str),
    Text(&'t str),
}

/// A text in parts: its headings, and paragraphs between them.
fn parts(content: &Content) -> Vec<Part<'_>> {
    let end = content.text.floor_char_boundary(LONGEST_TEXT);
    let text = &content.text[..end];
    let (mut parts, mut at) = (vec![], 0);
    for place in &content.headings {
        let (from, to) = (place.from as usize, place.to as usize);
        if from < at || text.get(from..to).is_none() {
            continue;
        }
        parts.extend(paragraphs(&text[at..from]));
        parts.push(Part::Heading(&text[from..to]));
        at = to;
    }
    parts.extend(paragraphs(&text[at..]));
    parts
}

/// A text cut at the ends of sentences.
fn paragraphs(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let least = rest.floor_char_boundary(PARAGRAPH);
        let end = rest[least..].find(". ").map_or(rest.len(), |end| least + end + 1);
        let (paragraph, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(Part::Text(paragraph.trim()))
    })
}

#[cfg(test)]
mod tests {
    use crawl::TextRange;

    use super::*;

    #[test]
    fn a_text_is_set_in_headings_and_paragraphs() {
        let sentence = "The tide comes in. ";
        let text = format!("Intro. Tides {}End.", sentence.repeat(60));
        let headings = vec![TextRange { from: 7, to: 12 }, TextRange { from: 9, to: 11 }];
        let content = Content { text, headings, ..Content::default() };
        let parts = parts(&content);
        assert_eq!(parts[0], Part::Text("Intro."));
        assert_eq!(parts[1], Part::Heading("Tides"));
        let lengths: Vec<usize> = parts[2..]
            .iter()
            .map(|part| match part {
                Part::Heading(text) | Part::Text(text) => text.len(),
            })
            .collect();
        assert_eq!(lengths.len(), 2);
        assert!(lengths[0] >= PARAGRAPH && lengths[0] < PARAGRAPH + 20, "{lengths:?}");
    }

    #[test]
    fn headings_that_lie_outside_of_the_text_are_left_out() {
        let headings = vec![TextRange { from: 0, to: 99 }];
        let content = Content { text: "é x".to_owned(), headings, ..Content::default() };
        assert_eq!(parts(&content), [Part::Text("é x")]);
    }
}
