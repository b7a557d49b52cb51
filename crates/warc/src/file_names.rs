//! Names of WARC files. They contain the time, the process and the host, so that no two are equal.
use std::fs;

use super::Timestamp;

const SUFFIX: &str = ".warc.gz";
/// The convention asks for a port, but we accept no connections.
const PORT: u16 = 0;

/// Makes and recognises names like those of Heritrix,
/// `PREFIX-yyyyMMddHHmmssSSS-serial-process~host~port.warc.gz`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNames {
    prefix: String,
    host: String,
    process: u32,
}

impl FileNames {
    /// Names that begin with `prefix`, for files written by `process` on `host`. Characters with a
    /// meaning in such names or in file systems become `_`.
    pub fn new(prefix: &str, host: &str, process: u32) -> Self {
        Self { prefix: plain(prefix), host: plain(host), process }
    }

    /// The host in the names.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The name of the file with number `serial`, created at `at`.
    pub fn name(&self, at: Timestamp, serial: u32) -> String {
        let Self { prefix, host, process } = self;
        format!("{prefix}-{}-{serial:05}-{process}~{host}~{PORT}{SUFFIX}", at.digits(17))
    }

    /// Whether a writer with this prefix made the name, on any host. Other files in the folder must not
    /// be removed.
    pub fn is_ours(&self, name: &str) -> bool {
        self.parts(name).is_some()
    }

    fn parts<'a>(&self, name: &'a str) -> Option<&'a str> {
        let rest = name.strip_prefix(self.prefix.as_str())?.strip_prefix('-')?;
        let rest = rest.strip_suffix(SUFFIX)?;
        let (begun, rest) = rest.split_once('-')?;
        let (serial, rest) = rest.split_once('-')?;
        let mut writer = rest.split('~');
        let (process, host, port) = (writer.next()?, writer.next()?, writer.next()?);
        let ours = begun.len() == 17
            && [begun, serial, process, port].into_iter().all(is_number)
            && !host.is_empty()
            && writer.next().is_none();
        ours.then_some(begun)
    }
}

/// The host name of this machine, or `localhost` if it has none.
pub fn machine_name() -> String {
    let name = fs::read_to_string("/etc/hostname").unwrap_or_default();
    let name = plain(name.trim());
    if name.is_empty() { "localhost".to_owned() } else { name }
}

fn plain(text: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    text.chars().map(|character| if is_plain(character) { character } else { '_' }).collect()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_when_and_where_a_file_was_begun() {
        let names = FileNames::new("sanderling", "crawler.example", 321);
        let name = names.name(Timestamp::from_millis(1_794_744_000_123), 7);
        assert_eq!(name, "sanderling-20261115120000123-00007-321~crawler.example~0.warc.gz");
        assert!(names.is_ours(&name));
    }

    #[test]
    fn the_files_of_others_are_not_ours() {
        let names = FileNames::new("a", "host", 1);
        let theirs = FileNames::new("a-b", "host", 1).name(Timestamp::from_millis(0), 0);
        assert!(!names.is_ours(&theirs));
        assert!(!names.is_ours("a-20261115.warc.gz"));
        assert!(!names.is_ours("a-20261115120000123-00007-321~host~0.warc"));
        assert!(!names.is_ours("notes.txt"));
    }

    #[test]
    fn no_name_leaves_its_folder() {
        let names = FileNames::new("../up~", "a/b", 1);
        assert!(!names.name(Timestamp::from_millis(0), 0).contains('/'));
        assert!(names.is_ours(&names.name(Timestamp::from_millis(0), 0)));
    }
}
