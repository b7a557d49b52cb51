//! Text runs as the index stores them: the hash of each and its length in the text.
//!
//! Which runs are boilerplate changes while a crawl goes on, so it is decided by each search. A page
//! need not be indexed again because of what other pages show.
use crawl::Snapshot;

/// The most runs that are stored of a page. What follows is main text.
const MOST_RUNS: usize = 1_024;

/// Encodes the runs that begin within the first `text_bytes` bytes of the text: for each its hash,
/// four bytes, and its length, seven bits a byte.
pub(crate) fn encode(snapshot: &Snapshot, text_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![];
    let mut begin = 0;
    for (run, end) in snapshot.text_runs().take(MOST_RUNS) {
        if begin >= text_bytes {
            break;
        }
        bytes.extend(run.to_le_bytes());
        let mut length = end - begin;
        while length >= 0x80 {
            bytes.push(length as u8 & 0x7f | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        begin = end;
    }
    bytes
}

/// The runs and where each ends in the text. Ends where the bytes are damaged.
pub(crate) fn decode(mut bytes: &[u8]) -> Vec<(u32, usize)> {
    let mut runs = vec![];
    let mut end = 0_usize;
    while let Some((run, rest)) = bytes.split_first_chunk::<4>() {
        let Some((length, rest)) = length(rest) else { break };
        end = end.saturating_add(length);
        runs.push((u32::from_le_bytes(*run), end));
        bytes = rest;
    }
    runs
}

/// The length that `bytes` begin with, and what follows it.
fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut length = 0;
    for (place, byte) in bytes.iter().enumerate().take(5) {
        length |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((length, &bytes[place + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Snapshot {
        let long = "word ".repeat(100_000);
        let body = format!("<title>T</title><p>one<p>two<p>{long}<p>four");
        extract::read::read("http://a.example/", "text/html", body.as_bytes())
    }

    #[test]
    fn runs_are_read_as_they_were_written() {
        let page = page();
        let expected: Vec<(u32, usize)> = page.text_runs().collect();
        assert_eq!(decode(&encode(&page, usize::MAX)), expected);
        // Only what the stored part of the text needs.
        assert_eq!(decode(&encode(&page, 10)), expected[..3]);
    }

    #[test]
    fn damaged_bytes_give_what_comes_before() {
        let bytes = encode(&page(), usize::MAX);
        for cut in 0..bytes.len() {
            assert!(decode(&bytes[..cut]).len() <= 4);
        }
        assert_eq!(decode(&[0xff; 40]), []);
    }
}
