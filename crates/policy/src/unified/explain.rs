//! What the policy goes by for one page, in sentences.
use crawl::{Known, PageNo, SignalSource, State};

use super::{discovery::Discovery, scorer::Scorer};

/// Sentences about a page.
pub(super) fn reasons(
    scorer: &Scorer<'_>,
    discovery: Option<&Discovery>,
    known: &Known<'_>,
    page: PageNo,
) -> Vec<String> {
    let is_held = known.pages.state(page) != State::Linked;
    let Some(assessed) = scorer.assess(page).filter(|_| is_held) else {
        let found = (known.now - known.pages.first_seen(page)).days().max(0.0);
        return vec![format!("it was found {} ago and is not held yet", span(found / 7.0))];
    };
    let mut reasons = vec![];
    let counters = scorer.counters;
    let [directory, ..] = counters.levels(page);
    let path = directory_path(known.pages.address(page));
    if let Some(fragments) = scorer.fragments
        && let Some(death) = fragments.strongest(page)
    {
        let (gone, all) = (death.gone, death.gone + death.stayed);
        let pages = if all == 1 { "page" } else { "pages" };
        reasons.push(format!(
            "{gone} of {all} {pages} visited since had lost a text that this page still holds"
        ));
    }
    if let Some((source, date)) = assessed.claim.strongest {
        let ago = span((known.now - date).days().max(0.0) / 7.0);
        let who = match source {
            SignalSource::Sitemap => format!("a sitemap says that it changed {ago} ago"),
            SignalSource::Feed => format!("a feed says that it changed {ago} ago"),
            SignalSource::Notice => format!("a notice says that it changed {ago} ago"),
            SignalSource::Link => {
                format!("a page that links here got another text beside the link in the last {ago}")
            }
        };
        reasons.push(format!(
            "{who}; on this host a change is {} as likely then as without",
            times((2.0 * assessed.claim.odds).exp())
        ));
    }
    let since = counters.since(&counters.own(page), 0, directory);
    if since.visits > 0 {
        let pages = if since.visits == 1 { "page" } else { "pages" };
        reasons.push(format!(
            "{} of {} {pages} in {path} visited since this page had changed",
            since.changes, since.visits
        ));
    }
    reasons.push(format!(
        "a page in {path} changes about every {}, this page every {}",
        span(1.0 / scorer.priors.rate(directory)),
        span(1.0 / assessed.belief.rate())
    ));
    if assessed.gone >= 0.1 {
        reasons.push(format!("{:.0} % likely to be deleted", 100.0 * assessed.gone));
    }
    reasons.push(format!(
        "{:.0} % likely to be out of date by the next cycle",
        100.0 * assessed.stale()
    ));
    if let Some(lead) = discovery.and_then(|discovery| discovery.lead(page)) {
        reasons.push(format!("a visit is expected to show {} new pages", amount(lead.found)));
    }
    reasons
}

/// A number of pages, in as many digits as can be trusted.
fn amount(number: f64) -> String {
    if number < 10.0 { format!("{number:.1}") } else { format!("{number:.0}") }
}

/// A factor, in words.
fn times(factor: f64) -> String {
    match factor {
        ..1.25 => "about".to_owned(),
        ..10.0 => format!("{factor:.1} times"),
        _ => format!("{factor:.0} times"),
    }
}

/// Weeks in the unit that reads best.
fn span(weeks: f64) -> String {
    let days = weeks * 7.0;
    match days {
        ..0.0625 => "1 hour".to_owned(),
        ..1.5 => format!("{:.0} hours", days * 24.0),
        ..21.0 => format!("{days:.0} days"),
        ..120.0 => format!("{weeks:.0} weeks"),
        ..730.0 => format!("{:.0} months", days / 30.4),
        _ => "two years or more".to_owned(),
    }
}

/// The path of the directory that a page lies in.
fn directory_path(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = &rest[rest.find('/').unwrap_or(rest.len())..];
    let path = &path[..path.find(['?', '#']).unwrap_or(path.len())];
    match path.rfind('/') {
        Some(slash) => &path[..=slash],
        None => "/",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_paths_read_well() {
        assert_eq!(span(1.0 / 200.0), "1 hour");
        assert_eq!(span(1.0 / 14.0), "12 hours");
        assert_eq!(span(1.0), "7 days");
        assert_eq!(span(8.0), "8 weeks");
        assert_eq!(span(26.0), "6 months");
        assert_eq!(span(500.0), "two years or more");
        assert_eq!(directory_path("https://a.org/docs/2.1/x.html?y=/"), "/docs/2.1/");
        assert_eq!(directory_path("https://a.org"), "/");
    }
}
