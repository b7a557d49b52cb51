//! Dasgupta, Ghosh, Kumar, Olston, Pandey, Tomkins, "The discoverability of the Web", WWW 2007.
mod claims;
mod figures;
mod site;

use std::sync::Arc;

use crawl::Span;
use lab::{
    report::figure::Figure,
    tournament::{TournamentError, WebSource},
};

use self::site::Site;
use crate::{
    analysis::{Analysis, ByWeb, Context, Memo, WebFilter},
    evidence::Measured,
    paper::Paper,
};

pub(crate) static PAPER: Paper = Paper {
    id: "dasgupta-2007",
    title: "The discoverability of the Web",
    reference: "Dasgupta, Ghosh, Kumar, Olston, Pandey, Tomkins, WWW 2007",
    claims: claims::CLAIMS,
    analyses: ANALYSES,
    filters: &[DISCOVERABLE],
    experiment: include_str!("experiment.toml"),
};

const ANALYSES: &[Analysis] = &[
    // Section 3: which sites can be used.
    Analysis::new("sites", |context, memo| {
        Ok(Measured::Analysis(figures::sites::figure(&sites(context, memo)?)))
    }),
    // Figures 2 and 3.
    Analysis::new("covers", |context, memo| on_usable(context, memo, figures::covers::figure)),
    // Figure 4.
    Analysis::new("cover-sizes", |context, memo| on_usable(context, memo, figures::covers::sizes)),
    // Figure 5.
    Analysis::new("overlap", |context, memo| on_usable(context, memo, figures::overlap::figure)),
    // Figure 6.
    Analysis::new("overhead", |context, memo| on_usable(context, memo, figures::overhead::figure)),
    // In place of table 1 and figure 7.
    Analysis::new("folders", |context, memo| on_usable(context, memo, figures::folders::figure)),
    // Section 5.5.
    Analysis::new("history", |context, memo| on_usable(context, memo, figures::history::figure)),
    // Table 2.
    Analysis::new("algorithms", |context, memo| {
        on_usable(context, memo, figures::algorithms::figure)
    }),
    // Figures 8 and 9.
    Analysis::new("recrawls", |context, memo| {
        on_usable(context, memo, figures::algorithms::recrawls)
    }),
    // Section 5.6.
    Analysis::new("parameters", |context, memo| {
        on_usable(context, memo, figures::algorithms::parameters)
    }),
];

/// The webs on which discovery by links can be studied.
const DISCOVERABLE: WebFilter =
    WebFilter { name: "discoverable", nothing: NOTHING, select: usable_webs };

/// Why nothing was measured.
const NOTHING: &str = "on none of the sites do old pages lead to most new ones in their first week";

/// The sites, one for each web, in weekly cycles.
fn sites(context: &Context<'_>, memo: &mut Memo) -> Result<Vec<Arc<Site>>, TournamentError> {
    memo.get::<ByWeb<Site>>().get(context.webs, |source| {
        let (_, web) = context.load(source, Span::from_days(7), context.detector)?;
        Ok(Site::new(&web.truth))
    })
}

fn usable_webs(context: &Context<'_>, memo: &mut Memo) -> Result<Vec<WebSource>, TournamentError> {
    let sites = sites(context, memo)?;
    let usable = context.webs.iter().zip(sites).filter(|(_, site)| site.is_usable());
    Ok(usable.map(|(web, _)| web.clone()).collect())
}

/// A figure of the sites on which discovery by links can be studied.
fn on_usable(
    context: &Context<'_>,
    memo: &mut Memo,
    figure: fn(&[&Site]) -> Figure,
) -> Result<Measured, TournamentError> {
    let all = sites(context, memo)?;
    let usable: Vec<&Site> = all.iter().map(Arc::as_ref).filter(|site| site.is_usable()).collect();
    if usable.is_empty() {
        return Ok(Measured::Nothing(NOTHING.to_owned()));
    }
    Ok(Measured::Analysis(figure(&usable)))
}
