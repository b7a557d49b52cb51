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

use rayon::prelude::*;

use self::site::{Site, hosts};
use crate::{
    analysis::{Analysis, ByWeb, Context, Memo, WebFilter},
    by_seed,
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
        let sites = sites(context, memo)?;
        let sites: Vec<&Site> = sites.iter().flat_map(|sites| sites.iter()).collect();
        Ok(Measured::Analysis(figures::sites::figure(&sites)))
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

/// The sites of each web, in weekly cycles: a recorded one is a site, a made-up one has a site on every
/// host.
fn sites(context: &Context<'_>, memo: &mut Memo) -> Result<Vec<Arc<Vec<Site>>>, TournamentError> {
    memo.get::<ByWeb<Vec<Site>>>().get(context.webs, |source| {
        let (name, web) = context.load(source, Span::from_days(7), context.detector)?;
        if !matches!(source, WebSource::Synthetic(_)) {
            return Ok(vec![Site::new(&web.truth)]);
        }
        let failed = |source| TournamentError::Texts { web: name.clone(), source };
        let hosts = hosts::by_host(&web.truth, web.texts.as_ref()).map_err(failed)?;
        Ok(hosts.par_iter().map(Site::new).collect())
    })
}

fn usable_webs(context: &Context<'_>, memo: &mut Memo) -> Result<Vec<WebSource>, TournamentError> {
    let sites = sites(context, memo)?;
    let is_usable = |sites: &[Site]| sites.iter().any(Site::is_usable);
    let usable = context.webs.iter().zip(sites).filter(|(_, sites)| is_usable(sites));
    Ok(usable.map(|(web, _)| web.clone()).collect())
}

/// A figure of the sites on which discovery by links can be studied.
fn on_usable(
    context: &Context<'_>,
    memo: &mut Memo,
    figure: fn(&[&Site]) -> Figure,
) -> Result<Measured, TournamentError> {
    let all = sites(context, memo)?;
    let mut webs: Vec<Vec<&Site>> = vec![];
    for sites in &all {
        webs.push(sites.iter().filter(|site| site.is_usable()).collect());
    }
    webs.retain(|sites| !sites.is_empty());
    if webs.is_empty() {
        return Ok(Measured::Nothing(NOTHING.to_owned()));
    }
    if all.iter().all(|sites| sites.len() == 1) {
        return Ok(Measured::Analysis(figure(&webs.concat())));
    }
    // A web of many sites, such as the world of the paper, is a seed.
    let figures: Vec<Figure> = webs.iter().map(|sites| figure(sites)).collect();
    Ok(Measured::Analysis(by_seed::together(&figures)))
}
