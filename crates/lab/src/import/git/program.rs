//! Runs the git program so that nothing in a repository can act as a command.
//!
//! A repository is untrusted: its configuration may name programs to run. Only commands that run
//! none are used (`rev-parse`, `for-each-ref`, `rev-list`, `ls-tree`, `diff-tree`, `cat-file`). No
//! pager starts and nothing is fetched. The user's own configuration applies, since it may list
//! safe folders; it does not change the output of these commands.
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

use super::super::ImportError;

/// How much of git's error output is kept.
const MESSAGE_BYTES: u64 = 4096;

/// Variables that would make git read another repository.
const MISLEADING: [&str; 9] = [
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_EXTERNAL_DIFF",
    "GIT_TRACE",
];

/// A repository and the program that reads it.
pub(super) struct Git {
    path: PathBuf,
}

/// The output stream of a git command.
pub(super) type Output = BufReader<ChildStdout>;

impl Git {
    /// The repository in the folder `path`; parent folders are not searched.
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        let no_folder = |source| ImportError::NoFolder { path: path.to_owned(), source };
        let whole = path.canonicalize().map_err(no_folder)?;
        if !whole.is_dir() {
            return Err(no_folder(io::ErrorKind::NotADirectory.into()));
        }
        let git = Self { path: whole };
        match git.text(&["rev-parse", "--git-dir"]) {
            Err(ImportError::Git { message, .. }) => {
                Err(ImportError::NoRepository { path: path.to_owned(), message })
            }
            Err(error) => Err(error),
            Ok(_) => Ok(git),
        }
    }

    /// Where the repository is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The whole output of a command with little output.
    pub(super) fn text(&self, arguments: &[&str]) -> Result<String, ImportError> {
        self.pipe(arguments, std::iter::empty(), |output| {
            let mut text = Vec::new();
            output.read_to_end(&mut text).map_err(|source| self.broken(arguments, source))?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        })
    }

    /// Runs a command, writes `lines` to its input and passes its output to `read`.
    ///
    /// A separate thread writes the input: both pipes are short, and a program that waits for its
    /// output to be read does not read its input.
    pub(super) fn pipe<T>(
        &self,
        arguments: &[&str],
        lines: impl Iterator<Item = String> + Send,
        read: impl FnOnce(&mut Output) -> Result<T, ImportError>,
    ) -> Result<T, ImportError> {
        let mut child = self.command(arguments).spawn().map_err(ImportError::NoGit)?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut child = Running(child);
        let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(self.broken(arguments, io::ErrorKind::BrokenPipe.into()));
        };
        let (result, message) = thread::scope(|scope| {
            let feeder = scope.spawn(move || {
                let mut stdin = io::BufWriter::new(&mut stdin);
                // A program that stops reading reports the reason itself, so a broken pipe is
                // ignored.
                let _ = { lines }.try_for_each(|line| stdin.write_all(line.as_bytes()));
                let _ = stdin.flush();
            });
            let listener = scope.spawn(move || last_line(stderr));
            let mut output = BufReader::with_capacity(1 << 16, stdout);
            let result = read(&mut output);
            drop(output);
            if result.is_err() {
                child.stop();
            }
            let _ = feeder.join();
            (result, listener.join().unwrap_or_default())
        });
        let status = child.0.wait().map_err(|source| self.broken(arguments, source))?;
        // If both failed, the message of git says more than our reading of a torn answer. If we
        // stopped git, it has no message.
        if !status.success() && (result.is_ok() || !message.is_empty()) {
            return Err(ImportError::Git {
                path: self.path.clone(),
                command: name(arguments),
                message: if message.is_empty() { status.to_string() } else { message },
            });
        }
        result
    }

    /// The error for a pipe that failed.
    pub(super) fn broken(&self, arguments: &[&str], source: io::Error) -> ImportError {
        ImportError::Pipe { path: self.path.clone(), command: name(arguments), source }
    }

    /// The error for unexpected output.
    pub(super) fn odd(&self, arguments: &[&str], answer: &[u8]) -> ImportError {
        let answer = String::from_utf8_lossy(&answer[..answer.len().min(80)]).into_owned();
        ImportError::Answer { path: self.path.clone(), command: name(arguments), answer }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        // The folder is set, not passed as an argument: its name may begin with a dash.
        command.current_dir(&self.path);
        for variable in MISLEADING {
            command.env_remove(variable);
        }
        if let Some(above) = self.path.parent() {
            command.env("GIT_CEILING_DIRECTORIES", above);
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .args(["--no-pager", "--literal-pathspecs", "-c", "protocol.allow=never"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Stops the program when its reader fails.
struct Running(Child);

impl Running {
    fn stop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        let _ = self.0.wait();
    }
}

fn name(arguments: &[&str]) -> String {
    arguments.first().copied().unwrap_or_default().to_owned()
}

/// The last non-empty line of git's error output. The rest is read and dropped, so that a full pipe
/// never blocks the program.
fn last_line(stderr: impl Read) -> String {
    let mut last = String::new();
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut stderr).take(MESSAGE_BYTES).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => return last,
        }
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            text.trim().clone_into(&mut last);
        }
    }
}
