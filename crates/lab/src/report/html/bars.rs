//! Stacked bars as SVG: what each cycle's visits found. Parts have names in the legend and numbers in
//! tooltips, so colour is never the only distinction.
use super::{
    chart::{BOTTOM, HEIGHT, LEFT, TOP, WIDTH, grid, horizontal_axis},
    each, escape,
    scale::Scale,
};

/// The space to the right of the last bar.
const RIGHT: f64 = 10.0;
/// The share of its place that a bar fills.
const FILLED: f64 = 0.78;
/// Fewer bars than this leave the rest of the chart empty, so that a single bar is not a wall.
const FEWEST: usize = 12;
/// At most about this many ticks: more would touch one another on a phone.
const TICKS: usize = 6;

/// A kind of part.
pub struct Part<'a> {
    /// Its name in the legend.
    pub name: &'a str,
    /// Its colour class of `chart.css`.
    pub class: &'a str,
}

/// A bar.
pub struct Bar {
    /// The tick below it.
    pub tick: String,
    /// Its tooltip.
    pub note: String,
    /// The lengths of its parts, from the bottom up.
    pub parts: Vec<f64>,
}

/// A chart of stacked bars.
pub struct Bars<'a> {
    /// The text alternative.
    pub label: String,
    /// What the horizontal axis shows.
    pub x_title: &'a str,
    /// The kinds of parts, from the bottom up.
    pub parts: Vec<Part<'a>>,
    /// The bars, the earliest first.
    pub bars: Vec<Bar>,
}

impl Bars<'_> {
    /// The items of the legend, in the order of the bars from the top down.
    pub fn legend(&self) -> String {
        each(self.parts.iter().rev(), |part| {
            format!(
                r#"<li><svg class="key {}" width="14" height="12" viewBox="0 0 14 12" aria-hidden="true"><path class="bar-part" d="M1 1h12v10h-12z"/></svg>{}</li>"#,
                part.class,
                escape(part.name)
            )
        })
    }

    /// The drawing alone.
    pub fn svg(&self) -> String {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let most =
            self.bars.iter().map(|bar| bar.parts.iter().sum::<f64>()).fold(0.0_f64, f64::max);
        let places = self.bars.len().max(FEWEST) as f64;
        let x = Scale { low: 0.0, high: places, from: LEFT, to: right };
        let y = Scale { low: 0.0, high: (most * 1.04).max(1.0), from: bottom, to: TOP };
        let ticks: Vec<(f64, String)> = self
            .bars
            .iter()
            .enumerate()
            .map(|(place, bar)| (place as f64 + 0.5, bar.tick.clone()))
            .collect();
        let every = ticks.len().div_ceil(TICKS).max(1);
        let last = ticks.len().saturating_sub(1);
        let shown: Vec<(f64, String)> = ticks
            .into_iter()
            .enumerate()
            .filter(|(place, _)| (last - place).is_multiple_of(every))
            .map(|(_, tick)| tick)
            .collect();
        let axis = if shown.is_empty() {
            String::new()
        } else {
            horizontal_axis(&x, bottom, &shown, self.x_title)
        };
        let bars = each(self.bars.iter().enumerate(), |(place, bar)| self.bar(place, bar, &x, &y));
        format!(
            r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{}">{}{axis}{bars}</svg>"#,
            escape(&self.label),
            grid(&y, right)
        )
    }

    fn bar(&self, place: usize, bar: &Bar, x: &Scale, y: &Scale) -> String {
        let width = (x.at(1.0) - x.at(0.0)) * FILLED;
        let left = x.at(place as f64 + 0.5) - width / 2.0;
        let mut below = 0.0;
        let parts = each(self.parts.iter().zip(&bar.parts), |(part, &length)| {
            let (from, to) = (y.at(below), y.at(below + length));
            below += length;
            if length <= 0.0 {
                return String::new();
            }
            format!(
                r#"<path class="bar-part {}" d="M{left:.1} {from:.1}h{width:.1}V{to:.1}h-{width:.1}z"/>"#,
                part.class
            )
        });
        format!("<g><title>{}</title>{parts}</g>", escape(&bar.note))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(bars: &[&[f64]]) -> Bars<'static> {
        Bars {
            label: "Visits".to_owned(),
            x_title: "day",
            parts: vec![
                Part { name: "changed", class: "c1" },
                Part { name: "<unchanged>", class: "c5" },
            ],
            bars: bars
                .iter()
                .map(|parts| Bar {
                    tick: "1 Jan".to_owned(),
                    note: "12 & 8".to_owned(),
                    parts: parts.to_vec(),
                })
                .collect(),
        }
    }

    #[test]
    fn parts_stand_on_one_another_and_an_empty_part_is_not_drawn() {
        let drawn = chart(&[&[10.0, 30.0], &[0.0, 40.0]]).svg();
        assert_eq!(drawn.matches("class=\"bar-part").count(), 3);
        let heights: Vec<&str> = drawn.split("bar-part c").skip(1).collect();
        // The second part of the first bar begins where the first part ends.
        let end = heights[0].split('V').nth(1).unwrap().split('h').next().unwrap();
        assert!(heights[1].contains(&format!(" {end}h")), "{drawn}");
        assert!(drawn.contains("<title>12 &amp; 8</title>"));
    }

    #[test]
    fn no_bar_at_all_is_drawn_as_an_empty_chart() {
        let drawn = chart(&[]).svg();
        assert!(drawn.contains("role=\"img\"") && !drawn.contains("NaN"), "{drawn}");
        assert!(chart(&[]).legend().contains("&lt;unchanged&gt;"));
    }
}
