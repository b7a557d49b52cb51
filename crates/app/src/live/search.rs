//! `sanderling search`: searches the held pages.
use std::{fmt::Write as _, io::IsTerminal};

use clap::Args;
use crawl::{PageNo, Time};
use index::{Fragment, Hit, SearchRequest, SearchResults, Searcher};
use serde_json::{Value, json};
use store::Brief;

use super::{
    FolderFlags,
    search_filter::search_filter,
    searching,
    tally::{counted, duration, stamp},
};
use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Words, 'a "phrase"', 'this -without', site:example.org, title:word, lang:de, after:2026-11-01,
    /// before:2026-12, sort:date
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Show at most this many results
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Skip this many results
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Only pages of these hosts and their subdomains
    #[arg(long, value_name = "HOSTS")]
    site: Option<String>,
    /// Only pages in these languages, by their codes such as en,de
    #[arg(long, value_name = "CODES")]
    language: Option<String>,
    /// Only pages found new or changed on this day or later
    #[arg(long, value_name = "DATE")]
    after: Option<String>,
    /// Only pages found new or changed before this day
    #[arg(long, value_name = "DATE")]
    before: Option<String>,
    /// The order of results: relevance or date (latest change first)
    #[arg(long, value_name = "ORDER")]
    sort: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

pub(crate) fn search(arguments: &Arguments) -> Result<(), Failure> {
    let filter = search_filter(|name| match name {
        "site" => arguments.site.as_deref(),
        "language" => arguments.language.as_deref(),
        "after" => arguments.after.as_deref(),
        "before" => arguments.before.as_deref(),
        _ => arguments.sort.as_deref(),
    })
    .map_err(|wrong| Failure::Input(format!("--{wrong}")))?;
    let (settings, view) = arguments.folder.open()?;
    searching::catch_up_unless_in_use(&settings.data, arguments.json)?;
    let searcher = Searcher::open(&settings.data)?;
    let query = arguments.query.join(" ");
    let (offset, limit) = (arguments.offset, arguments.limit.into());
    let request = SearchRequest { query: query.clone(), offset, limit, filter };
    let results = searcher.search(&request)?;
    let hits = with_briefs(&results, |pages| view.briefs(pages))?;
    if arguments.json {
        return output::print(&format!("{:#}", results_json(&query, &request, &results, &hits)));
    }
    let mut styled = std::io::stdout().is_terminal();
    styled &= std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    output::print(&text(&results, &hits, &request, super::now(&view)?, styled))
}

/// Each hit with the record of its page.
pub(crate) fn with_briefs<E>(
    results: &SearchResults,
    read: impl FnOnce(&[PageNo]) -> Result<Vec<Brief>, E>,
) -> Result<Vec<(&Hit, Option<Brief>)>, E> {
    let pages: Vec<PageNo> = results.hits.iter().map(|hit| hit.page).collect();
    let briefs = read(&pages)?;
    let brief = |hit: &Hit| briefs.iter().find(|brief| brief.page == hit.page).copied();
    Ok(results.hits.iter().map(|hit| (hit, brief(hit))).collect())
}

/// The results as JSON.
pub(crate) fn results_json(
    query: &str,
    request: &SearchRequest,
    results: &SearchResults,
    hits: &[(&Hit, Option<Brief>)],
) -> Value {
    let fragment =
        |fragment: &Fragment| json!({ "text": fragment.text, "marked": fragment.highlighted });
    let hit = |(hit, brief): &(&Hit, Option<Brief>)| {
        json!({
            "page": hit.page.0,
            "url": hit.address,
            "title": hit.title,
            "score": hit.score,
            "rank": hit.rank,
            "language": hit.language.code(),
            "changed": stamp(hit.changed),
            "last_seen": brief.and_then(|brief| brief.record.last_seen).map(stamp),
            "visits": brief.map(|brief| brief.record.visits),
            "changes": brief.map(|brief| brief.record.changes),
            "copies": hit.copies,
            "snippet": hit.snippet.iter().map(fragment).collect::<Vec<_>>(),
        })
    };
    json!({
        "query": query,
        "total": results.total,
        "offset": request.offset,
        "relaxed": results.relaxed,
        "corrected": results.corrected,
        "position": results.position,
        "hits": hits.iter().map(hit).collect::<Vec<_>>(),
    })
}

fn text(
    results: &SearchResults,
    hits: &[(&Hit, Option<Brief>)],
    request: &SearchRequest,
    now: Time,
    styled: bool,
) -> String {
    if results.total == 0 {
        return "Nothing found. Try fewer or other words.".to_owned();
    }
    let mut lines = vec![counted(results.total as u64, "page", "pages")];
    if results.relaxed {
        lines[0].push_str(" with some of these words; no page has all of them");
    }
    if !results.corrected.is_empty() {
        let words = results.corrected.join(", ");
        let _ = write!(lines[0], "; no page has {}, these have similar words", plain(&words));
    }
    for (number, (hit, brief)) in hits.iter().enumerate() {
        let title = if hit.title.is_empty() { &hit.address } else { &hit.title };
        lines.push(String::new());
        lines.push(format!("{:>3}. {}", request.offset + number + 1, style(&plain(title), styled)));
        lines.push(format!("     {}", plain(&hit.address)));
        let shown =
            |fragment: &Fragment| style(&plain(&fragment.text), styled && fragment.highlighted);
        let snippet: String = hit.snippet.iter().map(shown).collect();
        if !snippet.is_empty() {
            lines.push(format!("     {snippet}"));
        }
        if let Some(seen) = brief.and_then(|brief| brief.record.last_seen) {
            let mut facts = format!("     seen {} ago", duration(now - seen));
            if hit.copies > 0 {
                let copies = counted(u64::from(hit.copies), "other page", "other pages");
                let _ = write!(facts, "; {copies} with the same text");
            }
            lines.push(facts);
        }
    }
    lines.join("\n")
}

/// In bold, if styled.
fn style(text: &str, styled: bool) -> String {
    if styled { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Without control characters, which could move the cursor of the terminal or change its colours.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
