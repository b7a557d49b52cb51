//! Figures as plain values: lines, dots and tables, whatever they were made from.
use serde::Serialize;

use super::stats::Interval;

/// A figure of the report on one kind of web.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    /// What is drawn as lines.
    pub plots: Vec<Plot>,
    /// What is drawn as dots.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scatters: Vec<Scatter>,
    /// What is shown of single pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// The same and more in numbers.
    pub tables: Vec<Table>,
}

/// Dots on logarithmic scales, the same on both axes, with the diagonal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scatter {
    /// What it shows.
    pub title: String,
    /// What else a reader must know.
    pub caption: String,
    /// What is on the horizontal axis.
    pub x_title: String,
    /// What is on the vertical axis.
    pub y_title: String,
    /// Groups of dots by name, from the diagonal outwards. A coordinate of 0 is drawn at the edge.
    pub groups: Vec<(String, Vec<(f64, f64)>)>,
}

/// A page on which policies differed, told with its text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// What it is an example of, in a sentence.
    pub says: String,
    /// Where the page is.
    pub address: String,
    /// Its title when the change was live.
    pub title: String,
    /// The day of the cycle in which the change can first be seen.
    pub date: String,
    /// What the change was, in numbers.
    pub change: String,
    /// What each policy did: its name, and what in words.
    pub policies: Vec<(String, String)>,
    /// Queries whose answers the change moved most; empty where it moved none.
    pub queries: Vec<String>,
    /// Parts of the text that the change took away.
    pub removed: Vec<String>,
    /// Parts of the text that it brought.
    pub added: Vec<String>,
}

/// One drawing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// What is on the vertical axis.
    pub title: String,
    /// What else a reader must know.
    pub caption: String,
    /// What is on the horizontal axis.
    pub x_title: String,
    /// Whether values are shares, between 0 and 1.
    pub is_share: bool,
    /// The lines.
    pub lines: Vec<Series>,
}

impl Plot {
    /// Whether a drawing says more than the numbers: not where all lines stand at one place, nor where
    /// places are only counted off, one site after the other.
    pub fn is_telling(&self) -> bool {
        let is_counted_off = self.x_title.starts_with("site") || self.x_title == "web";
        let mut places = self.lines.iter().flat_map(|line| &line.points).map(|point| point.x);
        let first = places.next();
        !is_counted_off && places.any(|place| Some(place) != first)
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What it is of.
    pub name: String,
    /// Its points, by x.
    pub points: Vec<Point>,
}

/// One point of a line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Where it is.
    pub x: f64,
    /// Its value; `None` where there is none.
    pub y: Option<f64>,
    /// How far to trust it, from low to high.
    #[serde(serialize_with = "ends")]
    pub interval: Option<Interval>,
}

impl Series {
    /// A line through points without intervals.
    pub fn plain(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let point = |(x, y)| Point { x, y: Some(y), interval: None };
        Self { name: name.to_owned(), points: points.into_iter().map(point).collect() }
    }

    /// The value at `x`, if there is one.
    pub fn at(&self, x: f64) -> Option<f64> {
        self.points.iter().find(|point| point.x.total_cmp(&x).is_eq())?.y
    }

    /// Every value with its place.
    pub fn values(&self) -> Vec<(f64, f64)> {
        self.points.iter().filter_map(|point| Some((point.x, point.y?))).collect()
    }
}

/// A table whose first column names its rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The heads of all columns.
    pub head: Vec<String>,
    /// The rows, as long as the head.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// What it says; empty where there is nothing.
    pub text: String,
    /// Its interval, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub interval: String,
    /// What it is drawn from: a value with its interval, beside other rows of its column.
    #[serde(skip)]
    pub mark: Option<(f64, Option<Interval>)>,
}

impl Cell {
    /// A cell of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

#[expect(clippy::ref_option, reason = "the shape that serde asks for")]
fn ends<S: serde::Serializer>(interval: &Option<Interval>, to: S) -> Result<S::Ok, S::Error> {
    interval.map(|interval| [interval.low, interval.high]).serialize(to)
}
