//! The sentences of the demo web, as patterns with slots; each kind of site has its own voice.
//!
//! `{subject}` and `{place}` are what the page is about, `{n}`, `{big}` and `{year}` are numbers, and every
//! other slot is a list of [`crate::words`].
use crate::chance::Draws;
use crate::words::{Topic, slot};

/// The voice a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// A newspaper.
    News,
    /// A software manual.
    Manual,
    /// A shop.
    Shop,
    /// Somebody's diary.
    Diary,
    /// An encyclopaedia.
    Lexicon,
    /// People talking.
    Talk,
    /// An office.
    Notice,
}

impl Voice {
    /// The patterns of its sentences.
    pub(crate) fn patterns(self) -> &'static [&'static str] {
        match self {
            Self::News => NEWS,
            Self::Manual => MANUAL,
            Self::Shop => SHOP,
            Self::Diary => DIARY,
            Self::Lexicon => LEXICON,
            Self::Talk => TALK,
            Self::Notice => NOTICE,
        }
    }

    /// The patterns of its titles.
    pub(crate) fn titles(self) -> &'static [&'static str] {
        match self {
            Self::News => NEWS_TITLES,
            Self::Manual => MANUAL_TITLES,
            Self::Shop => SHOP_TITLES,
            Self::Diary => DIARY_TITLES,
            Self::Lexicon => LEXICON_TITLES,
            Self::Talk => TALK_TITLES,
            Self::Notice => NOTICE_TITLES,
        }
    }

    /// A title in this voice.
    pub(crate) fn title(self, topic: &Topic, draws: &mut Draws) -> String {
        let mut title = String::with_capacity(64);
        let pattern = draws.pick(self.titles());
        fill(pattern, topic, draws, &mut title);
        title
    }

    /// One sentence in this voice.
    pub(crate) fn sentence(self, topic: &Topic, draws: &mut Draws) -> String {
        let mut sentence = String::with_capacity(128);
        let pattern = draws.pick(self.patterns());
        fill(pattern, topic, draws, &mut sentence);
        sentence
    }
}

/// Writes `pattern` with its slots filled; the first letter becomes a capital.
pub(crate) fn fill(pattern: &str, topic: &Topic, draws: &mut Draws, out: &mut String) {
    let begin = out.len();
    let mut rest = pattern;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}') else { break };
        out.push_str(&rest[..open]);
        let name = &rest[open + 1..open + close];
        match name {
            "subject" => push_word(&topic.subject, begin, out),
            "place" => out.push_str(&topic.place),
            "n" => out.push_str(&draws.between(2, 60).to_string()),
            "year" => out.push_str(&draws.between(1640, 1890).to_string()),
            "big" => out.push_str(&(draws.between(10, 480) * 10).to_string()),
            _ => {
                let words = slot(name);
                debug_assert!(!words.is_empty(), "no words for {{{name}}}");
                if !words.is_empty() {
                    let word: &&str = draws.pick(words);
                    push_word(word, begin, out);
                }
            }
        }
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    if let Some(first) = out.get_mut(begin..begin + 1) {
        first.make_ascii_uppercase();
    }
}

/// Writes `word`, and makes "an" of an "a" before a vowel.
fn push_word(word: &str, begin: usize, out: &mut String) {
    let vowel = word.starts_with(['a', 'e', 'i', 'o', 'u']);
    let written = &out[begin..];
    if vowel && (written.ends_with(" a ") || written == "A ") {
        out.pop();
        out.push_str("n ");
    }
    out.push_str(word);
}

const NEWS: &[&str] = &[
    "The {subject} was back in the talk of {place} {when}, after {n} days of {weather}.",
    "The {office} said that work near the {ground} would go on until the next {tide}.",
    "{first} {last}, who has watched the {ground} at {place} for {n} years, called it a {adjective} surprise.",
    "About {big} people came to see it, most of them on foot along the {ground}.",
    "Nobody was hurt, and the {vessel} was towed to {otherplace} on the {tide}.",
    "\"We had not seen a {adjective} morning like that since last {season},\" said {first} {last} of the {office}.",
    "The {office} counted {big} of them {when}, the highest figure for {n} years.",
    "Plans for the {ground} were first drawn up in {otherplace}, where the {weather} had done the most damage.",
    "A spokesman for the {office} would not say how much the {gear} had cost.",
    "The {subject} has become a symbol of {place}, on mugs, on tea towels and above the door of the inn.",
    "Traffic across the {ground} was stopped for {n} minutes while the {boat} passed.",
    "The decision was put off {when} because too few members of the {office} were present.",
    "Forecasters expect {weather} for the rest of the week, easing with the {tide}.",
    "The crew of the {vessel} reported a {bird} resting on deck, {n} miles from land.",
    "Children from the school at {otherplace} had painted the {gear} in {colour}.",
    "Two local bakers sold {dish} from a stall on the quay and gave the money to the {office}.",
    "In a letter to this newspaper, {first} {last} asks why the {ground} is still closed.",
    "The {office} will meet again {when}, and the public may attend.",
    "Similar sightings were reported from {otherplace}, where the {bird} arrived {n} days early.",
    "The old {boat} lay on the {ground} with her name, {vessel}, still readable.",
    "Insurers estimate the cost at {big} crowns, of which the {office} will pay a third.",
    "It is the second time this {season} that the {subject} has caused a queue at {place}.",
];

const NEWS_TITLES: &[&str] = &[
    "{subject} returns to {place} after {n} years",
    "Crowds gather at {place} as the {subject} is seen {when}",
    "{office} to decide on the {ground} at {place}",
    "{weather} closes the {ground} near {place}",
    "Crew of the {vessel} rescued off {place}",
    "Why the {subject} matters to {place}",
    "{place}: {n} volunteers clear the {ground}",
    "Record {tide} floods {place}",
    "{first} {last} named keeper of the {gear} at {place}",
    "The {subject} and the {ground}: a {adjective} story from {place}",
    "Ferry to {place} delayed by {weather}",
    "{office} counts {big} birds at {place}",
    "A {adjective} {season} for the {subject} at {place}",
];

const MANUAL: &[&str] = &[
    "The {part} reads the {subject} table once and keeps it until `{setting}` says otherwise.",
    "Run `{command}` to see what the {part} believes about {place}.",
    "If `{setting}` is not set, the {part} falls back to {n} seconds.",
    "Changes to `{setting}` take effect when the {part} is started again.",
    "The example below uses the station at {place}, which has {n} gauges and one {gear}.",
    "An unknown station is an error, and `{command}` exits with code {n}.",
    "The {part} never deletes a record; use `{command}` to move old ones away.",
    "Records are kept in order of time, so that the {part} can answer for any {tide}.",
    "On a small machine, set `{setting}` to {n} and leave the {part} alone.",
    "The {part} and the {subject} table may be on different machines as long as their clocks agree.",
    "For each {tide}, the {part} writes one line with the height, the station and the time.",
    "You can pass several stations to `{command}`; they are read in the order given.",
    "The limit of {big} records in one request exists because of the {part}.",
    "Use `{setting}` with care: a value above {n} makes the {part} wait for the {tide}.",
    "A missing {gear} is reported once, then at every hour until it is found.",
    "Earlier versions called this the {subject} file, and the old name still works.",
    "When the {part} meets {weather}, it marks the reading as doubtful rather than dropping it.",
    "The default datum is that of {place}; `{setting}` selects another.",
    "To test the set-up, run `{command}` twice: the second run should print nothing.",
    "The {part} needs about {big} kilobytes for each station.",
];

const MANUAL_TITLES: &[&str] = &[
    "Reading the {subject} table",
    "Setting up the {part} at {place}",
    "The {part} and the {tide}",
    "How {command} works",
    "Choosing a value for {setting}",
    "When the {part} does not start",
    "Moving the {part} to another machine",
    "A station with one {gear}",
    "Testing the {part}",
    "Limits of the {part}",
    "Working with the {subject} gauge",
    "From {place} to a report in {n} minutes",
];

const SHOP: &[&str] = &[
    "This {subject} is made of {material} and will outlast most boats.",
    "We tested it at {place} through {n} days of {weather}, and it came back with a {adjective} shine.",
    "The fittings are {material}, the finish is {colour}, and every seam is sewn twice.",
    "It was first made for the {office}, who still order {n} a year.",
    "Weight with packing: {big} grams; it stows in any locker.",
    "Rinse it in fresh water after use and it will see you through {season} after {season}.",
    "Customers tell us that the {bird} likes to sit on it, which we cannot guarantee.",
    "A spare set in {material} is sold apart.",
    "{first} {last} in our workshop checks each one by hand before it leaves {otherplace}.",
    "It fits a {boat} of up to {n} feet.",
    "The guarantee is {n} months, and longer if you send us a picture of it in use at the {ground}.",
    "Also to be had in {colour}, while the cloth lasts.",
    "We stopped selling the older one after the winter of the {weather}.",
    "Goes well with a {adjective} afternoon, a flask of tea and the {tide}.",
    "Each comes in a bag of {material} with a card that shows how to look after it.",
    "Orders placed before noon leave with the evening ferry.",
];

const SHOP_TITLES: &[&str] = &[
    "{subject} in {material}",
    "{adjective} {subject}, {colour}",
    "{place} {subject}",
    "{subject} \"{vessel}\"",
    "Small {subject} for a {boat}",
    "{subject} with {material} fittings",
    "Set of {n}: {subject}, {colour}",
    "Workshop {subject} by {last} and daughters",
];

const DIARY: &[&str] = &[
    "I walked to {place} {when} and found the {subject} where I had left it in my mind.",
    "The {ground} smelt of {plant} and of rain that had not yet come.",
    "There were {n} of them, or {n}; counting by the sea is an act of faith.",
    "{first} had brought {dish}, and we ate it with cold fingers behind the {ground}.",
    "I am {feeling}, which is what a {adjective} day does to me.",
    "A {bird} went over, calling, and for a moment nobody spoke.",
    "My notes say only: {weather}, {tide}, {subject}, home.",
    "The light at {otherplace} was {colour} and went out like a lamp.",
    "I mended the {gear} twice, and twice it broke in the same place.",
    "Some of you wrote to ask about the {subject}; the short answer is patience.",
    "In the evening the {vessel} came in, low in the water, and we helped with the lines.",
    "I had meant to write about {otherplace}, but the {weather} had other plans.",
    "My grandmother called the {plant} by another name, which I have promised not to print.",
    "If you go, go on the {tide}, and take a {gear}.",
    "The {boat} by the {ground} has a new coat of {colour}, and looks {feeling} about it.",
    "There is a word for the sound the {subject} makes, and I have forgotten it again.",
    "We were {n} on the beach, not counting the dog.",
    "By {season} all of this will be under {weather}, and I shall complain about that too.",
];

const DIARY_TITLES: &[&str] = &[
    "A {adjective} morning at {place}",
    "Notes on the {subject}",
    "{weather}, and then the {subject}",
    "What the {subject} taught me",
    "{n} hours on the {ground}",
    "Looking for the {subject} near {place}",
    "{dish}, and other reasons to stay",
    "The {gear} that would not break",
    "{season} at {place}",
    "Letter from the {ground}",
    "On being {feeling} at {place}",
];

const LEXICON: &[&str] = &[
    "The {subject} is found along the {ground} from {place} to {otherplace}.",
    "It is first mentioned in a harbour roll of {year}, where the spelling is uncertain.",
    "Adults weigh up to {big} grams, although {adjective} specimens are heavier.",
    "The name is thought to come from an old word for the {ground}.",
    "During the {season} it is common near {otherplace}, and it is rare elsewhere.",
    "Its relation to the {bird} was unclear until the survey by {first} {last}.",
    "The {office} keeps {n} examples, one of which is on view.",
    "In folklore, the {subject} announces {weather} and the death of {adjective} kings.",
    "A count by the {office} gave {big}, which later authors consider too high.",
    "It depends on the {tide}, and leaves the {ground} within {n} minutes of it.",
    "The {plant} grows wherever the {subject} has been for more than {n} years.",
    "Several boats have carried the name, among them the {vessel}, a {boat} lost off {otherplace}.",
    "Older works confuse it with the {bird}, from which it differs in its {colour} markings.",
    "The {gear} named after it is still used by the {office}.",
    "Its range has grown by about {n} miles since the last {season} survey.",
    "At {place} it was once eaten with {dish}.",
    "In {weather} it moves inland as far as {otherplace}.",
    "The largest known gathering, of {big}, was recorded {when} at {otherplace}.",
    "The {material} model in the museum at {place} is {n} inches long.",
    "No agreement exists about its place between the {bird} and the {plant}.",
];

const LEXICON_TITLES: &[&str] = &[
    "{subject}",
    "{subject} of {place}",
    "{place}",
    "{vessel} ({boat})",
    "{ground} at {place}",
    "{first} {last}",
    "{tide} of {place}",
    "{season} at {place}",
    "{material} {gear}",
    "{office} of {place}",
    "Battle of {place}",
    "{plant} and the {subject}",
];

const TALK: &[&str] = &[
    "Has anybody tried this with a {boat}?",
    "I had the same with my {subject} at {place}, and it went away after {n} days.",
    "Do not use {material} there, it will seize up by {season}.",
    "Thank you, the {gear} did it.",
    "Pictures would help, as would knowing how deep the {ground} is.",
    "The {office} will tell you {n} feet, but I would not trust it on the {tide}.",
    "Seen {when}: {n} of them, next to a {bird}.",
    "My {boat}, the {vessel}, has had one since new, and I am {feeling} about it.",
    "There was a thread on this last {season}, look for {otherplace}.",
    "Ask {first} at {otherplace}, who mended mine for {dish} and a handshake.",
    "It depends on the {weather}, as always.",
    "I paid {big} for mine, which was too much.",
    "Bumping this, as the {subject} is back.",
    "You are both right: it is the {gear} on a {adjective} day and the {tide} otherwise.",
    "Paint it {colour} and nobody will ask.",
    "I would not go out to {place} in that.",
];

const TALK_TITLES: &[&str] = &[
    "Best {gear} for a {boat}?",
    "{subject} seen at {place}",
    "Is the {ground} at {place} safe on the {tide}?",
    "Help: my {subject} is {colour}",
    "Who sailed the {vessel}?",
    "{material} or {material} for the {subject}?",
    "Anchoring off {place} in {weather}",
    "For sale: {subject}, {adjective} condition",
    "Where to eat {dish} near {place}",
    "What is this {bird} doing on my {gear}?",
];

const NOTICE: &[&str] = &[
    "Masters of vessels are advised that the {ground} at {place} is subject to {weather}.",
    "The {office} has made the following order under section {n} of the Harbour Act.",
    "No {boat} may lie at {place} for more than {n} hours without leave.",
    "Lights are shown from {place} on the {tide} only.",
    "Objections may be sent in writing to the {office} within {n} days.",
    "The {subject} shall be kept in good order by its owner.",
    "Fees are {big} for each vessel above {n} feet, payable in advance.",
    "The depth over the {ground} was found to be {n} feet at the last survey.",
    "This notice replaces the one displayed at {otherplace}.",
    "Persons disturbing the {bird} during the {season} are liable to a fine of {big}.",
    "A plan of the {ground} may be inspected at the office {when}.",
    "The {gear} at {otherplace} has been withdrawn for repair.",
    "Dredging will take place between {place} and {otherplace} when the {weather} allows.",
    "Mariners should pass to the north of the {subject}.",
    "Signed for the {office}: {first} {last}, clerk.",
    "Landing of {plant} is permitted on the {tide}.",
];

const NOTICE_TITLES: &[&str] = &[
    "Notice {n}: {ground} at {place}",
    "Order concerning the {subject} at {place}",
    "Fees for a {boat} at {place}",
    "Protection of the {bird} at {place}",
    "Lights and signals of {place}",
    "Withdrawal of the {gear} at {place}",
    "Survey of the {ground}, {place}",
    "Minutes of the {office}",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    const VOICES: [Voice; 7] = [
        Voice::News,
        Voice::Manual,
        Voice::Shop,
        Voice::Diary,
        Voice::Lexicon,
        Voice::Talk,
        Voice::Notice,
    ];

    #[test]
    fn every_slot_of_every_pattern_has_words() {
        let topic = Topic { subject: "knot".to_owned(), place: "Gull Rock".to_owned() };
        let patterns =
            VOICES.iter().flat_map(|voice| voice.patterns().iter().chain(voice.titles()));
        for pattern in patterns {
            let mut out = String::new();
            fill(pattern, &topic, &mut Chance::new(1, pattern).draws(), &mut out);
            assert!(!out.contains(['{', '}']) && !out.contains("  "), "{pattern} gives {out}");
        }
    }

    #[test]
    fn a_becomes_an_before_a_vowel() {
        let topic = Topic { subject: "avocet".to_owned(), place: "Gull Rock".to_owned() };
        let mut out = String::new();
        fill("A {subject} saw a {subject}.", &topic, &mut Chance::new(1, "").draws(), &mut out);
        assert_eq!(out, "An avocet saw an avocet.");
    }

    #[test]
    fn a_sentence_begins_with_a_capital() {
        let mut draws = Chance::new(3, "x").draws();
        let topic = Topic::any(&mut draws);
        let title = Voice::News.title(&topic, &mut draws);
        assert!(title.starts_with(|first: char| first.is_uppercase()), "{title}");
    }
}
