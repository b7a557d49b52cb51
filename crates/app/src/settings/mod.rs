//! The settings of a crawl: checked, with all defaults filled in.
pub(crate) mod access;
pub(crate) mod keys;
pub(crate) mod seed_list;
pub(crate) mod values;

use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use crawl::{Allowance, Span};
use extract::detect;
use instruments::weights::{WeightRule, Weights};
use policy::{PolicySpec, SpecError};
use web::{
    rules::{BadPattern, Pattern},
    scope::ScopeKind,
    traps::TrapLimits,
};

use self::{
    access::Access,
    keys::{Flags, Key},
};
use crate::{
    failure::Failure,
    raw_settings::{RawSettings, Words, invalid, nearest, one},
};

/// The settings file that is read if no other is named.
pub(crate) const FILE: &str = "sanderling.toml";

/// The settings of a crawl.
pub(crate) struct Settings {
    pub(crate) data: PathBuf,
    /// Canonical URLs to start from; empty if only the data folder knows them.
    pub(crate) seeds: Vec<String>,
    /// A file with more of them.
    seeds_from: Option<Words>,
    /// Whether only sitemaps and feeds make pages known.
    pub(crate) only_sitemaps: bool,
    /// `None` if not set: then the data folder's own scope applies.
    pub(crate) scope: Option<ScopeKind>,
    pub(crate) budget: Option<Allowance>,
    /// The time from one cycle to the next.
    pub(crate) interval: Option<Span>,
    /// `None` if not set: then it depends on whether a query workload is known.
    pub(crate) policy: Option<PolicySpec>,
    /// What pages are worth, by the rules that the user set.
    pub(crate) weights: Weights,
    /// A detector's name.
    pub(crate) detector: &'static str,
    pub(crate) seed: u64,
    /// `None` if not set.
    pub(crate) cycle_limit: Option<Span>,
    /// The largest share of a budget that checks dead links and gone pages.
    pub(crate) recheck_share: f64,
    /// Whether the search index is updated while crawling.
    pub(crate) index: bool,
    /// The longest time until a fetched page can be found.
    pub(crate) index_wait: Duration,
    /// A file with a query workload.
    pub(crate) queries: Option<PathBuf>,
    pub(crate) web: web::Settings,
    /// Extra headers, passwords, cookies and the proxy, not read yet.
    pub(crate) access: Access,
    /// The size of a WARC file.
    pub(crate) warc_bytes: u64,
    pub(crate) traps: TrapLimits,
    pub(crate) serve: ServeSettings,
}

/// How the search page is served.
#[derive(Clone, Debug)]
pub(crate) struct ServeSettings {
    pub(crate) listen: SocketAddr,
    /// Host names it answers to in addition to those of this machine, in lower case.
    pub(crate) names: Vec<String>,
    pub(crate) query_log: bool,
    /// A file with the token that others need.
    pub(crate) token_file: Option<PathBuf>,
    /// Whether everyone who reaches the address may search.
    pub(crate) is_public: bool,
    pub(crate) tls: Option<TlsFiles>,
    /// The share of held pages that should be up to date.
    pub(crate) freshness_target: Option<f64>,
    pub(crate) webhook: Option<Webhook>,
}

/// Files for encrypted connections.
#[derive(Clone, Debug)]
pub(crate) struct TlsFiles {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

/// Where to send changes.
#[derive(Clone, Debug)]
pub(crate) struct Webhook {
    pub(crate) url: url::Url,
    /// The key of signatures; without one nothing is signed.
    pub(crate) secret: Option<Secret>,
}

/// A text that no log and no message shows.
#[derive(Clone)]
pub(crate) struct Secret(pub(crate) String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// The default time limit of a cycle.
pub(crate) fn default_cycle_limit() -> Span {
    let words = default_words(keys::by_name("cycle_limit"));
    values::some_time(&words[0]).expect("the table's defaults are right")
}

impl Settings {
    /// Reads the settings from flags, environment and file.
    pub(crate) fn load(flags: &Flags) -> Result<Self, Failure> {
        Self::resolve(&load_raw(flags)?)
    }

    /// The same, with seeds from the command line.
    pub(crate) fn load_with_seeds(flags: &Flags, seeds: &[String]) -> Result<Self, Failure> {
        let mut settings = Self::load(flags)?;
        for seed in seeds {
            let seed = values::seed(seed).map_err(|why| Failure::Input(format!("SEEDS: {why}")))?;
            settings.seeds.push(seed);
        }
        if let Some(words) = &settings.seeds_from {
            let path = one(words, |word| Ok(PathBuf::from(word)))?;
            settings.seeds.extend(seed_list::read(&path)?);
        }
        Ok(settings)
    }

    /// The settings from flags alone: for the demo, which must be the same everywhere.
    pub(crate) fn from_flags(flags: &Flags) -> Result<Self, Failure> {
        let mut raw = RawSettings::default();
        for key in keys::all() {
            raw.set_flag(key.name, flags.given.get(key.name).map(String::as_str));
        }
        Self::resolve(&raw)
    }

    #[expect(clippy::too_many_lines, reason = "one line for each setting")]
    fn resolve(raw: &RawSettings) -> Result<Self, Failure> {
        let get = |name: &'static str| -> Words {
            raw.get(name).cloned().unwrap_or_else(|| {
                let words = default_words(keys::by_name(name));
                Words { place: name.to_owned(), words }
            })
        };
        let given = |name: &'static str| raw.get(name).cloned();
        let contact = given("contact").map(|words| one(&words, values::contact)).transpose()?;
        let seeds = each(&get("seeds"), values::seed)?;
        let scope = given("scope").map(|words| one(&words, scope)).transpose()?;
        let budget = given("budget").map(|words| one(&words, values::budget)).transpose()?;
        let some_time = |name| given(name).map(|words| one(&words, values::some_time)).transpose();
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
        let freshness_target =
            given("freshness_target").map(|words| one(&words, values::share)).transpose()?;
        let secret = given("webhook_secret").map(|words| one(&words, secret)).transpose()?;
        if let (None, Some(words)) = (given("webhook"), given("webhook_secret")) {
            return Err(invalid(&words, "there is no webhook to sign for; set webhook, too"));
        }
        let webhook = given("webhook").map(|words| one(&words, values::webhook)).transpose()?;
        let webhook = webhook.map(|url| Webhook { url, secret });
        let path =
            |name| given(name).map(|words| one(&words, |word| Ok(PathBuf::from(word)))).transpose();
        let tls = match (path("tls_cert")?, path("tls_key")?) {
            (Some(cert), Some(key)) => Some(TlsFiles { cert, key }),
            (None, None) => None,
            _ => return Err(Failure::Input("tls_cert and tls_key need each other".to_owned())),
        };
        let time = |name| one(&get(name), values::some_time).map(to_duration);
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
            rules: web::rules::VisitRules {
                include: patterns(&get("include"))?,
                exclude: patterns(&get("exclude"))?,
                types: patterns(&get("types"))?,
                exclude_types: patterns(&get("exclude_types"))?,
                ..Default::default()
            },
            ..web::Settings::default()
        };
        Ok(Self {
            data: one(&get("data"), |word| Ok(PathBuf::from(word)))?,
            seeds,
            seeds_from: given("seeds_from"),
            only_sitemaps: one(&get("follow"), follow)?,
            scope,
            budget,
            interval: some_time("interval")?,
            policy: given("policy")
                .map(|words| one(&words, |word| policy(word, &[])))
                .transpose()?,
            weights: weights(&get("weights"))?,
            detector: one(&get("detector"), detector)?,
            seed,
            cycle_limit: some_time("cycle_limit")?,
            recheck_share: one(&get("recheck_share"), values::share)?,
            index: one(&get("index"), values::yes_or_no)?,
            index_wait: time("index_wait")?,
            queries: given("queries")
                .map(|words| one(&words, |word| Ok(PathBuf::from(word))))
                .transpose()?,
            web,
            access: Access {
                headers: given("headers"),
                basic_auth: given("basic_auth"),
                cookies: given("cookies"),
                proxy: given("proxy"),
                are_archived: one(&get("archive_headers"), values::yes_or_no)?,
            },
            warc_bytes: size("warc_size")? as u64,
            traps,
            serve: ServeSettings {
                listen: one(&get("listen"), values::listen)?,
                names: get("listen_names").words.iter().map(|n| n.to_ascii_lowercase()).collect(),
                query_log: one(&get("query_log"), values::yes_or_no)?,
                token_file: path("token_file")?,
                is_public: one(&get("public"), values::yes_or_no)?,
                tls,
                freshness_target,
                webhook,
            },
        })
    }
}

fn load_raw(flags: &Flags) -> Result<RawSettings, Failure> {
    let names: Vec<&'static str> = keys::all().map(|key| key.name).collect();
    let file = flags.config.as_deref().or(Some(Path::new(FILE)).filter(|file| file.exists()));
    let mut raw = match file {
        Some(path) => RawSettings::from_file(path, &names, keys::ALIASES)?,
        None => RawSettings::default(),
    };
    for key in keys::all() {
        for name in keys::aliases(key).chain([key.name]) {
            let variable = keys::variable(name);
            let Some(value) = std::env::var_os(&variable).filter(|value| !value.is_empty()) else {
                continue;
            };
            let place = variable.to_string_lossy().into_owned();
            let Some(value) = value.to_str() else {
                return Err(Failure::Input(format!("{place}: invalid UTF-8")));
            };
            raw.set(key.name, place, value);
        }
        raw.set_flag(key.name, flags.given.get(key.name).map(String::as_str));
    }
    Ok(raw)
}

/// The default of a key.
fn default_words(key: &Key) -> Vec<String> {
    key.default.map(|default| default.trim_matches('"').to_owned()).into_iter().collect()
}

fn each<T>(words: &Words, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, Failure> {
    words.words.iter().map(|word| parse(word).map_err(|why| invalid(words, why))).collect()
}

/// Whether only sitemaps and feeds make pages known.
fn follow(word: &str) -> Result<bool, String> {
    match word {
        "links" => Ok(false),
        "sitemaps" => Ok(true),
        _ => Err(format!("{word:?} is neither links nor sitemaps")),
    }
}

/// Patterns; in a text, commas separate them.
fn patterns(words: &Words) -> Result<Vec<Pattern>, Failure> {
    let texts = words.words.iter().flat_map(|word| {
        if word.starts_with("re:") {
            vec![word.as_str()]
        } else {
            word.split(',').map(str::trim).collect()
        }
    });
    texts.map(|text| text.parse().map_err(|why: BadPattern| invalid(words, why))).collect()
}

fn scope(word: &str) -> Result<ScopeKind, String> {
    word.parse().map_err(|_| {
        format!(
            "unknown scope {word:?}{}",
            nearest(word, ["host", "domain", "prefix", "any"].into_iter())
        )
    })
}

/// Parses the text of a policy. `others` are names that are allowed beside those of policies; the
/// error suggests one of all these.
pub(crate) fn policy(word: &str, others: &[&str]) -> Result<PolicySpec, String> {
    PolicySpec::parse(word).map_err(|error| match error {
        SpecError::UnknownPolicy(name) if others.contains(&name.as_str()) => {
            format!("{name} has no parameters")
        }
        SpecError::UnknownPolicy(name) => {
            let names = policy::ALL.iter().map(|entry| entry.name).chain(others.iter().copied());
            format!("unknown policy {name:?}{}", nearest(&name, names))
        }
        other => other.to_string(),
    })
}

/// Rules for the weights of pages.
pub(crate) fn weights(words: &Words) -> Result<Weights, Failure> {
    let rules: Vec<WeightRule> = each(words, str::parse)?;
    Weights::new(rules).map_err(|why| invalid(words, why))
}

pub(crate) fn detector(word: &str) -> Result<&'static str, String> {
    let names = || detect::ALL.iter().map(|&(name, _)| name);
    names()
        .find(|name| *name == word)
        .ok_or_else(|| format!("unknown detector {word:?}{}", nearest(word, names())))
}

fn secret(word: &str) -> Result<Secret, String> {
    match word.trim() {
        "" => Err("it is empty".to_owned()),
        _ => Ok(Secret(word.to_owned())),
    }
}

fn roots(words: &Words) -> Result<Vec<u8>, Failure> {
    let path = one(words, |word| Ok(PathBuf::from(word)))?;
    fs::read(&path).map_err(|error| invalid(words, format!("{}: {error}", path.display())))
}

fn to_duration(span: Span) -> Duration {
    Duration::from_millis(span.millis().unsigned_abs())
}
