//! Tournaments: what is finished is kept, what is wrong is said before anything is written.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use lab::{
    results::{Results, RunRecord},
    synthetic::{Kind, Spec},
    tournament::{Contender, Experiment, PageSet, Start, TournamentError, WebSource, hold},
};

use crate::common::{
    Quiet,
    held::{Counter, Lab},
    tiny,
};

#[test]
fn a_finished_run_is_not_done_again() {
    let lab = Lab::new();
    let experiment = lab.experiment();
    assert_eq!(lab.counted(&experiment, "out"), (16, 0, 16));
    let tables = lab.tables("out");
    assert_eq!(lab.counted(&experiment, "out"), (16, 16, 0));
    assert!(lab.tables("out") == tables);
}

#[test]
fn more_policies_budgets_or_seeds_leave_the_finished_runs_alone() {
    let lab = Lab::new();
    let few = Experiment { budgets: vec![2.0], seeds: vec![1], ..lab.experiment() };
    assert_eq!(lab.counted(&few, "out"), (4, 0, 4));
    assert_eq!(lab.counted(&lab.experiment(), "out"), (16, 4, 12));
    lab.hold(&lab.experiment(), "fresh");
    assert!(lab.tables("out") == lab.tables("fresh"));
}

#[test]
fn a_policy_with_parameters_is_known_by_its_canonical_text() {
    let lab = Lab::new();
    let with = |words: &[&str]| Experiment {
        budgets: vec![2.0],
        seeds: vec![1],
        policies: words.iter().map(|word| word.parse().unwrap()).collect(),
        ..lab.experiment()
    };
    let written = with(&["link-sample:chance=history:d=1", "link-sample:d=3"]);
    let results = lab.hold(&written, "out");
    let names: Vec<&str> = results.runs.iter().map(|run| run.policy.as_str()).collect();
    assert_eq!(names, ["link-sample:d=1:chance=history", "link-sample"]);
    let canonical = with(&["link-sample", "link-sample:d=1:chance=history", "link-sample:d=1"]);
    assert_eq!(lab.counted(&canonical, "out"), (3, 2, 1));
}

#[test]
fn a_torn_last_line_is_left_out_and_its_run_done_again() {
    let lab = Lab::new();
    let experiment = lab.experiment();
    lab.hold(&experiment, "out");
    let tables = lab.tables("out");
    // Torn inside the line, after its first byte, and just before its end.
    for torn in [20, 400, 1] {
        let mut journal = fs::read(lab.journal("out")).unwrap();
        let line = journal[..journal.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap();
        journal.truncate((journal.len() - torn).max(line + 2));
        fs::write(lab.journal("out"), &journal).unwrap();
        let again = usize::from(torn > 1);
        assert_eq!(lab.counted(&experiment, "out"), (16, 16 - again, again));
        assert_eq!(lab.counted(&experiment, "out"), (16, 16, 0));
        assert!(lab.tables("out") == tables);
    }
}

#[test]
fn what_is_written_after_a_lost_line_end_can_be_read_again() {
    let lab = Lab::new();
    let few = Experiment { budgets: vec![2.0], ..lab.experiment() };
    lab.hold(&few, "out");
    let mut journal = fs::read(lab.journal("out")).unwrap();
    journal.pop();
    fs::write(lab.journal("out"), &journal).unwrap();
    assert_eq!(lab.counted(&lab.experiment(), "out"), (16, 8, 8));
    assert_eq!(lab.counted(&lab.experiment(), "out"), (16, 16, 0));
}

#[test]
fn opening_a_mended_journal_leaves_it_as_it_is() {
    let lab = Lab::new();
    lab.hold(&lab.experiment(), "out");
    let mut journal = fs::read(lab.journal("out")).unwrap();
    journal.truncate(journal.len() - 20);
    fs::write(lab.journal("out"), &journal).unwrap();
    lab.hold(&lab.experiment(), "out");
    let mended = fs::read(lab.journal("out")).unwrap();
    lab.hold(&lab.experiment(), "out");
    assert!(fs::read(lab.journal("out")).unwrap() == mended);
}

#[test]
fn other_experiments_in_the_same_folder_do_not_mix() {
    let lab = Lab::new();
    let first = lab.experiment();
    lab.hold(&first, "out");
    let tables = lab.tables("out");
    let seed_url = "http://a.example/".to_owned();
    let others = [
        Experiment { detector: "bytes".into(), ..first.clone() },
        Experiment { pages: PageSet::Growing, ..first.clone() },
        Experiment { start: Start::Empty(vec![seed_url]), ..first.clone() },
        Experiment { cycles: Some(5), ..first.clone() },
        Experiment { cycle: tiny::WEEK.times(2), ..first.clone() },
    ];
    for (number, other) in others.iter().enumerate() {
        assert_eq!(lab.counted(other, "out"), (16, 0, 16));
        let fresh = format!("fresh {number}");
        lab.hold(other, &fresh);
        assert!(lab.tables("out") == lab.tables(&fresh));
    }
    assert_eq!(lab.counted(&first, "out"), (16, 16, 0));
    assert!(lab.tables("out") == tables);
}

#[test]
fn another_warm_up_measures_the_same_runs_anew() {
    let lab = Lab::new();
    lab.hold(&lab.experiment(), "out");
    let warm = Experiment { warm_up: 3, ..lab.experiment() };
    assert_eq!(lab.counted(&warm, "out"), (16, 16, 0));
    lab.hold(&warm, "fresh");
    assert!(lab.tables("out") == lab.tables("fresh"));
}

#[test]
fn a_trace_with_a_new_name_keeps_its_runs_and_takes_its_name() {
    let lab = Lab::new();
    lab.hold(&lab.experiment(), "out");
    let renamed = lab.path("renamed.parquet");
    fs::rename(&lab.trace, &renamed).unwrap();
    let experiment = Experiment { webs: vec![WebSource::Trace(renamed)], ..lab.experiment() };
    assert_eq!(lab.counted(&experiment, "out"), (16, 16, 0));
    let results = lab.hold(&experiment, "out");
    assert!(results.runs.iter().all(|run| run.trace == "renamed"));
    assert!(results.bounds.iter().all(|bound| bound.trace == "renamed"));
}

#[test]
fn a_stopped_tournament_has_its_finished_runs_in_the_tables_and_goes_on_later() {
    let lab = Lab::new();
    let experiment = lab.experiment();
    lab.hold(&experiment, "whole");
    let counter = Counter { stop_after: Some(3), ..Counter::default() };
    // One thread, so that nothing is under way when the flag is raised but the one run.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let results = pool.install(|| {
        hold(&experiment, &lab.path("out"), &lab.path("cache"), &counter, &counter.stop).unwrap()
    });
    let done = counter.finished.load(Ordering::Relaxed);
    assert!((3..16).contains(&done), "{done}");
    assert_eq!((results.runs.len(), results.planned), (done, 16));
    let lines = fs::read_to_string(lab.path("out").join("cycles.csv")).unwrap();
    assert!(lines.lines().count() > done * 8, "the tables hold what is finished");
    assert_eq!(lab.counted(&experiment, "out"), (16, done, 16 - done));
    assert!(lab.tables("out") == lab.tables("whole"));
}

#[test]
fn a_stopped_tournament_shows_also_what_was_finished_before_on_webs_it_did_not_come_to() {
    let lab = Lab::new();
    let spec = Spec { kind: Kind::Bursty, pages: 30, seed: 1, weeks: 8 };
    let webs = vec![WebSource::Trace(lab.trace.clone()), WebSource::Synthetic(spec)];
    let all = Experiment { webs, ..lab.experiment() };
    let one = Experiment { policies: vec!["round-robin".parse().unwrap()], ..all.clone() };
    lab.hold(&one, "out");
    let counter = Counter { stop_after: Some(1), ..Counter::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let results = pool.install(|| {
        hold(&all, &lab.path("out"), &lab.path("cache"), &counter, &counter.stop).unwrap()
    });
    let on_the_second = results.runs.iter().filter(|run| run.trace == spec.name());
    assert_eq!(on_the_second.count(), 4, "two budgets and two seeds");
    assert_eq!(results.webs.len(), 2);
}

#[test]
fn a_tournament_stopped_while_it_reads_still_says_how_many_runs_were_meant() {
    let lab = Lab::new();
    let stop = AtomicBool::new(true);
    let results =
        hold(&lab.experiment(), &lab.path("out"), &lab.path("cache"), &Quiet, &stop).unwrap();
    assert_eq!((results.runs.len(), results.planned), (0, 16));
}

#[test]
fn the_order_of_traces_changes_no_number() {
    let lab = Lab::new();
    let other = lab.path("other.parquet");
    tiny::write_rows(
        &other,
        tiny::rows().into_iter().filter(|row| !row.url.contains("flip")).collect(),
    );
    let synthetic = Spec { kind: Kind::Bursty, pages: 30, seed: 1, weeks: 8 };
    let mut webs = vec![
        WebSource::Trace(lab.trace.clone()),
        WebSource::Trace(other),
        WebSource::Synthetic(synthetic),
    ];
    let forwards = Experiment { webs: webs.clone(), ..lab.experiment() };
    webs.reverse();
    let backwards = Experiment { webs, ..lab.experiment() };
    let sorted = |mut runs: Vec<RunRecord>| {
        // Stable: within a web the order is that of the experiment.
        runs.sort_by(|a, b| a.trace.cmp(&b.trace));
        runs
    };
    let (one, two) = (lab.hold(&forwards, "forwards"), lab.hold(&backwards, "backwards"));
    let names = |results: &Results| -> Vec<String> {
        results.webs.iter().map(|web| web.trace.clone()).collect()
    };
    assert_eq!(names(&one), ["tiny", "other", "bursty-30-1-8w"]);
    assert_eq!(names(&two), ["bursty-30-1-8w", "other", "tiny"]);
    assert_eq!(sorted(one.runs), sorted(two.runs));
}

/// Why an experiment cannot be held; its folder must not have been touched.
fn refused(lab: &Lab, experiment: &Experiment) -> String {
    let error = lab.try_hold(experiment, "refused").unwrap_err();
    assert!(!lab.path("refused").exists(), "{error}, but the folder is there");
    error.to_string()
}

#[test]
fn an_experiment_that_does_not_fit_is_refused_before_anything_is_written() {
    let lab = Lab::new();
    let fits = lab.experiment();
    let synthetic = |kind| WebSource::Synthetic(Spec { kind, pages: 20, seed: 1, weeks: 8 });
    let copy = lab.path("folder").join("tiny.parquet");
    fs::create_dir(lab.path("folder")).unwrap();
    fs::copy(&lab.trace, &copy).unwrap();
    let nowhere = "http://a.example/nowhere".to_owned();
    for (experiment, why) in [
        (
            Experiment { cycles: Some(9), ..fits.clone() },
            "tiny: covers 56.0 days, too short for 9 cycles of 7 days",
        ),
        (
            Experiment { cycle: tiny::WEEK.times(9), ..fits.clone() },
            "tiny: covers 56.0 days, too short for 1 cycle of 63 days",
        ),
        (
            Experiment { warm_up: 8, ..fits.clone() },
            "tiny: has 8 cycles, so warm_up must be less than that",
        ),
        (
            Experiment {
                webs: vec![WebSource::Trace(lab.trace.clone()), WebSource::Trace(copy)],
                ..fits.clone()
            },
            "two webs are called \"tiny\"; rename one of the files",
        ),
        (
            Experiment {
                policies: vec![Contender::parse("round-robin").unwrap(), Contender::KnownRates],
                ..fits.clone()
            },
            "tiny: known-rates needs a synthetic web of kind poisson or clustered",
        ),
        (
            Experiment {
                webs: vec![synthetic(Kind::Poisson), synthetic(Kind::Drift)],
                policies: vec![Contender::KnownRates],
                ..fits.clone()
            },
            "drift-20-1-8w: known-rates needs a synthetic web of kind poisson or clustered",
        ),
        (
            Experiment { start: Start::Empty(vec![nowhere]), ..fits.clone() },
            "tiny: none of the seed_urls is a page of it (http://a.example/nowhere)",
        ),
        (
            Experiment {
                webs: vec![WebSource::Trace(lab.trace.clone()), synthetic(Kind::Hubs)],
                start: Start::Empty(vec!["http://a.example/".into()]),
                ..fits.clone()
            },
            "hubs-20-1-8w: none of the seed_urls is a page of it (http://a.example/)",
        ),
        (Experiment { detector: "sha".into(), ..fits.clone() }, "no detector is called \"sha\""),
    ] {
        assert_eq!(refused(&lab, &experiment), why);
    }
    for (text, why) in [
        ("best", "no policy is called \"best\""),
        (
            "link-sample:d=99",
            "link-sample: d cannot be \"99\"; it is a whole number from -20 to 20",
        ),
    ] {
        assert_eq!(Contender::parse(text).unwrap_err().to_string(), why);
    }
}

#[test]
fn a_trace_that_is_missing_is_named() {
    let lab = Lab::new();
    let missing = lab.path("missing.parquet");
    let experiment = Experiment { webs: vec![WebSource::Trace(missing)], ..lab.experiment() };
    assert!(refused(&lab, &experiment).contains("missing.parquet"));
}

/// The only file in the cache with this ending.
fn cached(lab: &Lab, ending: &str) -> PathBuf {
    let files = fs::read_dir(lab.path("cache")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|it| it == ending)).collect();
    assert_eq!(files.len(), 1);
    files.remove(0)
}

#[test]
fn a_damaged_or_lost_cache_file_is_made_again() {
    let lab = Lab::new();
    let experiment = Experiment { detector: "shingles-exact".into(), ..lab.experiment() };
    lab.hold(&experiment, "whole");
    let flip = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    let cut = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    };
    let lose = |path: &Path| fs::remove_file(path).unwrap();
    let damages = [
        ("readings", &flip as &dyn Fn(&Path)),
        ("readings", &cut),
        ("readings", &lose),
        ("texts", &cut),
        ("texts", &lose),
    ];
    for (number, (file, damage)) in damages.into_iter().enumerate() {
        let whole = fs::read(cached(&lab, file)).unwrap();
        damage(&cached(&lab, file));
        let out = number.to_string();
        lab.hold(&experiment, &out);
        assert!(lab.tables(&out) == lab.tables("whole"));
        assert!(fs::read(cached(&lab, file)).unwrap() == whole, "{file} is not as it was");
    }
}

#[test]
fn a_trace_is_read_once() {
    let lab = Lab::new();
    let counter = Counter::default();
    let (cache, experiment) = (lab.path("cache"), lab.experiment());
    hold(&experiment, &lab.path("one"), &cache, &counter, &counter.stop).unwrap();
    let rows_read = counter.rows_read.load(Ordering::Relaxed);
    assert!(rows_read > 0);
    hold(&experiment, &lab.path("two"), &cache, &counter, &counter.stop).unwrap();
    assert_eq!(counter.rows_read.load(Ordering::Relaxed), rows_read);
}

#[test]
fn a_text_that_is_not_what_was_written_is_an_error_not_a_change() {
    let lab = Lab::new();
    let experiment = Experiment { detector: "shingles-exact".into(), ..lab.experiment() };
    lab.hold(&experiment, "whole");
    let texts = cached(&lab, "texts");
    let whole = fs::read(&texts).unwrap();
    // The first page's frame, at the end of its text.
    for place in [30, 40, 50, 60] {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x20;
        fs::write(&texts, bytes).unwrap();
        let held = lab.try_hold(&experiment, "out").map(|results| results.runs.len());
        assert!(matches!(held, Err(TournamentError::Texts { .. })), "{place}: {held:?}");
    }
}
