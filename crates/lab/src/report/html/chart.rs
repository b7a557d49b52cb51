//! Line charts as SVG. Lines are labelled at their ends. A policy has the same colour, marker and
//! dash in every chart, so colour is never the only distinction.
use super::scale::Scale;
use super::{each, escape};
use crate::report::summary::BASELINE;
use crate::report::words;

pub(super) const WIDTH: f64 = 580.0;
pub(super) const HEIGHT: f64 = 340.0;
pub(super) const LEFT: f64 = 50.0;
pub(super) const TOP: f64 = 12.0;
pub(super) const BOTTOM: f64 = 48.0;

/// The height of a label.
const NAME_HEIGHT: f64 = 14.0;
/// The mean width of a letter of a label.
const LETTER: f64 = 6.5;
/// Longer labels are cut; the tooltip has the full name.
const LETTERS: usize = 22;
/// The distance from the end of a line to its label, for the leader line.
const LEADER: f64 = 22.0;

/// The colour classes of `chart.css`, each with a marker.
const COLOURS: usize = 7;
const MARKERS: [&str; COLOURS] = [
    "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z",
    "m-2.8-2.8h5.6v5.6h-5.6z",
    "m0-3.8l3.6 6.4h-7.2z",
    "m0-4l3.6 4l-3.6 4l-3.6-4z",
    "m0 3.8l3.6-6.4h-7.2z",
    "m-1.2-3.8h2.4v2.6h2.6v2.4h-2.6v2.6h-2.4v-2.6h-2.6v-2.4h2.6z",
    "m-3.4-3.2v6.4l6.8-6.4v6.4z",
];

/// The line style of a policy.
#[derive(Clone, Debug)]
pub struct LineStyle {
    class: String,
    marker: &'static str,
}

impl LineStyle {
    /// The styles of `policies`, in their order.
    pub fn all(policies: &[&str]) -> Vec<Self> {
        let (mut rivals, mut oracles) = (0, 0);
        let style = |name: &&str| {
            if *name == BASELINE {
                return Self { class: "base".to_owned(), marker: MARKERS[0] };
            }
            let (kind, number) =
                if words::is_oracle(name) { ("o", &mut oracles) } else { ("c", &mut rivals) };
            let (colour, dash) = (*number % COLOURS, *number / COLOURS % 3);
            *number += 1;
            let colour_class = if kind == "o" { "o".to_owned() } else { format!("c{colour}") };
            Self { class: format!("{colour_class} d{dash}"), marker: MARKERS[colour] }
        };
        policies.iter().map(style).collect()
    }

    /// The style of the certified bound.
    pub(crate) fn bound() -> Self {
        Self { class: "bound".to_owned(), marker: "" }
    }

    /// The style of a line that others are compared with, such as a target.
    pub fn goal() -> Self {
        Self { class: "goal".to_owned(), marker: "" }
    }

    /// Its classes in `chart.css`.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// A short sample of the line for tables and legends.
    pub fn key(&self) -> String {
        let Self { class, marker } = self;
        let marker = if marker.is_empty() { String::new() } else { format!("M13 5{marker}") };
        format!(
            r#"<svg class="key {class}" width="26" height="10" viewBox="0 0 26 10" aria-hidden="true"><path class="l" d="M0 5h26"/><path class="m" d="{marker}"/></svg>"#
        )
    }
}

/// One line.
pub struct Line<'a> {
    /// The label at its end.
    pub name: &'a str,
    /// Its style.
    pub style: &'a LineStyle,
    /// Its points; `None` is a gap.
    pub points: Vec<Option<(f64, f64)>>,
    /// The interval around each point, or empty.
    pub band: Vec<Option<(f64, f64)>>,
    /// The text of the tooltip after the name.
    pub note: String,
    /// The tooltips of all points, or empty.
    pub notes: Vec<String>,
}

/// A line chart.
pub struct Chart<'a> {
    /// Unique in the document.
    pub id: String,
    /// The text alternative.
    pub label: String,
    /// The range of the horizontal axis.
    pub x: (f64, f64),
    /// Ticks of the horizontal axis; computed from `x` if empty.
    pub x_ticks: Vec<(f64, String)>,
    /// What the horizontal axis shows.
    pub x_title: &'a str,
    /// The range of the vertical axis.
    pub y: (f64, f64),
    /// The end of the warm-up.
    pub warm_up: Option<f64>,
    /// A vertical line with its name, such as today's budget.
    pub mark: Option<(f64, &'a str)>,
    /// The certified bound.
    pub bound: Option<Line<'a>>,
    /// The lines, the most important last.
    pub lines: Vec<Line<'a>>,
}

impl Chart<'_> {
    /// The chart with a legend that replaces the labels on narrow screens.
    pub(crate) fn figure(&self, title: &str, caption: &str) -> String {
        let legend = self.legend();
        let zoom = self.zoom();
        format!(
            r#"<figure class="chart"><figcaption><b>{}</b> {}</figcaption><div class="crop" style="--zoom:{zoom:.1}%">{}</div><ul class="legend">{legend}</ul></figure>"#,
            escape(title),
            escape(caption),
            self.svg()
        )
    }

    /// The items of the legend.
    pub fn legend(&self) -> String {
        each(self.all_lines(), |line| format!("<li>{}{}</li>", line.style.key(), escape(line.name)))
    }

    /// How wide the drawing has to be, in percent of its frame, so that the space for labels is cut off.
    pub fn zoom(&self) -> f64 {
        100.0 * WIDTH / (WIDTH - self.right() + 18.0)
    }

    fn all_lines(&self) -> impl Iterator<Item = &Line<'_>> {
        self.bound.iter().chain(&self.lines)
    }

    /// The space for labels.
    fn right(&self) -> f64 {
        let letters = self.all_lines().map(|line| line.name.chars().count()).max().unwrap_or(0);
        LEADER + 14.0 + LETTER * letters.min(LETTERS) as f64
    }

    /// The drawing alone.
    pub fn svg(&self) -> String {
        let (right, bottom) = (WIDTH - self.right(), HEIGHT - BOTTOM);
        let x = Scale { low: self.x.0, high: self.x.1, from: LEFT, to: right };
        let y = Scale { low: self.y.0, high: self.y.1, from: bottom, to: TOP };
        let names = self.name_places(&y);
        let lines =
            each(self.all_lines().zip(names), |(line, place)| drawn(line, &self.id, &x, &y, place));
        format!(
            concat!(
                r#"<svg viewBox="0 0 {width} {height}" role="img" aria-label="{label}">"#,
                r#"<clipPath id="{id}"><path d="M{left} {top}H{right:.1}V{bottom}H{left}z"/></clipPath>"#,
                "{warm_up}{beyond}{grid}{x_axis}{mark}{lines}</svg>"
            ),
            width = WIDTH,
            height = HEIGHT,
            label = escape(&self.label),
            id = self.id,
            left = LEFT - 5.0,
            top = TOP - 5.0,
            right = right + 5.0,
            bottom = bottom + 3.0,
            warm_up = self.shade(&x, bottom),
            beyond = self.beyond(&x, &y),
            grid = grid(&y, right),
            x_axis = self.x_axis(&x, bottom),
            mark = self.marked(&x, bottom),
            lines = lines,
        )
    }

    fn shade(&self, x: &Scale, bottom: f64) -> String {
        let Some(end) = self.warm_up.filter(|end| *end > self.x.0) else { return String::new() };
        let (width, height) = (x.at(end.min(self.x.1)) - LEFT, bottom - TOP);
        // Beside the shaded area if it is too narrow for the text.
        let (place, anchor) =
            if width > 52.0 { (width / 2.0, "middle") } else { (width + 4.0, "start") };
        format!(
            r#"<path class="shade" d="M{LEFT} {TOP}h{width:.1}v{height}h-{width:.1}z"/><text class="faint" x="{:.1}" y="{}" text-anchor="{anchor}">warm-up</text>"#,
            LEFT + place,
            bottom - 6.0
        )
    }

    /// The vertical line, with its name above the axis on the side that has more room.
    fn marked(&self, x: &Scale, bottom: f64) -> String {
        let Some((place, name)) = self.mark else { return String::new() };
        let at = x.at(place);
        let (gap, anchor) =
            if at > f64::midpoint(x.from, x.to) { (-5.0, "end") } else { (5.0, "start") };
        format!(
            r#"<path class="mark" d="M{at:.1} {TOP}V{bottom}"/><text class="faint" x="{:.1}" y="{}" text-anchor="{anchor}">{}</text>"#,
            at + gap,
            bottom - 6.0,
            escape(name)
        )
    }

    /// The shaded area above the bound.
    fn beyond(&self, x: &Scale, y: &Scale) -> String {
        let Some(bound) = &self.bound else { return String::new() };
        let points: Vec<(f64, f64)> = bound.points.iter().copied().flatten().collect();
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            return String::new();
        };
        let edge = each(&points, |(px, py)| format!("L{:.1} {:.1}", x.at(*px), y.at(*py)));
        format!(
            r#"<path class="beyond" d="M{:.1} {TOP}{edge}L{:.1} {TOP}z"/>"#,
            x.at(first.0),
            x.at(last.0)
        )
    }

    fn x_axis(&self, x: &Scale, bottom: f64) -> String {
        horizontal_axis(x, bottom, &self.x_ticks, self.x_title)
    }

    /// The positions of labels: at the end of their lines, moved apart where they would overlap.
    fn name_places(&self, y: &Scale) -> Vec<Option<f64>> {
        let (top, bottom) = (TOP + 4.0, y.from);
        let ends: Vec<Option<f64>> = self
            .all_lines()
            .map(|line| line.points.iter().rev().flatten().next())
            .map(|end| end.map(|(_, value)| y.at(*value).clamp(top, bottom)))
            .collect();
        let mut order: Vec<(usize, f64)> =
            ends.iter().enumerate().filter_map(|(index, end)| Some((index, (*end)?))).collect();
        order.sort_by(|one, other| one.1.total_cmp(&other.1));
        let mut places = vec![None; ends.len()];
        // Overlapping neighbours form a block around the mean of their preferred positions.
        let mut blocks: Vec<(Vec<usize>, f64)> = Vec::new();
        let height = |block: &(Vec<usize>, f64)| block.0.len() as f64 * NAME_HEIGHT;
        for (index, end) in order {
            let mut block = (vec![index], end);
            while let Some(above) = blocks.last() {
                if above.1 + height(above) / 2.0 <= block.1 - height(&block) / 2.0 {
                    break;
                }
                let (above_size, size) = (above.0.len() as f64, block.0.len() as f64);
                let center = (above.1 * above_size + block.1 * size) / (above_size + size);
                let mut members = above.0.clone();
                members.append(&mut block.0);
                blocks.pop();
                let half = members.len() as f64 * NAME_HEIGHT / 2.0;
                let lowest = (bottom + NAME_HEIGHT / 2.0 - half).max(top + half);
                block = (members, center.clamp(top + half - NAME_HEIGHT / 2.0, lowest));
            }
            blocks.push(block);
        }
        for block in &blocks {
            let first = block.1 - height(block) / 2.0 + NAME_HEIGHT / 2.0;
            for (position, index) in block.0.iter().enumerate() {
                places[*index] = Some(first + position as f64 * NAME_HEIGHT);
            }
        }
        places
    }
}

/// The horizontal axis with its ticks and title.
pub(super) fn horizontal_axis(
    x: &Scale,
    bottom: f64,
    x_ticks: &[(f64, String)],
    x_title: &str,
) -> String {
    let made = if x_ticks.is_empty() { x.ticks(7) } else { Vec::new() };
    // A tick that is too near the previous label has no label.
    let mut free = f64::NEG_INFINITY;
    let ticks = each(made.iter().chain(x_ticks), |(value, text)| {
        let at = x.at(*value);
        let half = text.chars().count() as f64 * LETTER / 2.0;
        let shown = if at - half < free {
            String::new()
        } else {
            free = at + half + 4.0;
            format!(
                r#"<text x="{at:.1}" y="{}" text-anchor="middle">{}</text>"#,
                bottom + 19.0,
                escape(text)
            )
        };
        format!(r#"<path class="tick" d="M{at:.1} {bottom}v5"/>{shown}"#)
    });
    format!(
        r#"<path class="axis" d="M{LEFT} {bottom}H{:.1}"/>{ticks}<text class="faint" x="{:.1}" y="{}" text-anchor="middle">{}</text>"#,
        x.to,
        f64::midpoint(LEFT, x.to),
        HEIGHT - 6.0,
        escape(x_title)
    )
}

/// Horizontal lines at round numbers, with their labels.
pub(super) fn grid(y: &Scale, right: f64) -> String {
    each(y.ticks(5), |(value, text)| {
        let at = y.at(value);
        format!(
            r#"<path class="grid" d="M{LEFT} {at:.1}H{right:.1}"/><text x="{}" y="{:.1}" text-anchor="end">{text}</text>"#,
            LEFT - 7.0,
            at + 4.0
        )
    })
}

/// The area between the ends of the intervals; a gap in them is a gap in the area.
fn band(line: &Line<'_>, x: &Scale, y: &Scale) -> String {
    let both: Vec<Option<(f64, f64, f64)>> = line
        .points
        .iter()
        .zip(&line.band)
        .map(|(point, ends)| Some(((*point)?.0, (*ends)?.0, (*ends)?.1)))
        .collect();
    each(both.split(Option::is_none).filter(|part| part.len() > 1), |part| {
        let place = |(at, value): (f64, f64)| format!("L{:.1} {:.1}", x.at(at), y.at(value));
        let upper = each(part.iter().flatten(), |&(at, _, high)| place((at, high)));
        let lower = each(part.iter().rev().flatten(), |&(at, low, _)| place((at, low)));
        format!(r#"<path class="band" d="M{}{lower}z"/>"#, &upper[1..])
    })
}

/// A line with its markers and label as one group, which is highlighted on hover.
fn drawn(line: &Line<'_>, clip: &str, x: &Scale, y: &Scale, place: Option<f64>) -> String {
    let mut pen = 'M';
    let path = each(&line.points, |point| {
        let Some((px, py)) = point else {
            pen = 'M';
            return String::new();
        };
        let step = format!("{pen}{:.1} {:.1}", x.at(*px), y.at(*py));
        pen = 'L';
        step
    });
    let every = (line.points.len() / 6).max(1);
    let last = line.points.len().saturating_sub(1);
    let marked =
        line.points.iter().enumerate().filter(|(index, _)| (last - index).is_multiple_of(every));
    let markers = each(marked, |(index, point)| {
        let Some((px, py)) = point else { return String::new() };
        let at = format!("M{:.1} {:.1}{}", x.at(*px), y.at(*py), line.style.marker);
        match line.notes.get(index) {
            Some(note) => {
                format!(r#"<path class="m" d="{at}"><title>{}</title></path>"#, escape(note))
            }
            None if line.style.marker.is_empty() => String::new(),
            None => format!(r#"<path class="m" d="{at}"/>"#),
        }
    });
    let end = line.points.iter().rev().flatten().next();
    let name = match (end, place) {
        (Some((px, py)), Some(place)) => {
            let (ex, ey) = (x.at(*px) + 6.0, y.at(*py).clamp(y.to, y.from));
            let start = x.to + LEADER;
            format!(
                r#"<path class="lead" d="M{ex:.1} {ey:.1}L{:.1} {place:.1}"/><text class="name" x="{start:.1}" y="{:.1}">{}</text>"#,
                start - 4.0,
                place + 4.0,
                escape(&cut(line.name))
            )
        }
        _ => String::new(),
    };
    format!(
        r#"<g class="line {}"><title>{}{}</title><g clip-path="url(#{clip})">{}<path class="l" d="{path}"/>{markers}</g>{name}</g>"#,
        line.style.class,
        escape(line.name),
        escape(&line.note),
        band(line, x, y)
    )
}

fn cut(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    let kept: String = name.chars().take(LETTERS - 1).collect();
    format!("{kept}\u{2026}")
}
