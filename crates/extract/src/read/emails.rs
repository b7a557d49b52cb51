//! Counts the e-mail addresses in the text and in `mailto:` links.
use rustc_hash::FxHashSet;

/// The longest parts before and after the `@` (RFC 5321, 4.5.3.1).
const LONGEST_LOCAL: usize = 64;
const LONGEST_DOMAIN: usize = 255;

/// The number of distinct addresses in `text` and in the targets of `mailto` links.
pub(crate) fn count(text: &str, mailto: &[String]) -> u32 {
    if mailto.is_empty() && !text.contains('@') {
        return 0;
    }
    let mut seen = FxHashSet::default();
    for text in mailto.iter().map(String::as_str).chain([text]) {
        for (at, _) in text.match_indices('@') {
            seen.extend(around(text, at));
        }
    }
    seen.len() as u32
}

/// The address around the `@` at `at`, in lower case.
fn around(text: &str, at: usize) -> Option<String> {
    let before = text.as_bytes()[..at].iter().rev().take(LONGEST_LOCAL + 1);
    let local = before.take_while(|&&byte| is_local(byte)).count();
    let after = text.as_bytes()[at + 1..].iter().take(LONGEST_DOMAIN + 1);
    let domain = after.take_while(|&&byte| is_domain(byte)).count();
    if !(1..=LONGEST_LOCAL).contains(&local) || domain > LONGEST_DOMAIN {
        return None;
    }
    let local = text[at - local..at].trim_start_matches('.');
    let domain = text[at + 1..at + 1 + domain].trim_end_matches(['.', '-']);
    let (rest, top) = domain.rsplit_once('.')?;
    let is_name = top.len() >= 2
        && top.bytes().all(|byte| byte.is_ascii_alphabetic())
        && rest.split('.').all(|label| !label.is_empty());
    (is_name && !local.is_empty()).then(|| format!("{local}@{domain}").to_ascii_lowercase())
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-')
}

fn is_domain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_counts_once() {
        assert_eq!(count("Write to Ann@Example.org, ann@example.org. Or bob@b.co.uk!", &[]), 2);
    }

    #[test]
    fn mailto_links_count_with_the_text() {
        let mailto = ["a@x.org,b@x.org?cc=c@x.org".to_owned()];
        assert_eq!(count("a@x.org", &mailto), 3);
    }

    #[test]
    fn other_uses_of_the_at_sign_do_not_count() {
        assert_eq!(count("@media a@b x @ y user@host @a.org a@.org a@b..org a@1.2.3.4 é@", &[]), 0);
    }
}
