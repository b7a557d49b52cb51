//! Sanderling: an incremental web crawler that spends a budget where it keeps search results
//! freshest, and a lab that replays recorded websites to say which policy does that best.
mod cli;
mod demo;
mod failure;
mod lab;
mod live;
mod output;
mod progress;
mod serve;
mod settings;
mod written;

use std::process::ExitCode;

use clap::Parser;

use crate::{cli::Cli, failure::Failure};

fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => cli.run(),
        Err(error) if error.use_stderr() => Err(Failure::of_flags(&error)),
        // Help and version go to standard output and are no failure.
        Err(help) => output::print(help.render().to_string().trim_end()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit_code()
        }
    }
}
