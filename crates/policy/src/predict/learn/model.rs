//! What was learned of a page, and what it says of the days to come.
use flow::{Time, features::Look};

use super::{
    Expert, Forecast, Settings,
    baseline::{Frequency, toss},
    block::{Block, Kept, cubed},
    ensemble::{Voters, vote},
    features::{self, last_look},
    lesson::usable,
    platt::Platt,
    svm::{Svm, sign},
    texts::Texts,
};

/// Foretells whether a page will have changed. Keeps the examples that hold its borders and no others;
/// their words are shared with the looks they came from.
#[derive(Clone, Debug)]
pub struct Model {
    settings: Settings,
    rule: Rule,
}

/// How a forecast is made.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// Says it as often as it happened.
    Coin(Frequency),
    /// Says the same always.
    Always(bool, Frequency),
    /// Says what the last visit found, or the opposite; how often it came true after either.
    Label { flipped: bool, after: [Frequency; 2] },
    /// Asks the page's own past.
    Single(Voice, Platt),
    /// Asks experts, too; the page alone where none of them can be asked.
    Multiple {
        single: Voice,
        alone: Platt,
        self_weight: Option<f64>,
        voices: Vec<Option<Voice>>,
        together: Platt,
    },
    /// Asks the page and its experts as if they were one.
    Joint(Joint),
}

impl Model {
    pub(super) fn new(settings: &Settings, rule: Rule) -> Self {
        Self { settings: settings.clone(), rule }
    }

    /// Whether the page will have changed `gap_days` after its last look at or before `now`. Looks after `now`
    /// are not used, of experts neither. `experts` are in the order in which they were
    /// learned from, with the weights they have now; one that vanished has no looks and does not vote.
    /// Of a page that was never looked at nothing is known.
    pub fn forecast(
        &self,
        page: &[Look],
        experts: &[Expert<'_>],
        now: Time,
        gap_days: f64,
    ) -> Forecast {
        let Some(last) = last_look(page, now) else {
            return Forecast { says: false, chance: 0.5 };
        };
        let page = &page[..=last];
        let asked = Asked { settings: &self.settings, page, experts, now, gap_days };
        match &self.rule {
            Rule::Coin(all) => {
                let says = toss(self.settings.seed, &page[last], now) < all.share();
                Forecast { says, chance: all.chance(gap_days) }
            }
            Rule::Always(says, all) => Forecast { says: *says, chance: all.chance(gap_days) },
            Rule::Label { flipped, after } => {
                let changed = page[last].changes.of(self.settings.target);
                let chance = after[usize::from(changed)].chance(gap_days);
                Forecast { says: changed != *flipped, chance }
            }
            Rule::Single(voice, platt) => asked.alone(voice, platt),
            Rule::Multiple { single, alone, self_weight, voices, together } => asked
                .together(single, *self_weight, voices, together)
                .unwrap_or_else(|| asked.alone(single, alone)),
            Rule::Joint(joint) => asked.jointly(joint),
        }
    }
}

/// A question and all that may be used to answer it.
struct Asked<'a> {
    settings: &'a Settings,
    page: &'a [Look],
    experts: &'a [Expert<'a>],
    now: Time,
    gap_days: f64,
}

impl Asked<'_> {
    fn decided(&self, decision: f64, platt: &Platt) -> Forecast {
        Forecast { says: decision > 0.0, chance: platt.chance(decision, self.gap_days) }
    }

    /// The page at its last look.
    fn own(&self) -> Kept {
        only(features::own(self.settings, self.page, &[self.page.len() - 1]))
    }

    /// An expert as it was seen last, beside that look.
    fn expert(&self, expert: &Expert<'_>) -> Kept {
        let at = [(self.page.len() - 1, self.now)];
        only(features::expert(self.settings, self.page, &at, expert.looks))
    }

    fn alone(&self, voice: &Voice, platt: &Platt) -> Forecast {
        let decision = voice.decision(&self.own());
        // The page was looked at, or nothing would be asked.
        self.decided(decision.unwrap_or_default(), platt)
    }

    /// `None` where no expert votes with any weight.
    fn together(
        &self,
        single: &Voice,
        self_weight: Option<f64>,
        voices: &[Option<Voice>],
        platt: &Platt,
    ) -> Option<Forecast> {
        let (mut votes, mut weights) = (0.0, 0.0);
        for (voice, expert) in voices.iter().zip(self.experts) {
            let weight = usable(expert.weight);
            let Some(voice) = voice.as_ref().filter(|_| weight > 0.0) else { continue };
            if let Some(decision) = voice.decision(&self.expert(expert)) {
                votes += weight * sign(decision > 0.0);
                weights += weight;
            }
        }
        if weights == 0.0 {
            return None;
        }
        if let Some(weight) = self_weight {
            votes += weight * sign(single.decision(&self.own())? > 0.0);
            weights += weight;
        }
        Some(self.decided(votes / weights, platt))
    }

    fn jointly(&self, joint: &Joint) -> Forecast {
        let mut products = vec![0.0; joint.squares.len()];
        let mut square = joint.own.add_products(&self.own(), &mut products).unwrap_or_default();
        for (kept, expert) in joint.others.iter().zip(self.experts) {
            let shown = kept.add_products(&self.expert(expert), &mut products);
            square += shown.unwrap_or_default();
        }
        let kernel = |row: usize| cubed(products[row], square, joint.squares[row]);
        let decision = if joint.by_sign {
            vote(&joint.voters, kernel)
        } else {
            joint.voters.iter().map(|(weight, svm)| weight * svm.decision(kernel)).sum()
        };
        self.decided(decision, &joint.platt)
    }
}

/// The one example that was asked for.
fn only((block, texts): (Block, Texts)) -> Kept {
    block.keep(&[0], &texts.into_distinct())
}

/// What one page has to say: a border and the examples that hold it.
#[derive(Clone, Debug)]
pub(super) struct Voice {
    kept: Kept,
    squares: Vec<f64>,
    svm: Svm,
}

impl Voice {
    pub(super) fn new(kept: Kept, squares: Vec<f64>, svm: Svm) -> Self {
        Self { kept, squares, svm }
    }

    /// How far from the border the page is; `None` where nothing is shown of it.
    fn decision(&self, now: &Kept) -> Option<f64> {
        let mut products = vec![0.0; self.squares.len()];
        let square = self.kept.add_products(now, &mut products)?;
        Some(self.svm.decision(|row| cubed(products[row], square, self.squares[row])))
    }
}

/// Borders of the features of a page and its experts together.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) own: Kept,
    pub(super) others: Vec<Kept>,
    pub(super) squares: Vec<f64>,
    pub(super) voters: Voters,
    /// Whether voters are counted, rather than how sure they are.
    pub(super) by_sign: bool,
    pub(super) platt: Platt,
}
