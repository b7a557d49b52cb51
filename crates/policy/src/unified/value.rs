//! What the freshness of a page is worth, compared with that of other pages.
use crawl::{Known, Needs, Observation, PageNo, PageRank, State};
use instruments::{
    impact::Measure,
    weights::{WeightNeeds, Weights},
};

use crate::{
    Kind, Parameter, Parameters,
    user::{
        self,
        change_cost::{ChangeCosts, Per},
    },
};

pub(super) const PARAMETER: Parameter = Parameter {
    name: "value",
    meaning: "what a fresh page is worth: its effect on search results, the weight that you set, its \
              PageRank, or all alike",
    default: "alike",
    kind: Kind::Word(&["alike", "searchers", "weights", "importance"]),
};

/// PageRank is far more unequal than what people read, so its square root counts.
const POWER: f64 = 0.5;

/// The value of pages.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Alike,
    /// The measured cost of a change to searchers, as in `user-centric-index`.
    Searchers(ChangeCosts, Measure),
    /// What the user says ([`Weights`]).
    Weights,
    /// A power of PageRank.
    Importance(PageRank),
}

impl Value {
    pub(super) fn new(parameters: &Parameters) -> Self {
        match parameters.word(PARAMETER.name) {
            "searchers" => {
                Self::Searchers(ChangeCosts::new(Per::Change), user::measure(parameters))
            }
            "weights" => Self::Weights,
            "importance" => Self::Importance(PageRank::default()),
            _ => Self::Alike,
        }
    }

    pub(super) fn needs(&self) -> Needs {
        match self {
            Self::Searchers(_, measure) => Needs::none().with(*measure),
            Self::Weights => Needs::none().with(WeightNeeds),
            Self::Alike | Self::Importance(_) => Needs::none(),
        }
    }

    pub(super) fn learn(&mut self, seen: &Observation) {
        if let Self::Searchers(costs, _) = self {
            costs.learn(seen);
        }
    }

    /// Call it before each plan.
    pub(super) fn prepare(&mut self, known: &Known<'_>) {
        if let Self::Importance(rank) = self {
            rank.update_warm(known.pages, known.links);
        }
    }

    /// The value of every page; `None` where all are alike. A page that is not held is an average one, unless
    /// the user says what it is worth.
    pub(super) fn of_pages(&self, known: &Known<'_>) -> Option<Vec<f32>> {
        let is_held = |page| known.pages.state(page) != State::Linked;
        match self {
            Self::Alike => None,
            Self::Searchers(costs, _) => {
                let costs = costs.at(known);
                let average = costs.average().max(f64::MIN_POSITIVE);
                let value = |page: PageNo| (costs.of(page) / average) as f32;
                let value = |page| if is_held(page) { value(page) } else { 1.0 };
                Some(known.pages.numbers().map(value).collect())
            }
            Self::Weights => {
                let weights = known.instruments.find::<Weights>()?;
                let weight = |page| weights.weight(page, known.pages);
                Some(known.pages.numbers().map(weight).collect())
            }
            Self::Importance(rank) => {
                let ranks = rank.ranks();
                let count = ranks.len() as f64;
                let value = |page: PageNo| {
                    let rank = ranks.get(page.index()).copied().unwrap_or(0.0);
                    (rank * count).powf(POWER) as f32
                };
                let value = |page| if is_held(page) { value(page) } else { 1.0 };
                Some(known.pages.numbers().map(value).collect())
            }
        }
    }

    /// What it says about a page, in a sentence; `None` where all are alike.
    pub(super) fn reason(&self, known: &Known<'_>, page: PageNo) -> Option<String> {
        let value = self.of_pages(known).map(|values| f64::from(values[page.index()]))?;
        Some(match self {
            Self::Alike => return None,
            Self::Searchers(..) => {
                format!("a change costs searchers {value:.1} times what it costs on a typical page")
            }
            Self::Weights => match known.instruments.find::<Weights>()?.rule(page, known.pages) {
                Some(rule) => format!("its weight is {value}, by the rule {}", rule.pattern),
                None => format!("its weight is {value}: no rule of the settings matches it"),
            },
            Self::Importance(_) => {
                format!("by its links it counts {value:.1} times a typical page")
            }
        })
    }
}
