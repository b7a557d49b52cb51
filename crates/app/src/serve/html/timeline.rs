//! The versions of a page on a line of time.
use std::fmt::Write;

use crawl::{Outcome, Time};
use maud::{Markup, PreEscaped, html};
use store::VisitRow;

use super::instant;
use crate::live::tally::counted;

const WIDTH: f64 = 580.0;
const HEIGHT: f64 = 46.0;
const EDGE: f64 = 10.0;
const MIDDLE: f64 = 14.0;

/// The line from the first version until now; nothing for a single version.
pub(super) fn timeline(versions: &[VisitRow], now: Time) -> Option<Markup> {
    let (latest, first) = (versions.first()?, versions.last()?);
    let end = now.max(latest.at);
    if versions.len() < 2 || end <= first.at {
        return None;
    }
    let length = (end - first.at).millis() as f64;
    let place = |at: Time| EDGE + (at - first.at).millis() as f64 / length * (WIDTH - 2.0 * EDGE);
    let mut dots = String::new();
    for version in versions.iter().rev() {
        let (class, what) = match version.outcome {
            Outcome::First => ("c2", "first held"),
            Outcome::Gone => ("c4", "found gone"),
            _ => ("c1", "changed"),
        };
        let _ = write!(
            dots,
            r#"<circle class="m {class}" cx="{:.1}" cy="{MIDDLE}" r="5"><title>{what} {}</title></circle>"#,
            place(version.at),
            instant(version.at)
        );
    }
    let label = format!(
        "Line of time: {} from {} to {}",
        counted(versions.len() as u64, "version", "versions"),
        instant(first.at),
        instant(latest.at)
    );
    let day = |time: Time| instant(time).get(..10).unwrap_or_default().to_owned();
    let drawn = format!(
        r#"<path class="axis" d="M{EDGE} {MIDDLE}H{}"/>{dots}<text x="{EDGE}" y="40">{}</text><text x="{}" y="40" text-anchor="end">now</text>"#,
        WIDTH - EDGE,
        day(first.at),
        WIDTH - EDGE
    );
    Some(html! {
        figure.timeline {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
                (PreEscaped(drawn))
            }
        }
    })
}
