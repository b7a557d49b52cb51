//! Radinsky, Bennett, "Predicting content change on the web", WSDM 2013.
mod claims;
mod figures;
mod forecast;

use std::sync::Arc;

use crawl::Span;
use lab::{report::figure::Figure, tournament::TournamentError};

use self::{
    figures::{Forecasts, accuracy, crawls, experts, labels, scores, sizes},
    forecast::Web,
};
use crate::{
    analysis::{Analysis, ByWeb, Context, Memo},
    evidence::Measured,
    paper::Paper,
};

pub(crate) static PAPER: Paper = Paper {
    id: "radinsky-2013",
    title: "Predicting content change on the web",
    reference: "Radinsky, Bennett, WSDM 2013",
    claims: claims::CLAIMS,
    analyses: ANALYSES,
    filters: &[],
    experiment: include_str!("experiment.toml"),
};

const ANALYSES: &[Analysis] = &[
    // Section 7.1: which pages can be forecast.
    Analysis {
        skips_webs: true,
        ..Analysis::new("labels", |context, memo| {
            Ok(Measured::Analysis(labels::figure(&webs(context, memo)?)))
        })
    },
    // Table 1.
    Analysis::new("forecasts", |context, memo| measured(context, memo, accuracy::forecasts)),
    // Table 2.
    Analysis::new("combinations", |context, memo| measured(context, memo, accuracy::combinations)),
    // Table 3.
    Analysis::new("relations", |context, memo| measured(context, memo, accuracy::relations)),
    // Figure 6.
    Analysis::new("window-sizes", |context, memo| measured(context, memo, sizes::windows)),
    // Figure 7.
    Analysis::new("expert-counts", |context, memo| measured(context, memo, sizes::experts)),
    // Not in the paper: proper scores, calibration and bounds in hindsight.
    Analysis::new("scores", |context, memo| measured(context, memo, scores::figure)),
    // Section 9.1.
    Analysis::new("experts", |context, memo| measured(context, memo, experts::figure)),
    // Not in the paper: what is lost where not all pages are tried as experts.
    Analysis::new("pruning", |context, memo| {
        measured(context, memo, |forecasts, webs| experts::pruning(forecasts, webs))
    }),
    // Figure 8.
    Analysis::new("crawls", |context, memo| measured(context, memo, crawls::figure)),
];

/// Any difference of texts is a change.
const DETECTOR: &str = "digest";

/// Why nothing was measured.
const NOTHING: &str = "no page of these webs turns often enough";

/// The webs, day by day.
fn webs(context: &Context<'_>, memo: &mut Memo) -> Result<Vec<Arc<Web>>, TournamentError> {
    memo.get::<ByWeb<Web>>().get(context.webs, |source| {
        let (name, loaded) = context.load(source, Span::from_days(1), DETECTOR)?;
        let extent = figures::extent(context.is_quick);
        Web::new(&loaded.truth, loaded.texts.as_ref(), extent)
            .map_err(|source| TournamentError::Texts { web: name, source })
    })
}

/// A figure of the webs, where any of their pages can be forecast.
fn measured(
    context: &Context<'_>,
    memo: &mut Memo,
    figure: fn(&mut Forecasts, &[Arc<Web>]) -> Figure,
) -> Result<Measured, TournamentError> {
    let webs = webs(context, memo)?;
    let primary = figures::primary(context.webs);
    if webs.iter().all(|web| web.forecast(primary).is_none()) {
        return Ok(Measured::Nothing(NOTHING.to_owned()));
    }
    let forecasts = memo.get::<Forecasts>();
    (forecasts.is_quick, forecasts.primary) = (context.is_quick, primary);
    Ok(Measured::Analysis(figure(forecasts, &webs)))
}
