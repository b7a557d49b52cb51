//! One address of the demo web: what it shows, and every instant at which that changes.
//!
//! A page is a recipe. The recipe alone determines what the page shows at an instant and when it
//! changes, so an index page changes exactly when something it lists does.
use crawl::Time;

use crate::list::List;
use crate::prose::{Prose, Replies};
use crate::random::Random;

/// One address and what it serves over time.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// With the query.
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) form: Form,
    /// May be long before the web's first instant.
    pub(crate) born: Time,
    /// When it stops being served, and how.
    pub(crate) end: Option<(Time, End)>,
    /// The path in `rel="canonical"`.
    pub(crate) canonical: Option<String>,
    pub(crate) noindex: Noindex,
    /// Milliseconds that the server takes to answer.
    pub(crate) slowness: u16,
    /// When it changes, its birth first; set by [`finish`](Self::finish).
    changes: Vec<Time>,
}

/// What a page becomes when it ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// 410.
    Gone,
    /// 404.
    Missing,
    /// A redirect: status, and path or address.
    Moved(u16, String),
}

/// Whether and how a page asks not to be indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noindex {
    No,
    /// With `<meta name="robots">`.
    Meta,
    /// With the header `X-Robots-Tag`.
    Header,
}

/// What a page is made of.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Html(Vec<Block>),
    /// Plain text that never changes.
    Text(String),
    Rss(List),
    Atom(List),
    Sitemap(Sitemap),
    /// A redirect: status, and targets from instants on.
    Redirect(u16, Vec<(Time, String)>),
}

/// A part of an HTML page.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// Text that is edited.
    Prose(Prose),
    /// What people answer.
    Replies(Replies),
    List(List),
    /// A label, and its values from instants on.
    Value(&'static str, Vec<(Time, String)>),
    /// Markup that changes at instants while nothing visible does.
    Noise(Random, Vec<Time>),
    /// Markup that never changes.
    Fixed(String),
}

/// A sitemap or an index of sitemaps.
#[derive(Clone, Debug)]
pub(crate) struct Sitemap {
    pub(crate) listed: Vec<Listed>,
    pub(crate) lastmod: Lastmod,
    /// Whether it lists sitemaps rather than pages.
    pub(crate) is_index: bool,
    /// Whether it is served as a gzip file.
    pub(crate) gzip: bool,
}

/// One page in a sitemap.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) path: String,
    pub(crate) from: Time,
    pub(crate) until: Option<Time>,
    /// Empty if the sitemap does not say.
    pub(crate) changes: Vec<Time>,
}

/// The `lastmod` dates of a sitemap.
#[derive(Clone, Debug)]
pub(crate) enum Lastmod {
    Absent,
    /// Correct.
    True,
    /// The time of the last build of the site for every page, changed or not.
    Build(Vec<Time>),
}

impl Page {
    /// A page without an end.
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

    /// An HTML page without an end.
    pub(crate) fn html(
        path: impl Into<String>,
        title: impl Into<String>,
        born: Time,
        blocks: Vec<Block>,
    ) -> Self {
        Self::new(path, title, born, Form::Html(blocks))
    }

    /// Asks crawlers not to index the page.
    pub(crate) fn noindex(self, noindex: Noindex) -> Self {
        Self { noindex, ..self }
    }

    /// Ends the page.
    pub(crate) fn until(self, end: Option<(Time, End)>) -> Self {
        Self { end, ..self }
    }

    /// The same content at another path; both name the first as canonical.
    pub(crate) fn copy(&mut self, path: impl Into<String>) -> Self {
        self.canonical = Some(self.path.clone());
        Self { path: path.into(), ..self.clone() }
    }

    /// The same content at another path from `born` on.
    pub(crate) fn moved(&self, path: impl Into<String>, born: Time) -> Self {
        Self { path: path.into(), born, ..self.clone() }
    }

    /// Computes when the page changes. Call it when the page is complete.
    pub(crate) fn finish(&mut self) {
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
        last_by(&self.changes, at)
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

/// The last of `times`, which are in order, that is not after `now`.
pub(crate) fn last_by(times: &[Time], now: Time) -> Option<Time> {
    times[..times.partition_point(|at| *at <= now)].last().copied()
}

/// The value at `now` of values that hold from instants on.
pub(crate) fn in_force(values: &[(Time, String)], now: Time) -> Option<&str> {
    let count = values.partition_point(|(at, _)| *at <= now);
    Some(&values[count.checked_sub(1)?].1)
}
