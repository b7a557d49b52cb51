//! Sitemaps beyond the limits of their protocol: what is left out is said.
use std::{io::Write, net::SocketAddr};

use crate::common::{
    errors,
    http::{crawler, serve_replies},
    json, run, text,
};

const FILE: &str = "application/gzip";

/// Serves bodies by their paths, each with its type.
fn serve(pages: Vec<(&'static str, &'static str, Vec<u8>)>) -> SocketAddr {
    serve_replies(move |path| match pages.iter().find(|(known, ..)| *known == path) {
        Some((_, content_type, body)) => ("200 OK", content_type, body.clone()),
        None => ("404 Not Found", "text/plain", vec![]),
    })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_end_of_a_sitemap_that_is_too_long_is_left_out_and_said() {
    let folder = tempfile::tempdir().unwrap();
    // Elsewhere, so that nothing else is visited.
    let entry = |page: u32| format!("<url><loc>http://b.example/{page}</loc></url>");
    let many = format!("<urlset>{}</urlset>", (0..50_001).map(entry).collect::<String>());
    let long = format!("<urlset>{}{}", entry(0), " ".repeat(50 << 20));
    let address = serve(vec![
        ("/many.xml", "text/xml\r\nContent-Encoding: gzip", gzip(many.as_bytes())),
        ("/long.xml.gz", FILE, gzip(long.as_bytes())),
        ("/fine.xml", "text/xml", b"<urlset></urlset>".to_vec()),
    ]);
    // Decoded, both are longer than a page may be.
    let mut crawl = crawler(folder.path(), "a.example", address, "crawl --max-decompressed 1MB");
    crawl.args(["many.xml", "long.xml.gz", "fine.xml"].map(|it| format!("http://a.example/{it}")));
    let output = crawl.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));

    let status = text(&run(folder.path(), "status --data data"));
    for line in [
        "Left out   http://a.example/many.xml: what comes after the first 50,000 URLs of this sitemap",
        "Left out   http://a.example/long.xml.gz: what comes after the first 50 MiB of this file",
    ] {
        assert!(status.contains(line), "{status}");
    }
    assert!(!status.contains("a.example/fine.xml"), "{status}");
    let status = json(&run(folder.path(), "status --json --data data"));
    assert_eq!(status["left_out"].as_array().unwrap().len(), 2);
    assert_eq!(status["left_out"][0]["url"], "http://a.example/many.xml");
}
