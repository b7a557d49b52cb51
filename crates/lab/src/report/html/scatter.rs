//! Scatter plots as SVG, with logarithmic scales and the diagonal.
use super::{each, escape};
use crate::report::figure::Scatter;

const SIZE: f64 = 340.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 44.0;
/// The distance between the edge, where zeros are, and the smallest number.
const EDGE: f64 = 14.0;

/// The scatter plot. Groups have the colours of lines, beginning with the nearest to the diagonal.
pub(super) fn drawn(scatter: &Scatter) -> String {
    let all = || scatter.groups.iter().flat_map(|group| &group.1);
    let numbers = || all().flat_map(|dot| [dot.0, dot.1]).filter(|value| *value > 0.0);
    let (low, high) = numbers()
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let title = escape(&scatter.title);
    if low > high {
        return format!("<p class=faint>{title}: nothing is defined.</p>");
    }
    // Whole powers of ten.
    let (low, high) =
        (low.log10().floor(), (high.log10().floor() + 1.0).max(low.log10().floor() + 1.0));
    let scale = |value: f64, from: f64, to: f64| {
        let edge = EDGE.copysign(to - from);
        match value {
            value if value > 0.0 => {
                from + edge + (value.log10() - low) / (high - low) * (to - from - edge)
            }
            _ => from + edge / 3.0,
        }
    };
    let (right, bottom) = (LEFT + SIZE, TOP + SIZE);
    let x = |value: f64| scale(value, LEFT, right);
    let y = |value: f64| scale(value, bottom, TOP);
    let powers: Vec<i32> = (low as i32..=high as i32).collect();
    // Every power of ten if there are few, else every second or third.
    let step = powers.len().div_ceil(6);
    let ticks = each(powers.iter().step_by(step), |power| {
        let value = 10_f64.powi(*power);
        format!(
            r#"<path class="grid" d="M{LEFT} {y:.1}H{right}M{x:.1} {TOP}V{bottom}"/><text x="{before:.1}" y="{middle:.1}" text-anchor="end">{name}</text><text x="{x:.1}" y="{below:.1}" text-anchor="middle">{name}</text>"#,
            x = x(value),
            y = y(value),
            before = LEFT - 6.0,
            middle = y(value) + 4.0,
            below = bottom + 16.0,
            name = format!("10^{power}").replace('-', "\u{2212}"),
        )
    });
    let ends = (10_f64.powf(low), 10_f64.powf(high));
    let diagonal = format!(
        r#"<path class="axis" d="M{:.1} {:.1}L{:.1} {:.1}"/>"#,
        x(ends.0),
        y(ends.0),
        x(ends.1),
        y(ends.1)
    );
    let dots = each(scatter.groups.iter().enumerate().rev(), |(colour, (_, dots))| {
        let path = each(dots, |dot| format!("M{:.1} {:.1}h0", x(dot.0), y(dot.1)));
        format!(r#"<path class="dots c{colour}" d="{path}"/>"#)
    });
    let legend = each(scatter.groups.iter().enumerate(), |(colour, (name, dots))| {
        format!(
            r#"<li><svg class="key" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true"><path class="dots c{colour}" d="M5 5h0"/></svg>{} ({})</li>"#,
            escape(name),
            dots.len()
        )
    });
    format!(
        r#"<figure class="chart scatter"><figcaption><b>{title}</b> {}</figcaption><svg viewBox="0 0 {} {}" role="img" aria-label="Dots: {title}, {} against {}">{ticks}{diagonal}{dots}<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text><text x="12" y="{:.1}" text-anchor="middle" transform="rotate(-90 12 {:.1})">{}</text></svg><ul>{legend}</ul></figure>"#,
        escape(&scatter.caption),
        right + 26.0,
        bottom + BOTTOM,
        escape(&scatter.y_title),
        escape(&scatter.x_title),
        f64::midpoint(LEFT, right),
        bottom + 36.0,
        escape(&scatter.x_title),
        f64::midpoint(TOP, bottom),
        f64::midpoint(TOP, bottom),
        escape(&scatter.y_title),
    )
}
