//! `sanderling demo`: everything at once, on a changing web that this program serves itself.
//!
//! The web is served over HTTP on loopback. The crawler is that of `crawl` and `refresh`, with its default
//! politeness. Only the clock is special: it runs fast, and between cycles it jumps to the next day. At the
//! end the lab replays the history of the web.
mod judge;
mod queries;
mod view;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use ::demo::{DemoServer, DemoWeb, Mime};
use clap::Args;
use crawl::{Budget, Form, Snapshot, Span, State, Time, World};
use extract::read;
use policy::FreshnessEstimate;
use web::{Clock, scope::ScopeKind};

use self::{
    judge::{LiveCrawl, Setting},
    view::Screen,
};
use crate::{
    failure::Failure,
    live::{
        query_source::{FOR_ALL_PAGES, FOR_SEARCHERS},
        session::{Session, Work},
        stop,
    },
    output,
    settings::{self, Settings, keys::Flags},
};

/// A Monday. The demo always starts on the same day, so that every run is the same.
const START: Time = Time::from_millis(1_767_571_200_000);
/// How much faster the clock runs than the machine's while pages are fetched: a second is twenty
/// minutes.
const SPEED: f64 = 1_200.0;
/// A file that marks a folder as that of an earlier demo, which may be overwritten.
const MARK: &str = "made-by-sanderling-demo";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Visits per cycle, which is a day [default: a tenth of the pages]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// The policy that chooses the visits; with parameters as NAME:KEY=VALUE:KEY=VALUE [default:
    /// unified; with queries, one that weighs pages by what their changes do to search results]
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// Crawl for searchers: with the queries of a file (TSV: query, count), or without one with queries made
    /// from the titles, headings and links of the web at its start
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "the flag, and its value")]
    queries: Option<Option<PathBuf>>,
    /// Number of cycles
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=300))]
    cycles: u32,
    /// Seed of the web and the policy
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The folder for all results; an earlier demo there is overwritten
    #[arg(long, value_name = "DIR", default_value = "sanderling-demo")]
    out: PathBuf,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn demo(arguments: &Arguments) -> Result<(), Failure> {
    let usual = if arguments.queries.is_some() { FOR_SEARCHERS } else { FOR_ALL_PAGES };
    let policy = settings::policy(arguments.policy.as_deref().unwrap_or(usual), &[])
        .map_err(|why| Failure::Input(format!("--policy: {why}")))?;
    make_folder(&arguments.out)?;
    let mut screen = Screen::new(arguments.quiet);
    let days = arguments.cycles + 1;
    let web = Arc::new(DemoWeb::new(arguments.seed, START, days));
    let clock = Clock::stepped(START, SPEED);
    let server_clock = clock.clone();
    let server = DemoServer::start(Arc::clone(&web), Arc::new(move || server_clock.now()))
        .map_err(|error| Failure::Internal(format!("cannot serve on loopback: {error}")))?;
    let queries = queries::file(arguments.queries.as_ref(), &web, &arguments.out)?;
    let mut settings = settings(arguments, policy.name(), &web, &server)?;
    settings.queries.clone_from(&queries);
    let alive = web.alive(START);
    let budget = arguments.budget.unwrap_or((alive as u32 / 10).max(1));
    screen.title(web.hosts().len(), alive, server.address())?;
    let mut session = Session::open(&settings, clock)?;
    session.set_own_time()?;
    if !arguments.quiet {
        session.on_lacks(|words| eprintln!("{words}"));
    }
    let stopper = session.crawl.world.stopper();
    stop::on_signal(move || stopper.stop())?;
    // What the crawler believes, from its log alone.
    let mut estimate = FreshnessEstimate::default();
    let crawled = session.work(Work::Follow(Budget::UNLIMITED), None, &mut |seen, tally| {
        estimate.learn(seen);
        screen.working(tally);
    })?;
    if crawled.interrupted {
        return Err(Failure::Interrupted("the demo ends here".to_owned()));
    }
    screen.crawled(&crawled, session.held(), budget, arguments.cycles, policy.name())?;
    let mut crawl = LiveCrawl::default();
    for cycle in 1..=arguments.cycles {
        session.crawl.world.wait_until(START + Span::from_days(i64::from(cycle)));
        let mut pages = vec![];
        let work = Work::Cycle(Budget(budget).into(), Some(Span::from_days(1)));
        let done = session.work(work, None, &mut |seen, tally| {
            pages.push(seen.page);
            estimate.learn(seen);
            screen.working(tally);
        })?;
        if done.interrupted {
            return Err(Failure::Interrupted("the demo ends here".to_owned()));
        }
        let url = |page| session.crawl.pages.address(page).to_owned();
        crawl.visited.push(pages.into_iter().map(url).collect());
        crawl.changes_caught += done.tally.changed + done.tally.gone;
        let fresh = freshness(&session, &web)?;
        crawl.fresh.push(fresh);
        let believed = estimate.freshness(&session.crawl.pages, session.now());
        crawl.believed.push(believed);
        screen.cycle(cycle, &done.tally, fresh, believed.as_ref())?;
    }
    let data = settings.data.clone();
    drop(session);
    screen.judging();
    let trace = arguments.out.join("history.parquet");
    let end = START + Span::from_days(i64::from(days));
    web.write_trace(&trace, (START, end))
        .map_err(|error| Failure::Internal(crate::failure::with_causes(&error)))?;
    let cache = arguments.out.join("readings");
    let beliefs = crawl.beliefs();
    let setting = Setting {
        cycles: arguments.cycles,
        budget,
        policy: &policy,
        seed: arguments.seed,
        queries: queries.as_deref(),
    };
    let judged = judge::judge(&trace, &cache, &setting, crawl)?;
    screen.verdict(&judged, budget, arguments.cycles)?;
    screen.beliefs(beliefs)?;
    if arguments.quiet {
        return Ok(());
    }
    let (data, trace, listen) = (data.display(), trace.display(), settings.serve.listen);
    // The program as it was called, so that the lines can be copied.
    let program = std::env::args().next().unwrap_or_else(|| "sanderling".to_owned());
    let host = web.hosts().first().map_or("index.example".to_owned(), String::clone);
    output::print(&format!(
        "\nLook around:\n  {program} serve --data {data}      # dashboard at http://{listen}/dashboard, search page \
         at http://{listen}/; Ctrl-C stops it\n  \
         {program} search tide tables --data {data}\n  {program} status --data {data}\n  {program} why http://{host}/ --data {data}\n  \
         {program} export changes --data {data} | head\n  {program} lab run --traces {trace} --interval 1d \
         --budgets {budget} --pages growing --out {}",
        arguments.out.join("lab").display()
    ))
}

/// Makes the folder. Overwrites an earlier demo, but nothing else.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    let path = folder.display();
    let fail = |what: &str| {
        let what = what.to_owned();
        move |error| Failure::Input(format!("{}: cannot be {what}: {error}", folder.display()))
    };
    if folder.join(MARK).exists() {
        fs::remove_dir_all(folder).map_err(fail("emptied"))?;
    } else if folder.exists() && fs::read_dir(folder).map_err(fail("read"))?.next().is_some() {
        return Err(Failure::Input(format!(
            "{path} holds other files; choose another folder with --out DIR"
        )));
    }
    fs::create_dir_all(folder).map_err(fail("made"))?;
    fs::write(folder.join(MARK), "Made by sanderling demo, which may overwrite this folder.\n")
        .map_err(fail("written"))
}

/// The default settings, except that all hosts are at the server.
fn settings(
    arguments: &Arguments,
    policy: &str,
    web: &DemoWeb,
    server: &DemoServer,
) -> Result<Settings, Failure> {
    let mut flags = Flags { config: None, ..Flags::default() };
    flags.given.insert("data", arguments.out.join("data").display().to_string());
    flags.given.insert("policy", policy.to_owned());
    flags.given.insert("seed", arguments.seed.to_string());
    // The server's response times are in our time: a hundred milliseconds are two minutes of the demo.
    flags.given.insert("response_multiple", "0".to_owned());
    let mut settings = Settings::from_flags(&flags)?;
    settings.scope = Some(ScopeKind::Host);
    settings.seeds = web.hosts().iter().map(|host| format!("http://{host}/")).collect();
    for host in web.hosts() {
        settings.web.resolve.insert(host, server.address());
    }
    Ok(settings)
}

/// The share of held pages that are as the web serves them now.
fn freshness(session: &Session, web: &DemoWeb) -> Result<f64, Failure> {
    let now = session.now();
    let (mut held, mut fresh) = (0_u32, 0_u32);
    for page in session.crawl.pages.numbers() {
        if session.crawl.pages.state(page) != State::Held {
            continue;
        }
        held += 1;
        let Some(snapshot) = session.snapshot(page)? else { continue };
        let live = live(web, session.crawl.pages.address(page), now);
        fresh += u32::from(
            live.is_some_and(|live| live.fingerprints.text == snapshot.fingerprints.text),
        );
    }
    Ok(f64::from(fresh) / f64::from(held.max(1)))
}

/// What the web serves at a URL, read as the crawler reads it.
fn live(web: &DemoWeb, address: &str, now: Time) -> Option<Snapshot> {
    let served = web.page(address, now);
    match (served.status, &served.location) {
        (200, _) => {
            let coding = if served.mime == Mime::Gzip { "gzip" } else { "" };
            let body = read::coding::decode(coding, &served.body, usize::MAX).ok()?;
            Some(read::read(address, served.mime.content_type(), &body))
        }
        (300..400, Some(location)) => read::moved(address, location),
        _ => None,
    }
    .filter(|snapshot| snapshot.form != Form::Other)
}
