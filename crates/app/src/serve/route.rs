//! The paths of the server.
use crawl::{HostNo, PageNo};

/// A path, parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Home,
    Search,
    Dashboard,
    Hosts,
    Host(HostNo),
    Changes,
    Atom,
    Events,
    Page(PageNo),
    Compare(PageNo),
    Why(PageNo),
    Version(PageNo, u64),
    Frame(PageNo, u64),
    Record(PageNo, u64),
    Go(PageNo),
    /// Where the dashboard was once.
    Status,
    Api,
    ApiSearch,
    ApiPage,
    ApiStatus,
    ApiChanges,
    ApiCorpus,
    OpenApi,
    Metrics,
    Health,
    Robots,
    Icon,
    Style,
    Script,
}

/// The paths without a parameter.
const FIXED: [(&str, Route); 19] = [
    ("/", Route::Home),
    ("/search", Route::Search),
    ("/dashboard", Route::Dashboard),
    ("/hosts", Route::Hosts),
    ("/changes", Route::Changes),
    ("/changes.atom", Route::Atom),
    ("/events", Route::Events),
    ("/status", Route::Status),
    ("/api", Route::Api),
    ("/api/search", Route::ApiSearch),
    ("/api/page", Route::ApiPage),
    ("/api/status", Route::ApiStatus),
    ("/api/changes", Route::ApiChanges),
    ("/api/corpus", Route::ApiCorpus),
    ("/api/openapi.json", Route::OpenApi),
    ("/metrics", Route::Metrics),
    ("/healthz", Route::Health),
    ("/robots.txt", Route::Robots),
    ("/favicon.ico", Route::Icon),
];

impl Route {
    /// Parses a path; `assets` are the paths of the style sheet and the script.
    pub(crate) fn parse(path: &str, assets: [&str; 2]) -> Option<Self> {
        if path == assets[0] {
            return Some(Self::Style);
        }
        if path == assets[1] {
            return Some(Self::Script);
        }
        let fixed = FIXED.iter().find(|(pattern, _)| *pattern == path);
        fixed.map(|&(_, route)| route).or_else(|| Self::parse_numbered(path))
    }

    fn parse_numbered(path: &str) -> Option<Self> {
        let mut parts = path.strip_prefix('/')?.split('/');
        let (kind, first) = (parts.next()?, parts.next()?);
        let rest: Vec<&str> = parts.collect();
        if kind == "host" && rest.is_empty() {
            return number(first).map(HostNo).map(Self::Host);
        }
        let page = number(first).map(PageNo)?;
        Some(match (kind, &rest[..]) {
            ("go", []) => Self::Go(page),
            ("page", []) => Self::Page(page),
            ("page", ["compare"]) => Self::Compare(page),
            ("page", ["why"]) => Self::Why(page),
            ("page", ["version", visit]) => Self::Version(page, number(visit)?),
            ("page", ["version", visit, "frame"]) => Self::Frame(page, number(visit)?),
            ("page", ["version", visit, "record"]) => Self::Record(page, number(visit)?),
            _ => return None,
        })
    }

    /// Its path with parameters in braces, as in `openapi.json` and in metrics.
    pub(crate) fn pattern(self) -> &'static str {
        match self {
            Self::Host(_) => "/host/{no}",
            Self::Page(_) => "/page/{no}",
            Self::Compare(_) => "/page/{no}/compare",
            Self::Why(_) => "/page/{no}/why",
            Self::Version(..) => "/page/{no}/version/{visit}",
            Self::Frame(..) => "/page/{no}/version/{visit}/frame",
            Self::Record(..) => "/page/{no}/version/{visit}/record",
            Self::Go(_) => "/go/{no}",
            Self::Style | Self::Script => "/assets/{file}",
            fixed => {
                FIXED.iter().find(|(_, route)| *route == fixed).map_or("other", |(path, _)| path)
            }
        }
    }
}

/// A number: digits without leading zeros.
fn number<T: std::str::FromStr>(digits: &str) -> Option<T> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const ASSETS: [&str; 2] = ["/assets/style-1.css", "/assets/live-1.js"];

    /// The patterns of all paths.
    pub(crate) fn patterns() -> Vec<&'static str> {
        let others = [
            "/host/{no}",
            "/page/{no}",
            "/page/{no}/compare",
            "/page/{no}/why",
            "/page/{no}/version/{visit}",
            "/page/{no}/version/{visit}/frame",
            "/page/{no}/version/{visit}/record",
            "/go/{no}",
            "/assets/{file}",
        ];
        FIXED.iter().map(|&(pattern, _)| pattern).chain(others).collect()
    }

    #[test]
    fn every_path_leads_to_one_route_and_back() {
        for pattern in patterns() {
            let path = pattern.replace("{no}", "12").replace("{file}", "style-1.css");
            let path = path.replace("{visit}", "7");
            let route = Route::parse(&path, ASSETS).unwrap();
            assert_eq!(route.pattern(), pattern);
        }
    }

    #[test]
    fn other_paths_have_no_route() {
        for path in [
            "",
            "//",
            "/page/",
            "/page/x",
            "/page/-1",
            "/page/+1",
            "/page/01",
            "/page/1/",
            "/page/4294967296",
            "/go/1/compare",
            "/page//compare",
            "/assets/../style-1.css",
            "/assets/style-2.css",
            "/api/",
            "/host/x",
            "/host/1/why",
            "/page/1/version",
            "/page/1/version/x/frame",
            "/page/1/version/2/frames",
            "/page/1/version/2/frame/3",
        ] {
            assert_eq!(Route::parse(path, ASSETS), None, "{path}");
        }
    }
}
