//! Normalises the query of an address and removes session identifiers.
//!
//! A site that puts a session into its links shows different addresses for the same pages at every
//! visit. A site that varies the order of parameters does so, too. A crawler would find "new" pages
//! there forever. So sessions are removed and parameters are sorted by name.
//!
//! Departure from RFC 3986: servers may distinguish `a=1&b=2` from `b=2&a=1`, but few do. Only queries
//! made of `NAME=VALUE` are sorted, and values of one name keep their order.

use std::ops::Range;

/// The shortest session value. Shorter values may identify a page.
const LEAST_SESSION: usize = 16;

/// Names of session parameters, in lower case.
const SESSIONS: &[&str] = &[
    "jsessionid",
    "phpsessid",
    "sessionid",
    "session_id",
    "sessid",
    "sid",
    "s",
    "oscsid",
    "zenid",
    "cftoken",
];

/// Prefixes of session parameters, in lower case.
const SESSION_PREFIXES: &[&str] = &["aspsessionid"];

/// Appends `?` and the normalised `query` to `out`; nothing where it is empty without sessions.
pub(super) fn write_query(query: &str, out: &mut String) {
    let mut parts: Vec<&str> = query.split('&').collect();
    parts.retain(|part| !part.is_empty() && !is_session(part));
    if parts.iter().all(|part| part.find('=').is_some_and(|at| at > 0)) {
        parts.sort_by_key(|part| name(part));
    }
    let mut before = '?';
    for part in parts {
        out.push(before);
        out.push_str(part);
        before = '&';
    }
}

/// Whether a query is certainly normalised: `write_query` would not change it.
pub(super) fn is_normalised(query: &str) -> bool {
    !query.is_empty() && !query.contains('&') && !is_session(query)
}

/// The range of a session in the parameters of a path, as in `/page;jsessionid=0123456789ABCDEF`.
pub(super) fn session_in(path: &str) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(at) = path[from..].find(';').map(|at| from + at) {
        let end = path[at + 1..].find([';', '/']).map_or(path.len(), |end| at + 1 + end);
        if is_session(&path[at + 1..end]) {
            return Some(at..end);
        }
        from = end;
    }
    None
}

fn name(part: &str) -> &str {
    part.split_once('=').map_or(part, |(name, _)| name)
}

/// Whether a parameter is a session identifier.
fn is_session(part: &str) -> bool {
    let Some((name, value)) = part.split_once('=') else { return false };
    let is_opaque = value.len() >= LEAST_SESSION
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let begins = |prefix: &&str| {
        name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    is_opaque
        && (SESSIONS.iter().any(|session| name.eq_ignore_ascii_case(session))
            || SESSION_PREFIXES.iter().any(begins))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::address::canonical;

    fn written(query: &str) -> String {
        let mut out = String::new();
        write_query(query, &mut out);
        out
    }

    #[test]
    fn two_orders_of_the_same_parameters_are_one_address() {
        assert_eq!(written("b=2&a=1"), "?a=1&b=2");
        assert_eq!(written("a=1&b=2"), "?a=1&b=2");
        // The order of values of one name may be significant.
        assert_eq!(written("b=2&a=9&a=1"), "?a=9&a=1&b=2");
    }

    #[test]
    fn queries_with_other_parts_than_name_value_keep_their_order() {
        for query in ["z&a", "b=1&a", "=2&a=1", "https://b.org/?z=1"] {
            assert_eq!(written(query), format!("?{query}"));
        }
    }

    #[test]
    fn empty_parameters_are_removed() {
        assert_eq!(written("&b=1&&a=2&"), "?a=2&b=1");
        assert_eq!(written("&&"), "");
    }

    #[test]
    fn sessions_are_removed() {
        let session = "0af31b29c4d8e7f60123456789abcdef";
        for name in ["sid", "PHPSESSID", "jsessionid", "ASPSESSIONIDQQBCDA"] {
            assert_eq!(written(&format!("id=7&{name}={session}")), "?id=7");
            assert_eq!(written(&format!("{name}={session}")), "");
        }
        let with = format!("http://a.org/shop;jsessionid={session}/item;v=2?b=1");
        assert_eq!(canonical(&with).as_deref(), Some("http://a.org/shop/item;v=2?b=1"));
        let escaped = format!("http://a.org/shop;s%69d={session};sid={session}");
        assert_eq!(canonical(&escaped).as_deref(), Some("http://a.org/shop"));
    }

    #[test]
    fn parameters_that_may_identify_a_page_stay() {
        for query in ["sid=12", "s=how+to+crawl", "s=internationalisation", "id=0123456789abcdef"] {
            assert_eq!(written(query), format!("?{query}"));
        }
    }

    proptest! {
        #[test]
        fn normalising_is_idempotent(query in "[a-c=&;]{0,12}(&sid=0123456789abcdef)?") {
            let once = written(&query);
            prop_assert_eq!(written(once.strip_prefix('?').unwrap_or_default()), once.clone());
            if is_normalised(&query) {
                prop_assert_eq!(once, format!("?{query}"));
            }
        }

        #[test]
        fn the_order_of_parameters_does_not_matter(
            names in prop::collection::btree_set("[a-z]{1,3}", 1..6),
            turn in 0_usize..6,
        ) {
            let mut pairs: Vec<String> = names.iter().map(|name| format!("{name}=1")).collect();
            let sorted = written(&pairs.join("&"));
            let turn = turn % pairs.len();
            pairs.rotate_left(turn);
            prop_assert_eq!(written(&pairs.join("&")), sorted);
        }
    }
}
