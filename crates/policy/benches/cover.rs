//! How long a greedy cover of a large site takes, and how much memory.
//!
//! `cargo bench -p policy --bench cover [old pages] [found pages]`. The site is synthetic: hubs that link to
//! many found pages, mirrors of them, a box of the latest pages on every page of a section, single links, and
//! chains and cycles among the found pages. Prints the seconds of each step and the peak memory.
#![expect(clippy::disallowed_methods, reason = "a benchmark measures us, with a clock")]

use std::time::Instant;

use policy::discover::{Leads, Until, cliques, greedy};

/// One page in this many is a hub.
const PAGES_PER_HUB: u32 = 500;
/// Pages of a section show the same box of latest pages.
const PAGES_PER_SECTION: u32 = 2_000;

fn main() {
    let mut asked = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let (old, found) = (asked.next().unwrap_or(1_000_000), asked.next().unwrap_or(300_000));
    for shape in [Shape::Site, Shape::Archive] {
        let (rows, chains) = made(shape, old, found);
        let links: usize = rows.iter().chain(&chains).map(|row| row.1.len()).sum();
        let before = memory("VmRSS:");
        let (leads, made) = timed(|| Leads::new(found as usize, rows, chains));
        println!(
            "{shape:?}: {old} pages, {found} found, {} covered, {links} links",
            leads.covered()
        );
        println!("  leads      {made:>8.3} s, {:.0} MB besides what they are made from", {
            memory("VmRSS:").max(before) - before
        });
        let (steps, all) = timed(|| greedy(&leads, Until::Everything));
        println!("  cover      {all:>8.3} s, {} pages", steps.len());
        let (steps, most) = timed(|| greedy(&leads, Until::Share(0.9)));
        println!("  90 % of it {most:>8.3} s, {} pages", steps.len());
        let (degrees, each) = timed(|| leads.degrees());
        println!("  degrees    {each:>8.3} s, at most {}", degrees.iter().max().unwrap_or(&0));
        let (groups, together) = timed(|| cliques(&leads, 0.8));
        println!("  cliques    {together:>8.3} s, {} groups", groups.len());
    }
    println!("peak of memory {:.0} MB", memory("VmHWM:"));
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Chains are short, and found pages next to each other link both ways.
    Site,
    /// Every found page links to three of those found before it, so that chains are long.
    Archive,
}

type Links = Vec<(u32, Vec<u32>)>;

fn made(shape: Shape, old: u32, found: u32) -> (Links, Links) {
    let mut random = Random(1);
    let mut rows = vec![];
    for page in 0..old {
        let mut shown = vec![];
        // The latest pages of its section.
        let section = page / PAGES_PER_SECTION;
        shown.extend((0..3).map(|place| Random(u64::from(section)).nth(place) % found));
        if page % PAGES_PER_HUB == 0 {
            let start = random.below(found);
            shown.extend((0..200).map(|place| (start + 7 * place) % found));
        }
        // A mirror of the hub before it shows most of what that shows.
        if page % PAGES_PER_HUB == 1 {
            let (_, hub): &(u32, Vec<u32>) = &rows[page as usize - 1];
            shown.extend_from_slice(&hub[..hub.len() - 1]);
        }
        if random.below(2) == 0 {
            shown.push(random.below(found));
        }
        rows.push((page, shown));
    }
    let chains = (0..found).map(|page| (page, chain(shape, page, found, &mut random)));
    (rows, chains.collect())
}

/// The links of a found page.
fn chain(shape: Shape, page: u32, found: u32, random: &mut Random) -> Vec<u32> {
    match shape {
        Shape::Site => {
            let series = page - page % 5;
            let mut shown: Vec<u32> = (series..series + 5).filter(|&other| other < found).collect();
            if random.below(10) == 0 {
                shown.push(random.below(found));
            }
            shown
        }
        Shape::Archive => {
            (0..3).filter_map(|_| page.checked_sub(1 + random.below(page.clamp(1, 50)))).collect()
        }
    }
}

/// A random number generator (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 32) as u32 % end
    }

    fn nth(mut self, place: u32) -> u32 {
        (0..=place).map(|_| self.below(u32::MAX)).last().unwrap_or(0)
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed().as_secs_f64())
}

/// Megabytes of memory of this process.
fn memory(line: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found = status.lines().find(|text| text.starts_with(line)).unwrap_or_default();
    let kilobytes = found.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
