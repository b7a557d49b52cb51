//! `/api/corpus`: what changed since a cursor, sent while it is read.
use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use hyper::body::Bytes;
use store::{StoreError, View};
use tokio::sync::mpsc::Sender;

use super::{
    parameters::Parameters, problem::Problem, service::Answer, state::State, stream::Stream,
};
use crate::{
    failure::with_causes,
    live::corpus::{
        self, cursor,
        documents::{ContentForm, Corpus},
        json,
    },
};

/// Most streams at once; more are refused. Each reads the archive with a thread of its own.
const MOST_STREAMS: usize = 2;
/// Bytes that are sent at once.
const PIECE_BYTES: usize = 64 << 10;
/// Pieces that wait for a slow client.
const WAITING: usize = 4;

/// Streams that are being sent.
#[derive(Debug, Default)]
pub(crate) struct Streams(Arc<AtomicUsize>);

/// One of them, while it is sent.
struct Turn(Arc<AtomicUsize>);

impl Streams {
    fn begin(&self) -> Option<Turn> {
        let turn = Turn(Arc::clone(&self.0));
        (self.0.fetch_add(1, Ordering::SeqCst) < MOST_STREAMS).then_some(turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Why sending ended early.
enum Ended {
    Store(StoreError),
    /// The client has gone.
    Closed,
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Begins to send the corpus.
pub(crate) fn corpus(state: &Arc<State>, parameters: &Parameters) -> Result<Answer, Problem> {
    let form = match parameters.text("content").unwrap_or("text") {
        "text" => ContentForm::Text,
        "markdown" => ContentForm::Markdown,
        _ => {
            return Err(Problem::input(
                "content is neither text nor markdown",
                "Leave content out, or write content=markdown.",
            ));
        }
    };
    let since = parameters.text("since").map(str::trim).filter(|since| !since.is_empty());
    let since = match since {
        None => 0,
        Some(text) => state.read(|view| cursor::parse(view, text))?.map_err(|why| {
            Problem::input(
                format!("since: {why}"),
                "Leave since out to get everything. A cursor is in the last line of an answer.",
            )
        })?,
    };
    let turn = state.streams.begin().ok_or_else(Problem::busy)?;
    let (sender, stream) = Stream::new(WAITING);
    let state = Arc::clone(state);
    let work = move || {
        let _turn = turn;
        let sent = send(state.folder(), since, form, &sender);
        if let Err(Ended::Store(error)) = sent {
            state.report(&with_causes(&error));
            let _ = sender.blocking_send(Err(io::Error::other("the data folder cannot be read")));
        }
    };
    let started = thread::Builder::new().name("corpus".to_owned()).spawn(work);
    started.map_err(|_| Problem::busy())?;
    Ok(Answer { stream: Some(stream), ..Answer::new("application/x-ndjson", "") })
}

fn send(
    folder: &Path,
    since: u64,
    form: ContentForm,
    sender: &Sender<io::Result<Bytes>>,
) -> Result<(), Ended> {
    let view = View::open(folder)?;
    let (end, _) = corpus::end(&view)?;
    let corpus = Corpus::new(&view, form)?;
    let mut piece = String::new();
    let send = |piece: &mut String| {
        let bytes = Bytes::from(std::mem::take(piece));
        sender.blocking_send(Ok(bytes)).map_err(|_| Ended::Closed)
    };
    json::lines(&corpus, since, end.max(since), &mut |_, line| {
        piece.push_str(&line);
        if piece.len() >= PIECE_BYTES { send(&mut piece) } else { Ok(()) }
    })?;
    send(&mut piece)
}
