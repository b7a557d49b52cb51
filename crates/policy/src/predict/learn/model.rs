//! A trained model of a page, and its forecasts.
use crawl::Time;
use instruments::features::VisitRecord;
use learn::svm::{Platt, Svm, sign};

use super::{
    Expert, Forecast, Settings,
    baseline::{Frequency, toss},
    ensemble::{Voters, vote},
    feature_block::{FeatureBlock, StoredExamples, cubed},
    features::{self, last_visit},
    training_set::usable,
    word_vectors::WordVectors,
};

/// Predicts whether a page will have changed. It keeps only the support vectors, whose word counts are shared
/// with the visits they came from.
#[derive(Clone, Debug)]
pub struct Model {
    settings: Settings,
    rule: Rule,
}

/// How a forecast is made.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// Predicts a change as often as there was one.
    Coin(Frequency),
    /// Always predicts the same.
    Always(bool, Frequency),
    /// Predicts the outcome of the last visit, or the opposite; with how often a change followed either.
    Label { flipped: bool, after: [Frequency; 2] },
    /// Uses the page's own past.
    Single(Classifier, Platt),
    /// Uses experts, too; the page alone if no expert votes.
    Multiple {
        single: Classifier,
        alone: Platt,
        self_weight: Option<f64>,
        classifiers: Vec<Option<Classifier>>,
        together: Platt,
    },
    /// Uses the features of the page and its experts together.
    Joint(Joint),
}

impl Model {
    pub(super) fn new(settings: &Settings, rule: Rule) -> Self {
        Self { settings: settings.clone(), rule }
    }

    /// Whether the page will have changed `gap_days` after its last visit at or before `now`. Later visits are
    /// not used, neither of the page nor of experts. `experts` are in the order of training, with their
    /// current weights; one that vanished has no visits and does not vote. A page without visits gets a
    /// probability of 0.5.
    pub fn forecast(
        &self,
        page: &[VisitRecord],
        experts: &[Expert<'_>],
        now: Time,
        gap_days: f64,
    ) -> Forecast {
        let Some(last) = last_visit(page, now) else {
            return Forecast { predicts_change: false, probability: 0.5 };
        };
        let page = &page[..=last];
        let input = ForecastInput { settings: &self.settings, page, experts, now, gap_days };
        match &self.rule {
            Rule::Coin(all) => {
                let predicts_change = toss(self.settings.seed, &page[last], now) < all.share();
                Forecast { predicts_change, probability: all.probability(gap_days) }
            }
            Rule::Always(predicts_change, all) => Forecast {
                predicts_change: *predicts_change,
                probability: all.probability(gap_days),
            },
            Rule::Label { flipped, after } => {
                let changed = page[last].changes.includes(self.settings.target);
                let probability = after[usize::from(changed)].probability(gap_days);
                Forecast { predicts_change: changed != *flipped, probability }
            }
            Rule::Single(classifier, platt) => input.alone(classifier, platt),
            Rule::Multiple { single, alone, self_weight, classifiers, together } => input
                .together(single, *self_weight, classifiers, together)
                .unwrap_or_else(|| input.alone(single, alone)),
            Rule::Joint(joint) => input.jointly(joint),
        }
    }
}

/// The input of a forecast.
struct ForecastInput<'a> {
    settings: &'a Settings,
    page: &'a [VisitRecord],
    experts: &'a [Expert<'a>],
    now: Time,
    gap_days: f64,
}

impl ForecastInput<'_> {
    fn decided(&self, decision: f64, platt: &Platt) -> Forecast {
        Forecast {
            predicts_change: decision > 0.0,
            probability: platt.probability(decision, self.gap_days),
        }
    }

    /// The page at its last visit.
    fn own(&self) -> StoredExamples {
        only(features::own(self.settings, self.page, &[self.page.len() - 1]))
    }

    /// The expert at its last visit, beside the page's.
    fn expert(&self, expert: &Expert<'_>) -> StoredExamples {
        let at = [(self.page.len() - 1, self.now)];
        only(features::expert(self.settings, self.page, &at, expert.visits))
    }

    fn alone(&self, classifier: &Classifier, platt: &Platt) -> Forecast {
        let decision = classifier.decision(&self.own());
        // There is a visit, or there would be no forecast.
        self.decided(decision.unwrap_or_default(), platt)
    }

    /// `None` if no expert votes with any weight.
    fn together(
        &self,
        single: &Classifier,
        self_weight: Option<f64>,
        classifiers: &[Option<Classifier>],
        platt: &Platt,
    ) -> Option<Forecast> {
        let (mut votes, mut weights) = (0.0, 0.0);
        for (classifier, expert) in classifiers.iter().zip(self.experts) {
            let weight = usable(expert.weight);
            let Some(classifier) = classifier.as_ref().filter(|_| weight > 0.0) else { continue };
            if let Some(decision) = classifier.decision(&self.expert(expert)) {
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

/// The only example.
fn only((block, texts): (FeatureBlock, WordVectors)) -> StoredExamples {
    block.keep(&[0], &texts.into_distinct())
}

/// The SVM of one page with its support vectors.
#[derive(Clone, Debug)]
pub(super) struct Classifier {
    kept: StoredExamples,
    squares: Vec<f64>,
    svm: Svm,
}

impl Classifier {
    pub(super) fn new(kept: StoredExamples, squares: Vec<f64>, svm: Svm) -> Self {
        Self { kept, squares, svm }
    }

    /// The signed distance from the decision boundary; `None` if the page has no features.
    fn decision(&self, now: &StoredExamples) -> Option<f64> {
        let mut products = vec![0.0; self.squares.len()];
        let square = self.kept.add_products(now, &mut products)?;
        Some(self.svm.decision(|row| cubed(products[row], square, self.squares[row])))
    }
}

/// SVMs on the features of a page and its experts together.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) own: StoredExamples,
    pub(super) others: Vec<StoredExamples>,
    pub(super) squares: Vec<f64>,
    pub(super) voters: Voters,
    /// Whether signs of decisions are added up, not their values.
    pub(super) by_sign: bool,
    pub(super) platt: Platt,
}
