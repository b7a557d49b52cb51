//! Freshness where a tenth of the pages is visited a day, by how many days were fully seen before: figure 8.
use std::sync::Arc;

use lab::report::figure::{Figure, Series};
use policy::predict::learn::Method;

use crate::{
    draw::{add, plot},
    radinsky_2013::{
        figures::{
            Forecasts,
            by_page::{ByPage, less, line},
        },
        forecast::{Web, crawled_freshness, settings::TRAINED},
    },
};

/// The methods, by the paper's names.
pub(crate) const METHODS: [(&str, Method); 3] =
    [("1D", Method::Coin), ("2D", Method::Single), ("3D", Method::Multiple)];

/// Figure 8.
pub(crate) fn figure(forecasts: &mut Forecasts, webs: &[Arc<Web>]) -> Figure {
    let methods = METHODS.map(|(_, method)| method);
    let of_web = |web: &Arc<Web>| -> Vec<Option<Vec<f64>>> {
        let trained = if forecasts.is_quick { &TRAINED[..1] } else { &TRAINED[..] };
        trained
            .iter()
            .map(|&days| crawled_freshness(web, forecasts.primary, days, &methods))
            .collect()
    };
    let found: Vec<Vec<Option<Vec<f64>>>> = webs.iter().map(of_web).collect();
    // A web counts once, however many of its pages are crawled.
    let of = |method: usize, place: usize| {
        let webs = found.iter().filter_map(|web| web.get(place)?.as_ref());
        ByPage(webs.map(|values| vec![values[method]]).collect())
    };
    let by_days = |values: &dyn Fn(usize) -> ByPage| {
        let points: Vec<(f64, ByPage)> = TRAINED
            .iter()
            .enumerate()
            .map(|(place, &days)| (days as f64, values(place)))
            .filter(|(_, values)| !values.0.is_empty())
            .collect();
        points
    };
    let lines: Vec<Series> = METHODS
        .iter()
        .enumerate()
        .map(|(method, (name, _))| line(name, by_days(&|place| of(method, place))))
        .collect();
    let difference = |(one, other): (usize, usize)| {
        let name = less(METHODS[one].0, METHODS[other].0);
        line(&name, by_days(&|place| of(one, place).less(&of(other, place))))
    };
    let differences = [(1, 0), (2, 0), (2, 1)].map(difference).into();
    let x_title = "days on which all pages were seen before";
    let mut figure = Figure::default();
    let caption = "mean over the days of the crawl, and over webs";
    add(&mut figure, plot(["freshness", caption, x_title], true, lines));
    add(&mut figure, plot(["differences of freshness", caption, x_title], false, differences));
    figure
}
