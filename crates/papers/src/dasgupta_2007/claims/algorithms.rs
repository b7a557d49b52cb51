//! D6 to D10: what algorithms that know only the past find (sections 5 and 6); O1 and O2: what remains
//! of it where every visit counts.
//!
//! The paper gives numbers without any spread. A share agrees with the paper where its interval is within
//! 0.1 of it, an overhead where it is within a factor of 2. The paper does not say how it averages
//! overheads, so both ways are judged.
use lab::report::words;

use crate::{
    dasgupta_2007::{
        PAPER,
        figures::{
            algorithms::{BUDGETS_AT, MEAN_OVERHEAD, OVERHEAD, SHARE},
            history::FALL,
        },
    },
    evidence::{Evidence, Query},
    rules::{
        READABLE,
        Rule::{self, Above, Alike, AtLeast, AtMost, Between},
        Statement, against, counted, highest, judge_pair, judge_value, on_sites,
    },
    sample::Estimate,
    verdict::SubClaim,
};

/// How far a share may be from that of the paper.
const NEAR: f64 = 0.1;
/// The factor by which an overhead may differ.
const FACTOR: f64 = 2.0;

/// The most that OD-WIN and CLIQ-WIN, which the paper calls alike, differ in its table 2.
const APART: f64 = 0.02;

/// Visits per site and week.
const BUDGETS: [&str; 5] = ["1", "10", "100", "1,000", "10,000"];

/// A row of table 2: coverage by budget, and the overhead with the largest.
type Row = (&'static str, [f64; 5], f64);

/// Table 2, where GREEDY is called "Optimal".
const TABLE: [Row; 6] = [
    ("CLIQ-WIN", [0.08, 0.19, 0.37, 0.52, 0.69], 1.563),
    ("OD-WIN", [0.08, 0.18, 0.35, 0.53, 0.69], 1.538),
    ("COV", [0.09, 0.23, 0.37, 0.37, 0.37], 0.1389),
    ("OD-1", [0.09, 0.21, 0.28, 0.43, 0.44], 1.099),
    ("GREEDY", [0.56, 0.81, 0.95, 0.98, 1.0], 0.2674),
    ("OD-ALL", [0.16, 0.24, 0.36, 0.55, 0.74], 1.639),
];

/// A share agrees with the paper.
fn near(what: &str, found: Result<Estimate, String>, paper: f64) -> SubClaim {
    let statement = Statement { what, paper: &paper.to_string() };
    judge_value(&statement, found, Between(paper - NEAR, paper + NEAR), "0.1 from the paper's")
}

/// D6: the history bounds.
pub(crate) fn history_bounds(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let mut sub_claims = vec![];
    for (what, interval, paper) in [
        ("with a recrawl every week about 0.74", 1.0, 0.74),
        ("with recrawls every 2 weeks about 0.64", 2.0, 0.64),
        ("with recrawls every 4 weeks about 0.59", 4.0, 0.59),
    ] {
        sub_claims.push(near(what, evidence.value("history", "share covered", interval), paper));
    }
    for (what, interval, paper) in
        [("it falls from 1 week to 2", 2.0, "0.10"), ("it falls from 2 weeks to 4", 4.0, "0.05")]
    {
        let lost = evidence.value("history", FALL, interval);
        sub_claims.push(judge_value(&Statement { what, paper }, lost, Above, "what is lost"));
    }
    sub_claims
}

/// D7: the numbers of table 2.
pub(crate) fn table(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let mut sub_claims = vec![];
    for (name, coverage, _) in TABLE {
        for (budget, paper) in coverage.into_iter().enumerate() {
            let what = format!("{name}, budget {}: coverage about {paper}", BUDGETS[budget]);
            let line = format!("{name}, {SHARE}");
            sub_claims.push(near(
                &what,
                evidence.value("table-2", &line, BUDGETS_AT[budget]),
                paper,
            ));
        }
    }
    for (name, _, paper) in TABLE {
        for quantity in [OVERHEAD, MEAN_OVERHEAD] {
            let what = format!("{name}, budget 10,000: {quantity} about {paper}");
            let found = evidence.value("table-2", &format!("{name}, {quantity}"), BUDGETS_AT[4]);
            let statement = Statement { what: &what, paper: &paper.to_string() };
            let rule = Between(paper / FACTOR, paper * FACTOR);
            sub_claims.push(judge_value(&statement, found, rule, "a factor of 2 from the paper's"));
        }
    }
    sub_claims
}

/// D8: the comparisons that the paper draws from table 2.
pub(crate) fn comparisons(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let line = |name: &str, budget: usize| evidence.value("table-2", name, BUDGETS_AT[budget]);
    let mut sub_claims = vec![];
    for (budget, visits) in BUDGETS.iter().enumerate() {
        let what = format!("budget {visits}: OD-WIN is like CLIQ-WIN in coverage");
        let found = line(&format!("OD-WIN less CLIQ-WIN, {SHARE}"), budget);
        let statement = Statement { what: &what, paper: "at most 0.02 apart" };
        sub_claims.push(judge_value(&statement, found, Alike(APART), "the difference"));
    }
    let mut beyond = |what: &str, paper: &str, name: &str, budget: usize| {
        let found = line(name, budget);
        sub_claims.push(judge_value(&Statement { what, paper }, found, Above, "the difference"));
    };
    let overhead = format!("OD-WIN less COV, {OVERHEAD}");
    beyond("budget 10,000: COV has less overhead than OD-WIN", "1.4", &overhead, 4);
    let coverage = format!("OD-WIN less COV, {SHARE}");
    beyond("budget 10,000: COV covers less than OD-WIN", "0.32", &coverage, 4);
    let history = format!("OD-ALL less OD-1, {SHARE}");
    beyond("budget 1,000: all recrawls find more than the last", "0.12", &history, 3);
    beyond("budget 10,000: all recrawls find more than the last", "0.30", &history, 4);
    let statement =
        Statement { what: "beyond 100 visits COV finds no more", paper: "0.37 from 100 on" };
    let cov = format!("COV, {SHARE}");
    let more = line(&cov, 4).and_then(|most| {
        let hundred = line(&cov, 2)?;
        Ok(Estimate { value: most.value - hundred.value, interval: None })
    });
    let explanation = "what 10,000 visits find beyond 100; none is at most 0.01";
    sub_claims.push(judge_value(&statement, more, AtMost(0.01), explanation));
    sub_claims
}

/// D9: the best coverage of the bandit with an overhead like that of OD-WIN.
pub(crate) fn bandit(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let what =
        "with at most the overhead of OD-WIN with 10,000 visits, coverage is about 0.64 or more";
    let statement = Statement { what, paper: "0.64" };
    vec![match best_of_bandit(evidence) {
        Ok(Some((budget, share))) => {
            let explanation = format!("with {} visits; ratio of sums", BUDGETS[budget]);
            judge_value(&statement, Ok(share), AtLeast(0.64 - NEAR), &explanation)
        }
        Ok(None) => {
            let why = "with every budget its overhead is above that of OD-WIN";
            on_sites(counted(&statement, false, "–".to_owned(), why))
        }
        Err(why) => judge_value(&statement, Err(why), AtLeast(0.64), ""),
    }]
}

fn best_of_bandit(evidence: &Evidence<'_>) -> Result<Option<(usize, Estimate)>, String> {
    let line = |name: &str, quantity: &str, budget: usize| {
        evidence.value("table-2", &format!("{name}, {quantity}"), BUDGETS_AT[budget])
    };
    let most = line("OD-WIN", OVERHEAD, 4)?.value;
    let mut best: Option<(usize, Estimate)> = None;
    for budget in 0..BUDGETS.len() {
        let share = line("bandit", SHARE, budget)?;
        let is_better = best.is_none_or(|(_, best)| share.value > best.value);
        // Without new pages there is no overhead.
        if line("bandit", OVERHEAD, budget).is_ok_and(|overhead| overhead.value <= most)
            && is_better
        {
            best = Some((budget, share));
        }
    }
    Ok(best)
}

/// D10: what the paper recommends.
pub(crate) fn headline(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let of = |quantity: &str| {
        evidence.value("table-2", &format!("OD-WIN, {quantity}"), BUDGETS_AT[BUDGETS.len() - 1])
    };
    let coverage = Statement { what: "budget 10,000: coverage of at least 0.6", paper: "0.69" };
    let overhead = Statement { what: "budget 10,000: overhead below 2", paper: "1.538" };
    vec![
        judge_value(&coverage, of(SHARE), AtLeast(0.6), "ratio of sums"),
        judge_value(&overhead, of(OVERHEAD), AtMost(2.0), "ratio of sums"),
    ]
}

/// The budgets of a part, as shares of the pages.
fn shares(evidence: &Evidence<'_>, part: &str) -> Vec<f64> {
    evidence.runs_of(&PAPER, part).map_or_else(Vec::new, |runs| runs.budgets)
}

/// O1: the bandit against all others, where every visit counts.
pub(crate) fn closed_loop(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let of = |label: &str, budget: usize| {
        let query = Query::new("closed-loop", label).metric("new_coverage").budget(budget);
        (label.to_owned(), query)
    };
    let rivals: [(&str, &[&str]); 2] = [
        ("the algorithms of the paper", &["OD-1", "OD-WIN", "OD-ALL", "CLIQ-1", "CLIQ-WIN", "COV"]),
        ("RR, BFS and HUB", &["RR", "BFS", "HUB"]),
    ];
    let mut sub_claims = vec![];
    for (name, labels) in rivals {
        for (budget, share) in shares(evidence, "closed-loop").iter().enumerate() {
            let what = format!("budget {}: the bandit is above {name}", words::short(*share));
            let others: Vec<(String, Query)> =
                labels.iter().map(|label| of(label, budget)).collect();
            let statement = Statement { what: &what, paper: "not in the paper" };
            sub_claims.push(on_sites(highest(
                evidence,
                &statement,
                &[of("bandit", budget)],
                &others,
            )));
        }
    }
    sub_claims
}

/// O2: the costs and benefits of sharing a budget.
pub(crate) fn sharing_a_budget(evidence: &Evidence<'_>) -> Vec<SubClaim> {
    let rules: [(&'static str, &str, Rule); 2] = [
        ("new_coverage", "mix finds more than freshness-index", Above),
        ("freshness", "mix is as fresh as freshness-index", Alike(READABLE)),
    ];
    let mut sub_claims = vec![];
    for (metric, text, rule) in rules {
        for (budget, share) in shares(evidence, "mix").iter().enumerate() {
            let of = |label: &'static str| {
                (label, Query::new("mix", label).metric(metric).budget(budget))
            };
            let what = format!("budget {}: {text}", words::short(*share));
            let statement = Statement { what: &what, paper: "not in the paper" };
            let pair = against(evidence, of("mix 0.1"), of("FI"));
            sub_claims.push(on_sites(judge_pair(rule, &statement, &pair)));
        }
    }
    sub_claims
}
