//! What other budgets would buy, by simulations from this repository's own history.
use lab::{
    advice::{Advice, Offer, Range},
    report::html::chart::{Chart, Line, LineStyle},
};
use maud::{Markup, html};

use super::super::charts;
use crate::{
    live::{
        advise::{
            Advised,
            text::{RANGES, basis, number, share},
        },
        tally::grouped,
    },
    serve::{forecasting, state::State, words::percent},
};

/// The target where none is set.
const TARGET: f64 = 0.95;

pub(super) fn section(state: &State) -> Markup {
    if forecasting::is_too_large(state) {
        return super::too_large(
            "Budgets are not simulated",
            "sanderling advise",
            "simulates them.",
        );
    }
    match state.advising.last() {
        None => {
            html! { p.facts { "Budgets are simulated while no cycle is running. It takes a minute or two." } }
        }
        Some(Err(why)) => html! { p.facts { "Budgets could not be simulated: " (why) } },
        Some(Ok(advised)) => match &advised.advice {
            None => html! { p { (advised.too_short()) } },
            Some(advice) => given(&advised, advice, state.settings.serve.freshness_target),
        },
    }
}

fn given(advised: &Advised, advice: &Advice, target: Option<f64>) -> Markup {
    let offers = advice.curve.offers();
    html! {
        p { (advised.sentences(advice, target.unwrap_or(TARGET)).join(" ")) }
        div.pair {
            @if let Some(chart) = shares(advised, offers, target) { div { h3 { "Freshness and new pages" } (chart) } }
            @if let Some(chart) = changes(advised, offers) { div { h3 { "Changes found" } (chart) } }
        }
        details #budgets-table {
            summary { "Budgets in numbers" }
            (table(advised, offers))
        }
        p.facts {
            (basis(advice)) " " (RANGES) " "
            @for note in &advised.notes { (note) " " }
            "Today's budget is " (advised.rhythm()) ". "
            code { "sanderling advise" } " prints this and more."
        }
    }
}

/// The share of pages that are up to date and of new pages that are held, in percent.
fn shares(advised: &Advised, offers: &[Offer], target: Option<f64>) -> Option<Markup> {
    let in_percent = |range: Range| {
        let [mean, low, high] = [range.mean, range.low, range.high].map(|share| share * 100.0);
        Range { mean, low, high }
    };
    let styles = LineStyle::all(&["up to date", "new pages held"]);
    let goal = LineStyle::goal();
    let mut lines = vec![];
    if let (Some(target), [first, .., last]) = (target, offers) {
        let ends = [first, last].map(|offer| Some((place(offer.budget), target * 100.0)));
        lines.push(Line {
            name: "target",
            style: &goal,
            points: ends.into(),
            band: vec![],
            note: format!(": {}", percent(target)),
            notes: vec![],
        });
    }
    if offers.iter().any(|offer| offer.new_pages.is_some()) {
        let new_pages = |offer: &Offer| offer.new_pages.map(in_percent);
        lines.push(line("new pages held", &styles[1], offers, &new_pages, "percent"));
    }
    let freshness = |offer: &Offer| Some(in_percent(offer.freshness));
    lines.push(line("up to date", &styles[0], offers, &freshness, "percent"));
    let y = charts::percent_axis(&lines);
    let label = "Line chart: expected share of pages up to date, and of new pages held, by visits a cycle. The \
                 table has the numbers.";
    drawn(advised, offers, "more-shares", label, ("percent", y), lines)
}

/// Changes found a cycle.
fn changes(advised: &Advised, offers: &[Offer]) -> Option<Markup> {
    let style = &LineStyle::all(&["changes found"])[0];
    let lines = vec![line("changes found", style, offers, &|offer| Some(offer.changes), "a cycle")];
    let most = offers.iter().map(|offer| offer.changes.high).fold(1.0, f64::max);
    let label = "Line chart: expected number of changes found a cycle, by visits a cycle. The table has the numbers.";
    drawn(advised, offers, "more-changes", label, ("changes found a cycle", (0.0, most)), lines)
}

fn line<'a>(
    name: &'a str,
    style: &'a LineStyle,
    offers: &[Offer],
    of: &dyn Fn(&Offer) -> Option<Range>,
    unit: &str,
) -> Line<'a> {
    let note = |offer: &Offer| {
        let words = of(offer).map_or_else(|| "not known".to_owned(), number);
        format!("{} visits: {words} {unit}", grouped(u64::from(offer.budget)))
    };
    Line {
        name,
        style,
        points: offers.iter().map(|offer| Some((place(offer.budget), of(offer)?.mean))).collect(),
        band: offers.iter().map(|offer| of(offer).map(|range| (range.low, range.high))).collect(),
        note: String::new(),
        notes: offers.iter().map(note).collect(),
    }
}

/// The place of a budget on the axis: what matters is how many times as much it is.
fn place(budget: u32) -> f64 {
    f64::from(budget.max(1)).ln()
}

/// A chart over budgets; nothing with fewer than two.
fn drawn(
    advised: &Advised,
    offers: &[Offer],
    id: &str,
    label: &str,
    (unit, y): (&str, (f64, f64)),
    lines: Vec<Line<'_>>,
) -> Option<Markup> {
    let [first, .., last] = offers else { return None };
    let tick = |offer: &Offer| (place(offer.budget), grouped(u64::from(offer.budget)));
    let today = advised.budget.clamp(first.budget, last.budget);
    let chart = Chart {
        id: id.to_owned(),
        label: label.to_owned(),
        x: (place(first.budget), place(last.budget)),
        x_ticks: offers.iter().map(tick).collect(),
        x_title: "visits a cycle",
        y,
        warm_up: None,
        mark: Some((place(today), "today")),
        bound: None,
        lines,
    };
    Some(charts::lines(unit, &chart))
}

fn table(advised: &Advised, offers: &[Offer]) -> Markup {
    let has_new = offers.iter().any(|offer| offer.new_pages.is_some());
    html! {
        div.table tabindex="0" role="region" aria-label="What budgets would buy" {
            table {
                thead { tr {
                    th.number scope="col" { "Visits a cycle" }
                    th scope="col" { "Up to date" }
                    th scope="col" { "Changes found a cycle" }
                    @if has_new { th scope="col" { "New pages held" } }
                } }
                tbody {
                    @for offer in offers {
                        tr {
                            td.number {
                                @if offer.budget == advised.budget { "today: " }
                                (grouped(u64::from(offer.budget)))
                            }
                            td { (share(offer.freshness)) }
                            td { (number(offer.changes)) }
                            @if has_new {
                                td { (offer.new_pages.map_or_else(|| "–".to_owned(), share)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crawl::{Span, Time};

    use super::*;

    fn advised(budget: u32) -> Advised {
        Advised {
            now: Time::from_millis(0),
            budget,
            interval: Span::from_days(1),
            notes: vec![],
            advice: None,
            checks: 0,
        }
    }

    fn offer(budget: u32, share: f64) -> Offer {
        let around = |mean: f64| Range { mean, low: mean * 0.9, high: mean * 1.1 };
        let new_pages = Some(around(share / 2.0));
        let gain = around(0.0);
        Offer { budget, freshness: around(share), gain, changes: around(share * 9.0), new_pages }
    }

    #[test]
    fn both_charts_mark_the_budget_of_today() {
        let offers = [offer(50, 0.5), offer(100, 0.6), offer(200, 0.7)];
        let shares = shares(&advised(100), &offers, Some(0.95)).unwrap().into_string();
        let changes = changes(&advised(100), &offers).unwrap().into_string();
        for chart in [&shares, &changes] {
            // 100 is half way from 50 to 200.
            assert_eq!(chart.matches(">today</text>").count(), 1, "{chart}");
            assert!(chart.contains("class=\"band\"") && !chart.contains(" style="), "{chart}");
        }
        for name in ["up to date", "new pages held", "target"] {
            assert!(shares.contains(&format!(">{name}</text>")), "{name}: {shares}");
        }
        assert!(changes.contains("100 visits: 5.4 (4.9 to 5.9) a cycle"), "{changes}");
        let table = table(&advised(100), &offers).into_string();
        assert!(table.contains("today: 100") && table.contains("60.0 % (54.0 to 66.0 %)"));
    }

    #[test]
    fn one_budget_is_no_curve() {
        assert!(changes(&advised(1), &[offer(1, 0.5)]).is_none());
    }
}
