//! Pins every byte of the demo web: equal seeds give equal webs in every version.
use crawl::{Span, Time};
use demo::DemoWeb;
use xxhash_rust::xxh3::Xxh3;

const START: Time = Time::from_millis(1_772_524_800_000);

/// Hashes everything that is served for every address at a few instants.
fn digest(seed: u64, days: u32) -> u64 {
    let web = DemoWeb::new(seed, START, days);
    let mut hash = Xxh3::new();
    let addresses: Vec<String> =
        web.history().map(|history| history.address().to_owned()).collect();
    for day in [-1, 0, 1, 5, 13, i64::from(days)] {
        let at = START + Span::from_days(day) + Span::from_millis(12_345_678);
        for address in &addresses {
            let served = web.page(address, at);
            // The body is hashed by itself: `Debug` of bytes is slow.
            hash.update(&served.body);
            let head = demo::Served { body: bytes::Bytes::new(), ..served };
            hash.update(format!("{address} {head:?}\n").as_bytes());
        }
    }
    for history in web.history() {
        for version in history.versions() {
            let line = (history.address(), version.at, version.status, version.mime);
            hash.update(format!("{line:?}\n").as_bytes());
        }
    }
    hash.digest()
}

#[test]
fn the_web_of_a_seed_stays_the_same_byte_for_byte() {
    assert_eq!(
        [digest(7, 20), digest(1, 40)],
        [395_412_345_313_501_550, 13_225_281_040_087_142_731]
    );
}
