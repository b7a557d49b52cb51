//! Every number of the forecasts' setting that is ours or the paper's, with its reason.
use super::label::Label;

/// How much is forecast and tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Pages that are forecast, of each site at most. Their accuracies are means over many days, and
    /// intervals are by site: more pages of one site say little more.
    pub(crate) pages: usize,
    /// Days from one test to the next. The paper tests every day, and its windows overlap almost wholly.
    /// No multiple of seven, or all tests would be on one day of the week.
    pub(crate) step: usize,
    /// The same two for figures 6 and 7, whose every point costs as much as all of table 1; in table 1 so many
    /// pages are forecast by labels and filters that no verdict rests on.
    pub(crate) figure_pages: usize,
    /// See above.
    pub(crate) figure_step: usize,
}

/// Of a whole reproduction.
pub(crate) const WHOLE: Extent = Extent { pages: 25, step: 13, figure_pages: 10, figure_step: 26 };
/// Of a quick one.
pub(crate) const QUICK: Extent = Extent { pages: 4, step: 40, figure_pages: 2, figure_step: 80 };

/// Days from one choice of experts to the next: a choice costs more than all that is learned of it.
pub(crate) const CHOICE_STEP: usize = 28;

/// Examples to learn from (section 8.1).
pub(crate) const WINDOW: usize = 50;
/// Looks that an example's features look back on, beyond the present one (section 7.2).
pub(crate) const BACK: usize = 1;
/// Experts of a page (section 8.1).
pub(crate) const EXPERTS: usize = 20;
/// Examples to learn from that are tried (figure 6 begins with 30; below, the paper says, all do poorly).
pub(crate) const WINDOWS: [usize; 5] = [10, 20, 30, 50, 80];
/// Numbers of experts that are tried (figure 7).
pub(crate) const COUNTS: [usize; 6] = [1, 2, 5, 10, 20, 40];

/// The share of steps at which the label of a page turns, at least (section 7.1).
pub(crate) const ALPHA: f64 = 0.3;
/// The same, ours: few pages of our sites pass the paper's.
pub(crate) const LOW_ALPHA: f64 = 0.1;
/// Days on which a page is alive before and among its tests, at least: half a year, as in the paper. A mean
/// over fewer tests says little of a page.
pub(crate) const FEWEST_DAYS: usize = 180;

/// What is asked, and of which pages: those whose labels turn on at least this share of their steps.
pub(crate) type Filter = (Label, f64);

/// What is asked of which pages. Verdicts rest on the first: by the paper's own label and filter hardly any
/// page of our sites could be forecast.
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

/// Where the history of a site is coalesced to several days, what happens tomorrow is an artefact: sites on
/// which so many days or more have any change, never two in a row, are not forecast.
pub(crate) const FEWEST_EVENTFUL: usize = 20;
