//! Sanderling: an incremental web crawler with a fetch budget, and a lab that replays recorded websites
//! to compare recrawl policies.
mod cli;
mod demo;
mod describe;
mod failure;
mod lab;
mod live;
mod logging;
mod output;
mod partial_file;
mod progress;
mod raw_settings;
mod serve;
mod settings;
mod visible;

use std::process::ExitCode;

use clap::{Parser, error::ErrorKind};

use crate::{cli::Cli, failure::Failure};

fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => cli.run(),
        Err(error) if is_mistake(&error) => Err(Failure::from_clap(&error)),
        // Help and version go to standard output. So does the help of a command without its
        // subcommand, such as `sanderling` or `sanderling lab`.
        Err(help) => output::print(help.render().to_string().trim_end()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", visible::visible_line(&failure.to_string()));
            failure.exit_code()
        }
    }
}

fn is_mistake(error: &clap::Error) -> bool {
    let is_bare = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    error.use_stderr() && !is_bare
}
