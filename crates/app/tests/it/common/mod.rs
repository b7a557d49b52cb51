//! Runs the program as a user would.
pub(crate) mod accessible;
pub(crate) mod chromium;
pub(crate) mod http;
pub(crate) mod site;
pub(crate) mod tiny;

use std::{
    fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

/// The program, with its cache in a folder of its own.
pub(crate) fn sanderling(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sanderling"));
    command.current_dir(folder).env("SANDERLING_CACHE", folder.join("cache"));
    command
}

/// Runs it with these arguments, separated by blanks.
pub(crate) fn run(folder: &Path, arguments: &str) -> Output {
    sanderling(folder).args(arguments.split_whitespace()).output().expect("the program starts")
}

/// What it wrote to standard error.
pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What it wrote to standard output.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The JSON that it wrote to standard output. It must have succeeded.
pub(crate) fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", errors(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Starts the search page of `folder/data` on a free port, and reads its address.
pub(crate) fn serve(folder: &Path, flags: &str) -> (Child, SocketAddr) {
    serve_at(folder, "http", flags)
}

/// The same, with a scheme.
pub(crate) fn serve_at(folder: &Path, scheme: &str, flags: &str) -> (Child, SocketAddr) {
    let mut child = sanderling(folder)
        .args(["serve", "--data", "data", "--listen", "127.0.0.1:0"])
        .args(flags.split_whitespace())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix(&format!("Search page: {scheme}://")).unwrap();
    (child, address.trim_end_matches('/').parse().unwrap())
}

/// Copies everything in a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
