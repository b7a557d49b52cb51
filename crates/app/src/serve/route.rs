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
    OpenApi,
    Metrics,
    Health,
    Robots,
    Icon,
    Style,
}

/// Every path, with its parameter in braces as `OpenAPI` writes it.
#[cfg(test)]
pub(crate) const PATTERNS: [&str; 17] = [
    "/",
    "/search",
    "/page/{no}",
    "/page/{no}/compare",
    "/go/{no}",
    "/status",
    "/api",
    "/api/search",
    "/api/page",
    "/api/status",
    "/api/changes",
    "/api/openapi.json",
    "/metrics",
    "/healthz",
    "/robots.txt",
    "/favicon.ico",
    "/assets/{file}",
];

impl Route {
    /// Parses a path; `style` is the path of the style sheet.
    pub(crate) fn parse(path: &str, style: &str) -> Option<Self> {
        Some(match path {
            "/" => Self::Home,
            "/search" => Self::Search,
            "/status" => Self::Status,
            "/api" => Self::Api,
            "/api/search" => Self::ApiSearch,
            "/api/page" => Self::ApiPage,
            "/api/status" => Self::ApiStatus,
            "/api/changes" => Self::ApiChanges,
            "/api/openapi.json" => Self::OpenApi,
            "/metrics" => Self::Metrics,
            "/healthz" => Self::Health,
            "/robots.txt" => Self::Robots,
            "/favicon.ico" => Self::Icon,
            _ if path == style => Self::Style,
            _ => Self::parse_page(path)?,
        })
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

    /// Its pattern, for metrics and documentation.
    pub(crate) fn pattern(self) -> &'static str {
        match self {
            Self::Home => "/",
            Self::Search => "/search",
            Self::Page(_) => "/page/{no}",
            Self::Compare(_) => "/page/{no}/compare",
            Self::Go(_) => "/go/{no}",
            Self::Status => "/status",
            Self::Api => "/api",
            Self::ApiSearch => "/api/search",
            Self::ApiPage => "/api/page",
            Self::ApiStatus => "/api/status",
            Self::ApiChanges => "/api/changes",
            Self::OpenApi => "/api/openapi.json",
            Self::Metrics => "/metrics",
            Self::Health => "/healthz",
            Self::Robots => "/robots.txt",
            Self::Icon => "/favicon.ico",
            Self::Style => "/assets/{file}",
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
mod tests {
    use super::*;

    #[test]
    fn every_path_leads_to_one_route_and_back() {
        for pattern in PATTERNS {
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
