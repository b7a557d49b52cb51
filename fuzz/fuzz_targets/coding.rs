//! Content codings: no body stands for more bytes than are wanted.
#![no_main]
use extract::read::coding::{Undecodable, decode};
use libfuzzer_sys::fuzz_target;

const CODINGS: [&str; 8] =
    ["", "gzip", "x-gzip", "br", "zstd", "deflate", "deflate, gzip", "br, zstd"];
const LIMITS: [usize; 4] = [0, 1, 1_000, 100_000];

fuzz_target!(|body: &[u8]| {
    for codings in CODINGS {
        for limit in LIMITS {
            match decode(codings, body, limit) {
                Ok(decoded) => assert!(decoded.len() <= limit),
                Err(Undecodable::TooLong(start)) => assert_eq!(start.len(), limit),
                Err(Undecodable::Broken { start, .. }) => assert!(start.len() <= limit),
                Err(Undecodable::Unknown(name)) => panic!("`{name}` is known"),
            }
        }
    }
});
