//! The trace that the demo web writes is one the lab reads.
use crawl::{Span, Time};
use demo::DemoWeb;
use lab::trace::TraceReader;

const START: Time = Time::from_millis(1_772_524_800_000);

#[test]
fn the_lab_reads_the_trace_of_a_window() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.parquet");
    let web = DemoWeb::new(3, START, 12);
    let window = (START + Span::from_days(2), START + Span::from_days(6));
    let written = web.write_trace(&path, window).unwrap();
    let mut read = 0;
    let mut reader = TraceReader::open(&path).unwrap();
    for batch in reader.batches().unwrap() {
        for row in batch.unwrap() {
            let served = web.page(&row.url, row.at);
            assert!(row.at <= window.1);
            match row.body {
                Some(body) => assert_eq!(served.body, body, "{}", row.url),
                None => assert_ne!(served.status, 200, "{}", row.url),
            }
            assert!(!row.url.contains("/newsroom/"), "robots.txt forbids {}", row.url);
            read += 1;
        }
    }
    assert_eq!(read, written);
    assert!(read > 2_000);
}
