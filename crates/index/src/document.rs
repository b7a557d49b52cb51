//! From a held page to what the index holds of it.
use crawl::{Content, Digest, PageNo, Snapshot, Time};
use store::HeldDigest;
use tantivy::TantivyDocument;

use crate::analysis::{self, Terms};
use crate::schema::Fields;

/// A snippet is made from this much of a text. It is read for each hit that is shown.
const MOST_SHOWN_BYTES: usize = 128 << 10;
/// A title is shown up to here; what is longer is shown nowhere.
const MOST_TITLE_BYTES: usize = 1 << 10;

/// A held page, to be put into an index.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The page.
    pub page: PageNo,
    /// Its address.
    pub address: &'a str,
    /// When it became known.
    pub first_seen: Time,
    /// When a visit last found it new or changed.
    pub changed: Time,
    /// What is held of it.
    pub snapshot: &'a Snapshot,
}

/// Whether a page is to be found: one that people read, that does not ask not to be found and gives
/// no other address as its own.
pub(crate) fn is_findable(snapshot: &Snapshot) -> bool {
    let directives = &snapshot.directives;
    snapshot.form.is_for_people() && !directives.noindex && directives.canonical.is_none()
}

/// The same, by what the repository tells without the text.
pub fn is_digest_findable(mark: &HeldDigest) -> bool {
    mark.form.is_for_people() && mark.wants_to_be_found
}

/// What the index holds of a page that is found by these terms.
pub(crate) fn document(entry: &Entry<'_>, terms: &Terms, fields: &Fields) -> TantivyDocument {
    let nothing = Content::default();
    let content = entry.snapshot.content.as_deref().unwrap_or(&nothing);
    let shown_text = cut(&content.text, MOST_SHOWN_BYTES);
    let shown_title = cut(&content.title, MOST_TITLE_BYTES);
    // Room for all values; a title and an address are there three times.
    let bytes = terms.text.len() + shown_text.len() + 3 * (shown_title.len() + entry.address.len());
    let mut document = TantivyDocument::with_capacity(bytes + 256);
    document.add_u64(fields.page, u64::from(entry.page.0));
    document.add_text(fields.words, &terms.title);
    document.add_text(fields.title, &terms.title);
    document.add_text(fields.words, &terms.text);
    document.add_text(fields.words, &terms.address);
    document.add_text(fields.address, &terms.address);
    for domain in domains(host_of(entry.address)) {
        document.add_text(fields.host, domain);
    }
    document.add_i64(fields.first_seen, entry.first_seen.millis());
    document.add_i64(fields.changed, entry.changed.millis());
    document.add_u64(fields.language, analysis::place(terms.language) as u64);
    for (field, half) in fields.digest.into_iter().zip(halves(entry.snapshot.fingerprints.text)) {
        document.add_u64(field, half);
    }
    document.add_text(fields.shown_address, entry.address);
    document.add_text(fields.shown_title, shown_title);
    document.add_text(fields.shown_text, shown_text);
    document
}

/// A digest as two columns.
pub(crate) fn halves(digest: Digest) -> [u64; 2] {
    [(digest.0 >> 64) as u64, digest.0 as u64]
}

/// Two columns as a digest.
pub(crate) fn whole([high, low]: [u64; 2]) -> Digest {
    Digest(u128::from(high) << 64 | u128::from(low))
}

/// The host of an address, without the port.
pub(crate) fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// A host and every domain it is in: `a.b.example`, `b.example`, `example`.
fn domains(host: &str) -> impl Iterator<Item = &str> {
    let is_number = host.starts_with('[') || host.split('.').all(|part| part.parse::<u8>().is_ok());
    let further = (!is_number).then(|| host.match_indices('.').map(|(dot, _)| &host[dot + 1..]));
    std::iter::once(host).chain(further.into_iter().flatten())
}

/// The beginning of a text, at most this many bytes of it.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_found_by_every_domain_it_is_in_and_an_address_number_only_as_it_is() {
        let of = |address: &'static str| domains(host_of(address)).collect::<Vec<_>>();
        assert_eq!(of("http://a.b.example:8080/x?y"), ["a.b.example", "b.example", "example"]);
        assert_eq!(of("http://127.0.0.1:80/"), ["127.0.0.1"]);
        assert_eq!(of("http://[::1]:80/"), ["[::1]"]);
        assert_eq!(of("http://[::1]/"), ["[::1]"]);
    }

    #[test]
    fn a_digest_survives_its_halves() {
        let digest = Digest(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210);
        assert_eq!(whole(halves(digest)), digest);
    }

    #[test]
    fn a_text_is_never_cut_inside_a_character() {
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("aé", 3), "aé");
        assert_eq!(cut("", 3), "");
    }
}
