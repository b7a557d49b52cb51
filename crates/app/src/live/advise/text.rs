//! Advice as text.
use lab::advice::{Advice, Contest, Offer, Range};

use super::Advised;
use crate::live::tally::{counted, duration, grouped};

/// Hosts that are named.
const HOSTS: usize = 3;
/// What ranges are.
pub(crate) const RANGES: &str =
    "Ranges hold 95 % of the simulated courses. On recorded sites about one in six was outside.";

impl Advised {
    pub(super) fn text(&self, target: f64) -> String {
        let Some(advice) = &self.advice else {
            return std::iter::once(self.too_short())
                .chain(self.notes.clone())
                .collect::<Vec<_>>()
                .join("\n");
        };
        let mut lines = vec![basis(advice), RANGES.to_owned()];
        lines.extend(self.notes.iter().cloned());
        lines.push(String::new());
        lines.extend(policy_lines(advice, &self.rhythm()));
        lines.push(String::new());
        lines.extend(curve_lines(advice, self.budget));
        lines.push(String::new());
        lines.extend(self.sentences(advice, target));
        lines.extend(host_lines(advice));
        lines.join("\n")
    }

    /// What the target needs, what a tenth more buys, and what nothing buys.
    pub(crate) fn sentences(&self, advice: &Advice, target: f64) -> Vec<String> {
        let mut sentences = vec![target_words(advice, target)];
        sentences.extend(more_words(advice, self.budget));
        sentences.push(format!(
            "Without any visits {} would be up to date in the end.",
            percent(advice.unvisited)
        ));
        sentences
    }
}

/// What it was learned from.
pub(crate) fn basis(advice: &Advice) -> String {
    let sample = if advice.simulated < advice.held {
        format!(" (a sample of {})", grouped(advice.simulated as u64))
    } else {
        String::new()
    };
    format!(
        "Learned from {} to {}{sample}; simulated {} of the next {}.",
        counted(advice.checks as u64, "repeated visit", "repeated visits"),
        counted(advice.held as u64, "held page", "held pages"),
        counted(super::FUTURES, "course", "courses"),
        duration(advice.horizon)
    )
}

fn policy_lines(advice: &Advice, rhythm: &str) -> Vec<String> {
    let best = advice.best();
    let mut lines = vec![format!("Policy, with {rhythm}")];
    let width =
        advice.contests.iter().map(|contest| contest.policy.name().len()).max().unwrap_or(0);
    for (place, Contest { policy, freshness, lead, .. }) in advice.contests.iter().enumerate() {
        let remark = match lead {
            None => "in use".to_owned(),
            Some(lead) if lead.low > 0.0 || lead.high < 0.0 => {
                format!("{:+.1} points", lead.mean * 100.0)
            }
            Some(_) => "no clear difference".to_owned(),
        };
        let mark = if place == best { "*" } else { " " };
        lines.push(format!("{mark} {:<width$}  {}  {remark}", policy.name(), share(*freshness)));
    }
    lines.push(policy_sentence(advice));
    lines
}

/// Which policy to use, and why.
pub(crate) fn policy_sentence(advice: &Advice) -> String {
    let best = advice.best();
    if advice.contests[best].is_handicapped && best == 0 {
        format!(
            "Keep {}: it also learns from what pages share, which is not simulated. It is taken to be at least \
             as fresh as round-robin.",
            advice.contests[0].policy.name()
        )
    } else if best == 0 {
        format!("Keep {}: none of the others is clearly better.", advice.contests[0].policy.name())
    } else {
        format!(
            "Change to {}: policy = \"{0}\" in sanderling.toml.",
            advice.contests[best].policy.name()
        )
    }
}

fn curve_lines(advice: &Advice, today: u32) -> Vec<String> {
    let has_new = advice.curve.offers().iter().any(|offer| offer.new_pages.is_some());
    let new = if has_new { "  new pages held" } else { "" };
    let mut lines = vec![format!(
        "{:>9}  {:<30}  {:<24}{new}",
        "visits", "up to date", "changes found a cycle"
    )];
    for offer in advice.curve.offers() {
        let Offer { budget, freshness, changes, new_pages, .. } = offer;
        let mark = if *budget == today { ">" } else { " " };
        let new = new_pages.map_or(String::new(), |held| format!("  {}", share(held)));
        let changes = number(*changes);
        let line = format!(
            "{mark}{:>8}  {:<30}  {changes:<24}{new}",
            grouped(u64::from(*budget)),
            share(*freshness)
        );
        lines.push(line.trim_end().to_owned());
    }
    lines
}

fn target_words(advice: &Advice, target: f64) -> String {
    let visits = |number: u32| grouped(u64::from(number));
    let goal = percent(target);
    let most = advice.curve.offers().last().map_or(0, |offer| offer.budget);
    match advice.curve.budget_for(target) {
        (Some(least), Some(most)) if least == most => {
            format!("{goal} up to date needs about {} visits a cycle.", visits(least))
        }
        (Some(least), Some(most)) => {
            format!("{goal} up to date needs {} to {} visits a cycle.", visits(least), visits(most))
        }
        (Some(least), None) => {
            format!(
                "{goal} up to date needs at least {} visits a cycle, perhaps more than {}.",
                visits(least),
                visits(most)
            )
        }
        (None, _) => format!("{goal} up to date needs more than {} visits a cycle.", visits(most)),
    }
}

/// What a tenth more buys.
fn more_words(advice: &Advice, today: u32) -> Option<String> {
    let offers = advice.curve.offers();
    let place = offers.iter().position(|offer| offer.budget == today)?;
    let (now, more) = (&offers[place], offers.get(place + 1)?);
    if f64::from(more.budget) > 1.5 * f64::from(today) {
        return None;
    }
    let added = more.budget - now.budget;
    let Range { mean, low, high } = more.gain.times(100.0);
    Some(format!(
        "{} more a cycle {} {mean:.1} points of freshness ({low:.1} to {high:.1}) and {:.1} changes found.",
        counted(u64::from(added), "visit", "visits"),
        if added == 1 { "adds" } else { "add" },
        more.changes.mean - now.changes.mean
    ))
}

fn host_lines(advice: &Advice) -> Vec<String> {
    if advice.hosts.len() < 2 {
        return vec![];
    }
    let mut lines = vec![String::new(), "Hosts with most pages out of date".to_owned()];
    for host in advice.hosts.iter().take(HOSTS) {
        lines.push(format!(
            "  {}: {} of the pages, {} of the visits, {} up to date",
            host.host,
            percent(host.pages),
            percent(host.visits),
            percent(host.freshness)
        ));
    }
    lines
}

/// A share in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A share with its interval; the interval alone where it is too wide for a number to stand before it.
pub(crate) fn share(range: Range) -> String {
    let [low, high] = [range.low, range.high].map(|end| end * 100.0);
    if range.is_known() {
        format!("{} ({low:.1} to {high:.1} %)", percent(range.mean))
    } else {
        format!("not known yet ({low:.0} to {high:.0} %)")
    }
}

/// A number with its interval.
pub(crate) fn number(range: Range) -> String {
    format!("{:.1} ({:.1} to {:.1})", range.mean, range.low, range.high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_with_a_wide_interval_is_not_known() {
        let narrow = Range { mean: 0.8, low: 0.7, high: 0.9 };
        assert_eq!(share(narrow), "80.0 % (70.0 to 90.0 %)");
        let wide = Range { mean: 0.6, low: 0.2, high: 0.9 };
        assert_eq!(share(wide), "not known yet (20 to 90 %)");
    }
}
