//! The table of verdicts, and the parts of every claim.
use lab::report::{
    html::{each, escape},
    stats::Score,
};

use crate::{
    draw::between,
    judge::Judged,
    plan::WebKind,
    verdict::{Outcome, SubClaim, Verdict},
};

/// Both; empty without claims.
pub(crate) fn section(judged: &[Judged]) -> String {
    if judged.is_empty() {
        return String::new();
    }
    let rows = each(judged, |one| {
        let found = |verdict: &Verdict| {
            format!(
                "{}<br>{}{}",
                badge(&verdict.outcome),
                escape(&verdict.number),
                interval(verdict)
            )
        };
        format!(
            "<tr><th scope=row><a href=\"#{id}\">{id}</a></th><td class=wide>{}</td><td>{}</td><td class=wide>{}</td><td class=wide>{}</td></tr>",
            escape(one.claim.text),
            escape(one.claim.paper),
            found(one.in_world()),
            found(&one.decided),
            id = one.claim.id,
        )
    });
    let claims = each(judged, claim);
    format!(
        "<section><h2>Verdicts</h2><p class=faint>Each claim in the paper’s own world and on recorded sites, where every part of a claim is taken from the kind of web that decides on it (<a href=\"#rules\">rules</a>).</p><div class=scroll tabindex=0><table class=verdicts><thead><tr><th scope=col>claim</th><th scope=col>what it says</th><th scope=col>paper</th><th scope=col>paper’s world</th><th scope=col>recorded sites</th></tr></thead><tbody>{rows}</tbody></table></div></section><section><h2>Claim by claim</h2>{claims}</section>"
    )
}

fn badge(outcome: &Outcome) -> String {
    let title = match outcome {
        Outcome::NotTestable(why) => format!(" title=\"{}\"", escape(why)),
        _ => String::new(),
    };
    let name = outcome.name();
    format!("<span class=\"verdict {}\"{title}>{name}</span>", name.replace(' ', "-"))
}

fn interval(verdict: &Verdict) -> String {
    verdict.interval.map_or_else(String::new, |found| format!("<small>{}</small>", between(found)))
}

fn claim(one: &Judged) -> String {
    let kinds = each(&one.by_kind, |(kind, verdict)| {
        let rows = each(&verdict.sub_claims, |sub_claim| row(sub_claim, *kind));
        format!(
            "<div class=scroll tabindex=0><table class=pieces><caption>On {kind}: {}</caption><thead><tr><th scope=col>part</th><th scope=col>verdict</th><th scope=col>found</th><th class=n scope=col>95 % interval</th><th scope=col>paper</th><th class=n scope=col title=\"webs ahead, within 0.005, behind\">ahead / equal / behind</th><th class=n scope=col title=\"Wilcoxon by web, after Holm\">p</th><th class=n scope=col title=\"the paper’s test over cycles: finds differences too easily\">t</th><th class=n scope=col title=\"a smaller true difference would often go unseen\">detect&shy;able</th><th scope=col>how</th></tr></thead><tbody>{rows}</tbody></table></div>",
            escape(&verdict.explanation)
        )
    });
    format!(
        "<details id=\"{id}\"><summary><b>{id}</b> {} {} <span class=faint>{}</span></summary>{kinds}</details>",
        badge(&one.in_world().outcome),
        badge(&one.decided.outcome),
        escape(one.claim.text),
        id = one.claim.id,
    )
}

fn row(sub_claim: &SubClaim, kind: WebKind) -> String {
    let tests = &sub_claim.tests;
    let number =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
    let score = tests.score.map_or_else(
        || "–".to_owned(),
        |Score { wins, ties, losses }| format!("{wins} / {ties} / {losses}"),
    );
    let decides = if sub_claim.decides == kind { " <i>decides</i>" } else { "" };
    format!(
        "<tr><th scope=row>{}{decides}</th><td>{}</td><td>{}</td><td class=n>{}</td><td>{}</td><td class=n>{score}</td><td class=n>{}</td><td class=n>{}</td><td class=n>{}</td><td class=why>{}</td></tr>",
        escape(&sub_claim.what),
        badge(&sub_claim.outcome),
        escape(&sub_claim.number),
        sub_claim.interval.map_or_else(|| "–".to_owned(), between),
        escape(&sub_claim.paper),
        number(tests.holm),
        tests.t.map_or_else(|| "–".to_owned(), |t| format!("{t:.1}").replace('-', "\u{2212}")),
        number(tests.detectable),
        escape(&sub_claim.explanation),
    )
}
