//! The query of an address, and what in an address names a visitor instead of a page.
//!
//! A site that puts a session into its links shows every visitor, and every visit, other addresses for
//! the same pages; one that writes parameters now in this order and now in that does so by accident.
//! Either would be found anew at every visit for ever. So sessions go, and parameters are put in order
//! of their names.
//!
//! Departure from RFC 3986: servers may tell `a=1&b=2` from `b=2&a=1`, and few do. Only queries that
//! are all `NAME=VALUE` are put in order, and values of one name stay in theirs.

use std::ops::Range;

/// A session's value is at least so long: what is shorter may say which page is meant.
const LEAST_SESSION: usize = 16;

/// Names of parameters that hold sessions, in lower case.
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

/// What names of parameters that hold sessions begin with, in lower case.
const SESSION_PREFIXES: &[&str] = &["aspsessionid"];

/// Writes `?` and `query` after what is in `out`, without sessions and in order; nothing where nothing
/// is left of it.
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

/// Whether `write_query` writes a query as it is. May say no where it is.
pub(super) fn is_in_order(query: &str) -> bool {
    !query.is_empty() && !query.contains('&') && !is_session(query)
}

/// Where a path has a session in its parameters, as in `/page;jsessionid=0123456789ABCDEF`.
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

/// Whether a parameter names a visitor.
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
        // Values of one name may be meant in their order.
        assert_eq!(written("b=2&a=9&a=1"), "?a=9&a=1&b=2");
    }

    #[test]
    fn what_is_not_all_names_and_values_keeps_its_order() {
        for query in ["z&a", "b=1&a", "=2&a=1", "https://b.org/?z=1"] {
            assert_eq!(written(query), format!("?{query}"));
        }
    }

    #[test]
    fn what_says_nothing_between_two_signs_goes() {
        assert_eq!(written("&b=1&&a=2&"), "?a=2&b=1");
        assert_eq!(written("&&"), "");
    }

    #[test]
    fn a_session_is_no_part_of_an_address() {
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
    fn what_may_say_which_page_is_meant_stays() {
        for query in ["sid=12", "s=how+to+crawl", "s=internationalisation", "id=0123456789abcdef"] {
            assert_eq!(written(query), format!("?{query}"));
        }
    }

    proptest! {
        #[test]
        fn what_was_written_is_written_so_again(query in "[a-c=&;]{0,12}(&sid=0123456789abcdef)?") {
            let once = written(&query);
            prop_assert_eq!(written(once.strip_prefix('?').unwrap_or_default()), once.clone());
            if is_in_order(&query) {
                prop_assert_eq!(once, format!("?{query}"));
            }
        }

        #[test]
        fn any_order_of_parameters_is_the_same_address(
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
