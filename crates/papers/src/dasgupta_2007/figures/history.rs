//! Upper bounds on algorithms that learn from past recrawls: the table of section 5.5.
use lab::report::figure::{Figure, Plot, Series};

use crate::{
    dasgupta_2007::{
        figures::{line, of_each, ratio},
        site::{
            Site,
            algorithms::{Sums, history_bound},
        },
    },
    draw::{add, point},
    sample::combined,
};

/// The share lost from one interval to the next, in weeks that all intervals have.
pub(crate) const FALL: &str = "lost by rarer recrawls, same weeks";

/// Weeks from one full recrawl to the next.
const INTERVALS: [f64; 3] = [1.0, 2.0, 4.0];

/// Weeks in which none of the longer intervals has a recrawl, after the first of each. New pages
/// come in bursts, so different weeks cannot be compared.
fn is_common(week: usize) -> bool {
    week > 4 && week % 2 == 1
}

pub(crate) fn figure(sites: &[&Site]) -> Figure {
    let bounds = |counts: fn(usize) -> bool| {
        of_each(sites, |site| INTERVALS.map(|w| history_bound(site, w as usize, counts)))
    };
    let (all, same) = (bounds(|_| true), bounds(is_common));
    let of = |found: &[[Sums; 3]], place: usize, of: fn(&Sums) -> (usize, usize)| {
        ratio(found.iter().map(|sums| of(&sums[place])).map(|(a, b)| (a as f64, b as f64)))
    };
    let share = |sums: &Sums| (sums.covered, sums.new);
    let overhead = |sums: &Sums| (sums.visits, sums.covered);
    let fall = |place: usize| {
        let (before, after) = (of(&same, place - 1, share), of(&same, place, share));
        point(INTERVALS[place], combined(&[&before, &after], |both| both[0] - both[1]))
    };
    let fall = Series { name: FALL.to_owned(), points: (1..INTERVALS.len()).map(fall).collect() };
    let shares = vec![
        line("share covered", &INTERVALS, |place| of(&all, place, share)),
        line("share covered, same weeks", &INTERVALS, |place| of(&same, place, share)),
        fall,
    ];
    let overhead = line("overhead", &INTERVALS, |place| of(&all, place, overhead));
    let mut figure = Figure::default();
    for (title, is_share, lines) in
        [("share covered", true, shares), ("overhead", false, vec![overhead])]
    {
        add(&mut figure, Plot {
            title: title.to_owned(),
            caption: "by visits to every page that led to a new one in any recrawl so far; in weeks \
                      without a recrawl, or in odd weeks from the fifth on, which all intervals have"
                .to_owned(),
            x_title: "weeks from one full recrawl to the next".to_owned(),
            is_share,
            lines,
        });
    }
    figure
}
