//! The demo's web on loopback, for the program to crawl.
use std::{
    path::Path,
    process::{Command, Output},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use crawl::{Span, Time};
use demo::{DemoServer, DemoWeb};

const START: Time = Time::from_millis(1_767_571_200_000);

/// A served web whose time stands still until it is told to pass.
pub(crate) struct Site {
    pub(crate) server: DemoServer,
    pub(crate) web: Arc<DemoWeb>,
    days: Arc<AtomicI64>,
}

impl Site {
    pub(crate) fn new() -> Self {
        let web = Arc::new(DemoWeb::new(7, START, 60));
        let days = Arc::new(AtomicI64::new(0));
        let shown = Arc::clone(&days);
        let clock = move || START + Span::from_days(shown.load(Ordering::SeqCst));
        let server = DemoServer::start(Arc::clone(&web), Arc::new(clock)).unwrap();
        Self { server, web, days }
    }

    pub(crate) fn pass_days(&self, days: i64) {
        self.days.fetch_add(days, Ordering::SeqCst);
    }

    /// The program with the flags that a crawl of this web needs, its data in `folder/data`.
    pub(crate) fn command(&self, folder: &Path, arguments: &str) -> Command {
        let mut command = super::sanderling(folder);
        command.args(arguments.split_whitespace());
        let at = |host: &String| format!("{host}={}", self.server.address());
        let resolve: Vec<String> = self.web.hosts().iter().map(at).collect();
        command.args(["--resolve", &resolve.join(","), "--data", "data"]);
        command.args(["--delay", "0s", "--response-multiple", "0"]);
        command
    }

    pub(crate) fn run(&self, folder: &Path, arguments: &str) -> Output {
        self.command(folder, arguments).output().expect("the program starts")
    }

    /// Requests served so far.
    pub(crate) fn requests(&self) -> u64 {
        self.server.counts().iter().map(|count| count.requests).sum()
    }
}
