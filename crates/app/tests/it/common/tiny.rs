//! A web of a few pages on loopback, whose contents a test chooses and changes.
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::Path,
    process::Output,
    sync::{Arc, Mutex},
};

use super::http;

/// Pages by path; everything else is not found.
pub(crate) struct TinyWeb {
    pub(crate) address: SocketAddr,
    pages: Arc<Mutex<BTreeMap<String, String>>>,
}

impl TinyWeb {
    pub(crate) fn new(pages: &[(&str, &str)]) -> Self {
        let all = pages.iter().map(|&(path, html)| (path.to_owned(), html.to_owned())).collect();
        let pages: Arc<Mutex<BTreeMap<String, String>>> = Arc::new(Mutex::new(all));
        let served = Arc::clone(&pages);
        let address = http::serve_pages(move |path| served.lock().unwrap().get(path).cloned());
        Self { address, pages }
    }

    /// Puts a page there, over the one that is.
    pub(crate) fn put(&self, path: &str, html: &str) {
        self.pages.lock().unwrap().insert(path.to_owned(), html.to_owned());
    }

    /// Takes a page away.
    pub(crate) fn remove(&self, path: &str) {
        self.pages.lock().unwrap().remove(path);
    }

    /// The program on this web, its data in `folder/data`; it begins at `/`.
    pub(crate) fn run(&self, folder: &Path, arguments: &str) -> Output {
        let mut command = http::crawler(folder, "tiny.example", self.address, arguments);
        command.output().expect("the program starts")
    }

    /// Crawls all of it.
    pub(crate) fn crawl(&self, folder: &Path) {
        let output = self.run(folder, "crawl http://tiny.example/");
        assert!(output.status.success(), "{}", super::errors(&output));
    }

    /// Visits every page again.
    pub(crate) fn refresh(&self, folder: &Path) {
        let output = self.run(folder, "refresh --budget 1000");
        assert!(output.status.success(), "{}", super::errors(&output));
    }
}
