//! `sanderling lab import git`: a trace from a repository that holds a published website.
use std::path::PathBuf;

use clap::Args;
use lab::import::git::{self, Options, Progress, Rules, Summary};

use crate::{failure::Failure, output, progress::Bars};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The repository, bare or not
    #[arg(value_name = "REPO")]
    repository: PathBuf,
    /// The branch that holds the published site [default: the one checked out]
    #[arg(long)]
    branch: Option<String>,
    /// The folder in the repository that is the root of the site
    #[arg(long, value_name = "DIR", default_value = "")]
    root: String,
    /// The URL of the root of the site, such as <https://docs.example.org/>
    #[arg(long, value_name = "URL")]
    base: String,
    /// Start of the window: a date or an RFC 3339 time [default: --weeks before the last commit]
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Length of the window
    #[arg(long, value_name = "N", default_value_t = 52, value_parser = clap::value_parser!(u32).range(1..=5_200))]
    weeks: u32,
    /// A description of the source [default: the name of the repository]
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    /// The trace file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn git(arguments: &Arguments) -> Result<(), Failure> {
    let options = Options {
        repository: arguments.repository.clone(),
        branch: arguments.branch.clone(),
        root: arguments.root.clone(),
        base: arguments.base.clone(),
        from: arguments.from.as_deref().map(git::instant).transpose()?,
        weeks: arguments.weeks,
        source: arguments.source.clone(),
        rules: Rules::default(),
        output: arguments.output.clone(),
    };
    let bars = Bars::new(arguments.quiet);
    let summary = git::import(&options, &mut |progress| match progress {
        Progress::Commits(done, of) => {
            bars.bar("comparing", "commits", of as u64).set_position(done as u64);
        }
        Progress::Bodies(done, of) => {
            bars.bar("writing", "versions", of as u64).set_position(done as u64);
        }
    })?;
    bars.clear();
    if arguments.quiet {
        return Ok(());
    }
    output::print(&format!("{}\nTrace: {}", described(&summary), arguments.output.display()))
}

fn described(summary: &Summary) -> String {
    let mut lines = vec![format!(
        "{} commits in the window: {} pages, {} versions ({:.1} MB), {} disappearances",
        summary.commits,
        summary.pages,
        summary.versions,
        summary.bytes as f64 / 1e6,
        summary.vanished
    )];
    if summary.dropped > 0 {
        let dropped = summary.dropped;
        lines.push(format!("{dropped} commits were skipped because their times run backwards"));
    }
    if summary.too_large > 0 {
        let pages = summary.too_large;
        lines.push(format!("{pages} pages were skipped: a version is above 1 MiB"));
    }
    lines.join("\n")
}
