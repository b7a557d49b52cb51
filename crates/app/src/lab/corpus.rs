//! `sanderling lab corpus`: makes the traces of the corpus from local clones, and checks them.
use std::path::{Path, PathBuf};

use clap::Args;
use lab::{
    corpus::{self, Corpus, Publication, Site},
    import::git::Progress,
};

use super::Cache;
use crate::{
    failure::{Failure, with_causes},
    output,
    progress::Bars,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder of the clones, each as OWNER/NAME; what is missing is printed as `git clone` commands
    #[arg(long, value_name = "DIR", required_unless_present = "list")]
    clones: Option<PathBuf>,
    /// The folder for the traces; a trace that is there and as published is left alone
    #[arg(long, value_name = "DIR", required_unless_present = "list")]
    out: Option<PathBuf>,
    /// Only these sites [default: all]
    #[arg(long = "site", value_name = "NAME", num_args = 1..)]
    sites: Vec<String>,
    /// Another manifest [default: the one built in, lab/corpus.toml]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Print the sites and stop
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    cache: Cache,
    /// Print nothing but errors and what is missing
    #[arg(long, short)]
    quiet: bool,
}

/// What came of a site.
enum Made {
    AsPublished,
    /// It has other rows, as the line says.
    Other(String),
    /// The importer cannot make it.
    Cannot(String),
    NoClone,
    /// It could not be made.
    Failed(String),
}

pub(crate) fn corpus(arguments: &Arguments) -> Result<(), Failure> {
    let corpus = read(arguments.manifest.as_deref())?;
    let sites = corpus.select(&arguments.sites)?;
    let (Some(clones), Some(out), false) = (&arguments.clones, &arguments.out, arguments.list)
    else {
        return output::print(&listed(&sites));
    };
    std::fs::create_dir_all(out)
        .map_err(|error| Failure::Input(crate::failure::file_error("made", out, &error)))?;
    let bars = Bars::new(arguments.quiet);
    let cache = arguments.cache.folder();
    let (mut as_published, mut other, mut cannot, mut failed) = (0, 0, 0, 0);
    let mut commands: Vec<String> = vec![];
    for site in &sites {
        let path = out.join(format!("{}.parquet", site.name));
        let line = match make(&corpus, site, clones, &path, &cache, &bars) {
            Made::AsPublished => {
                as_published += 1;
                "as published".to_owned()
            }
            Made::Other(how) => {
                other += 1;
                how
            }
            Made::Cannot(why) => {
                cannot += 1;
                format!("cannot be made from its repository: {why}")
            }
            Made::NoClone => {
                commands.push(corpus::clone_command(clones, site));
                continue;
            }
            Made::Failed(why) => {
                failed += 1;
                eprintln!("error: {}: {why}", site.name);
                continue;
            }
        };
        bars.clear();
        if !arguments.quiet {
            output::print(&format!("{}: {line}", site.name))?;
        }
    }
    bars.clear();
    let missing = commands.len();
    commands.sort_unstable();
    commands.dedup();
    if missing > 0 {
        let text = commands.join("\n");
        output::print(&format!("Clones of {missing} sites are missing. Make them with:\n{text}"))?;
    }
    let all = sites.len();
    let line = format!(
        "{as_published} of {all} traces are as published, {other} are not, {cannot} cannot be made, \
         {missing} have no clone, {failed} failed"
    );
    if missing + failed > 0 {
        return Err(Failure::Input(line));
    }
    if arguments.quiet { Ok(()) } else { output::print(&line) }
}

/// The manifest at `path`, or the one built in.
pub(super) fn read(path: Option<&Path>) -> Result<Corpus, Failure> {
    Ok(path.map_or_else(Corpus::built_in, Corpus::from_file)?)
}

fn make(
    corpus: &Corpus,
    site: &Site,
    clones: &Path,
    path: &Path,
    cache: &Path,
    bars: &Bars,
) -> Made {
    let is_published = |publication: &Publication| *publication == Publication::AsPublished;
    let failed = |error: &dyn std::error::Error| Made::Failed(with_causes(error));
    if path.exists() && corpus::verify(corpus, path, cache).is_ok_and(|it| is_published(&it)) {
        return Made::AsPublished;
    }
    if let Some(why) = &site.cannot {
        return Made::Cannot(why.clone());
    }
    if !corpus::clone_folder(clones, site).exists() {
        return Made::NoClone;
    }
    let what = format!("making {}", site.name);
    let made = corpus::make(site, clones, path, &mut |progress| {
        let (Progress::Commits(done, of) | Progress::Bodies(done, of)) = progress;
        bars.bar(&what, "steps", of as u64).set_position(done as u64);
    });
    if let Err(error) = made {
        return failed(&error);
    }
    match corpus::verify(corpus, path, cache) {
        Err(error) => failed(&error),
        Ok(Publication::Other { found, published }) => {
            let known = site.differs.as_ref().map(|why| format!(" ({why})"));
            Made::Other(format!(
                "made, but not as published: {} rows, {found}; published: {} rows, {published}{}",
                found.rows,
                published.rows,
                known.unwrap_or_default()
            ))
        }
        Ok(_) => Made::AsPublished,
    }
}

fn listed(sites: &[&Site]) -> String {
    let widest = sites.iter().map(|site| site.name.len()).max().unwrap_or_default();
    let line = |site: &&Site| {
        let note = site.cannot.as_ref().map(|why| format!("  cannot be made: {why}"));
        let note = note.or_else(|| site.differs.as_ref().map(|why| format!("  differs: {why}")));
        let Site { name, repository, branch, rows, .. } = site;
        let note = note.unwrap_or_default();
        format!("{name:<widest$}  {repository} {branch}, {} rows{note}", rows.rows)
    };
    sites.iter().map(line).collect::<Vec<_>>().join("\n")
}
