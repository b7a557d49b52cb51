//! A corpus as JSON Lines. The last line has the next cursor: without it, a reader knows that it does not
//! have everything.
use serde_json::{Value, json};
use store::StoreError;

use super::{
    cursor,
    documents::{Corpus, Deletion, Document, Item},
};
use crate::live::tally::stamp;

/// Takes a line and its item.
pub(crate) type EachLine<'e, E> = &'e mut dyn FnMut(Option<&Item>, String) -> Result<(), E>;

/// Calls `each` with every line and its item; the last line has none.
pub(crate) fn lines<E: From<StoreError>>(
    corpus: &Corpus<'_>,
    since: u64,
    end: u64,
    each: EachLine<'_, E>,
) -> Result<(), E> {
    let view = corpus.view();
    let (mut pages, mut deletions) = (0_u64, 0_u64);
    corpus.each(since, end, |item| {
        match item {
            Item::Page(_) => pages += 1,
            Item::Deleted(_) => deletions += 1,
        }
        let mut value = item_json(&item);
        value["cursor"] = cursor::at(view, item.no())?.into();
        each(Some(&item), format!("{value}\n"))
    })?;
    let last = json!({
        "type": "end",
        "pages": pages,
        "deletions": deletions,
        "cursor": cursor::at(view, end)?,
    });
    each(None, format!("{last}\n"))
}

fn item_json(item: &Item) -> Value {
    match item {
        Item::Page(Document { url, title, text, language, fetched, changed, digest, .. }) => {
            json!({
                "type": "page",
                "url": url,
                "title": title,
                "text": text,
                "language": Some(language).filter(|language| !language.is_empty()),
                "fetched": stamp(*fetched),
                "changed": stamp(*changed),
                "digest": format!("xxh3:{:032x}", digest.0),
            })
        }
        Item::Deleted(Deletion { url, at, reason, .. }) => json!({
            "type": "deleted",
            "url": url,
            "at": stamp(*at),
            "reason": reason,
        }),
    }
}
