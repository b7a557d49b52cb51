//! The identifier of a record: a UUID, random or derived from the record.
use std::fmt::{self, Display};

use sha1::{Digest as _, Sha1};

/// The identifier of one record, written `urn:uuid:` and a UUID of version 4. The caller supplies the
/// bits, so that a test or a replay gets the same identifiers again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(u128);

impl RecordId {
    /// The identifier with these bits, except for the six bits of the version and variant.
    pub const fn from_bits(bits: u128) -> Self {
        let version = 0x4 << 76;
        let variant = 0b10 << 62;
        Self(bits & !(0xF << 76) & !(0b11 << 62) | version | variant)
    }

    /// An identifier derived from `parts`, such as address, instant and type. Equal parts give equal
    /// identifiers.
    pub fn derived(parts: &[&[u8]]) -> Self {
        let mut hash = Sha1::new();
        for part in parts {
            // With lengths, so that a byte moved from one part to the next changes the result.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let bits =
            hash.finalize().iter().take(16).fold(0, |bits, &byte| bits << 8 | u128::from(byte));
        Self::from_bits(bits)
    }

    /// The 128 bits.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Parses `urn:uuid:` and a UUID, with or without `<` and `>`. `None` for other schemes.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('<').trim_end_matches('>');
        let hex = text.strip_prefix("urn:uuid:")?;
        let is_uuid = hex.len() == 36
            && hex.bytes().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            });
        if !is_uuid {
            return None;
        }
        u128::from_str_radix(&hex.replace('-', ""), 16).ok().map(Self)
    }
}

impl Display for RecordId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = format!("{:032x}", self.0);
        let groups = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
        write!(out, "urn:uuid:{}", groups.join("-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_uuids_of_version_four() {
        assert_eq!(
            RecordId::from_bits(0).to_string(),
            "urn:uuid:00000000-0000-4000-8000-000000000000"
        );
        assert_eq!(
            RecordId::from_bits(u128::MAX).to_string(),
            "urn:uuid:ffffffff-ffff-4fff-bfff-ffffffffffff"
        );
    }

    #[test]
    fn names_read_back() {
        let id = RecordId::from_bits(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(RecordId::parse(&format!("<{id}>")), Some(id));
        assert_eq!(RecordId::parse(&id.to_string()), Some(id));
        assert_eq!(RecordId::parse("<urn:uuid:+1234567-0000-4000-8000-000000000000>"), None);
        assert_eq!(RecordId::parse("<http://example.org/1>"), None);
    }

    #[test]
    fn derived_names_follow_from_their_parts() {
        assert_eq!(RecordId::derived(&[b"ab", b"c"]), RecordId::derived(&[b"ab", b"c"]));
        assert_ne!(RecordId::derived(&[b"ab", b"c"]), RecordId::derived(&[b"a", b"bc"]));
    }
}
