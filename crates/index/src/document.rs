//! Converts held pages to tantivy documents.
use crawl::{Content, Digest, PageNo, Snapshot, Time};
use store::HeldDigest;
use tantivy::TantivyDocument;

use crate::analysis::{self, Terms};
use crate::schema::Fields;
use crate::stored_runs;

/// Length of the stored text, from which snippets are made. It is read for each hit.
const MAX_STORED_TEXT_BYTES: usize = 128 << 10;
/// Length of the stored title.
const MAX_STORED_TITLE_BYTES: usize = 1 << 10;

/// A held page to index.
#[derive(Clone, Copy, Debug)]
pub struct IndexDocument<'a> {
    /// Page number, the key.
    pub page: PageNo,
    /// Address.
    pub address: &'a str,
    /// When the page was first seen.
    pub first_seen: Time,
    /// When a visit last found it new or changed.
    pub changed: Time,
    /// Held snapshot.
    pub snapshot: &'a Snapshot,
}

/// Whether a page belongs in the index: people read it, it has no `noindex`, and it declares no
/// other canonical address.
pub(crate) fn is_indexable(snapshot: &Snapshot) -> bool {
    let directives = &snapshot.directives;
    snapshot.form.is_for_people() && !directives.noindex && directives.canonical.is_none()
}

/// Like `is_indexable`, from what the database has of a held page.
pub fn is_digest_indexable(held: &HeldDigest) -> bool {
    held.form.is_for_people() && held.allows_indexing
}

/// Builds the tantivy document of a page with these terms.
pub(crate) fn to_tantivy(
    page: &IndexDocument<'_>,
    terms: &Terms,
    fields: &Fields,
) -> TantivyDocument {
    let empty = Content::default();
    let content = page.snapshot.content.as_deref().unwrap_or(&empty);
    let shown_text = truncate(&content.text, MAX_STORED_TEXT_BYTES);
    let shown_title = truncate(&content.title, MAX_STORED_TITLE_BYTES);
    // Title and address are added three times.
    let bytes = terms.text.len() + shown_text.len() + 3 * (shown_title.len() + page.address.len());
    let mut document = TantivyDocument::with_capacity(bytes + 256);
    document.add_u64(fields.page, u64::from(page.page.0));
    document.add_text(fields.words, &terms.title);
    document.add_text(fields.title, &terms.title);
    document.add_text(fields.words, &terms.text);
    document.add_text(fields.words, &terms.address);
    document.add_text(fields.address, &terms.address);
    for domain in domains(host_of(page.address)) {
        document.add_text(fields.host, domain);
    }
    document.add_i64(fields.first_seen, page.first_seen.millis());
    document.add_i64(fields.changed, page.changed.millis());
    document.add_u64(fields.language, analysis::language_number(terms.language) as u64);
    for (field, half) in
        fields.digest.into_iter().zip(digest_to_columns(page.snapshot.fingerprints.text))
    {
        document.add_u64(field, half);
    }
    document.add_text(fields.shown_address, page.address);
    document.add_text(fields.shown_title, shown_title);
    document.add_text(fields.shown_text, shown_text);
    document.add_bytes(fields.runs, &stored_runs::encode(page.snapshot, shown_text.len()));
    document
}

/// Splits a digest into two columns.
pub(crate) fn digest_to_columns(digest: Digest) -> [u64; 2] {
    [(digest.0 >> 64) as u64, digest.0 as u64]
}

/// Inverse of [`digest_to_columns`].
pub(crate) fn digest_from_columns([high, low]: [u64; 2]) -> Digest {
    Digest(u128::from(high) << 64 | u128::from(low))
}

/// Host of an address, without the port.
pub(crate) fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// A host and its parent domains: `a.b.example`, `b.example`, `example`.
fn domains(host: &str) -> impl Iterator<Item = &str> {
    let is_number = host.starts_with('[') || host.split('.').all(|part| part.parse::<u8>().is_ok());
    let further = (!is_number).then(|| host.match_indices('.').map(|(dot, _)| &host[dot + 1..]));
    std::iter::once(host).chain(further.into_iter().flatten())
}

/// The first `max_bytes` bytes of a text, or fewer to end at a character boundary.
pub(crate) fn truncate(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_found_by_every_domain_it_is_in_and_an_address_number_only_as_it_is() {
        let hosts = |address: &'static str| domains(host_of(address)).collect::<Vec<_>>();
        assert_eq!(hosts("http://a.b.example:8080/x?y"), ["a.b.example", "b.example", "example"]);
        assert_eq!(hosts("http://127.0.0.1:80/"), ["127.0.0.1"]);
        assert_eq!(hosts("http://[::1]:80/"), ["[::1]"]);
        assert_eq!(hosts("http://[::1]/"), ["[::1]"]);
    }

    #[test]
    fn a_digest_survives_its_halves() {
        let digest = Digest(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210);
        assert_eq!(digest_from_columns(digest_to_columns(digest)), digest);
    }

    #[test]
    fn a_text_is_never_cut_inside_a_character() {
        assert_eq!(truncate("aé", 2), "a");
        assert_eq!(truncate("aé", 3), "aé");
        assert_eq!(truncate("", 3), "");
    }
}
