//! One record as it was read.
use flow::{Time, Truncation};

use super::{HttpResponse, Original, PayloadDigest, RecordId, read_date};

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordKind {
    /// A description of the records behind it.
    Warcinfo,
    /// What was asked.
    Request,
    /// What came.
    Response,
    /// That the same came again.
    Revisit,
    /// Content without the protocol it came by.
    Resource,
    /// More about another record.
    Metadata,
    /// Another form of a record's content.
    Conversion,
    /// The next part of a record too long for one file.
    Continuation,
    /// A kind that we do not know; to be passed over.
    Other,
}

/// Where a record can be found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its first byte in the file.
    pub offset: u64,
    /// How many bytes of the file it takes.
    pub length: u64,
}

/// One record of a WARC file, whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The fields in their order. Bytes that are no UTF-8 are replaced.
    pub fields: Vec<(String, String)>,
    /// The block.
    pub block: Vec<u8>,
    /// Where it is, if it can be read from there alone. A record in the middle of a gzip member
    /// cannot.
    pub place: Option<Place>,
}

impl Record {
    /// The first field of this name, in whatever case.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }

    /// What it holds.
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

    /// Its name, if it is a UUID.
    pub fn id(&self) -> Option<RecordId> {
        RecordId::read(self.field("WARC-Record-ID")?)
    }

    /// The address it is about, without the `<` and `>` that wget puts around it.
    pub fn target(&self) -> Option<&str> {
        let target = self.field("WARC-Target-URI")?;
        Some(target.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(target))
    }

    /// Its date, to the millisecond.
    pub fn date(&self) -> Option<Time> {
        read_date(self.field("WARC-Date")?)
    }

    /// The digest of its payload, as it says, if that is a SHA-1.
    pub fn payload_digest(&self) -> Option<PayloadDigest> {
        PayloadDigest::read(self.field("WARC-Payload-Digest")?)
    }

    /// Whether the block has the digest that the record gives; `None` where it gives none that we
    /// can check.
    pub fn block_is_intact(&self) -> Option<bool> {
        let digest = PayloadDigest::read(self.field("WARC-Block-Digest")?)?;
        Some(digest == PayloadDigest::of(&self.block))
    }

    /// Why its block is not whole, where it is not. A reason we do not know is a `Disconnect`: all
    /// it says is that something is missing.
    pub fn truncated(&self) -> Option<Truncation> {
        Some(match self.field("WARC-Truncated")? {
            "length" => Truncation::Length,
            "time" => Truncation::Time,
            _ => Truncation::Disconnect,
        })
    }

    /// The response of HTTP that a `response` or a `revisit` holds.
    pub fn http_response(&self) -> Option<HttpResponse<'_>> {
        matches!(self.kind(), RecordKind::Response | RecordKind::Revisit)
            .then(|| HttpResponse::read(&self.block))
            .flatten()
    }

    /// What a revisit of this record would refer to; only a `response` can be referred to.
    pub fn as_original(&self) -> Option<Original> {
        if self.kind() != RecordKind::Response {
            return None;
        }
        let (id, at, payload) = (self.id()?, self.date()?, self.payload_digest()?);
        Some(Original { id, address: self.target()?.to_owned(), at, payload })
    }
}
