//! What every kind of synthetic web can tell about its pages.
use std::fmt;

use crawl::Time;

/// The content type of pages.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// The pages of a synthetic web, in the byte order of their addresses: when they change, and what
/// they show.
pub(super) trait Model: fmt::Debug + Send + Sync {
    /// The number of pages over the whole window.
    fn pages(&self) -> usize;

    /// The address of a page.
    fn address(&self, page: usize) -> &str;

    /// Its content type.
    fn content_type(&self, _page: usize) -> &'static str {
        HTML
    }

    /// The instants at which its body changes, in order, with birth and death.
    fn change_times(&self, page: usize) -> Vec<Time>;

    /// Its body at an instant; `None` if it does not exist then.
    fn render(&self, page: usize, at: Time) -> Option<String>;

    /// Its changes per day, if that is constant and may be told to policies.
    fn rate(&self, _page: usize) -> Option<f64> {
        None
    }

    /// The queries that are asked, with frequencies; `None` where the web has none of its own.
    fn queries(&self) -> Option<Vec<(String, f64)>> {
        None
    }
}
