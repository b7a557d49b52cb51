//! Workloads and search metrics in reports.
use lab::{
    metric::METRICS,
    report::{csv, html, terminal},
    results::{Results, RunRecord, WebFacts, WorkloadFacts},
};

fn web(trace: &str) -> WebFacts {
    WebFacts {
        trace: trace.to_owned(),
        source: "made up".to_owned(),
        pages_at_start: 100,
        pages: 120,
        versions: 300,
        workload: None,
    }
}

/// One policy on two webs; only freshness is known.
fn without_workload() -> Results {
    let value = |name: &str| (name == "freshness").then_some(0.5);
    let cycle: Vec<Option<f64>> = METRICS.iter().map(|metric| value(metric.name)).collect();
    let run = |trace: &str, policy: &str| RunRecord {
        trace: trace.to_owned(),
        policy: policy.to_owned(),
        budget: 0.1,
        visits: 10,
        seed: 7,
        warm_up: 1,
        cycles: vec![cycle.clone(); 3],
    };
    Results {
        webs: vec![web("a"), web("b")],
        runs: vec![run("a", "round-robin"), run("b", "round-robin")],
        planned: 2,
        ..Results::default()
    }
}

/// The first web has queries of a file, the second pseudo-queries.
fn with_workload() -> Results {
    let mut results = without_workload();
    results.webs[0].workload = Some(WorkloadFacts {
        source: "queries of <b>.tsv".to_owned(),
        is_pseudo: false,
        queries: 42_169,
        answered: 900,
        kept: 300,
        threshold: Some(12.5),
    });
    results.webs[1].workload = Some(WorkloadFacts {
        source: "pseudo-queries made from titles, headings and links".to_owned(),
        is_pseudo: true,
        queries: 80,
        answered: 79,
        kept: 80,
        threshold: None,
    });
    let row = METRICS.iter().position(|metric| metric.name == "quality_tf_idf").unwrap();
    for run in &mut results.runs {
        run.cycles.iter_mut().for_each(|cycle| cycle[row] = Some(0.75));
    }
    results
}

#[test]
fn webs_csv_has_the_workload_of_each_web() {
    let mut results = with_workload();
    results.webs.push(web("c"));
    let expected = "\
trace,source,pages_at_start,pages,versions,queries,pseudo,queries_asked,queries_answered,queries_kept,threshold
a,made up,100,120,300,queries of <b>.tsv,false,42169,900,300,12.5
b,made up,100,120,300,\"pseudo-queries made from titles, headings and links\",true,80,79,80,
c,made up,100,120,300,,,,,,
";
    let mut written = vec![];
    csv::webs(&results, &mut written).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), expected);
}

#[test]
fn the_terminal_shows_workloads_and_a_table_of_search_metrics() {
    let table = terminal::table(&with_workload()).replace('\u{a0}', " ");
    for line in [
        "  a  300 queries of <b>.tsv, of 42169, of which any page answers 900",
        "  b  80 pseudo-queries made from titles, headings and links",
        "10 %             tf_idf  in_links    blend      at_10      at_10  embarrassment",
        "round-robin       0.750         -        -          -          -              -",
    ] {
        assert!(table.lines().any(|found| found == line), "{line:?} is not in\n{table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= terminal::WIDTH), "{table}");
    assert!(!terminal::table(&without_workload()).contains("tf_idf"));
}

#[test]
fn the_report_marks_pseudo_queries_and_escapes_the_names_of_files() {
    let page = html(&with_workload());
    assert!(page.contains("<td class=n>300</td><td class=n>900</td><td class=n>42169</td><td class=n>12.5</td><td>queries of &lt;b&gt;.tsv</td>"));
    assert!(page.contains(
        "<td>\u{3c}b>pseudo</b> pseudo-queries made from titles, headings and links</td>"
    ));
    assert!(page.contains("On 1 of 2\u{a0}webs they are <b>pseudo-queries</b>"));
    assert!(page.contains("relevance judged automatically"));
    assert!(html(&without_workload()).contains("Nothing was asked"));
}
