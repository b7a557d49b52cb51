//! Figures as plain values: plots, scatter plots, examples and tables.
use serde::Serialize;

use super::stats::Interval;

/// A figure of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    /// Line plots.
    pub plots: Vec<Plot>,
    /// Scatter plots.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scatters: Vec<Scatter>,
    /// Example pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// Tables, which contain the numbers of the plots.
    pub tables: Vec<Table>,
}

/// A scatter plot with the same logarithmic scale on both axes, and the diagonal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scatter {
    /// The title.
    pub title: String,
    /// The caption.
    pub caption: String,
    /// The title of the horizontal axis.
    pub x_title: String,
    /// The title of the vertical axis.
    pub y_title: String,
    /// Named groups of dots, nearest to the diagonal first. A coordinate of 0 is drawn at the edge.
    pub groups: Vec<(String, Vec<(f64, f64)>)>,
}

/// A change of a page that policies treated differently, with excerpts of its text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// A sentence that says what the example shows.
    pub says: String,
    /// The address of the page.
    pub address: String,
    /// The title of the changed page.
    pub title: String,
    /// The day of the first cycle at which the change is live.
    pub date: String,
    /// The change in numbers.
    pub change: String,
    /// By policy name, a description of its visits.
    pub policies: Vec<(String, String)>,
    /// The queries whose results the change affects most; empty if it affects none.
    pub queries: Vec<String>,
    /// Removed parts of the text.
    pub removed: Vec<String>,
    /// Added parts of the text.
    pub added: Vec<String>,
}

/// A line plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// The title of the vertical axis.
    pub title: String,
    /// The caption.
    pub caption: String,
    /// The title of the horizontal axis.
    pub x_title: String,
    /// Whether all values are shares between 0 and 1.
    pub is_share: bool,
    /// The lines.
    pub lines: Vec<Series>,
}

impl Plot {
    /// Whether the plot is worth drawing: it has several values of x, and x is more than the number
    /// of a site.
    pub fn is_informative(&self) -> bool {
        let is_counted_off = self.x_title.starts_with("site") || self.x_title == "web";
        let mut places = self.lines.iter().flat_map(|line| &line.points).map(|point| point.x);
        let first = places.next();
        !is_counted_off && places.any(|place| Some(place) != first)
    }
}

/// One line of a plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, by x.
    pub points: Vec<Point>,
}

/// One point of a line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The x coordinate.
    pub x: f64,
    /// The y coordinate; `None` is a gap.
    pub y: Option<f64>,
    /// The interval of the value, from low to high.
    #[serde(serialize_with = "ends")]
    pub interval: Option<Interval>,
}

impl Series {
    /// A line of points without intervals.
    pub fn plain(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let point = |(x, y)| Point { x, y: Some(y), interval: None };
        Self { name: name.to_owned(), points: points.into_iter().map(point).collect() }
    }

    /// The value at `x`.
    pub fn at(&self, x: f64) -> Option<f64> {
        self.points.iter().find(|point| point.x.total_cmp(&x).is_eq())?.y
    }

    /// All points with a value, as x and y.
    pub fn values(&self) -> Vec<(f64, f64)> {
        self.points.iter().filter_map(|point| Some((point.x, point.y?))).collect()
    }
}

/// A table whose first column names its rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// The title.
    pub title: String,
    /// The column heads.
    pub head: Vec<String>,
    /// The rows, with one cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// The text; can be empty.
    pub text: String,
    /// The interval as text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub interval: String,
    /// A value with its interval that is drawn on a scale shared by the column.
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
