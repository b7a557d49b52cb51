//! What was written, made into the settings of a crawl: checked, with every default filled in.
pub(crate) mod keys;
pub(crate) mod values;

use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use flow::{Span, detect};
use policy::{Choice, ChoiceError};
use web::{scope::ScopeKind, traps::TrapLimits};

use self::keys::{Flags, Key};
use crate::{
    failure::Failure,
    written::{Words, Written, nearest, one, wrong},
};

/// Where settings are looked for when no file is named.
pub(crate) const FILE: &str = "sanderling.toml";

/// The settings of a crawl.
pub(crate) struct Settings {
    pub(crate) data: PathBuf,
    /// Addresses to begin with, canonical; empty where only the data folder knows them.
    pub(crate) seeds: Vec<String>,
    /// `None` where nothing was written: then the data folder's own holds.
    pub(crate) scope: Option<ScopeKind>,
    pub(crate) budget: Option<u32>,
    pub(crate) every: Option<Span>,
    /// `None` where nothing was written: then it depends on whether anybody asks anything.
    pub(crate) policy: Option<Choice>,
    /// A detector's name.
    pub(crate) detector: &'static str,
    pub(crate) seed: u64,
    /// `None` where nothing was written.
    pub(crate) cycle_limit: Option<Span>,
    /// Whether the search index is kept in step.
    pub(crate) index: bool,
    /// The longest time until what was fetched can be found.
    pub(crate) index_wait: Duration,
    /// A file of queries and how often each is asked.
    pub(crate) queries: Option<PathBuf>,
    pub(crate) web: web::Settings,
    pub(crate) traps: TrapLimits,
    pub(crate) serve: ServeSettings,
}

/// How the search page is served.
#[derive(Clone, Debug)]
pub(crate) struct ServeSettings {
    pub(crate) listen: SocketAddr,
    /// Names it answers to beside those of this machine, in lower case.
    pub(crate) names: Vec<String>,
    pub(crate) query_log: bool,
}

/// The longest a cycle may take where nothing is written.
pub(crate) fn usual_cycle_limit() -> Span {
    let words = default_words(keys::by_name("cycle_limit"));
    values::some_time(&words[0]).expect("the table's defaults are right")
}

impl Settings {
    /// The settings that flags, environment and file give together.
    pub(crate) fn of(flags: &Flags) -> Result<Self, Failure> {
        Self::meant(&written(flags)?)
    }

    /// The same, with seeds that were named beside the flags.
    pub(crate) fn beginning_with(flags: &Flags, seeds: &[String]) -> Result<Self, Failure> {
        let mut settings = Self::of(flags)?;
        for seed in seeds {
            let seed = values::seed(seed).map_err(|why| Failure::Input(format!("SEEDS: {why}")))?;
            settings.seeds.push(seed);
        }
        Ok(settings)
    }

    /// The settings that flags alone give: for a demonstration, which is the same everywhere.
    pub(crate) fn of_flags(flags: &Flags) -> Result<Self, Failure> {
        let mut written = Written::default();
        for key in keys::all() {
            written.flag(key.name, flags.given.get(key.name).map(String::as_str));
        }
        Self::meant(&written)
    }

    fn meant(written: &Written) -> Result<Self, Failure> {
        let get = |name: &'static str| -> Words {
            written.get(name).cloned().unwrap_or_else(|| {
                let words = default_words(keys::by_name(name));
                Words { place: name.to_owned(), words }
            })
        };
        let given = |name: &'static str| written.get(name).cloned();
        let contact = given("contact").map(|words| one(&words, values::contact)).transpose()?;
        let seeds = each(&get("seeds"), values::seed)?;
        let scope = given("scope").map(|words| one(&words, scope)).transpose()?;
        let budget = given("budget").map(|words| one(&words, values::count)).transpose()?;
        let every = given("every").map(|words| one(&words, values::some_time)).transpose()?;
        let limit = given("cycle_limit").map(|words| one(&words, values::some_time)).transpose()?;
        let number = |name| one(&get(name), values::count::<u32>);
        let traps = TrapLimits {
            path_depth: number("path_depth")? as usize,
            repeated_segments: number("repeated_segments")? as usize,
            query_parameters: number("query_parameters")? as usize,
            queries_per_path: number("queries_per_path")?,
            dated_pages: number("dated_pages")?,
            pages_per_host: number("pages_per_host")?,
        };
        let seed = one(&get("seed"), |word| {
            word.parse().map_err(|_| format!("{word:?} is not a whole number of 0 or more"))
        })?;
        let resolve: BTreeMap<String, SocketAddr> =
            each(&get("resolve"), values::resolve)?.into_iter().collect();
        let time = |name| one(&get(name), values::some_time).map(real);
        let size = |name| one(&get(name), values::size);
        let web = web::Settings {
            contact,
            delay: one(&get("delay"), values::time)?,
            response_multiple: one(&get("response_multiple"), values::multiple)?,
            hosts_at_once: number("hosts_at_once")? as usize,
            limits: web::Limits {
                body: size("max_body")?,
                decompressed: size("max_decompressed")?,
                headers: size("max_header")?,
                connect: time("connect_time")?,
                first_byte: time("first_byte_time")?,
                total: time("total_time")?,
            },
            allowed: get("allow").words.iter().map(|name| name.to_ascii_lowercase()).collect(),
            resolve,
            extra_roots: given("roots").map_or(Ok(vec![]), |words| roots(&words))?,
            seed,
            ..web::Settings::default()
        };
        Ok(Self {
            data: one(&get("data"), |word| Ok(PathBuf::from(word)))?,
            seeds,
            scope,
            budget,
            every,
            policy: given("policy")
                .map(|words| one(&words, |word| policy(word, &[])))
                .transpose()?,
            detector: one(&get("detector"), detector)?,
            seed,
            cycle_limit: limit,
            index: one(&get("index"), values::yes_or_no)?,
            index_wait: time("index_wait")?,
            queries: given("queries")
                .map(|words| one(&words, |word| Ok(PathBuf::from(word))))
                .transpose()?,
            web,
            traps,
            serve: ServeSettings {
                listen: one(&get("listen"), values::listen)?,
                names: get("listen_names").words.iter().map(|n| n.to_ascii_lowercase()).collect(),
                query_log: one(&get("query_log"), values::yes_or_no)?,
            },
        })
    }
}

fn written(flags: &Flags) -> Result<Written, Failure> {
    let names: Vec<&'static str> = keys::all().map(|key| key.name).collect();
    let mut written = match &flags.config {
        Some(path) => Written::in_file(path, &names)?,
        None if Path::new(FILE).exists() => Written::in_file(Path::new(FILE), &names)?,
        None => Written::default(),
    };
    for key in keys::all() {
        let variable = keys::variable(key);
        if let Some(value) = std::env::var_os(&variable).filter(|value| !value.is_empty()) {
            let place = variable.to_string_lossy().into_owned();
            let Some(value) = value.to_str() else {
                return Err(Failure::Input(format!("{place}: is not UTF-8")));
            };
            written.overrule(key.name, place, value);
        }
        written.flag(key.name, flags.given.get(key.name).map(String::as_str));
    }
    Ok(written)
}

/// What a key means where nothing is written for it.
fn default_words(key: &Key) -> Vec<String> {
    key.default.map(|default| default.trim_matches('"').to_owned()).into_iter().collect()
}

fn each<T>(words: &Words, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, Failure> {
    words.words.iter().map(|word| parse(word).map_err(|why| wrong(words, why))).collect()
}

fn scope(word: &str) -> Result<ScopeKind, String> {
    word.parse().map_err(|_| {
        format!(
            "unknown scope {word:?}{}",
            nearest(word, ["host", "domain", "prefix", "any"].into_iter())
        )
    })
}

/// The policy that a word chooses, or what was perhaps meant; `others` are names that would do as
/// well.
pub(crate) fn policy(word: &str, others: &[&str]) -> Result<Choice, String> {
    Choice::parse(word).map_err(|error| match error {
        ChoiceError::UnknownPolicy(name) if others.contains(&name.as_str()) => {
            format!("{name} has no parameters")
        }
        ChoiceError::UnknownPolicy(name) => {
            let names = policy::ALL.iter().map(|entry| entry.name).chain(others.iter().copied());
            format!("unknown policy {name:?}{}", nearest(&name, names))
        }
        other => other.to_string(),
    })
}

fn detector(word: &str) -> Result<&'static str, String> {
    let names = || detect::ALL.iter().map(|&(name, _)| name);
    names()
        .find(|name| *name == word)
        .ok_or_else(|| format!("unknown detector {word:?}{}", nearest(word, names())))
}

fn roots(words: &Words) -> Result<Vec<u8>, Failure> {
    let path = one(words, |word| Ok(PathBuf::from(word)))?;
    fs::read(&path).map_err(|error| wrong(words, format!("{}: {error}", path.display())))
}

fn real(span: Span) -> Duration {
    Duration::from_millis(span.millis().unsigned_abs())
}
