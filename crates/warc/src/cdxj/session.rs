//! Removes the session identifiers of known servers from keys, since they make one page look like many.

/// The length of the session identifier at the start of a text.
type Session = fn(&[u8]) -> Option<usize>;

/// Session identifiers in a query, as `name=value`.
const QUERY_SESSIONS: [Session; 5] = [
    |text| named(text, b"jsessionid=", 32, u8::is_ascii_alphanumeric),
    |text| named(text, b"phpsessid=", 32, u8::is_ascii_alphanumeric),
    |text| named(text, b"sid=", 32, u8::is_ascii_alphanumeric),
    asp,
    cold_fusion,
];

/// Removes the session that ASP.NET writes as a folder, `/(s(24 letters))/page.aspx`. The path is in
/// lower case.
pub(super) fn without_path_session(path: Vec<u8>) -> Vec<u8> {
    let path = without_folder(path, |text| {
        let mut length = b"(".len();
        let mut rest = text.strip_prefix(b"(")?;
        while let Some((letter, session)) = rest.split_first() {
            if !letter.is_ascii_alphabetic() {
                break;
            }
            let Some(session) = bracketed(session) else { break };
            length += 1 + session;
            rest = &text[length..];
        }
        (length > 1 && rest.starts_with(b")/")).then_some(length + 2)
    });
    without_folder(path, |text| {
        let length = bracketed(text)?;
        text[length..].starts_with(b"/").then_some(length + 1)
    })
}

/// The length of `(24 letters or digits)`.
fn bracketed(text: &[u8]) -> Option<usize> {
    let inside = text.strip_prefix(b"(")?;
    let fits = inside.len() > 24
        && inside[..24].iter().all(u8::is_ascii_alphanumeric)
        && inside[24] == b')';
    fits.then_some(26)
}

/// Removes the last folder that `session` matches, if it contains an ASP.NET page.
fn without_folder(mut path: Vec<u8>, session: impl Fn(&[u8]) -> Option<usize>) -> Vec<u8> {
    for start in (1..=path.len()).rev().filter(|&start| path[start - 1] == b'/') {
        let Some(length) = session(&path[start..]) else { continue };
        let page = &path[start + length..];
        let is_page = page
            .windows(b".aspx".len())
            .enumerate()
            .any(|(at, window)| at > 0 && window == b".aspx" && !page[..at].contains(&b'?'));
        if is_page {
            path.drain(start..start + length);
            return path;
        }
    }
    path
}

/// Removes the sessions from a query. The `&` before one stays, as in the `surt` package.
pub(super) fn without_query_session(mut query: Vec<u8>) -> Vec<u8> {
    for session in QUERY_SESSIONS {
        for start in (0..query.len()).rev() {
            let Some(length) = session(&query[start..]) else { continue };
            let end = start + length;
            match query.get(end) {
                None => query.truncate(start),
                Some(b'&') => drop(query.drain(start..=end)),
                Some(_) => continue,
            }
            break;
        }
    }
    query
}

fn named(text: &[u8], name: &[u8], count: usize, fits: fn(&u8) -> bool) -> Option<usize> {
    let value = after(text, name)?.get(..count)?;
    value.iter().all(fits).then_some(name.len() + count)
}

/// `ASPSESSIONID` and 8 letters, `=` and 24 letters.
fn asp(text: &[u8]) -> Option<usize> {
    let name = b"aspsessionid";
    let rest = after(text, name)?;
    let fits = rest.get(..8)?.iter().all(u8::is_ascii_alphabetic)
        && rest.get(8) == Some(&b'=')
        && rest.get(9..33)?.iter().all(u8::is_ascii_alphabetic);
    fits.then_some(name.len() + 33)
}

/// `cfid=…&cftoken=…`.
fn cold_fusion(text: &[u8]) -> Option<usize> {
    let value = |text: &[u8]| {
        let length = text.iter().take_while(|&&byte| byte != b'&').count();
        (length > 0).then_some(length)
    };
    let rest = after(text, b"cfid=")?;
    let rest = after(&rest[value(rest)?..], b"&cftoken=")?;
    Some(text.len() - rest.len() + value(rest)?)
}

/// The text after `name`, ignoring case.
fn after<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    text.get(..name.len())?.eq_ignore_ascii_case(name).then(|| &text[name.len()..])
}
