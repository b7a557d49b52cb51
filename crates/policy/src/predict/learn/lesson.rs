//! The examples of a page's window, and what is learned from them by each method.
//!
//! Methods share most of their work: products of texts, and the borders of a page and its experts, are made
//! when they are first needed and kept for the next method.
use std::sync::OnceLock;

use flow::{Time, features::Look};

use super::{
    Expert, Method, Model, Settings,
    baseline::Frequency,
    block::{Block, cubic},
    choice::{Machine, learn},
    ensemble::{Voters, bag, boost, held_out},
    features,
    kernel::Kernel,
    model::{Joint, Rule, Voice},
    platt::Platt,
    svm::sign,
    texts::{Text, Texts},
};

/// What one page and its experts have to teach, once for all methods.
#[derive(Debug)]
pub struct Lesson<'a> {
    settings: &'a Settings,
    page: &'a [Look],
    experts: &'a [Expert<'a>],
    self_weight: f64,
    /// The looks that are examples, what had changed at the next, and how many days later that was.
    at: Vec<usize>,
    labels: Vec<bool>,
    gaps: Vec<f64>,
    own: OnceLock<Pupil>,
    others: OnceLock<Vec<Pupil>>,
    union: OnceLock<Option<Union>>,
}

/// A page and what it shows of the examples.
#[derive(Debug)]
struct Pupil {
    block: Block,
    texts: Vec<Text>,
    products: Kernel,
    machine: OnceLock<Option<Machine>>,
}

impl Pupil {
    fn new((block, mut texts): (Block, Texts)) -> Self {
        let products = block.products(&mut texts);
        Self { block, texts: texts.into_distinct(), products, machine: OnceLock::new() }
    }

    fn machine(&self, labels: &[bool]) -> Option<&Machine> {
        self.machine.get_or_init(|| learn(&self.products, labels, &self.block.shown())).as_ref()
    }

    fn voice(&self, machine: &Machine) -> Voice {
        let rows: Vec<usize> = machine.svm.support().map(|(row, _)| row).collect();
        let kept = self.block.keep(&rows, &self.texts);
        let squares = rows.iter().map(|&row| self.products.row(row)[row]).collect();
        Voice::new(kept, squares, machine.svm.clone().renumbered(|row| rank(&rows, row)))
    }
}

/// All pages together: their products added up, and a border by these.
#[derive(Debug)]
struct Union {
    squares: Vec<f64>,
    kernel: Kernel,
    machine: Machine,
}

impl<'a> Lesson<'a> {
    /// Of what was seen of a page up to its last look, with what its experts showed by then. An example is a
    /// look with `back` + 1 before it and one after it; the last `window` of them count.
    pub fn new(
        settings: &'a Settings,
        page: &'a [Look],
        experts: &'a [Expert<'a>],
        self_weight: f64,
    ) -> Self {
        let end = page.len().saturating_sub(1);
        let start = (settings.back + 1).max(end.saturating_sub(settings.window));
        let at: Vec<usize> = (start..end).collect();
        let labels = at.iter().map(|&look| page[look + 1].changes.of(settings.target)).collect();
        let gaps = at.iter().map(|&look| (page[look + 1].at - page[look].at).days()).collect();
        let (own, others, union) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { settings, page, experts, self_weight, at, labels, gaps, own, others, union }
    }

    /// What a method learns from it.
    pub fn train(&self, method: Method) -> Model {
        Model::new(self.settings, self.rule(method))
    }

    fn rule(&self, method: Method) -> Rule {
        let all = Frequency::of(self.seen());
        match method {
            Method::Coin => return Rule::Coin(all),
            Method::Majority => return Rule::Always(all.is_usual(), all),
            Method::LastLabel => return Rule::Label { flipped: false, after: self.after() },
            Method::FlippedLabel => return Rule::Label { flipped: true, after: self.after() },
            _ => {}
        }
        // Of one class, or of one example, there is nothing to tell apart.
        let is_plain = self.labels.iter().all(|&label| label == self.labels[0]);
        if self.labels.len() < 2 || is_plain {
            return Rule::Always(all.is_usual(), all);
        }
        let ruled = match method {
            Method::Multiple => self.multiple(Some(self.self_weight)),
            Method::MultipleOthers => self.multiple(None),
            Method::Union | Method::Bagging | Method::Boosting => self.joint(method),
            _ => self.single().map(|(voice, platt)| Rule::Single(voice, platt)),
        };
        ruled.unwrap_or(Rule::Always(all.is_usual(), all))
    }

    fn seen(&self) -> impl Iterator<Item = (f64, bool)> {
        self.gaps.iter().copied().zip(self.labels.iter().copied())
    }

    /// How often the page changed after a visit that had found none, and after one that had found a change.
    fn after(&self) -> [Frequency; 2] {
        [false, true].map(|changed| {
            let before =
                self.at.iter().map(|&look| self.page[look].changes.of(self.settings.target));
            Frequency::of(
                before.zip(self.seen()).filter(|(it, _)| *it == changed).map(|(_, it)| it),
            )
        })
    }

    fn own(&self) -> &Pupil {
        self.own.get_or_init(|| Pupil::new(features::own(self.settings, self.page, &self.at)))
    }

    fn others(&self) -> &[Pupil] {
        self.others.get_or_init(|| {
            // Nothing that is seen with the label or after it.
            let before = |&look: &usize| (look, self.page[look + 1].at.before());
            let at: Vec<(usize, Time)> = self.at.iter().map(before).collect();
            let shown = |expert: &Expert<'_>| {
                Pupil::new(features::expert(self.settings, self.page, &at, expert.looks))
            };
            self.experts.iter().map(shown).collect()
        })
    }

    fn single(&self) -> Option<(Voice, Platt)> {
        let machine = self.own().machine(&self.labels)?;
        let platt = self.calibrated(machine.held_out.iter().copied());
        Some((self.own().voice(machine), platt))
    }

    fn calibrated(&self, held_out: impl Iterator<Item = (usize, f64)>) -> Platt {
        let seen: Vec<(f64, f64, bool)> =
            held_out.map(|(row, decision)| (decision, self.gaps[row], self.labels[row])).collect();
        Platt::fit(&seen)
    }

    /// The page's own border votes with this weight, where it votes at all.
    fn multiple(&self, self_weight: Option<f64>) -> Option<Rule> {
        let (single, alone) = self.single()?;
        let mut votes = vec![(0.0, 0.0); self.labels.len()];
        let mut count = |machine: &Machine, weight: f64| {
            for &(row, decision) in &machine.held_out {
                votes[row].0 += weight * sign(decision > 0.0);
                votes[row].1 += weight;
            }
        };
        if let (Some(weight), Some(machine)) = (self_weight, self.own().machine(&self.labels)) {
            count(machine, usable(weight));
        }
        let mut voices = vec![];
        for (pupil, expert) in self.others().iter().zip(self.experts) {
            let machine = pupil.machine(&self.labels);
            if let Some(machine) = machine {
                count(machine, usable(expert.weight));
            }
            voices.push(machine.map(|machine| pupil.voice(machine)));
        }
        let votes = votes.into_iter().enumerate().filter(|(_, (_, weight))| *weight > 0.0);
        let together = self.calibrated(votes.map(|(row, (vote, weight))| (row, vote / weight)));
        let self_weight = self_weight.map(usable);
        Some(Rule::Multiple { single, alone, self_weight, voices, together })
    }

    fn union(&self) -> Option<&Union> {
        let made = self.union.get_or_init(|| {
            let mut products = self.own().products.clone();
            for pupil in self.others() {
                products.add(&pupil.products);
            }
            let rows: Vec<usize> = (0..self.labels.len()).collect();
            let machine = learn(&products, &self.labels, &rows)?;
            let squares = rows.iter().map(|&row| products.row(row)[row]).collect();
            Some(Union { squares, kernel: cubic(&products), machine })
        });
        made.as_ref()
    }

    /// One border of the features of all, or several that vote. Chances of votes are fitted to those of
    /// ensembles learned from the other parts of the window, at the cost found best for the union.
    fn joint(&self, method: Method) -> Option<Rule> {
        let union = self.union()?;
        let (labels, cost, settings) = (&self.labels, union.machine.cost, self.settings);
        let last = self.page.last().map_or(0, |look| look.at.millis() as u64);
        // Draws differ from day to day, and between the whole window (0) and the parts of it.
        let learn = |part: u64, kernel: &Kernel, labels: &[bool]| match method {
            Method::Bagging => {
                let stream = last.wrapping_add(part);
                bag(kernel, labels, cost, settings.models, settings.seed, stream)
            }
            _ => boost(kernel, labels, cost, settings.models),
        };
        let (voters, platt): (Voters, Platt) = if method == Method::Union {
            let platt = self.calibrated(union.machine.held_out.iter().copied());
            (vec![(1.0, union.machine.svm.clone())], platt)
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

/// Where a row stands among sorted ones.
fn rank(rows: &[usize], row: usize) -> usize {
    rows.partition_point(|&other| other < row)
}

/// A weight that can be added up: what is negative or no number weighs nothing.
pub(super) fn usable(weight: f64) -> f64 {
    if weight.is_finite() { weight.max(0.0) } else { 0.0 }
}
