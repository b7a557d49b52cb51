//! The key of an address in an index: `https://www.Example.com:443/Path?b&a` is
//! `com,example)/path?a&b`.
//!
//! Replay tools take two addresses with one key for the same page, so the rules are theirs, oddities
//! included: those of the `surt` package with its default settings, which pywb and cdxj-indexer use.
//! One thing differs: non-ASCII hosts are encoded by the rules of today's browsers, not by those of
//! 2003. Parsed addresses have no such hosts.
use super::host::{canonical_host, split_authority};
use super::session::{without_path_session, without_query_session};

/// The key of `address`. An address that cannot be parsed is its own key.
pub fn surt(address: &str) -> String {
    if address.is_empty() {
        return "-".to_owned();
    }
    if address.starts_with("filedesc") {
        return address.to_owned();
    }
    key(address.as_bytes()).unwrap_or_else(|| address.to_owned())
}

fn key(address: &[u8]) -> Option<String> {
    let text: Vec<u8> = trim(address).iter().copied().filter(|b| !b"\r\n\t".contains(b)).collect();
    let text = with_scheme(text);
    let text = without_repeated_scheme(&text);
    let parts = split(text)?;
    let (mut host, port) = split_authority(parts.authority)?;
    let mut path = parts.path.to_vec();
    if parts.scheme.starts_with(b"http") && host.is_empty() && !path.is_empty() {
        // `http:////example.com/a`: too many slashes hide the host in the path.
        let rest = &path[path.iter().take_while(|&&byte| byte == b'/').count()..];
        let end = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
        host = rest[..end].to_vec();
        path = [b"/", rest.get(end + 1..).unwrap_or_default()].concat();
    }

    let mut out = Vec::new();
    let is_dns = parts.scheme == b"dns";
    let has_host = !host.is_empty();
    let host = canonical_host(&host, is_dns);
    if host.is_empty() {
        out.extend_from_slice(parts.scheme);
        out.push(b':');
    } else {
        let mut labels: Vec<&[u8]> = host.split(|&byte| byte == b'.').collect();
        labels.reverse();
        out.extend_from_slice(&labels.join(&b','));
        if let Some(port) = port.filter(|&port| Some(port) != default_port(parts.scheme)) {
            out.extend_from_slice(format!(":{port}").as_bytes());
        }
        out.push(b')');
    }
    let path = canonical_path(&path, has_host && !host.is_empty());
    let query = canonical_query(parts.query);
    out.extend_from_slice(&path);
    if let Some(query) = query {
        if path.is_empty() {
            out.push(b'/');
        }
        out.push(b'?');
        out.extend_from_slice(&query);
    }
    String::from_utf8(out).ok()
}

struct Parts<'a> {
    scheme: &'a [u8],
    authority: &'a [u8],
    path: &'a [u8],
    query: &'a [u8],
}

/// The text before the first colon, if it could be a scheme.
fn scheme(text: &[u8]) -> Option<&[u8]> {
    let colon = text.iter().position(|&byte| byte == b':')?;
    let (first, rest) = text[..colon].split_first()?;
    let fits = first.is_ascii_alphabetic()
        && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    fits.then_some(&text[..colon])
}

fn with_scheme(text: Vec<u8>) -> Vec<u8> {
    if text.is_empty() || scheme(&text).is_some() { text } else { [b"http://", &*text].concat() }
}

/// `http://https://example.com/` has two schemes; the last one counts.
fn without_repeated_scheme(text: &[u8]) -> &[u8] {
    let after = |text: &[u8]| {
        [&b"http://"[..], b"https://"].iter().find(|s| text.starts_with(s)).map(|s| s.len())
    };
    let mut rest = text;
    while let Some(length) = after(rest) {
        if after(&rest[length..]).is_none() {
            break;
        }
        rest = &rest[length..];
    }
    rest
}

/// RFC 2396, appendix B.
fn split(text: &[u8]) -> Option<Parts<'_>> {
    let scheme = scheme(text)?;
    let rest = &text[scheme.len() + 1..];
    let rest = &rest[..rest.iter().position(|&byte| byte == b'#').unwrap_or(rest.len())];
    let (rest, query) = match rest.iter().position(|&byte| byte == b'?') {
        Some(mark) => (&rest[..mark], &rest[mark + 1..]),
        None => (rest, &b""[..]),
    };
    let (authority, path) = match rest.strip_prefix(b"//") {
        Some(rest) => rest.split_at(rest.iter().position(|&b| b == b'/').unwrap_or(rest.len())),
        None => (&b""[..], rest),
    };
    Some(Parts { scheme, authority, path, query })
}

fn default_port(scheme: &[u8]) -> Option<u16> {
    match scheme.to_ascii_lowercase().as_slice() {
        b"http" => Some(80),
        b"https" => Some(443),
        _ => None,
    }
}

fn canonical_path(path: &[u8], has_host: bool) -> Vec<u8> {
    let path = unescaped(path);
    let path = escaped(&if has_host { normal(&path) } else { path }).to_ascii_lowercase();
    let mut path = without_path_session(path);
    if path.len() > 1 {
        path.pop_if(|byte| *byte == b'/');
    }
    path
}

/// Removes `.`, `..` and empty parts. A `..` above the root stays.
fn normal(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/').skip(1) {
        match part {
            b"." => {}
            b".." if !kept.is_empty() => drop(kept.pop()),
            _ => kept.push(part),
        }
    }
    let last = kept.pop().unwrap_or_default();
    let mut path = b"/".to_vec();
    for part in kept.into_iter().filter(|part| !part.is_empty()) {
        path.extend_from_slice(part);
        path.push(b'/');
    }
    path.extend_from_slice(last);
    path
}

fn canonical_query(query: &[u8]) -> Option<Vec<u8>> {
    let query = without_query_session(escaped(&unescaped(query))).to_ascii_lowercase();
    let mut arguments: Vec<(&[u8], Option<&[u8]>)> = query
        .split(|&byte| byte == b'&')
        .map(|argument| match argument.iter().position(|&byte| byte == b'=') {
            Some(mark) => (&argument[..mark], Some(&argument[mark + 1..])),
            None => (argument, None),
        })
        .collect();
    arguments.sort_unstable();
    let arguments: Vec<Vec<u8>> = arguments
        .into_iter()
        .map(|(name, value)| match value {
            Some(value) => [name, b"=", value].concat(),
            None => name.to_vec(),
        })
        .collect();
    // A single `&` is a query with two empty arguments.
    Some(arguments.join(&b'&')).filter(|query| !query.is_empty())
}

/// Decodes `%XX` until none is left.
pub(super) fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    loop {
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let hex = |at: usize| text.get(at).and_then(|&b| char::from(b).to_digit(16));
            if let (b'%', Some(high), Some(low)) = (byte, hex(at + 1), hex(at + 2)) {
                out.push((high * 16 + low) as u8);
                at += 3;
            } else {
                out.push(byte);
                at += 1;
            }
        }
        if out.len() == text.len() {
            return out;
        }
        text = out;
    }
}

/// Escapes everything except visible ASCII, and also `#` and `%`.
pub(super) fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        if byte.is_ascii_graphic() && byte != b'#' && byte != b'%' {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    out
}

/// Trims ASCII white space.
fn trim(text: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| b" \t\n\r\x0b\x0c".contains(byte);
    let start = text.iter().position(|byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}
