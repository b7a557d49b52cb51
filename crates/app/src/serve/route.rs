//! The paths of the server.
use crawl::PageNo;

/// A path, parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Home,
    Search,
    Page(PageNo),
    Compare(PageNo),
    Go(PageNo),
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
}

/// The paths without a parameter.
const FIXED: [(&str, Route); 14] = [
    ("/", Route::Home),
    ("/search", Route::Search),
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
    /// Parses a path; `style` is the path of the style sheet.
    pub(crate) fn parse(path: &str, style: &str) -> Option<Self> {
        if path == style {
            return Some(Self::Style);
        }
        let fixed = FIXED.iter().find(|(pattern, _)| *pattern == path);
        fixed.map(|&(_, route)| route).or_else(|| Self::parse_page(path))
    }

    fn parse_page(path: &str) -> Option<Self> {
        if let Some(number) = path.strip_prefix("/go/") {
            return page(number).map(Self::Go);
        }
        let rest = path.strip_prefix("/page/")?;
        match rest.strip_suffix("/compare") {
            Some(number) => page(number).map(Self::Compare),
            None => page(rest).map(Self::Page),
        }
    }

    /// Its path with the parameter in braces, as in `openapi.json` and in metrics.
    pub(crate) fn pattern(self) -> &'static str {
        match self {
            Self::Page(_) => "/page/{no}",
            Self::Compare(_) => "/page/{no}/compare",
            Self::Go(_) => "/go/{no}",
            Self::Style => "/assets/{file}",
            fixed => {
                FIXED.iter().find(|(_, route)| *route == fixed).map_or("other", |(path, _)| path)
            }
        }
    }
}

/// A page number: digits without leading zeros.
fn page(digits: &str) -> Option<PageNo> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| is_plain).map(PageNo)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The patterns of all paths.
    pub(crate) fn patterns() -> Vec<&'static str> {
        let others = ["/page/{no}", "/page/{no}/compare", "/go/{no}", "/assets/{file}"];
        FIXED.iter().map(|&(pattern, _)| pattern).chain(others).collect()
    }

    #[test]
    fn every_path_leads_to_one_route_and_back() {
        for pattern in patterns() {
            let path = pattern.replace("{no}", "12").replace("{file}", "style-1.css");
            let route = Route::parse(&path, "/assets/style-1.css").unwrap();
            assert_eq!(route.pattern(), pattern);
        }
    }

    #[test]
    fn other_paths_have_no_route() {
        let style = "/assets/style-1.css";
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
        ] {
            assert_eq!(Route::parse(path, style), None, "{path}");
        }
    }
}
