//! What part of the log an index reflects: the payload of its last commit, so that both last or
//! neither does.
use crawl::Digest;
use serde::{Deserialize, Serialize};

use crate::analysis;
use crate::schema::FORMAT;

/// What part of which log an index reflects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reflects {
    /// How the index was made; equal only where it can be read as it is.
    pub(crate) made: String,
    /// Which repository it belongs to.
    pub(crate) identity: String,
    /// Everything up to this observation is in it.
    pub(crate) position: u64,
    /// Nothing after this observation is in it. More than the position while it is being brought up.
    pub(crate) reach: u64,
    /// What tells the observation at `reach` from one of the same number in another log: after a
    /// repository was put back to an earlier state and crawled on, numbers come again.
    pub(crate) reach_mark: Option<u64>,
    /// How far it is brought up beyond its position.
    pub(crate) partial: Option<Partial>,
}

/// An index that is being brought up, page by page, and may be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Partial {
    /// The pages with a smaller number ...
    pub(crate) below: u32,
    /// ... are in it as of this observation, or later.
    pub(crate) to: u64,
}

impl Reflects {
    /// That of an empty index: it reflects an empty log.
    pub(crate) fn nothing(identity: String) -> Self {
        Self { made: made(), identity, ..Self::default() }
    }

    /// Whether this program would make it in the same way.
    pub(crate) fn is_made_alike(&self) -> bool {
        self.made == made()
    }

    /// As text, with a digest of itself: `meta.json`, where it is kept, has none of its own.
    pub(crate) fn written(&self) -> String {
        let text = serde_json::to_string(self).expect("plain values are written always");
        format!("{:032x} {text}", Digest::from_bytes(text.as_bytes()).0)
    }

    /// Reads it back; `None` where it is not as it was written.
    pub(crate) fn read(written: &str) -> Option<Self> {
        let (digest, text) = written.split_once(' ')?;
        let digest = Digest(u128::from_str_radix(digest, 16).ok()?);
        (digest == Digest::from_bytes(text.as_bytes())).then(|| serde_json::from_str(text).ok())?
    }
}

fn made() -> String {
    format!("{FORMAT}-{:016x}", analysis::fingerprint())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let reflects = Reflects {
            position: 17,
            reach: 23,
            reach_mark: Some(u64::MAX),
            partial: Some(Partial { below: 5, to: 20 }),
            ..Reflects::nothing("abc".to_owned())
        };
        let written = reflects.written();
        assert_eq!(Reflects::read(&written), Some(reflects.clone()));
        assert!(reflects.is_made_alike());
        assert_eq!(Reflects::read(&written.replace("17", "18")), None);
        assert_eq!(Reflects::read(""), None);
        assert_eq!(Reflects::read(&written[..written.len() - 1]), None);
    }
}
