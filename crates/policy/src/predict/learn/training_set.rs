//! The training examples of a page, and what each method learns from them.
//!
//! Methods share most of their work: products of texts and the SVMs of a page and its experts are computed
//! when first needed and kept for the next method.
use std::sync::OnceLock;

use crawl::Time;
use instruments::features::VisitRecord;
use learn::svm::{Kernel, Platt, sign};

use super::{
    Expert, Method, Model, Settings,
    baseline::Frequency,
    ensemble::{Voters, bag, boost, held_out},
    feature_block::{FeatureBlock, cubic},
    features,
    model::{Classifier, Joint, Rule},
    model_selection::{TrainedSvm, select},
    word_vectors::{WordVector, WordVectors},
};

/// The examples of a page and its experts, for all methods.
#[derive(Debug)]
pub struct TrainingSet<'a> {
    settings: &'a Settings,
    page: &'a [VisitRecord],
    experts: &'a [Expert<'a>],
    self_weight: f64,
    /// The visits that are examples, their labels (the change found by the next visit), and the days until then.
    at: Vec<usize>,
    labels: Vec<bool>,
    gaps: Vec<f64>,
    own: OnceLock<FeatureView>,
    others: OnceLock<Vec<FeatureView>>,
    union: OnceLock<Option<Union>>,
}

/// The features of a page or an expert at the examples.
#[derive(Debug)]
struct FeatureView {
    block: FeatureBlock,
    texts: Vec<WordVector>,
    products: Kernel,
    trained: OnceLock<Option<TrainedSvm>>,
}

impl FeatureView {
    fn new((block, mut texts): (FeatureBlock, WordVectors)) -> Self {
        let products = block.products(&mut texts);
        Self { block, texts: texts.into_distinct(), products, trained: OnceLock::new() }
    }

    fn trained(&self, labels: &[bool]) -> Option<&TrainedSvm> {
        self.trained.get_or_init(|| select(&self.products, labels, &self.block.shown())).as_ref()
    }

    fn classifier(&self, trained: &TrainedSvm) -> Classifier {
        let rows: Vec<usize> = trained.svm.support().map(|(row, _)| row).collect();
        let kept = self.block.keep(&rows, &self.texts);
        let squares = rows.iter().map(|&row| self.products.row(row)[row]).collect();
        Classifier::new(kept, squares, trained.svm.clone().renumbered(|row| rank(&rows, row)))
    }
}

/// The sum of all products, and an SVM on it.
#[derive(Debug)]
struct Union {
    squares: Vec<f64>,
    kernel: Kernel,
    trained: TrainedSvm,
}

impl<'a> TrainingSet<'a> {
    /// From the visits of a page, with those of its experts up to the same instants. An example is a visit with
    /// `back` + 1 before it and one after it; the last `window` of them count.
    pub fn new(
        settings: &'a Settings,
        page: &'a [VisitRecord],
        experts: &'a [Expert<'a>],
        self_weight: f64,
    ) -> Self {
        let end = page.len().saturating_sub(1);
        let start = (settings.back + 1).max(end.saturating_sub(settings.window));
        let at: Vec<usize> = (start..end).collect();
        let labels =
            at.iter().map(|&visit| page[visit + 1].changes.includes(settings.target)).collect();
        let gaps = at.iter().map(|&visit| (page[visit + 1].at - page[visit].at).days()).collect();
        let (own, others, union) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { settings, page, experts, self_weight, at, labels, gaps, own, others, union }
    }

    /// Trains a model.
    pub fn train(&self, method: Method) -> Model {
        Model::new(self.settings, self.rule(method))
    }

    fn rule(&self, method: Method) -> Rule {
        let all = Frequency::from_gaps(self.seen());
        match method {
            Method::Coin => return Rule::Coin(all),
            Method::Majority => return Rule::Always(all.is_usual(), all),
            Method::LastLabel => return Rule::Label { flipped: false, after: self.after() },
            Method::FlippedLabel => return Rule::Label { flipped: true, after: self.after() },
            _ => {}
        }
        // One class, or one example, has no boundary.
        let is_plain = self.labels.iter().all(|&label| label == self.labels[0]);
        if self.labels.len() < 2 || is_plain {
            return Rule::Always(all.is_usual(), all);
        }
        let ruled = match method {
            Method::Multiple => self.multiple(Some(self.self_weight)),
            Method::MultipleOthers => self.multiple(None),
            Method::Union | Method::Bagging | Method::Boosting => self.joint(method),
            _ => self.single().map(|(classifier, platt)| Rule::Single(classifier, platt)),
        };
        ruled.unwrap_or(Rule::Always(all.is_usual(), all))
    }

    fn seen(&self) -> impl Iterator<Item = (f64, bool)> {
        self.gaps.iter().copied().zip(self.labels.iter().copied())
    }

    /// How often the page changed after a visit that found no change, and after one that did.
    fn after(&self) -> [Frequency; 2] {
        [false, true].map(|changed| {
            let before = self
                .at
                .iter()
                .map(|&visit| self.page[visit].changes.includes(self.settings.target));
            Frequency::from_gaps(
                before.zip(self.seen()).filter(|(it, _)| *it == changed).map(|(_, it)| it),
            )
        })
    }

    fn own(&self) -> &FeatureView {
        self.own.get_or_init(|| FeatureView::new(features::own(self.settings, self.page, &self.at)))
    }

    fn others(&self) -> &[FeatureView] {
        self.others.get_or_init(|| {
            // Nothing that is seen with the label or after it.
            let before = |&visit: &usize| (visit, self.page[visit + 1].at.before());
            let at: Vec<(usize, Time)> = self.at.iter().map(before).collect();
            let shown = |expert: &Expert<'_>| {
                FeatureView::new(features::expert(self.settings, self.page, &at, expert.visits))
            };
            self.experts.iter().map(shown).collect()
        })
    }

    fn single(&self) -> Option<(Classifier, Platt)> {
        let trained = self.own().trained(&self.labels)?;
        let platt = self.calibrated(trained.held_out.iter().copied());
        Some((self.own().classifier(trained), platt))
    }

    fn calibrated(&self, held_out: impl Iterator<Item = (usize, f64)>) -> Platt {
        let seen: Vec<(f64, f64, bool)> =
            held_out.map(|(row, decision)| (decision, self.gaps[row], self.labels[row])).collect();
        Platt::fit(&seen)
    }

    /// `self_weight` is the weight of the page's own vote, if it votes.
    fn multiple(&self, self_weight: Option<f64>) -> Option<Rule> {
        let (single, alone) = self.single()?;
        let mut votes = vec![(0.0, 0.0); self.labels.len()];
        let mut count = |trained: &TrainedSvm, weight: f64| {
            for &(row, decision) in &trained.held_out {
                votes[row].0 += weight * sign(decision > 0.0);
                votes[row].1 += weight;
            }
        };
        if let (Some(weight), Some(trained)) = (self_weight, self.own().trained(&self.labels)) {
            count(trained, usable(weight));
        }
        let mut classifiers = vec![];
        for (view, expert) in self.others().iter().zip(self.experts) {
            let trained = view.trained(&self.labels);
            if let Some(trained) = trained {
                count(trained, usable(expert.weight));
            }
            classifiers.push(trained.map(|trained| view.classifier(trained)));
        }
        let votes = votes.into_iter().enumerate().filter(|(_, (_, weight))| *weight > 0.0);
        let together = self.calibrated(votes.map(|(row, (vote, weight))| (row, vote / weight)));
        let self_weight = self_weight.map(usable);
        Some(Rule::Multiple { single, alone, self_weight, classifiers, together })
    }

    fn union(&self) -> Option<&Union> {
        let made = self.union.get_or_init(|| {
            let mut products = self.own().products.clone();
            for view in self.others() {
                products.add(&view.products);
            }
            let rows: Vec<usize> = (0..self.labels.len()).collect();
            let trained = select(&products, &self.labels, &rows)?;
            let squares = rows.iter().map(|&row| products.row(row)[row]).collect();
            Some(Union { squares, kernel: cubic(&products), trained })
        });
        made.as_ref()
    }

    /// One SVM on the features of all, or an ensemble. Probabilities of an ensemble are calibrated on ensembles
    /// trained on the other folds, at the cost that was best for the union.
    fn joint(&self, method: Method) -> Option<Rule> {
        let union = self.union()?;
        let (labels, cost, settings) = (&self.labels, union.trained.cost, self.settings);
        let last = self.page.last().map_or(0, |visit| visit.at.millis() as u64);
        // Draws differ from day to day, and between the whole window (0) and its folds.
        let learn = |part: u64, kernel: &Kernel, labels: &[bool]| match method {
            Method::Bagging => {
                let stream = last.wrapping_add(part);
                bag(kernel, labels, cost, settings.models, settings.seed, stream)
            }
            _ => boost(kernel, labels, cost, settings.models),
        };
        let (voters, platt): (Voters, Platt) = if method == Method::Union {
            let platt = self.calibrated(union.trained.held_out.iter().copied());
            (vec![(1.0, union.trained.svm.clone())], platt)
        } else {
            let votes = held_out(&union.kernel, labels, |part, kernel, labels| {
                learn(part as u64 + 1, kernel, labels)
            });
            let platt = self.calibrated(votes.into_iter().enumerate());
            (learn(0, &union.kernel, labels), platt)
        };
        let mut rows: Vec<usize> =
            voters.iter().flat_map(|(_, svm)| svm.support().map(|(row, _)| row)).collect();
        rows.sort_unstable();
        rows.dedup();
        let number = |row: usize| rank(&rows, row);
        Some(Rule::Joint(Joint {
            own: self.own().block.keep(&rows, &self.own().texts),
            others: self.others().iter().map(|it| it.block.keep(&rows, &it.texts)).collect(),
            squares: rows.iter().map(|&row| union.squares[row]).collect(),
            voters: voters
                .into_iter()
                .map(|(weight, svm)| (weight, svm.renumbered(number)))
                .collect(),
            by_sign: method != Method::Union,
            platt,
        }))
    }
}

/// The position of a row in a sorted list.
fn rank(rows: &[usize], row: usize) -> usize {
    rows.partition_point(|&other| other < row)
}

/// A weight that can be added up: negative, infinite and NaN weights are 0.
pub(super) fn usable(weight: f64) -> f64 {
    if weight.is_finite() { weight.max(0.0) } else { 0.0 }
}
