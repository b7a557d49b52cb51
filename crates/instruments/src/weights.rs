//! Weights: what pages are worth by what the user says, for policies that weigh pages.
//!
//! A rule gives a weight to the addresses that begin with a text, or that match a pattern with `*`. Of several
//! rules for an address the longest counts, so the order of rules does not matter. An address without a rule
//! has weight 1.
use std::{fmt, str::FromStr};

use crawl::{CycleStart, Instrument, Need, PageNo, Pages, Recorded, Result, Visited};

/// The largest weight.
const MOST: f32 = 1e6;

/// A weight for the addresses that match a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightRule {
    /// The start of an address, or a pattern with `*` for a whole address.
    pub pattern: String,
    /// The weight, 0 or more.
    pub weight: f32,
}

impl WeightRule {
    /// Whether an address matches.
    pub fn matches(&self, address: &str) -> bool {
        let mut parts = self.pattern.split('*');
        let Some(rest) = parts.next().and_then(|first| address.strip_prefix(first)) else {
            return false;
        };
        let Some(last) = parts.next_back() else { return true };
        // Each part at its first place: what comes after it then has most room.
        let rest = parts.try_fold(rest, |rest, part| Some(&rest[rest.find(part)? + part.len()..]));
        rest.is_some_and(|rest| rest.ends_with(last))
    }
}

/// `PATTERN=WEIGHT`, such as `https://docs.example.org/2.1/=3` or `*/archive/*=0.2`.
impl FromStr for WeightRule {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        let form =
            "write PATTERN=WEIGHT, such as https://docs.example.org/2.1/=3 or */archive/*=0.2";
        let (pattern, weight) =
            word.rsplit_once('=').ok_or_else(|| format!("{word:?} has no weight; {form}"))?;
        let (pattern, weight) = (pattern.trim(), weight.trim());
        let number = weight.parse().ok().filter(|number| (0.0..=MOST).contains(number));
        let weight = number
            .ok_or_else(|| format!("{word:?}: {weight:?} is not a weight from 0 to {MOST}"))?;
        let starts = ["http://", "https://", "*"];
        let lower = pattern.to_ascii_lowercase();
        if !starts.iter().any(|start| lower.starts_with(start)) {
            return Err(format!(
                "{word:?}: {pattern:?} matches no URL, which begins with http:// or https://; {form}"
            ));
        }
        // Addresses have scheme and host in lower case.
        let host = pattern.find("://").map_or(0, |end| end + 3);
        let path = pattern[host..].find('/').map_or(pattern.len(), |slash| host + slash);
        let (host, path) = pattern.split_at(if host == 0 { 0 } else { path });
        Ok(Self { pattern: format!("{}{path}", host.to_ascii_lowercase()), weight })
    }
}

impl fmt::Display for WeightRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.pattern, self.weight)
    }
}

/// The weights of pages.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    /// The longest pattern first.
    rules: Vec<WeightRule>,
    /// By page, the place of its rule, as far as addresses were read.
    by_page: Vec<Option<u16>>,
}

/// A policy weighs pages by [`Weights`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightNeeds;

impl Need for WeightNeeds {
    fn join(&self, _: &Self) -> Self {
        *self
    }
}

impl Weights {
    /// With these rules.
    ///
    /// # Errors
    /// If a pattern has two weights, or there are more than 65,535 rules.
    pub fn new(mut rules: Vec<WeightRule>) -> std::result::Result<Self, String> {
        let length = |rule: &WeightRule| std::cmp::Reverse(rule.pattern.len());
        rules.sort_by(|a, b| length(a).cmp(&length(b)).then_with(|| a.pattern.cmp(&b.pattern)));
        if let Some(twice) = rules.windows(2).find(|two| two[0].pattern == two[1].pattern) {
            return Err(format!("{} has two weights", twice[0].pattern));
        }
        if rules.len() > usize::from(u16::MAX) {
            return Err(format!("{} rules; at most {} are allowed", rules.len(), u16::MAX));
        }
        Ok(Self { rules, by_page: vec![] })
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules, the longest first.
    pub fn rules(&self) -> &[WeightRule] {
        &self.rules
    }

    /// The rule of a page.
    pub fn rule(&self, page: PageNo, pages: &Pages) -> Option<&WeightRule> {
        match self.by_page.get(page.index()) {
            Some(place) => self.rules.get(usize::from((*place)?)),
            // It became known in this cycle.
            None => self.rules.iter().find(|rule| rule.matches(pages.address(page))),
        }
    }

    /// The weight of a page.
    pub fn weight(&self, page: PageNo, pages: &Pages) -> f32 {
        self.rule(page, pages).map_or(1.0, |rule| rule.weight)
    }

    /// The rules that no page follows: none matches, or every match has a longer rule.
    pub fn unused(&self) -> Vec<&WeightRule> {
        let mut is_used = vec![false; self.rules.len()];
        for &place in self.by_page.iter().flatten() {
            is_used[usize::from(place)] = true;
        }
        self.rules
            .iter()
            .zip(is_used)
            .filter(|(_, is_used)| !is_used)
            .map(|(rule, _)| rule)
            .collect()
    }

    /// Reads the addresses of new pages.
    pub fn read(&mut self, pages: &Pages) {
        for row in self.by_page.len()..pages.len() {
            let address = pages.address(PageNo(row as u32));
            let place = self.rules.iter().position(|rule| rule.matches(address));
            self.by_page.push(place.map(|place| place as u16));
        }
    }
}

impl Instrument for Weights {
    fn name(&self) -> &'static str {
        "weights"
    }

    fn begin_cycle(&mut self, cycle: &CycleStart<'_>) -> bool {
        self.read(cycle.pages);
        false
    }

    fn visited(&mut self, _: &Visited<'_>) -> Result<Recorded> {
        Ok(Recorded::default())
    }

    fn fork(&self) -> Box<dyn Instrument> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crawl::Time;

    use super::*;

    fn rule(word: &str) -> WeightRule {
        word.parse().expect("a rule")
    }

    #[test]
    fn a_pattern_is_the_start_of_an_address_or_has_stars_for_any_text() {
        for (pattern, address, expected) in [
            ("https://a.org/docs/", "https://a.org/docs/x", true),
            ("https://a.org/docs/", "https://a.org/doc", false),
            ("https://a.org/docs/", "https://b.org/https://a.org/docs/", false),
            ("*/archive/*", "https://a.org/archive/2020", true),
            ("*/archive/*", "https://a.org/archive", false),
            ("*.pdf", "https://a.org/x.pdf", true),
            ("*.pdf", "https://a.org/x.pdf?y", false),
            ("https://*.a.org/*/new", "https://x.a.org/b/c/new", true),
            ("https://*.a.org/*/new", "https://x.a.org/new", false),
            // The end may not lie before the middle.
            ("*/ab*b", "https://a.org/ab", false),
            ("*/ab*b", "https://a.org/abb", true),
            ("*", "https://a.org/", true),
        ] {
            assert_eq!(
                rule(&format!("{pattern}=2")).matches(address),
                expected,
                "{pattern}, {address}"
            );
        }
    }

    #[test]
    fn the_longest_rule_of_a_page_counts_in_any_order() {
        let words =
            ["https://a.org/=2", "https://a.org/old/=0.5", "*/old/index*=7", "https://b.org/=3"];
        let mut pages = Pages::default();
        for address in ["a.org/x", "a.org/old/x", "a.org/old/index.html", "c.org/"] {
            pages.insert(&format!("https://{address}"), Time::from_millis(0));
        }
        for order in [[0, 1, 2, 3], [3, 2, 1, 0]] {
            let rules = order.map(|place: usize| rule(words[place])).to_vec();
            let mut weights = Weights::new(rules).expect("they differ");
            let found = |weights: &Weights| {
                pages.numbers().map(|page| weights.weight(page, &pages)).collect::<Vec<f32>>()
            };
            let before = found(&weights);
            weights.read(&pages);
            // "https://a.org/old/" is longer than "*/old/index*".
            assert_eq!(found(&weights), [2.0, 0.5, 0.5, 1.0]);
            assert_eq!(before, found(&weights));
            let unused: Vec<String> = weights.unused().iter().map(ToString::to_string).collect();
            assert_eq!(unused, ["https://b.org/=3", "*/old/index*=7"]);
        }
    }

    #[test]
    fn what_is_no_rule_is_refused_with_the_reason() {
        for (word, reason) in [
            ("https://a.org/", "has no weight"),
            ("https://a.org/=heavy", "\"heavy\" is not a weight"),
            ("https://a.org/=-1", "is not a weight from 0"),
            ("https://a.org/=NaN", "is not a weight"),
            ("a.org/docs=2", "matches no URL"),
            ("=2", "matches no URL"),
            ("ftp://a.org/=2", "matches no URL"),
        ] {
            let error = word.parse::<WeightRule>().expect_err(word);
            assert!(error.contains(reason), "{word}: {error}");
        }
        // A query may have an equals sign.
        assert_eq!(rule("https://a.org/?x=1=2.5").pattern, "https://a.org/?x=1");
        assert_eq!(rule("HTTPS://A.org/Docs = 2"), rule("https://a.org/Docs=2"));
        let twice = Weights::new(vec![rule("*x=1"), rule("*x=2")]);
        assert_eq!(twice.map(|_| ()), Err("*x has two weights".to_owned()));
    }
}
