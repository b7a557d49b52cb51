//! Files that version 0.1.0 wrote still work.
use std::{fs, path::PathBuf};

use crate::common::{copy, errors, run, sanderling};

fn fixtures(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn settings_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    copy(&fixtures("tests/fixtures/v1"), folder.path());
    for (file, data) in [("sanderling.toml", "sanderling-data"), ("full.toml", "harbour-data")] {
        // Every setting is checked before the folder is found missing.
        let output = run(folder.path(), &format!("status --config {file}"));
        assert!(errors(&output).starts_with(&format!("error: {data} ")), "{}", errors(&output));
    }
}

#[test]
fn an_experiment_file_gives_the_same_results() {
    let traces = fixtures("../lab/tests/fixtures/v1");
    let experiment = fixtures("tests/fixtures/v1/experiment.toml");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = sanderling(&traces)
        .env("SANDERLING_CACHE", folder.path().join("cache"))
        .args(["lab", "run", "--quiet", "--out"])
        .args([&out, &experiment])
        .output()
        .unwrap();
    assert_eq!(errors(&output), "");
    for table in ["results.csv", "cycles.csv", "webs.csv"] {
        let read = |folder: &PathBuf| fs::read_to_string(folder.join(table)).unwrap();
        assert_eq!(read(&out), read(&traces.join("growing")), "{table}");
    }
}
