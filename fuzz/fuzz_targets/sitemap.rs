//! Sitemaps and indexes of sitemaps.
#![no_main]
use crawl::Form;
use libfuzzer_sys::fuzz_target;
use sanderling_fuzz::reads;

fuzz_target!(|body: &[u8]| {
    for content_type in ["application/xml", "text/xml; charset=utf-16le", ""] {
        reads(content_type, body);
    }
    // Whatever stands in it, a root element makes it a sitemap: most inputs would else be none.
    for start in ["<urlset>", "<urlset><url><loc>", "<sitemapindex><sitemap><lastmod>"] {
        let sitemap = [start.as_bytes(), body].concat();
        assert_eq!(reads("application/xml; charset=utf-8", &sitemap).form, Form::Sitemap);
    }
});
