//! Where requests are answered: a few at a time, and not more than can wait.
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use http::{Method, Request, Response, StatusCode, Uri, header, header::HeaderValue};
use http_body_util::Full;
use hyper::body::Bytes;
use tokio::sync::Semaphore;

use super::{
    api, gate, gate::Gate, html, metrics, parameters::Parameters, problem::Problem, route::Route,
    state::State,
};

/// Requests that wait for their turn; more are turned away.
const MOST_WAITING: usize = 256;
/// The longest that one waits.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Answers requests.
pub(crate) struct Desk {
    state: Arc<State>,
    gate: Gate,
    /// As many answers are made at once as there are cores: more would only make all of them slower,
    /// and leave less to a crawler beside.
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// An answer before it has its headers.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) kind: &'static str,
    pub(crate) body: Bytes,
    pub(crate) caching: &'static str,
    pub(crate) location: Option<HeaderValue>,
}

/// What was searched for is nobody else's business, and is right only now.
const NEVER: &str = "no-store";
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const FOR_A_DAY: &str = "public, max-age=86400";

impl Answer {
    pub(crate) fn new(kind: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status: StatusCode::OK, kind, body: body.into(), caching: NEVER, location: None }
    }

    pub(crate) fn html(markup: maud::Markup) -> Self {
        Self::new("text/html; charset=utf-8", markup.into_string())
    }

    pub(crate) fn json(value: &serde_json::Value) -> Self {
        Self::new("application/json", format!("{value:#}\n"))
    }

    /// Sends the reader elsewhere.
    pub(crate) fn to(location: HeaderValue) -> Self {
        Self {
            status: StatusCode::FOUND,
            location: Some(location),
            ..Self::new("text/plain; charset=utf-8", "")
        }
    }

    fn kept(self, caching: &'static str) -> Self {
        Self { caching, ..self }
    }
}

/// What was asked.
struct Asked {
    route: Option<Route>,
    parameters: Parameters,
    is_head: bool,
}

impl Desk {
    pub(crate) fn new(state: Arc<State>, gate: Gate) -> Self {
        let cores = thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self { state, gate, turns: Arc::new(Semaphore::new(cores)), waiting: AtomicUsize::new(0) }
    }

    /// Answers one request.
    pub(crate) async fn answer<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        let start = Instant::now();
        let (method, uri) = (request.method(), request.uri());
        let route = Route::of(uri.path(), html::style_path());
        let answer = match self.gate.check(method, uri, request.headers()) {
            Err(problem) => Err(problem),
            Ok(()) => self.made(method, uri, route).await,
        };
        let answer = answer.unwrap_or_else(|problem| refusal(uri, &problem));
        let pattern = route.map_or("other", Route::pattern);
        self.state.metrics.answered(pattern, answer.status.as_u16(), start.elapsed());
        response(answer)
    }

    /// The answer, made when it is this request's turn, where that takes any time.
    async fn made(
        &self,
        method: &Method,
        uri: &Uri,
        route: Option<Route>,
    ) -> Result<Answer, Problem> {
        match route {
            None => return Err(Problem::no_such_path()),
            Some(Route::Style) => return Ok(html::style().kept(FOR_EVER)),
            Some(Route::Icon) => return Ok(html::icon().kept(FOR_A_DAY)),
            Some(Route::OpenApi) => return Ok(api::openapi().kept(FOR_A_DAY)),
            Some(Route::Robots) => {
                let body = "User-agent: *\nDisallow: /\n";
                return Ok(Answer::new("text/plain; charset=utf-8", body).kept(FOR_A_DAY));
            }
            Some(_) => {}
        }
        let asked =
            Asked { route, parameters: Parameters::of(uri), is_head: method == Method::HEAD };
        let waiting = Waiting::begin(&self.waiting)?;
        let turn = tokio::time::timeout(LONGEST_WAIT, Arc::clone(&self.turns).acquire_owned());
        let Ok(Ok(turn)) = turn.await else { return Err(Problem::busy()) };
        drop(waiting);
        let state = Arc::clone(&self.state);
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            asked.answer(&state)
        });
        // A panic has been printed by now; it ends this answer and nothing else.
        work.await.unwrap_or_else(|_| Err(Problem::ours()))
    }
}

/// A request that waits, counted.
struct Waiting<'d>(&'d AtomicUsize);

impl<'d> Waiting<'d> {
    fn begin(count: &'d AtomicUsize) -> Result<Self, Problem> {
        let waiting = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            return Err(Problem::busy());
        }
        Ok(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Asked {
    fn answer(&self, state: &State) -> Result<Answer, Problem> {
        let parameters = &self.parameters;
        match self.route {
            Some(Route::Home) => Ok(html::home(state)),
            Some(Route::Search) => html::search(state, parameters),
            Some(Route::Page(page)) => html::page(state, page),
            Some(Route::Compare(page)) => html::compare(state, page, parameters),
            Some(Route::Go(page)) => go(state, page, parameters, self.is_head),
            Some(Route::Status) => html::status(state),
            Some(Route::Api) => Ok(html::api()),
            Some(Route::ApiSearch) => api::search(state, parameters),
            Some(Route::ApiPage) => api::page(state, parameters),
            Some(Route::ApiStatus) => api::status(state),
            Some(Route::ApiChanges) => api::changes(state, parameters),
            Some(Route::Metrics) => {
                Ok(Answer::new("text/plain; version=0.0.4; charset=utf-8", metrics::text(state)))
            }
            Some(Route::Health) => api::health(state),
            Some(Route::Style | Route::Icon | Route::OpenApi | Route::Robots) | None => {
                Err(Problem::no_such_path())
            }
        }
    }
}

/// Counts that a page was chosen and leads to its address: to that of a page that was visited, and
/// nowhere else, so that a link to here cannot be made to lead anywhere one likes.
fn go(
    state: &State,
    page: flow::PageNo,
    parameters: &Parameters,
    is_head: bool,
) -> Result<Answer, Problem> {
    let unknown = || Problem::not_found("There is no such page", "Search for it again.");
    let known = state.ask(|view| view.page_numbered(page))?.ok_or_else(unknown)?;
    let address = html::web_address(&known.address).filter(|_| known.record.visits > 0);
    let address = address.ok_or_else(unknown)?;
    let location = HeaderValue::from_str(address).map_err(|_| unknown())?;
    if !is_head && let Ok(query) = parameters.query() {
        state.clicked(query, address);
    }
    Ok(Answer::to(location))
}

/// What a request is told that cannot be answered: in JSON where a program asked.
fn refusal(uri: &Uri, problem: &Problem) -> Answer {
    let is_for_programs = uri.path().starts_with("/api/") || uri.path() == "/healthz";
    let answer =
        if is_for_programs { Answer::json(&problem.json()) } else { html::problem(problem) };
    Answer { status: problem.status, ..answer }
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let Answer { status, kind, body, caching, location } = answer;
    let length = body.len();
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    gate::secure(headers);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Some(location) = location {
        headers.insert(header::LOCATION, location);
    }
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
    }
    response
}
