//! Encodes the exchanges of a batch as WARC records and appends them to the archive.
use crawl::{Exchange, Time};
use rayon::prelude::*;

use super::Writer;
use super::deduplicate::{EarlierResponse, VisitContext};
use crate::StoreError;
use crate::batch::Batch;
use crate::column::RecordForm;
use crate::warc_types::{http_exchange, timestamp};
use warc::{Encoder, Original, PayloadDigest, Profile, RecordId};

/// Records of a batch.
#[derive(Debug)]
pub(super) struct Archived {
    /// Record of each visit with an exchange.
    pub(super) visits: Vec<Option<StoredRecord>>,
    /// Records of each robots.txt, with their numbers.
    pub(super) robots: Vec<Vec<(i64, StoredRecord)>>,
}

/// A record in the archive.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredRecord {
    pub(super) record: RecordForm,
    pub(super) payload: PayloadDigest,
    pub(super) file: i64,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// A compressed exchange: the response or revisit record, then the request record.
struct EncodedExchange {
    bytes: Vec<u8>,
    /// Bytes of the response or revisit record.
    answer: u64,
    record: RecordForm,
    payload: PayloadDigest,
}

impl Writer {
    /// Compresses in parallel, then appends in order.
    pub(super) fn archive(
        &mut self,
        batch: &Batch,
        contexts: &[VisitContext],
    ) -> Result<Archived, StoreError> {
        let robots = self.archive_robots(batch)?;
        let (identity, level) = (&self.identity, self.options.compression_level);
        let encoded: Vec<Option<EncodedExchange>> = batch
            .visits
            .par_iter()
            .zip(contexts)
            .map_init(
                || Encoder::new(level),
                |encoder, (visit, context)| {
                    let exchange = visit.exchange.as_deref()?;
                    let naming = RecordNaming { identity, kind: b"visit", no: visit.no as i64 };
                    Some(encode(encoder, exchange, &naming, context))
                },
            )
            .collect();
        let mut visits = Vec::with_capacity(encoded.len());
        for (visit, encoded) in batch.visits.iter().zip(encoded) {
            let at = visit.exchange.as_ref().map(|exchange| exchange.at);
            visits.push(match encoded.zip(at) {
                Some((encoded, at)) => {
                    Some(self.append(&encoded, at, visit.no as i64, self.next_robots)?)
                }
                None => None,
            });
        }
        Ok(Archived { visits, robots })
    }

    fn archive_robots(
        &mut self,
        batch: &Batch,
    ) -> Result<Vec<Vec<(i64, StoredRecord)>>, StoreError> {
        let observation = self.next_observation;
        let mut encoder = Encoder::new(self.options.compression_level);
        let mut all = vec![];
        for copy in &batch.robots {
            let mut records = vec![];
            for exchange in &copy.exchanges {
                let no = self.next_robots;
                let naming = RecordNaming { identity: &self.identity, kind: b"robots", no };
                let payload = Some(PayloadDigest::compute(&exchange.body));
                let context = VisitContext {
                    before: None,
                    held: None,
                    summary: None,
                    payload,
                    original: None,
                };
                let bytes = encode(&mut encoder, exchange, &naming, &context);
                records.push((no, self.append(&bytes, exchange.at, observation, no)?));
                self.next_robots += 1;
            }
            all.push(records);
        }
        Ok(all)
    }

    fn append(
        &mut self,
        encoded: &EncodedExchange,
        at: Time,
        observation: i64,
        robots: i64,
    ) -> Result<StoredRecord, StoreError> {
        // Both at once, so that they are in the same file.
        let position = self.warc.append(&encoded.bytes, timestamp(at))?;
        let file = self.files.put(&position, observation, robots);
        let (record, payload) = (encoded.record, encoded.payload);
        Ok(StoredRecord { record, payload, file, offset: position.offset, length: encoded.answer })
    }
}

/// Derives record IDs.
struct RecordNaming<'a> {
    identity: &'a [u8],
    kind: &'a [u8],
    no: i64,
}

impl RecordNaming<'_> {
    fn id(&self, part: &[u8], address: &str, at: Time, no: i64) -> RecordId {
        let (at, no) = (at.millis().to_le_bytes(), no.to_le_bytes());
        RecordId::derived(&[self.identity, self.kind, part, address.as_bytes(), &at, &no])
    }

    fn answer(&self, exchange: &Exchange) -> RecordId {
        self.id(b"answer", &exchange.address, exchange.at, self.no)
    }

    fn original(&self, exchange: &Exchange, earlier: EarlierResponse) -> Original {
        let address = exchange.address.clone();
        let id = self.id(b"answer", &address, earlier.began, earlier.observation);
        Original { id, address, at: timestamp(earlier.began), payload: earlier.payload }
    }
}

fn encode(
    encoder: &mut Encoder,
    exchange: &Exchange,
    naming: &RecordNaming<'_>,
    context: &VisitContext,
) -> EncodedExchange {
    let payload = context.payload.unwrap_or_else(|| PayloadDigest::compute(&exchange.body));
    let (view, answer_id) = (http_exchange(exchange), naming.answer(exchange));
    let revisit = |(profile, earlier): (Profile, EarlierResponse)| {
        (profile, naming.original(exchange, earlier))
    };
    let (record, mut bytes) = match context.original.map(revisit) {
        Some((profile, original)) => {
            (RecordForm::Revisit, encoder.revisit(&view, answer_id, profile, &original))
        }
        None => (RecordForm::Response, encoder.response(&view, answer_id, payload)),
    };
    let answer = bytes.len() as u64;
    let request_id = naming.id(b"request", &exchange.address, exchange.at, naming.no);
    bytes.extend_from_slice(&encoder.request(&view, request_id, answer_id));
    EncodedExchange { bytes, answer, record, payload }
}
