//! The parameters of policies that cluster pages by their features.
use instruments::features::MOST_KEYWORDS;

use super::{FeatureSettings, Group};
use crate::{Kind, Parameter, Parameters};

/// The names of the groups, in the order of columns.
const GROUPS: &[&str] = &[
    "content-words",
    "content",
    "url-words",
    "url",
    "linkage",
    "dynamic-content",
    "dynamic-linkage",
    "change-frequency",
    "ranking",
];

/// The selected groups of features.
pub(crate) const fn features(default: &'static str) -> Parameter {
    Parameter {
        name: "features",
        meaning: "the groups of features that pages are clustered by",
        default,
        kind: Kind::Words(GROUPS),
    }
}

/// The number of word dimensions.
pub(crate) const DIMENSIONS: Parameter = Parameter {
    name: "dimensions",
    meaning: "dimensions of content words and of address words each",
    default: "10",
    kind: Kind::Whole(1, 100),
};

/// The top-level domains that have a column.
pub(crate) const DOMAINS: Parameter = Parameter {
    name: "domains",
    meaning: "the top-level domains that are distinguished",
    default: "com+edu+gov+mil+net+org",
    kind: Kind::FreeWords,
};

/// The number of the most frequent query words.
pub(crate) const KEYWORDS: Parameter = Parameter {
    name: "keywords",
    meaning: "number of most frequent query words, for the ranking features",
    default: "20",
    kind: Kind::Whole(1, MOST_KEYWORDS as i64),
};

/// The number of clusters.
pub(crate) const CLUSTERS: Parameter = Parameter {
    name: "clusters",
    meaning: "largest number of clusters of pages",
    default: "100",
    kind: Kind::Whole(1, 10_000),
};

/// The restarts of each bisection.
pub(crate) const RESTARTS: Parameter = Parameter {
    name: "restarts",
    meaning: "restarts per bisection of a cluster",
    default: "10",
    kind: Kind::Whole(1, 100),
};

impl FeatureSettings {
    /// As the parameters say.
    pub(crate) fn from_parameters(parameters: &Parameters) -> Self {
        let groups = parameters.words("features").iter();
        Self {
            groups: groups.filter_map(|name| Group::by_name(name)).collect(),
            dimensions: parameters.whole("dimensions") as usize,
            domains: parameters.words("domains").to_vec(),
            keywords: parameters.whole("keywords") as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_named_as_they_are() {
        assert_eq!(GROUPS, Group::ALL.map(Group::name));
    }

    #[test]
    fn the_defaults_are_the_papers() {
        static TABLE: &[Parameter] = &[
            features(
                "content-words+content+url-words+url+linkage+dynamic-content+dynamic-linkage\
                 +change-frequency+ranking",
            ),
            DIMENSIONS,
            DOMAINS,
            KEYWORDS,
        ];
        let FeatureSettings { groups, dimensions, domains, keywords } =
            FeatureSettings::from_parameters(&Parameters::defaults(TABLE));
        let mut papers = FeatureSettings::default();
        papers.domains.sort_unstable();
        assert_eq!((groups, dimensions, keywords), (papers.groups, 10, 20));
        assert_eq!(domains, papers.domains);
    }
}
