//! Lists of pages that come and go: front pages, archives, boards, feeds.
use std::sync::Arc;

use flow::Time;

/// One page in a list.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// A path on the same site, or an address elsewhere.
    pub(crate) target: String,
    /// What the link says.
    pub(crate) title: String,
    /// A sentence about it; may be empty.
    pub(crate) teaser: String,
    /// From when it is listed.
    pub(crate) from: Time,
    /// From when it no longer is.
    pub(crate) until: Option<Time>,
    /// What is said beside it (a price, a number of replies), from instants on, in order.
    pub(crate) notes: Vec<(Time, String)>,
}

impl Entry {
    /// An entry that is always listed and says nothing more.
    pub(crate) fn fixed(target: &str, title: &str) -> Arc<Self> {
        Arc::new(Self {
            target: target.to_owned(),
            title: title.to_owned(),
            teaser: String::new(),
            from: Time::from_millis(0),
            until: None,
            notes: Vec::new(),
        })
    }

    fn is_listed(&self, now: Time) -> bool {
        self.from <= now && self.until.is_none_or(|until| now < until)
    }

    /// How many notes have been made by `now`.
    fn notes_made(&self, now: Time) -> usize {
        self.notes.partition_point(|(at, _)| *at <= now)
    }

    /// What is said beside it at `now`.
    pub(crate) fn note(&self, now: Time) -> Option<&str> {
        Some(&self.notes[self.notes_made(now).checked_sub(1)?].1)
    }

    /// When it was last touched.
    fn touched(&self, now: Time) -> Time {
        self.notes_made(now).checked_sub(1).map_or(self.from, |last| self.notes[last].0)
    }
}

/// In which order a list shows its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As they were given.
    Given,
    /// The last to come first. The entries are given in the order they come.
    Newest,
    /// The last to be touched first.
    Touched,
}

/// A part of a page that lists others.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// Its heading; may be empty.
    pub(crate) heading: String,
    /// All entries it may ever show.
    pub(crate) entries: Vec<Arc<Entry>>,
    /// In which order.
    pub(crate) order: Order,
    /// How many it passes over, being a later page of a longer list.
    pub(crate) skip: usize,
    /// How many it shows at most.
    pub(crate) limit: usize,
    /// Whether it says when each came.
    pub(crate) dated: bool,
    /// Whether it says a sentence about each.
    pub(crate) teasers: bool,
    /// Whether it asks crawlers not to follow.
    pub(crate) nofollow: bool,
}

impl List {
    /// A list that shows all of its entries.
    pub(crate) fn new(heading: &str, entries: Vec<Arc<Entry>>, order: Order) -> Self {
        Self {
            heading: heading.to_owned(),
            entries,
            order,
            skip: 0,
            limit: usize::MAX,
            dated: false,
            teasers: true,
            nofollow: false,
        }
    }

    /// The same list, at most `limit` entries of it.
    pub(crate) fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The same list, saying when each came.
    pub(crate) fn dated(mut self) -> Self {
        self.dated = true;
        self
    }

    /// The same list, titles only.
    pub(crate) fn brief(mut self) -> Self {
        self.teasers = false;
        self
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

    /// The instants at which what it shows changes, in order: not those at which something beyond
    /// its limit does.
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
        let entry = Entry::fixed("/x", "X");
        Arc::new(Entry { from: at(from), until: until.map(at), ..(*entry).clone() })
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
