//! What the targets share: what must hold for every page that is read, and for every address.
use crawl::{Snapshot, TextRange};
use extract::read::{
    address::{LONGEST, canonical},
    read,
};

/// Where the pages of the targets are. It is short, so that what is found stays readable.
pub const ADDRESS: &str = "https://a.org/dir/page";

/// Reads `body` and checks what must hold for every snapshot.
///
/// # Panics
/// When it does not hold.
pub fn reads(content_type: &str, body: &[u8]) -> Snapshot {
    let snapshot = read(ADDRESS, content_type, body);
    assert!(read(ADDRESS, content_type, body) == snapshot, "a body is always read alike");
    for link in snapshot.links.links() {
        is_canonical(&link.address);
    }
    let content = snapshot.content.as_deref().expect("a reader always gives content");
    is_folded(&content.title);
    is_folded(&content.text);
    for ranges in [&content.headings, &content.anchors] {
        are_parts(ranges, &content.text);
    }
    assert_eq!(snapshot.counts.text_bytes as usize, content.text.len());
    assert!(snapshot.fingerprints.sketch.is_sorted_by(|a, b| a < b));
    snapshot
}

/// Checks that an address is its own canonical form.
///
/// # Panics
/// When it is not.
pub fn is_canonical(address: &str) {
    assert_eq!(canonical(address).as_deref(), Some(address));
    assert!(address.len() <= LONGEST);
}

/// Checks that ranges are parts of a text, in order, and more than white space.
fn are_parts(ranges: &[TextRange], text: &str) {
    assert!(ranges.is_sorted_by(|a, b| a.to <= b.from));
    for range in ranges {
        let part = text.get(range.from as usize..range.to as usize);
        assert!(part.is_some_and(|part| !part.is_empty() && part.trim() == part));
    }
}

/// Checks that a text has one space between words and none around them.
fn is_folded(text: &str) {
    assert!(text.split_whitespace().eq(text.split(' ').filter(|word| !word.is_empty())));
    assert!(!text.contains("  ") && !text.starts_with(' ') && !text.ends_with(' '));
}
