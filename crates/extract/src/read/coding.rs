//! Content codings: decompresses a body.
//!
//! A few hundred bytes can expand to gigabytes, so every decoder stops at a limit.
use std::{
    borrow::Cow,
    io::{self, BufRead, Read},
};

/// The supported codings, as the value of `Accept-Encoding`.
pub const ACCEPTED: &str = "gzip, br, zstd, deflate";

/// The most stacked codings. Nobody uses more than two.
const MOST_CODINGS: usize = 4;

/// The largest window a zstd body may ask for, as a power of two (RFC 9659: 8 MiB).
const LARGEST_WINDOW: u32 = 23;

/// Why a body could not be decoded.
#[derive(Debug, thiserror::Error)]
pub enum Undecodable {
    /// It decodes to more bytes than the limit; these are the first.
    #[error("longer than {} bytes when decoded", .0.len())]
    TooLong(Vec<u8>),
    /// It is malformed or truncated.
    #[error("malformed {coding} body: {cause}")]
    Broken {
        /// The coding.
        coding: &'static str,
        /// The error of the decoder.
        cause: io::Error,
        /// The bytes decoded until then.
        start: Vec<u8>,
    },
    /// The coding is not supported.
    #[error("unknown content coding `{0}`")]
    Unknown(String),
}

/// Decodes a body with the value of its `Content-Encoding` header, up to `longest` bytes.
///
/// # Errors
/// When the body is malformed, too long or in an unknown coding.
pub fn decode<'b>(
    codings: &str,
    body: &'b [u8],
    longest: usize,
) -> Result<Cow<'b, [u8]>, Undecodable> {
    let mut decoded = Cow::Borrowed(body);
    let codings: Vec<&str> = codings.split(',').map(str::trim).collect();
    if codings.len() > MOST_CODINGS {
        return Err(Undecodable::Unknown(codings.join(", ")));
    }
    // The coding applied last is decoded first.
    for name in codings.into_iter().rev() {
        let Some(coding) = Coding::by_name(name)? else { continue };
        // A response without a body may still name a coding.
        if !decoded.is_empty() {
            decoded = Cow::Owned(coding.decode(&decoded, longest)?);
        }
    }
    if decoded.len() > longest {
        return Err(Undecodable::TooLong(decoded[..longest].to_vec()));
    }
    Ok(decoded)
}

/// Whether `body` starts with the gzip magic bytes.
pub fn is_gzip(body: &[u8]) -> bool {
    body.starts_with(b"\x1f\x8b\x08")
}

#[derive(Clone, Copy)]
enum Coding {
    Gzip,
    Brotli,
    Zstd,
    Deflate,
}

impl Coding {
    /// `None` for the identity coding.
    fn by_name(name: &str) -> Result<Option<Self>, Undecodable> {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("gzip") || is("x-gzip") {
            Ok(Some(Self::Gzip))
        } else if is("br") {
            Ok(Some(Self::Brotli))
        } else if is("zstd") {
            Ok(Some(Self::Zstd))
        } else if is("deflate") {
            Ok(Some(Self::Deflate))
        } else if is("") || is("identity") || is("none") {
            Ok(None)
        } else {
            Err(Undecodable::Unknown(name.to_owned()))
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Deflate => "deflate",
        }
    }

    fn decode(self, body: &[u8], longest: usize) -> Result<Vec<u8>, Undecodable> {
        // Text compresses to about a quarter; a wrong guess costs a copy.
        let mut out = Vec::with_capacity(body.len().saturating_mul(4).min(longest));
        let end = match self {
            Self::Gzip => gunzip(body, longest, &mut out),
            Self::Brotli => {
                take(brotli_decompressor::Decompressor::new(body, 4096), longest, &mut out)
            }
            Self::Zstd => zstd::stream::read::Decoder::with_buffer(body).and_then(|mut decoder| {
                decoder.window_log_max(LARGEST_WINDOW)?;
                take(decoder, longest, &mut out)
            }),
            // The standard says zlib; some servers send a raw deflate stream.
            Self::Deflate if is_zlib(body) => {
                take(flate2::bufread::ZlibDecoder::new(body), longest, &mut out)
            }
            Self::Deflate => take(flate2::bufread::DeflateDecoder::new(body), longest, &mut out),
        };
        match end {
            Err(cause) => Err(Undecodable::Broken { coding: self.name(), cause, start: out }),
            Ok(()) if out.len() > longest => {
                out.truncate(longest);
                Err(Undecodable::TooLong(out))
            }
            Ok(()) => Ok(out),
        }
    }
}

/// Decodes one member after the other. Trailing bytes are ignored, as in browsers.
fn gunzip(mut body: &[u8], longest: usize, out: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let mut decoder = flate2::bufread::GzDecoder::new(&mut body);
        take(&mut decoder, longest, out)?;
        if out.len() > longest || !is_gzip(body.fill_buf()?) {
            return Ok(());
        }
    }
}

/// Reads until `out` has one byte more than the limit.
fn take(reader: impl Read, longest: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let left = longest.saturating_add(1).saturating_sub(out.len());
    reader.take(left as u64).read_to_end(out).map(|_| ())
}

fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write};
    use proptest::prelude::*;

    use super::*;

    const TEXT: &[u8] = b"The sanderling runs along the edge of the waves. ";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = write::GzEncoder::new(vec![], Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = write::ZlibEncoder::new(vec![], Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn raw(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = write::DeflateEncoder::new(vec![], Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decoded(codings: &str, body: &[u8]) -> Vec<u8> {
        decode(codings, body, 10_000).unwrap().into_owned()
    }

    #[test]
    fn every_coding_is_decoded() {
        assert_eq!(decoded("gzip", &gzip(TEXT)), TEXT);
        assert_eq!(decoded("X-Gzip", &gzip(TEXT)), TEXT);
        assert_eq!(decoded("deflate", &zlib(TEXT)), TEXT);
        assert_eq!(decoded("deflate", &raw(TEXT)), TEXT);
        assert_eq!(decoded("zstd", &zstd::encode_all(TEXT, 3).unwrap()), TEXT);
        // Brotli keeps what it cannot shrink as it is: a header, the bytes, an end.
        assert_eq!(decoded("br", b"\x0b\x02\x80hello\x03"), b"hello");
        assert_eq!(decoded("", TEXT), TEXT);
        assert_eq!(decoded("identity", TEXT), TEXT);
    }

    #[test]
    fn codings_are_decoded_from_the_last_to_the_first() {
        assert_eq!(decoded("deflate, gzip", &gzip(&zlib(TEXT))), TEXT);
    }

    #[test]
    fn gzip_members_are_joined_and_trailing_bytes_are_ignored() {
        let mut body = gzip(b"one ");
        body.extend(gzip(b"two"));
        body.extend(b"\0\0 trailing");
        assert_eq!(decoded("gzip", &body), b"one two");
    }

    #[test]
    fn an_answer_without_a_body_may_name_a_coding() {
        assert_eq!(decoded("gzip", b""), b"");
    }

    #[test]
    fn a_decompression_bomb_is_stopped_at_the_limit() {
        let bomb = vec![b'a'; 1 << 20];
        for (coding, body) in
            [("gzip", gzip(&bomb)), ("zstd", zstd::encode_all(&bomb[..], 3).unwrap())]
        {
            assert!(body.len() < 2_000);
            let Err(Undecodable::TooLong(start)) = decode(coding, &body, 5_000) else {
                panic!("{coding} exceeded the limit");
            };
            assert_eq!(start, &bomb[..5_000]);
        }
        assert!(decode("gzip", &gzip(&bomb), bomb.len()).is_ok());
    }

    #[test]
    fn a_malformed_body_is_an_error() {
        let whole = gzip(TEXT);
        for body in [TEXT, &whole[..whole.len() - 9]] {
            assert!(matches!(decode("gzip", body, 999), Err(Undecodable::Broken { .. })));
        }
        assert!(matches!(decode("zstd", TEXT, 999), Err(Undecodable::Broken { .. })));
        assert!(matches!(decode("br", TEXT, 999), Err(Undecodable::Broken { .. })));
        assert!(matches!(decode("compress", TEXT, 999), Err(Undecodable::Unknown(_))));
        assert!(matches!(decode("br,br,br,br,br", TEXT, 999), Err(Undecodable::Unknown(_))));
    }

    proptest! {
        #[test]
        fn no_body_panics_or_exceeds_the_limit(
            body in prop::collection::vec(any::<u8>(), 0..300),
            coding in prop::sample::select(vec!["gzip", "br", "zstd", "deflate"]),
        ) {
            if let Ok(decoded) = decode(coding, &body, 1_000) {
                prop_assert!(decoded.len() <= 1_000);
            }
        }
    }
}
