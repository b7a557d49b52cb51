//! One record of a WARC file.
use super::{HttpResponse, Original, PayloadDigest, RecordId, Timestamp, Truncated};

/// The type of a record (`WARC-Type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordKind {
    /// A description of the records that follow.
    Warcinfo,
    /// An HTTP request.
    Request,
    /// An HTTP response with its payload.
    Response,
    /// A response with the payload of an earlier one.
    Revisit,
    /// Content without protocol headers.
    Resource,
    /// More about another record.
    Metadata,
    /// Another form of a record's content.
    Conversion,
    /// The next part of a record too long for one file.
    Continuation,
    /// An unknown type; readers skip it.
    Other,
}

/// The byte range of a record in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordLocation {
    /// Its first byte in the file.
    pub offset: u64,
    /// Its length in the file, compressed.
    pub length: u64,
}

/// One record of a WARC file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The fields in their order. Invalid UTF-8 is replaced.
    pub fields: Vec<(String, String)>,
    /// The block.
    pub block: Vec<u8>,
    /// Where it is, if it can be read from there alone. A record in the middle of a gzip member
    /// cannot.
    pub location: Option<RecordLocation>,
}

impl Record {
    /// The first field of this name, ignoring case.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }

    /// Its type.
    pub fn kind(&self) -> RecordKind {
        let kind = self.field("WARC-Type").unwrap_or_default().to_ascii_lowercase();
        match kind.as_str() {
            "warcinfo" => RecordKind::Warcinfo,
            "request" => RecordKind::Request,
            "response" => RecordKind::Response,
            "revisit" => RecordKind::Revisit,
            "resource" => RecordKind::Resource,
            "metadata" => RecordKind::Metadata,
            "conversion" => RecordKind::Conversion,
            "continuation" => RecordKind::Continuation,
            _ => RecordKind::Other,
        }
    }

    /// Its identifier, if it is a UUID.
    pub fn id(&self) -> Option<RecordId> {
        RecordId::parse(self.field("WARC-Record-ID")?)
    }

    /// Its address, without the `<` and `>` that wget puts around it.
    pub fn target(&self) -> Option<&str> {
        let target = self.field("WARC-Target-URI")?;
        Some(target.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(target))
    }

    /// Its date, to the millisecond.
    pub fn date(&self) -> Option<Timestamp> {
        Timestamp::parse(self.field("WARC-Date")?)
    }

    /// The digest of its payload as stated, if it is a SHA-1.
    pub fn payload_digest(&self) -> Option<PayloadDigest> {
        PayloadDigest::parse(self.field("WARC-Payload-Digest")?)
    }

    /// Whether the block matches its stated digest; `None` if there is no SHA-1 to check.
    pub fn block_is_intact(&self) -> Option<bool> {
        let digest = PayloadDigest::parse(self.field("WARC-Block-Digest")?)?;
        Some(digest == PayloadDigest::compute(&self.block))
    }

    /// Why its block is incomplete; `None` if it is complete. An unknown reason counts as
    /// [`Truncated::Disconnect`].
    pub fn truncated(&self) -> Option<Truncated> {
        Some(match self.field("WARC-Truncated")? {
            "length" => Truncated::Length,
            "time" => Truncated::Time,
            _ => Truncated::Disconnect,
        })
    }

    /// The HTTP response in a `response` or a `revisit`.
    pub fn http_response(&self) -> Option<HttpResponse<'_>> {
        matches!(self.kind(), RecordKind::Response | RecordKind::Revisit)
            .then(|| HttpResponse::parse(&self.block))
            .flatten()
    }

    /// What a revisit of this record refers to; `None` unless it is a `response`.
    pub fn as_original(&self) -> Option<Original> {
        if self.kind() != RecordKind::Response {
            return None;
        }
        let (id, at, payload) = (self.id()?, self.date()?, self.payload_digest()?);
        Some(Original { id, address: self.target()?.to_owned(), at, payload })
    }
}
