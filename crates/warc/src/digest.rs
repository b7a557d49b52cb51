//! SHA-1 digests of payloads and blocks.
use std::fmt::{self, Display};

use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use sha1::{Digest as _, Sha1};

/// The SHA-1 of a payload or of a block. Archives compare and look up content by it. It does not
/// protect against forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PayloadDigest([u8; 20]);

impl PayloadDigest {
    /// The digest of `content`. For a payload, that is the body as stored, before any decoding.
    pub fn compute(content: &[u8]) -> Self {
        Self(Sha1::digest(content).into())
    }

    /// The digest of the concatenated `parts`.
    pub(super) fn compute_parts(parts: &[&[u8]]) -> Self {
        let mut hash = Sha1::new();
        for part in parts {
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The digest with these bytes.
    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// Its 20 bytes.
    pub const fn bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// Base 32, without the name of the algorithm.
    pub fn base32(&self) -> String {
        BASE32_NOPAD.encode(&self.0)
    }

    /// Parses `sha1:` or `sha-1:` with base 32 or base 16, in either case, as the annotations to the
    /// standard ask of readers. `None` for other algorithms.
    pub fn parse(text: &str) -> Option<Self> {
        let (algorithm, value) = text.trim().split_once(':')?;
        if !matches!(algorithm.to_ascii_lowercase().as_str(), "sha1" | "sha-1") {
            return None;
        }
        let bytes = match value.len() {
            32 => BASE32_NOPAD.decode(value.to_ascii_uppercase().as_bytes()),
            40 => HEXLOWER_PERMISSIVE.decode(value.as_bytes()),
            _ => return None,
        };
        bytes.ok()?.try_into().ok().map(Self)
    }
}

impl Display for PayloadDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "sha1:{}", self.base32())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_payload_has_its_well_known_name() {
        let digest = PayloadDigest::compute(b"");
        assert_eq!(digest.to_string(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    }

    #[test]
    fn digests_read_back_in_either_base() {
        let digest = PayloadDigest::compute(b"hello world");
        assert_eq!(PayloadDigest::parse(&digest.to_string()), Some(digest));
        assert_eq!(PayloadDigest::parse(&digest.to_string().to_lowercase()), Some(digest));
        let hex = "SHA-1:2aae6c35c94fcfb415dbe95f408b9ce91ee846ed";
        assert_eq!(PayloadDigest::parse(hex), Some(digest));
        assert_eq!(PayloadDigest::parse("md5:b1946ac92492d2347c6235b4d2611184"), None);
        assert_eq!(PayloadDigest::parse("sha1:short"), None);
    }
}
