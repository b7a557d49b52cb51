//! `sanderling demo`: its table agrees with its lines.
use std::fs;

use crate::common::{errors, run, text};

#[test]
fn the_first_line_of_the_result_sums_up_the_days_above() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "demo --cycles 4 --budget 60 --policy round-robin --out demo");
    assert!(output.status.success(), "{}", errors(&output));
    let printed = text(&output);
    let mut lines = printed.lines().skip_while(|line| !line.starts_with("  day visits"));
    let heads: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let column = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let (changed, gone) = (column("changed"), column("gone"));
    let (mut caught, mut fresh) = (0.0, 0.0);
    for line in lines.by_ref().take(4) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let number = |place: usize| cells[place].parse::<f64>().unwrap();
        caught += number(changed) + number(gone);
        fresh += number(cells.len() - 2) / 4.0;
    }
    let first = lines.find(|line| line.starts_with("round-robin, live")).unwrap();
    let cells: Vec<&str> = first.split_whitespace().collect();
    let shown: f64 = cells.last().unwrap().parse().unwrap();
    assert!((shown - caught).abs() < 0.5, "{shown} against {caught}: {printed}");
    assert!((cells[2].parse::<f64>().unwrap() - fresh).abs() < 0.11, "{printed}");
    assert!(printed.contains("The first line is the live crawl"), "{printed}");
    // What the crawler believes stands beside what is true, and the dashboard is named at the end.
    let day = printed.lines().find(|line| line.starts_with("    4 ")).unwrap();
    let (low, rest) = day.split_once(" (").unwrap().1.split_once(" to ").unwrap();
    let high: f64 = rest.split_once(')').unwrap().0.parse().unwrap();
    assert!(low.parse::<f64>().unwrap() <= high && high <= 100.0, "{day}");
    assert!(printed.contains("its 95 % interval held the truth"), "{printed}");
    assert!(printed.contains("# dashboard at http://127.0.0.1:8088/dashboard"), "{printed}");
}

#[test]
fn with_queries_the_demo_crawls_for_searchers_and_shows_search_quality() {
    let folder = tempfile::tempdir().unwrap();
    let demo = "demo --cycles 2 --budget 60 --out demo";
    let output = run(folder.path(), &format!("{demo} --queries"));
    assert!(output.status.success(), "{}", errors(&output));
    let printed = text(&output);
    assert!(printed.contains("value=searchers, live"), "{printed}");
    let heads = printed.lines().find(|line| line.contains("changes caught search quality"));
    assert!(heads.is_some(), "{printed}");
    let oracle = printed.lines().find(|line| line.starts_with("oracle-freshness")).unwrap();
    let quality: f64 = oracle.trim_end_matches(" %").rsplit(' ').next().unwrap().parse().unwrap();
    assert!(quality > 90.0 && quality <= 100.0, "{printed}");
    let queries = fs::read_to_string(folder.path().join("demo/queries.tsv")).unwrap();
    assert!(queries.lines().count() > 50, "{queries}");
    // The crawler had them: visits were measured, and nobody says that they were missing.
    assert!(!errors(&output).contains("no queries"), "{}", errors(&output));
    // A file of one's own, and a policy that wants queries without any.
    fs::write(folder.path().join("own.tsv"), "tide tables\t3\n").unwrap();
    let output = run(folder.path(), &format!("{demo} --queries own.tsv"));
    assert!(output.status.success(), "{}", errors(&output));
    let output = run(folder.path(), &format!("{demo} --policy user-centric"));
    assert!(errors(&output).contains("user-centric: no queries are known"), "{}", errors(&output));
    assert!(!text(&output).contains("search quality"), "{}", text(&output));
}
