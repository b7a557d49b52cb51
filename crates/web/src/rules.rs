//! Which addresses and which types of content are visited, by patterns.
use std::{collections::BTreeSet, fmt, str::FromStr};

use extract::read::address;

use crate::scope::Parts;

/// A pattern: a glob, or a regular expression after `re:`.
///
/// A glob that begins with a slash is compared with path and query, any other with the whole text. In a
/// glob, `*` is any text, slashes included, and `?` any letter. A regular expression may match anywhere.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    kind: PatternKind,
}

#[derive(Clone, Debug)]
enum PatternKind {
    Glob(glob::Pattern),
    Path(glob::Pattern),
    Regex(regex::Regex),
}

/// The text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a pattern: {why}")]
pub struct BadPattern {
    text: String,
    why: String,
}

impl FromStr for Pattern {
    type Err = BadPattern;

    fn from_str(text: &str) -> Result<Self, BadPattern> {
        let bad = |why: String| BadPattern { text: text.to_owned(), why: why.replace('\n', " ") };
        if text.trim().is_empty() {
            return Err(bad("it is empty".to_owned()));
        }
        let glob = || glob::Pattern::new(text).map_err(|error| bad(error.msg.to_owned()));
        let kind = match text.strip_prefix("re:") {
            Some(regex) => {
                let regex = regex::Regex::new(regex).map_err(|error| bad(error.to_string()))?;
                PatternKind::Regex(regex)
            }
            None if text.starts_with('/') => PatternKind::Path(glob()?),
            None => PatternKind::Glob(glob()?),
        };
        Ok(Self { text: text.to_owned(), kind })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    /// Whether it matches an address.
    pub fn matches(&self, address: &str) -> bool {
        match &self.kind {
            PatternKind::Glob(glob) => glob.matches(address),
            PatternKind::Path(glob) => {
                let path = address.strip_prefix(address::origin(address)).unwrap_or_default();
                glob.matches(path)
            }
            PatternKind::Regex(regex) => regex.is_match(address),
        }
    }
}

/// Which addresses and which types of content are visited. By default all are.
#[derive(Clone, Debug, Default)]
pub struct VisitRules {
    /// Only addresses that match one of these; all if there are none.
    pub include: Vec<Pattern>,
    /// No addresses that match one of these.
    pub exclude: Vec<Pattern>,
    /// Only types of content that match one of these; all if there are none.
    pub types: Vec<Pattern>,
    /// No types of content that match one of these.
    pub exclude_types: Vec<Pattern>,
    /// Addresses that are visited whatever the patterns for addresses say.
    pub seeds: BTreeSet<String>,
}

impl VisitRules {
    /// Why the page at the canonical `address` is not visited; `None` if it is. The ending of its path
    /// says what type it probably has.
    pub fn refusal(&self, address: &str) -> Option<String> {
        if self.seeds.contains(address) {
            return None;
        }
        if let Some(pattern) = self.exclude.iter().find(|pattern| pattern.matches(address)) {
            return Some(format!("it is excluded by the pattern {pattern}"));
        }
        if !self.include.is_empty() && !self.include.iter().any(|pattern| pattern.matches(address))
        {
            return Some("no pattern of include matches it".to_owned());
        }
        let (ending, content_type) = type_of_ending(address)?;
        let refused = self.refuses(content_type)?;
        Some(format!("files that end with .{ending} are not visited: {refused}"))
    }

    /// Why an answer with this `Content-Type` from `address` is not read; `None` if it is. Types that say
    /// nothing are not judged: the content is looked at.
    pub fn type_refusal(&self, content_type: &str, address: &str) -> Option<String> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let essence = essence.to_ascii_lowercase();
        let is_sitemap = address.split('?').next().is_some_and(|path| path.ends_with(".xml.gz"));
        match essence.as_str() {
            ""
            | "application/octet-stream"
            | "binary/octet-stream"
            | "application/unknown"
            | "unknown/unknown"
            | "*/*" => None,
            "application/gzip" | "application/x-gzip" if is_sitemap => None,
            essence => self.refuses(essence),
        }
    }

    fn refuses(&self, content_type: &str) -> Option<String> {
        let matches = |pattern: &&Pattern| pattern.matches(content_type);
        if let Some(pattern) = self.exclude_types.iter().find(matches) {
            return Some(format!("the type {content_type} is excluded by the pattern {pattern}"));
        }
        if self.types.is_empty() || self.types.iter().any(|pattern| matches(&pattern)) {
            return None;
        }
        Some(format!("the type {content_type} is not among the types that are visited"))
    }
}

/// The ending of an address, in lower case, and the type that files with it have. `None` where it says
/// nothing.
fn type_of_ending(address: &str) -> Option<(&'static str, &'static str)> {
    const TYPES: &[(&str, &[&str])] = &[
        (
            "image/*",
            &[
                "jpg", "jpeg", "png", "gif", "webp", "avif", "bmp", "ico", "tif", "tiff", "svg",
                "svgz", "heic", "psd",
            ],
        ),
        (
            "audio/*",
            &["mp3", "ogg", "oga", "wav", "flac", "aac", "m4a", "opus", "mid", "midi", "wma"],
        ),
        (
            "video/*",
            &["mp4", "m4v", "webm", "avi", "mov", "mkv", "mpg", "mpeg", "ogv", "wmv", "flv", "3gp"],
        ),
        ("font/*", &["woff", "woff2", "ttf", "otf", "eot"]),
        (
            "application/zip",
            &[
                "zip", "jar", "war", "ear", "whl", "apk", "xpi", "epub", "odt", "ods", "odp",
                "docx", "xlsx", "pptx",
            ],
        ),
        ("application/gzip", &["gz", "tgz"]),
        (
            "application/x-archive",
            &[
                "tar", "bz2", "tbz2", "xz", "txz", "zst", "7z", "rar", "lz", "lzma", "cab",
                "crate", "gem",
            ],
        ),
        (
            "application/x-package",
            &[
                "deb", "rpm", "dmg", "iso", "img", "msi", "exe", "pkg", "bin", "so", "dll",
                "class", "snap",
            ],
        ),
        ("application/x-office", &["doc", "xls", "ppt", "rtf"]),
        ("application/x-signature", &["asc", "sig", "md5", "sha1", "sha256", "sha512"]),
        ("application/pdf", &["pdf"]),
    ];
    let path = Parts::parse(address)?.path;
    if path.ends_with(".xml.gz") {
        return None;
    }
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    let is = |known: &&&str| known.eq_ignore_ascii_case(ending);
    TYPES.iter().find_map(|(content_type, endings)| {
        endings.iter().find(is).map(|ending| (*ending, *content_type))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(texts: &[&str]) -> Vec<Pattern> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn usual() -> VisitRules {
        VisitRules {
            types: patterns(&["text/*", "application/pdf", "application/*xml"]),
            ..VisitRules::default()
        }
    }

    #[test]
    fn a_glob_matches_the_whole_address_or_the_path_and_a_regular_expression_any_part() {
        let page = "https://a.org/docs/guide.html?v=2";
        for (text, expected) in [
            ("https://a.org/docs/*", true),
            ("*guide*", true),
            ("*.html", false),
            ("/docs/*", true),
            ("/docs/guide.html?v=2", true),
            ("/guide*", false),
            ("re:v=[0-9]$", true),
            ("re:^https://b", false),
        ] {
            let pattern: Pattern = text.parse().unwrap();
            assert_eq!(pattern.matches(page), expected, "{text}");
        }
        assert!("/".parse::<Pattern>().unwrap().matches("https://a.org/"));
        assert!("re:(".parse::<Pattern>().is_err());
        assert!(
            "a[".parse::<Pattern>().unwrap_err().to_string().contains("\"a[\" is not a pattern")
        );
        assert!("".parse::<Pattern>().is_err());
    }

    #[test]
    fn addresses_are_included_and_excluded_and_seeds_are_always_visited() {
        let rules = VisitRules {
            include: patterns(&["/docs/*"]),
            exclude: patterns(&["re:/old/"]),
            seeds: ["https://a.org/".to_owned()].into(),
            ..VisitRules::default()
        };
        assert_eq!(rules.refusal("https://a.org/docs/x"), None);
        assert_eq!(rules.refusal("https://a.org/"), None);
        let refusal = |address| rules.refusal(address).unwrap();
        assert!(refusal("https://a.org/docs/old/x").contains("the pattern re:/old/"));
        assert!(refusal("https://a.org/blog").contains("include"));
    }

    #[test]
    fn media_and_archives_are_known_by_their_endings_and_by_their_types() {
        let rules = usual();
        for page in ["x", "x.html", "x.pdf", "x.txt", "x.php?f=a.jpg", "map.xml.gz", ".zip", "v1.2"]
        {
            assert_eq!(rules.refusal(&format!("https://a.org/{page}")), None, "{page}");
        }
        for file in ["x.JPG", "a.b.zip", "x.mp4?t=1", "x.tar.gz", "x.woff2"] {
            assert!(rules.refusal(&format!("https://a.org/{file}")).is_some(), "{file}");
        }
        let of = |content_type| rules.type_refusal(content_type, "https://a.org/x");
        for content_type in ["", "Text/HTML; charset=x", "application/rss+xml", "application/pdf"] {
            assert_eq!(of(content_type), None, "{content_type}");
        }
        assert!(of("image/png").unwrap().contains("image/png"));
        assert!(of("application/gzip").is_some());
        assert_eq!(rules.type_refusal("application/gzip", "https://a.org/s.xml.gz"), None);
        // Without patterns, everything is visited.
        assert_eq!(VisitRules::default().refusal("https://a.org/x.zip"), None);
        assert_eq!(VisitRules::default().type_refusal("image/png", ""), None);
    }
}
