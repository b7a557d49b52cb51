//! How often forecasts are right by how much is learned from: figures 6 and 7.
use std::sync::Arc;

use policy::predict::learn::Method;

use super::{
    super::figure::{Figure, Plot},
    Daily, PRIMARY,
    pages::{ByPage, add, less, line},
    tables::BASELINES,
};
use crate::prediction::{
    Question, Web, looks_before,
    settings::{COUNTS, EXPERTS, WINDOW, WINDOWS},
};

/// What follows a method's name in the line of what the paper's window has more than another.
pub(in super::super) const AGAINST_WINDOW: &str = "with 50 days less with so many";
/// The line of what the paper's number of experts has more than another.
pub(in super::super) const AGAINST_EXPERTS: &str = "20 experts less so many";
/// The line of what so many experts have more than a single one.
pub(in super::super) const AGAINST_SINGLE: &str = "so many experts less single";

/// A question about fewer pages and days, which are the same in both figures' every point.
fn question(daily: &Daily, methods: &[Method]) -> Question {
    let extent = daily.extent();
    Question::new(PRIMARY, methods, (extent.figure_pages, extent.figure_step))
}

/// Figure 6.
pub(super) fn windows(daily: &mut Daily, webs: &[Arc<Web>]) -> Figure {
    let methods = [Method::Coin, Method::Majority, Method::Single, Method::Multiple];
    let longest = WINDOWS.into_iter().max().unwrap_or(WINDOW);
    let asked = WINDOWS.map(|window| {
        let question = question(daily, &methods);
        daily.ask(webs, Question { window, before: looks_before(longest), ..question })
    });
    let name = |method: Method| {
        BASELINES.iter().find(|(_, other)| *other == method).map_or("", |(name, _)| name)
    };
    let of = |method: Method| asked.each_ref().map(|asked| asked.accuracy(method));
    let by_window =
        |values: [ByPage; 5]| WINDOWS.map(|window| window as f64).into_iter().zip(values);
    let mut figure = Figure::default();
    add(
        &mut figure,
        plot("accuracy", true, "days to learn from", {
            methods.map(|method| line(name(method), by_window(of(method)))).into()
        }),
    );
    let against = |method: Method| {
        let all = of(method);
        let paper = WINDOWS.iter().position(|window| *window == WINDOW).unwrap_or_default();
        let difference = all.each_ref().map(|values| all[paper].less(values));
        line(&format!("{}, {AGAINST_WINDOW}", name(method)), by_window(difference))
    };
    let lines = [Method::Single, Method::Multiple].map(against).into();
    add(&mut figure, plot("differences of accuracies", false, "days to learn from", lines));
    figure
}

/// Figure 7.
pub(super) fn experts(daily: &mut Daily, webs: &[Arc<Web>]) -> Figure {
    let alone = question(daily, &[Method::Single, Method::Majority]);
    let alone = daily.ask(webs, alone);
    let methods = [Method::Multiple, Method::MultipleOthers];
    let asked = COUNTS.map(|experts| {
        let question = question(daily, &methods);
        daily.ask(webs, Question { experts, ..question })
    });
    let by_count = |values: [ByPage; 6]| COUNTS.map(|count| count as f64).into_iter().zip(values);
    let of = |method: Method| asked.each_ref().map(|asked| asked.accuracy(method));
    let same = |method: Method| COUNTS.map(|_| alone.accuracy(method));
    let mut figure = Figure::default();
    let lines = vec![
        line("multiple", by_count(of(Method::Multiple))),
        line("without the page itself", by_count(of(Method::MultipleOthers))),
        line("single", by_count(same(Method::Single))),
        line("majority", by_count(same(Method::Majority))),
    ];
    add(&mut figure, plot("accuracy", true, "experts", lines));
    let all = of(Method::Multiple);
    let paper = COUNTS.iter().position(|count| *count == EXPERTS).unwrap_or_default();
    let single = alone.accuracy(Method::Single);
    let lines = vec![
        line(AGAINST_EXPERTS, by_count(all.each_ref().map(|values| all[paper].less(values)))),
        line(AGAINST_SINGLE, by_count(all.each_ref().map(|values| values.less(&single)))),
        line(&less("multiple", "without the page itself"), {
            let others = of(Method::MultipleOthers);
            COUNTS
                .into_iter()
                .zip(all.iter().zip(others))
                .map(|(count, (with, without))| (count as f64, with.less(&without)))
        }),
    ];
    add(&mut figure, plot("differences of accuracies", false, "experts", lines));
    figure
}

fn plot(
    title: &str,
    is_share: bool,
    x_title: &str,
    lines: Vec<super::super::figure::Series>,
) -> Plot {
    Plot {
        title: title.to_owned(),
        caption: "mean over pages".to_owned(),
        x_title: x_title.to_owned(),
        is_share,
        lines,
    }
}
