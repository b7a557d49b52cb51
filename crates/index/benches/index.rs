//! Indexing speed compared with plain tantivy, and search latency.
//!
//! `cargo bench -p index --bench index [pages] [data folder]`. Pages are generated with
//! Zipf-distributed words, or read from a data folder. First it indexes in two ways, alternately:
//! `Index::put` and `commit`, and `IndexWriter::add_document` of prepared documents with the same
//! schema, analysis, memory and commits. Then eight clients search all pages, while one thread
//! indexes changed pages as a refresh cycle does.
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crawl::{Content, Counts, Digest, Fingerprints, Form, LinkList, PageNo, Snapshot, Time};
use index::{Index, IndexDocument, SearchRequest, Searcher, baseline};
use store::{Options, Store, View};
use tantivy::{IndexWriter, TantivyDocument};

/// Average words of a page.
const PAGE_WORDS: u64 = 800;
const VOCABULARY: u64 = 60_000;
const COMMIT_PAGES: usize = 5_000;
const ROUNDS: usize = 3;
const CLIENTS: u64 = 8;
const QUERIES: u64 = 1_000;
/// Pages per second that the refresh cycle indexes.
const REFRESHED: u64 = 200;
const WRITER_BYTES: usize = 64 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let count = arguments.first().and_then(|count| count.parse().ok()).unwrap_or(20_000);
    let pages: Vec<Page> = match arguments.get(1) {
        Some(folder) => held(Path::new(folder), count),
        None => (0..count as u64).map(made).collect(),
    };
    let bytes: usize = pages.iter().map(|page| page.text().len()).sum();
    println!(
        "{} pages, {:.1} KB of text each",
        pages.len(),
        bytes as f64 / 1e3 / pages.len() as f64
    );
    let few = &pages[..pages.len().min(40_000)];
    println!(
        "{:<6} {:>10} {:>10} {:>7} {:>16} {:>16}",
        "round", "ours, p/s", "bare, p/s", "ratio", "ours, CPU us/p", "bare, CPU us/p"
    );
    for round in 0..ROUNDS {
        let (ours, bare) = (put_all(few), bare_all(few));
        let rate = |cost: &Cost| few.len() as f64 / cost.wall;
        let micros = |cost: &Cost| cost.cpu * 1e6 / few.len() as f64;
        println!(
            "{round:<6} {:>10.0} {:>10.0} {:>7.3} {:>16.0} {:>16.0}",
            rate(&ours),
            rate(&bare),
            rate(&ours) / rate(&bare),
            micros(&ours),
            micros(&bare),
        );
    }
    search(&pages);
}

/// A held page.
struct Page {
    address: String,
    snapshot: Snapshot,
}

impl Page {
    fn text(&self) -> &str {
        self.snapshot.content.as_ref().map_or("", |content| &content.text)
    }

    fn document(&self, number: usize) -> IndexDocument<'_> {
        IndexDocument {
            page: PageNo(number as u32),
            address: &self.address,
            first_seen: Time::from_millis(1_794_744_000_000),
            changed: Time::from_millis(1_794_744_000_000 + number as i64),
            snapshot: &self.snapshot,
        }
    }
}

/// Seconds: wall clock and CPU.
struct Cost {
    wall: f64,
    cpu: f64,
}

fn cost(work: impl FnOnce()) -> Cost {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    work();
    Cost { wall: start.elapsed().as_secs_f64(), cpu: cpu_seconds() - cpu }
}

/// CPU seconds of this process; 0 if unknown.
fn cpu_seconds() -> f64 {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS_A_SECOND
}

fn put_all(pages: &[Page]) -> Cost {
    let home = tempfile::tempdir().expect("a folder for temporary files");
    let folder = home.path().join("data");
    drop(Store::open(&folder, Options::default()).expect("an empty folder"));
    let mut index = Index::open(&folder).expect("an empty index");
    cost(|| {
        for (number, page) in pages.iter().enumerate() {
            index.put(&page.document(number)).expect("a disk with room");
            if index.pending() >= COMMIT_PAGES {
                index.commit(0).expect("a disk with room");
            }
        }
        index.commit(0).expect("a disk with room");
    })
}

fn bare_all(pages: &[Page]) -> Cost {
    let documents: Vec<TantivyDocument> = pages
        .iter()
        .enumerate()
        .map(|(number, page)| baseline::document(&page.document(number)))
        .collect();
    let home = tempfile::tempdir().expect("a folder for temporary files");
    let index = baseline::index(home.path()).expect("an empty folder");
    let mut writer: IndexWriter =
        index.writer_with_num_threads(1, WRITER_BYTES).expect("an empty index");
    cost(|| {
        for (number, document) in documents.into_iter().enumerate() {
            writer.add_document(document).expect("a disk with room");
            if (number + 1) % COMMIT_PAGES == 0 {
                writer.commit().expect("a disk with room");
            }
        }
        writer.commit().expect("a disk with room");
    })
}

/// Searches with eight clients while pages are indexed again.
fn search(pages: &[Page]) {
    let home = tempfile::tempdir().expect("a folder for temporary files");
    let folder = home.path().join("data");
    drop(Store::open(&folder, Options::default()).expect("an empty folder"));
    let mut index = Index::open(&folder).expect("an empty index");
    let start = Instant::now();
    for (number, page) in pages.iter().enumerate() {
        index.put(&page.document(number)).expect("a disk with room");
        if index.pending() >= 4 * COMMIT_PAGES {
            index.commit(0).expect("a disk with room");
        }
    }
    index.commit(0).expect("a disk with room");
    index.set_ranks(&vec![1.0 / pages.len() as f64; pages.len()]).expect("a disk with room");
    println!("all {} pages put in {:.1} s", pages.len(), start.elapsed().as_secs_f64());
    drop(index);
    let start = Instant::now();
    let searcher = Searcher::open(&folder).expect("a whole index");
    println!("opened and checked in {:.2} s", start.elapsed().as_secs_f64());
    search_alone(&searcher);
    for with_refresh in [false, true] {
        let over = AtomicBool::new(false);
        let cpu = cpu_seconds();
        let times: Vec<Duration> = std::thread::scope(|scope| {
            if with_refresh {
                scope.spawn(|| refresh(&folder, pages, &over));
            }
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let (searcher, pages) = (&searcher, &pages);
                    scope.spawn(move || search_all(searcher, pages, client))
                })
                .collect();
            let times = clients.into_iter().flat_map(|client| client.join().expect("a client"));
            let times = times.collect();
            over.store(true, Ordering::Relaxed);
            times
        });
        let beside = if with_refresh { "a refresh cycle" } else { "nothing" };
        let mean = (cpu_seconds() - cpu) * 1e3 / times.len() as f64;
        println!("{CLIENTS} clients, {beside} beside: {}", spread(times));
        println!("    {mean:.2} ms of a core for each, with what was beside");
    }
}

/// Latency of one client by document frequency of the words.
fn search_alone(searcher: &Searcher) {
    const REPEATS: u32 = 20;
    let queries: [&[u64]; 8] =
        [&[1], &[10], &[100], &[1_000], &[10_000], &[1, 2], &[100, 101], &[1, 100, 1_000, 10_000]];
    println!("{:<28} {:>8} {:>8}", "words of rank", "pages", "ms");
    for ranks in queries {
        let mut query = String::new();
        for &rank in ranks {
            word(rank, &mut query);
            query.push(' ');
        }
        let request = SearchRequest { query, offset: 0, limit: 10, ..SearchRequest::default() };
        let cost = cost(|| {
            for _ in 0..REPEATS {
                searcher.search(&request).expect("an answer");
            }
        });
        let total = searcher.search(&request).expect("an answer").total;
        let ms = cost.cpu * 1e3 / f64::from(REPEATS);
        println!("{:<28} {total:>8} {ms:>8.2}", format!("{ranks:?}"));
    }
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let (p50, p90, p99, most) = (at(0.5), at(0.9), at(0.99), at(1.0));
    format!("p50 {p50:.2} ms, p90 {p90:.2} ms, p99 {p99:.2} ms, most {most:.2} ms")
}

/// Latency of each search.
fn search_all(searcher: &Searcher, pages: &[Page], client: u64) -> Vec<Duration> {
    let mut chance = Chance(client + 1);
    let mut times = vec![];
    for _ in 0..QUERIES {
        // One to four words of a page.
        let text = pages[chance.below(pages.len() as u64) as usize].text();
        let words: Vec<&str> = text.split(' ').collect();
        let count = 1 + chance.below(4);
        let word = |_| words[chance.below(words.len() as u64) as usize];
        let query = (0..count).map(word).collect::<Vec<_>>().join(" ");
        let start = Instant::now();
        let found = searcher
            .search(&SearchRequest { query, offset: 0, limit: 10, ..SearchRequest::default() })
            .expect("an answer");
        times.push(start.elapsed());
        assert!(found.total > 0 || found.hits.is_empty());
    }
    times
}

fn refresh(folder: &Path, pages: &[Page], over: &AtomicBool) {
    let mut index = Index::open(folder).expect("a whole index");
    let mut chance = Chance(99);
    let start = Instant::now();
    let mut put = 0;
    while !over.load(Ordering::Relaxed) {
        let number = chance.below(pages.len() as u64) as usize;
        let page = &pages[number];
        let mut document = page.document(number);
        document.changed = Time::from_millis(1_794_744_999_000 + put as i64);
        index.put(&document).expect("a disk with room");
        put += 1;
        if put % (2 * REFRESHED) == 0 {
            index.commit(0).expect("a disk with room");
        }
        let due = Duration::from_millis(put * 1_000 / REFRESHED);
        std::thread::sleep(due.saturating_sub(start.elapsed()));
    }
}

/// Held pages of a data folder.
fn held(folder: &Path, most: usize) -> Vec<Page> {
    let view = View::open(folder).expect("a data folder");
    let digests = view.held_digests().expect("what is held");
    let page = |page| view.held(page).expect("an archive");
    let held = digests.iter().filter_map(|digest| page(digest.page)).take(most);
    held.map(|held| Page { address: held.address, snapshot: held.snapshot }).collect()
}

/// Generates a page from its number.
fn made(number: u64) -> Page {
    let mut chance = Chance(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let length = PAGE_WORDS / 4 + chance.below(PAGE_WORDS * 3 / 2);
    let mut text = String::new();
    for _ in 0..length {
        word(chance.zipf(), &mut text);
        text.push(' ');
    }
    let mut title = String::new();
    for _ in 0..4 {
        word(chance.zipf(), &mut title);
        title.push(' ');
    }
    let digest = Digest::from_bytes(text.as_bytes());
    let content = Content { title, text, language: "en".to_owned(), ..Content::default() };
    let snapshot = Snapshot {
        form: Form::Html,
        fingerprints: Fingerprints { text: digest, ..Fingerprints::default() },
        counts: Counts::default(),
        links: Arc::new(LinkList::default()),
        content: Some(Arc::new(content)),
        ..Snapshot::default()
    };
    Page { address: format!("https://h{}.example/part/{number}.html", number % 500), snapshot }
}

/// The word of a rank. Frequent words are short, and the most frequent ones are English.
fn word(rank: u64, text: &mut String) {
    const FREQUENT: [&str; 32] = [
        "", "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "with",
        "be", "by", "on", "not", "he", "this", "are", "or", "his", "from", "at", "which", "but",
        "have", "an", "had", "they", "you",
    ];
    const SYLLABLES: [&str; 32] = [
        "the", "an", "or", "in", "er", "to", "re", "ing", "con", "ver", "ti", "on", "al", "ma",
        "men", "ta", "pro", "com", "ble", "st", "per", "li", "no", "ca", "de", "s", "ous", "ex",
        "mi", "pa", "ed", "un",
    ];
    if let Some(frequent) = FREQUENT.get(rank as usize) {
        text.push_str(frequent);
        return;
    }
    let mut rest = rank;
    loop {
        text.push_str(SYLLABLES[(rest % 32) as usize]);
        rest /= 32;
        if rest == 0 {
            return;
        }
    }
}

/// `SplitMix64`.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A rank with probability proportional to 1 / rank: uniform in its logarithm.
    fn zipf(&mut self) -> u64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (VOCABULARY as f64).powf(unit) as u64
    }
}
