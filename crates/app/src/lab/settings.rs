//! The settings of an experiment: checked, with all defaults filled in.
use std::{
    fs,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use crawl::{Digest, Span};
use extract::detect;
use instruments::weights::{WeightNeeds, Weights};
use lab::{
    oracle::{self, ORACLES},
    quality::Queries,
    synthetic::{KINDS, Spec, USUAL_WEEKS},
    tournament::{Contender, Experiment, PageSet, PaperSetting, Start, WebSource, cycle_length},
};
use text::workload::{Source, Workload};

use crate::{
    failure::Failure,
    raw_settings::{RawSettings, Words, invalid, nearest, one},
    settings::{self, values},
};

/// The papers measure in weeks.
const DEFAULT_INTERVAL: &str = "1w";
/// One page in twenty, ten and five: tight, usual and generous.
const DEFAULT_BUDGETS: [&str; 3] = ["0.05", "0.1", "0.2"];
const DEFAULT_SEED: &str = "1";
/// These oracles spend the same budget as the policies they are compared with.
const DEFAULT_ORACLES: [&str; 2] = ["oracle-changes", "oracle-freshness"];
/// Queries made from the pages themselves: they need no file.
const DEFAULT_QUERIES: &str = "pseudo";
/// More than the papers use; each query costs time.
const DEFAULT_QUERY_LIMIT: &str = "2000";
const DEFAULT_SYNTHETIC_PAGES: usize = 500;
/// A synthetic web has a body for every version; more pages than this take gigabytes.
const MOST_SYNTHETIC_PAGES: usize = 200_000;
const MOST_SYNTHETIC_WEEKS: u32 = 520;

/// Makes the experiment from its settings.
pub(super) fn experiment(raw: &RawSettings) -> Result<Experiment, Failure> {
    let mut settings = vec![];
    let mut words = |key: &'static str, default: &[&str]| -> Words {
        let words = raw.get(key).cloned().unwrap_or_else(|| Words {
            place: key.to_owned(),
            words: default.iter().map(|&word| word.to_owned()).collect(),
        });
        if !words.words.is_empty() {
            // Reports have called it by its earlier name since version 0.1.
            let name = if key == "interval" { "cycle" } else { key };
            settings.push((name.to_owned(), words.words.join(", ")));
        }
        words
    };
    let traces = words("traces", &[]);
    let together = one(&words("together", &["no"]), values::yes_or_no)?;
    let webs = webs(&traces, together, &words("synthetic", &[]))?;
    let cycle = one(&words("interval", &[DEFAULT_INTERVAL]), interval)?;
    let cycles = words("cycles", &[]);
    let cycles = if cycles.words.is_empty() { None } else { Some(one(&cycles, values::count)?) };
    let warm_up = one(&words("warm_up", &["0"]), whole_number)?;
    let budgets = several(&words("budgets", &DEFAULT_BUDGETS), budget)?;
    let pages = one(&words("pages", &["fixed"]), pages)?;
    let takes_part = |entry: &&policy::PolicyEntry| !entry.discovers || pages == PageSet::Growing;
    let policies = policy::ALL.iter().filter(takes_part).map(|entry| entry.name);
    let every: Vec<&str> = policies.chain(DEFAULT_ORACLES).collect();
    let policies = several(&words("policies", &every), policy)?;
    let seeds = several(&words("seeds", &[DEFAULT_SEED]), whole_number)?;
    let detector = one(&words("detector", &[detect::DEFAULT]), settings::detector)?.to_owned();
    let start_words = words("start", &["synchronised"]);
    let seed_urls = words("seed_urls", &[]);
    let start = start(&start_words, &seed_urls)?;
    let queries_words = words("queries", &[DEFAULT_QUERIES]);
    let limit = one(&words("query_limit", &[DEFAULT_QUERY_LIMIT]), values::count)?;
    let queries = one(&queries_words, |word| queries(word, limit))?;
    let halves = one(&words("query_halves", &["no"]), values::yes_or_no)?;
    let weights = weights(&words("weights", &[]), &policies)?;
    Ok(Experiment {
        webs,
        cycle,
        cycles,
        warm_up,
        budgets,
        policies,
        seeds,
        detector,
        pages,
        start,
        queries,
        halves,
        weights,
        weighted: true,
        paper: PaperSetting::default(),
        settings,
    })
}

/// The values of a key, none of them twice.
fn several<T: PartialEq>(
    words: &Words,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let mut values = vec![];
    for word in &words.words {
        let value = parse(word).map_err(|why| invalid(words, why))?;
        if values.contains(&value) {
            return Err(invalid(words, format!("{word} is named twice")));
        }
        values.push(value);
    }
    if values.is_empty() {
        return Err(invalid(words, "needs at least one value"));
    }
    Ok(values)
}

fn webs(traces: &Words, together: bool, synthetic: &Words) -> Result<Vec<WebSource>, Failure> {
    let mut webs = vec![];
    let files = trace_files(traces)?;
    match files.len() {
        0 | 1 if together => {
            return Err(invalid(traces, "together needs two traces or more"));
        }
        _ if together => webs.push(WebSource::Together(files)),
        _ => webs.extend(files.into_iter().map(WebSource::Trace)),
    }
    for word in &synthetic.words {
        let spec = spec(word).map_err(|why| invalid(synthetic, why))?;
        webs.push(WebSource::Synthetic(spec));
    }
    if webs.is_empty() {
        return Err(Failure::Input(
            "no web to run on; add trace files with --traces FILES or a synthetic web with \
             --synthetic poisson"
                .to_owned(),
        ));
    }
    Ok(webs)
}

/// All files that words name directly or by a pattern.
pub(super) fn trace_files(words: &Words) -> Result<Vec<PathBuf>, Failure> {
    let each = words.words.iter().map(|pattern| files(words, pattern));
    Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The file that a word names, or all files that match it as a pattern.
fn files(words: &Words, pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let path = PathBuf::from(pattern);
    if path.exists() {
        return Ok(vec![path]);
    }
    if !pattern.contains(['*', '?', '[']) {
        return Err(invalid(words, format!("{pattern}: no such file")));
    }
    let found =
        glob::glob(pattern).map_err(|error| invalid(words, format!("{pattern}: {error}")))?;
    let found: Vec<PathBuf> = found
        .collect::<Result<_, _>>()
        .map_err(|error| invalid(words, format!("{pattern}: {error}")))?;
    if found.is_empty() {
        return Err(invalid(words, format!("no file matches {pattern}")));
    }
    Ok(found)
}

/// A synthetic web: KIND, KIND:PAGES, KIND:PAGES:SEED, KIND:PAGES:SEED:WEEKS, or parts by name such as
/// kind=poisson:pages=500:seed=1:weeks=52. The world of a paper has its own default size and length.
fn spec(word: &str) -> Result<Spec, String> {
    let mut kind = None;
    let (mut pages, mut seed, mut weeks) = (None, 1, None);
    for (place, part) in word.split(':').enumerate() {
        let unnamed = ["kind", "pages", "seed", "weeks"].get(place).copied();
        let (name, value) = part.split_once('=').unwrap_or((unnamed.unwrap_or("?"), part));
        match name {
            "kind" => {
                let found = KINDS.iter().find(|(kind, _)| *kind == value);
                let hint = || nearest(value, KINDS.iter().map(|&(kind, _)| kind));
                kind = Some(found.ok_or_else(|| format!("unknown kind {value:?}{}", hint()))?.1);
            }
            "pages" => {
                let count: usize = values::count(value)?;
                if count > MOST_SYNTHETIC_PAGES {
                    return Err(format!("at most {MOST_SYNTHETIC_PAGES} pages, not {value}"));
                }
                pages = Some(count);
            }
            "seed" => seed = whole_number(value)?,
            "weeks" => {
                let count: u32 = values::count(value)?;
                if count > MOST_SYNTHETIC_WEEKS {
                    return Err(format!("at most {MOST_SYNTHETIC_WEEKS} weeks, not {value}"));
                }
                weeks = Some(count);
            }
            other => {
                return Err(format!(
                    "unknown part {part:?} ({other}); write KIND:PAGES:SEED, such as poisson:500:1"
                ));
            }
        }
    }
    let kind = kind.ok_or_else(|| format!("{word:?} has no kind, such as poisson"))?;
    let usual = kind.full_scale().unwrap_or((DEFAULT_SYNTHETIC_PAGES, USUAL_WEEKS));
    Ok(Spec { kind, pages: pages.unwrap_or(usual.0), seed, weeks: weeks.unwrap_or(usual.1) })
}

fn interval(word: &str) -> Result<Span, String> {
    cycle_length(word)
        .ok_or_else(|| format!("{word:?} is not a length of time such as 12h, 1d, 1w or 2w"))
}

fn whole_number<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{word:?} is not a whole number of 0 or more"))
}

fn budget(word: &str) -> Result<f64, String> {
    let budget = word.parse::<f64>().map_err(|_| format!("{word:?} is not a number"))?;
    if !budget.is_finite() || budget <= 0.0 {
        return Err(format!("{word} is not a budget; it must be above 0"));
    }
    if budget >= 1.0 && (budget.fract() != 0.0 || budget >= f64::from(u32::MAX)) {
        return Err(format!(
            "{word} is not a budget; from 1 on it is a whole number of visits per cycle, below 1 \
             a share of the pages"
        ));
    }
    Ok(budget)
}

/// A policy or an oracle.
fn policy(word: &str) -> Result<Contender, String> {
    if oracle::is_oracle(word) {
        return Contender::parse(word).map_err(|error| error.to_string());
    }
    let oracles: Vec<&str> = ORACLES.iter().map(|&(name, _)| name).collect();
    settings::policy(word, &oracles).map(Contender::Policy)
}

/// The weights of pages, which some policy must use.
fn weights(words: &Words, policies: &[Contender]) -> Result<Weights, Failure> {
    let weights = settings::weights(words)?;
    let uses_weights = |contender: &&Contender| {
        let policy = contender.as_policy().map(|spec| spec.make(1));
        policy.is_some_and(|policy| policy.needs().find::<WeightNeeds>().is_some())
    };
    match (policies.iter().find(uses_weights), weights.is_empty()) {
        (Some(policy), true) => Err(Failure::Input(format!(
            "policies: {} weighs pages by your weights, and there are none; set weights, such as \
             https://docs.example.org/2.1/=3",
            policy.name()
        ))),
        (None, false) => Err(invalid(
            words,
            "no policy here uses weights; add unified:value=weights to policies",
        )),
        _ => Ok(weights),
    }
}

fn pages(word: &str) -> Result<PageSet, String> {
    match word {
        "fixed" => Ok(PageSet::Fixed),
        "growing" => Ok(PageSet::Growing),
        _ => Err(format!("{word:?} is neither fixed nor growing")),
    }
}

fn start(start: &Words, seed_urls: &Words) -> Result<Start, Failure> {
    let named = !seed_urls.words.is_empty();
    match (one(start, |word| Ok(word.to_owned()))?.as_str(), named) {
        ("synchronised", false) => Ok(Start::Synchronised),
        ("synchronised", true) => {
            Err(invalid(seed_urls, "has no effect with start = synchronised; set start = empty"))
        }
        ("empty", true) => Ok(Start::Empty(seed_urls.words.clone())),
        ("empty", false) => Err(invalid(start, "an empty start needs seed_urls")),
        (word, _) => Err(invalid(start, format!("{word:?} is neither synchronised nor empty"))),
    }
}

/// A query workload: `none`, `pseudo` or a file.
pub(crate) fn queries(word: &str, limit: usize) -> Result<Queries, String> {
    match word {
        "none" => return Ok(Queries::None),
        "pseudo" => return Ok(Queries::Pseudo { limit }),
        _ => {}
    }
    let bytes = fs::read(word).map_err(|error| {
        format!("{word}: cannot be read ({error}); expected a file of queries, pseudo or none")
    })?;
    let digest = Digest::from_bytes(&bytes);
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count();
        format!("{word}, line {line}: invalid UTF-8")
    })?;
    let mut workload = Workload::from_tsv(word, &text).map_err(|error| error.to_string())?;
    // Reports name the file, not its folder on this machine.
    let name = Path::new(word).file_name().unwrap_or_default().to_string_lossy().into_owned();
    workload.source = Source::File(name);
    if workload.queries.is_empty() {
        return Err(format!("{word}: contains no query"));
    }
    Ok(Queries::File { workload: Arc::new(workload), digest, limit })
}
