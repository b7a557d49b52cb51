//! Who may see what: this machine everything; others what is public, and the rest with the token.
use std::{fs, net::IpAddr, path::Path};

use data_encoding::HEXLOWER;
use http::{HeaderMap, header};
use ring::hmac;

use super::{clients::Clients, problem::Problem, route::Route};
use crate::{failure::Failure, settings::ServeSettings};

/// The cookie of a login.
const COOKIE: &str = "sanderling-login";
/// How long a login lasts, in seconds: a week.
const COOKIE_SECONDS: u32 = 7 * 86_400;
/// Shorter tokens could be guessed.
const SHORTEST_TOKEN: usize = 16;

/// The rules of one server.
pub(crate) struct Access {
    /// Whether only this machine reaches the server.
    is_local: bool,
    is_public: bool,
    token: Option<Token>,
    /// Whether cookies are for encrypted connections only.
    is_encrypted: bool,
}

/// A token; only keyed digests of it are kept and compared.
struct Token {
    key: hmac::Key,
    digest: hmac::Tag,
    cookie: String,
}

impl Access {
    /// The rules for a server that listens at `address`.
    pub(crate) fn new(address: IpAddr, settings: &ServeSettings) -> Result<Self, Failure> {
        let token = settings.token_file.as_deref().map(Token::read).transpose()?;
        let is_local = address.is_loopback();
        if !is_local && token.is_none() && !settings.is_public {
            return Err(Failure::Input(format!(
                "at {address} other machines reach this server: give a token with --token-file FILE, or open \
                 the search page to everyone with --public"
            )));
        }
        let is_encrypted = settings.tls.is_some();
        Ok(Self { is_local, is_public: settings.is_public, token, is_encrypted })
    }

    /// Whether a token is asked for at all.
    pub(crate) fn has_login(&self) -> bool {
        self.token.is_some()
    }

    /// Checks a request from `client`. A token that was set is needed on this machine, too.
    pub(crate) fn check(
        &self,
        route: Option<Route>,
        headers: &HeaderMap,
        client: IpAddr,
        clients: &Clients,
    ) -> Result<(), Problem> {
        let is_open = match route {
            // Without them the page of the login would have no style.
            Some(Route::Style | Route::Icon | Route::Script | Route::Robots) => true,
            Some(route) => self.is_public && is_search(route),
            None => false,
        };
        let Some(token) = &self.token else {
            return if self.is_local || is_open { Ok(()) } else { Err(Problem::no_token()) };
        };
        if is_open {
            return Ok(());
        }
        let Some(given) = credentials(headers) else { return Err(Problem::login()) };
        if !clients.may_guess(client) {
            return Err(Problem::too_many_guesses());
        }
        let is_right = match given {
            Credentials::Bearer(text) => token.is(text.as_bytes()),
            Credentials::Cookie(text) => is_same(text.as_bytes(), token.cookie.as_bytes()),
        };
        if is_right {
            return Ok(());
        }
        clients.guessed(client);
        Err(Problem::login())
    }

    /// The cookie for a token that was typed in.
    pub(crate) fn login(
        &self,
        typed: &str,
        client: IpAddr,
        clients: &Clients,
    ) -> Result<String, Problem> {
        let Some(token) = &self.token else { return Err(Problem::no_such_path()) };
        if !clients.may_guess(client) {
            return Err(Problem::too_many_guesses());
        }
        if !token.is(typed.trim().as_bytes()) {
            clients.guessed(client);
            return Err(Problem::wrong_token());
        }
        let secure = if self.is_encrypted { "; Secure" } else { "" };
        Ok(format!(
            "{COOKIE}={}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict{secure}",
            token.cookie
        ))
    }
}

impl Token {
    /// Reads a token from the first line of a file.
    fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Input(format!("--token-file {}: {why}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let token = text.lines().next().unwrap_or_default().trim();
        if token.len() < SHORTEST_TOKEN {
            return Err(wrong(format!(
                "the token in its first line is shorter than {SHORTEST_TOKEN} characters; make one with: \
                 openssl rand -hex 32"
            )));
        }
        Ok(Self::new(token))
    }

    fn new(token: &str) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, token.as_bytes());
        let digest = hmac::sign(&key, token.as_bytes());
        let cookie = HEXLOWER.encode(hmac::sign(&key, b"login").as_ref());
        Self { key, digest, cookie }
    }

    /// Whether `given` is the token. The time does not depend on where they differ.
    fn is(&self, given: &[u8]) -> bool {
        hmac::verify(&self.key, given, self.digest.as_ref()).is_ok()
    }
}

/// Compares in constant time, by digests under a key of our own.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, other);
    hmac::verify(&key, one, hmac::sign(&key, other).as_ref()).is_ok()
}

/// Whether a route is part of the search page: searches and what they lead to. Everything else shows how the
/// crawl runs.
fn is_search(route: Route) -> bool {
    match route {
        Route::Home
        | Route::Search
        | Route::Page(_)
        | Route::Compare(_)
        | Route::Version(..)
        | Route::Frame(..)
        | Route::Go(_)
        | Route::Api
        | Route::ApiSearch
        | Route::ApiPage
        | Route::OpenApi
        | Route::Health
        | Route::Robots
        | Route::Icon
        | Route::Style
        | Route::Script => true,
        Route::Dashboard
        | Route::Hosts
        | Route::Host(_)
        | Route::Changes
        | Route::Atom
        | Route::Events
        | Route::Why(_)
        | Route::Record(..)
        | Route::Status
        | Route::ApiStatus
        | Route::ApiChanges
        | Route::ApiCorpus
        | Route::Metrics => false,
    }
}

enum Credentials<'h> {
    Bearer(&'h str),
    Cookie(&'h str),
}

fn credentials(headers: &HeaderMap) -> Option<Credentials<'_>> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some((scheme, token)) = given.and_then(|value| value.split_once(' '))
        && scheme.eq_ignore_ascii_case("Bearer")
    {
        return Some(Credentials::Bearer(token.trim()));
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(name, _)| name.trim() == COOKIE)
        .map(|(_, value)| Credentials::Cookie(value.trim()))
}

/// Whether another site made a browser send a request: an image or a form on its pages. Such a request is
/// answered, and says nothing of what anybody searches for.
pub(crate) fn is_of_another_site(headers: &HeaderMap, host: &str) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    text("origin").is_some_and(|origin| {
        origin.split_once("://").is_none_or(|(_, authority)| !authority.eq_ignore_ascii_case(host))
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const TOKEN: &str = "0123456789abcdef0123";

    fn access(is_public: bool, token: Option<&str>) -> Access {
        let token = token.map(Token::new);
        Access { is_local: false, is_public, token, is_encrypted: false }
    }

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(
            http::HeaderName::from_static(name),
            HeaderValue::from_str(value).unwrap(),
        )])
    }

    fn status(access: &Access, route: Route, headers: &HeaderMap) -> u16 {
        let checked =
            access.check(Some(route), headers, [192, 0, 2, 1].into(), &Clients::default());
        checked.map_or_else(|problem| problem.status.as_u16(), |()| 200)
    }

    #[test]
    fn what_shows_operations_needs_the_token_beyond_this_machine() {
        let none = HeaderMap::new();
        let public = access(true, None);
        assert_eq!(status(&public, Route::Search, &none), 200);
        assert_eq!(status(&public, Route::Dashboard, &none), 403);
        assert_eq!(status(&public, Route::Metrics, &none), 403);
        let both = access(true, Some(TOKEN));
        assert_eq!(status(&both, Route::Search, &none), 200);
        assert_eq!(status(&both, Route::Dashboard, &none), 401);
        let closed = access(false, Some(TOKEN));
        assert_eq!(status(&closed, Route::Search, &none), 401);
        let bearer = headers("authorization", &format!("Bearer {TOKEN}"));
        assert_eq!(status(&closed, Route::Dashboard, &bearer), 200);
        for wrong in ["Bearer 0123456789abcdef0124", "Bearer ", "Basic x", "Bearer"] {
            assert_eq!(status(&closed, Route::Search, &headers("authorization", wrong)), 401);
        }
    }

    #[test]
    fn a_login_gives_a_cookie_that_is_not_the_token() {
        let closed = access(false, Some(TOKEN));
        let (clients, client) = (Clients::default(), IpAddr::from([192, 0, 2, 1]));
        let cookie = closed.login(TOKEN, client, &clients).unwrap();
        assert!(cookie.contains("HttpOnly; SameSite=Strict") && !cookie.contains(TOKEN));
        let pair = cookie.split(';').next().unwrap();
        assert_eq!(
            status(&closed, Route::Dashboard, &headers("cookie", &format!("a=b; {pair}"))),
            200
        );
        assert_eq!(
            status(&closed, Route::Dashboard, &headers("cookie", "sanderling-login=0")),
            401
        );
        for _ in 0..5 {
            assert_eq!(closed.login("wrong", client, &clients).unwrap_err().status, 401);
        }
        assert_eq!(closed.login(TOKEN, client, &clients).unwrap_err().status, 429);
    }

    #[test]
    fn requests_that_another_site_made_are_told_apart() {
        let is = |name, value| is_of_another_site(&headers(name, value), "localhost:8088");
        assert!(is("sec-fetch-site", "cross-site") && is("sec-fetch-site", "same-site"));
        assert!(!is("sec-fetch-site", "same-origin") && !is("sec-fetch-site", "none"));
        assert!(is("origin", "https://evil.example") && is("origin", "null"));
        assert!(!is("origin", "http://LOCALHOST:8088"));
        assert!(!is_of_another_site(&HeaderMap::new(), "localhost:8088"));
    }
}
