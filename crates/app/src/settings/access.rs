//! Extra headers, passwords, cookies and the proxy. Secrets come from files or from the environment; no
//! message contains one.
use std::{env, fs, path::Path};

use web::{OriginHeaders, Proxy};

use crate::{
    failure::Failure,
    raw_settings::{Words, invalid, one},
};

/// What was written in the settings. The secrets are read when a crawl begins: commands that do not fetch
/// do not need them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    pub(crate) headers: Option<Words>,
    pub(crate) basic_auth: Option<Words>,
    pub(crate) cookies: Option<Words>,
    pub(crate) proxy: Option<Words>,
    pub(crate) are_archived: bool,
}

impl Access {
    /// Reads the secrets into the settings of the web.
    pub(crate) fn read_into(&self, web: &mut web::Settings) -> Result<(), Failure> {
        let mut headers = OriginHeaders::default();
        headers.are_archived = self.are_archived;
        let kinds: [(&Option<Words>, Parse); 3] = [
            (&self.headers, |rest| {
                let (name, value) = rest.split_once(':').ok_or("expected HOST=NAME: VALUE")?;
                Ok((name.trim().to_owned(), plain_or_secret(value.trim())?))
            }),
            (&self.basic_auth, |rest| {
                let login = secret(rest)?;
                if !login.contains(':') {
                    return Err("the source does not contain name:password".to_owned());
                }
                let encoded = data_encoding::BASE64.encode(login.as_bytes());
                Ok(("Authorization".to_owned(), format!("Basic {encoded}")))
            }),
            (&self.cookies, |rest| {
                let cookies = secret(rest)?;
                if !cookies.contains('=') {
                    return Err("the source does not contain name=value".to_owned());
                }
                Ok(("Cookie".to_owned(), cookies))
            }),
        ];
        for (words, parse) in kinds {
            let Some(words) = words else { continue };
            for word in &words.words {
                let Some((host, rest)) = split_host(word) else {
                    return Err(invalid(
                        words,
                        "expected HOST=..., such as docs.example.org=@FILE",
                    ));
                };
                parse(rest)
                    .and_then(|(name, value)| headers.add(host, &name, &value))
                    .map_err(|why| invalid(words, format!("{host}: {why}")))?;
            }
        }
        web.origin_headers = headers;
        if let Some(words) = &self.proxy {
            let proxy = one(words, |word| Proxy::parse(&plain_or_secret(word)?))?;
            web.proxy = Some(proxy);
        }
        Ok(())
    }
}

/// Makes the name and the value of a header.
type Parse = fn(&str) -> Result<(String, String), String>;

/// Splits HOST=REST. The host may be an origin such as `http://a.example:8080`.
fn split_host(word: &str) -> Option<(&str, &str)> {
    let (host, rest) = word.split_once('=')?;
    Some((host.trim(), rest.trim())).filter(|(host, rest)| !host.is_empty() && !rest.is_empty())
}

/// A value as written, or from where it says.
fn plain_or_secret(text: &str) -> Result<String, String> {
    if text.starts_with(['@', '$']) { secret(text) } else { Ok(text.to_owned()) }
}

/// A secret from @FILE or $VARIABLE.
fn secret(source: &str) -> Result<String, String> {
    let text = if let Some(path) = source.strip_prefix('@') {
        fs::read_to_string(Path::new(path))
            .map_err(|error| format!("{path} cannot be read: {error}"))?
    } else if let Some(name) = source.strip_prefix('$') {
        let name = name.trim_start_matches('{').trim_end_matches('}');
        env::var(name).map_err(|error| match error {
            env::VarError::NotPresent => format!("the environment variable {name} is not set"),
            env::VarError::NotUnicode(_) => format!("the environment variable {name} is not UTF-8"),
        })?
    } else {
        return Err(
            "a secret is read from a file (@FILE) or an environment variable ($NAME); it is \
                    not written here"
                .to_owned(),
        );
    };
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("{source} is empty"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "the fields of Access are optional")]
    fn words(word: &str) -> Option<Words> {
        Some(Words { place: "here".to_owned(), words: vec![word.to_owned()] })
    }

    #[test]
    fn a_secret_is_not_written_in_settings_and_no_message_has_one() {
        let mut web = web::Settings::default();
        for access in [
            Access { basic_auth: words("a.example=me:hush"), ..Access::default() },
            Access { cookies: words("a.example=hush=1"), ..Access::default() },
            Access { headers: words("a.example=Host: hush"), ..Access::default() },
            Access { headers: words("hush"), ..Access::default() },
            Access { proxy: words("socks5://me:hush@a:1"), ..Access::default() },
            Access { cookies: words("a.example=@no-such-file"), ..Access::default() },
        ] {
            let Err(Failure::Input(why)) = access.read_into(&mut web) else { panic!("{access:?}") };
            assert!(why.starts_with("here: ") && !why.contains("hush"), "{why}");
        }
        let plain = Access { headers: words("a.example=Accept-Language: de"), ..Access::default() };
        assert!(plain.read_into(&mut web).is_ok() && !web.origin_headers.is_empty());
    }
}
