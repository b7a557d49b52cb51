//! Addresses, and references on pages: what resolves is canonical.
#![no_main]
use extract::read::address::{Resolver, canonical};
use libfuzzer_sys::fuzz_target;
use sanderling_fuzz::{ADDRESS, is_canonical};

fuzz_target!(|text: &str| {
    if let Some(address) = canonical(text) {
        is_canonical(&address);
    }
    let (base, references) = text.split_once('\n').unwrap_or((ADDRESS, text));
    for base in [base, ADDRESS] {
        let mut resolver = Resolver::new(base);
        for reference in references.lines() {
            if let Some(address) = resolver.resolve(reference) {
                is_canonical(address);
            }
        }
    }
});
