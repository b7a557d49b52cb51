//! The tantivy schema.
use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};

use crate::analysis;

/// Increase this if older indexes can no longer be read; they are rebuilt. Changes of the analysis
/// are detected by [`analysis::fingerprint`].
pub(crate) const FORMAT: u32 = 1;

/// Column of page numbers.
pub(crate) const PAGE: &str = "page";
/// Column of change times.
pub(crate) const CHANGED: &str = "changed";
/// Column of languages.
pub(crate) const LANGUAGE: &str = "language";
/// Columns of the digest: upper and lower half.
pub(crate) const DIGEST: [&str; 2] = ["digest_high", "digest_low"];

/// Fields. Searched fields hold terms; stored fields hold truncated text for display.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// Page number: the key for replacing and deleting.
    pub(crate) page: Field,
    /// Title, text and words of the address in one field, so that a required word needs one look-up
    /// per term instead of three.
    pub(crate) words: Field,
    /// Title only, for its boost.
    pub(crate) title: Field,
    /// Words of the address.
    pub(crate) address: Field,
    /// The host and its parent domains, untokenized.
    pub(crate) host: Field,
    /// When the page was first seen, in milliseconds.
    pub(crate) first_seen: Field,
    /// When a visit last found it new or changed, in milliseconds.
    pub(crate) changed: Field,
    /// Language, as an index into `Language::ALL`.
    pub(crate) language: Field,
    /// Digest of title and text: upper and lower half.
    pub(crate) digest: [Field; 2],
    /// Address for display.
    pub(crate) shown_address: Field,
    /// Title for display.
    pub(crate) shown_title: Field,
    /// First part of the text, for snippets.
    pub(crate) shown_text: Field,
    /// The text runs of that part ([`stored_runs`](crate::stored_runs)), to tell main text from
    /// boilerplate when a search is made.
    pub(crate) runs: Field,
}

/// The schema and its fields.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let analysed = |option| {
        let indexing = TextFieldIndexing::default();
        let indexing = indexing.set_tokenizer(analysis::TOKENIZER).set_index_option(option);
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
        runs: schema.add_bytes_field("runs", BytesOptions::default().set_stored()),
    };
    (schema.build(), fields)
}
