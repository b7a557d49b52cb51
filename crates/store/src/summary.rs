//! Rows of `snapshot`: a held snapshot without its links and text, which are in the archive.
use std::sync::Arc;

use crawl::{Counts, Directives, Fingerprints, Form, LinkList, Snapshot, Validators};
use rusqlite::types::Type;
use rusqlite::{Row, ToSql};

use crate::column::{self, Named};

/// A snapshot without content, and with only a digest of its links.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) form: Form,
    pub(crate) counts: Counts,
    pub(crate) directives: Directives,
    pub(crate) links: u64,
    pub(crate) fingerprints: Fingerprints,
}

/// Columns for [`Summary::from_row`].
pub(crate) const COLUMNS: &str = "snapshot.form, snapshot.words, snapshot.images, \
    snapshot.tables, snapshot.emails, snapshot.text_bytes, snapshot.noindex, snapshot.nofollow, \
    snapshot.canonical, snapshot.links_digest, snapshot.body_digest, snapshot.text_digest, \
    snapshot.simhash, snapshot.sketch";

pub(crate) const COLUMN_COUNT: usize = 14;

/// Replaces a row; parameters from [`Summary::values`].
pub(crate) const REPLACE: &str = "INSERT OR REPLACE INTO snapshot (page, observation, form, \
    words, images, tables, emails, text_bytes, noindex, nofollow, canonical, links_digest, \
    body_digest, text_digest, simhash, sketch, etag, last_modified, left_out) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";

impl Summary {
    pub(crate) fn from_snapshot(snapshot: &Snapshot) -> Self {
        Self {
            form: snapshot.form,
            counts: snapshot.counts,
            directives: snapshot.directives.clone(),
            links: snapshot.links.digest(),
            fingerprints: snapshot.fingerprints.clone(),
        }
    }

    /// The snapshot without links and content.
    pub(crate) fn into_snapshot(self) -> Snapshot {
        Snapshot {
            form: self.form,
            fingerprints: self.fingerprints,
            counts: self.counts,
            links: Arc::new(LinkList::default()),
            directives: self.directives,
            ..Snapshot::default()
        }
    }

    /// Reads the columns from `first` on.
    pub(crate) fn from_row(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        let form: String = row.get(first)?;
        let digest = |place: usize| {
            let bytes = row.get_ref(first + place)?.as_blob().ok();
            bytes.and_then(column::digest).ok_or_else(|| bad(first + place, "a digest"))
        };
        let sketch = row.get_ref(first + 13)?.as_blob().ok().and_then(column::unpack_sketch);
        Ok(Self {
            form: Form::by_name(&form).ok_or_else(|| bad(first, "a form"))?,
            counts: Counts {
                words: row.get(first + 1)?,
                images: row.get(first + 2)?,
                tables: row.get(first + 3)?,
                emails: row.get(first + 4)?,
                text_bytes: row.get(first + 5)?,
            },
            directives: Directives {
                noindex: row.get(first + 6)?,
                nofollow: row.get(first + 7)?,
                canonical: row.get::<_, Option<String>>(first + 8)?.map(Into::into),
            },
            links: row.get::<_, i64>(first + 9)? as u64,
            fingerprints: Fingerprints {
                body: digest(10)?,
                text: digest(11)?,
                simhash: row.get::<_, i64>(first + 12)? as u64,
                sketch: sketch.ok_or_else(|| bad(first + 13, "a sketch"))?.into(),
            },
        })
    }

    /// Passes the parameters of [`REPLACE`] to `write`.
    pub(crate) fn values<T>(
        &self,
        page: u32,
        observation: i64,
        validators: &Validators,
        left_out: Option<&str>,
        write: impl FnOnce(&[&dyn ToSql]) -> T,
    ) -> T {
        let Self { counts, directives, fingerprints, .. } = self;
        write(&[
            &page,
            &observation,
            &self.form.name(),
            &counts.words,
            &counts.images,
            &counts.tables,
            &counts.emails,
            &counts.text_bytes,
            &directives.noindex,
            &directives.nofollow,
            &directives.canonical.as_deref(),
            &(self.links as i64),
            &fingerprints.body.0.to_be_bytes(),
            &fingerprints.text.0.to_be_bytes(),
            &(fingerprints.simhash as i64),
            &column::pack(fingerprints.sketch.iter().map(|&hash| i64::from(hash))),
            &validators.entity_tag,
            &validators.last_modified,
            &left_out,
        ])
    }
}

/// Error for an unexpected value in a column.
pub(crate) fn bad(place: usize, expected: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(
        place,
        Type::Null,
        format!("expected {expected}").into(),
    )
}
