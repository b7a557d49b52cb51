//! The pages of a corpus, and what became of those that were in it.
//!
//! A corpus has the pages that a search finds: those that people read, without `noindex` and without another
//! canonical address. A page that a reader may have and that no longer belongs to them is a deletion.
use clap::ValueEnum;
use crawl::{Content, Digest, Form, Snapshot, Time};
use extract::{
    detect::main_text::{self, Boilerplate},
    read::markdown::markdown,
};
use store::{CorpusChange, HeldPage, StoreError, View};
use text::words::Language;

/// What an export has of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContentForm {
    /// The main text, white space folded.
    Text,
    /// Markdown.
    Markdown,
}

/// One line of a corpus.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Page(Document),
    Deleted(Deletion),
}

impl Item {
    /// The observation after which a reader may go on.
    pub(crate) fn no(&self) -> u64 {
        match self {
            Self::Page(document) => document.no,
            Self::Deleted(deletion) => deletion.no,
        }
    }
}

/// A page that is new or changed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    pub(crate) no: u64,
    pub(crate) url: String,
    pub(crate) title: String,
    /// Main text or Markdown.
    pub(crate) text: String,
    /// ISO 639-1, or the tag that the page declares; empty if unknown.
    pub(crate) language: String,
    pub(crate) fetched: Time,
    pub(crate) changed: Time,
    /// Of title and text as exported.
    pub(crate) digest: Digest,
}

/// A page that no longer belongs to the corpus.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Deletion {
    pub(crate) no: u64,
    pub(crate) url: String,
    pub(crate) at: Time,
    pub(crate) reason: &'static str,
}

/// The corpus of a data folder.
pub(crate) struct Corpus<'v> {
    view: &'v View,
    boilerplate: Boilerplate,
    content: ContentForm,
}

impl<'v> Corpus<'v> {
    pub(crate) fn new(view: &'v View, content: ContentForm) -> Result<Self, StoreError> {
        let state = view.instrument_state(main_text::NAME)?;
        let boilerplate = state.map(|state| Boilerplate::from_state(&state)).unwrap_or_default();
        Ok(Self { view, boilerplate, content })
    }

    pub(crate) fn view(&self) -> &View {
        self.view
    }

    /// Calls `each` with what changed after the observation `since`, up to `end`, in order.
    pub(crate) fn each<E: From<StoreError>>(
        &self,
        since: u64,
        end: u64,
        mut each: impl FnMut(Item) -> Result<(), E>,
    ) -> Result<(), E> {
        for change in self.view.corpus_changes(since, end)? {
            if let Some(item) = self.item(&change, since)? {
                each(item)?;
            }
        }
        Ok(())
    }

    fn item(&self, change: &CorpusChange, since: u64) -> Result<Option<Item>, StoreError> {
        let held = self.view.held(change.page)?;
        if let Some(HeldPage { damage: Some(flaw), address, .. }) = held {
            return Err(StoreError::Damaged { path: address.into(), flaw });
        }
        // Its record is lost; its next visit brings it.
        let held = match held {
            Some(held) if held.snapshot.content.is_none() => return Ok(None),
            held => held,
        };
        let absent = held.as_ref().map_or(Some("gone"), |held| why_absent(&held.snapshot));
        match (held, absent) {
            (Some(held), None) => {
                if !change.is_change && self.had(change, since)? {
                    return Ok(None);
                }
                self.document(change, held).map(|document| Some(Item::Page(document)))
            }
            (_, Some(reason)) if self.had(change, since)? => {
                let Some(page) = self.view.page_numbered(change.page)? else { return Ok(None) };
                let (no, url, at) = (change.no, page.address, change.at);
                Ok(Some(Item::Deleted(Deletion { no, url, at, reason })))
            }
            _ => Ok(None),
        }
    }

    /// Whether a reader of everything up to `since` has the page.
    fn had(&self, change: &CorpusChange, since: u64) -> Result<bool, StoreError> {
        if since == 0 {
            return Ok(false);
        }
        let before = self.view.held_at(change.page, since)?;
        Ok(before.is_some_and(|snapshot| why_absent(&snapshot).is_none()))
    }

    fn document(&self, change: &CorpusChange, held: HeldPage) -> Result<Document, StoreError> {
        let HeldPage { address, at: fetched, snapshot, .. } = held;
        let empty = Content::default();
        let content = snapshot.content.as_deref().unwrap_or(&empty);
        let as_markdown = match self.content {
            ContentForm::Text => None,
            ContentForm::Markdown => {
                let body = self.view.held_body(change.page)?;
                let is_boilerplate = |run| self.boilerplate.contains(run);
                body.and_then(|body| {
                    markdown(&address, &body.content_type, &body.bytes, &is_boilerplate)
                })
            }
        };
        let text = as_markdown.unwrap_or_else(|| self.boilerplate.main_text(&snapshot));
        let changed =
            if change.is_change { Some(change.at) } else { self.view.last_change(change.page)? };
        Ok(Document {
            no: change.no,
            digest: Digest::from_bytes(format!("{}\n{text}", content.title).as_bytes()),
            language: language(content),
            title: content.title.clone(),
            text,
            changed: changed.unwrap_or(fetched),
            fetched,
            url: address,
        })
    }
}

/// Why a held page does not belong to the corpus; `None` if it does.
fn why_absent(snapshot: &Snapshot) -> Option<&'static str> {
    let directives = &snapshot.directives;
    if snapshot.form == Form::Moved {
        Some("redirect")
    } else if !snapshot.form.is_for_people() {
        Some("not text")
    } else if directives.noindex {
        Some("noindex")
    } else if directives.canonical.is_some() {
        Some("other canonical address")
    } else {
        None
    }
}

/// The language of a page: the detected one, or what the page declares.
fn language(content: &Content) -> String {
    let found = Language::detect(content).code();
    if !found.is_empty() {
        return found.to_owned();
    }
    let declared = content.language.split(['-', '_']).next().unwrap_or_default().trim();
    let is_tag =
        (2..=3).contains(&declared.len()) && declared.bytes().all(|b| b.is_ascii_alphabetic());
    if is_tag { declared.to_ascii_lowercase() } else { String::new() }
}
