//! Feeds: RSS, Atom and RDF.
#![no_main]
use crawl::Form;
use libfuzzer_sys::fuzz_target;
use sanderling_fuzz::reads;

fuzz_target!(|body: &[u8]| {
    for content_type in ["application/rss+xml", "application/atom+xml; charset=euc-jp", ""] {
        reads(content_type, body);
    }
    // Whatever stands in it, a root element makes it a feed: most inputs would else be none.
    for start in ["<rss><channel>", "<feed><entry>", "<feed><entry><updated>", "<rdf:RDF><item>"] {
        let feed = [start.as_bytes(), body].concat();
        assert_eq!(reads("application/xml; charset=utf-8", &feed).form, Form::Feed);
    }
});
