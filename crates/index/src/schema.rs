//! What the index holds of a page, field by field.
use tantivy::schema::{
    Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};

use crate::analysis;

/// Raised whenever an index that was written before cannot be read as it is now; then it is built
/// anew. A change of the analysis needs no raise: see [`analysis::fingerprint`].
pub(crate) const FORMAT: u32 = 1;

/// The name of the column of page numbers.
pub(crate) const PAGE: &str = "page";
/// The name of the column of dates of change.
pub(crate) const CHANGED: &str = "changed";
/// The name of the column of languages.
pub(crate) const LANGUAGE: &str = "language";
/// The names of the two columns that are one digest: its upper and its lower half.
pub(crate) const DIGEST: [&str; 2] = ["digest_high", "digest_low"];

/// The fields. What is searched and what is shown are different fields: what is searched is
/// terms, what is shown is text that is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// The page's number: the key by which it is replaced and removed.
    pub(crate) page: Field,
    /// Title, text and the words of the address together: a word of a query that must be there is
    /// one look-up for each of its terms, not three.
    pub(crate) words: Field,
    /// The title alone, which counts for more.
    pub(crate) title: Field,
    /// The words of the address alone.
    pub(crate) address: Field,
    /// The host and every domain it is in, each a term as it is.
    pub(crate) host: Field,
    /// When the page became known, in milliseconds.
    pub(crate) first_seen: Field,
    /// When a visit last found it new or changed, in milliseconds.
    pub(crate) changed: Field,
    /// The language, by its place in `Language::ALL`.
    pub(crate) language: Field,
    /// Upper and lower half of the digest of title and text.
    pub(crate) digest: [Field; 2],
    /// The address, to be shown.
    pub(crate) shown_address: Field,
    /// The title, to be shown.
    pub(crate) shown_title: Field,
    /// The beginning of the text, for snippets.
    pub(crate) shown_text: Field,
}

/// The schema of every index, and its fields.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let analysed = |option| {
        let indexing = TextFieldIndexing::default();
        let indexing = indexing.set_tokenizer(analysis::NAME).set_index_option(option);
        TextOptions::default().set_indexing_options(indexing)
    };
    let exact = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let exact = TextOptions::default().set_indexing_options(exact);
    let column = NumericOptions::default().set_fast();
    let key = column.clone().set_indexed();
    let shown = TextOptions::default().set_stored();
    let positions = analysed(IndexRecordOption::WithFreqsAndPositions);
    let fields = Fields {
        page: schema.add_u64_field(PAGE, key.clone()),
        words: schema.add_text_field("words", positions.clone()),
        title: schema.add_text_field("title", positions),
        address: schema.add_text_field("address", analysed(IndexRecordOption::WithFreqs)),
        host: schema.add_text_field("host", exact),
        first_seen: schema.add_i64_field("first_seen", column.clone()),
        changed: schema.add_i64_field(CHANGED, column.clone()),
        language: schema.add_u64_field(LANGUAGE, key),
        digest: DIGEST.map(|name| schema.add_u64_field(name, column.clone())),
        shown_address: schema.add_text_field("shown_address", shown.clone()),
        shown_title: schema.add_text_field("shown_title", shown.clone()),
        shown_text: schema.add_text_field("shown_text", shown),
    };
    (schema.build(), fields)
}
