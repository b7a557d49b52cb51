//! Parses the values of settings: times, sizes, numbers, URLs.
use std::{
    net::{IpAddr, SocketAddr},
    str::FromStr,
};

use crawl::{Allowance, Span};
use extract::read::address;

/// Yes or no, as people and programs write it.
pub(crate) fn yes_or_no(word: &str) -> Result<bool, String> {
    match word.to_ascii_lowercase().as_str() {
        "yes" | "true" | "on" | "1" => Ok(true),
        "no" | "false" | "off" | "0" => Ok(false),
        _ => Err(format!("{word:?} is neither yes nor no")),
    }
}

/// A length of time such as 500ms, 1s, 30m, 12h, 1d or 1w.
pub(crate) fn time(word: &str) -> Result<Span, String> {
    let (number, unit) = split(word);
    let millis = match unit {
        "ms" => 1.0,
        "s" => 1e3,
        "m" | "min" => 60e3,
        "h" => 3_600e3,
        "d" => 86_400e3,
        "w" => 7.0 * 86_400e3,
        _ => 0.0,
    };
    match number.parse::<f64>() {
        // A hundred years: far below what milliseconds can hold.
        Ok(number) if millis > 0.0 && (0.0..=3.2e12).contains(&(number * millis)) => {
            Ok(Span::from_millis((number * millis).round() as i64))
        }
        _ => Err(format!("{word:?} is not a length of time such as 500ms, 1s, 30m, 12h or 1d")),
    }
}

/// A length of time above zero.
pub(crate) fn some_time(word: &str) -> Result<Span, String> {
    match time(word)? {
        span if span > Span::default() => Ok(span),
        _ => Err(format!("{word} is too short; it must be above zero")),
    }
}

/// A number of bytes such as 65536, 64KiB, 10MB.
pub(crate) fn size(word: &str) -> Result<usize, String> {
    let (number, unit) = split(word);
    let bytes = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "kb" => 1e3,
        "m" | "mib" => 1024.0 * 1024.0,
        "mb" => 1e6,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "gb" => 1e9,
        _ => 0.0,
    };
    match number.parse::<f64>() {
        Ok(number) if bytes > 0.0 && (1.0..=1e15).contains(&(number * bytes)) => {
            Ok((number * bytes) as usize)
        }
        _ => Err(format!("{word:?} is not a size such as 512KiB, 10MiB or 1GiB")),
    }
}

/// A budget: a number of visits, bytes such as 20MB, or a length of time such as 10min.
pub(crate) fn budget(word: &str) -> Result<Allowance, String> {
    let (number, unit) = split(word);
    let below = |why: String| format!("{why}; a budget must be above zero");
    match unit.to_ascii_lowercase().as_str() {
        "" => count(word)
            .map(Allowance::Visits)
            .map_err(|_| format!("{word:?} is not a budget such as 200 (visits), 20MB or 10min")),
        "m" => {
            Err(format!("{word:?} may mean minutes or megabytes; write {number}min or {number}MB"))
        }
        "b" | "k" | "kb" | "kib" | "mb" | "mib" | "g" | "gb" | "gib" => {
            size(word).map(|bytes| Allowance::Bytes(bytes as u64)).map_err(below)
        }
        "ms" | "s" | "min" | "h" | "d" | "w" => some_time(word).map(Allowance::Time),
        _ => Err(format!("{word:?} is not a budget such as 200 (visits), 20MB or 10min")),
    }
}

fn split(word: &str) -> (&str, &str) {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
    (&word[..end], word[end..].trim())
}

/// A whole number of 1 or more.
pub(crate) fn count<T: FromStr + PartialOrd + From<u8>>(word: &str) -> Result<T, String> {
    let number = word.parse::<T>().ok().filter(|number| *number >= T::from(1));
    number.ok_or_else(|| format!("{word:?} is not a whole number of 1 or more"))
}

/// A number of 0 or more.
pub(crate) fn multiple(word: &str) -> Result<f64, String> {
    let number = word.parse::<f64>().ok().filter(|number| (0.0..=1e6).contains(number));
    number.ok_or_else(|| format!("{word:?} is not a number of 0 or more"))
}

/// A share from 0 to 1, such as 0.95 or 95 %.
pub(crate) fn share(word: &str) -> Result<f64, String> {
    let (number, of) = match word.trim().strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (word.trim(), 1.0),
    };
    let share = number.parse::<f64>().ok().map(|number| number / of);
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| format!("{word:?} is not a share such as 0.02 or 2 %"))
}

/// The URL of a webhook: http or https, with a host and without a user name.
pub(crate) fn webhook(word: &str) -> Result<url::Url, String> {
    let url = url::Url::parse(word)
        .ok()
        .filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host())
        .ok_or_else(|| format!("{word:?} is not a URL such as https://example.org/hook"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a user name or password in the URL is not supported; sign with \
                    webhook_secret instead"
            .to_owned());
    }
    Ok(url)
}

/// A URL in canonical form. A host name alone means its front page over HTTPS.
pub(crate) fn seed(word: &str) -> Result<String, String> {
    let url = if word.contains("://") { word.to_owned() } else { format!("https://{word}") };
    let invalid = || format!("{word:?} is not a URL such as https://docs.example.org/");
    let has_scheme = url.starts_with("http://") || url.starts_with("https://");
    if !has_scheme {
        return Err(format!("{word:?}: only http and https URLs are supported"));
    }
    if has_user(&url) {
        return Err(
            "a URL with a user name or password is not supported: it would be stored and shown; \
             leave out what is before the @"
                .to_owned(),
        );
    }
    address::canonical(&url).ok_or_else(invalid)
}

/// Whether a URL names a user before its host.
fn has_user(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    authority.contains('@')
}

/// HOST=IP:PORT.
pub(crate) fn resolve(word: &str) -> Result<(String, SocketAddr), String> {
    const LIKE: &str = "write HOST=IP:PORT, such as a.example=127.0.0.1:80";
    let (host, address) =
        word.split_once('=').ok_or_else(|| format!("{word:?} has no =; {LIKE}"))?;
    let (host, address) = (host.trim().to_ascii_lowercase(), address.trim());
    if host.is_empty() {
        return Err(format!("{word:?} names no host; {LIKE}"));
    }
    match (address.parse(), address.parse::<IpAddr>()) {
        (Ok(address), _) => Ok((host, address)),
        (_, Ok(_)) => Err(format!("{word:?} lacks the port; {LIKE}")),
        _ => Err(format!("{address:?} is not an IP address with a port; {LIKE}")),
    }
}

/// An address to listen at: ADDRESS:PORT. `localhost` means 127.0.0.1.
pub(crate) fn listen(word: &str) -> Result<SocketAddr, String> {
    let numbers = word.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    numbers
        .as_deref()
        .unwrap_or(word)
        .parse()
        .map_err(|_| format!("{word:?} is not ADDRESS:PORT, such as 127.0.0.1:8088 or [::1]:8088"))
}

/// A contact: a URL or an e-mail address.
pub(crate) fn contact(word: &str) -> Result<String, String> {
    let is_web = word.starts_with("https://") || word.starts_with("http://");
    let is_mail = word.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.starts_with('.')
    });
    let is_plain =
        word.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '(' | ')' | ';' | '\\'));
    if (is_web || is_mail) && is_plain {
        Ok(word.to_owned())
    } else {
        Err(format!(
            "{word:?} is not a contact; give the URL of a page about your crawler, or an e-mail \
             address"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_with_their_units() {
        assert_eq!(time("500ms"), Ok(Span::from_millis(500)));
        assert_eq!(time("1.5h"), Ok(Span::from_millis(5_400_000)));
        assert_eq!(time("2w"), Ok(Span::from_days(14)));
        assert_eq!(time("0s"), Ok(Span::default()));
        assert!(["", "5", "s", "1x", "-1s", "1e9d", "..s"].iter().all(|word| time(word).is_err()));
        assert!(some_time("0s").is_err());
        assert_eq!(size("64KiB"), Ok(65_536));
        assert_eq!(size("1.5 MB"), Ok(1_500_000));
        assert_eq!(size("7"), Ok(7));
        assert!(["", "0", "MB", "1XB", "-1"].iter().all(|word| size(word).is_err()));
    }

    #[test]
    fn a_budget_is_in_visits_bytes_or_time() {
        assert_eq!(budget("200"), Ok(Allowance::Visits(200)));
        assert_eq!(budget("20MB"), Ok(Allowance::Bytes(20_000_000)));
        assert_eq!(budget("1.5 GiB"), Ok(Allowance::Bytes(1_610_612_736)));
        assert_eq!(budget("10min"), Ok(Allowance::Time(Span::from_millis(600_000))));
        assert_eq!(budget("90s"), Ok(Allowance::Time(Span::from_millis(90_000))));
        let error = budget("20m").unwrap_err();
        assert!(error.contains("write 20min or 20MB"), "{error}");
        for word in ["", "0", "1.5", "-3", "0MB", "0s", "MB", "20 apples", "99999999999"] {
            assert!(budget(word).is_err(), "{word}");
        }
    }

    #[test]
    fn a_seed_becomes_canonical_and_may_be_a_name_alone() {
        assert_eq!(seed("Docs.Example.org").as_deref(), Ok("https://docs.example.org/"));
        assert_eq!(seed("http://a.example:80/x#y").as_deref(), Ok("http://a.example/x"));
        assert!(seed("ftp://a.example/").unwrap_err().contains("only http and https"));
        assert!(seed("https://").is_err());
        assert!(seed("me@a.example").is_err());
        let error = seed("https://me:secret@a.example/").unwrap_err();
        assert!(error.contains("user name or password") && !error.contains("secret"), "{error}");
        assert!(seed("https://a.example/@me").is_ok());
        assert_eq!(share("2%"), Ok(0.02));
        assert_eq!(share("0.5"), Ok(0.5));
        assert!(["", "-1", "101%", "x"].iter().all(|word| share(word).is_err()));
    }

    #[test]
    fn a_contact_is_a_page_or_a_mailbox() {
        assert!(contact("https://example.org/bot").is_ok());
        assert!(contact("me@example.org").is_ok());
        assert!(
            ["me", "me@", "@example.org", "a b@c.d", "me@x.org)"]
                .iter()
                .all(|word| contact(word).is_err())
        );
    }

    #[test]
    fn a_listen_address_is_numeric_with_a_port() {
        let expected: SocketAddr = "127.0.0.1:8088".parse().unwrap();
        assert_eq!(listen("127.0.0.1:8088"), Ok(expected));
        assert_eq!(listen("localhost:8088"), Ok(expected));
        assert!(listen("[::1]:0").is_ok());
        assert!(["", "8088", "a.example:80", "127.0.0.1"].iter().all(|word| listen(word).is_err()));
    }

    #[test]
    fn a_share_is_a_percentage_or_a_fraction() {
        for word in ["95 %", "95%", "0.95"] {
            assert_eq!(share(word), Ok(0.95), "{word}");
        }
        assert_eq!(share("100%"), Ok(1.0));
        for word in ["", "%", "95", "-1%", "101%", "NaN", "much"] {
            assert!(share(word).is_err(), "{word}");
        }
    }

    #[test]
    fn a_webhook_is_a_plain_web_url() {
        assert!(webhook("http://127.0.0.1:9000/hook?x=1").is_ok());
        for word in ["", "example.org", "ftp://a.example/", "https://", "https://me:pw@a.example/"]
        {
            assert!(webhook(word).is_err(), "{word}");
        }
    }

    #[test]
    fn a_name_may_be_given_an_address() {
        let expected = ("a.example".to_owned(), "127.0.0.1:80".parse().unwrap());
        assert_eq!(resolve("A.example=127.0.0.1:80"), Ok(expected));
        let error = |word| resolve(word).unwrap_err();
        assert!(error("a").contains("has no ="));
        assert!(error("=1.2.3.4:5").contains("names no host"));
        assert!(error("a=1.2.3.4").contains("lacks the port"));
        assert!(error("a=b.example:80").contains("\"b.example:80\" is not an IP address"));
        assert!(["", "a="].iter().all(|word| resolve(word).is_err()));
    }
}
