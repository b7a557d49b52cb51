//! What the last snapshot of a page says about how it will change.
use crawl::{Form, Snapshot, TextDates};
use serde::{Deserialize, Serialize};

/// A few numbers of a page's last snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traits {
    /// Bytes of visible text.
    pub text_bytes: u32,
    /// Links on the page.
    pub links: u32,
    /// The dates in its text.
    pub dates: TextDates,
    /// Whether it is HTML.
    pub is_html: bool,
}

impl Traits {
    /// The traits of a snapshot.
    pub fn new(snapshot: &Snapshot) -> Self {
        Self {
            text_bytes: snapshot.counts.text_bytes,
            links: snapshot.links.links().len() as u32,
            dates: snapshot.dates,
            is_html: snapshot.form == Form::Html,
        }
    }
}
