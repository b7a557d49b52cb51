//! What can be set about a predictor.
use crate::{Kind, Parameter, Parameters};

/// Those of the policy `predicted`, of which only the first is not about its predictor.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "by",
        meaning: "whom it visits: the likeliest to have changed (chance), pages drawn by their chances \
                  (draw), or those where a visit keeps most fresh (worth)",
        default: "chance",
        kind: Kind::Word(&["chance", "draw", "worth"]),
    },
    Parameter {
        name: "predictor",
        meaning: "what predicts: the frequency of changes (coin, majority), the last visits (last-label, \
                  flipped-label), the page's own past (single), or that of others too (the rest)",
        default: "multiple",
        kind: Kind::Word(&[
            "coin",
            "majority",
            "last-label",
            "flipped-label",
            "single",
            "multiple",
            "multiple-others",
            "union",
            "bagging",
            "boosting",
        ]),
    },
    Parameter {
        name: "target",
        meaning: "which change is predicted: a significant one of the words, any that the crawl's detector \
                  sees, or a new link",
        default: "any",
        kind: Kind::Word(&["significant", "any", "new-link"]),
    },
    Parameter {
        name: "relation",
        meaning: "what makes a page an expert for another: links, alike content, words that come and go \
                  together (correlation) or in the same shape (warping)",
        default: "correlation",
        kind: Kind::Word(&["links", "content", "correlation", "warping"]),
    },
    Parameter {
        name: "experts",
        meaning: "how many other pages speak for each page at most",
        default: "20",
        kind: Kind::Whole(0, 100),
    },
    Parameter {
        name: "window",
        meaning: "how many of a page's last visits it learns from",
        default: "50",
        kind: Kind::Whole(10, 400),
    },
    Parameter {
        name: "back",
        meaning: "how many visits back an example describes",
        default: "1",
        kind: Kind::Whole(1, 10),
    },
    Parameter {
        name: "retrain",
        meaning: "days from one training to the next; 0 trains once, after as many days as the window has \
                  visits",
        default: "7",
        kind: Kind::Whole(0, 366),
    },
];

/// Whether what is predicted depends on the seed: bags are drawn by lot.
pub(crate) fn uses_chance(parameters: &Parameters) -> bool {
    parameters.word("predictor") == "bagging"
}
