//! What people ask for, and how often.

/// Queries and how often each is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// The queries, the most frequent first.
    pub queries: Vec<Query>,
    /// Where they come from.
    pub source: Source,
}

/// A query and how often it is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// What is asked.
    pub text: String,
    /// How often, in any unit: only ratios count.
    pub frequency: f64,
}

/// Where a workload comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A file of queries and counts; its name.
    File(String),
    /// What was asked on the search page.
    Log,
    /// Made up from the titles, headings and links of the pages themselves.
    #[default]
    Pseudo,
}
