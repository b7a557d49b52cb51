//! The accuracy of forecasts by the number of days and of experts: figures 6 and 7.
use std::sync::Arc;

use lab::report::figure::{Figure, Plot, Series};
use policy::predict::learn::Method;

use crate::{
    draw::add,
    radinsky_2013::{
        figures::{
            Forecasts,
            accuracy::BASELINES,
            by_page::{ByPage, less, line},
        },
        forecast::{
            Question, Web,
            settings::{COUNTS, EXPERTS, WINDOW, WINDOWS},
            visits_before,
        },
    },
};

/// The ending of the name of a line: the window of the paper less another.
pub(crate) const AGAINST_WINDOW: &str = "with 50 days less with so many";
/// The name of a line: the number of experts of the paper less another.
pub(crate) const AGAINST_EXPERTS: &str = "20 experts less so many";
/// The name of a line: a number of experts less none.
pub(crate) const AGAINST_SINGLE: &str = "so many experts less single";

/// A question about fewer pages and days, the same for every point of both figures.
fn question(forecasts: &Forecasts, methods: &[Method]) -> Question {
    let extent = forecasts.extent();
    Question::new(forecasts.primary, methods, (extent.figure_pages, extent.figure_step))
}

/// Figure 6.
pub(crate) fn windows(forecasts: &mut Forecasts, webs: &[Arc<Web>]) -> Figure {
    let methods = [Method::Coin, Method::Majority, Method::Single, Method::Multiple];
    let longest = WINDOWS.into_iter().max().unwrap_or(WINDOW);
    let answered = WINDOWS.map(|window| {
        let question = question(forecasts, &methods);
        forecasts.ask(webs, Question { window, before: visits_before(longest), ..question })
    });
    let name = |method: Method| {
        BASELINES.iter().find(|(_, other)| *other == method).map_or("", |(name, _)| name)
    };
    let of = |method: Method| answered.each_ref().map(|answered| answered.accuracy(method));
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
pub(crate) fn experts(forecasts: &mut Forecasts, webs: &[Arc<Web>]) -> Figure {
    let alone = question(forecasts, &[Method::Single, Method::Majority]);
    let alone = forecasts.ask(webs, alone);
    let methods = [Method::Multiple, Method::MultipleOthers];
    let answered = COUNTS.map(|experts| {
        let question = question(forecasts, &methods);
        forecasts.ask(webs, Question { experts, ..question })
    });
    let by_count = |values: [ByPage; 6]| COUNTS.map(|count| count as f64).into_iter().zip(values);
    let of = |method: Method| answered.each_ref().map(|answered| answered.accuracy(method));
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

fn plot(title: &str, is_share: bool, x_title: &str, lines: Vec<Series>) -> Plot {
    Plot {
        title: title.to_owned(),
        caption: "mean over pages".to_owned(),
        x_title: x_title.to_owned(),
        is_share,
        lines,
    }
}
