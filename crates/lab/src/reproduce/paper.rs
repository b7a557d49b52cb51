//! The papers that can be reproduced, and what they claim.
use super::{
    claims::{dasgupta_2007, pandey_2005, radinsky_2013, tan_2007, tan_2010},
    evidence::Evidence,
    verdict::Piece,
};

/// A paper.
#[derive(Debug)]
pub struct Paper {
    /// What it is called by on the command line.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Authors, place and year.
    pub reference: &'static str,
    /// What it claims.
    pub claims: &'static [Claim],
    /// Its experiments, as a file that can be copied and changed.
    pub experiment: &'static str,
}

/// One thing that a paper claims.
#[derive(Debug)]
pub struct Claim {
    /// Its name, as in `docs/papers.md`.
    pub id: &'static str,
    /// The claim in a sentence.
    pub text: &'static str,
    /// The parts of the experiment that it looks at.
    pub parts: &'static [&'static str],
    /// The paper's numbers, or that it has only a figure.
    pub paper: &'static str,
    /// Judges its parts on one kind of web: always as many, in the same order.
    pub judge: fn(&Evidence<'_>) -> Vec<Piece>,
}

/// Every paper.
pub static PAPERS: &[Paper] = &[
    Paper {
        id: "dasgupta-2007",
        title: "The discoverability of the Web",
        reference: "Dasgupta, Ghosh, Kumar, Olston, Pandey, Tomkins, WWW 2007",
        claims: dasgupta_2007::CLAIMS,
        experiment: include_str!("../../../../lab/experiments/dasgupta-2007.toml"),
    },
    Paper {
        id: "pandey-2005",
        title: "User-centric web crawling",
        reference: "Pandey, Olston, WWW 2005",
        claims: pandey_2005::CLAIMS,
        experiment: include_str!("../../../../lab/experiments/pandey-2005.toml"),
    },
    Paper {
        id: "radinsky-2013",
        title: "Predicting content change on the web",
        reference: "Radinsky, Bennett, WSDM 2013",
        claims: radinsky_2013::CLAIMS,
        experiment: include_str!("../../../../lab/experiments/radinsky-2013.toml"),
    },
    Paper {
        id: "tan-2007",
        title: "Efficiently detecting webpage updates using samples",
        reference: "Tan, Zhuang, Mitra, Giles, ICWE 2007",
        claims: tan_2007::CLAIMS,
        experiment: include_str!("../../../../lab/experiments/tan-2007.toml"),
    },
    Paper {
        id: "tan-2010",
        title: "Clustering-based incremental web crawling",
        reference: "Tan, Mitra, ACM Transactions on Information Systems 28(4), 2010",
        claims: tan_2010::CLAIMS,
        experiment: include_str!("../../../../lab/experiments/tan-2010.toml"),
    },
];

/// The paper that is called so.
pub fn by_id(id: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|paper| paper.id == id)
}
