//! Reads a manifest, and says at which place it is wrong.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crawl::{Span, Time};
use regex::bytes::Regex;
use serde::Deserialize;
use thiserror::Error;

use crate::import::git::{self, MAX_BODY_BYTES, PageList, Rules};
use crate::trace::RowsDigest;

/// The project's own manifest, and its lists of pages.
const BUILT_IN: (&str, &str) = (
    include_str!("../../../../lab/corpus.toml"),
    include_str!("../../../../lab/corpus-pages.toml"),
);

/// The sites of a manifest.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// In the order of the manifest.
    pub sites: Vec<Site>,
}

/// A site, and how its trace is made.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its name, which is the name of its trace file.
    pub name: String,
    /// The address of its repository, as `git clone` takes it.
    pub repository: String,
    /// The branch that holds the published site.
    pub branch: String,
    /// The folder in the repository that is the site's top.
    pub root: String,
    /// The address of the site's top.
    pub base: String,
    /// The start of the window.
    pub from: Time,
    /// The length of the window.
    pub weeks: u32,
    /// Which files are pages, and the commit.
    pub rules: Rules,
    /// The digest of the published rows.
    pub rows: RowsDigest,
    /// Whether the site takes part in the benchmark.
    pub bench: bool,
    /// What a trace made from the repository does not share with the published one, where that is known.
    pub differs: Option<String>,
    /// Why the importer cannot make the trace at all.
    pub cannot: Option<String>,
}

/// Why a manifest cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// A file is not TOML, or has a wrong or missing key.
    #[error("{place}: {message}")]
    Form {
        /// The file, and the line if it is known.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A value of a site is wrong.
    #[error("{file}: site {site:?}: {key}: {message}")]
    Value {
        /// The file.
        file: String,
        /// The site.
        site: String,
        /// The key.
        key: &'static str,
        /// What is wrong.
        message: String,
    },
    /// A site that is asked for is not in the manifest.
    #[error(
        "no site of the corpus is called {0:?}; `sanderling lab corpus --list` prints the names"
    )]
    NoSite(String),
}

/// A manifest as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// A file with lists of pages by site, beside the manifest.
    page_lists: Option<String>,
    /// Lists of patterns, by a name that begins with `@`.
    #[serde(default)]
    patterns: BTreeMap<String, Vec<String>>,
    site: Vec<WrittenSite>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSite {
    name: String,
    repository: String,
    branch: String,
    #[serde(default)]
    root: String,
    base: String,
    commit: String,
    from: String,
    weeks: u32,
    #[serde(default)]
    include: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    coalesce_days: u32,
    max_body: Option<u64>,
    /// For the reader: the cap by which the listed pages were chosen.
    #[serde(rename = "page_cap")]
    _page_cap: Option<u32>,
    rows: u64,
    digest: String,
    #[serde(default = "yes")]
    bench: bool,
    differs: Option<String>,
    cannot: Option<String>,
}

fn yes() -> bool {
    true
}

impl Corpus {
    /// The project's own corpus.
    ///
    /// # Errors
    /// Never: a test reads it.
    pub fn built_in() -> Result<Self, CorpusError> {
        let (manifest, pages) = BUILT_IN;
        Self::parse("lab/corpus.toml", manifest, &mut |_| Ok(pages.to_owned()))
    }

    /// Reads the manifest at `path`.
    ///
    /// # Errors
    /// If it cannot be read or is wrong.
    pub fn from_file(path: &Path) -> Result<Self, CorpusError> {
        let read = |path: &Path| {
            fs::read_to_string(path)
                .map_err(|source| CorpusError::Read { path: path.to_owned(), source })
        };
        let lists = &mut |name: &str| read(&path.with_file_name(name));
        Self::parse(&path.display().to_string(), &read(path)?, lists)
    }

    /// Parses a manifest. `file` is its name in messages, and `lists` reads the file of page lists.
    ///
    /// # Errors
    /// If it is wrong.
    pub fn parse(
        file: &str,
        text: &str,
        lists: &mut dyn FnMut(&str) -> Result<String, CorpusError>,
    ) -> Result<Self, CorpusError> {
        let written: Written = toml_of(file, text)?;
        let mut pages: BTreeMap<String, String> = match &written.page_lists {
            Some(name) => toml_of(name, &lists(name)?)?,
            None => BTreeMap::new(),
        };
        let mut names = BTreeSet::new();
        let mut sites = vec![];
        for site in written.site {
            let wrong = |key, message: String| CorpusError::Value {
                file: file.to_owned(),
                site: site.name.clone(),
                key,
                message,
            };
            if !is_name(&site.name) || !names.insert(site.name.clone()) {
                return Err(wrong("name", "is used twice, or cannot be the name of a file".into()));
            }
            let list = pages.remove(&site.name);
            sites.push(read_site(&site, list, &written.patterns, &wrong)?);
        }
        if let (Some(site), Some(name)) = (pages.keys().next(), written.page_lists) {
            let message = format!("lists pages of {site:?}, which is no site of {file}");
            return Err(CorpusError::Form { place: name, message });
        }
        Ok(Self { sites })
    }

    /// The site of this name.
    pub fn site(&self, name: &str) -> Option<&Site> {
        self.sites.iter().find(|site| site.name == name)
    }

    /// The named sites, each once, in the order of the manifest; all if none is named.
    ///
    /// # Errors
    /// If there is no such site.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Site>, CorpusError> {
        if let Some(name) = names.iter().find(|name| self.site(name).is_none()) {
            return Err(CorpusError::NoSite(name.clone()));
        }
        let is_chosen = |site: &&Site| names.is_empty() || names.contains(&site.name);
        Ok(self.sites.iter().filter(is_chosen).collect())
    }
}

fn toml_of<T: for<'de> Deserialize<'de>>(file: &str, text: &str) -> Result<T, CorpusError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = |span: std::ops::Range<usize>| {
            let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
            format!("{file}, line {line}")
        };
        let place = error.span().map_or_else(|| file.to_owned(), line);
        CorpusError::Form { place, message: error.message().replace('\n', " ") }
    })
}

fn read_site(
    site: &WrittenSite,
    pages: Option<String>,
    patterns: &BTreeMap<String, Vec<String>>,
    wrong: &dyn Fn(&'static str, String) -> CorpusError,
) -> Result<Site, CorpusError> {
    let expanded = |key, words: &[String]| -> Result<Vec<Regex>, CorpusError> {
        let mut found = vec![];
        for word in words {
            let several = match word.strip_prefix('@') {
                Some(name) => patterns
                    .get(name)
                    .ok_or_else(|| wrong(key, format!("there are no patterns called {name:?}")))?,
                None => std::slice::from_ref(word),
            };
            for pattern in several {
                let regex = Regex::new(pattern).map_err(|error| {
                    let why = error.to_string().replace('\n', " ");
                    wrong(key, format!("{pattern:?} is not a regular expression: {why}"))
                })?;
                found.push(regex);
            }
        }
        Ok(found)
    };
    let is_id = |text: &str| {
        matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if !is_id(&site.commit) {
        return Err(wrong("commit", format!("{:?} is not the full id of a commit", site.commit)));
    }
    if !(1..=5_200).contains(&site.weeks) {
        return Err(wrong("weeks", format!("{} is not within 1 to 5200", site.weeks)));
    }
    let pages = pages.map(|text| PageList::parse(&text)).transpose();
    let pages = pages
        .map_err(|word| wrong("page_lists", format!("{word:?} is not eight hexadecimal digits")))?;
    let coalesce = Some(site.coalesce_days).filter(|days| *days > 0);
    let rules = Rules {
        commit: Some(site.commit.clone()),
        include: expanded("include", &site.include)?,
        exclude: expanded("exclude", &site.exclude)?,
        pages,
        coalesce: coalesce.map(|days| Span::from_days(i64::from(days))),
        max_body: site.max_body.unwrap_or(MAX_BODY_BYTES),
    };
    Ok(Site {
        name: site.name.clone(),
        repository: address(&site.repository),
        branch: site.branch.clone(),
        root: site.root.clone(),
        base: site.base.clone(),
        from: git::instant(&site.from).map_err(|error| wrong("from", error.to_string()))?,
        weeks: site.weeks,
        rules,
        rows: RowsDigest::parse(site.rows, &site.digest)
            .ok_or_else(|| wrong("digest", format!("{:?} is not a SHA-1", site.digest)))?,
        bench: site.bench,
        differs: site.differs.clone(),
        cannot: site.cannot.clone(),
    })
}

/// `OWNER/NAME` is a repository at GitHub; anything else is an address.
fn address(repository: &str) -> String {
    let is_short = repository.matches('/').count() == 1 && !repository.contains(':');
    if is_short { format!("https://github.com/{repository}") } else { repository.to_owned() }
}

/// Whether a trace file can have this name. It must not lead out of its folder.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !name.is_empty() && !name.starts_with(['.', '-']) && name.bytes().all(plain)
}
