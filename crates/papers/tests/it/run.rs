//! A reproduction end to end: runs, verdicts, reports.
use std::{
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use lab::{tournament::Watcher, trace::Row};
use papers::{
    Follower, Inputs, Measured, Outcome, Part, Reproduction, WebKind, Work, carry_out, html, judge,
    markdown, parse, terminal,
};

use crate::{
    DAY, DAY_ZERO,
    made::{
        Case, made, plan,
        values::{analysed, as_in_2005, as_in_2007, as_in_2010},
    },
    row, trace,
};

/// Three figures of the paper of 2007 by policies that need nothing but a web.
const SMALL: &str = r#"
paper = "tan-2007"
clustered = { pages = 400, seeds = [1, 2, 3], weeks = 12 }

[[part]]
name = "figure-6"
title = "Policies <before>"
figure = "Figure 6"
note = "A note."
webs = ["together", "sites", "clustered"]
cycle = ["2w"]
budgets = [0.088]
seeds = [1, 2, 3]
metrics = ["change_ratio", "freshness"]
policies = ["RNS = random", "RR = round-robin", "Freq & co = frequency", "Ideal = oracle-changes"]

[[part]]
name = "figure-9"
title = "By cycle"
figure = "Figure 9"
webs = ["clustered"]
cycle = ["1w"]
budgets = [0.088, 0.2]
axis = "cycle"
metrics = ["change_ratio"]
policies = ["RNS = random", "DB = round-robin"]

[[part]]
name = "neighbourhoods"
title = "Near"
figure = "not in the paper"
webs = ["clustered"]
survey = "neighbourhoods"
"#;

#[derive(Default)]
struct Watched {
    parts: Mutex<Vec<(String, WebKind)>>,
    finished: AtomicUsize,
    stop_after: Option<usize>,
    stop: AtomicBool,
}

impl Watcher for Watched {
    fn reading(&self, _web: &str, _rows: u64, _of: u64) {}
    fn begin(&self, _runs: usize, _finished_before: usize) {}
    fn finished(&self, _web: &str) {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        if self.stop_after.is_some_and(|after| finished >= after) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Follower for Watched {
    fn part(&self, part: &Part, kind: WebKind) {
        self.parts.lock().unwrap().push((part.name.clone(), kind));
    }
}

fn quick(folder: &Path) -> Inputs {
    crate::inputs(folder, vec![], true)
}

/// The versions of some pages of two hosts.
fn rows() -> Vec<Row> {
    let mut rows = vec![];
    for host in ["a", "b"] {
        for page in 0..6 {
            for day in (0..56).step_by(5 + 3 * page) {
                let url = format!("http://{host}.example/{page}");
                let body = format!("<title>{page}</title><p>as of day {day}");
                rows.push(row(&url, DAY_ZERO + DAY.times(day), body));
            }
        }
    }
    rows
}

fn done(inputs: &Inputs, watched: &Watched) -> Option<Reproduction> {
    carry_out(&parse(SMALL).unwrap(), inputs, watched, &watched.stop).unwrap()
}

#[test]
fn a_quick_reproduction_on_made_up_webs_judges_every_claim() {
    let folder = tempfile::tempdir().unwrap();
    let watched = Watched::default();
    let inputs = quick(folder.path());
    let first = done(&inputs, &watched).unwrap();
    let parts = watched.parts.lock().unwrap().clone();
    let expected = [
        ("figure-6", WebKind::Together),
        ("figure-6", WebKind::Sites),
        ("figure-6", WebKind::World),
        ("figure-9", WebKind::World),
        ("neighbourhoods", WebKind::World),
    ];
    assert_eq!(parts, expected.map(|(name, kind)| (name.to_owned(), kind)));
    // Quick: one seed on two webs of 150 pages. Four policies, then two with two budgets.
    assert_eq!(watched.finished.load(Ordering::Relaxed), 2 * 4 + 2 * 2 * 2);
    let webs = &first.webs.iter().find(|(kind, _)| *kind == WebKind::World).unwrap().1;
    assert_eq!(webs.iter().map(|web| web.pages).collect::<Vec<_>>(), [150, 150]);
    let Measured::Nothing(why) = &first.measured[0][0].1 else { panic!("no traces were given") };
    assert!(why.starts_with("fewer than two traces"), "{why}");

    let judged = judge(&first);
    let ids: Vec<&str> = judged.iter().map(|one| one.claim.id).collect();
    assert_eq!(ids, ["S1", "S2", "S3", "S4", "S5", "S6", "S7"]);
    let s4 = &judged[3].by_kind.iter().find(|(kind, _)| *kind == WebKind::World).unwrap().1;
    assert!(!matches!(s4.sub_claims[0].outcome, Outcome::NotTestable(_)), "{:?}", s4.sub_claims[0]);
    assert!(matches!(judged[3].decided.outcome, Outcome::NotTestable(_)));

    papers::write(&first, &judged, "2026-11-15", &inputs.out).unwrap();
    let page = fs::read_to_string(inputs.out.join("report.html")).unwrap();
    well_formed(&page);
    for part in
        ["S1", "S7", "Policies &lt;before&gt;", "Freq &amp; co", "2026-11-15", "<b>Quick.</b>"]
    {
        assert!(page.contains(part), "{part}");
    }
    let text = fs::read_to_string(inputs.out.join("reproduce.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["claims"].as_array().unwrap().len(), 7);
    assert_eq!(document["parts"][0]["name"], "figure-6");

    // Again: nothing is left to do, and the same comes out.
    let again = Watched::default();
    let second = done(&inputs, &again).unwrap();
    assert_eq!(again.finished.load(Ordering::Relaxed), 0);
    assert_eq!(html::html(&second, &judge(&second), "2026-11-15"), page);
}

#[test]
fn a_stopped_reproduction_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = quick(folder.path());
    let watched = Watched { stop_after: Some(3), ..Watched::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(pool.install(|| done(&inputs, &watched)).is_none());
    let before = watched.finished.load(Ordering::Relaxed);
    assert!((3..16).contains(&before), "{before}");
    let rest = Watched::default();
    assert!(done(&inputs, &rest).is_some());
    assert_eq!(rest.finished.load(Ordering::Relaxed), 16 - before);
}

#[test]
fn one_part_alone_can_be_done_and_an_unknown_one_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut inputs = quick(folder.path());
    inputs.part = Some("figure-9".to_owned());
    let one = done(&inputs, &Watched::default()).unwrap();
    assert_eq!(one.plan.parts.len(), 1);
    inputs.part = Some("figure-10".to_owned());
    let plan = parse(SMALL).unwrap();
    let error =
        carry_out(&plan, &inputs, &Watched::default(), &AtomicBool::new(false)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no part \"figure-10\"; there are: figure-6, figure-9, neighbourhoods"
    );
}

#[test]
fn traces_are_used_one_by_one_and_together() {
    let folder = tempfile::tempdir().unwrap();
    let moved = rows().into_iter().map(|row| {
        let url = row.url.replace(".example/", ".example.org/");
        Row { url, ..row }
    });
    let inside = rows().into_iter().filter(|row| row.url == "http://a.example/0");
    let mut inputs = quick(folder.path());
    inputs.traces = vec![
        trace(folder.path(), "tiny", 56, rows()),
        trace(folder.path(), "moved", 56, moved.collect()),
        trace(folder.path(), "inside", 56, inside.collect()),
    ];
    inputs.part = Some("figure-6".to_owned());
    let done = done(&inputs, &Watched::default()).unwrap();
    assert_eq!(done.left_out.len(), 1);
    assert_eq!(
        (done.left_out[0].name.as_str(), done.left_out[0].inside.as_str()),
        ("inside", "tiny")
    );
    let names = |kind: WebKind| -> Vec<&str> {
        let webs = &done.webs.iter().find(|(known, _)| *known == kind).unwrap().1;
        webs.iter().map(|web| web.trace.as_str()).collect()
    };
    assert_eq!(names(WebKind::Together), ["together"]);
    assert_eq!(names(WebKind::Sites), ["moved", "tiny"]);
    let page = html::html(&done, &judge(&done), "today");
    assert!(page.contains("inside was left out: most of its pages are in tiny."));
    let Measured::Runs(results) = &done.measured[0][0].1 else { panic!("together was run") };
    assert_eq!(results[0].1.webs.len(), 1, "two sites are one repository");
}

#[test]
fn the_reports_of_whole_papers_hold_every_claim_and_figure() {
    for (id, value) in [
        ("tan-2007", as_in_2007 as fn(&Case<'_>) -> f64),
        ("tan-2010", as_in_2010),
        ("pandey-2005", as_in_2005),
    ] {
        let mut some = plan(id);
        // Drawing every figure on every kind of web takes long without optimisation.
        for part in &mut some.parts {
            part.webs.retain(|kind| *kind != WebKind::World);
            if let Work::Runs(runs) = &mut part.work {
                runs.policies.retain(|entry| entry.x.is_none_or(|x| x.abs() < 4));
            }
        }
        let done = made(some, &value, &analysed);
        let judged = judge(&done);
        let page = html::html(&done, &judged, "2026-11-15");
        well_formed(&page);
        let (text, lines) =
            (markdown::page(&done, &judged, "2026-11-15"), terminal::table(&done, &judged));
        for one in &judged {
            let claim = one.claim.id;
            assert!(page.contains(&format!("<a href=\"#{claim}\">")), "{claim}");
            assert!(text.contains(&format!("\n### {claim}. ")), "{claim}");
            assert!(lines.contains(&format!("\n{claim}  ")), "{claim}: {lines}");
        }
        for part in &done.plan.parts {
            assert!(page.contains(&format!("<section id=\"{}\">", part.name)), "{}", part.name);
            assert!(
                text.contains(&format!("\n## {}: {}\n", part.figure, part.title)),
                "{}",
                part.name
            );
        }
        assert!(lines.lines().all(|line| line.chars().count() <= 100), "{lines}");
        for part in ["<script", "http:", "https:", "NaN", "inf ", "src="] {
            assert!(!page.contains(part), "{part}");
        }
        // Tables of Markdown have as many cells in every row as in their head.
        for table in text.split("\n\n").filter(|block| block.starts_with('|')) {
            let bars = |line: &str| line.replace("\\|", "").matches('|').count();
            let mut rows = table.lines().map(bars);
            let head = rows.next().unwrap();
            assert!(rows.all(|row| row == head), "{table}");
        }
    }
}

/// Every element that is opened is closed, in order; every id is there once.
fn well_formed(page: &str) {
    const ALONE: [&str; 4] = ["!doctype", "meta", "br", "input"];
    let mut open: Vec<String> = vec![];
    let mut ids = std::collections::BTreeSet::new();
    // What a style sheet holds is no markup.
    let (before, rest) = page.split_once("<style>").unwrap();
    let after = rest.split_once("</style>").unwrap().1;
    for piece in [before, after].concat().split('<').skip(1) {
        let (tag, _) = piece.split_once('>').unwrap_or_else(|| panic!("{piece}"));
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '!')
            .collect();
        if let Some((_, id)) = tag.split_once(" id=") {
            let id = id.trim_start_matches('"');
            let id = id.split(['"', ' ']).next().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(name.as_str()), "{piece}");
        } else if !tag.ends_with('/') && !ALONE.contains(&name.to_ascii_lowercase().as_str()) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
