//! Writes the ground truth as a trace, which the lab replays.
use std::path::Path;

use crawl::Time;
use lab::history::Window;
use lab::trace::{Row, TraceError, TraceWriter};

use crate::history::PageHistory;
use crate::web::DemoWeb;

impl DemoWeb {
    /// Writes what happens in `window` as a trace at `path`; returns the number of rows.
    ///
    /// A trace has pages and missing pages: an address that turns into a
    /// redirect is missing (404) from then on, and one that is always a redirect is left out.
    /// So are pages that robots.txt disallows, because no crawler sees them.
    ///
    /// # Errors
    /// If the window is empty or the file cannot be written.
    pub fn write_trace(&self, path: &Path, window: (Time, Time)) -> Result<u64, TraceError> {
        let window = Window { start: window.0, end: window.1 };
        let source = "the made-up web of sanderling demo";
        let metadata = [("demo.seed", self.seed().to_string())];
        let mut writer = TraceWriter::create(path, window, source, &metadata)?;
        let mut count = 0;
        for history in self.history().filter(|history| !history.is_private()) {
            for row in rows(&history, window) {
                writer.write(row)?;
                count += 1;
            }
        }
        writer.finish()?;
        Ok(count)
    }
}

/// The rows of one address: the version at the start of the window, and those after it.
fn rows(history: &PageHistory<'_>, window: Window) -> impl Iterator<Item = Row> {
    let mut versions =
        history.versions().take_while(move |version| version.at <= window.end).peekable();
    let mut is_there = false;
    std::iter::from_fn(move || {
        loop {
            let version = versions.next()?;
            if versions.peek().is_some_and(|next| next.at <= window.start) {
                continue;
            }
            let there = version.status == 200;
            if !there && !is_there {
                continue;
            }
            is_there = there;
            return Some(Row {
                url: history.address().to_owned(),
                at: version.at,
                status: if (300..400).contains(&version.status) { 404 } else { version.status },
                mime: version.mime.essence().to_owned(),
                body: there.then(|| version.body.to_vec()),
            });
        }
    })
}
