//! Search on a site whose pages share a menu: what is in the main text counts.
use std::sync::Arc;

use crawl::{
    Cost, HostNo, Instrument, Outcome, PageNo, Pages, Repository, Snapshot, Time, Update, Visited,
};
use extract::detect::main_text::Boilerplate;
use index::{Hit, Index, IndexDocument, SearchRequest, Searcher};

use crate::common::Home;

const PAGES: u32 = 20;

fn address(page: u32) -> String {
    format!("http://a.example/{page}")
}

/// Every page has "lighthouse" and "harbour" in its menu; page 7 is about lighthouses, page 8 about
/// the harbour and its ships.
fn body(page: u32) -> String {
    let about_lighthouses = "Notes on a tall lighthouse, its keeper, its lamp and everything that \
        went on there in the long winters, told by those who remember them";
    let text = match page {
        7 => about_lighthouses.to_owned(),
        8 => "The harbour has ships".to_owned(),
        _ => format!("Ships pass by number {page}"),
    };
    format!("<title>Page {page}</title><p>Harbour</p><p>Lighthouse</p><p>{text}</p><p>Imprint</p>")
}

/// The site, indexed, with or without what a crawl found out about its template.
fn site(has_boilerplate: bool) -> (Home, Searcher) {
    let home = Home::new();
    let mut store = home.open();
    let mut index = Index::open(&home.path()).unwrap();
    let mut pages = Pages::default();
    for page in 0..PAGES {
        pages.insert(&address(page), Time::from_millis(0));
    }
    let mut boilerplate = Boilerplate::new(&pages);
    for page in 0..PAGES {
        let (number, address, at) = (PageNo(page), address(page), Time::from_millis(1));
        let body = body(page);
        let new: Arc<Snapshot> =
            Arc::new(extract::read::read(&address, "text/html", body.as_bytes()));
        let visit = Visited {
            page: number,
            host: HostNo(0),
            address: &address,
            at,
            outcome: Outcome::First,
            new: Some(&new),
            cost: Cost::default(),
            shows_new_link: false,
        };
        boilerplate.visited(&visit).unwrap();
        let document = IndexDocument {
            page: number,
            address: &address,
            first_seen: at,
            changed: at,
            snapshot: &new,
        };
        index.put(&document).unwrap();
    }
    boilerplate.update();
    if has_boilerplate {
        let (name, state) = (boilerplate.name(), boilerplate.state());
        store.remember(Update::Instrument { name, state }).unwrap();
    }
    store.commit().unwrap();
    index.commit(0).unwrap();
    let searcher = Searcher::open(&home.path()).unwrap();
    (home, searcher)
}

fn search(searcher: &Searcher, query: &str, limit: usize) -> (usize, Vec<Hit>) {
    let request =
        SearchRequest { query: query.to_owned(), offset: 0, limit, ..SearchRequest::default() };
    let found = searcher.search(&request).unwrap();
    (found.total, found.hits)
}

fn snippet(hit: &Hit) -> String {
    hit.snippet.iter().map(|fragment| fragment.text.as_str()).collect()
}

#[test]
fn a_page_that_has_a_word_in_its_main_text_comes_first() {
    let (_home, searcher) = site(true);
    let (total, hits) = search(&searcher, "lighthouse", 30);
    // All are still found.
    assert_eq!((total, hits.len()), (20, 20));
    assert_eq!(hits[0].page, PageNo(7));
    assert!(hits[1].score < 0.3 * hits[0].score, "{} {}", hits[1].score, hits[0].score);
    // Also where fewer are asked for.
    assert_eq!(search(&searcher, "lighthouse", 1).1[0].page, PageNo(7));
    // Without boilerplate the long text of page 7 puts it behind.
    let (_home, plain) = site(false);
    let (total, hits) = search(&plain, "lighthouse", 30);
    assert_eq!(total, 20);
    assert_ne!(hits[0].page, PageNo(7));
}

#[test]
fn of_two_words_both_should_be_in_the_main_text() {
    let (_home, searcher) = site(true);
    assert_eq!(search(&searcher, "harbour ships", 5).1[0].page, PageNo(8));
}

#[test]
fn snippets_show_main_text_where_it_matches() {
    let (_home, searcher) = site(true);
    let (_, hits) = search(&searcher, "lighthouse", 20);
    assert!(snippet(&hits[0]).starts_with("Notes on a tall lighthouse"), "{}", snippet(&hits[0]));
    // The other pages have the word in the menu alone.
    assert!(snippet(&hits[1]).starts_with("Harbour Lighthouse"), "{}", snippet(&hits[1]));
    // A title that matches: the main text is shown, not the menu.
    let (_, hits) = search(&searcher, "page", 1);
    assert!(!snippet(&hits[0]).contains("Harbour Lighthouse"), "{}", snippet(&hits[0]));
}

#[test]
fn without_boilerplate_nothing_is_different() {
    let (_home, searcher) = site(false);
    let (_, hits) = search(&searcher, "imprint", 20);
    assert_eq!(hits.len(), 20);
    assert!(snippet(&hits[0]).starts_with("Harbour Lighthouse"), "{}", snippet(&hits[0]));
}
