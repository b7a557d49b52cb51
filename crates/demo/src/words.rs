//! The words of the demo web: shores, birds, boats, tides, weather.

// With one word to a line, nobody would read it.
#[rustfmt::skip]
mod lists;

use crate::chance::Draws;
pub(crate) use lists::*;

/// What a page is about; its sentences come back to it.
#[derive(Clone, Debug)]
pub(crate) struct Topic {
    /// As in `oystercatcher` or `pilot boat`; reads well after "the".
    pub(crate) subject: String,
    /// As in `Grey Point`.
    pub(crate) place: String,
}

impl Topic {
    /// A topic out of `subjects`, somewhere.
    pub(crate) fn draw(draws: &mut Draws, subjects: &[&str]) -> Self {
        Self {
            subject: (*draws.pick(subjects)).to_owned(),
            place: (*draws.pick(PLACES)).to_owned(),
        }
    }

    /// A topic about birds, boats, plants or gear.
    pub(crate) fn any(draws: &mut Draws) -> Self {
        let subjects = [BIRDS, BOATS, BIRDS, PLANTS, GEAR][draws.below(5)];
        Self::draw(draws, subjects)
    }
}

/// The words a slot called `name` may take; empty where there is no such slot.
pub(crate) fn slot(name: &str) -> &'static [&'static str] {
    match name {
        "bird" => BIRDS,
        "boat" => BOATS,
        "vessel" => VESSELS,
        "otherplace" => PLACES,
        "first" => FIRST_NAMES,
        "last" => LAST_NAMES,
        "weather" => WEATHER,
        "tide" => TIDES,
        "gear" => GEAR,
        "plant" => PLANTS,
        "adjective" => ADJECTIVES,
        "ground" => GROUNDS,
        "when" => WHENS,
        "office" => OFFICES,
        "season" => SEASONS,
        "dish" => DISHES,
        "part" => PARTS,
        "setting" => SETTINGS,
        "command" => COMMANDS,
        "material" => MATERIALS,
        "colour" => COLOURS,
        "feeling" => FEELINGS,
        _ => &[],
    }
}
