//! Killed processes: acknowledged visits are in the log exactly once, and the data folder is
//! consistent.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use crawl::{
    LogEntry, Observation, PageNo, Repository, Result, Snapshot, Time, Update, Validators,
};
use store::{Options, Store, verify};

use crate::common::{Reply, Site, day, html, on};

const FOLDER: &str = "SANDERLING_TEST_FOLDER";

/// More pages than any process visits; every second one changes every day.
fn rule(address: &str, now: Time) -> Reply {
    let number: u32 = address.rsplit('/').next().and_then(|path| path.parse().ok()).unwrap_or(0);
    let days = if number.is_multiple_of(2) { (now - day(0)).days() as i64 } else { 0 };
    let links = [on(&format!("{}", 2 * number + 1)), on(&format!("{}", 2 * number + 2))];
    Reply::Tagged(html(&format!("{number} on day {days}"), &links.each_ref().map(String::as_str)))
}

fn options() -> Options {
    Options { batch_visits: 7, warc_file_bytes: 20_000, ..Options::default() }
}

/// Prints the last acknowledged visit after each visit.
struct Reporting(Store);

impl Repository for Reporting {
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.0.held(page)
    }

    fn read_held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.0.read_held(page)
    }

    fn validators(&self, page: PageNo) -> Result<Option<Validators>> {
        self.0.validators(page)
    }

    fn append(&mut self, entry: LogEntry<'_>) -> Result<()> {
        self.0.append(entry)?;
        // The parent may have exited.
        let _ = writeln!(std::io::stdout(), "acknowledged {}", self.0.acknowledged());
        Ok(())
    }

    fn remember(&mut self, update: Update) -> Result<()> {
        self.0.remember(update)
    }

    fn replay(&self, each: &mut dyn FnMut(&Observation)) -> Result<()> {
        self.0.replay(each)
    }

    fn commit(&mut self) -> Result<()> {
        self.0.commit()
    }
}

#[test]
#[ignore = "it is the process that the other test kills"]
fn crawls_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = Store::open(Path::new(&folder), options()).unwrap();
    let mut site = Site::new(rule);
    site.reload(&store);
    let first = 1 + i64::from(
        site.pages.last_tried(PageNo(0)).map_or(0, |tried| (tried - day(0)).days() as i32),
    );
    let mut repository = Reporting(store);
    for number in first.. {
        site.try_cycle(&mut repository, number, 40).unwrap();
    }
}

#[test]
fn a_crawl_that_is_killed_again_and_again_loses_and_doubles_nothing() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    let mut told = 0;
    for visits in [1, 2, 9, 40, 23, 64, 5, 90, 17, 33, 41, 12] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::crawls_until_it_is_killed", "--ignored", "--nocapture"])
            .env(FOLDER, &folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines =
            BufReader::new(child.stdout.take().unwrap()).lines().map_while(std::result::Result::ok);
        let mut hear = |line: String| {
            let number = line.split("acknowledged ").nth(1).and_then(|number| number.parse().ok());
            told = told.max(number.unwrap_or(0));
            number.is_some()
        };
        let mut heard = 0;
        while heard < visits {
            heard += i32::from(hear(lines.next().expect("it crawls until it is killed")));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Output before the kill counts.
        for line in lines {
            hear(line);
        }
        let store = Store::open(&folder, options()).unwrap();
        assert!(store.acknowledged() >= told, "{} of {told}", store.acknowledged());
        store.finish().unwrap();
        let verified = verify(&folder).unwrap();
        assert!(verified.observations >= told);
    }
    assert!(told > 150, "{told}");
}
