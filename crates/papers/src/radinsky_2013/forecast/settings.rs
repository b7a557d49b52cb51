//! The settings of forecasts, of the paper and ours, with reasons.
use crate::radinsky_2013::forecast::label::Label;

/// How much is forecast and tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The most pages of each site that are forecast. Accuracies are means over many days and
    /// intervals are by site, so more pages of a site add little.
    pub(crate) pages: usize,
    /// Days from one test to the next. The paper tests every day, with windows that overlap almost
    /// entirely. Not a multiple of seven, so that tests are not all on one day of the week.
    pub(crate) step: usize,
    /// The same for figures 6 and 7, where each point costs as much as table 1, and for labels and
    /// filters of table 1 that no verdict rests on.
    pub(crate) figure_pages: usize,
    /// See above.
    pub(crate) figure_step: usize,
    /// The most pages of a web that are crawled in figure 8.
    pub(crate) crawled: usize,
}

/// The extent of a full reproduction.
pub(crate) const WHOLE: Extent =
    Extent { pages: 10, step: 13, figure_pages: 5, figure_step: 26, crawled: 60 };
/// The extent of a quick reproduction.
pub(crate) const QUICK: Extent =
    Extent { pages: 4, step: 40, figure_pages: 2, figure_step: 80, crawled: 12 };

/// Days from one choice of experts to the next: a choice costs more than all training with it.
pub(crate) const CHOICE_STEP: usize = 28;

/// Examples to learn from (section 8.1).
pub(crate) const WINDOW: usize = 50;
/// Earlier visits that the features of an example include (section 7.2).
pub(crate) const BACK: usize = 1;
/// Experts of a page (section 8.1).
pub(crate) const EXPERTS: usize = 20;
/// Window sizes of figure 6, which starts at 30 in the paper: below, all methods do poorly.
pub(crate) const WINDOWS: [usize; 5] = [10, 20, 30, 50, 80];
/// Numbers of experts of figure 7.
pub(crate) const COUNTS: [usize; 6] = [1, 2, 5, 10, 20, 40];

/// The least share of steps at which the label of a page changes (section 7.1).
pub(crate) const ALPHA: f64 = 0.3;
/// Ours: few pages of our sites pass the filter of the paper.
pub(crate) const LOW_ALPHA: f64 = 0.1;
/// The fewest days on which a page must be alive: half a year, as in the paper. A mean over fewer
/// tests says little about a page.
pub(crate) const FEWEST_DAYS: usize = 180;

/// Fully seen days before the crawls of figure 8: what the paper names, and the fewest of figure 6.
pub(crate) const TRAINED: [usize; 4] = [30, 50, 80, 100];
/// The most days of a crawl. The paper does not say how long its crawls are.
pub(crate) const CRAWL_DAYS: usize = 60;
/// The share of the pages that is visited a day (section 8.3).
pub(crate) const SHARE_A_DAY: f64 = 0.1;

/// A label, and the least share of steps at which it changes on a page that is forecast.
pub(crate) type Filter = (Label, f64);

/// All filters. On recorded sites verdicts rest on the first: hardly any page of these passes the filter of
/// the paper with its label. In the paper's world they rest on the paper's own.
pub(crate) const FILTERS: [Filter; 8] = [
    (Label::Any, LOW_ALPHA),
    (Label::Any, ALPHA),
    (Label::Significant, LOW_ALPHA),
    (Label::Significant, ALPHA),
    (Label::Far, LOW_ALPHA),
    (Label::Far, ALPHA),
    (Label::NewLink, LOW_ALPHA),
    (Label::NewLink, ALPHA),
];

/// Sites with at least so many days of changes, but never two in a row, are not forecast: their
/// history is coalesced, so the next day is an artefact.
pub(crate) const FEWEST_EVENTFUL: usize = 20;
