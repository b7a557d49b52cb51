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
    let kinds = each(WebKind::ALL, |kind| format!("<th scope=col>{kind}</th>"));
    let rows = each(judged, |one| {
        let by_kind =
            each(&one.by_kind, |(_, verdict)| format!("<td>{}</td>", badge(&verdict.outcome)));
        format!(
            "<tr><th scope=row><a href=\"#{id}\">{id}</a></th><td class=wide>{}</td><td>{}</td>{by_kind}<td class=wide>{}{}</td><td>{}</td></tr>",
            escape(one.claim.text),
            badge(&one.decided.outcome),
            escape(&one.decided.number),
            interval(&one.decided),
            escape(one.claim.paper),
            id = one.claim.id,
        )
    });
    let claims = each(judged, claim);
    format!(
        "<section><h2>Verdicts</h2><p class=faint>A verdict takes every part of a claim from the kind of web that decides on it (<a href=\"#rules\">rules</a>); beside it, what the claim comes to on each kind of web alone.</p><div class=scroll tabindex=0><table class=verdicts><thead><tr><th scope=col>claim</th><th scope=col>what it says</th><th scope=col>verdict</th>{kinds}<th scope=col>found</th><th scope=col>paper</th></tr></thead><tbody>{rows}</tbody></table></div></section><section><h2>Claim by claim</h2>{claims}</section>"
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
            "<div class=scroll tabindex=0><table class=pieces><caption>On {kind}: {}</caption><thead><tr><th scope=col>part</th><th scope=col>verdict</th><th scope=col>found</th><th class=n scope=col>95 % interval by site</th><th scope=col>paper</th><th class=n scope=col title=\"sites ahead, within 0.005, behind\">ahead / equal / behind</th><th class=n scope=col title=\"Wilcoxon by site, after Holm\">p</th><th class=n scope=col title=\"the paper’s test over cycles: finds differences too easily\">t</th><th class=n scope=col title=\"a smaller true difference would often go unseen with this many sites\">detect&shy;able</th><th scope=col>how</th></tr></thead><tbody>{rows}</tbody></table></div>",
            escape(&verdict.explanation)
        )
    });
    format!(
        "<details id=\"{id}\"><summary><b>{id}</b> {} <span class=faint>{}</span></summary>{kinds}</details>",
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
