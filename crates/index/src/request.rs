//! Search requests.
use crawl::Time;
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use text::words::Language;

/// A search request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// Query as typed: words that must all match, `"a phrase"`, `-without`, `site:host`,
    /// `title:word`, `lang:de`, `after:2026-11-01`, `before:2026-12-01`, `sort:date`. No input is an
    /// error; anything else is words.
    pub query: String,
    /// Number of hits to skip.
    pub offset: usize,
    /// Maximum number of hits.
    pub limit: usize,
    /// What else pages must fulfil, in addition to the filters in the query.
    pub filter: Filter,
}

/// Conditions on pages beside words, and the order of hits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// If not empty, pages must be on one of these hosts or their subdomains.
    pub sites: Vec<String>,
    /// If not empty, pages must be in one of these languages.
    pub languages: Vec<Language>,
    /// Pages must have been found new or changed then or later.
    pub from: Option<Time>,
    /// Pages must have been found new or changed before.
    pub until: Option<Time>,
    /// Whether the latest changes come first, instead of the best matches.
    pub by_date: bool,
}

impl Filter {
    /// Whether it restricts nothing.
    pub(crate) fn admits_all(&self) -> bool {
        let Self { sites, languages, from, until, by_date: _ } = self;
        sites.is_empty() && languages.is_empty() && from.is_none() && until.is_none()
    }

    /// Adds the conditions of another filter.
    pub(crate) fn restrict(&mut self, other: &Self) {
        // Two lists of sites are one longer list, as in a query with two.
        self.sites.extend(other.sites.iter().cloned());
        self.languages.extend(other.languages.iter().copied());
        self.from = self.from.max(other.from);
        self.until = [self.until, other.until].into_iter().flatten().min();
        self.by_date |= other.by_date;
    }

    /// The host of a site, as in addresses: `example.org`, or the host of a URL.
    pub fn site(text: &str) -> Option<String> {
        crate::query::host(text)
    }

    /// A language by its ISO 639-1 code. Only languages with a stemmer are told apart.
    pub fn language(code: &str) -> Option<Language> {
        let code = code.to_ascii_lowercase();
        Language::by_code(&code).filter(|language| *language != Language::Other)
    }

    /// The first instant of a day, month or year in UTC, such as `2026-11-15`, `2026-11` or `2026`.
    pub fn date(text: &str) -> Option<Time> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next(), parts.next());
        let number = |part: Option<&str>| part.map_or(Some(1), |part| part.parse::<i8>().ok());
        let is_plain = year.len() == 4 && parts.next().is_none();
        let year: i16 = year.parse().ok().filter(|_| is_plain)?;
        let date = Date::new(year, number(month)?, number(day)?).ok()?;
        let instant: Timestamp = date.to_zoned(TimeZone::UTC).ok()?.timestamp();
        Some(Time::from_millis(instant.as_millisecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_months_or_years() {
        let day = Time::from_millis(1_762_992_000_000);
        assert_eq!(Filter::date("2025-11-13"), Some(day));
        assert_eq!(Filter::date("2025-01"), Filter::date("2025"));
        assert!(Filter::date("1969").is_some_and(|time| time < Time::from_millis(0)));
        for wrong in ["", "25-11-13", "2025-13", "2025-02-30", "2025-1-1-1", "x", "2025-", "-2025"]
        {
            assert_eq!(Filter::date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn filters_add_up() {
        let mut one = Filter { until: Some(Time::from_millis(5)), ..Filter::default() };
        let from = Some(Time::from_millis(2));
        one.restrict(&Filter { from, until: Some(Time::from_millis(9)), ..Filter::default() });
        assert_eq!((one.from, one.until), (from, Some(Time::from_millis(5))));
    }
}
