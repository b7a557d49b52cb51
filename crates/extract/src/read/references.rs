//! The references of a page, collected before its base address is known.
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Reading, address::Resolver};
use crawl::Link;

/// The references of a page, in one allocation; pages have hundreds.
#[derive(Default)]
pub(crate) struct References {
    bytes: Vec<u8>,
    /// Where each ends, and whether it may be followed.
    ends: Vec<(usize, bool)>,
}

impl References {
    /// Adds a reference, if there is one.
    pub(crate) fn extend(&mut self, reference: Option<&[u8]>, follow: bool) {
        if let Some(reference) = reference {
            self.bytes.extend_from_slice(reference);
            self.ends.push((self.bytes.len(), follow));
        }
    }

    /// Resolves each distinct reference once, in order, into the links of `reading`.
    pub(crate) fn resolve(&self, resolver: &mut Resolver, reading: &mut Reading) {
        let nofollow = reading.directives.nofollow;
        let mut seen = FxHashSet::default();
        let mut start = 0;
        for &(end, follow) in &self.ends {
            let bytes = &self.bytes[start..end];
            start = end;
            // Menus repeat, so most references occur twice.
            if !seen.insert((bytes, follow)) {
                continue;
            }
            let Ok(reference) = std::str::from_utf8(bytes) else { continue };
            if let Some(mailbox) = mailbox(reference) {
                reading.mailto.push(mailbox.replace("%40", "@"));
            } else if let Some(address) = resolver.resolve(reference) {
                let follow = follow && !nofollow;
                reading.links.push(Link { address: Arc::from(address), date: None, follow });
            }
        }
    }
}

/// The part after `mailto:`.
fn mailbox(reference: &str) -> Option<&str> {
    let (scheme, rest) = reference.trim_start().split_at_checked("mailto:".len())?;
    scheme.eq_ignore_ascii_case("mailto:").then_some(rest)
}
