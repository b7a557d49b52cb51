//! The benchmark: its rules, and that anyone's policy can take part.
use crawl::{Budget, Known, Plan, Policy, Reason, Visit};
use lab::{
    bench::{self, Entrant, Gap, Protocol, Scores},
    synthetic::{Kind, Spec},
    tournament::{Unwatched, WebSource},
};

fn web(kind: Kind, pages: usize, weeks: u32) -> WebSource {
    WebSource::Synthetic(Spec { kind, pages, seed: 1, weeks })
}

fn run(webs: &[WebSource], entrants: &[Entrant]) -> Scores {
    let cache = tempfile::tempdir().unwrap();
    Protocol::V1.run(webs, entrants, cache.path(), &Unwatched).unwrap()
}

/// A policy that is not part of the project: it never visits anything but the first pages.
#[derive(Clone)]
struct Stubborn;

impl Policy for Stubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }

    fn plan(&mut self, known: &Known<'_>, budget: Budget) -> Plan {
        let visit = |page| Visit { page, score: 0.0, reason: Reason::Refresh };
        Plan(known.due().take(budget.0 as usize).map(visit).collect())
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

#[test]
fn a_policy_of_someone_else_stands_beside_ours() {
    let webs = [web(Kind::Poisson, 80, 52), web(Kind::Bursty, 90, 53)];
    let entrants =
        || [Entrant::parse("round-robin").unwrap(), Entrant::new("stubborn", Box::new(Stubborn))];
    let scores = run(&webs, &entrants());
    assert_eq!(scores.policies, ["round-robin", "stubborn"]);
    assert_eq!(scores.tables.len(), 8);
    for table in &scores.tables {
        assert_eq!(table.outcomes.len(), 2, "{} {}", table.detector, table.budget);
        let gap = Gap::new(table.outcomes.iter().collect()).unwrap();
        let (ours, theirs) = (gap.closed(0), gap.closed(1));
        assert_eq!((ours.share, ours.above, ours.below), (Some(0.0), 0, 0));
        assert!(theirs.share.unwrap() < 0.0, "never visiting most pages is worse");
        assert!(gap.oracle() <= gap.bound());
    }
    // The same numbers whatever the order of the webs, and in every run.
    let [one, other] = webs;
    assert_eq!(run(&[other, one], &entrants()), scores);
}

#[test]
fn sites_that_do_not_fit_the_protocol_are_left_out_with_the_reason() {
    let webs = [web(Kind::Poisson, 20, 52), web(Kind::Poisson, 70, 30), web(Kind::Poisson, 80, 52)];
    let scores = run(&webs, &[Entrant::parse("round-robin").unwrap()]);
    let printed = bench::table(&scores);
    assert!(printed.contains("version 1: 1 sites, 52 cycles of 7 days"), "{printed}");
    let left_out: Vec<&str> =
        printed.lines().filter(|line| line.starts_with("Left out: ")).collect();
    assert_eq!(left_out.len(), 2, "{printed}");
    assert!(left_out.iter().any(|line| line.contains("fewer than 60")), "{printed}");
    assert!(left_out.iter().any(|line| line.contains("too short for 52 cycles")), "{printed}");
}

#[test]
fn the_table_the_json_and_the_csv_have_the_same_values() {
    let webs = [web(Kind::Poisson, 80, 52), web(Kind::Bursty, 90, 52)];
    let names = ["freshness-index", "user-centric"];
    let entrants = names.map(|name| Entrant::parse(name).unwrap());
    let scores = run(&webs, &entrants);
    let json = bench::json(&scores);
    let table = &json["tables"][1];
    assert_eq!(
        (table["detector"].as_str(), table["budget"].as_f64()),
        (Some("digest"), Some(0.05))
    );
    let mean = table["policies"][0]["mean"].as_f64().unwrap();
    let csv = bench::csv(&scores);
    let values: Vec<f64> = csv
        .lines()
        .filter(|line| line.starts_with("1,digest,0.05,") && line.contains(",freshness-index,"))
        .map(|line| line.rsplit(',').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(values.len(), 2);
    assert!((values.iter().sum::<f64>() / 2.0 - mean).abs() < 1e-12);
    assert!(csv.contains(",round-robin,freshness,") && csv.contains(",upper-bound,freshness,"));
    let printed = bench::table(&scores);
    assert!(printed.contains(&format!("{mean:.4}")), "{printed}");
    // A policy that needs queries is not silently run without them.
    assert!(printed.contains("Note: user-centric uses the impact of visits"), "{printed}");
    assert!(Entrant::parse("oracle-freshness").is_err(), "an oracle is no entrant");
}
