//! The references of a page, collected before its base address is known.
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Reading, address::Resolver, link_texts};
use crawl::Link;

/// The references of a page, in one allocation; pages have hundreds.
#[derive(Default)]
pub(crate) struct References {
    bytes: Vec<u8>,
    all: Vec<Reference>,
}

struct Reference {
    /// Where it ends in the bytes.
    end: usize,
    /// Whether it may be followed.
    follow: bool,
    /// The number of text runs before it; `None` where it has no text.
    run: Option<usize>,
}

impl References {
    /// Adds a reference, if there is one. `run` is the number of text runs before it, where it has a text.
    pub(crate) fn extend(&mut self, reference: Option<&[u8]>, follow: bool, run: Option<usize>) {
        if let Some(reference) = reference {
            self.bytes.extend_from_slice(reference);
            self.all.push(Reference { end: self.bytes.len(), follow, run });
        }
    }

    /// Resolves each distinct reference once, in order, into the links of `reading`, whose text runs are
    /// known.
    pub(crate) fn resolve(&self, resolver: &mut Resolver, reading: &mut Reading) {
        let nofollow = reading.directives.nofollow;
        let mut seen: FxHashMap<(&[u8], bool), Option<usize>> = FxHashMap::default();
        let mut start = 0;
        for (place, &Reference { end, follow, run }) in self.all.iter().enumerate() {
            let bytes = &self.bytes[start..end];
            start = end;
            // Menus repeat, so most references occur twice.
            let number = *seen
                .entry((bytes, follow))
                .or_insert_with(|| add(bytes, follow && !nofollow, resolver, reading));
            if let (Some(number), Some(run)) = (number, run) {
                let next = self.all[place + 1..].iter().find_map(|next| next.run);
                let first = reading.runs.len() - reading.run_ends.len();
                let runs = &reading.runs[first..];
                let text = link_texts::hash(runs, run, next.unwrap_or(usize::MAX));
                let sum = &mut reading.link_texts[number];
                *sum = sum.wrapping_add(text);
            }
        }
    }
}

/// Adds what a reference leads to. Returns the place of the link, if it is one.
fn add(
    bytes: &[u8],
    follow: bool,
    resolver: &mut Resolver,
    reading: &mut Reading,
) -> Option<usize> {
    let reference = std::str::from_utf8(bytes).ok()?;
    if let Some(mailbox) = mailbox(reference) {
        reading.mailto.push(mailbox.replace("%40", "@"));
        return None;
    }
    let address = Arc::from(resolver.resolve(reference)?);
    reading.links.push(Link { address, date: None, follow });
    reading.link_texts.push(0);
    Some(reading.links.len() - 1)
}

/// The part after `mailto:`.
fn mailbox(reference: &str) -> Option<&str> {
    let (scheme, rest) = reference.trim_start().split_at_checked("mailto:".len())?;
    scheme.eq_ignore_ascii_case("mailto:").then_some(rest)
}
