//! What a page asks of robots: `noindex` and `nofollow`, in its head or in `X-Robots-Tag`.
use crate::Directives;

/// The name by which pages and headers may speak to us alone.
pub const TOKEN: &str = "sanderling";

/// What `<meta name="robots" content="…">` asks for; `name` says whom it asks.
pub(crate) fn of_meta(name: &[u8], content: &str) -> Directives {
    let for_us =
        name.eq_ignore_ascii_case(b"robots") || name.eq_ignore_ascii_case(TOKEN.as_bytes());
    if for_us { of_list(content) } else { Directives::default() }
}

/// What a header `X-Robots-Tag` asks of us: a list, after the name of one robot where it is meant
/// for that robot alone.
pub fn of_header(value: &str) -> Directives {
    match value.split_once(':') {
        // `unavailable_after: 25 Jun 2030` is a directive with a value, not a robot's name.
        Some((name, _)) if name.trim().eq_ignore_ascii_case("unavailable_after") => {
            Directives::default()
        }
        Some((name, list)) if !name.contains(',') => {
            let for_us = name.trim().eq_ignore_ascii_case(TOKEN);
            if for_us { of_list(list) } else { Directives::default() }
        }
        _ => of_list(value),
    }
}

fn of_list(list: &str) -> Directives {
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

    fn asks(directives: &Directives) -> (bool, bool) {
        (directives.noindex, directives.nofollow)
    }

    #[test]
    fn a_page_speaks_to_all_robots_or_to_us() {
        assert_eq!(asks(&of_meta(b"ROBOTS", "NoIndex, follow")), (true, false));
        assert_eq!(asks(&of_meta(b"sanderling", "nofollow,noarchive")), (false, true));
        assert_eq!(asks(&of_meta(b"robots", " none ")), (true, true));
        assert_eq!(asks(&of_meta(b"otherbot", "none")), (false, false));
        assert_eq!(asks(&of_meta(b"robots", "noindexed")), (false, false));
    }

    #[test]
    fn a_header_may_name_a_robot() {
        assert_eq!(asks(&of_header("noindex, nofollow")), (true, true));
        assert_eq!(asks(&of_header("otherbot: noindex")), (false, false));
        assert_eq!(asks(&of_header("Sanderling: noindex")), (true, false));
        assert_eq!(asks(&of_header("unavailable_after: 25 Jun 2030 15:00:00 PST")), (false, false));
        assert_eq!(asks(&of_header("noindex, unavailable_after: 25 Jun 2030")), (true, false));
    }
}
