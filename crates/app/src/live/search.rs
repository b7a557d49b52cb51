//! `sanderling search`: searches the held pages.
use std::io::IsTerminal;

use clap::Args;
use crawl::{PageNo, Time};
use index::{Ask, Found, Hit, Piece, Searcher};
use serde_json::{Value, json};
use store::Brief;

use super::{
    FolderFlags, searching,
    tally::{counted, duration, stamp},
};
use crate::{failure::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Words, 'a "phrase"', 'this -without', site:example.org, title:word
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Show at most this many results
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Skip this many results
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    folder: FolderFlags,
}

pub(crate) fn search(arguments: &Arguments) -> Result<(), Failure> {
    let (settings, view) = arguments.folder.open()?;
    searching::catch_up_unless_in_use(&settings.data, arguments.json)?;
    let searcher = Searcher::open(&settings.data)?;
    let query = arguments.query.join(" ");
    let ask = Ask { query: query.clone(), offset: arguments.offset, limit: arguments.limit.into() };
    let found = searcher.search(&ask)?;
    let hits = with_briefs(&found, |pages| view.briefs(pages))?;
    if arguments.json {
        return output::print(&format!("{:#}", found_json(&query, &ask, &found, &hits)));
    }
    let mut styled = std::io::stdout().is_terminal();
    styled &= std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    output::print(&text(&found, &hits, &ask, super::now(&view)?, styled))
}

/// Each hit with the record of its page.
pub(crate) fn with_briefs<E>(
    found: &Found,
    read: impl FnOnce(&[PageNo]) -> Result<Vec<Brief>, E>,
) -> Result<Vec<(&Hit, Option<Brief>)>, E> {
    let pages: Vec<PageNo> = found.hits.iter().map(|hit| hit.page).collect();
    let briefs = read(&pages)?;
    let brief = |hit: &Hit| briefs.iter().find(|brief| brief.page == hit.page).copied();
    Ok(found.hits.iter().map(|hit| (hit, brief(hit))).collect())
}

/// The results as JSON.
pub(crate) fn found_json(
    query: &str,
    ask: &Ask,
    found: &Found,
    hits: &[(&Hit, Option<Brief>)],
) -> Value {
    let piece = |piece: &Piece| json!({ "text": piece.text, "marked": piece.marked });
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
            "snippet": hit.snippet.iter().map(piece).collect::<Vec<_>>(),
        })
    };
    json!({
        "query": query,
        "total": found.total,
        "offset": ask.offset,
        "relaxed": found.relaxed,
        "position": found.position,
        "hits": hits.iter().map(hit).collect::<Vec<_>>(),
    })
}

fn text(
    found: &Found,
    hits: &[(&Hit, Option<Brief>)],
    ask: &Ask,
    now: Time,
    styled: bool,
) -> String {
    if found.total == 0 {
        return "Nothing found. Try fewer or other words.".to_owned();
    }
    let mut lines = vec![counted(found.total as u64, "page", "pages")];
    if found.relaxed {
        lines[0].push_str(" with some of these words; no page has all of them");
    }
    for (number, (hit, brief)) in hits.iter().enumerate() {
        let title = if hit.title.is_empty() { &hit.address } else { &hit.title };
        lines.push(String::new());
        lines.push(format!("{:>3}. {}", ask.offset + number + 1, style(&plain(title), styled)));
        lines.push(format!("     {}", plain(&hit.address)));
        let pieces = hit.snippet.iter();
        let shown = |piece: &Piece| style(&plain(&piece.text), styled && piece.marked);
        let snippet: String = pieces.map(shown).collect();
        if !snippet.is_empty() {
            lines.push(format!("     {snippet}"));
        }
        if let Some(seen) = brief.and_then(|brief| brief.record.last_seen) {
            lines.push(format!("     seen {} ago", duration(now - seen)));
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
