//! Canonical hosts in keys, including IPv4 addresses written as numbers.
use std::net::Ipv4Addr;

use super::surt::{escaped, unescaped};

/// The host in lower case and the port of an authority with or without a user. `None` if the port is
/// invalid.
pub(super) fn split_authority(authority: &[u8]) -> Option<(Vec<u8>, Option<u16>)> {
    let end = authority.iter().rposition(|&byte| byte != b':').map_or(0, |last| last + 1);
    let authority = &authority[..end];
    let start = authority.iter().rposition(|&byte| byte == b'@').map_or(0, |at| at + 1);
    let authority = &authority[start..];
    let position = |text: &[u8], mark: u8| text.iter().position(|&byte| byte == mark);
    let (host, rest) = match position(authority, b'[') {
        Some(open) => {
            let bracketed = &authority[open + 1..];
            let close = position(bracketed, b']').unwrap_or(bracketed.len());
            (&bracketed[..close], bracketed.get(close + 1..).unwrap_or_default())
        }
        None => authority.split_at(position(authority, b':').unwrap_or(authority.len())),
    };
    let port = match position(rest, b':') {
        None => None,
        Some(colon) => {
            let digits = &rest[colon + 1..];
            if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
                return None;
            }
            // Leading zeros do not count against the length of the number.
            let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
            let digits = std::str::from_utf8(&digits[zeros..]).ok()?;
            if digits.is_empty() { None } else { Some(digits.parse().ok()?) }
        }
    };
    // A `%` starts the zone of an IPv6 address, which keeps its case.
    let name = position(host, b'%').unwrap_or(host.len());
    let host = [host[..name].to_ascii_lowercase(), host[name..].to_vec()].concat();
    Some((host, port))
}

/// The canonical host, without `www.`.
pub(super) fn canonical_host(host: &[u8], is_dns: bool) -> Vec<u8> {
    if host.is_empty() {
        return Vec::new();
    }
    let mut host = unescaped(host);
    if !host.is_ascii() {
        let text = String::from_utf8_lossy(&host).replace(char::REPLACEMENT_CHARACTER, "");
        if text.is_ascii() {
            host = text.into_bytes();
        } else if let Ok(url::Host::Domain(name)) = url::Host::parse(&text) {
            host = name.into_bytes();
        }
    }
    let host = without_double_dots(&host);
    let start = host.iter().position(|&byte| byte != b'.').unwrap_or(host.len());
    let end = host.iter().rposition(|&byte| byte != b'.').map_or(start, |last| last + 1);
    let host = &host[start..end];
    let host = match ipv4(host) {
        Some(number) => number.to_string().into_bytes(),
        None => escaped(&host.to_ascii_lowercase()).to_ascii_lowercase(),
    };
    if is_dns { host } else { without_www(&host).to_vec() }
}

/// One pass from the left: three dots become two.
fn without_double_dots(host: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(host.len());
    let mut at = 0;
    while let Some(&byte) = host.get(at) {
        out.push(byte);
        at += if host[at..].starts_with(b"..") { 2 } else { 1 };
    }
    out
}

/// `www.`, `www2.` and so on.
fn without_www(host: &[u8]) -> &[u8] {
    let Some(rest) = host.strip_prefix(b"www") else { return host };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    rest[digits..].strip_prefix(b".").unwrap_or(host)
}

/// The IPv4 address of one to four numbers with dots between. The last number fills the remaining bytes,
/// and a leading zero means octal.
fn ipv4(host: &[u8]) -> Option<Ipv4Addr> {
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    if is_number(host) {
        // Larger numbers are cut to their lowest four bytes.
        let fold =
            |bits: u32, &digit: &u8| bits.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
        return Some(Ipv4Addr::from_bits(host.iter().fold(0, fold)));
    }
    let parts: Vec<&[u8]> = host.split(|&byte| byte == b'.').collect();
    if parts.len() > 4 || !parts.iter().all(|part| is_number(part)) {
        return None;
    }
    let is_octal = |part: &&[u8]| part.iter().all(|digit| (b'0'..=b'7').contains(digit));
    if host.starts_with(b"0") && !parts.iter().all(is_octal) {
        return None;
    }
    let numbers = parts.iter().map(|part| number(part)).collect::<Option<Vec<u32>>>()?;
    let (&last, first) = numbers.split_last()?;
    let bytes_left = 4 - first.len() as u32;
    if first.iter().any(|&byte| byte > 255) || u64::from(last) >> (8 * bytes_left) != 0 {
        return None;
    }
    let front = first.iter().fold(0, |bits, byte| bits << 8 | byte);
    let front = front.checked_shl(8 * bytes_left).unwrap_or(0);
    Some(Ipv4Addr::from_bits(front | last))
}

fn number(part: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(part).ok()?;
    let radix = if part.len() > 1 && part[0] == b'0' { 8 } else { 10 };
    u32::from_str_radix(text, radix).ok()
}
