//! Lists of pages that come and go: front pages, archives, boards, feeds.
use std::sync::Arc;

use crawl::Time;

/// One page in a list.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// A path on the same site, or an address elsewhere.
    pub(crate) target: String,
    pub(crate) title: String,
    /// A sentence about it; may be empty.
    pub(crate) teaser: String,
    /// From when it is listed.
    pub(crate) from: Time,
    /// From when it is not listed any more.
    pub(crate) until: Option<Time>,
    /// Notes beside it (a price, a number of replies) from instants on, in order.
    pub(crate) notes: Vec<(Time, String)>,
}

impl Entry {
    /// An entry that is always listed.
    pub(crate) fn fixed(target: &str, title: &str) -> Self {
        Self::new(target, title, Time::from_millis(0))
    }

    /// An entry that is listed from `from` on.
    pub(crate) fn new(target: &str, title: &str, from: Time) -> Self {
        let (target, title, teaser) = (target.to_owned(), title.to_owned(), String::new());
        Self { target, title, teaser, from, until: None, notes: Vec::new() }
    }

    fn is_listed(&self, now: Time) -> bool {
        self.from <= now && self.until.is_none_or(|until| now < until)
    }

    /// The number of notes made by `now`.
    fn notes_made(&self, now: Time) -> usize {
        self.notes.partition_point(|(at, _)| *at <= now)
    }

    /// The note beside it at `now`.
    pub(crate) fn note(&self, now: Time) -> Option<&str> {
        Some(&self.notes[self.notes_made(now).checked_sub(1)?].1)
    }

    /// When it was last touched.
    fn touched(&self, now: Time) -> Time {
        self.notes_made(now).checked_sub(1).map_or(self.from, |last| self.notes[last].0)
    }
}

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Given,
    /// Newest first. The entries are given in the order in which they come.
    Newest,
    /// Last touched first.
    Touched,
}

/// A part of a page that lists others.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// May be empty.
    pub(crate) heading: String,
    /// All entries that it ever shows.
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) order: Order,
    /// How many entries earlier pages of the same list show.
    pub(crate) skip: usize,
    pub(crate) limit: usize,
    /// Whether it shows when each entry came.
    pub(crate) dated: bool,
    /// Whether it shows a sentence about each entry.
    pub(crate) teasers: bool,
    pub(crate) nofollow: bool,
}

impl List {
    /// A list that shows all of its entries.
    pub(crate) fn new<E: Into<Arc<Entry>>>(
        heading: &str,
        entries: impl IntoIterator<Item = E>,
        order: Order,
    ) -> Self {
        Self {
            heading: heading.to_owned(),
            entries: entries.into_iter().map(Into::into).collect(),
            order,
            skip: 0,
            limit: usize::MAX,
            dated: false,
            teasers: true,
            nofollow: false,
        }
    }

    /// Shows at most `limit` entries.
    pub(crate) fn limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Shows when each entry came.
    pub(crate) fn dated(self) -> Self {
        Self { dated: true, ..self }
    }

    /// Shows titles only.
    pub(crate) fn brief(self) -> Self {
        Self { teasers: false, ..self }
    }

    /// The entries it shows at `now`.
    pub(crate) fn shown(&self, now: Time) -> Vec<&Entry> {
        self.numbers(now).into_iter().map(|number| &*self.entries[number]).collect()
    }

    fn numbers(&self, now: Time) -> Vec<usize> {
        let listed = |number: &usize| self.entries[*number].is_listed(now);
        let all = 0..self.entries.len();
        match self.order {
            Order::Given => all.filter(listed).skip(self.skip).take(self.limit).collect(),
            Order::Newest => all.rev().filter(listed).skip(self.skip).take(self.limit).collect(),
            Order::Touched => {
                let mut numbers: Vec<usize> = all.filter(listed).collect();
                numbers.sort_by_cached_key(|number| {
                    (std::cmp::Reverse(self.entries[*number].touched(now)), *number)
                });
                numbers.into_iter().skip(self.skip).take(self.limit).collect()
            }
        }
    }

    /// The instants at which the shown entries change, in order. Changes beyond the limit do not
    /// count.
    pub(crate) fn changes(&self) -> Vec<Time> {
        let mut instants: Vec<Time> = self
            .entries
            .iter()
            .flat_map(|entry| {
                let notes = entry.notes.iter().map(|(at, _)| *at);
                notes.chain(entry.until).chain([entry.from])
            })
            .collect();
        instants.sort_unstable();
        instants.dedup();
        let mut before = Vec::new();
        instants.retain(|now| {
            let shown: Vec<(usize, usize)> = self
                .numbers(*now)
                .into_iter()
                .map(|number| (number, self.entries[number].notes_made(*now)))
                .collect();
            let changed = shown != before;
            before = shown;
            changed
        });
        instants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Time {
        Time::from_millis(second * 1_000)
    }

    fn entry(from: i64, until: Option<i64>) -> Arc<Entry> {
        Arc::new(Entry { until: until.map(at), ..Entry::new("/x", "X", at(from)) })
    }

    #[test]
    fn a_list_changes_when_an_entry_comes_or_goes() {
        let list = List::new("", vec![entry(1, None), entry(2, Some(5))], Order::Newest);
        assert_eq!(list.changes(), [at(1), at(2), at(5)]);
    }

    #[test]
    fn what_is_beyond_the_limit_changes_nothing() {
        let entries = vec![entry(1, Some(9)), entry(2, None), entry(3, None)];
        let list = List::new("", entries, Order::Newest).limit(2);
        assert_eq!(list.changes(), [at(1), at(2), at(3)]);
    }

    #[test]
    fn the_entry_touched_last_comes_first() {
        let mut old = (*entry(1, None)).clone();
        old.notes = vec![(at(7), "1 reply".to_owned())];
        old.title = "Old".to_owned();
        let list = List::new("", vec![Arc::new(old), entry(2, None)], Order::Touched);
        assert_eq!(list.shown(at(6))[0].title, "X");
        assert_eq!(list.shown(at(7))[0].title, "Old");
    }
}
