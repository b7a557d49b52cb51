//! Captures as web archives list them, without their records: CDX and CDXJ lines, compressed or not.
//!
//! CDX is older than CDXJ: fields separated by blanks, in the order that a header line names by letters,
//! ` CDX N b a m s k r M S V g`. The letters: `b` date, `a` address, `m` media type, `s` status, `k` digest.
//! Without a header, lines of 11, 10 and 9 fields have the usual orders, and lines of 7 fields that of the
//! Wayback Machine's CDX server. A line of JSON alone is what pywb's server sends.
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde_json::{Map, Value};

use super::reader::{Lines, error};
use super::{Error, Flaw};
use crate::Timestamp;

/// The orders of fields without a header, by their number.
const USUAL: [&str; 4] = ["NbamskrMSVg", "NbamskrMVg", "NbamskrVg", "NbamskS"];

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What an index says about one capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The address.
    pub url: String,
    /// When it was captured.
    pub at: Timestamp,
    /// The media type, or [`REVISIT`](super::REVISIT); empty if unknown.
    pub mime: String,
    /// The HTTP status; revisits often have none.
    pub status: Option<u16>,
    /// The digest of the payload as written; `None` if unknown.
    pub digest: Option<String>,
}

/// Reads the captures of an index. It continues after an invalid line, and ends after an I/O error.
pub struct CaptureReader {
    lines: Lines<Box<dyn BufRead>>,
    layout: Option<Layout>,
}

/// Where the fields of a CDX line are.
#[derive(Clone, Copy, Debug)]
struct Layout {
    separator: char,
    count: usize,
    address: usize,
    date: usize,
    mime: Option<usize>,
    status: Option<usize>,
    digest: usize,
}

impl CaptureReader {
    /// Reads the file at `path`; a gzip file is recognised by its first bytes.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|e| error("open", path, e))?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        let start = file.fill_buf().map_err(|e| error("read", path, e))?;
        let is_gzip = start.starts_with(&GZIP);
        let input: Box<dyn BufRead> = if is_gzip {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Ok(Self { lines: Lines::new(path, input), layout: None })
    }

    /// Reads `input`, which is not compressed; errors name `path`.
    pub fn new(path: &Path, input: impl Read + 'static) -> Self {
        Self { lines: Lines::new(path, Box::new(BufReader::new(input))), layout: None }
    }

    /// The capture of a line; `None` for a header.
    fn parse(&mut self, line: &str) -> Result<Option<Capture>, Flaw> {
        let line = line.trim_end_matches(['\n', '\r']);
        if let Some((separator, letters)) = header(line) {
            // Lines after a header that cannot be used must not be read as something else.
            self.layout = None;
            self.layout = Some(Layout::new(separator, letters).ok_or(Flaw::Header)?);
            return Ok(None);
        }
        let text = line.trim();
        if text.starts_with('{') {
            return of_object(text, None).map(Some);
        }
        if let Some((_, rest)) = text.split_once(' ')
            && let Some((date, object)) = rest.split_once(' ')
            && object.starts_with('{')
        {
            let at = Timestamp::parse_digits(date).ok_or(Flaw::Date)?;
            return of_object(object, Some(at)).map(Some);
        }
        self.of_fields(text).map(Some)
    }

    fn of_fields(&self, line: &str) -> Result<Capture, Flaw> {
        let layout = if let Some(layout) = self.layout {
            layout
        } else {
            let count = line.split(' ').count();
            let usual = USUAL.iter().find(|letters| letters.len() == count);
            usual.and_then(|letters| Layout::new(' ', letters)).ok_or(Flaw::Fields(count))?
        };
        let fields: Vec<&str> = line.split(layout.separator).collect();
        if fields.len() != layout.count {
            return Err(Flaw::FieldCount { found: fields.len(), named: layout.count });
        }
        let optional = |place: Option<usize>| place.and_then(|place| known(fields[place]));
        Ok(Capture {
            url: known(fields[layout.address]).ok_or(Flaw::Field("url"))?.to_owned(),
            at: Timestamp::parse_digits(fields[layout.date]).ok_or(Flaw::Date)?,
            mime: optional(layout.mime).unwrap_or_default().to_owned(),
            status: status(optional(layout.status))?,
            digest: known(fields[layout.digest]).map(str::to_owned),
        })
    }
}

impl Iterator for CaptureReader {
    type Item = Result<Capture, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            match self.parse(&line) {
                Ok(None) => {}
                Ok(Some(capture)) => return Some(Ok(capture)),
                Err(flaw) => return Some(Err(self.lines.flaw(flaw))),
            }
        }
    }
}

impl Layout {
    /// The layout of these letters; `None` without address, date or digest.
    fn new(separator: char, letters: &str) -> Option<Self> {
        let letters: Vec<char> = letters.chars().filter(|letter| *letter != separator).collect();
        let place = |letter| letters.iter().position(|other| *other == letter);
        Some(Self {
            separator,
            count: letters.len(),
            address: place('a')?,
            date: place('b')?,
            mime: place('m'),
            status: place('s'),
            digest: place('k')?,
        })
    }
}

/// The separator and the letters of a header: its first character separates the fields.
fn header(line: &str) -> Option<(char, &str)> {
    let separator = line.chars().next()?;
    let letters = line.strip_prefix(separator)?.strip_prefix("CDX")?;
    (letters.is_empty() || letters.starts_with(separator)).then_some((separator, letters))
}

/// The value of a field; `-` stands for none.
fn known(field: &str) -> Option<&str> {
    Some(field.trim()).filter(|field| !matches!(*field, "" | "-"))
}

fn status(text: Option<&str>) -> Result<Option<u16>, Flaw> {
    text.map(|text| text.parse().map_err(|_| Flaw::Field("status"))).transpose()
}

fn of_object(object: &str, at: Option<Timestamp>) -> Result<Capture, Flaw> {
    let fields: Map<String, Value> =
        serde_json::from_str(object).map_err(|e| Flaw::Json(e.to_string()))?;
    // Some writers leave numbers as numbers.
    let text = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => known(text).map(str::to_owned),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let date = || text("timestamp").as_deref().and_then(Timestamp::parse_digits);
    Ok(Capture {
        url: text("url").ok_or(Flaw::Field("url"))?,
        at: at.or_else(date).ok_or(Flaw::Date)?,
        mime: text("mime").unwrap_or_default(),
        status: status(text("status").as_deref())?,
        digest: text("digest"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Vec<Result<String, String>> {
        let shown = |capture: Capture| {
            let Capture { url, at, mime, status, digest } = capture;
            format!("{at} {url} {mime} {status:?} {}", digest.unwrap_or_default())
        };
        CaptureReader::new(Path::new("x.cdx"), text.as_bytes())
            .map(|line| line.map(shown).map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn a_header_names_the_order_of_the_fields() {
        let text = " CDX N b a m s k r M S V g\n\
            org,e)/ 20260102030405 http://e.org/ text/html 200 ABC - - 10 20 x.warc.gz\n";
        let expected = "2026-01-02T03:04:05.000Z http://e.org/ text/html Some(200) ABC";
        assert_eq!(read(text), [Ok(expected.to_owned())]);
        let text = "|CDX|a|b|k\nhttp://e.org/ a|20260102030405|-\n";
        let expected = "2026-01-02T03:04:05.000Z http://e.org/ a  None ";
        assert_eq!(read(text), [Ok(expected.to_owned())]);
    }

    #[test]
    fn without_a_header_the_number_of_fields_tells_their_order() {
        let nine = "org,e)/ 20260102030405 http://e.org/ text/html 200 ABC - 20 x.arc.gz\n";
        let seven = "org,e)/ 20260102030405 http://e.org/ warc/revisit - ABC 10\n";
        assert!(read(nine)[0].as_ref().unwrap().ends_with("text/html Some(200) ABC"));
        assert!(read(seven)[0].as_ref().unwrap().ends_with("warc/revisit None ABC"));
    }

    #[test]
    fn objects_are_read_with_or_without_a_key_before_them() {
        let text = "org,e)/ 20260102030405 {\"url\": \"http://e.org/\", \"status\": 200, \
                    \"digest\": \"sha1:ABC\", \"mime\": \"text/html\"}\n\
            {\"urlkey\": \"org,e)/\", \"timestamp\": \"20260102030405\", \"url\": \"http://e.org/\", \
             \"status\": \"-\"}\n";
        assert_eq!(
            read(text),
            [
                Ok("2026-01-02T03:04:05.000Z http://e.org/ text/html Some(200) sha1:ABC"
                    .to_owned()),
                Ok("2026-01-02T03:04:05.000Z http://e.org/  None ".to_owned()),
            ]
        );
    }

    #[test]
    fn an_invalid_line_is_named_and_the_next_one_read() {
        let text = " CDX N b a m s k\n\
            org,e)/ 2026 http://e.org/ text/html 200 ABC\n\
            nonsense\n\
            org,e)/ 20260102030405 http://e.org/ text/html x ABC\n\
            org,e)/ 20260102030405 {\"url\": 5\n\
            org,e)/ 20260102030405 http://e.org/ text/html 200 ABC\n";
        let lines = read(text);
        let errors: Vec<&str> =
            lines.iter().filter_map(|line| line.as_ref().err().map(String::as_str)).collect();
        assert_eq!(errors.len(), 4);
        assert_eq!(errors[0], "line 2 of x.cdx: its date is not 14 digits");
        assert_eq!(errors[1], "line 3 of x.cdx: it has 1 fields, and the header names 6");
        assert_eq!(errors[2], "line 4 of x.cdx: its field status is missing or invalid");
        assert!(lines[4].is_ok());
    }
}
