//! Pages per second through the loop into the repository, and the cost of a page.
//!
//! `cargo bench -p store --bench keep [pages]`. Crawls pages of 35 KB of HTML that are parsed
//! beforehand, then visits them again: a third not modified, a third identical, a third changed.
//! The data folder is in the system's temporary folder.
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crawl::{
    Answer, Arrival, Budget, Capture, Crawl, Exchange, Known, PageNo, Pages, Plan, Policy, Reason,
    Request, Result, Snapshot, Span, Time, Validators, Visit, World,
};
use extract::detect::TextDigest;
use store::{Options, Store, View};

/// Distinct pages; the others repeat their content.
const VERSIONS: u32 = 400;
const PAGE_BYTES: usize = 35_000;

fn main() {
    let asked = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let count: u32 = asked.unwrap_or(20_000);
    let home = tempfile::tempdir().expect("a folder for temporary files");
    let folder = home.path().join("data");
    let store = Store::open(&folder, Options::default()).expect("an empty folder");
    let world = Prepared {
        now: Time::from_millis(1_794_744_000_000),
        round: 0,
        pages: (0..VERSIONS).map(made).collect(),
    };
    let mut pages = Pages::default();
    for number in 0..count {
        pages.insert(&address(number), world.now);
    }
    println!(
        "{:<10} {:>10} {:>12} {:>14} {:>14}",
        "cycle", "pages/s", "seconds", "CPU ms/page", "bytes on disk"
    );
    let mut crawl = Crawl {
        admits: Box::new(|_| false),
        pages,
        ..Crawl::new(world, Box::new(Everything), store, Arc::new(TextDigest))
    };
    for (round, name) in ["crawl", "refresh"].into_iter().enumerate() {
        crawl.world.round = round as u32;
        crawl.world.now = crawl.world.now + Span::from_days(1);
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let cycle = crawl.cycle(Budget::UNLIMITED, &mut |_| {}).expect("a disk with room");
        let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let visits = cycle.log.len() as f64;
        let (rate, each) = (visits / seconds, cpu * 1_000.0 / visits);
        println!("{name:<10} {rate:>10.0} {seconds:>12.2} {each:>14.3} {:>14}", bytes_in(&folder));
    }
    let start = Instant::now();
    crawl.repository.finish().expect("a disk with room");
    println!("finish     {:>23.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let loaded = View::open(&folder).and_then(|view| view.load()).expect("what was written");
    println!(
        "load       {:>23.2} s for {} pages",
        start.elapsed().as_secs_f64(),
        loaded.pages.len()
    );
    let start = Instant::now();
    let verified = store::verify(&folder).expect("that all agrees");
    println!("verify     {:>23.2} s for {} bytes", start.elapsed().as_secs_f64(), verified.bytes);
}

fn address(number: u32) -> String {
    format!("https://host{:03}.example/articles/{number:06}.html", number % 100)
}

/// A page that is already parsed.
struct Made {
    body: String,
    snapshot: Arc<Snapshot>,
    changed_body: String,
    changed: Arc<Snapshot>,
}

/// HTML paragraphs of common and rare words, with links.
fn made(number: u32) -> Made {
    let mut bits = u64::from(number) + 1;
    let mut random = || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (bits >> 33) as u32
    };
    let mut body =
        format!("<!doctype html><title>Article {number}</title><main class=\"content\">\n");
    while body.len() < PAGE_BYTES {
        body.push_str("<p class=\"paragraph\">");
        for _ in 0..60 {
            let rarity = random() % 12;
            let word = random() % (1 << rarity).max(2);
            let _ = write!(
                body,
                "{}{word:x} ",
                ["the", "of", "sand", "wave", "run"][word as usize % 5]
            );
        }
        let _ = writeln!(body, "<a href=\"{}\">more</a></p>", address(random() % 20_000));
    }
    let changed_body = body.replace("</title>", ", changed</title>");
    let read =
        |body: &str| Arc::new(extract::read::read(&address(number), "text/html", body.as_bytes()));
    Made { snapshot: read(&body), changed: read(&changed_body), body, changed_body }
}

/// A web of parsed pages.
struct Prepared {
    now: Time,
    round: u32,
    pages: Vec<Made>,
}

impl World for Prepared {
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
        let mut queue = VecDeque::from(requests);
        while let Some(request) = queue.pop_front() {
            let made = &self.pages[(request.page.0 % VERSIONS) as usize];
            let at = self.now + Span::from_millis(i64::from(request.page.0));
            let content = |snapshot: &Arc<Snapshot>| Answer::Content(Arc::clone(snapshot));
            let (status, body, answer) = match (self.round, request.page.0 % 3) {
                (0, _) | (_, 1) => (200, made.body.as_str(), content(&made.snapshot)),
                (_, 0) => (304, "", Answer::NotModified),
                _ => (200, made.changed_body.as_str(), content(&made.changed)),
            };
            let exchange = Some(Box::new(exchange(&request.address, at, status, body)));
            let capture = Capture { exchange, ..Capture::new(request.page, at, answer) };
            queue.extend(arrive(Arrival::Capture(capture))?);
        }
        Ok(())
    }
}

fn exchange(address: &str, at: Time, status: u16, body: &str) -> Exchange {
    let length = body.len();
    Exchange {
        address: address.to_owned(),
        at,
        request_head: format!(
            "GET {address} HTTP/1.1\r\nHost: host.example\r\nAccept-Encoding: gzip\r\n\r\n"
        )
        .into_bytes(),
        response_head: format!(
            "HTTP/1.1 {status} OK\r\nServer: nginx\r\nContent-Type: text/html\r\n\
             Content-Length: {length}\r\nETag: \"{length:x}-1\"\r\n\r\n"
        )
        .into_bytes(),
        body: body.as_bytes().to_vec(),
        status,
        content_type: "text/html".to_owned(),
        remote: Some([192, 0, 2, 7].into()),
        truncated: None,
        validators: Validators {
            entity_tag: Some(format!("\"{length:x}-1\"")),
            last_modified: None,
        },
    }
}

/// Plans every due page.
#[derive(Clone, Copy)]
struct Everything;

impl Policy for Everything {
    fn name(&self) -> &'static str {
        "everything"
    }

    fn plan(&mut self, known: &Known<'_>, _: Budget) -> Plan {
        let visit = |page: PageNo| Visit { page, score: 0.0, reason: Reason::Refresh };
        Plan(known.due().map(visit).collect())
    }

    fn fork(&self) -> Box<dyn Policy> {
        Box::new(*self)
    }
}

/// CPU seconds of this process.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => bytes_in(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
