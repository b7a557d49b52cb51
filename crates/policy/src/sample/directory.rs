//! Distance by directories, DB of Tan 2007, eq. 2: how far apart two addresses of a host are in its tree of
//! directories.
//!
//! Let m be the depth of the sample's address `http://u1/../um`, n that of a page's, and c that of their
//! nearest common directory: h = (m - c) + (n - c) - 2, so pages of one directory are at 0. The paper says
//! that d > 0 are upper directories and d < 0 lower ones, but its eq. 2 has the opposite signs and puts all
//! pages of the sample's depth at 0. `corrected` follows the text: deeper pages are at -h, all others at +h,
//! also those of the same depth elsewhere, which one reaches by going up first. `literal` is the equation as
//! printed (`docs/papers.md` A2.2-2 and 3).
//!
//! The paper leaves open: the host is u1 for any scheme; a query belongs to the last part, including its
//! slashes; an address that ends with a slash has an empty last part, so it is a page in that directory; the
//! last part of an address is never a common directory. Pages of other hosts are infinitely far.
use std::{cmp::Ordering, ops::Range};

use crawl::{HostNo, Known, PageNo, Pages};
use rayon::prelude::*;

use super::{BATCH, CHANCE, COUNT, Neighbourhood, Sampling, granularity, is_selected};
use crate::{Kind, Parameter, PolicyEntry};

pub(crate) const ENTRY: PolicyEntry = PolicyEntry {
    is_random: |_| true,
    parameters: &[
        granularity("1", "how many directories away: upper above 0, lower below"),
        BATCH,
        CHANCE,
        COUNT,
        SIGNS,
    ],
    ..PolicyEntry::new(
        "directory-sample",
        "single pages at random, and those in directories near one that has changed",
        |seed, parameters| {
            let directories = Directories::new(parameters.word("distance"));
            Box::new(Sampling::new("directory-sample", seed, parameters, directories))
        },
    )
};

/// Selects the signs of the distance.
const SIGNS: Parameter = Parameter {
    name: "distance",
    meaning: "signs as the paper says in words, or eq. 2 as it is printed",
    default: "corrected",
    kind: Kind::Word(&["corrected", "literal"]),
};

/// The signs of the distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signs {
    /// As in the text.
    Corrected,
    /// As in eq. 2.
    Literal,
}

/// Distances by directories.
///
/// Pages are kept in order of host, depth and address. Then the pages of one depth below one directory are
/// adjacent and have the same distance.
#[derive(Clone, Debug)]
struct Directories {
    signs: Signs,
    /// By page number.
    addresses: Vec<Address>,
    ordered: Vec<PageNo>,
    /// The positions of each host and depth in the order, ascending by both.
    groups: Vec<(HostNo, u32, Range<usize>)>,
}

/// A parsed address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Address {
    /// Where its path begins, after the host.
    path: u32,
    /// The number of its parts, including the host.
    depth: u32,
}

impl Directories {
    /// The distance with the signs of the parameter.
    fn new(word: &'static str) -> Self {
        let signs = if word == "literal" { Signs::Literal } else { Signs::Corrected };
        Self { signs, addresses: vec![], ordered: vec![], groups: vec![] }
    }

    /// The positions of the pages of a host at a depth whose path begins with `prefix`.
    fn below(&self, pages: &Pages, host: HostNo, depth: u32, prefix: &str) -> Range<usize> {
        let group = self.groups.binary_search_by_key(&(host, depth), |group| (group.0, group.1));
        let Ok(group) = group else { return 0..0 };
        let range = self.groups[group].2.clone();
        let path = |page: PageNo| self.path(pages, page);
        let group = &self.ordered[range.clone()];
        let before = group.partition_point(|&page| path(page) < prefix);
        let rest = &group[before..];
        let within = rest.partition_point(|&page| path(page).starts_with(prefix));
        let begin = range.start + before;
        begin..begin + within
    }

    /// The part of an address after the host.
    fn path<'a>(&self, pages: &'a Pages, page: PageNo) -> &'a str {
        &pages.address(page)[self.addresses[page.index()].path as usize..]
    }

    fn order(&self, pages: &Pages, a: PageNo, b: PageNo) -> Ordering {
        let key = |page: PageNo| (pages.host(page), self.addresses[page.index()].depth);
        key(a).cmp(&key(b)).then_with(|| self.path(pages, a).cmp(self.path(pages, b)))
    }
}

impl Neighbourhood for Directories {
    fn prepare(&mut self, known: &Known<'_>) {
        let before = self.addresses.len();
        if before == known.pages.len() {
            return;
        }
        let new = || known.pages.numbers().skip(before);
        self.addresses.extend(new().map(|page| Address::parse(known.pages, page)));
        // The sort is fast for the part that is in order already.
        let mut ordered = std::mem::take(&mut self.ordered);
        ordered.extend(new());
        ordered.par_sort_by(|&a, &b| self.order(known.pages, a, b));
        self.ordered = ordered;
        self.groups.clear();
        for (place, &page) in self.ordered.iter().enumerate() {
            let (host, depth) = (known.pages.host(page), self.addresses[page.index()].depth);
            match self.groups.last_mut() {
                Some(group) if (group.0, group.1) == (host, depth) => group.2.end = place + 1,
                _ => self.groups.push((host, depth, place..place + 1)),
            }
        }
    }

    fn within(&mut self, seed: PageNo, d: i32, known: &Known<'_>) -> Vec<(i32, PageNo)> {
        let mut near = vec![];
        let Some(&Address { depth, .. }) = self.addresses.get(seed.index()) else { return near };
        let host = known.pages.host(seed);
        let directories = directories(self.path(known.pages, seed), depth);
        for common in 1..depth {
            // Deeper pages are beyond the granularity; as printed, those of the same depth never are.
            let deepest = (d.unsigned_abs() + 2 + 2 * common).saturating_sub(depth).max(depth);
            for other in common + 1..=deepest {
                let distance = distance(self.signs, depth, other, common);
                if !is_selected(distance, d) {
                    continue;
                }
                let prefix = directories[common as usize - 1];
                let all = self.below(known.pages, host, other, prefix);
                // Pages with a deeper directory in common come in a later round.
                let deeper = match directories.get(common as usize) {
                    Some(prefix) => self.below(known.pages, host, other, prefix),
                    None => all.end..all.end,
                };
                let deeper = if deeper.is_empty() { all.end..all.end } else { deeper };
                let pages = (all.start..deeper.start).chain(deeper.end..all.end);
                let others = pages.map(|place| self.ordered[place]).filter(|&page| page != seed);
                near.extend(others.map(|page| (distance, page)));
            }
        }
        near
    }
}

/// The distance from a page at depth `from` to one at depth `to` whose addresses have `common` parts in
/// common.
fn distance(signs: Signs, from: u32, to: u32, common: u32) -> i32 {
    let hops = (from - common + to - common) as i32 - 2;
    match (signs, from.cmp(&to)) {
        (Signs::Corrected, Ordering::Less) | (Signs::Literal, Ordering::Greater) => -hops,
        (Signs::Literal, Ordering::Equal) => 0,
        _ => hops,
    }
}

/// The directories of a path of this depth, each with its parents and the slash at its end; the first is
/// the whole host.
fn directories(path: &str, depth: u32) -> Vec<&str> {
    let slashes = path.match_indices('/').map(|(at, _)| &path[..=at]);
    let mut directories: Vec<&str> = slashes.take(depth as usize - 1).collect();
    match directories.first_mut() {
        // An address without the first slash is on the host as well.
        Some(host) => *host = "",
        None => directories.push(""),
    }
    directories
}

impl Address {
    fn parse(pages: &Pages, page: PageNo) -> Self {
        let address = pages.address(page);
        let scheme = address.find("://").map_or(0, |at| at + 3);
        let path = scheme + pages.host_name(pages.host(page)).len();
        let before_query = address[path..].split('?').next().unwrap_or_default();
        let slashes = before_query.matches('/').count().max(1);
        Self { path: path as u32, depth: slashes as u32 + 1 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sample::tests::Web;

    /// The addresses within `d` of `seed`, with their distance.
    fn within(web: &Web, word: &'static str, seed: &str, d: i32) -> Vec<(String, i32)> {
        let mut directories = Directories::new(word);
        directories.prepare(&web.known());
        let found = directories.within(web.page(seed), d, &web.known());
        let named = |(at, page)| (web.pages.address(page).to_owned(), at);
        let mut found: Vec<_> = found.into_iter().map(named).collect();
        found.sort_unstable();
        found
    }

    const SEED: &str = "http://www.abc.com/dir1/index1.htm";

    /// The paper's example of a sample, whose depth is m = 3, and pages around it: the depth n, the depth c of
    /// the nearest common directory, h = (m - c) + (n - c) - 2, then the distance corrected and as printed.
    const AROUND: &[(&str, i32, i32)] = &[
        // In the same directory: n = 3, c = 2, h = 0.
        ("http://www.abc.com/dir1/index2.htm", 0, 0),
        ("http://www.abc.com/dir1/", 0, 0),
        ("https://www.abc.com/dir1/index1.htm", 0, 0),
        ("http://www.abc.com/dir1/list?of=/a/b/c", 0, 0),
        // Above it: n = 2, c = 1, h = 1.
        ("http://www.abc.com/", 1, -1),
        ("http://www.abc.com/index.htm", 1, -1),
        ("http://www.abc.com/dir1", 1, -1),
        ("http://www.abc.com/dir1?page=/2/3", 1, -1),
        // In another directory beside it: n = 3, c = 1, h = 2.
        ("http://www.abc.com/dir2/index1.htm", 2, 0),
        ("http://www.abc.com/dir1-old/index1.htm", 2, 0),
        // Below it: n = 4, c = 2, h = 1; and n = 5, h = 2.
        ("http://www.abc.com/dir1/sub/index1.htm", -1, 1),
        ("http://www.abc.com/dir1/index1.htm/more", -1, 1),
        ("http://www.abc.com/dir1/sub/deep/x.htm", -2, 2),
        // Below another: n = 4, c = 1, h = 3.
        ("http://www.abc.com/dir2/sub/index1.htm", -3, 3),
    ];

    fn around() -> Web {
        let mut addresses: Vec<&str> = AROUND.iter().map(|row| row.0).collect();
        addresses.extend([SEED, "http://abc.com/dir1/index1.htm", "http://www.abc.com.example/"]);
        Web::new(&addresses)
    }

    #[test]
    fn all_distances_around_the_papers_example() {
        let web = around();
        for (word, distance) in
            [("corrected", (|row| row.1) as fn(&(&str, i32, i32)) -> i32), ("literal", |row| row.2)]
        {
            for d in [-20, -2, -1, 0, 1, 2, 20] {
                let rows = AROUND.iter().filter(|row| is_selected(distance(row), d));
                let mut expected: Vec<_> =
                    rows.map(|row| (row.0.to_owned(), distance(row))).collect();
                expected.sort_unstable();
                assert_eq!(within(&web, word, SEED, d), expected, "{word}, {d}");
            }
        }
    }

    #[test]
    fn from_the_root_everything_is_below() {
        let web = Web::new(&[
            "http://a.example/",
            "http://a.example/x",
            "http://a.example/x/1",
            "http://a.example/x/y/1",
        ]);
        let below = |d| within(&web, "corrected", "http://a.example/", d);
        assert_eq!(below(20), [("http://a.example/x".to_owned(), 0)]);
        assert_eq!(
            below(-1),
            [("http://a.example/x".to_owned(), 0), ("http://a.example/x/1".to_owned(), -1)]
        );
        assert_eq!(below(-2).len(), 3);
    }

    #[test]
    fn addresses_are_taken_apart_at_the_slashes_before_the_query() {
        let web =
            Web::new(&["http://a.example", "http://a.example?x=/y", "http://a.example/b/?c/d"]);
        let address = |number| Address::parse(&web.pages, PageNo(number));
        assert_eq!(address(0), Address { path: 16, depth: 2 });
        assert_eq!(address(1), Address { path: 16, depth: 2 });
        assert_eq!(address(2), Address { path: 16, depth: 3 });
        assert_eq!(directories("/b/?c/d", 3), ["", "/b/"]);
        assert_eq!(directories("", 2), [""]);
        assert_eq!(directories("?x=/y", 2), [""]);
    }

    #[test]
    fn pages_that_become_known_later_are_put_in_their_place() {
        let mut web = Web::new(&["http://a.example/x/2", "http://a.example/y/1"]);
        let mut directories = Directories::new("corrected");
        directories.prepare(&web.known());
        assert_eq!(directories.within(PageNo(0), 1, &web.known()), []);
        let later = web.pages.insert("http://a.example/x/1", web.known().now);
        assert_eq!(directories.within(later, 1, &web.known()), []);
        directories.prepare(&web.known());
        assert_eq!(directories.within(PageNo(0), 1, &web.known()), [(0, later)]);
        assert_eq!(directories.within(later, 2, &web.known()), [(2, PageNo(1)), (0, PageNo(0))]);
    }

    /// The distance by eq. 2 and the resolutions above, from the parts of two addresses.
    fn by_definition(signs: Signs, seed: &str, page: &str) -> i32 {
        let parts = |address: &str| -> Vec<String> {
            let path = address.split('?').next().unwrap();
            path.split('/').skip(2).map(str::to_owned).collect()
        };
        let (seed, page) = (parts(seed), parts(page));
        let alike = seed.iter().zip(&page).take_while(|(a, b)| a == b).count();
        let (m, n) = (seed.len() as i32, page.len() as i32);
        let c = (alike as i32).min(m - 1).min(n - 1);
        let h = (m - c) + (n - c) - 2;
        match signs {
            Signs::Literal => h * (n - m).signum(),
            Signs::Corrected => {
                if n > m {
                    -h
                } else {
                    h
                }
            }
        }
    }

    proptest! {
        #[test]
        fn distances_are_as_defined(
            paths in prop::collection::btree_set("(/[ab-]{1,2}){0,4}/[ab]?([?]a/b)?", 2..30),
            d in -6_i32..=6,
        ) {
            let addresses: Vec<String> =
                paths.iter().map(|path| format!("http://h.example{path}")).collect();
            let web = Web::new(&addresses.iter().map(String::as_str).collect::<Vec<_>>());
            for (word, signs) in [("corrected", Signs::Corrected), ("literal", Signs::Literal)] {
                let others = addresses[1..].iter();
                let all = others.map(|page| (page.clone(), by_definition(signs, &addresses[0], page)));
                let mut expected: Vec<_> = all.filter(|&(_, at)| is_selected(at, d)).collect();
                expected.sort_unstable();
                prop_assert_eq!(within(&web, word, &addresses[0], d), expected);
            }
        }
    }
}
