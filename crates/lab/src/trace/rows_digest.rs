//! The digest of the rows of a trace: what two traces have in common that were made alike, whatever program
//! wrote them and however it packed them.
//!
//! It is the SHA-1 of one line for each row, in order, each ended by `\n`:
//! `url`, `at` in milliseconds since 1970, `status`, `mime` and the SHA-1 of the body (or `-` without a body),
//! separated by tabs. Metadata and the column `after` do not count.
use std::fmt;

use data_encoding::HEXLOWER;
use sha1::{Digest as _, Sha1};

use super::{Row, TraceError, TraceReader};

/// The digest of the rows of a trace, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsDigest {
    /// The number of rows.
    pub rows: u64,
    sha1: [u8; 20],
}

impl RowsDigest {
    /// Reads all rows of a trace.
    ///
    /// # Errors
    /// If a row is invalid.
    pub fn from_reader(reader: &mut TraceReader) -> Result<Self, TraceError> {
        let mut digest = Sha1::new();
        let mut rows = 0;
        for batch in reader.batches()? {
            for row in batch? {
                digest.update(line(&row).as_bytes());
                rows += 1;
            }
        }
        Ok(Self { rows, sha1: digest.finalize().into() })
    }

    /// Parses the form that [`Display`](fmt::Display) writes, with the number of rows beside it.
    pub fn parse(rows: u64, text: &str) -> Option<Self> {
        let digits = text.strip_prefix("sha1:").filter(|digits| digits.len() == 40)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut sha1 = [0; 20];
        for (number, byte) in sha1.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * number..2 * number + 2], 16).ok()?;
        }
        Some(Self { rows, sha1 })
    }
}

impl fmt::Display for RowsDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("sha1:")?;
        self.sha1.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

fn line(row: &Row) -> String {
    let body = row
        .body
        .as_ref()
        .map_or_else(|| "-".to_owned(), |body| HEXLOWER.encode(&Sha1::digest(body)));
    format!("{}\t{}\t{}\t{}\t{body}\n", row.url, row.at.millis(), row.status, row.mime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawl::Time;

    #[test]
    fn a_row_is_a_line_of_its_columns() {
        let at = Time::from_millis(1_500);
        let row = Row {
            url: "https://e.org/".to_owned(),
            at,
            status: 200,
            mime: "text/html".to_owned(),
            body: Some(b"abc".to_vec()),
        };
        assert_eq!(
            line(&row),
            "https://e.org/\t1500\t200\ttext/html\ta9993e364706816aba3e25717850c26c9cd0d89d\n"
        );
        let gone = Row { status: 404, body: None, ..row };
        assert_eq!(line(&gone), "https://e.org/\t1500\t404\ttext/html\t-\n");
    }

    #[test]
    fn its_text_parses_to_itself() {
        let digest = RowsDigest { rows: 3, sha1: [0xa5; 20] };
        assert_eq!(RowsDigest::parse(3, &digest.to_string()), Some(digest));
        for text in ["", "sha1:", "md5:00", "sha1:zz"] {
            assert_eq!(RowsDigest::parse(3, text), None, "{text}");
        }
    }
}
