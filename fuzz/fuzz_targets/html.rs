//! Pages: HTML, HTML written as XML, and bodies that must say themselves what they are.
#![no_main]
use libfuzzer_sys::fuzz_target;
use sanderling_fuzz::reads;

const CONTENT_TYPES: [&str; 5] = [
    "text/html",
    "text/html; charset=utf-8",
    "text/html; charset=shift_jis",
    "application/xhtml+xml",
    "",
];

fuzz_target!(|body: &[u8]| {
    for content_type in CONTENT_TYPES {
        reads(content_type, body);
    }
});
