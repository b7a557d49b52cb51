//! The report's promises: exact files, honest numbers, nothing from outside that runs.
use std::fs;

use lab::metric::{Better, METRICS};
use lab::report::stats::{self, Bootstrap, Interval, Score, Spread};
use lab::report::{self, csv, html, json, terminal};
use lab::results::{BoundRecord, Results, RunRecord, WebFacts};

/// A run whose metrics are the same in every cycle, so that aggregates are known; `visits` and
/// `changes_caught` are sums.
fn run(trace: &str, policy: &str, seed: u64, freshness: f64, change_ratio: f64) -> RunRecord {
    let cycle: Vec<Option<f64>> = METRICS
        .iter()
        .map(|metric| match metric.name {
            "freshness" => Some(freshness),
            "change_ratio" => Some(change_ratio),
            "visits" => Some(10.0),
            _ => None,
        })
        .collect();
    RunRecord {
        trace: trace.to_owned(),
        policy: policy.to_owned(),
        budget: 0.1,
        visits: 10,
        seed,
        warm_up: 1,
        cycles: vec![cycle; 3],
    }
}

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

/// Two webs, two policies and an oracle, one seed.
fn small() -> Results {
    let mut results = Results {
        settings: vec![("budgets".to_owned(), "[0.1]".to_owned())],
        webs: vec![web("a"), web("b")],
        bounds: vec![
            BoundRecord { trace: "a".into(), budget: 0.1, metric: "freshness".into(), value: 0.9 },
            BoundRecord { trace: "b".into(), budget: 0.1, metric: "freshness".into(), value: 0.8 },
        ],
        planned: 6,
        ..Results::default()
    };
    for (trace, by) in [("a", 0.25), ("b", 0.125)] {
        results.runs.push(run(trace, "round-robin", 7, 0.5, 0.25));
        results.runs.push(run(trace, "cluster", 7, 0.5 + by, 0.125));
        results.runs.push(run(trace, "oracle-freshness", 7, 0.875, 0.0625));
    }
    results
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("memory takes everything");
    String::from_utf8(out).expect("names and numbers are text")
}

#[test]
fn results_csv_is_one_row_per_run_and_metric_then_the_bounds() {
    let mut results = small();
    results.runs.truncate(2);
    results.runs[1].trace = "a, \"b\"".to_owned();
    let expected = "\
trace,policy,budget,seed,metric,value
a,round-robin,0.1,7,freshness,0.5
a,round-robin,0.1,7,change_ratio,0.25
a,round-robin,0.1,7,visits,20
\"a, \"\"b\"\"\",cluster,0.1,7,freshness,0.75
\"a, \"\"b\"\"\",cluster,0.1,7,change_ratio,0.125
\"a, \"\"b\"\"\",cluster,0.1,7,visits,20
a,upper-bound,0.1,,freshness,0.9
b,upper-bound,0.1,,freshness,0.8
";
    assert_eq!(text(|out| csv::results(&results, out)), expected);
}

#[test]
fn cycles_csv_counts_from_one_and_keeps_the_warm_up() {
    let mut results = small();
    results.runs.truncate(1);
    results.runs[0].cycles.truncate(2);
    let expected = "\
trace,policy,budget,seed,cycle,metric,value
a,round-robin,0.1,7,1,freshness,0.5
a,round-robin,0.1,7,1,change_ratio,0.25
a,round-robin,0.1,7,1,visits,10
a,round-robin,0.1,7,2,freshness,0.5
a,round-robin,0.1,7,2,change_ratio,0.25
a,round-robin,0.1,7,2,visits,10
";
    assert_eq!(text(|out| csv::cycles(&results, out)), expected);
}

#[test]
fn json_holds_values_by_name_and_null_for_what_is_not_defined() {
    let document: serde_json::Value =
        serde_json::from_str(&text(|out| json::results(&small(), out))).unwrap();
    assert_eq!(document["planned"], 6);
    assert_eq!(document["finished"], 6);
    assert_eq!(document["settings"]["budgets"], "[0.1]");
    assert_eq!(document["webs"][1]["trace"], "b");
    assert_eq!(document["bounds"][0]["value"], 0.9);
    assert_eq!(document["metrics"][3]["better"], "lower");
    let run = &document["runs"][1];
    assert_eq!(run["metrics"]["freshness"], 0.75);
    assert!(run["metrics"].get("age").is_none());
    assert_eq!(run["cycles"]["visits"], serde_json::json!([10.0, 10.0, 10.0]));
    assert_eq!(run["cycles"]["age"], serde_json::json!([null, null, null]));
}

#[test]
fn the_mean_is_over_seeds_first_and_webs_then() {
    // Web one: (1 + 3) / 2 = 2. Web two: 5. Mean of webs: 3.5; of runs it would be 3.
    let webs = [vec![(1, 1.0), (2, 3.0)], vec![(1, 5.0)]];
    let estimate = stats::estimate(&webs, &Bootstrap::new(2)).unwrap();
    assert!((estimate.mean - 3.5).abs() < 1e-12);
    // Two webs: a quarter of the draws is all the first, a quarter all the second, more than 2.5 %
    // at either end, so the interval reaches from one to the other.
    assert_eq!(estimate.spread, Spread::Sites(Interval { low: 2.0, high: 5.0 }));
}

#[test]
fn the_interval_of_four_webs_is_the_binomials() {
    // 0, 0, 0, 4: the mean of a draw is how often the last web is in it, binomial with n = 4,
    // p = 1/4. P(0) = 0.316; P(4) = 0.004 is inside the tail of 0.025; P(3 or more) = 0.051 is not.
    let interval = Bootstrap::new(4).interval(&[0.0, 0.0, 0.0, 4.0]).unwrap();
    assert_eq!(interval, Interval { low: 0.0, high: 3.0 });
}

#[test]
fn one_web_shows_its_seeds() {
    let bootstrap = Bootstrap::new(1);
    let seeds = stats::estimate(&[vec![(1, 0.5), (2, 0.25), (3, 0.75)]], &bootstrap).unwrap();
    assert_eq!(seeds.spread, Spread::Seeds(Interval { low: 0.25, high: 0.75 }));
    let single = stats::estimate(&[vec![(1, 0.5)]], &bootstrap).unwrap();
    assert_eq!(single.spread, Spread::Unknown);
    assert!(stats::estimate(&[vec![]], &bootstrap).is_none());
}

#[test]
fn differences_are_paired_by_web_and_small_ones_are_ties() {
    let ours = [vec![(1, 0.75)], vec![(1, 0.505)], vec![(1, 0.25)], vec![]];
    let theirs = [vec![(1, 0.5)], vec![(1, 0.5)], vec![(1, 0.5)], vec![(1, 0.9)]];
    let margin = stats::SHARE_MARGIN;
    let bootstrap = Bootstrap::new(3);
    let found = stats::difference(&ours, &theirs, Better::Higher, margin, &bootstrap).unwrap();
    assert_eq!(found.by_web.len(), 3);
    assert!((found.mean - 0.005 / 3.0).abs() < 1e-12);
    assert_eq!(found.score, Some(Score { wins: 1, ties: 1, losses: 1 }));
    // Deviations from the mean 0.001667: 0.248333, 0.003333, -0.251667; squares sum to 0.125017;
    // divided by 2 and by 3, the root is 0.144347; times 2.8.
    assert!((found.detectable.unwrap() - 0.404_17).abs() < 1e-4);
    let lower = stats::difference(&ours, &theirs, Better::Lower, 0.0, &bootstrap).unwrap();
    assert_eq!(lower.score, Some(Score { wins: 1, ties: 0, losses: 2 }));
}

#[test]
fn differences_on_one_web_are_paired_by_seed() {
    let ours = [vec![(1, 0.75), (2, 0.5), (3, 1.0)]];
    // Seed 3 is missing: the mean, 0.375, stands for it.
    let theirs = [vec![(1, 0.5), (2, 0.25)]];
    let found = stats::difference(&ours, &theirs, Better::Higher, 0.0, &Bootstrap::new(1)).unwrap();
    assert!((found.mean - 0.375).abs() < 1e-12);
    assert_eq!(found.spread, Spread::Seeds(Interval { low: 0.25, high: 0.625 }));
    assert_eq!((found.score, found.detectable), (None, None));
}

#[test]
fn the_terminal_table_marks_the_best_policy_and_no_oracle() {
    let expected = "\
2 policies beside 1 oracle on 2 webs, with 1 budget and up to 1 seed: 6 runs. A star marks the best
policy of a column.

budget                      freshness   weighted       change            changes
10 %             freshness       mean  freshness  age   ratio  coverage   caught  visits
-----------------------------------------------------------------------------------------
cluster              0.688*         -          -    -   0.125         -        -      20
round-robin          0.500          -          -    -   0.250*        -        -      20
upper bounds, not rivals ----------------------------------------------------------------
oracle-freshness     0.875          -          -    -   0.062         -        -      20
certified bound      0.850
With 10 % of the pages per cycle, cluster had the highest freshness: 0.688 (mean over 2 webs; 95 %
interval by site 0.625 to 0.750), 0.188 above round-robin (95 % interval by site 0.125 to 0.250).
For scale: oracle-freshness, an oracle, reached 0.875, 0.188 above; the certified bound is 0.850,
0.163 above. The highest change ratio was that of round-robin: 0.250.
";
    assert_eq!(terminal::table(&small()).replace('\u{a0}', " "), expected);
}

#[test]
fn the_terminal_table_is_never_wider_than_it_may_be() {
    let mut results = plausible(3, 14, &[0.01, 200.0], 2, 30);
    for run in results.runs.iter_mut().filter(|run| run.policy == "cover") {
        run.policy = "a-policy-with-a-name-that-is-far-longer-than-any-column-should-be\u{1b}[31m"
            .to_owned();
    }
    let table = terminal::table(&results);
    let widest = table.lines().map(|line| line.chars().count()).max();
    assert!(widest.unwrap() <= terminal::WIDTH, "{table}");
    assert!(!table.contains('\u{1b}'));
}

#[test]
fn the_html_says_what_was_found() {
    let page = html(&small());
    // cluster: (0.75 + 0.625) / 2; the differences to round robin are 0.25 and 0.125.
    for part in [
        "<b>cluster</b> had the highest freshness: 0.688 (mean over 2\u{a0}webs",
        "0.188 above <b>round-robin</b> (95\u{a0}% interval by site 0.125 to 0.250)",
        "For scale: <b>oracle-freshness</b>, an oracle, reached 0.875, 0.188 above",
        "the certified bound is 0.850, 0.163 above",
        "The highest change ratio was that of <b>round-robin</b>: 0.250",
        "budgets = [0.1]",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("class=banner"));
}

#[test]
fn an_unfinished_experiment_says_so() {
    let mut results = small();
    results.runs.truncate(4);
    results.planned = 24;
    let page = html(&results);
    assert!(page.contains("4 of 24 planned runs are done"));
    // Only web a is finished by every policy, so only it is averaged.
    assert!(page.contains("0.750 (on <b>a</b>)"));
    assert!(html(&Results { planned: 3, ..Results::default() }).contains("No run is finished yet"));
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "</title><script>alert(1)</script><img src=x onerror='a' \"&\u{0}";
    let mut results = small();
    results.webs[0].trace = hostile.to_owned();
    results.webs[0].source = hostile.to_owned();
    results.settings.push((hostile.to_owned(), hostile.to_owned()));
    for run in results.runs.iter_mut().filter(|run| run.trace == "a") {
        run.trace = hostile.to_owned();
    }
    for run in results.runs.iter_mut().filter(|run| run.policy == "cluster") {
        run.policy = hostile.to_owned();
    }
    for page in [html(&results), {
        results.webs.truncate(1);
        results.runs.retain(|run| run.trace == hostile);
        html(&results)
    }] {
        assert!(page.contains("&lt;script&gt;"));
        for part in ["<script", "<img", "onerror='", "\u{0}"] {
            assert!(!page.contains(part), "{part}");
        }
    }
}

#[test]
fn the_html_reaches_for_nothing_outside() {
    let page = html(&plausible(3, 9, &[0.02, 0.1], 2, 40));
    for part in
        ["http:", "https:", "src=", "href=", "url(h", "url(/", "@import", "<script", "<link"]
    {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.contains("default-src 'none'"));
    for part in ["NaN", "inf ", "null"] {
        assert!(!page.contains(part), "{part}");
    }
}

#[test]
fn the_same_results_are_the_same_bytes() {
    let results = plausible(4, 8, &[0.05], 2, 20);
    assert_eq!(html(&results), html(&results.clone()));
    assert_eq!(terminal::table(&results), terminal::table(&results.clone()));
}

#[test]
fn extreme_sizes_are_drawn() {
    for (webs, policies, budgets, seeds, cycles) in [
        (1, 1, &[0.1][..], 1, 1),
        (1, 3, &[1.0, 0.5, 700.0][..], 3, 2),
        (2, 15, &[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5][..], 1, 130),
    ] {
        let page = html(&plausible(webs, policies, budgets, seeds, cycles));
        assert!(!page.contains("NaN") && page.ends_with("</html>\n"));
    }
}

#[test]
fn a_report_of_eighteen_webs_stays_under_a_megabyte() {
    let page = html(&plausible(18, 14, &[0.01, 0.02, 0.05, 0.1, 0.2], 1, 120));
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

#[test]
fn write_all_leaves_four_whole_files() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("new/place");
    report::write_all(&small(), &target).unwrap();
    report::write_all(&small(), &target).unwrap();
    let mut names: Vec<String> = fs::read_dir(&target)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["cycles.csv", "report.html", "results.csv", "results.json", "webs.csv"]);
    assert_eq!(fs::read_to_string(target.join("report.html")).unwrap(), html(&small()));

    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = report::write_all(&small(), &file).unwrap_err();
    assert!(error.to_string().starts_with("cannot write "));
}

const POLICIES: &[&str] = &[
    "round-robin",
    "random",
    "cluster-sample",
    "cover",
    "change-rate",
    "known-rates",
    "oracle-freshness",
    "lambda-crawl",
    "site-sample",
    "gain-per-time",
    "directory-sample",
    "expert-mixture",
    "oracle-change-ratio",
    "link-neighbours",
    "thompson",
];

/// Results that look like real ones: webs differ much, policies little, seeds hardly.
fn plausible(webs: usize, policies: usize, budgets: &[f64], seeds: u64, cycles: usize) -> Results {
    let mut results = Results {
        settings: vec![
            ("name".into(), "\"refresh\"".into()),
            ("policies".into(), format!("{:?}", &POLICIES[..policies])),
            ("budgets".into(), format!("{budgets:?}")),
            ("seeds".into(), seeds.to_string()),
            ("warm_up".into(), (cycles / 10).to_string()),
        ],
        webs: (0..webs).map(|index| web(&format!("docs-{index:02}.example.org"))).collect(),
        planned: webs * policies * budgets.len() * seeds as usize,
        ..Results::default()
    };
    let mut noise = Noise(7);
    for index in 0..webs {
        let trace = results.webs[index].trace.clone();
        let hardness = 0.6 + 0.8 * noise.next();
        for (rank, policy) in POLICIES.iter().take(policies).enumerate() {
            let oracle = policy.starts_with("oracle") || *policy == "known-rates";
            let skill = if oracle { 0.05 } else { [0.0, -0.02, -0.03, 0.005, 0.03][rank % 5] };
            let skill = skill + rank as f64 * 0.001 + 0.02 * (noise.next() - 0.5);
            let hunt = if oracle { 0.1 } else { [0.0, -0.01, 0.15, 0.01, 0.06][rank % 5] };
            for budget in budgets {
                let share = if *budget < 1.0 { *budget } else { budget / 2000.0 };
                let reach = 1.0 - (1.0 - share).powf(9.0);
                for seed in 1..=seeds {
                    let jitter = 0.01 * (noise.next() - 0.5);
                    let cycle = |cycle: usize, noise: &mut Noise| {
                        let settled = 1.0 - 0.6 * (-(cycle as f64) / 2.0).exp();
                        let base = 1.0 - hardness * 0.4 * (1.0 - reach);
                        let fresh = (base + skill * (1.0 - reach) + jitter) * settled
                            + 0.02 * (noise.next() - 0.5);
                        let fresh = fresh.clamp(0.0, 1.0);
                        let ratio = (0.3 * (1.0 - reach) + hunt + 0.08 * (noise.next() - 0.5))
                            .clamp(0.0, 1.0);
                        let visits = (share * 2000.0).round();
                        METRICS
                            .iter()
                            .map(|metric| match metric.name {
                                "freshness" => Some(fresh),
                                "freshness_mean" => Some(fresh * 0.97),
                                "weighted_freshness" => Some((fresh * 1.02).min(1.0)),
                                "age" => Some((1.0 - fresh) * 9.0),
                                "change_ratio" => (cycle > 0).then_some(ratio),
                                "weighted_change_ratio" => Some(ratio * 3.1e-4),
                                "weighted_change_ratio_2010" => Some(6.0e-4 + ratio * 1e-4),
                                "coverage" => Some(0.93 + 0.05 * settled),
                                "changes_caught" => Some((ratio * visits).round()),
                                _ => Some(visits),
                            })
                            .collect()
                    };
                    results.runs.push(RunRecord {
                        trace: trace.clone(),
                        policy: (*policy).to_owned(),
                        budget: *budget,
                        visits: (share * 2000.0) as u32,
                        seed,
                        warm_up: cycles / 10,
                        cycles: (0..cycles).map(|number| cycle(number, &mut noise)).collect(),
                    });
                }
            }
        }
        for budget in budgets {
            let share = if *budget < 1.0 { *budget } else { budget / 2000.0 };
            let reach = 1.0 - (1.0 - share).powf(9.0);
            let value = 1.0 - hardness * 0.4 * (1.0 - reach) * 0.72;
            let metric = "freshness".to_owned();
            results.bounds.push(BoundRecord {
                trace: trace.clone(),
                budget: *budget,
                metric,
                value: value.min(1.0),
            });
        }
    }
    results
}

struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
}
