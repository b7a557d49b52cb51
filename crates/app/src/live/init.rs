//! `sanderling init`: writes a commented settings file.
use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
    path::PathBuf,
};

use clap::Args;

use crate::{
    failure::Failure,
    output,
    settings::{self, keys, values},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// URLs to start from
    #[arg(value_name = "SEEDS")]
    seeds: Vec<String>,
    /// How a site owner can reach you: a web page about your crawler, or an e-mail address
    #[arg(long, value_name = "URL|E-MAIL")]
    contact: Option<String>,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = settings::FILE)]
    config: PathBuf,
}

pub(crate) fn init(arguments: &Arguments) -> Result<(), Failure> {
    let place = |name: &str, why: String| Failure::Input(format!("{name}: {why}"));
    let contact = arguments.contact.as_deref();
    let contact =
        contact.map(values::contact).transpose().map_err(|why| place("--contact", why))?;
    let seeds = arguments.seeds.iter().map(|seed| values::seed(seed));
    let seeds: Vec<String> = seeds.collect::<Result<_, _>>().map_err(|why| place("SEEDS", why))?;
    let path = arguments.config.display();
    // Never overwrite a file: it may hold someone's settings.
    let mut file =
        OpenOptions::new().write(true).create_new(true).open(&arguments.config).map_err(
            |error| match error.kind() {
                ErrorKind::AlreadyExists => Failure::Input(format!(
                    "{path} already exists; edit it, or write another file with --config"
                )),
                _ => Failure::Input(format!("{path}: cannot be written: {error}")),
            },
        )?;
    file.write_all(keys::file(contact.as_deref(), &seeds).as_bytes())
        .map_err(|error| Failure::Internal(format!("{path}: cannot be written: {error}")))?;
    let next = match (&contact, seeds.is_empty()) {
        (None, true) => "set contact and seeds in it, then: sanderling crawl",
        (None, false) => "set contact in it, then: sanderling crawl",
        (Some(_), true) => "then: sanderling crawl URL",
        (Some(_), false) => "then: sanderling crawl",
    };
    output::print(&format!("Wrote {path}; {next}"))
}
