//! The publications of a branch: its first-parent history, limited to a window.
use crawl::Time;
use jiff::Timestamp;

use super::super::ImportError;
use super::program::Git;
use crate::history::Window;

/// The number of names in an error's hint.
const NAMES_IN_HINT: usize = 8;

/// Ends the options: the next argument is never read as one.
const OPTIONS_END: &str = "--end-of-options";

/// One publication of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commit {
    /// Its id in hexadecimal.
    pub(super) id: String,
    /// Its committer time.
    pub(super) at: Time,
}

/// The id of the newest commit of `branch`, or of the checked-out commit.
///
/// Local branches have priority, then branches of `origin` (a fresh clone has only one local
/// branch), then any other meaning of the name, such as a tag.
pub(super) fn tip(git: &Git, branch: Option<&str>) -> Result<String, ImportError> {
    let names = match branch {
        None => vec!["HEAD".to_owned()],
        // Git refuses such branch names, and older versions read them as options.
        Some(branch) if branch.starts_with('-') || branch.is_empty() => Vec::new(),
        Some(branch) => ["refs/heads/", "refs/remotes/origin/", ""]
            .map(|folder| format!("{folder}{branch}"))
            .to_vec(),
    };
    for name in names {
        let commit = format!("{name}^{{commit}}");
        let answer = match git.text(&["rev-parse", "--verify", "--quiet", OPTIONS_END, &commit]) {
            Err(ImportError::Git { .. }) => String::new(),
            answer => answer?,
        };
        // Git before 2.30 repeats the end-of-options marker.
        if let Some(id) = answer.lines().rfind(|line| is_id(line.as_bytes())) {
            return Ok(id.to_owned());
        }
    }
    let all = ["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes"];
    let known = git.text(&all)?;
    let path = git.path().to_owned();
    if known.trim().is_empty() {
        return Err(ImportError::NoCommits { path });
    }
    let branch = branch.unwrap_or("HEAD").to_owned();
    Err(ImportError::NoBranch { path, branch, known: listed(known.lines()) })
}

/// The full id of a commit that the repository has.
pub(super) fn commit(git: &Git, commit: &str) -> Result<String, ImportError> {
    let missing =
        || ImportError::NoCommit { path: git.path().to_owned(), commit: commit.to_owned() };
    if !is_id(commit.as_bytes()) {
        return Err(missing());
    }
    let name = format!("{commit}^{{commit}}");
    match git.text(&["rev-parse", "--verify", "--quiet", OPTIONS_END, &name]) {
        Err(ImportError::Git { .. }) => Err(missing()),
        Err(error) => Err(error),
        Ok(answer) => {
            let id = answer.lines().rfind(|line| is_id(line.as_bytes()));
            id.map(str::to_owned).ok_or_else(missing)
        }
    }
}

/// All commits of the first-parent history up to `tip`, oldest first.
pub(super) fn commits(git: &Git, tip: &str) -> Result<Vec<Commit>, ImportError> {
    let arguments = ["rev-list", "--first-parent", "--reverse", "--timestamp", tip, "--"];
    let text = git.text(&arguments)?;
    text.lines()
        .map(|line| {
            let parts = line.split_once(' ').filter(|(_, id)| is_id(id.as_bytes()));
            let (seconds, id) = parts.ok_or_else(|| git.odd(&arguments, line.as_bytes()))?;
            // A time beyond every date becomes the largest time, so the commit is dropped.
            let seconds = seconds.parse().unwrap_or(i64::MAX);
            let at = Time::from_millis(seconds.saturating_mul(1000));
            Ok(Commit { id: id.to_owned(), at })
        })
        .collect()
}

/// The longest subsequence of commits whose times never run backwards.
///
/// Committer clocks can be wrong, and rebased histories have old times. As few commits as possible
/// are dropped, so that a single time far in the future does not hide all later commits. The
/// changes of a dropped commit appear with the next commit that is kept.
pub(super) fn in_order(commits: Vec<Commit>) -> Vec<Commit> {
    // For each length, the kept commit with the earliest time that ends a run of this length.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; commits.len()];
    for (index, commit) in commits.iter().enumerate() {
        if Timestamp::from_millisecond(commit.at.millis()).is_err() {
            continue;
        }
        let length = ends.partition_point(|&end| commits[end].at <= commit.at);
        before[index] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut kept = vec![false; commits.len()];
    let mut next = ends.last().copied();
    while let Some(index) = next {
        kept[index] = true;
        next = before[index];
    }
    commits.into_iter().zip(kept).filter_map(|(commit, kept)| kept.then_some(commit)).collect()
}

/// The publications of a window: the one live at its start, then all later ones in it.
///
/// If several have the same time, only the last counts: only its state is visible.
pub(super) fn within(commits: &[Commit], window: Window) -> &[Commit] {
    let start = commits.partition_point(|commit| commit.at <= window.start);
    let end = commits.partition_point(|commit| commit.at <= window.end);
    &commits[start.saturating_sub(1)..end]
}

/// Whether these bytes are an object id (SHA-1 or SHA-256).
pub(super) fn is_id(bytes: &[u8]) -> bool {
    matches!(bytes.len(), 40 | 64) && bytes.iter().all(u8::is_ascii_hexdigit)
}

/// The first few names as a list for an error's hint.
pub(super) fn listed<'name>(names: impl Iterator<Item = &'name str>) -> String {
    let mut names = names.filter(|name| !name.is_empty());
    let text = names.by_ref().take(NAMES_IN_HINT).collect::<Vec<_>>().join(", ");
    match names.count() {
        0 if text.is_empty() => "nothing".to_owned(),
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(times: &[i64]) -> Vec<Commit> {
        let commit = |(number, &at): (usize, &i64)| Commit {
            id: number.to_string(),
            at: Time::from_millis(at),
        };
        times.iter().enumerate().map(commit).collect()
    }

    fn kept(times: &[i64]) -> Vec<i64> {
        in_order(history(times)).iter().map(|commit| commit.at.millis()).collect()
    }

    #[test]
    fn keeps_all_where_time_never_runs_backwards() {
        assert_eq!(kept(&[1, 2, 2, 3]), [1, 2, 2, 3]);
    }

    #[test]
    fn drops_one_late_clock_and_not_all_that_follow() {
        assert_eq!(kept(&[1, 2, 900, 3, 4]), [1, 2, 3, 4]);
    }

    #[test]
    fn drops_one_early_clock() {
        assert_eq!(kept(&[10, 20, 5, 30]), [10, 20, 30]);
    }

    #[test]
    fn drops_a_time_beyond_every_date() {
        assert_eq!(kept(&[1, i64::MAX]), [1]);
    }

    #[test]
    fn begins_with_the_state_at_the_start_and_ends_with_the_end() {
        let commits = history(&[1, 5, 10, 20, 30, 31]);
        let window = Window { start: Time::from_millis(10), end: Time::from_millis(30) };
        let times: Vec<i64> = within(&commits, window).iter().map(|c| c.at.millis()).collect();
        assert_eq!(times, [10, 20, 30]);
    }

    #[test]
    fn tells_how_many_names_it_leaves_out() {
        assert_eq!(listed("a b c d e f g h i j".split(' ')), "a, b, c, d, e, f, g, h and 2 more");
    }
}
