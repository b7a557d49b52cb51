//! PDF: title and the text of its pages.
//!
//! A PDF is a program of sorts, so a hostile file could take any time and memory. `lopdf` limits how deep
//! objects are nested and how far a stream is inflated; this limits the pages and the text as a whole. What
//! still goes wrong in a file gives no text, and nothing else.
use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::{Document, LoadOptions};

use super::{Reading, fold::fold, runs};

/// Larger files are not read.
const LARGEST_FILE: usize = 32 << 20;
/// The most bytes that one stream may inflate to.
const LARGEST_STREAM: usize = 8 << 20;
/// The most pages that are read.
const MOST_PAGES: usize = 500;
/// No further page is read after so many bytes of text.
const MOST_TEXT: usize = 2 << 20;

/// Parses a PDF; `None` where nothing can be read of it.
pub(crate) fn read(address: &str, body: &[u8]) -> Option<Reading> {
    if body.len() > LARGEST_FILE {
        return None;
    }
    // A broken file must not end a crawl, whatever it does to the parser.
    let (title, text) = catch_unwind(AssertUnwindSafe(|| title_and_text(body))).ok()??;
    Some(Reading {
        title: fold(&title),
        runs: runs::lines(address, &text),
        text: fold(&text),
        ..Reading::default()
    })
}

fn title_and_text(body: &[u8]) -> Option<(String, String)> {
    let options =
        LoadOptions { max_decompressed_size: Some(LARGEST_STREAM), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(body, options).ok()?;
    let mut text = String::new();
    let pages: Vec<u32> = document.get_pages().into_keys().take(MOST_PAGES).collect();
    for page in pages {
        if text.len() >= MOST_TEXT {
            break;
        }
        // A page that cannot be read does not hide the others.
        if let Ok(of_page) = document.extract_text_with_limit(&[page], LARGEST_STREAM) {
            text.push_str(&of_page);
            text.push('\n');
        }
    }
    Some((title(&document).unwrap_or_default(), text))
}

/// The title in the document's information dictionary.
fn title(document: &Document) -> Option<String> {
    let information = document.trailer.get(b"Info").ok()?;
    let (_, information) = document.dereference(information).ok()?;
    let (_, title) = document.dereference(information.as_dict().ok()?.get(b"Title").ok()?).ok()?;
    lopdf::decode_text_string(title).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PDF of one page that says "Low tide at noon", with a title.
    pub(crate) fn pdf(words: &str) -> Vec<u8> {
        let stream = format!("BT /F1 24 Tf 72 700 Td ({words}) Tj ET");
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources \
             << /Font << /F1 5 0 R >> >> >>"
                .to_owned(),
            format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
                .to_owned(),
            "<< /Title (Tide table) >>".to_owned(),
        ];
        let mut file = b"%PDF-1.4\n".to_vec();
        let mut places = vec![];
        for (number, object) in (1..).zip(&objects) {
            places.push(file.len());
            file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
        }
        let start = file.len();
        file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).bytes());
        for place in places {
            file.extend(format!("{place:010} 00000 n \n").bytes());
        }
        let size = objects.len() + 1;
        file.extend(
            format!(
                "trailer\n<< /Size {size} /Root 1 0 R /Info 6 0 R >>\nstartxref\n{start}\n%%EOF\n"
            )
            .bytes(),
        );
        file
    }

    #[test]
    fn title_and_text_are_read() {
        let reading = read("http://a.org/x.pdf", &pdf("Low tide at noon")).unwrap();
        assert_eq!(
            (reading.title.as_str(), reading.text.as_str()),
            ("Tide table", "Low tide at noon")
        );
    }

    #[test]
    fn what_is_no_pdf_has_no_text() {
        assert!(read("http://a.org/x.pdf", b"%PDF-1.4 and no more").is_none());
        assert!(read("http://a.org/x.pdf", b"").is_none());
    }

    #[test]
    fn a_stream_that_inflates_without_end_is_not_read() {
        use std::io::Write;
        let mut encoder = flate2::write::ZlibEncoder::new(vec![], flate2::Compression::best());
        let words = b"BT /F1 24 Tf (tide) Tj ET ".repeat(4_000);
        (0..200).for_each(|_| encoder.write_all(&words).unwrap());
        let packed = encoder.finish().unwrap();
        let mut file = pdf("Low tide at noon");
        let text = String::from_utf8_lossy(&file).into_owned();
        let start = text.find("4 0 obj").unwrap();
        let end = text[start..].find("endobj").unwrap() + start;
        let mut object =
            format!("4 0 obj\n<< /Length {} /Filter /FlateDecode >>\nstream\n", packed.len())
                .into_bytes();
        object.extend(&packed);
        object.extend(b"\nendstream\n");
        file.splice(start..end, object);
        // 20 MB of operators in a file of some kilobytes.
        assert!(file.len() < 200_000);
        let text = read("http://a.org/x.pdf", &file).map_or(0, |reading| reading.text.len());
        assert!(text < MOST_TEXT + LARGEST_STREAM, "{text}");
    }
}
