//! Robots directives: `noindex` and `nofollow`, in a `<meta>` tag or an `X-Robots-Tag` header.
use crawl::Directives;

/// The name by which pages and headers address this crawler alone.
pub const TOKEN: &str = "sanderling";

/// Parses `<meta name="robots" content="…">`; `name` says which crawler is addressed.
pub(crate) fn parse_meta(name: &[u8], content: &str) -> Directives {
    let for_us =
        name.eq_ignore_ascii_case(b"robots") || name.eq_ignore_ascii_case(TOKEN.as_bytes());
    if for_us { parse_list(content) } else { Directives::default() }
}

/// Parses an `X-Robots-Tag` header: a list, after a crawler's name where it addresses one alone.
pub fn parse_header(value: &str) -> Directives {
    match value.split_once(':') {
        // `unavailable_after: 25 Jun 2030` is a directive with a value, not a robot's name.
        Some((name, _)) if name.trim().eq_ignore_ascii_case("unavailable_after") => {
            Directives::default()
        }
        Some((name, list)) if !name.contains(',') => {
            let for_us = name.trim().eq_ignore_ascii_case(TOKEN);
            if for_us { parse_list(list) } else { Directives::default() }
        }
        _ => parse_list(value),
    }
}

fn parse_list(list: &str) -> Directives {
    let mut directives = Directives::default();
    for word in list.split([',', ' ', '\t', '\n']) {
        let none = word.eq_ignore_ascii_case("none");
        directives.noindex |= none || word.eq_ignore_ascii_case("noindex");
        directives.nofollow |= none || word.eq_ignore_ascii_case("nofollow");
    }
    directives
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(directives: &Directives) -> (bool, bool) {
        (directives.noindex, directives.nofollow)
    }

    #[test]
    fn a_meta_tag_addresses_all_crawlers_or_this_one() {
        assert_eq!(flags(&parse_meta(b"ROBOTS", "NoIndex, follow")), (true, false));
        assert_eq!(flags(&parse_meta(b"sanderling", "nofollow,noarchive")), (false, true));
        assert_eq!(flags(&parse_meta(b"robots", " none ")), (true, true));
        assert_eq!(flags(&parse_meta(b"otherbot", "none")), (false, false));
        assert_eq!(flags(&parse_meta(b"robots", "noindexed")), (false, false));
    }

    #[test]
    fn a_header_may_name_a_crawler() {
        assert_eq!(flags(&parse_header("noindex, nofollow")), (true, true));
        assert_eq!(flags(&parse_header("otherbot: noindex")), (false, false));
        assert_eq!(flags(&parse_header("Sanderling: noindex")), (true, false));
        assert_eq!(
            flags(&parse_header("unavailable_after: 25 Jun 2030 15:00:00 PST")),
            (false, false)
        );
        assert_eq!(flags(&parse_header("noindex, unavailable_after: 25 Jun 2030")), (true, false));
    }
}
