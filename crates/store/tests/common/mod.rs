//! A simulated web that answers by a rule, and a crawl of it into a data folder.
#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a helper of a test fails as the test does")]

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crawl::{
    Answer, Arrival, Budget, Capture, ChangeDetector, Crawl, Cycle, Exchange, Fault, FaultKind,
    HostUpdate, Instruments, Known, Links, LogEntry, Observation, PageNo, Pages, Plan, Policy,
    Reason, Repository, Request, Result, Snapshot, Span, State, Time, Update, Validators, Visit,
    World,
};
use extract::detect::TextDigest;
use extract::read::response::{self, Headers};
use instruments::features::Features;
use store::{Options, Store};
use tempfile::TempDir;

pub(crate) const DAY: Span = Span::from_days(1);

/// The time `day` days after the start.
pub(crate) fn day(day: i64) -> Time {
    Time::from_millis(1_794_744_000_000) + DAY.times(day)
}

/// Response of the simulated server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// HTML.
    Page(String),
    /// HTML with extra headers.
    With(&'static str, String),
    /// HTML with an entity tag. Answers 304 if the request has it.
    Tagged(String),
    /// Content of any type.
    Typed(&'static str, String),
    /// Bytes of any type, read as the crawler does.
    Bytes(&'static str, Vec<u8>),
    /// A redirect.
    Moved(&'static str),
    /// A status without content.
    Status(u16),
    Timeout,
    Unreached,
}

/// HTML with this text and these links.
pub(crate) fn page(text: &str, links: &[&str]) -> Reply {
    Reply::Page(html(text, links))
}

pub(crate) fn html(text: &str, links: &[&str]) -> String {
    let links: Vec<String> =
        links.iter().map(|link| format!("<a href=\"{link}\">to {link}</a>")).collect();
    format!("<title>A page</title><p>{text}</p>{}", links.join(" "))
}

/// Address of a path on the first host.
pub(crate) fn on(path: &str) -> String {
    format!("http://a.example/{path}")
}

type Rule = dyn Fn(&str, Time) -> Reply;

/// A web that answers each request by a rule. Captures are a millisecond apart.
pub(crate) struct Wire {
    pub(crate) now: Time,
    pub(crate) rule: Box<Rule>,
    /// Sent before the first capture of a fetch.
    pub(crate) updates: Vec<HostUpdate>,
    pub(crate) requests: Vec<Request>,
}

impl World for &mut Wire {
    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, then: Time) {
        self.now = self.now.max(then);
    }

    fn fetch(
        &mut self,
        requests: Vec<Request>,
        arrive: &mut dyn FnMut(Arrival) -> Result<Vec<Request>>,
    ) -> Result<()> {
        for update in self.updates.drain(..) {
            arrive(Arrival::Host(update))?;
        }
        let mut queue = VecDeque::from(requests);
        while let Some(request) = queue.pop_front() {
            self.now = self.now + Span::from_millis(1);
            let reply = (self.rule)(&request.address, self.now);
            self.requests.push(request.clone());
            queue.extend(arrive(Arrival::Capture(answer(&request, self.now, &reply)))?);
        }
        Ok(())
    }
}

/// The capture for a reply.
pub(crate) fn answer(request: &Request, at: Time, reply: &Reply) -> Capture {
    let address = &request.address;
    let read = |kind: &str, body: &str| extract::read::read(address, kind, body.as_bytes());
    let (answer, exchange) = match reply {
        Reply::Page(body) => {
            (content(read(HTML, body)), exchange(address, at, 200, "", HTML, body))
        }
        Reply::With(headers, body) => {
            let mut snapshot = read(HTML, body);
            if let Some(value) = headers.strip_prefix("X-Robots-Tag: ") {
                snapshot.restrict(&extract::read::directives::parse_header(value.trim_end()));
            }
            (content(snapshot), exchange(address, at, 200, headers, HTML, body))
        }
        Reply::Tagged(body) => tagged(request, at, body, read(HTML, body)),
        Reply::Typed(kind, body) => {
            (content(read(kind, body)), exchange(address, at, 200, "", kind, body))
        }
        Reply::Bytes(kind, body) => {
            let headers = Headers { content_type: (*kind).to_owned(), ..Headers::default() };
            let read = response::response(address, 200, &headers, body, response::LONGEST_BODY);
            let exchange =
                Exchange { body: body.clone(), ..exchange(address, at, 200, "", kind, "") };
            (content(read.unwrap()), exchange)
        }
        Reply::Moved(location) => {
            let snapshot = extract::read::moved(address, location).unwrap();
            let headers = format!("Location: {location}\r\n");
            (content(snapshot), exchange(address, at, 301, &headers, HTML, "moved"))
        }
        Reply::Status(status) => {
            let answer = match status {
                404 => Answer::Missing,
                410 => Answer::Gone,
                _ => Answer::Failed(fault(FaultKind::Server, "the server failed")),
            };
            (answer, exchange(address, at, *status, "", HTML, "sorry"))
        }
        Reply::Timeout => {
            let fault = fault(FaultKind::Timeout, "it took longer than 30 s");
            return Capture::new(request.page, at, Answer::Failed(fault));
        }
        Reply::Unreached => return Capture::new(request.page, at, Answer::Unreached),
    };
    Capture { exchange: Some(Box::new(exchange)), ..Capture::new(request.page, at, answer) }
}

const HTML: &str = "text/html; charset=utf-8";

fn content(snapshot: Snapshot) -> Answer {
    Answer::Content(Arc::new(snapshot))
}

fn fault(kind: FaultKind, why: &str) -> Fault {
    Fault { kind, why: why.to_owned() }
}

fn tagged(request: &Request, at: Time, body: &str, snapshot: Snapshot) -> (Answer, Exchange) {
    let tag = format!("\"{:x}\"", crawl::Digest::from_bytes(body.as_bytes()).0);
    let header = format!("ETag: {tag}\r\n");
    let known = request.validators.as_ref().and_then(|known| known.entity_tag.as_ref());
    let (answer, mut exchange) = if known == Some(&tag) {
        (Answer::NotModified, exchange(&request.address, at, 304, &header, "", ""))
    } else {
        (content(snapshot), exchange(&request.address, at, 200, &header, HTML, body))
    };
    exchange.validators = Validators { entity_tag: Some(tag), last_modified: None };
    (answer, exchange)
}

/// The exchange of a request and its response.
pub(crate) fn exchange(
    address: &str,
    at: Time,
    status: u16,
    headers: &str,
    content_type: &str,
    body: &str,
) -> Exchange {
    let kind = match content_type {
        "" => String::new(),
        kind => format!("Content-Type: {kind}\r\n"),
    };
    Exchange {
        address: address.to_owned(),
        // The headers arrive before the body is complete.
        at: Time::from_millis(at.millis() - 1),
        request_head: format!("GET {address} HTTP/1.1\r\nHost: x\r\n\r\n").into_bytes(),
        response_head: format!("HTTP/1.1 {status} Said\r\n{kind}{headers}\r\n").into_bytes(),
        body: body.as_bytes().to_vec(),
        status,
        content_type: content_type.to_owned(),
        remote: Some([192, 0, 2, 7].into()),
        truncated: None,
        validators: Validators::default(),
    }
}

/// Visits every due page that passes.
#[derive(Clone)]
struct Everything(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl Policy for Everything {
    fn name(&self) -> &'static str {
        "everything"
    }

    fn plan(&mut self, known: &Known<'_>, _: Budget) -> Plan {
        let visit = |page: PageNo| {
            let linked = known.pages.state(page) == State::Linked;
            let reason = if linked { Reason::First } else { Reason::Refresh };
            Visit { page, score: 0.0, reason }
        };
        let passes = |page: &PageNo| (self.0)(known.pages.address(*page));
        Plan(known.due().filter(passes).map(visit).collect())
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}

/// The policy [`Everything`].
pub(crate) fn everything(passes: impl Fn(&str) -> bool + Send + Sync + 'static) -> Box<dyn Policy> {
    Box::new(Everything(Arc::new(passes)))
}

/// A crawl of a simulated web into a repository.
pub(crate) struct Site {
    pub(crate) world: Wire,
    pub(crate) policy: Box<dyn Policy>,
    pub(crate) pages: Pages,
    pub(crate) links: Links,
    pub(crate) instruments: Instruments,
    pub(crate) detector: Arc<dyn ChangeDetector>,
    pub(crate) cycles: u32,
}

impl Site {
    /// A site whose front page, `http://a.example/`, is known.
    pub(crate) fn new(rule: impl Fn(&str, Time) -> Reply + 'static) -> Self {
        let mut pages = Pages::default();
        pages.insert(&on(""), day(0));
        Self {
            world: Wire { now: day(0), rule: Box::new(rule), updates: vec![], requests: vec![] },
            policy: everything(|_| true),
            pages,
            links: Links::default(),
            instruments: Instruments::default(),
            detector: Arc::new(TextDigest),
            cycles: 0,
        }
    }

    /// The features; empty if they are not measured.
    pub(crate) fn features(&self) -> &Features {
        static NONE: LazyLock<Features> = LazyLock::new(Features::default);
        self.instruments.find().unwrap_or(&NONE)
    }

    /// Runs one cycle on a day.
    pub(crate) fn try_cycle(
        &mut self,
        repository: &mut dyn Repository,
        number: i64,
        budget: u32,
    ) -> Result<Cycle> {
        self.world.now = self.world.now.max(day(number));
        let policy = std::mem::replace(&mut self.policy, everything(|_| true));
        let mut crawl = Crawl {
            instruments: std::mem::take(&mut self.instruments),
            admits: Box::new(|address| !address.contains("x.example")),
            revisits_gone: true,
            pages: std::mem::take(&mut self.pages),
            links: std::mem::take(&mut self.links),
            cycles: self.cycles,
            ..Crawl::new(&mut self.world, policy, Borrowed(repository), self.detector.clone())
        };
        let cycle = crawl.cycle(Budget(budget), &mut |_| {});
        Crawl {
            policy: self.policy,
            pages: self.pages,
            links: self.links,
            instruments: self.instruments,
            cycles: self.cycles,
            ..
        } = crawl;
        cycle
    }

    pub(crate) fn cycle(&mut self, repository: &mut dyn Repository, number: i64) -> Cycle {
        self.try_cycle(repository, number, 1_000).unwrap()
    }

    /// Reloads pages and links from the store, as after a restart.
    pub(crate) fn reload(&mut self, store: &Store) {
        let loaded = store.load().unwrap();
        (self.pages, self.links, self.cycles) = (loaded.pages, loaded.links, loaded.cycles);
        self.pages.insert(&on(""), day(0));
    }

    pub(crate) fn find(&self, path: &str) -> PageNo {
        self.pages.find(&on(path)).unwrap_or_else(|| panic!("{path} is not known"))
    }
}

/// A repository that the test keeps access to.
struct Borrowed<'r>(&'r mut dyn Repository);

impl Repository for Borrowed<'_> {
    fn held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.0.held(page)
    }

    fn read_held(&self, page: PageNo) -> Result<Option<Arc<Snapshot>>> {
        self.0.read_held(page)
    }

    fn validators(&self, page: PageNo) -> Result<Option<Validators>> {
        self.0.validators(page)
    }

    fn append(&mut self, entry: LogEntry<'_>) -> Result<()> {
        self.0.append(entry)
    }

    fn remember(&mut self, update: Update) -> Result<()> {
        self.0.remember(update)
    }

    fn replay(&self, each: &mut dyn FnMut(&Observation)) -> Result<()> {
        self.0.replay(each)
    }

    fn commit(&mut self) -> Result<()> {
        self.0.commit()
    }
}

/// A temporary data folder.
pub(crate) struct Home {
    home: TempDir,
    pub(crate) options: Options,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), options: Options::default() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home.path().join("data")
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.path(), self.options.clone()).unwrap()
    }
}

pub(crate) fn log(repository: &dyn Repository) -> Vec<Observation> {
    let mut log = vec![];
    repository.replay(&mut |seen| log.push(seen.clone())).unwrap();
    log
}

/// Copies a folder recursively.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).unwrap();
        }
    }
}
