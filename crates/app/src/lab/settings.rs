//! What was written, made into an experiment: checked, with every default filled in.
use std::{
    fs,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use flow::{
    Digest, Span, detect,
    workload::{Source, Workload},
};
use lab::{
    oracle::{self, ORACLES},
    quality::Queries,
    synthetic::{KINDS, Spec, USUAL_WEEKS},
    tournament::{Experiment, PageSet, Start, WebSource, cycle_length},
};

use crate::{
    failure::Failure,
    settings,
    written::{Words, Written, nearest, one, wrong},
};

/// Where a crawl's week is the usual unit of the papers.
const DEFAULT_CYCLE: &str = "1w";
/// One page in twenty, ten and five: tight, usual and generous.
const DEFAULT_BUDGETS: [&str; 3] = ["0.05", "0.1", "0.2"];
const DEFAULT_SEED: &str = "1";
const DEFAULT_DETECTOR: &str = "digest";
/// Beside all policies, the oracles that spend the same budget.
const DEFAULT_ORACLES: [&str; 2] = ["oracle-changes", "oracle-freshness"];
/// Queries that webs can be asked without anyone having to name a file.
const DEFAULT_QUERIES: &str = "pseudo";
/// As many as the papers use and more; exact quality takes time with each.
const DEFAULT_QUERY_LIMIT: &str = "2000";
const DEFAULT_SYNTHETIC_PAGES: usize = 500;
/// A synthetic web has real bodies for every version; more pages than this take gigabytes.
const MOST_SYNTHETIC_PAGES: usize = 200_000;
const MOST_SYNTHETIC_WEEKS: u32 = 520;

/// The experiment that was written.
pub(super) fn experiment(written: &Written) -> Result<Experiment, Failure> {
    let mut settings = vec![];
    let mut words = |key: &'static str, default: &[&str]| -> Words {
        let words = written.get(key).cloned().unwrap_or_else(|| Words {
            place: key.to_owned(),
            words: default.iter().map(|&word| word.to_owned()).collect(),
        });
        if !words.words.is_empty() {
            settings.push((key.to_owned(), words.words.join(", ")));
        }
        words
    };
    let traces = words("traces", &[]);
    let together = one(&words("together", &["no"]), yes_or_no)?;
    let webs = webs(&traces, together, &words("synthetic", &[]))?;
    let cycle = one(&words("cycle", &[DEFAULT_CYCLE]), cycle)?;
    let cycles = words("cycles", &[]);
    let cycles = if cycles.words.is_empty() { None } else { Some(one(&cycles, at_least_one)?) };
    let warm_up = one(&words("warm_up", &["0"]), whole_number)?;
    let budgets = several(&words("budgets", &DEFAULT_BUDGETS), budget)?;
    let pages = one(&words("pages", &["fixed"]), pages)?;
    let takes_part = |entry: &&policy::Entry| !entry.discovers || pages == PageSet::Growing;
    let policies = policy::ALL.iter().filter(takes_part).map(|entry| entry.name);
    let every: Vec<&str> = policies.chain(DEFAULT_ORACLES).collect();
    let policies = several(&words("policies", &every), policy)?;
    let seeds = several(&words("seeds", &[DEFAULT_SEED]), whole_number)?;
    let detector = one(&words("detector", &[DEFAULT_DETECTOR]), detector)?;
    let start_words = words("start", &["synchronised"]);
    let seed_urls = words("seed_urls", &[]);
    let start = start(&start_words, &seed_urls)?;
    let queries_words = words("queries", &[DEFAULT_QUERIES]);
    let limit = one(&words("query_limit", &[DEFAULT_QUERY_LIMIT]), at_least_one)?;
    let queries = one(&queries_words, |word| queries(word, limit))?;
    let halves = one(&words("query_halves", &["no"]), yes_or_no)?;
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
        weighted: true,
        settings,
    })
}

fn yes_or_no(word: &str) -> Result<bool, String> {
    match word {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("{word:?} is neither yes nor no")),
    }
}

/// The values of a key, none of them twice.
fn several<T: PartialEq>(
    words: &Words,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let mut values = vec![];
    for word in &words.words {
        let value = parse(word).map_err(|why| wrong(words, why))?;
        if values.contains(&value) {
            return Err(wrong(words, format!("{word} is named twice")));
        }
        values.push(value);
    }
    if values.is_empty() {
        return Err(wrong(words, "needs at least one value"));
    }
    Ok(values)
}

fn webs(traces: &Words, together: bool, synthetic: &Words) -> Result<Vec<WebSource>, Failure> {
    let mut webs = vec![];
    let files = trace_files(traces)?;
    match files.len() {
        0 | 1 if together => {
            return Err(wrong(traces, "together needs two traces or more"));
        }
        _ if together => webs.push(WebSource::Together(files)),
        _ => webs.extend(files.into_iter().map(WebSource::Trace)),
    }
    for word in &synthetic.words {
        let spec = spec(word).map_err(|why| wrong(synthetic, why))?;
        webs.push(WebSource::Synthetic(spec));
    }
    if webs.is_empty() {
        return Err(Failure::Input(
            "nothing to run on; name trace files with --traces FILES or a made-up web with \
             --synthetic poisson"
                .to_owned(),
        ));
    }
    Ok(webs)
}

/// Every file that is named, or matches a pattern that is.
pub(super) fn trace_files(words: &Words) -> Result<Vec<PathBuf>, Failure> {
    let each = words.words.iter().map(|pattern| files(words, pattern));
    Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The files a word names: itself, or all that match it as a pattern.
fn files(words: &Words, pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let path = PathBuf::from(pattern);
    if path.exists() {
        return Ok(vec![path]);
    }
    if !pattern.contains(['*', '?', '[']) {
        return Err(wrong(words, format!("{pattern}: no such file")));
    }
    let found = glob::glob(pattern).map_err(|error| wrong(words, format!("{pattern}: {error}")))?;
    let found: Vec<PathBuf> = found
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(words, format!("{pattern}: {error}")))?;
    if found.is_empty() {
        return Err(wrong(words, format!("no file matches {pattern}")));
    }
    Ok(found)
}

/// A made-up web: KIND, KIND:PAGES, KIND:PAGES:SEED, KIND:PAGES:SEED:WEEKS, or parts by name such as
/// kind=poisson:pages=500:seed=1:weeks=52.
fn spec(word: &str) -> Result<Spec, String> {
    let mut kind = None;
    let mut spec =
        Spec { kind: KINDS[0].1, pages: DEFAULT_SYNTHETIC_PAGES, seed: 1, weeks: USUAL_WEEKS };
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
                spec.pages = at_least_one(value)?;
                if spec.pages > MOST_SYNTHETIC_PAGES {
                    return Err(format!("at most {MOST_SYNTHETIC_PAGES} pages, not {value}"));
                }
            }
            "seed" => spec.seed = whole_number(value)?,
            "weeks" => {
                spec.weeks = at_least_one(value)?;
                if spec.weeks > MOST_SYNTHETIC_WEEKS {
                    return Err(format!("at most {MOST_SYNTHETIC_WEEKS} weeks, not {value}"));
                }
            }
            other => {
                return Err(format!(
                    "{part:?} ({other}) means nothing here; write KIND:PAGES:SEED, \
                     such as poisson:500:1"
                ));
            }
        }
    }
    let kind = kind.ok_or_else(|| format!("{word:?} names no kind, such as poisson"))?;
    Ok(Spec { kind, ..spec })
}

fn cycle(word: &str) -> Result<Span, String> {
    cycle_length(word)
        .ok_or_else(|| format!("{word:?} is not a length of time such as 12h, 1d, 1w or 2w"))
}

fn whole_number<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{word:?} is not a whole number of 0 or more"))
}

fn at_least_one<T: FromStr + PartialOrd + From<u8>>(word: &str) -> Result<T, String> {
    let number = word.parse::<T>().ok().filter(|number| *number >= T::from(1));
    number.ok_or_else(|| format!("{word:?} is not a whole number of 1 or more"))
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

/// A policy or an oracle by its canonical text.
fn policy(word: &str) -> Result<String, String> {
    if oracle::is_oracle(word) {
        return oracle::canonical(word).map_err(|error| error.to_string());
    }
    let oracles: Vec<&str> = ORACLES.iter().map(|&(name, _)| name).collect();
    settings::policy(word, &oracles).map(|choice| choice.name().to_owned())
}

fn detector(word: &str) -> Result<String, String> {
    let names = || detect::ALL.iter().map(|&(name, _)| name);
    if names().any(|name| name == word) {
        return Ok(word.to_owned());
    }
    Err(format!("unknown detector {word:?}{}", nearest(word, names())))
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
            Err(wrong(seed_urls, "means nothing with start = synchronised; write start = empty"))
        }
        ("empty", true) => Ok(Start::Empty(seed_urls.words.clone())),
        ("empty", false) => Err(wrong(
            start,
            "an empty start needs addresses to begin with; name them as seed_urls",
        )),
        (word, _) => Err(wrong(start, format!("{word:?} is neither synchronised nor empty"))),
    }
}

/// What is asked: `none`, `pseudo` or the queries in a file.
pub(super) fn queries(word: &str, limit: usize) -> Result<Queries, String> {
    match word {
        "none" => return Ok(Queries::None),
        "pseudo" => return Ok(Queries::Pseudo { limit }),
        _ => {}
    }
    let bytes = fs::read(word).map_err(|error| {
        format!("{word}: cannot be read ({error}); name a file of queries, pseudo or none")
    })?;
    let digest = Digest::of(&bytes);
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count();
        format!("{word}, line {line}: not UTF-8")
    })?;
    let mut workload = Workload::from_tsv(word, &text).map_err(|error| error.to_string())?;
    // Reports name the file, not where it was on this machine.
    let name = Path::new(word).file_name().unwrap_or_default().to_string_lossy().into_owned();
    workload.source = Source::File(name);
    if workload.queries.is_empty() {
        return Err(format!("{word}: holds no query"));
    }
    Ok(Queries::File { workload: Arc::new(workload), digest, limit })
}
