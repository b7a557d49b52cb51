//! robots.txt: any bytes, asked about any address.
#![no_main]
use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use sanderling_fuzz::is_canonical;
use web::robots::{MOST_SITEMAPS, Rules};

fuzz_target!(|body: &[u8]| {
    for token in ["sanderling", "*", "", "é x"] {
        let rules = Rules::parse(body, token);
        assert!(Rules::parse(body, token) == rules, "a robots.txt is always read alike");
        // The patterns of the file are also the paths that come nearest to them.
        for line in String::from_utf8_lossy(body).lines().take(50) {
            let path = line.split_once(':').map_or(line, |(_, value)| value).trim();
            for address in
                [path, &format!("https://a.org{path}"), &format!("https://a.org/?{path}")]
            {
                asks(&rules, address);
            }
        }
        assert!(rules.allows("https://a.org/robots.txt"));
        let _ = rules.crawl_delay();
        let mut seen = BTreeSet::new();
        for sitemap in rules.sitemaps() {
            is_canonical(sitemap);
            assert!(seen.insert(sitemap), "a sitemap is given once");
        }
        assert!(seen.len() <= MOST_SITEMAPS);
    }
});

/// Only a line of the file refuses a page.
fn asks(rules: &Rules, address: &str) {
    let matched = rules.matched(address);
    assert!(rules.allows(address) || matched.is_some_and(|line| !line.is_empty()));
}
