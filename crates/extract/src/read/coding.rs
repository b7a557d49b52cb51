//! Content codings: decompresses a body.
//!
//! A few hundred bytes can expand to gigabytes, so every decoder stops at a limit.
use std::{
    borrow::Cow,
    io::{self, BufRead, BufReader, Read},
};

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

/// The supported codings, as the value of `Accept-Encoding`.
pub const ACCEPTED: &str = "gzip, br, zstd, deflate";

/// The most stacked codings. Nobody uses more than two.
const MOST_CODINGS: usize = 4;

/// The largest window a zstd body may ask for, as a power of two (RFC 9659: 8 MiB).
const LARGEST_WINDOW: u32 = 23;

const BUFFER_BYTES: usize = 16 << 10;

/// Why a body could not be decoded.
#[derive(Debug, thiserror::Error)]
pub enum Undecodable {
    /// It decodes to more bytes than the limit; these are the first.
    #[error("longer than {} bytes when decoded", .0.len())]
    TooLong(Vec<u8>),
    /// It is malformed or truncated.
    #[error("malformed {coding} body: {cause}")]
    Broken {
        /// Its codings.
        coding: String,
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
    let layers = layers(codings)?;
    if body.is_empty() || layers.is_empty() {
        return if body.len() > longest {
            Err(Undecodable::TooLong(body[..longest].to_vec()))
        } else {
            Ok(Cow::Borrowed(body))
        };
    }
    // Text compresses to about a quarter; a wrong guess costs a copy.
    let mut out = Vec::with_capacity(body.len().saturating_mul(4).min(longest));
    let most = (longest as u64).saturating_add(1);
    let end = open(&layers, body).and_then(|reader| reader.take(most).read_to_end(&mut out));
    match end {
        Err(cause) => Err(Undecodable::Broken { coding: codings.to_owned(), cause, start: out }),
        Ok(_) if out.len() > longest => {
            out.truncate(longest);
            Err(Undecodable::TooLong(out))
        }
        Ok(_) => Ok(Cow::Owned(out)),
    }
}

/// Decodes a body piece by piece, whatever its length. Reading fails where the body is malformed.
///
/// # Errors
/// When the start of the body is malformed or a coding is unknown.
pub fn reader<'b>(codings: &str, body: &'b [u8]) -> Result<Box<dyn BufRead + 'b>, Undecodable> {
    open(&layers(codings)?, body).map_err(|cause| Undecodable::Broken {
        coding: codings.to_owned(),
        cause,
        start: vec![],
    })
}

/// The codings of a body, in the order in which they were applied.
fn layers(codings: &str) -> Result<Vec<Coding>, Undecodable> {
    let names: Vec<&str> = codings.split(',').map(str::trim).collect();
    if names.len() > MOST_CODINGS {
        return Err(Undecodable::Unknown(names.join(", ")));
    }
    names.into_iter().filter_map(|name| Coding::by_name(name).transpose()).collect()
}

fn open<'b>(layers: &[Coding], body: &'b [u8]) -> io::Result<Box<dyn BufRead + 'b>> {
    let mut reader: Box<dyn BufRead + 'b> = Box::new(body);
    // The coding applied last is decoded first.
    for coding in layers.iter().rev() {
        // A response without a body may still name a coding.
        if !reader.fill_buf()?.is_empty() {
            reader = coding.decoder(reader)?;
        }
    }
    Ok(reader)
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

    fn decoder<'b>(self, mut body: Box<dyn BufRead + 'b>) -> io::Result<Box<dyn BufRead + 'b>> {
        let decoded: Box<dyn Read + 'b> = match self {
            Self::Gzip => Box::new(Gunzip(Some(GzDecoder::new(body)))),
            Self::Brotli => Box::new(brotli_decompressor::Decompressor::new(body, BUFFER_BYTES)),
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(body)?;
                decoder.window_log_max(LARGEST_WINDOW)?;
                Box::new(decoder)
            }
            // The standard says zlib; some servers send a raw deflate stream.
            Self::Deflate if is_zlib(body.fill_buf()?) => Box::new(ZlibDecoder::new(body)),
            Self::Deflate => Box::new(DeflateDecoder::new(body)),
        };
        Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, decoded)))
    }
}

/// Decodes one member after the other. Trailing bytes are ignored, as in browsers. `None` after the end.
struct Gunzip<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(decoder) = &mut self.0 else { return Ok(0) };
            let count = decoder.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            let Some(mut rest) = self.0.take().map(GzDecoder::into_inner) else { return Ok(0) };
            self.0 = is_gzip(rest.fill_buf()?).then(|| GzDecoder::new(rest));
        }
    }
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
