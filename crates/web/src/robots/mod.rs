//! Parses robots.txt (RFC 9309).
//!
//! [`Rules`] holds only what concerns one crawler: the rules of its own group, or those of `*` if the
//! file has no group of its name. In addition to the RFC it reads `Crawl-delay` and `Sitemap`, which do not
//! end a group (section 2.2.4). It does not guess misspelt records.
mod pattern;
mod reading;

use std::time::Duration;

use self::pattern::{Pattern, Target};
use crate::scope::Parts;

/// The most bytes of a robots.txt that are parsed: the 500 KiB that every crawler must support
/// (RFC 9309, section 2.5).
pub const LONGEST_FILE: usize = 512_000;

/// The most sitemaps taken from one robots.txt.
pub const MOST_SITEMAPS: usize = 1_000;

/// What [`Rules::matched`] returns if robots.txt is unreachable and everything is disallowed.
const UNREACHABLE: &str = "robots.txt could not be fetched, so nothing may be";

/// What one robots.txt allows one crawler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// The first rule that matches decides.
    by_precedence: Vec<Rule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

/// One `Allow` or `Disallow` line.
#[derive(Clone, Debug, PartialEq)]
struct Rule {
    pattern: Pattern,
    allows: bool,
    /// The line without its comment.
    line: Box<str>,
}

impl Rules {
    /// Parses a robots.txt for the crawler with the product token `token`.
    ///
    /// Never fails: invalid lines are ignored. Only the first [`LONGEST_FILE`] bytes are parsed;
    /// a line cut there is dropped, because half a rule may mean the opposite.
    pub fn parse(body: &[u8], token: &str) -> Self {
        let reading = reading::read(body, token);
        let mut by_precedence = reading.rules;
        // The rule with the most octets decides; of equal ones, the allowing rule (section 2.2.2).
        by_precedence.sort_by(|a, b| {
            let octets = b.pattern.octets().cmp(&a.pattern.octets());
            octets.then(b.allows.cmp(&a.allows)).then_with(|| a.pattern.cmp(&b.pattern))
        });
        by_precedence.dedup_by(|b, a| a.allows == b.allows && a.pattern == b.pattern);
        Self { by_precedence, crawl_delay: reading.crawl_delay, sitemaps: reading.sitemaps }
    }

    /// Allows everything, as an absent robots.txt does (section 2.3.1.3).
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// Disallows everything, as an unreachable robots.txt does (section 2.3.1.4).
    pub fn disallow_all() -> Self {
        let everything =
            Rule { pattern: Pattern::new(b"/"), allows: false, line: UNREACHABLE.into() };
        Self { by_precedence: vec![everything], ..Self::default() }
    }

    /// Whether fetching the canonical `address` is allowed. `/robots.txt` always is.
    pub fn allows(&self, address: &str) -> bool {
        self.deciding(address).is_none_or(|rule| rule.allows)
    }

    /// The line that decided about `address`, such as `Disallow: /private/`; `None` if no rule
    /// matched, so that the page is allowed.
    pub fn matched(&self, address: &str) -> Option<&str> {
        self.deciding(address).map(|rule| &*rule.line)
    }

    /// The delay between two fetches that the site asks for. As with the rules, `*` counts only if no
    /// group names the crawler. The longest of several delays counts.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The canonical addresses of sitemaps, without duplicates, in the order of the file.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    fn deciding(&self, address: &str) -> Option<&Rule> {
        if self.by_precedence.is_empty() {
            return None;
        }
        let (path, query) =
            Parts::parse(address).map_or(("/", None), |parts| (parts.path, parts.query));
        if path == "/robots.txt" {
            return None;
        }
        let target = Target::new(path, query);
        self.by_precedence.iter().find(|rule| rule.pattern.matches(&target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(body: &str) -> Rules {
        Rules::parse(body.as_bytes(), "sanderling")
    }

    #[test]
    fn says_which_line_decided() {
        let rules = rules(
            "User-agent: *\nDisallow: /private/ # keep out\n  ALLOW :  /private/about.html\n",
        );
        assert_eq!(rules.matched("https://a.org/private/x"), Some("Disallow: /private/"));
        assert_eq!(
            rules.matched("https://a.org/private/about.html"),
            Some("ALLOW :  /private/about.html")
        );
        assert_eq!(rules.matched("https://a.org/"), None);
    }

    #[test]
    fn without_a_file_all_is_allowed_and_with_one_out_of_reach_nothing_but_itself() {
        assert!(Rules::allow_all().allows("https://a.org/x"));
        let none = Rules::disallow_all();
        assert!(!none.allows("https://a.org/"));
        assert!(!none.allows("https://a.org/?x"));
        assert!(none.allows("https://a.org/robots.txt"));
        assert_eq!(none.matched("https://a.org/"), Some(UNREACHABLE));
    }

    #[test]
    fn reads_the_delay_of_our_group_or_of_everyones() {
        let seconds = |body: &str| rules(body).crawl_delay().map(|delay| delay.as_secs_f64());
        assert_eq!(seconds("User-agent: *\nCrawl-delay: 2.5"), Some(2.5));
        assert_eq!(
            seconds("User-agent: *\nCrawl-delay: 9\n\nUser-agent: Sanderling\nCrawl-delay: 3"),
            Some(3.0)
        );
        assert_eq!(
            seconds("User-agent: sanderling\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 9"),
            None
        );
        assert_eq!(seconds("User-agent: *\nCrawl-delay: 2\nCrawl-delay: 7\n"), Some(7.0));
        assert_eq!(seconds("Crawl-delay: 2\nUser-agent: *\n"), None);
    }

    #[test]
    fn a_delay_that_makes_no_sense_is_none_and_a_huge_one_is_kept() {
        let delay =
            |value: &str| rules(&format!("User-agent: *\nCrawl-delay: {value}")).crawl_delay;
        for nonsense in ["", "soon", "-1", "NaN", "inf", "5s", "1,5", "."] {
            assert_eq!(delay(nonsense), None, "{nonsense}");
        }
        assert_eq!(delay("0"), Some(Duration::ZERO));
        assert_eq!(delay(".5"), Some(Duration::from_millis(500)));
        assert_eq!(delay("86400"), Some(Duration::from_hours(24)));
        assert_eq!(delay("1e300"), Some(Duration::MAX));
        assert_eq!(delay(&"9".repeat(500)), Some(Duration::MAX));
    }

    #[test]
    fn takes_sitemaps_from_anywhere_in_canonical_form_and_each_once() {
        let rules = rules(
            "Sitemap: HTTPS://A.org:443/one.xml\nUser-agent: other\nSitemap: /relative.xml\n\
             Disallow: /\nsitemap:https://a.org/one.xml#x\nSITEMAP : ftp://a.org/x\n\
             Sitemap: http://b.org/two.xml?a=1",
        );
        assert_eq!(rules.sitemaps(), ["https://a.org/one.xml", "http://b.org/two.xml?a=1"]);
    }

    #[test]
    fn takes_a_thousand_sitemaps_at_most() {
        let lines: Vec<String> = (0..1_200).map(|n| format!("Sitemap: http://a.org/{n}")).collect();
        assert_eq!(rules(&lines.join("\n")).sitemaps().len(), MOST_SITEMAPS);
    }

    #[test]
    fn looks_at_the_first_500_kib_only_and_drops_the_line_cut_there() {
        let start = "User-agent: *\nDisallow: /a\n";
        let filler = "#".repeat(LONGEST_FILE - start.len() - "\nDisallow: /b".len());
        // A line is complete if its end is the last byte parsed or the first one after it.
        let whole = rules(&format!("{start}{filler}\nDisallow: /b\nDisallow: /c"));
        assert!(!whole.allows("http://a.org/b"));
        assert!(whole.allows("http://a.org/c"));
        let cut = rules(&format!("{start}{filler}\nDisallow: /bc\n"));
        assert!(cut.allows("http://a.org/bc"));
        assert!(cut.allows("http://a.org/b"));
        assert!(!cut.allows("http://a.org/a"));
        assert!(rules(&"x".repeat(LONGEST_FILE + 1)).allows("http://a.org/"));
    }
}
