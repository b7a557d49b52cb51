//! Whatever arrives from outside is data: nothing here panics on it or takes for ever.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crawl::Time;
use proptest::prelude::*;
use web::{
    range::not_public,
    robots::Rules,
    scope::{Scope, ScopeKind},
    traps::{TrapLimits, Traps},
};

/// Bytes that look a little like a robots.txt, so that more than the first check is reached.
fn robots_like() -> impl Strategy<Value = Vec<u8>> {
    let record = prop::sample::select(vec![
        "User-agent: *\n",
        "user-agent: sanderling\r\n",
        "Disallow: ",
        "Allow:",
        "Crawl-delay: ",
        "Sitemap: http://",
        "\n",
        "\r",
        "#",
        "*",
        "$",
        "%",
        "%2",
        "%2F",
        "/",
        "?",
        ":",
        "1e999",
        "\u{FEFF}",
        "é",
    ]);
    let piece = prop_oneof![
        4 => record.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Text that is, or nearly is, an address.
fn address_like() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "/",
        "/a",
        "?",
        "&",
        "=",
        "a=1",
        "#",
        ":",
        "80",
        "%",
        "%2F",
        ";",
        "*",
        "$",
        "2031",
        "-05",
        "/05",
        "/12",
        "-12",
        "year=2031",
        "&month=5",
        "date=",
        "2031-05-12",
        "é",
        "[",
        "]",
        "@",
        "www.",
        "co.uk",
        "(S(",
        "))",
        ";jsessionid=",
        "sid=",
        "..",
        ".",
        "127.0.0.1",
        "\u{0}",
    ]);
    let start = prop::sample::select(vec!["http://", "https://", "https://a.org/", "", "HTTP://A"]);
    let pieces = prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat());
    prop_oneof![
        4 => (start, pieces).prop_map(|(start, rest)| format!("{start}{rest}")),
        1 => any::<String>(),
    ]
}

/// What a site's `Disallow: pattern` refuses, found the slow and obvious way: position by position.
fn slowly_matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|from| slowly_matches(rest, &path[from..])),
        [first, rest @ ..] => path.first() == Some(first) && slowly_matches(rest, &path[1..]),
    }
}

proptest! {
    #[test]
    fn rules_read_anything(body in robots_like(), token in any::<String>(), address in address_like()) {
        for token in [&*token, "sanderling"] {
            let rules = Rules::parse(&body, token);
            prop_assert!(rules.allows(&address) || rules.matched(&address).is_some());
            prop_assert!(rules.allows("https://a.org/robots.txt"));
        }
    }

    #[test]
    fn rules_read_any_bytes(body in prop::collection::vec(any::<u8>(), 0..2_000)) {
        Rules::parse(&body, "sanderling").allows("https://a.org/x");
    }

    #[test]
    fn rules_match_as_an_obvious_matcher_does(pattern in "/[ab/*]{0,8}\\$?", path in "/[ab/]{0,10}") {
        let rules = Rules::parse(format!("User-agent: *\nDisallow: {pattern}").as_bytes(), "x");
        let expected = slowly_matches(pattern.as_bytes(), path.as_bytes());
        prop_assert_eq!(!rules.allows(&format!("https://a.org{path}")), expected);
    }

    #[test]
    fn a_scope_takes_any_seed_and_any_address(
        seeds in prop::collection::vec(address_like(), 0..4),
        address in address_like(),
    ) {
        for kind in [ScopeKind::Host, ScopeKind::Domain, ScopeKind::Prefix, ScopeKind::Any] {
            Scope::new(kind, &seeds).admits(&address);
        }
    }

    #[test]
    fn a_scope_admits_its_own_seeds(seed in address_like()) {
        if let Some(seed) = extract::read::address::canonical(&seed) {
            for kind in [ScopeKind::Host, ScopeKind::Domain, ScopeKind::Prefix, ScopeKind::Any] {
                prop_assert!(Scope::new(kind, std::slice::from_ref(&seed)).admits(&seed), "{kind}");
            }
        }
    }

    #[test]
    fn traps_take_any_address_at_any_time(
        addresses in prop::collection::vec(address_like(), 0..8),
        now in any::<i64>(),
    ) {
        let mut traps = Traps::new(TrapLimits::default());
        for address in &addresses {
            if let Some(trap) = traps.refuses(address, Time::from_millis(now)) {
                prop_assert!(!trap.to_string().is_empty() && !trap.name().is_empty());
            }
            traps.note(address);
        }
    }

    /// Knowing a page never makes that page a trap, except by filling a limit.
    #[test]
    fn a_known_page_is_no_permutation_of_itself(address in address_like()) {
        let mut traps = Traps::new(TrapLimits::default());
        let now = Time::from_millis(0);
        let before = traps.refuses(&address, now);
        traps.note(&address);
        prop_assert_eq!(traps.refuses(&address, now), before);
    }

    #[test]
    fn every_ip_address_is_public_or_has_a_kind(v4 in any::<u32>(), v6 in any::<u128>()) {
        let inside = Ipv4Addr::from(v4);
        let kind = not_public(IpAddr::V4(inside));
        prop_assert_eq!(not_public(IpAddr::V6(inside.to_ipv6_mapped())), kind);
        let other = not_public(IpAddr::V6(Ipv6Addr::from(v6)));
        prop_assert!(other.is_none_or(|kind| !kind.is_empty()));
    }
}

/// Each would take longer than the age of the universe with a matcher that goes back.
#[test]
fn patterns_with_many_stars_are_matched_in_linear_time() {
    let path = format!("https://a.org/{}", "a".repeat(100_000));
    for pattern in [
        format!("/{}b", "a*".repeat(1_000)),
        format!("/{}b$", "*a".repeat(1_000)),
        format!("/{}b", "*".repeat(1_000)),
        format!("/*{}b", "a".repeat(50_000)),
        format!("/{}", "*aaaaaaaab".repeat(1_000)),
    ] {
        let rules = Rules::parse(format!("User-agent: *\nDisallow: {pattern}").as_bytes(), "x");
        assert!(rules.allows(&path));
    }
    let rules =
        Rules::parse(format!("User-agent: *\nDisallow: /{}$", "*a".repeat(1_000)).as_bytes(), "x");
    assert!(!rules.allows(&path));
}

#[test]
fn a_path_of_slashes_and_a_query_of_ampersands_are_no_trouble() {
    let generous = TrapLimits {
        path_depth: usize::MAX,
        query_parameters: usize::MAX,
        ..TrapLimits::default()
    };
    let mut traps = Traps::new(generous);
    for address in [
        format!("https://a.org{}", "/".repeat(100_000)),
        format!("https://a.org/?{}", "&".repeat(100_000)),
        format!("https://a.org/{}", "2031-05-".repeat(20_000)),
        format!("https://a.org/?{}", "2031/05/".repeat(20_000)),
        format!("https://a.org{}", "/2031/05".repeat(200)),
    ] {
        traps.refuses(&address, Time::from_millis(0));
        traps.note(&address);
    }
}
