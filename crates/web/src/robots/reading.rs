//! Parses the lines of a robots.txt and keeps those for one crawler.
use std::time::Duration;

use extract::read::address;
use rustc_hash::FxHashSet;

use super::{LONGEST_FILE, MOST_SITEMAPS, Rule, pattern::Pattern};

/// The contents of a robots.txt for one crawler.
pub(super) struct Reading {
    pub(super) rules: Vec<Rule>,
    pub(super) crawl_delay: Option<Duration>,
    pub(super) sitemaps: Vec<String>,
}

/// The rules of all groups that name the same crawler are one group (section 2.2.1).
#[derive(Default)]
struct Group {
    /// Whether a `User-agent` line names the crawler; the group may still be empty.
    named: bool,
    /// Whether the current lines belong to it.
    open: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl Group {
    fn name(&mut self) {
        self.named = true;
        self.open = true;
    }
}

pub(super) fn read(body: &[u8], token: &str) -> Reading {
    let token = product_token(token.as_bytes());
    let mut ours = Group::default();
    let mut everyones = Group::default();
    let mut sitemaps = Sitemaps::default();
    // Adjacent `User-agent` lines start one group; rules end it.
    let mut naming = false;
    for line in lines(body) {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
        let key = line[..colon].trim_ascii_end();
        let value = line[colon + 1..].trim_ascii_start();
        if key.eq_ignore_ascii_case(b"user-agent") {
            if !naming {
                ours.open = false;
                everyones.open = false;
            }
            naming = true;
            let name = product_token(value);
            if is_everyone(value) {
                everyones.name();
            } else if !name.is_empty() && name.eq_ignore_ascii_case(token) {
                ours.name();
            }
        } else if key.eq_ignore_ascii_case(b"allow") || key.eq_ignore_ascii_case(b"disallow") {
            naming = false;
            // An empty pattern matches nothing.
            if value.is_empty() {
                continue;
            }
            let allows = key.len() == b"allow".len();
            for group in [&mut ours, &mut everyones].into_iter().filter(|group| group.open) {
                let line = String::from_utf8_lossy(line).into();
                group.rules.push(Rule { pattern: Pattern::new(value), allows, line });
            }
        } else if key.eq_ignore_ascii_case(b"crawl-delay") {
            // `None` is less than any delay.
            for group in [&mut ours, &mut everyones].into_iter().filter(|group| group.open) {
                group.crawl_delay = group.crawl_delay.max(seconds(value));
            }
        } else if key.eq_ignore_ascii_case(b"sitemap") {
            sitemaps.add(value);
        }
    }
    let group = if ours.named { ours } else { everyones };
    Reading { rules: group.rules, crawl_delay: group.crawl_delay, sitemaps: sitemaps.list }
}

/// The lines of `body`, trimmed and without comments and empty lines.
fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let body = match body.get(LONGEST_FILE) {
        None => body,
        Some(next) if is_end(next) => &body[..LONGEST_FILE],
        Some(_) => {
            let whole = body[..LONGEST_FILE].iter().rposition(is_end).unwrap_or(0);
            &body[..whole]
        }
    };
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    body.split(move |byte| is_end(byte))
        .map(|line| {
            let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
            line[..end].trim_ascii()
        })
        .filter(|line| !line.is_empty())
}

/// The product token that `name` starts with: letters, underscores and hyphens (section 2.2.1). Many
/// files add a version or a remark to it.
fn product_token(name: &[u8]) -> &[u8] {
    let is_token = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-');
    let end = name.iter().position(|byte| !is_token(byte)).unwrap_or(name.len());
    &name[..end]
}

fn is_everyone(name: &[u8]) -> bool {
    match name {
        [b'*'] => true,
        [b'*', next, ..] => next.is_ascii_whitespace(),
        _ => false,
    }
}

fn seconds(value: &[u8]) -> Option<Duration> {
    // `parse` would also accept a sign, `inf` and `NaN`.
    let value = std::str::from_utf8(value).ok()?;
    if !value.starts_with(|letter: char| letter == '.' || letter.is_ascii_digit()) {
        return None;
    }
    let seconds: f64 = value.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[derive(Default)]
struct Sitemaps {
    list: Vec<String>,
    known: FxHashSet<String>,
}

impl Sitemaps {
    fn add(&mut self, value: &[u8]) {
        if self.list.len() == MOST_SITEMAPS {
            return;
        }
        if let Some(address) = std::str::from_utf8(value).ok().and_then(address::canonical)
            && self.known.insert(address.clone())
        {
            self.list.push(address);
        }
    }
}
