//! The report as one HTML file, without scripts and network requests, for light and dark screens
//! and for print.
//!
//! Radio buttons and CSS switch between budgets; print shows all of them. Every untrusted name goes
//! through `escape`.
pub mod bars;
pub mod chart;
mod difference;
mod example;
mod figure;
mod figures;
mod notes;
pub(crate) mod scale;
mod scatter;
mod tables;

use self::chart::LineStyle;
pub use self::figure::drawn;
use super::summary::{BASELINE, Summary};
use super::words;
use crate::results::Results;

const STYLE: &str = concat!(include_str!("chart.css"), include_str!("style.css"));

/// The style sheet of charts alone, for pages that draw charts in their own style.
pub const CHART_STYLE: &str = include_str!("chart.css");

/// A content security policy against scripts and requests, as a second line of defence.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The metrics of the charts. They conflict, so both are always shown (docs/papers.md, A1.8).
const DRAWN: [&str; 2] = ["freshness", "change_ratio"];

/// The report.
pub fn html(results: &Results) -> String {
    let summary = Summary::new(results);
    let styles = LineStyle::all(&summary.policies);
    let body = if summary.budgets.is_empty() {
        "<p>No run is finished yet.</p>".to_owned()
    } else {
        format!(
            "{}{}{}{}",
            against_budget(&summary, &styles),
            panels(&summary, &styles),
            notes::by_web(&summary),
            notes::reading(&summary)
        )
    };
    render_page(&ReportPage {
        over: "Sanderling lab",
        title: &title(&summary),
        style: &switch_rules(summary.budgets.len()),
        lead: &format!("{}{}", banner(&summary), lead(&summary)),
        body: &format!(
            "{body}{}{}{}",
            notes::metrics(),
            notes::webs(results),
            notes::settings(results)
        ),
    })
}

/// The parts of a report page, as HTML.
pub struct ReportPage<'p> {
    /// The text above the title.
    pub over: &'p str,
    /// The title.
    pub title: &'p str,
    /// Additional CSS.
    pub style: &'p str,
    /// The text below the title.
    pub lead: &'p str,
    /// The body.
    pub body: &'p str,
}

/// A report page as one HTML file.
pub fn render_page(page: &ReportPage<'_>) -> String {
    let ReportPage { over, title, style, lead, body } = page;
    format!(
        concat!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
            "<meta name=\"color-scheme\" content=\"light dark\">",
            "<title>{title}</title><style>\n{common}{style}</style></head>\n<body><main>",
            "<header><p class=\"over\">{over}</p><h1>{title}</h1>{lead}</header>",
            "{body}</main></body></html>\n"
        ),
        policy = POLICY,
        title = title,
        common = STYLE,
        style = style,
        over = over,
        lead = lead,
        body = body,
    )
}

fn title(summary: &Summary<'_>) -> String {
    let webs = match summary.webs.as_slice() {
        [] => "no web".to_owned(),
        [web] => escape(web),
        webs => words::count(webs.len(), "web"),
    };
    format!("Policies on {webs}")
}

fn banner(summary: &Summary<'_>) -> String {
    let (finished, planned) = (summary.results.runs.len(), summary.results.planned);
    if finished >= planned {
        return String::new();
    }
    let fewer = (0..summary.budgets.len())
        .any(|budget| summary.averaged(budget).len() < summary.webs.len());
    let fewer = if fewer {
        " Means are over the webs that every policy has finished, where there are such webs."
    } else {
        ""
    };
    format!(
        "<p class=banner role=status><b>Unfinished.</b> {finished} of {planned} planned runs are done; what follows may still change.{fewer}</p>"
    )
}

/// The size of the experiment, and the findings for the middle budget.
fn lead(summary: &Summary<'_>) -> String {
    if summary.budgets.is_empty() {
        return String::new();
    }
    let name = |name: &str| format!("<b>{}</b>", escape(name));
    let finding = words::finding(summary, middle(summary.budgets.len()), &name);
    let glance = if summary.budgets.len() > 1 { tables::glance(summary) } else { String::new() };
    format!("<p class=lead>{} {}</p>{glance}", words::extent(summary), finding.unwrap_or_default())
}

fn middle(budgets: usize) -> usize {
    budgets.saturating_sub(1) / 2
}

fn against_budget(summary: &Summary<'_>, styles: &[LineStyle]) -> String {
    if summary.budgets.len() < 2 {
        return String::new();
    }
    let bound = LineStyle::bound();
    let chart = |name, above| figures::against_budget(summary, styles, &bound, name, above);
    let mut charts = each(DRAWN, |name| chart(name, None));
    if let Some(baseline) = summary.baseline() {
        charts.push_str(&each(DRAWN, |name| chart(name, Some(baseline))));
    }
    format!(
        "<section><h2>What the budget buys</h2><p class=faint>Means over webs and seeds. Dotted lines are oracles; nothing that keeps to the budget can lie in the shaded area above a certified bound. Point at a name or a line to single it out.</p><div class=pair>{charts}</div></section>"
    )
}

/// A panel for each budget; the selected one is shown.
fn panels(summary: &Summary<'_>, styles: &[LineStyle]) -> String {
    let count = summary.budgets.len();
    let chosen = middle(count);
    let inputs = each(0..count, |budget| {
        let checked = if budget == chosen { " checked" } else { "" };
        format!(r#"<input type="radio" name="budget" id="b{budget}"{checked}>"#)
    });
    let labels = each(0..count, |budget| {
        format!(r#"<label for="b{budget}">{}</label>"#, words::budget(summary.budgets[budget]))
    });
    let panels = each(0..count, |budget| panel(summary, styles, budget));
    let switch = if count > 1 {
        format!("{inputs}<div class=switch><span>budget per cycle</span>{labels}</div>")
    } else {
        inputs
    };
    format!(
        "<section class=budgets><h2>Every metric, budget by budget</h2>{switch}<div class=panels>{panels}</div></section>"
    )
}

fn panel(summary: &Summary<'_>, styles: &[LineStyle], budget: usize) -> String {
    let tables: Vec<String> =
        DRAWN.iter().filter_map(|name| difference::table(summary, styles, budget, name)).collect();
    let differences = if tables.is_empty() {
        String::new()
    } else {
        format!(
            "<h4>Difference to {BASELINE}</h4><p class=faint>{}</p><div class=pair>{}</div>",
            notes::difference(summary, budget),
            tables.concat()
        )
    };
    let charts = each(DRAWN, |name| figures::over_time(summary, styles, budget, name));
    format!(
        "<div class=\"panel p{budget}\"><h3>Budget: {}</h3><p class=faint>{}</p>{}{differences}<h4>Over time</h4><div class=pair>{charts}</div></div>",
        words::budget_in_full(summary.budgets[budget]),
        notes::table(summary, budget),
        tables::of_budget(summary, styles, &LineStyle::bound(), budget),
    )
}

fn switch_rules(budgets: usize) -> String {
    each(0..budgets, |budget| {
        format!(
            "#b{budget}:checked~.panels>.p{budget}{{display:block}}\n#b{budget}:checked~.switch label[for=b{budget}]{{background:var(--ink);color:var(--paper)}}\n#b{budget}:focus-visible~.switch label[for=b{budget}]{{outline:2px solid var(--c0);outline-offset:2px}}\n"
        )
    })
}

/// Concatenates the pieces of all items.
pub fn each<T>(items: impl IntoIterator<Item = T>, mut piece: impl FnMut(T) -> String) -> String {
    let mut out = String::new();
    for item in items {
        out.push_str(&piece(item));
    }
    out
}

/// Escapes text for an element or a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in words::plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}
