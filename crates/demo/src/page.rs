//! One address of the demo web: what it shows, and every instant at which that changes.
//!
//! A page is a recipe. What it shows at an instant is written from the recipe alone, and the instants
//! of its changes follow from the parts of the recipe, so that an index changes exactly when what it
//! lists does.
use flow::Time;

use crate::chance::Chance;
use crate::list::List;
use crate::prose::{Prose, Replies};

/// One address and what it serves over time.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Its path, and its query where it has one.
    pub(crate) path: String,
    /// Its title.
    pub(crate) title: String,
    /// What it is made of.
    pub(crate) form: Form,
    /// When it came; may be long before the web's first instant.
    pub(crate) born: Time,
    /// When it stops being served, and how.
    pub(crate) end: Option<(Time, End)>,
    /// The path it names as the proper one for its content.
    pub(crate) canonical: Option<String>,
    /// Whether and how it asks not to be indexed.
    pub(crate) noindex: Noindex,
    /// How long the server takes over it, in milliseconds.
    pub(crate) slowness: u16,
    /// When it changes, its birth first; known once it is [settled](Self::settle).
    changes: Vec<Time>,
}

/// What a page becomes when it ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// 410.
    Gone,
    /// 404.
    Missing,
    /// A redirect with this status to this path or address.
    Moved(u16, String),
}

/// Whether and how a page asks not to be indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noindex {
    /// It does not.
    No,
    /// With `<meta name="robots">`.
    Meta,
    /// With the header `X-Robots-Tag`.
    Header,
}

/// What a page is made of.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// HTML, in parts.
    Html(Vec<Block>),
    /// Plain text that never changes.
    Text(String),
    /// An RSS feed of a list.
    Rss(List),
    /// An Atom feed of a list.
    Atom(List),
    /// A sitemap.
    Sitemap(Sitemap),
    /// Always a redirect, with this status, to where it pointed last.
    Redirect(u16, Vec<(Time, String)>),
}

/// A part of an HTML page.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// Text that is edited.
    Prose(Prose),
    /// What people answer.
    Replies(Replies),
    /// Other pages.
    List(List),
    /// A label, and what stands beside it from instants on.
    Value(&'static str, Vec<(Time, String)>),
    /// Markup that changes at instants while nothing visible does.
    Noise(Chance, Vec<Time>),
    /// Markup that never changes.
    Fixed(String),
}

/// A sitemap or an index of sitemaps.
#[derive(Clone, Debug)]
pub(crate) struct Sitemap {
    /// What it lists.
    pub(crate) listed: Vec<Listed>,
    /// What it says of when they changed.
    pub(crate) lastmod: Lastmod,
    /// Whether it lists sitemaps rather than pages.
    pub(crate) is_index: bool,
    /// Whether it is served as a gzip file.
    pub(crate) gzip: bool,
}

/// One page in a sitemap.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Where it is.
    pub(crate) path: String,
    /// From when.
    pub(crate) from: Time,
    /// Until when.
    pub(crate) until: Option<Time>,
    /// When it changed; empty where the sitemap does not say.
    pub(crate) changes: Vec<Time>,
}

/// What a sitemap says of when pages changed.
#[derive(Clone, Debug)]
pub(crate) enum Lastmod {
    /// Nothing.
    Absent,
    /// The truth.
    True,
    /// For every page the instant when the site was last built, whether the page changed or not.
    Build(Vec<Time>),
}

impl Page {
    /// A page that stays for ever once it has come.
    pub(crate) fn new(
        path: impl Into<String>,
        title: impl Into<String>,
        born: Time,
        form: Form,
    ) -> Self {
        Self {
            path: path.into(),
            title: title.into(),
            form,
            born,
            end: None,
            canonical: None,
            noindex: Noindex::No,
            slowness: 0,
            changes: Vec::new(),
        }
    }

    /// An HTML page that stays for ever once it has come.
    pub(crate) fn html(
        path: impl Into<String>,
        title: impl Into<String>,
        born: Time,
        blocks: Vec<Block>,
    ) -> Self {
        Self::new(path, title, born, Form::Html(blocks))
    }

    /// The same page, asking not to be indexed.
    pub(crate) fn noindex(mut self, how: Noindex) -> Self {
        self.noindex = how;
        self
    }

    /// The same page, ending at some time.
    pub(crate) fn until(mut self, end: Option<(Time, End)>) -> Self {
        self.end = end;
        self
    }

    /// The same content at another path; both name the first as the proper one.
    pub(crate) fn copy(&mut self, path: impl Into<String>) -> Self {
        self.canonical = Some(self.path.clone());
        Self { path: path.into(), ..self.clone() }
    }

    /// The same content at another path from `born` on.
    pub(crate) fn moved(&self, path: impl Into<String>, born: Time) -> Self {
        Self { path: path.into(), born, ..self.clone() }
    }

    /// Works out when the page changes. Call it once nothing is added to it any more.
    pub(crate) fn settle(&mut self) {
        let mut changes = vec![self.born];
        match &self.form {
            Form::Html(blocks) => blocks.iter().for_each(|block| block.add_changes(&mut changes)),
            Form::Text(_) => {}
            Form::Rss(list) | Form::Atom(list) => changes.extend(list.changes()),
            Form::Sitemap(sitemap) => sitemap.add_changes(&mut changes),
            Form::Redirect(_, targets) => changes.extend(targets.iter().map(|(at, _)| *at)),
        }
        let until = self.ends();
        changes.retain(|at| *at >= self.born && until.is_none_or(|until| *at < until));
        changes.sort_unstable();
        changes.dedup();
        self.changes = changes;
    }

    /// When it stops being served.
    pub(crate) fn ends(&self) -> Option<Time> {
        self.end.as_ref().map(|(at, _)| *at)
    }

    /// When it changes, its birth first.
    pub(crate) fn changes(&self) -> &[Time] {
        &self.changes
    }

    /// Its last change by `at`; `None` before its birth.
    pub(crate) fn changed(&self, at: Time) -> Option<Time> {
        let count = self.changes.partition_point(|change| *change <= at);
        Some(self.changes[count.checked_sub(1)?])
    }

    /// Whether sitemaps should list it.
    pub(crate) fn is_listable(&self) -> bool {
        let proper = self.canonical.as_ref().is_none_or(|canonical| *canonical == self.path);
        matches!(self.form, Form::Html(_)) && self.noindex == Noindex::No && proper
    }

    /// How a sitemap lists it.
    pub(crate) fn listed(&self) -> Listed {
        Listed {
            path: self.path.clone(),
            from: self.born,
            until: self.ends(),
            changes: self.changes.clone(),
        }
    }
}

impl Block {
    fn add_changes(&self, changes: &mut Vec<Time>) {
        match self {
            Self::Prose(prose) => changes.extend(&prose.edits),
            Self::Replies(replies) => changes.extend(&replies.times),
            Self::List(list) => changes.extend(list.changes()),
            Self::Value(_, values) => changes.extend(values.iter().map(|(at, _)| *at)),
            Self::Noise(_, times) => changes.extend(times),
            Self::Fixed(_) => {}
        }
    }
}

impl Sitemap {
    fn add_changes(&self, changes: &mut Vec<Time>) {
        for listed in &self.listed {
            changes.push(listed.from);
            changes.extend(listed.until);
        }
        match &self.lastmod {
            Lastmod::Absent => {}
            Lastmod::True => self.listed.iter().for_each(|listed| changes.extend(&listed.changes)),
            Lastmod::Build(builds) => changes.extend(builds),
        }
    }
}

/// What stands at `now` in values that hold from instants on.
pub(crate) fn in_force(values: &[(Time, String)], now: Time) -> Option<&str> {
    let count = values.partition_point(|(at, _)| *at <= now);
    Some(&values[count.checked_sub(1)?].1)
}
