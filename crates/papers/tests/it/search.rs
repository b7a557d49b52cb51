//! The analyses of the paper of 2005, end to end: predictability of impact, and example pages.
use std::path::{Path, PathBuf};

use papers::{Reproduction, html, judge, markdown, terminal};

use crate::{DAY, DAY_ZERO, carried_out, figure, inputs, row, trace};

const ANALYSES: &str = r#"
paper = "pandey-2005"
detector = "shingles"

[[part]]
name = "figure-3"
title = "Halves"
figure = "Figure 3"
webs = ["sites"]
survey = "predictability"
queries = 30

[[part]]
name = "figure-5"
title = "Pages"
figure = "Figure 5"
webs = ["sites"]
survey = "examples"
queries = 30
"#;

/// 28 pages over 20 weeks. Page 0 is rewritten every week and never holds what is asked for. Page 7 is
/// the same for eight weeks, then holds the title of many others.
fn write(folder: &Path) -> PathBuf {
    let weeks = 20;
    let mut rows = vec![];
    for page in 0..28 {
        let topic = ["tide tables", "harbour seals", "boat repair", "winter storms"][page % 4];
        let text = |week: i64| match page {
            0 => (0..80).map(|n| format!("filler{week}x{n}")).collect::<Vec<_>>().join(" "),
            7 if week >= 8 => "tide tables ".repeat(30),
            _ if page % 5 == 1 => {
                format!("week {week} of {}", format!("{topic} ").repeat(1 + week as usize % 3))
            }
            _ => format!("{topic} and what else there is to say about number {page}"),
        };
        let title = if page == 0 { "Zero" } else { topic };
        let mut last = String::new();
        for week in 0..weeks {
            if text(week) == last {
                continue;
            }
            last = text(week);
            // After the start of the week, so that it is found in the next cycle.
            let at = DAY_ZERO + DAY.times(7 * week + i64::from(week > 0));
            let body = format!("<title>{title}</title><p>{last}");
            rows.push(row(&format!("http://a.example/{page:02}"), at, body));
        }
    }
    trace(folder, "site", 7 * weeks, rows)
}

fn done(folder: &Path, threads: usize) -> Reproduction {
    let inputs = inputs(folder, vec![write(folder)], false);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| carried_out(ANALYSES, &inputs))
}

#[test]
fn impact_of_both_halves_is_drawn_and_examples_have_their_text() {
    let folder = tempfile::tempdir().unwrap();
    let done = done(folder.path(), 1);
    let halves = figure(&done, "figure-3");
    assert_eq!(halves.scatters.len(), 2);
    let dots: usize = halves.scatters[0].groups.iter().map(|group| group.1.len()).sum();
    assert!((1..=28).contains(&dots), "{dots}");
    let examples = &figure(&done, "figure-5").examples;
    let needless = examples.iter().find(|example| example.says.starts_with("Visited for nothing"));
    let needless = needless.unwrap();
    assert_eq!(needless.address, "http://a.example/00");
    assert!(needless.added[0].starts_with("filler") && needless.removed[0].starts_with("filler"));
    assert!(needless.queries.is_empty());
    for example in examples.iter().filter(|example| example.says.starts_with("Found late")) {
        assert!(!example.queries.is_empty(), "{example:?}");
    }
    // Every form of the report has them.
    let judged = judge(&done);
    let page = html::html(&done, &judged, "today");
    assert!(page.contains("a.example/00") && page.contains("class=\"dots c0\""));
    assert!(!page.contains("http:"));
    assert!(markdown::page(&done, &judged, "today").contains("> Added: filler"));
    assert!(terminal::table(&done, &judged).contains("http://a.example/00"));
}

#[test]
fn analyses_are_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (one, three) = (done(folder.path(), 1), done(folder.path(), 3));
    for part in ["figure-3", "figure-5"] {
        assert_eq!(figure(&one, part), figure(&three, part));
    }
}
