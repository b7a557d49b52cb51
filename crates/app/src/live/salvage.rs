//! Takes visits back from records that were after the end of the log: the log was restored from an older
//! copy, or its last transactions were lost.
//!
//! A record becomes a visit by the same loop as any other. The world of that loop is the set-aside folder.
use std::{
    collections::BTreeMap,
    fs, io,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use crawl::{
    Allowance, Answer, Arrival, Capture, Crawl, Exchange, PageNo, Request, Time, Truncation,
    Validators, World, answer_in_order,
};
use extract::{
    detect::TextDigest,
    read::response::{self, Headers},
};
use store::{CycleStart, Options, Store};
use warc::{Record, RecordId, RecordKind, Truncated, WarcReader};

use super::{admission::Admission, listed::Listed, session::seeds_and_scope};
use crate::{
    failure::{Failure, file_error, with_causes},
    settings::Settings,
};

/// The responses in the set-aside folder, by address, earliest first.
pub(super) struct Salvage {
    files: Vec<PathBuf>,
    responses: BTreeMap<String, Vec<Exchange>>,
}

/// What became of them.
pub(super) struct Recovered {
    pub(super) taken: u64,
    pub(super) left: u64,
}

impl Salvage {
    /// Reads the set-aside folder of a data folder.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let aside = folder.join("set-aside");
        let failed = |error: io::Error| Failure::Internal(file_error("read", &aside, &error));
        let entries = match fs::read_dir(&aside) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            other => Some(other.map_err(failed)?),
        };
        let mut files = vec![];
        for entry in entries.into_iter().flatten() {
            let path = entry.map_err(failed)?.path();
            if path.is_file() && path.to_string_lossy().ends_with(".warc.gz") {
                files.push(path);
            }
        }
        files.sort();
        let mut salvage = Self { files, responses: BTreeMap::new() };
        for file in salvage.files.clone() {
            salvage.add(&file)?;
        }
        for responses in salvage.responses.values_mut() {
            responses.sort_by_key(|exchange| exchange.at);
        }
        Ok(salvage)
    }

    pub(super) fn records(&self) -> u64 {
        self.responses.values().map(|responses| responses.len() as u64).sum()
    }

    /// Adds the responses of a file up to its first damaged record.
    fn add(&mut self, path: &Path) -> Result<(), Failure> {
        let mut answer: Option<(RecordId, Exchange)> = None;
        let records =
            WarcReader::open(path).map_err(|error| Failure::Internal(with_causes(&error)))?;
        for record in records {
            let record = match record {
                Ok(record) => record,
                Err(error) if error.damaged_record().is_some() => {
                    eprintln!("{}; what is after it is left out", with_causes(&error));
                    break;
                }
                Err(error) => return Err(Failure::Internal(with_causes(&error))),
            };
            let before = answer.take();
            if record.kind() != RecordKind::Request {
                answer = record.id().zip(exchange(&record));
            }
            let Some((id, mut exchange)) = before else { continue };
            let of = record.field("WARC-Concurrent-To").and_then(RecordId::parse);
            if record.kind() == RecordKind::Request && of == Some(id) {
                exchange.request_head = record.block;
            }
            self.push(exchange);
        }
        if let Some((_, exchange)) = answer {
            self.push(exchange);
        }
        Ok(())
    }

    fn push(&mut self, exchange: Exchange) {
        self.responses.entry(exchange.address.clone()).or_default().push(exchange);
    }
}

/// Takes back what is later than the last visit of its page.
pub(super) fn recover(settings: &Settings, found: Salvage) -> Result<Recovered, Failure> {
    let all = found.records();
    if all == 0 {
        return Ok(Recovered { taken: 0, left: 0 });
    }
    let mut store = Store::open(&settings.data, Options { body_limit: 0, ..Options::default() })?;
    let (seeds, scope) = seeds_and_scope(|key| store.get(key), settings)?;
    let loaded = store.load()?;
    let mut pages = loaded.pages;
    let start = found.responses.values().flatten().map(|exchange| exchange.at).min();
    let start = start.unwrap_or(Time::from_millis(0));
    let mut rules = settings.web.rules.clone();
    rules.seeds.extend(seeds.iter().cloned());
    let admission = Admission::new(scope, &seeds, rules, settings.traps, &pages, start);
    // The latest response of each page that the log does not have.
    let mut latest = BTreeMap::new();
    for (address, mut responses) in found.responses {
        let Some(last) = responses.pop().filter(is_content) else { continue };
        let page = match pages.find(&address) {
            Some(page) => page,
            None if admission.admits(&address) => pages.insert(&address, last.at),
            None => continue,
        };
        if pages.last_tried(page).is_none_or(|tried| tried < last.at) {
            latest.insert(page, last);
        }
    }
    // In the order in which they were fetched, as in any log.
    let mut chosen: Vec<PageNo> = latest.keys().copied().collect();
    chosen.sort_by_key(|page| latest[page].at);
    let taken = chosen.len() as u64;
    store.add_pages(&pages)?;
    store.begin_cycle(CycleStart {
        kind: "crawl".to_owned(),
        policy: "listed".to_owned(),
        detector: "digest".to_owned(),
        budget: None,
        seed: settings.seed,
        at: start,
    })?;
    let mut crawl = Crawl {
        admits: Box::new(move |address| admission.admits(address)),
        pages,
        links: loaded.links,
        cycles: loaded.cycles,
        ..Crawl::new(
            SetAsideWorld { now: start, limit: settings.web.limits.decompressed, latest },
            Box::new(Listed(chosen)),
            store,
            Arc::new(TextDigest),
        )
    };
    crawl.cycle(Allowance::Visits(u32::MAX), &mut |_| ())?;
    let (end, received) = (crawl.world.now, crawl.received);
    crawl.repository.add_pages(&crawl.pages)?;
    crawl.repository.end_cycle(end, received)?;
    crawl.repository.finish()?;
    for file in found.files {
        put_away(&file).map_err(|error| Failure::Internal(file_error("moved", &file, &error)))?;
    }
    Ok(Recovered { taken, left: all - taken })
}

/// Moves a file to the folder of those that were taken back.
fn put_away(file: &Path) -> io::Result<()> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Ok(()) };
    let taken = folder.join("taken");
    fs::create_dir_all(&taken)?;
    fs::rename(file, taken.join(name))
}

/// Whether a response is whole and has content or a redirect. Others say nothing of the page.
fn is_content(exchange: &Exchange) -> bool {
    let is_robots = url::Url::parse(&exchange.address).is_ok_and(|url| url.path() == "/robots.txt");
    !is_robots
        && exchange.truncated.is_none()
        && (200..400).contains(&exchange.status)
        && ![206, 304].contains(&exchange.status)
}

/// The exchange in a response record.
fn exchange(record: &Record) -> Option<Exchange> {
    if record.kind() != RecordKind::Response {
        return None;
    }
    let response = record.http_response()?;
    let header = |name: &str| response.header(name).map(str::to_owned);
    let head = record.block.len() - response.body.len();
    Some(Exchange {
        address: record.target()?.to_owned(),
        at: Time::from_millis(record.date()?.millis()),
        request_head: vec![],
        response_head: record.block[..head].to_vec(),
        body: response.body.to_vec(),
        status: response.status,
        content_type: header("Content-Type").unwrap_or_default(),
        remote: record.field("WARC-IP-Address").and_then(|text| text.parse::<IpAddr>().ok()),
        truncated: record.truncated().map(|truncated| match truncated {
            Truncated::Length => Truncation::Length,
            Truncated::Time => Truncation::Time,
            Truncated::Disconnect => Truncation::Disconnect,
        }),
        validators: Validators {
            entity_tag: header("ETag"),
            last_modified: header("Last-Modified"),
        },
    })
}

/// A world that answers with what was set aside.
struct SetAsideWorld {
    now: Time,
    limit: usize,
    latest: BTreeMap<PageNo, Exchange>,
}

impl SetAsideWorld {
    fn answer(&self, exchange: &Exchange) -> Answer {
        let head = warc::HttpResponse::parse(&exchange.response_head);
        let header = |name: &str| {
            let value = head.as_ref().and_then(|head| head.header(name));
            value.unwrap_or_default().to_owned()
        };
        let tags = head.iter().flat_map(|head| &head.headers);
        let tags = tags.filter(|(name, _)| name.eq_ignore_ascii_case("X-Robots-Tag"));
        let headers = Headers {
            content_type: exchange.content_type.clone(),
            content_encoding: header("Content-Encoding"),
            location: header("Location"),
            robots_tags: tags.map(|(_, value)| value.to_string()).collect(),
        };
        let (address, body) = (&exchange.address, &exchange.body);
        match response::response(address, exchange.status, &headers, body, self.limit) {
            Ok(snapshot) => Answer::Content(Arc::new(snapshot)),
            Err(_) => Answer::Unreached,
        }
    }
}

impl World for SetAsideWorld {
    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, then: Time) {
        self.now = self.now.max(then);
    }

    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> crawl::Result<Vec<Request>>,
    ) -> crawl::Result<()> {
        answer_in_order(requests, arrive, |request| match self.latest.remove(&request.page) {
            None => Capture::new(request.page, self.now, Answer::Unreached),
            Some(exchange) => {
                self.now = self.now.max(exchange.at);
                let (at, answer) = (exchange.at, self.answer(&exchange));
                let exchange = Some(Box::new(exchange));
                Capture { exchange, ..Capture::new(request.page, at, answer) }
            }
        })
    }
}
