//! Real pages for benchmarks, from the folder in `SANDERLING_BENCH_HTML`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads its pages from disk")]

/// The environment variable that names the folder.
const FOLDER: &str = "SANDERLING_BENCH_HTML";

/// Runs the benchmarks, if there is a folder.
pub(crate) fn run() {
    if std::env::var_os(FOLDER).is_none() {
        println!("set {FOLDER} to a folder of .html files");
        return;
    }
    divan::main();
}

/// The `.html` files in the folder, in order of name.
pub(crate) fn pages() -> Vec<Vec<u8>> {
    let folder = std::env::var_os(FOLDER).expect("run has checked it");
    let entries = std::fs::read_dir(&folder).expect("the folder can be listed");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("the page can be read")).collect()
}
