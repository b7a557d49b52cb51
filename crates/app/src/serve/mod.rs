//! `sanderling serve`: the search page and the API over what is held.
//!
//! [`server`] has connections and their limits, [`gate`] what every request passes, [`desk`] the turns in
//! which answers are made; [`html`] and [`api`] make them, out of the [`state`].
mod api;
mod desk;
mod difference;
mod following;
mod gate;
mod html;
mod metrics;
mod page;
mod parameters;
mod patience;
mod problem;
mod route;
mod server;
mod state;
mod words;

use std::{path::PathBuf, sync::mpsc, thread};

use clap::Args;

pub(crate) use self::server::{Running, Server};
use crate::{
    failure::Failure,
    live::{Reading, searching, stop},
    output,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where to listen; only this machine reaches 127.0.0.1 [default: 127.0.0.1:8088]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Other host names to answer to while only this machine reaches it, as behind a proxy
    #[arg(long, value_name = "HOSTS")]
    listen_names: Option<String>,
    /// Whether queries are counted by day, without who asked [default: yes]
    #[arg(long, value_name = "YES|NO")]
    query_log: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

/// Serves until a signal, which is its way to end: exit code 0.
pub(crate) fn serve(arguments: &Arguments) -> Result<(), Failure> {
    let settings = arguments.reading.settings_with(&[
        ("listen", &arguments.listen),
        ("listen_names", &arguments.listen_names),
        ("query_log", &arguments.query_log),
    ])?;
    let (stop, stopped) = mpsc::channel();
    let _ = stop::on_signal(move || {
        // Whoever waits may have gone already.
        let _ = stop.send(());
    })?;
    let running = Server::start(&settings.data, settings.serve)?;
    output::print(&opened(&running))?;
    if settings.index {
        mend_index(settings.data);
    }
    // Ends also when the sender is gone, which it never is before the process.
    let _ = stopped.recv();
    running.stop();
    Ok(())
}

/// Brings the index up beside the page, which finds what was committed so far. Where a crawl runs, that
/// does it; where this process ends before it is done, the next goes on.
fn mend_index(folder: PathBuf) {
    thread::spawn(move || {
        if let Err(failure) = searching::bring_up_unless_in_use(&folder, false) {
            eprintln!("the search index is not up to date: {failure}");
        }
    });
}

/// The one line that says where the search page is.
pub(crate) fn opened(running: &Running) -> String {
    let address = running.address();
    let reach = if address.ip().is_loopback() {
        ""
    } else {
        " (anyone who reaches this address can search)"
    };
    format!("Search page: http://{address}/{reach}")
}
