//! The exchanges of a batch as records, appended to the archive.
use crawl::{Exchange, Time};
use rayon::prelude::*;

use super::Writer;
use super::before::{Decided, Earlier};
use crate::StoreError;
use crate::batch::Batch;
use crate::column::RecordForm;
use crate::warc_types::{http_exchange, timestamp};
use warc::{Encoder, Original, PayloadDigest, Profile, RecordId};

/// Where the exchanges of a batch were put.
#[derive(Debug)]
pub(super) struct Archived {
    /// Of each visit, where there was an exchange.
    pub(super) visits: Vec<Option<Placed>>,
    /// Of each robots.txt that was asked for, its exchanges.
    pub(super) robots: Vec<Vec<(i64, Placed)>>,
}

/// Where a record is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) record: RecordForm,
    pub(super) payload: PayloadDigest,
    pub(super) file: i64,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// An exchange ready to be appended: its answer, then its request.
struct Members {
    bytes: Vec<u8>,
    /// How many of the bytes are the answer's.
    answer: u64,
    record: RecordForm,
    payload: PayloadDigest,
}

impl Writer {
    /// Compresses on every core, then appends in order.
    pub(super) fn archive(
        &mut self,
        batch: &Batch,
        decided: &[Decided],
    ) -> Result<Archived, StoreError> {
        let robots = self.archive_robots(batch)?;
        let (identity, level) = (&self.identity, self.options.level);
        let members: Vec<Option<Members>> = batch
            .visits
            .par_iter()
            .zip(decided)
            .map_init(
                || Encoder::new(level),
                |encoder, (visit, decided)| {
                    let exchange = visit.exchange.as_deref()?;
                    let naming = Naming { identity, kind: b"visit", no: visit.no as i64 };
                    Some(encode(encoder, exchange, &naming, decided))
                },
            )
            .collect();
        let mut visits = Vec::with_capacity(members.len());
        for (visit, members) in batch.visits.iter().zip(members) {
            let at = visit.exchange.as_ref().map(|exchange| exchange.at);
            visits.push(match members.zip(at) {
                Some((members, at)) => {
                    Some(self.append(&members, at, visit.no as i64, self.next_robots)?)
                }
                None => None,
            });
        }
        Ok(Archived { visits, robots })
    }

    fn archive_robots(&mut self, batch: &Batch) -> Result<Vec<Vec<(i64, Placed)>>, StoreError> {
        let observation = self.next_observation;
        let mut encoder = Encoder::new(self.options.level);
        let mut all = vec![];
        for copy in &batch.robots {
            let mut placed = vec![];
            for exchange in &copy.exchanges {
                let no = self.next_robots;
                let naming = Naming { identity: &self.identity, kind: b"robots", no };
                let payload = Some(PayloadDigest::compute(&exchange.body));
                let decided =
                    Decided { before: None, held: None, summary: None, payload, original: None };
                let members = encode(&mut encoder, exchange, &naming, &decided);
                placed.push((no, self.append(&members, exchange.at, observation, no)?));
                self.next_robots += 1;
            }
            all.push(placed);
        }
        Ok(all)
    }

    fn append(
        &mut self,
        members: &Members,
        at: Time,
        observation: i64,
        robots: i64,
    ) -> Result<Placed, StoreError> {
        // Both at once, so that an answer and its request are always in one file.
        let position = self.warc.append(&members.bytes, timestamp(at))?;
        let file = self.files.put(&position, observation, robots);
        let (record, payload) = (members.record, members.payload);
        Ok(Placed { record, payload, file, offset: position.offset, length: members.answer })
    }
}

/// What the records of an exchange are named by.
struct Naming<'a> {
    identity: &'a [u8],
    kind: &'a [u8],
    no: i64,
}

impl Naming<'_> {
    fn id(&self, part: &[u8], address: &str, at: Time, no: i64) -> RecordId {
        let (at, no) = (at.millis().to_le_bytes(), no.to_le_bytes());
        RecordId::derived(&[self.identity, self.kind, part, address.as_bytes(), &at, &no])
    }

    fn answer(&self, exchange: &Exchange) -> RecordId {
        self.id(b"answer", &exchange.address, exchange.at, self.no)
    }

    fn original(&self, exchange: &Exchange, earlier: Earlier) -> Original {
        let address = exchange.address.clone();
        let id = self.id(b"answer", &address, earlier.began, earlier.observation);
        Original { id, address, at: timestamp(earlier.began), payload: earlier.payload }
    }
}

fn encode(
    encoder: &mut Encoder,
    exchange: &Exchange,
    naming: &Naming<'_>,
    decided: &Decided,
) -> Members {
    let payload = decided.payload.unwrap_or_else(|| PayloadDigest::compute(&exchange.body));
    let (view, answer_id) = (http_exchange(exchange), naming.answer(exchange));
    let revisit =
        |(profile, earlier): (Profile, Earlier)| (profile, naming.original(exchange, earlier));
    let (record, mut bytes) = match decided.original.map(revisit) {
        Some((profile, original)) => {
            (RecordForm::Revisit, encoder.revisit(&view, answer_id, profile, &original))
        }
        None => (RecordForm::Response, encoder.response(&view, answer_id, payload)),
    };
    let answer = bytes.len() as u64;
    let request_id = naming.id(b"request", &exchange.address, exchange.at, naming.no);
    bytes.extend_from_slice(&encoder.request(&view, request_id, answer_id));
    Members { bytes, answer, record, payload }
}
