//! The parameters of a predictor.
use crate::{Kind, Parameter, Parameters};

/// The parameters of the policy `predicted`; all but the first are about its predictor.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "by",
        meaning: "which pages it visits: the likeliest to have changed (chance), drawn with these \
                  probabilities (draw), or those where a visit keeps most fresh (worth)",
        default: "chance",
        kind: Kind::Word(&["chance", "draw", "worth"]),
    },
    Parameter {
        name: "predictor",
        meaning: "the predictor: frequency of changes (coin, majority), the last visit (last-label, \
                  flipped-label), the page's own past (single), or also that of others (the rest)",
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
        meaning: "the change to predict: a significant one of the words, any that the crawl's detector \
                  sees, or a new link",
        default: "any",
        kind: Kind::Word(&["significant", "any", "new-link"]),
    },
    Parameter {
        name: "relation",
        meaning: "what makes a page an expert for another: links, similar content, words that come and go \
                  together (correlation) or in the same shape (warping)",
        default: "correlation",
        kind: Kind::Word(&["links", "content", "correlation", "warping"]),
    },
    Parameter {
        name: "experts",
        meaning: "largest number of experts per page",
        default: "20",
        kind: Kind::Whole(0, 100),
    },
    Parameter {
        name: "window",
        meaning: "number of a page's last visits to learn from",
        default: "50",
        kind: Kind::Whole(10, 400),
    },
    Parameter {
        name: "back",
        meaning: "number of earlier visits that describe an example",
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

/// Whether predictions depend on the seed: bagging draws at random.
pub(crate) fn is_random(parameters: &Parameters) -> bool {
    parameters.word("predictor") == "bagging"
}
