//! The analyses of discovery by links, end to end on a small site.
use lab::trace::Row;
use papers::{Measured, WebKind, judge};

use crate::{DAY, DAY_ZERO, carried_out, figure, inputs, trace};

/// A site of eight weeks: a new page every week, shown by a list and by the front page of its week; the
/// second page of each week is shown by the first alone. Pages "a" to "e" show nothing new.
fn blog() -> Vec<Row> {
    let row = |url: String, week: i64, links: &[String]| {
        let links: Vec<String> =
            links.iter().map(|link| format!("<a href=\"{link}\">{link}</a>")).collect();
        let body = format!("<p>{url} {week}</p>{}", links.concat());
        crate::row(&format!("http://blog.example/{url}"), DAY_ZERO + DAY.times(7 * week), body)
    };
    let post = |week: i64| format!("post-{week}.html");
    let mut rows = vec![];
    for week in 0..=8 {
        let all: Vec<String> = (1..=week).map(post).collect();
        rows.push(row("list.html".to_owned(), week, &all));
        let last: Vec<String> = all.last().cloned().into_iter().collect();
        rows.push(row(String::new(), week, &last));
        if week > 0 {
            rows.push(row(post(week), week, &[format!("more-{week}.html")]));
            rows.push(row(format!("more-{week}.html"), week, &[]));
        }
    }
    for quiet in ["a", "b", "c", "d", "e"] {
        rows.push(row(format!("{quiet}.html"), 0, &[]));
    }
    rows.sort_by(|one, other| one.url.cmp(&other.url).then(one.at.cmp(&other.at)));
    rows
}

/// The pages of the site that are there from its beginning and stay as they are, on another host.
fn quiet() -> Vec<Row> {
    let moved = |row: Row| Row { url: row.url.replace("blog", "quiet"), ..row };
    blog()
        .into_iter()
        .filter(|row| row.url.len() == "http://blog.example/a.html".len())
        .map(moved)
        .collect()
}

/// The analyses of the paper, and a few runs.
fn small_plan() -> String {
    let analysis = |(name, survey): (&str, &str)| {
        format!(
            "[[part]]\nname = \"{name}\"\ntitle = \"{name}\"\nfigure = \"{name}\"\nwebs = [\"sites\"]\n\
             survey = \"{survey}\"\n"
        )
    };
    let parts = [
        ("sites", "sites"),
        ("figure-3", "covers"),
        ("figure-4", "cover-sizes"),
        ("figure-5", "overlap"),
        ("figure-6", "overhead"),
        ("folders", "folders"),
        ("history", "history"),
        ("table-2", "algorithms"),
        ("recrawls", "recrawls"),
        ("parameters", "parameters"),
    ];
    let runs = "[[part]]\nname = \"closed-loop\"\ntitle = \"a\"\nfigure = \"a\"\nwebs = [\"sites\"]\n\
                cycle = [\"1w\"]\nbudgets = [3]\naxis = \"budget\"\npages = \"growing\"\n\
                metrics = [\"coverage\"]\npolicies = [\"RR = round-robin\", \"Cover = greedy-cover\"]\n";
    format!("paper = \"dasgupta-2007\"\n{}{runs}", parts.map(analysis).concat())
}

#[test]
fn the_analyses_say_what_a_small_site_shows() {
    let folder = tempfile::tempdir().unwrap();
    // A second site on which nothing is new is left out.
    let traces =
        vec![trace(folder.path(), "blog", 56, blog()), trace(folder.path(), "quiet", 56, quiet())];
    let made = carried_out(&small_plan(), &inputs(folder.path(), traces, false));
    let on = made.evidence(WebKind::Sites);
    let value = |part: &str, line: &str, x: f64| on.series(part, line).unwrap().at(x).unwrap();
    let sites = &figure(&made, "sites").tables[0];
    let used: Vec<(&str, &str)> =
        sites.rows.iter().map(|row| (row[0].text.as_str(), row[7].text.as_str())).collect();
    assert_eq!(used, [("blog", "yes"), ("quiet", "no: nothing is new")]);
    // One visit to the list or the front page finds both pages of a week.
    assert!((value("figure-3", "new pages covered", 1.0) - 2.0).abs() < 1e-12);
    assert!((value("figure-6", "each site by itself", 1.0) - 0.5).abs() < 1e-12);
    assert!((value("figure-4", "90 % covers of at most so many pages", 1.0) - 1.0).abs() < 1e-12);
    // The two mirrors of the site.
    assert!((value("figure-5", "all pairs", 0.975) - 1.0).abs() < 1e-12);
    assert!((value("history", "share covered", 1.0) - 1.0).abs() < 1e-12);
    for line in ["OD-1, coverage", "COV, coverage", "GREEDY, coverage", "certified bound, coverage"]
    {
        assert!((value("table-2", line, 0.0) - 1.0).abs() < 1e-12, "{line}");
    }
    // Of two mirrors CLIQ takes one, OD both.
    assert!((value("table-2", "CLIQ-1, cover size", 1.0) - 1.0).abs() < 1e-12);
    assert!((value("table-2", "OD-1, cover size", 1.0) - 2.0).abs() < 1e-12);
    assert!(value("table-2", "OD-1, overhead with recrawls", 0.0) > 1.0);
    let Measured::Runs(runs) = &made.measured.last().unwrap()[0].1 else { panic!("runs") };
    let webs: Vec<&str> = runs[0].1.webs.iter().map(|web| web.trace.as_str()).collect();
    assert_eq!(
        webs,
        used.iter().filter(|site| site.1 == "yes").map(|site| site.0).collect::<Vec<_>>()
    );
    // D3 holds here, D5 is testable nowhere.
    let judged = judge(&made);
    let outcome = |id: &str| judged.iter().find(|one| one.claim.id == id).unwrap();
    assert_eq!(outcome("D3").decided.outcome.name(), "met");
    assert_eq!(outcome("D5").decided.outcome.name(), "not testable");
}

#[test]
fn the_analyses_run_in_the_paper_s_world_with_intervals_by_seed() {
    let part = |(name, survey): (&str, &str)| {
        format!(
            "[[part]]\nname = \"{name}\"\ntitle = \"{name}\"\nfigure = \"{name}\"\nwebs = [\"world\"]\n\
             survey = \"{survey}\"\n"
        )
    };
    let parts = [
        ("figure-3", "covers"),
        ("figure-4", "cover-sizes"),
        ("figure-5", "overlap"),
        ("figure-6", "overhead"),
        ("history", "history"),
        ("table-2", "algorithms"),
    ];
    // Two sites of each of three seeds.
    let plan = format!(
        "paper = \"dasgupta-2007\"\n\
         world = {{ kind = \"discover\", pages = 3640, seeds = [1, 2, 3], weeks = 12 }}\n{}",
        parts.map(part).concat()
    );
    let folder = tempfile::tempdir().unwrap();
    let made = carried_out(&plan, &inputs(folder.path(), vec![], false));
    let on = made.evidence(WebKind::World);
    let value = |part: &str, line: &str, x: f64| on.value(part, line, x).unwrap();
    // All new pages are led to, so that knowing each week's links finds them all.
    let greedy = value("table-2", "GREEDY, coverage", 4.0);
    assert!((greedy.value - 1.0).abs() < 1e-12);
    assert!(value("table-2", "OD-WIN, coverage", 4.0).interval.is_some());
    // The less often pages are recrawled, the less is known.
    let shares = [1.0, 2.0, 4.0].map(|weeks| value("history", "share covered", weeks).value);
    assert!(shares.is_sorted_by(|more, less| more > less) && shares[2] > 0.2, "{shares:?}");
    // Lines by site have a value for each seed.
    assert_eq!(on.series("figure-5", "all pairs, near 0 or 1").unwrap().points.len(), 3);
    let judged = judge(&made);
    let d10 = judged.iter().find(|one| one.claim.id == "D10").unwrap();
    let world = d10.by_kind.iter().find(|(kind, _)| *kind == WebKind::World).unwrap();
    assert_ne!(world.1.outcome.name(), "not testable");
}
