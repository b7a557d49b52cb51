//! Makes the trace of a site from a local clone of its repository.
use std::path::{Path, PathBuf};

use super::Site;
use crate::import::ImportError;
use crate::import::git::{self, Options, Progress, Summary};

/// The folder of a site's clone in the folder of all clones: `OWNER/NAME`, the last two parts of the
/// address. Sites of one repository share it.
pub fn clone_folder(clones: &Path, site: &Site) -> PathBuf {
    let address = site.repository.trim_end_matches('/');
    let address = address.strip_suffix(".git").unwrap_or(address);
    let mut parts: Vec<&str> =
        address.rsplit(['/', ':']).filter(|part| is_plain(part)).take(2).collect();
    parts.reverse();
    parts.iter().fold(clones.to_owned(), |folder, part| folder.join(part))
}

/// A part of an address that is safe as the name of a folder.
fn is_plain(part: &str) -> bool {
    !matches!(part, "" | "." | "..") && !part.starts_with('-')
}

/// The command that makes the clone of a site, for a shell.
pub fn clone_command(clones: &Path, site: &Site) -> String {
    let folder = clone_folder(clones, site);
    // `heads/NAME` is a way to write NAME that `git clone` does not take.
    let branch = site.branch.strip_prefix("heads/").unwrap_or(&site.branch);
    format!(
        "git clone --bare --single-branch --branch {} {} {}",
        quoted(branch),
        quoted(&site.repository),
        quoted(&folder.display().to_string())
    )
}

/// A word for a POSIX shell.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@+,=%".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Writes the trace of a site to `output`.
///
/// # Errors
/// If the clone lacks the commit, or the import fails. No file is left behind then.
pub fn make(
    site: &Site,
    clones: &Path,
    output: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, ImportError> {
    let options = Options {
        repository: clone_folder(clones, site),
        branch: Some(site.branch.clone()),
        root: site.root.clone(),
        base: site.base.clone(),
        from: Some(site.from),
        weeks: site.weeks,
        source: Some(source(&site.repository)),
        rules: site.rules.clone(),
        output: output.to_owned(),
    };
    git::import(&options, progress)
}

/// A description of the origin, short for GitHub as in the published traces.
fn source(repository: &str) -> String {
    match repository.strip_prefix("https://github.com/") {
        Some(name) => format!("github:{name}"),
        None => format!("git:{}", repository.rsplit(['/', ':']).next().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("https://e.org/a.git"), "https://e.org/a.git");
        assert_eq!(quoted("my clones/it's"), r"'my clones/it'\''s'");
        assert_eq!(quoted("$(rm)"), "'$(rm)'");
    }
}
