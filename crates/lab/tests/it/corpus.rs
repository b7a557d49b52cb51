//! The corpus: its manifest, and traces made again from clones.
use std::fs;
use std::path::Path;

use lab::corpus::{self, Corpus, Publication};
use lab::import::git::PageList;
use lab::trace::{RowsDigest, TraceReader};
use tempfile::TempDir;

use crate::common::shared_trace;
use crate::import_git::site::{Script, Site, WEEK_SECONDS, command};

const DAY_SECONDS: i64 = 86_400;

/// A manifest with one site, with more keys and with the digest of its rows.
fn manifest(commit: &str, more: &str, rows: u64, digest: &str) -> String {
    format!(
        "[[site]]\nname = \"site\"\nrepository = \"owner/name\"\nbranch = \"main\"\n\
         base = \"https://e.org/\"\ncommit = \"{commit}\"\nfrom = \"1970-01-01T00:16:40Z\"\nweeks = 1\n\
         rows = {rows}\ndigest = \"{digest}\"\n{more}\n"
    )
}

const NO_DIGEST: &str = "sha1:0000000000000000000000000000000000000000";

fn parse(text: &str) -> Result<Corpus, String> {
    Corpus::parse("corpus.toml", text, &mut |name| panic!("{name} is not needed"))
        .map_err(|error| error.to_string())
}

/// The clone of a history where the corpus looks for it, and the id of its last commit.
fn clone(script: &Script) -> Option<(TempDir, String)> {
    let site = Site::new(script)?;
    let clones = tempfile::tempdir().unwrap();
    fs::create_dir(clones.path().join("owner")).unwrap();
    fs::rename(site.repository(), clones.path().join("owner/name")).unwrap();
    let output = command(&clones.path().join("owner/name"), &["rev-parse", "main"]).output();
    let id = String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned();
    Some((clones, id))
}

/// The rows of the site's trace as `SECONDS PATH`, and the digest of them.
fn made(corpus: &Corpus, clones: &Path) -> (Vec<String>, RowsDigest) {
    let output = clones.join("site.parquet");
    corpus::make(&corpus.sites[0], clones, &output, &mut |_| {}).unwrap();
    let mut reader = TraceReader::open(&output).unwrap();
    let rows = reader.heads().unwrap().flat_map(Result::unwrap);
    let path = |url: &str| url.strip_prefix("https://e.org").unwrap().to_owned();
    let rows = rows.map(|row| format!("{} {}", row.at.millis() / 1000, path(&row.url))).collect();
    (rows, RowsDigest::from_reader(&mut TraceReader::open(&output).unwrap()).unwrap())
}

fn history() -> Script {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]);
    script.file("index.html", "one").file("a.html", "a").file("api/x.html", "x");
    script.file("large.html", &"x".repeat(2_000)).file("robots.txt", "robots");
    script.commit("main", 2, 1000 + DAY_SECONDS, &[1]).file("index.html", "two");
    script.commit("main", 3, 1000 + DAY_SECONDS + 60, &[2]).file("index.html", "three");
    script.commit("main", 4, 1000 + 6 * DAY_SECONDS, &[3]).file("a.html", "b");
    script.commit("main", 5, 1000 + 2 * WEEK_SECONDS, &[4]).file("a.html", "later");
    script
}

#[test]
fn a_trace_made_by_the_manifest_is_as_published_if_its_rows_are() {
    let Some((clones, commit)) = clone(&history()) else { return };
    let corpus = parse(&manifest(&commit, "", 0, NO_DIGEST)).unwrap();
    let (rows, digest) = made(&corpus, clones.path());
    assert_eq!(rows.len(), 8, "{rows:?}");
    let trace = clones.path().join("site.parquet");
    let cache = clones.path().join("cache");
    let published = corpus.sites[0].rows;
    assert_eq!(
        corpus::verify(&corpus, &trace, &cache).unwrap(),
        Publication::Other { found: digest, published }
    );
    let right = parse(&manifest(&commit, "", digest.rows, &digest.to_string())).unwrap();
    // The second time the digest comes from the cache.
    for _ in 0..2 {
        assert_eq!(corpus::verify(&right, &trace, &cache).unwrap(), Publication::AsPublished);
    }
    let other = clones.path().join("other.parquet");
    fs::copy(&trace, &other).unwrap();
    assert_eq!(corpus::verify(&right, &other, &cache).unwrap(), Publication::NotOfTheCorpus);
}

#[test]
fn the_rules_of_a_site_choose_its_pages_and_its_times() {
    let Some((clones, commit)) = clone(&history()) else { return };
    let rows = |more: &str| {
        let corpus = parse(&manifest(&commit, more, 0, NO_DIGEST)).unwrap();
        made(&corpus, clones.path()).0
    };
    let without = rows("exclude = [\"^api/\", \"\\\\.txt$\"]\nmax_body = 1000");
    assert_eq!(
        without,
        ["1000 /", "87400 /", "87460 /", "1000 /a.html", "519400 /a.html"],
        "neither excluded nor large"
    );
    assert_eq!(rows("include = [\"^a\"]"), ["1000 /a.html", "519400 /a.html", "1000 /api/x.html"]);
    // Changes of two days are published together; those of the last, partial span before its end.
    let coalesced = rows("include = [\"^a\\\\.\", \"^index\"]\ncoalesce_days = 4");
    let (fourth_day, end) = (1000 + 4 * DAY_SECONDS, 1000 + WEEK_SECONDS - 1);
    assert_eq!(
        coalesced,
        [
            "1000 /".to_owned(),
            format!("{fourth_day} /"),
            "1000 /a.html".to_owned(),
            format!("{end} /a.html")
        ]
    );
    let listed = format!("page_lists = \"pages.toml\"\n{}", manifest(&commit, "", 0, NO_DIGEST));
    let pages = format!("site = \"{}\"", PageList::digest("https://e.org/robots.txt"));
    let corpus = Corpus::parse("corpus.toml", &listed, &mut |_| Ok(pages.clone())).unwrap();
    assert_eq!(made(&corpus, clones.path()).0, ["1000 /robots.txt"]);
}

#[test]
fn a_commit_that_the_clone_lacks_is_named() {
    let Some((clones, _)) = clone(&history()) else { return };
    let missing = "0123456789012345678901234567890123456789";
    let corpus = parse(&manifest(missing, "", 0, NO_DIGEST)).unwrap();
    let output = clones.path().join("site.parquet");
    let error = corpus::make(&corpus.sites[0], clones.path(), &output, &mut |_| {}).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&format!("does not have the commit {missing}")), "{text}");
    assert!(text.contains("fetch origin"), "{text}");
    assert!(!output.exists());
}

#[test]
fn a_wrong_manifest_is_refused_at_its_place() {
    let commit = "0123456789012345678901234567890123456789";
    let good = manifest(commit, "", 1, NO_DIGEST);
    assert!(parse(&good).is_ok());
    let refused = |from: &str, to: &str, message: &str| {
        let text = good.replace(from, to);
        assert_ne!(text, good, "{from}");
        let error = parse(&text).unwrap_err();
        assert!(error.contains(message), "{error}");
    };
    refused("weeks = 1", "weeks = 1\ncolour = \"red\"", "unknown field `colour`");
    assert!(parse("[[site]]\nname = 5\n").unwrap_err().starts_with("corpus.toml, line 2: "));
    refused("branch = \"main\"\n", "", "missing field `branch`");
    refused("\"site\"", "\"../site\"", "site \"../site\": name: ");
    refused(commit, "0123", "corpus.toml: site \"site\": commit: \"0123\" is not the full id");
    refused("1970-01-01T00:16:40Z", "soon", "site \"site\": from: ");
    refused("weeks = 1", "weeks = 0", "weeks: 0 is not within 1 to 5200");
    refused("sha1:0000", "sha1:00", "digest: ");
    let exclude = |pattern| format!("weeks = 1\nexclude = [{pattern}]");
    refused("weeks = 1", &exclude("\"(\""), "exclude: \"(\" is not a regular expression");
    refused("weeks = 1", &exclude("\"@none\""), "there are no patterns called \"none\"");
    let twice = format!("{good}{good}");
    assert!(parse(&twice).unwrap_err().contains("is used twice"));
}

#[test]
fn clones_are_asked_for_by_commands_that_a_shell_can_run() {
    let commit = "0123456789012345678901234567890123456789";
    let corpus = parse(&manifest(commit, "", 1, NO_DIGEST)).unwrap();
    assert_eq!(
        corpus::clone_command(Path::new("my clones"), &corpus.sites[0]),
        "git clone --bare --single-branch --branch main https://github.com/owner/name \
         'my clones/owner/name'"
    );
    let text = manifest(commit, "", 1, NO_DIGEST).replace("owner/name", "git@e.org:a/../b.git");
    let corpus = parse(&text).unwrap();
    let folder = corpus::clone_folder(Path::new("clones"), &corpus.sites[0]);
    assert_eq!(folder, Path::new("clones/a/b"));
}

#[test]
fn the_built_in_manifest_has_every_published_site() {
    let corpus = Corpus::built_in().unwrap();
    assert_eq!(corpus.sites.len(), 94);
    assert_eq!(corpus.sites.iter().filter(|site| site.bench).count(), 93);
    let lists = corpus.sites.iter().filter_map(|site| site.rules.pages.as_ref());
    assert_eq!(lists.clone().count(), 76);
    assert!(lists.clone().all(|list| !list.is_empty()));
    assert!(corpus.sites.iter().all(|site| site.rows.rows > 0));
}

#[test]
fn published_traces_are_as_the_manifest_says() {
    let corpus = Corpus::built_in().unwrap();
    let cache = tempfile::tempdir().unwrap();
    for name in ["llvm", "more/sympy", "more/httpd"] {
        let Some(trace) = shared_trace(&format!("{name}.parquet")) else { return };
        let found = corpus::verify(&corpus, &trace, cache.path()).unwrap();
        assert_eq!(found, Publication::AsPublished, "{name}");
    }
}
