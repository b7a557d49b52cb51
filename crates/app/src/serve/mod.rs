//! `sanderling serve`: the search page, the dashboard and the API.
//!
//! [`server`] handles connections and their limits, [`clients`] those of one address, [`request_guard`] and
//! [`access`] check requests, [`service`] schedules answers. [`html`] and [`api`] make the answers from the
//! [`state`]. [`follower`] follows the log beside them, [`forecasting`] asks the policy for the next visits and
//! [`advising`] what more would buy, [`webhook`] sends changes.
mod access;
mod advising;
mod api;
mod archived;
mod atom;
mod body;
mod changes;
mod clients;
mod corpus;
mod difference;
mod follower;
mod following;
mod forecasting;
mod history;
mod hosts;
mod html;
mod metrics;
mod page;
mod parameters;
mod problem;
mod request_guard;
mod route;
mod server;
mod service;
mod state;
mod stream;
mod summaries;
mod tls;
mod turns;
mod webhook;
pub(crate) mod words;
mod write_timeout;

use std::{
    path::PathBuf,
    sync::{Arc, mpsc},
    thread,
};

use clap::Args;
use tracing::warn;

pub(crate) use self::{
    server::{Running, Server},
    webhook::Deliverer,
};
use crate::{
    failure::Failure,
    live::{FolderFlags, searching, stop},
    output,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where to listen; at 127.0.0.1 only this machine reaches it [default: 127.0.0.1:8088]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Other host names to answer to while only this machine reaches the page, as behind a proxy
    #[arg(long, value_name = "HOSTS")]
    listen_names: Option<String>,
    /// File with the token that others need to see anything; at 127.0.0.1 it is optional
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// Open the search page, and nothing else, to everyone who reaches the address
    #[arg(long)]
    public: bool,
    /// File with the certificates (PEM) for encrypted connections; needs --tls-key
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<String>,
    /// File with the key (PEM) of the first certificate
    #[arg(long, value_name = "FILE")]
    tls_key: Option<String>,
    /// Count queries by day, without who searched [default: yes]
    #[arg(long, value_name = "YES|NO")]
    query_log: Option<String>,
    /// Share of held pages that should be up to date, such as 95 %, for the dashboard
    #[arg(long, value_name = "SHARE")]
    freshness_target: Option<String>,
    /// Where to send changes as they are found (POST, JSON)
    #[arg(long, value_name = "URL")]
    webhook: Option<String>,
    #[command(flatten)]
    folder: FolderFlags,
}

/// Serves until a signal, which is the normal way to stop it: exit code 0.
pub(crate) fn serve(arguments: &Arguments) -> Result<(), Failure> {
    let public = arguments.public.then(|| "yes".to_owned());
    let settings = arguments.folder.settings_with(&[
        ("token_file", &arguments.token_file),
        ("public", &public),
        ("tls_cert", &arguments.tls_cert),
        ("tls_key", &arguments.tls_key),
        ("listen", &arguments.listen),
        ("listen_names", &arguments.listen_names),
        ("query_log", &arguments.query_log),
        ("freshness_target", &arguments.freshness_target),
        ("webhook", &arguments.webhook),
    ])?;
    let settings = Arc::new(settings);
    let (stop, stopped) = mpsc::channel();
    let _ = stop::on_signal(move || {
        // The receiver may be gone already.
        let _ = stop.send(());
    })?;
    let deliverer = Deliverer::start(&settings)?;
    let running = Server::start(Arc::clone(&settings))?;
    output::print(&announcement(&running))?;
    if settings.index {
        update_index(settings.data.clone());
    }
    // The sender lives as long as the process.
    let _ = stopped.recv();
    running.stop();
    drop(deliverer);
    Ok(())
}

/// Updates the index in the background. The page searches what is committed so far. A running crawl updates
/// the index itself. If this process ends early, the next one continues.
fn update_index(folder: PathBuf) {
    thread::spawn(move || {
        if let Err(failure) = searching::catch_up_unless_in_use(&folder, false) {
            warn!("the search index is not up to date: {failure}");
        }
    });
}

/// Says where the search page and the dashboard are.
pub(crate) fn announcement(running: &Running) -> String {
    let address = running.address();
    let (scheme, reach) = (running.scheme(), running.reach());
    format!("Search page: {scheme}://{address}/{reach}\nDashboard: {scheme}://{address}/dashboard")
}
