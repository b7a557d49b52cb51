//! Answers requests: a few at a time, in turns.
use std::{
    net::IpAddr,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use http::{Method, Request, Response, StatusCode, Uri, header, header::HeaderValue};
use http_body_util::{BodyExt, Limited};
use hyper::body::Bytes;
use tracing::debug;

use super::{
    access::{self, Access},
    api, archived, atom,
    body::ServedBody,
    clients::Clients,
    corpus, html, metrics,
    parameters::Parameters,
    problem::Problem,
    request_guard::{self, RequestGuard},
    route::Route,
    state::State,
    stream::Stream,
    turns::Turns,
};
use crate::visible::visible;

/// The page of the login, if there is a token.
const LOGIN: &str = "/login";
/// The longest form of a login, and the time for it.
const LONGEST_FORM: usize = 4_096;
const FORM_TIME: Duration = Duration::from_secs(10);

/// Answers requests.
pub(crate) struct Service {
    state: Arc<State>,
    guard: RequestGuard,
    access: Access,
    clients: Arc<Clients>,
    /// As many answers at once as there are cores: more would slow down all of them and a crawler beside.
    turns: Arc<Turns>,
}

/// An answer without its headers.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) kind: &'static str,
    pub(crate) body: Bytes,
    pub(crate) caching: &'static str,
    pub(crate) location: Option<HeaderValue>,
    /// A content security policy of its own.
    pub(crate) policy: Option<&'static str>,
    /// The name under which a browser saves it.
    pub(crate) file_name: Option<String>,
    /// Replaces the body: an answer that is sent while it is made.
    pub(crate) stream: Option<Stream>,
    /// The cookie of a login.
    pub(crate) cookie: Option<String>,
}

/// Results are private and out of date soon.
const NEVER: &str = "no-store";
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const FOR_A_DAY: &str = "public, max-age=86400";

impl Answer {
    pub(crate) fn new(kind: &'static str, body: impl Into<Bytes>) -> Self {
        Self {
            status: StatusCode::OK,
            kind,
            body: body.into(),
            caching: NEVER,
            location: None,
            policy: None,
            file_name: None,
            stream: None,
            cookie: None,
        }
    }

    /// A page. Bidirectional controls in it are shown, not obeyed.
    pub(crate) fn html(markup: maud::Markup) -> Self {
        let markup = markup.into_string();
        Self::new("text/html; charset=utf-8", visible(&markup).into_owned())
    }

    pub(crate) fn json(value: &serde_json::Value) -> Self {
        Self::new("application/json", format!("{value:#}\n"))
    }

    /// A redirect.
    pub(crate) fn redirect(location: HeaderValue) -> Self {
        Self {
            status: StatusCode::FOUND,
            location: Some(location),
            ..Self::new("text/plain; charset=utf-8", "")
        }
    }

    fn cached(self, caching: &'static str) -> Self {
        Self { caching, ..self }
    }
}

/// A request that passed the guard.
struct AcceptedRequest {
    route: Option<Route>,
    parameters: Parameters,
    is_head: bool,
}

impl Service {
    pub(crate) fn new(
        state: Arc<State>,
        guard: RequestGuard,
        access: Access,
        clients: Arc<Clients>,
    ) -> Self {
        let cores = thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self { state, guard, access, clients, turns: Turns::new(cores) }
    }

    /// Answers one request of the client at an address.
    pub(crate) async fn answer<B>(
        &self,
        request: Request<B>,
        client: IpAddr,
    ) -> Response<ServedBody>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let start = Instant::now();
        let (parts, body) = request.into_parts();
        let (method, uri, headers) = (&parts.method, &parts.uri, &parts.headers);
        let route = Route::parse(uri.path(), html::asset_paths());
        let is_login = uri.path() == LOGIN && self.access.has_login();
        let is_sent = is_login && method == Method::POST;
        let checked = match self.guard.check(method, uri, headers, is_sent) {
            _ if !self.clients.may_ask(client) => Err(Problem::too_many_requests()),
            Ok(()) if is_login => Ok(()),
            Ok(()) => self.access.check(route, headers, client, &self.clients),
            refused => refused,
        };
        let answer = match checked {
            Err(problem) => Err(problem),
            Ok(()) if is_sent => self.login(body, client).await,
            Ok(()) if is_login => Ok(html::login()),
            Ok(()) if route == Some(Route::Events) => match self.events(method) {
                Ok(response) => return response,
                Err(problem) => Err(problem),
            },
            Ok(()) => {
                let counts =
                    !access::is_of_another_site(headers, &request_guard::host(uri, headers));
                self.make(method, uri, route, counts, client).await
            }
        };
        let answer = answer.unwrap_or_else(|problem| refusal(uri, &problem));
        let pattern = if is_login { LOGIN } else { route.map_or("other", Route::pattern) };
        let (status, time) = (answer.status.as_u16(), start.elapsed());
        self.state.metrics.answered(pattern, status, time);
        // The pattern, not the path: queries are private.
        debug!(route = pattern, status, ms = time.as_millis() as u64, "request answered");
        response(answer)
    }

    /// Checks the token of a form and gives a cookie for it.
    async fn login<B>(&self, body: B, client: IpAddr) -> Result<Answer, Problem>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let invalid = || Problem::input("This is not the form of the login", "Log in at /login.");
        let body = Limited::new(body, LONGEST_FORM).collect();
        let Ok(Ok(body)) = tokio::time::timeout(FORM_TIME, body).await else {
            return Err(invalid());
        };
        let body = body.to_bytes();
        let mut pairs = url::form_urlencoded::parse(&body);
        let (_, token) = pairs.find(|(name, _)| name == "token").ok_or_else(invalid)?;
        let cookie = self.access.login(&token, client, &self.clients)?;
        let home = Answer::redirect(HeaderValue::from_static("/dashboard"));
        Ok(Answer { status: StatusCode::SEE_OTHER, cookie: Some(cookie), ..home })
    }

    /// A stream of events, one for every publication.
    fn events(&self, method: &Method) -> Result<Response<ServedBody>, Problem> {
        let events = Answer::new("text/event-stream", "");
        let body = if method == Method::HEAD {
            ServedBody::whole(Bytes::new())
        } else {
            let publications = self.state.publications();
            self.state.metrics.streams.open(publications).ok_or_else(Problem::busy)?
        };
        self.state.metrics.answered("/events", 200, Duration::ZERO);
        let mut response = response(events);
        response.headers_mut().remove(header::CONTENT_LENGTH);
        *response.body_mut() = body;
        Ok(response)
    }

    /// Makes the answer. Answers that take time wait for a free core.
    async fn make(
        &self,
        method: &Method,
        uri: &Uri,
        route: Option<Route>,
        counts: bool,
        client: IpAddr,
    ) -> Result<Answer, Problem> {
        match route {
            None => return Err(Problem::no_such_path()),
            Some(Route::Style) => return Ok(html::style().cached(FOR_EVER)),
            Some(Route::Script) => return Ok(html::script().cached(FOR_EVER)),
            Some(Route::Status) => {
                return Ok(Answer::redirect(HeaderValue::from_static("/dashboard")));
            }
            Some(Route::Icon) => return Ok(html::icon().cached(FOR_A_DAY)),
            Some(Route::OpenApi) => return Ok(api::openapi().cached(FOR_A_DAY)),
            Some(Route::Robots) => {
                let body = "User-agent: *\nDisallow: /\n";
                return Ok(Answer::new("text/plain; charset=utf-8", body).cached(FOR_A_DAY));
            }
            Some(_) => {}
        }
        let accepted = AcceptedRequest {
            route,
            parameters: Parameters { counts, ..Parameters::parse(uri) },
            is_head: method == Method::HEAD,
        };
        let turn = self.turns.take(client).await.ok_or_else(Problem::busy)?;
        let state = Arc::clone(&self.state);
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            accepted.answer(&state)
        });
        // A panic has been printed; it ends only this answer.
        work.await.unwrap_or_else(|_| Err(Problem::internal()))
    }
}

impl AcceptedRequest {
    fn answer(&self, state: &Arc<State>) -> Result<Answer, Problem> {
        let parameters = &self.parameters;
        match self.route {
            // A query at / is a search, as people expect.
            Some(Route::Home) if parameters.text("q").is_some() => html::search(state, parameters),
            Some(Route::Home) => Ok(html::home(state)),
            Some(Route::Search) => html::search(state, parameters),
            Some(Route::Page(page)) => html::page(state, page),
            Some(Route::Compare(page)) => html::compare(state, page, parameters),
            Some(Route::Go(page)) => go(state, page, parameters, self.is_head),
            Some(Route::Dashboard) => html::dashboard(state),
            Some(Route::Hosts) => html::hosts(state, parameters),
            Some(Route::Host(host)) => html::host(state, host),
            Some(Route::Changes) => html::changes(state, parameters),
            Some(Route::Atom) => atom::feed(state, parameters),
            Some(Route::Why(page)) => html::why(state, page),
            Some(Route::Version(page, visit)) => html::version(state, page, visit),
            Some(Route::Frame(page, visit)) => archived::frame(state, page, visit),
            Some(Route::Record(page, visit)) => archived::record(state, page, visit),
            Some(Route::Api) => Ok(html::api()),
            Some(Route::ApiSearch) => api::search(state, parameters),
            Some(Route::ApiPage) => api::page(state, parameters),
            Some(Route::ApiStatus) => api::status(state),
            Some(Route::ApiCorpus) => corpus::corpus(state, parameters),
            Some(Route::ApiChanges) => api::changes(state, parameters),
            Some(Route::Metrics) => {
                Ok(Answer::new("text/plain; version=0.0.4; charset=utf-8", metrics::text(state)))
            }
            Some(Route::Health) => api::health(state),
            // Answered without waiting, or not at all.
            Some(
                Route::Style
                | Route::Script
                | Route::Icon
                | Route::OpenApi
                | Route::Robots
                | Route::Status
                | Route::Events,
            )
            | None => Err(Problem::no_such_path()),
        }
    }
}

/// Counts a click and redirects to the page. Only to visited pages, so that it is not an open redirect.
fn go(
    state: &State,
    page: crawl::PageNo,
    parameters: &Parameters,
    is_head: bool,
) -> Result<Answer, Problem> {
    let unknown = || Problem::not_found("There is no such page", "Search for it again.");
    let known = state.read(|view| view.page_numbered(page))?.ok_or_else(unknown)?;
    let address = html::web_address(&known.address).filter(|_| known.record.visits > 0);
    let address = address.ok_or_else(unknown)?;
    let location = HeaderValue::from_str(address).map_err(|_| unknown())?;
    if !is_head
        && parameters.counts
        && let Ok(query) = parameters.query()
    {
        state.count_click(query, address);
    }
    Ok(Answer::redirect(location))
}

/// The answer to a failed request: JSON for programs, a page for people.
fn refusal(uri: &Uri, problem: &Problem) -> Answer {
    let is_for_programs = uri.path().starts_with("/api/") || uri.path() == "/healthz";
    let answer =
        if is_for_programs { Answer::json(&problem.json()) } else { html::problem(problem) };
    Answer { status: problem.status, ..answer }
}

fn response(answer: Answer) -> Response<ServedBody> {
    let Answer { status, kind, body, caching, location, policy, file_name, stream, cookie } =
        answer;
    let length = stream.is_none().then_some(body.len());
    let body = stream.map_or_else(|| ServedBody::whole(body), ServedBody::Pieces);
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    request_guard::secure(headers, policy);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Some(length) = length {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Some(location) = location {
        headers.insert(header::LOCATION, location);
    }
    let saved = file_name.map(|name| format!("attachment; filename=\"{name}\""));
    if let Some(saved) = saved.and_then(|saved| HeaderValue::from_str(&saved).ok()) {
        headers.insert(header::CONTENT_DISPOSITION, saved);
    }
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if status == StatusCode::TOO_MANY_REQUESTS {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    }
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
    }
    response
}
