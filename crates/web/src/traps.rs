//! Limits against crawler traps: parts of a site that generate new addresses without end.
//!
//! A crawl calls [`Traps::refuses`] for every new link and [`Traps::note`] for every page that it
//! admits. The state is a fold of the admitted addresses and is rebuilt from them when a crawl is
//! opened. It holds hashes only: a page without a query costs nothing beyond its host's counter, a page
//! with two parameters or more 9 bytes in a hash table (10 to 21 with the table's free room), and a
//! path with queries as much.
mod dates;
#[cfg(test)]
mod tests;
mod trap;

use std::hash::Hasher;

use crawl::Time;
use rustc_hash::{FxHashMap, FxHasher};

use self::dates::{dated, parameters};
pub use self::trap::Trap;
use crate::scope::Parts;

/// The most repetitions of one parameter in a query. Shop filters repeat a name for every value.
const REPEATED_PARAMETERS: usize = 3;

/// The most days that a date may lie ahead: the programme of a year and a month.
const DAYS_AHEAD: i64 = 400;

const MILLIS_PER_DAY: i64 = 86_400_000;

/// Parameters that identify a visitor, not a page. In lower case.
const SESSION_NAMES: [&str; 6] =
    ["phpsessid", "jsessionid", "oscsid", "zenid", "cftoken", "asp.net_sessionid"];

/// Parameters that identify a visitor if their value is a long hexadecimal number. Conferences have
/// sessions too: `sessionId=5` is a page.
const SHORT_SESSION_NAMES: [&str; 7] =
    ["sid", "s", "sess", "sessid", "session", "sessionid", "session_id"];

/// The least digits of a session id under such a name.
const SESSION_DIGITS: usize = 32;

/// Limits of ordinary sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrapLimits {
    /// The most segments of a path. Heritrix allows twenty; hand-made sites stay below ten.
    pub path_depth: usize,
    /// The most occurrences of one segment in a path. A wrong relative link adds the same
    /// segments at every step.
    pub repeated_segments: usize,
    /// The most parameters of a query.
    pub query_parameters: usize,
    /// The most pages that differ in their query alone.
    pub queries_per_path: u32,
    /// The most pages on one host whose addresses differ only in the numbers of a date: days of a
    /// calendar. 5,000 days are more than 13 years.
    pub dated_pages: u32,
    /// The most pages of one host.
    pub pages_per_host: u32,
}

impl Default for TrapLimits {
    fn default() -> Self {
        Self {
            path_depth: 20,
            repeated_segments: 3,
            query_parameters: 10,
            queries_per_path: 5_000,
            dated_pages: 5_000,
            pages_per_host: 100_000,
        }
    }
}

/// What a crawl remembers to recognise a trap.
#[derive(Clone, Debug)]
pub struct Traps {
    limits: TrapLimits,
    pages_of_host: FxHashMap<u64, u32>,
    /// By 32 bits of a hash. A collision makes two paths share a limit, which is harmless.
    queries_of_path: FxHashMap<u32, u32>,
    /// The order of the parameters, by a hash that does not depend on the order.
    orders: FxHashMap<[u16; 3], u16>,
    pages_of_shape: FxHashMap<u64, u32>,
}

impl Traps {
    /// No page is known yet.
    pub fn new(limits: TrapLimits) -> Self {
        Self {
            limits,
            pages_of_host: FxHashMap::default(),
            queries_of_path: FxHashMap::default(),
            orders: FxHashMap::default(),
            pages_of_shape: FxHashMap::default(),
        }
    }

    /// Why the canonical `address` of a new page looks like a trap at `now`; `None` if it looks
    /// ordinary.
    pub fn refuses(&self, address: &str, now: Time) -> Option<Trap> {
        let parts = Parts::parse(address)?;
        let limits = &self.limits;
        let found = self.in_path(parts.path).or_else(|| self.in_query(parts));
        if found.is_some() {
            return found;
        }
        if let Some(found) = dated(parts) {
            let today = now.millis().div_euclid(MILLIS_PER_DAY);
            if found.day > today.saturating_add(DAYS_AHEAD) {
                return Some(Trap::FarFuture);
            }
            // An archive with an article of 1902 ends; a calendar of 1902 does not.
            if found.day < 0 && found.is_calendar {
                return Some(Trap::FarPast);
            }
            if found.is_calendar && is_full(&self.pages_of_shape, &shape(parts), limits.dated_pages)
            {
                return Some(Trap::Calendar(limits.dated_pages));
            }
        }
        is_full(&self.pages_of_host, &hash(&[parts.authority]), limits.pages_per_host)
            .then_some(Trap::FullHost(limits.pages_per_host))
    }

    /// Counts an admitted page with the canonical `address`. Call it once per page.
    pub fn note(&mut self, address: &str) {
        let Some(parts) = Parts::parse(address) else { return };
        count(&mut self.pages_of_host, hash(&[parts.authority]));
        if let Some(query) = parts.query {
            count(&mut self.queries_of_path, path_key(parts));
            if let Some((set, order)) = set_and_order(parts, query) {
                self.orders.entry(set).or_insert(order);
            }
        }
        if dated(parts).is_some_and(|found| found.is_calendar) {
            count(&mut self.pages_of_shape, shape(parts));
        }
    }

    fn in_path(&self, path: &str) -> Option<Trap> {
        let segments = || path.split('/').filter(|segment| !segment.is_empty());
        let depth = segments().count();
        if depth > self.limits.path_depth {
            return Some(Trap::DeepPath(self.limits.path_depth));
        }
        let most = self.limits.repeated_segments;
        if depth > most && repeats(segments(), most) {
            return Some(Trap::RepeatedSegment(most));
        }
        has_session(path).then_some(Trap::Session)
    }

    fn in_query(&self, parts: Parts<'_>) -> Option<Trap> {
        let query = parts.query?;
        let limits = &self.limits;
        let count = parameters(query).count();
        if count > limits.query_parameters {
            return Some(Trap::ManyParameters(limits.query_parameters));
        }
        let names = parameters(query).map(|(name, _)| name);
        if count > REPEATED_PARAMETERS && repeats(names, REPEATED_PARAMETERS) {
            return Some(Trap::RepeatedParameter(REPEATED_PARAMETERS));
        }
        if parameters(query).any(|(name, value)| is_session(name, value)) {
            return Some(Trap::Session);
        }
        if let Some((set, order)) = set_and_order(parts, query)
            && self.orders.get(&set).is_some_and(|&known| known != order)
        {
            return Some(Trap::SameParameters);
        }
        is_full(&self.queries_of_path, &path_key(parts), limits.queries_per_path)
            .then_some(Trap::ManyQueries(limits.queries_per_path))
    }
}

/// Whether one of `items` occurs more than `most` times.
fn repeats<'a>(items: impl Iterator<Item = &'a str> + Clone, most: usize) -> bool {
    let mut rest = items;
    while let Some(item) = rest.next() {
        // At the first occurrence of an item, all others are still to come.
        if rest.clone().filter(|other| *other == item).count() >= most {
            return true;
        }
    }
    false
}

/// A session id inside a path: `;jsessionid=…`, or the `(S(…))` of ASP.NET.
fn has_session(path: &str) -> bool {
    let is_session_parameter = |parameter: &str| {
        parameter.split_once('=').is_some_and(|(name, value)| is_session(name, value))
    };
    path.contains(';') && path.split([';', '/']).any(is_session_parameter)
        || path.split("/(S(").skip(1).any(|rest| rest.contains("))"))
}

fn is_session(name: &str, value: &str) -> bool {
    let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    let is_asp = name.get(..12).is_some_and(|it| it.eq_ignore_ascii_case("aspsessionid"));
    let is_long =
        || value.len() >= SESSION_DIGITS && value.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_asp || is(&SESSION_NAMES) || (is(&SHORT_SESSION_NAMES) && is_long())
}

/// A hash of the parameters that does not depend on their order, and a hash of the order; `None` if
/// there is only one order.
fn set_and_order(parts: Parts<'_>, query: &str) -> Option<([u16; 3], u16)> {
    let given = || query.split('&').filter(|parameter| !parameter.is_empty());
    given().nth(1)?;
    let page = hash(&[parts.authority, parts.path]);
    // A sum does not depend on the order.
    let set = given().fold(mixed(page), |sum, it| sum.wrapping_add(mixed(hash(&[it]))));
    let set = mixed(set);
    let order = mixed(hash(&[query]));
    Some(([set as u16, (set >> 16) as u16, (set >> 32) as u16], order as u16))
}

fn path_key(parts: Parts<'_>) -> u32 {
    mixed(hash(&[parts.authority, parts.path])) as u32
}

/// A hash of the address without its digits.
fn shape(parts: Parts<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    for part in [parts.authority, parts.path, parts.query.unwrap_or("")] {
        for piece in part.split(|letter: char| letter.is_ascii_digit()).filter(|it| !it.is_empty())
        {
            hasher.write(piece.as_bytes());
            hasher.write_u8(b'#');
        }
        hasher.write_u8(0);
    }
    hasher.finish()
}

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = FxHasher::default();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}

/// Spreads `hash` over all its bits, so that sums and pieces of hashes are hashes (`SplitMix64`).
fn mixed(hash: u64) -> u64 {
    let hash = hash.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ (hash >> 31)
}

fn count<K: Eq + std::hash::Hash>(counts: &mut FxHashMap<K, u32>, key: K) {
    let count = counts.entry(key).or_default();
    *count = count.saturating_add(1);
}

fn is_full<K: Eq + std::hash::Hash>(counts: &FxHashMap<K, u32>, key: &K, most: u32) -> bool {
    counts.get(key).copied().unwrap_or(0) >= most
}
