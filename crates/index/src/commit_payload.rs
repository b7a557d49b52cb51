//! Payload of a tantivy commit: which part of the log the index covers. It is committed atomically
//! with the index.
use crawl::Digest;
use serde::{Deserialize, Serialize};

use crate::analysis;
use crate::schema::FORMAT;

/// Which part of which log the index covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommitPayload {
    /// Format and analysis the index was written with. If it differs from ours, the index is
    /// rebuilt.
    #[serde(rename = "made")]
    pub(crate) format: String,
    /// Identity of the repository.
    pub(crate) identity: String,
    /// All observations up to this one are indexed.
    pub(crate) position: u64,
    /// No observation after this one is indexed. Greater than `position` during
    /// [`catch_up()`](crate::catch_up()).
    pub(crate) reach: u64,
    /// Fingerprint of the observation at `reach`. It differs if the repository was restored from a
    /// backup and crawled on, which reuses observation numbers.
    #[serde(rename = "reach_mark")]
    pub(crate) reach_fingerprint: Option<u64>,
    /// Progress of an interrupted catch-up.
    pub(crate) partial: Option<Partial>,
}

/// Progress of a catch-up, which goes by page number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Partial {
    /// Pages with a smaller number
    pub(crate) below: u32,
    /// are indexed as of this observation, or later.
    pub(crate) to: u64,
}

impl CommitPayload {
    /// Payload of an empty index.
    pub(crate) fn empty(identity: String) -> Self {
        Self { format: current_format(), identity, ..Self::default() }
    }

    pub(crate) fn has_current_format(&self) -> bool {
        self.format == current_format()
    }

    /// Encodes as JSON with a digest, because `meta.json` has no checksum.
    pub(crate) fn encode(&self) -> String {
        let text = serde_json::to_string(self).expect("plain values serialize");
        format!("{:032x} {text}", Digest::from_bytes(text.as_bytes()).0)
    }

    /// Decodes a payload; `None` if it is corrupt.
    pub(crate) fn decode(encoded: &str) -> Option<Self> {
        let (digest, text) = encoded.split_once(' ')?;
        let digest = Digest(u128::from_str_radix(digest, 16).ok()?);
        (digest == Digest::from_bytes(text.as_bytes())).then(|| serde_json::from_str(text).ok())?
    }
}

fn current_format() -> String {
    format!("{FORMAT}-{:016x}", analysis::fingerprint())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let payload = CommitPayload {
            position: 17,
            reach: 23,
            reach_fingerprint: Some(u64::MAX),
            partial: Some(Partial { below: 5, to: 20 }),
            ..CommitPayload::empty("abc".to_owned())
        };
        let encoded = payload.encode();
        assert_eq!(CommitPayload::decode(&encoded), Some(payload.clone()));
        assert!(payload.has_current_format());
        assert_eq!(CommitPayload::decode(&encoded.replace("17", "18")), None);
        assert_eq!(CommitPayload::decode(""), None);
        assert_eq!(CommitPayload::decode(&encoded[..encoded.len() - 1]), None);
    }
}
