//! Which pages a search finds, and in which order.
use std::fmt::Write as _;

use crawl::{PageNo, Snapshot, Time};
use index::{Index, IndexDocument, SearchRequest, SearchResults, Searcher};
use proptest::prelude::*;
use text::words::Language;

use crate::common::Home;

const HTML: &str = "text/html; charset=utf-8";

/// An index of pages without a repository.
struct Shelf {
    home: Home,
    index: Index,
}

impl Shelf {
    fn new() -> Self {
        let home = Home::new();
        drop(home.open());
        let index = Index::open(&home.path()).unwrap();
        Self { home, index }
    }

    fn of(pages: &[(&str, &str)]) -> Self {
        let mut shelf = Self::new();
        for (number, (address, body)) in pages.iter().enumerate() {
            shelf.put(number as u32, address, body);
        }
        shelf.index.commit(0).unwrap();
        shelf
    }

    fn put(&mut self, page: u32, address: &str, body: &str) {
        self.put_snapshot(page, address, &extract::read::read(address, HTML, body.as_bytes()));
    }

    fn put_snapshot(&mut self, page: u32, address: &str, snapshot: &Snapshot) {
        let (first_seen, changed) = (Time::from_millis(1), Time::from_millis(2));
        let document = IndexDocument { page: PageNo(page), address, first_seen, changed, snapshot };
        self.index.put(&document).unwrap();
    }

    fn searcher(&self) -> Searcher {
        Searcher::open(&self.home.path()).unwrap()
    }

    fn search(&self, query: &str) -> SearchResults {
        self.searcher().search(&request(query)).unwrap()
    }

    /// Pages that match the whole query, best first.
    fn found(&self, query: &str) -> Vec<u32> {
        let found = self.search(query);
        assert_eq!(found.total, found.hits.len());
        if found.relaxed {
            return vec![];
        }
        found.hits.iter().map(|hit| hit.page.0).collect()
    }

    fn found_sorted(&self, query: &str) -> Vec<u32> {
        let mut found = self.found(query);
        found.sort_unstable();
        found
    }
}

fn request(query: &str) -> SearchRequest {
    SearchRequest { query: query.to_owned(), offset: 0, limit: 10, ..SearchRequest::default() }
}

fn page(title: &str, text: &str) -> String {
    format!("<title>{title}</title><p>{text}</p>")
}

#[test]
fn what_was_put_is_found_what_replaced_it_is_and_what_was_removed_is_not() {
    let mut shelf = Shelf::of(&[("http://a.example/", &page("Old", "whales sing"))]);
    let searcher = shelf.searcher();
    let found = searcher.search(&request("whales")).unwrap();
    assert_eq!((found.total, found.hits.len(), found.position), (1, 1, 0));
    let hit = &found.hits[0];
    assert_eq!((hit.address.as_str(), hit.title.as_str()), ("http://a.example/", "Old"));
    assert_eq!((hit.changed, hit.page), (Time::from_millis(2), PageNo(0)));
    assert!(hit.snippet[0].highlighted);
    assert_eq!(hit.snippet[0].text, "whales");

    shelf.put(0, "http://a.example/", &page("New", "otters play"));
    assert_eq!(searcher.search(&request("whales")).unwrap().total, 1, "nothing was committed");
    shelf.index.commit(0).unwrap();
    searcher.reload().unwrap();
    assert_eq!(searcher.search(&request("whales")).unwrap().total, 0);
    assert_eq!(searcher.search(&request("otters")).unwrap().hits[0].title, "New");
    assert_eq!(searcher.pages(), 1);

    shelf.index.remove(PageNo(0));
    shelf.index.remove(PageNo(7));
    shelf.index.commit(0).unwrap();
    searcher.reload().unwrap();
    assert_eq!((searcher.search(&request("otters")).unwrap().total, searcher.pages()), (0, 0));
}

#[test]
fn a_page_that_did_not_change_is_not_put_again() {
    let mut shelf = Shelf::of(&[("http://a.example/", &page("A", "b"))]);
    shelf.put(0, "http://a.example/", &page("A", "b"));
    assert_eq!(shelf.index.pending(), 0);
    shelf.put(0, "http://a.example/", &page("A", "c"));
    assert_eq!(shelf.index.pending(), 1);
}

#[test]
fn pages_that_nobody_reads_or_that_ask_not_to_be_found_are_left_out() {
    let mut shelf = Shelf::new();
    let at = "http://a.example/x";
    shelf.put(0, at, "<meta name=robots content=noindex><p>secret");
    shelf.put(1, at, "<link rel=canonical href=/other><p>secret");
    shelf.put_snapshot(2, at, &extract::read::moved(at, "/secret").unwrap());
    let sitemap = "<urlset><url><loc>http://a.example/secret</loc></url></urlset>";
    shelf.put_snapshot(3, at, &extract::read::read(at, "text/xml", sitemap.as_bytes()));
    shelf.put_snapshot(4, at, &extract::read::read(at, "image/png", b"secret"));
    shelf.put_snapshot(5, at, &extract::read::read(at, "text/plain", b"no secret"));
    shelf.index.commit(0).unwrap();
    assert_eq!(shelf.found("secret"), [5]);
    // A page that gets `noindex` disappears.
    shelf.put(5, at, "<meta name=robots content=noindex><p>secret");
    shelf.index.commit(0).unwrap();
    assert_eq!(shelf.found("secret"), [0; 0]);
}

#[test]
fn titles_count_more_than_texts_and_ranks_decide_between_equals() {
    let pages = [
        ("http://a.example/0", page("Harbour", "ships and boats lie here every day")),
        ("http://a.example/1", page("Ships", "harbours and boats lie here every day")),
        ("http://a.example/2", page("Harbour", "ships and boats lie here every night")),
    ];
    let pages = pages.each_ref().map(|(address, body)| (*address, body.as_str()));
    let mut shelf = Shelf::of(&pages);
    // Ties are ordered by page number.
    assert_eq!(shelf.found("ships"), [1, 0, 2]);
    shelf.index.set_ranks(&[0.1, 0.2, 0.7]).unwrap();
    assert_eq!(shelf.found("ships"), [1, 2, 0]);
    let found = shelf.search("ships");
    assert!((found.hits[1].rank - 2.1).abs() < 1e-5);
    // BM25 is equal. The ranks relative to the average are 3 x 0.7 and 3 x 0.1, and add 2 x 2.1^0.6
    // / (1 + 2.1^0.6) = 1.2189 and 2 x 0.3^0.6 / (1 + 0.3^0.6) = 0.6537.
    let difference = found.hits[1].score - found.hits[2].score;
    assert!((difference - 0.5652).abs() < 1e-3, "{difference}");
}

#[test]
fn a_searcher_takes_up_ranks_that_were_set_later() {
    let mut shelf = Shelf::of(&[("http://a.example/", &page("A", "b"))]);
    let searcher = shelf.searcher();
    assert!((searcher.search(&request("b")).unwrap().hits[0].rank - 1.0).abs() < 1e-6);
    shelf.index.set_ranks(&[0.25, 0.75]).unwrap();
    searcher.reload().unwrap();
    assert!((searcher.search(&request("b")).unwrap().hits[0].rank - 0.5).abs() < 1e-6);
}

#[test]
fn words_are_found_without_their_accents_and_in_other_forms_of_their_language() {
    let english = "The runners were running through the old cities, and this is plain English \
         text that is long enough to be told from any other language that there is.";
    let german = "Die schönen Häuser in den alten Städten sind größer als die neuen, und das ist \
         ein deutscher Text, der lang genug ist, um von anderen Sprachen unterschieden zu werden.";
    let shelf = Shelf::of(&[
        ("http://a.example/en", &format!("<html lang=en><title>Run</title><p>{english}")),
        ("http://a.example/de", &format!("<html lang=de><title>Haus</title><p>{german}")),
        ("http://a.example/cafe", &page("Café", "crème brûlée")),
    ]);
    assert_eq!(shelf.found("creme BRULEE"), [2]);
    assert_eq!(shelf.found("crème cafe"), [2]);
    assert_eq!(shelf.found("run city"), [0]);
    assert_eq!(shelf.found("\"running through\""), [0]);
    assert_eq!(shelf.found("haus stadt"), [1]);
    assert_eq!(shelf.found("schöne häuser"), [1]);
    let languages = ["english", "deutscher"].map(|word| shelf.search(word).hits[0].language);
    assert_eq!(languages.map(Language::code), ["en", "de"]);
}

#[test]
fn japanese_is_found_without_spaces() {
    let shelf = Shelf::of(&[
        ("http://a.example/0", &page("天気", "明日の東京都の天気は晴れです")),
        ("http://a.example/1", &page("京都", "京都の東に山があります")),
        ("http://a.example/2", &page("猫", "黒猫とソフトウェア")),
    ]);
    assert_eq!(shelf.found("東京都"), [0]);
    assert_eq!(shelf.found_sorted("京都"), [0, 1]);
    assert_eq!(shelf.found("天気 東京"), [0]);
    assert_eq!(shelf.found("ソフトウェア"), [2]);
    assert_eq!(shelf.found("猫"), [2]);
    assert_eq!(shelf.found_sorted("東"), [0, 1]);
}

#[test]
fn phrases_minus_sites_and_titles_narrow_what_is_found() {
    let shelf = Shelf::of(&[
        ("http://a.example/0", &page("One", "red apples and green pears")),
        ("http://www.a.example:8080/1", &page("Two", "green apples and red pears")),
        ("http://b.example/2", &page("Apples", "red grapes")),
        ("http://b.example/blue-berries", &page("Three", "nothing else")),
    ]);
    assert_eq!(shelf.found_sorted("apples"), [0, 1, 2]);
    assert_eq!(shelf.found("\"red apples\""), [0]);
    // Phrases do not match across title and text.
    assert_eq!(shelf.found("\"apples red\""), [0; 0]);
    assert_eq!(shelf.found_sorted("red -pears"), [2]);
    assert_eq!(shelf.found("apples -\"red apples\" -grapes"), [1]);
    assert_eq!(shelf.found_sorted("apples site:a.example"), [0, 1]);
    assert_eq!(shelf.found_sorted("apples site:www.a.example"), [1]);
    assert_eq!(shelf.found_sorted("apples -site:a.example"), [2]);
    assert_eq!(shelf.found_sorted("site:b.example"), [2, 3]);
    assert_eq!(shelf.found_sorted("red site:b.example site:www.a.example"), [1, 2]);
    assert_eq!(shelf.found("title:apples"), [2]);
    assert_eq!(shelf.found("blue berries"), [3]);
    assert_eq!(shelf.found("site:example.org"), [0; 0]);
    assert_eq!(shelf.found("-red"), [0; 0]);
}

#[test]
fn an_unwanted_phrase_leaves_out_its_pages_wherever_they_are_in_the_index() {
    let mut shelf = Shelf::new();
    for page in 0..300 {
        let order = if page % 7 == 3 { "red apples" } else { "apples red" };
        shelf.put(page, &format!("http://a.example/{page}"), &format!("<p>fruit {order} {page}"));
    }
    shelf.index.commit(0).unwrap();
    let request = SearchRequest {
        query: "fruit -\"red apples\"".to_owned(),
        offset: 0,
        limit: 500,
        ..SearchRequest::default()
    };
    let found = shelf.searcher().search(&request).unwrap();
    assert_eq!(found.total, 300 - 43);
    assert!(found.hits.iter().all(|hit| hit.page.0 % 7 != 3));
}

#[test]
fn where_no_page_has_all_words_those_that_have_some_are_given_and_marked_so() {
    let shelf = Shelf::of(&[
        ("http://a.example/0", &page("One", "apples")),
        ("http://a.example/1", &page("Two", "pears and plums")),
    ]);
    let found = shelf.search("apples plums");
    assert_eq!((found.relaxed, found.total), (true, 2));
    let found = shelf.search("\"plums pears\"");
    assert_eq!((found.relaxed, found.total), (true, 1));
    let found = shelf.search("apples cherries -one");
    assert_eq!((found.relaxed, found.total), (false, 0));
    assert_eq!(shelf.search("cherries").total, 0);
}

#[test]
fn hits_come_in_parts_that_do_not_overlap_and_the_total_counts_all() {
    let mut shelf = Shelf::new();
    for page in 0..50 {
        let body = format!("<p>same words {page}");
        shelf.put(page, &format!("http://a.example/{page}"), &body);
        if page % 7 == 0 {
            shelf.index.commit(0).unwrap();
        }
    }
    shelf.index.commit(0).unwrap();
    let searcher = shelf.searcher();
    let part = |offset, limit| {
        let found = searcher
            .search(&SearchRequest {
                query: "same".to_owned(),
                offset,
                limit,
                ..SearchRequest::default()
            })
            .unwrap();
        assert_eq!(found.total, 50);
        found.hits.iter().map(|hit| hit.page.0).collect::<Vec<_>>()
    };
    let all: Vec<u32> = (0..5).flat_map(|number| part(number * 10, 10)).collect();
    assert_eq!(all, (0..50).collect::<Vec<_>>());
    assert_eq!(part(0, 0), [0; 0]);
    assert_eq!(part(45, 100), [45, 46, 47, 48, 49]);
    assert_eq!(part(1 << 40, 10), [0; 0]);
    assert_eq!(part(usize::MAX, usize::MAX), [0; 0]);
}

#[test]
fn no_query_is_an_error() {
    let shelf = Shelf::of(&[("http://a.example/", &page("A", "words of a page"))]);
    let searcher = shelf.searcher();
    let mut queries: Vec<String> = (0..=127_u8).map(|byte| char::from(byte).to_string()).collect();
    for byte in 0..=127_u8 {
        let sign = char::from(byte);
        let mut query = String::new();
        write!(query, "words {sign} {sign}{sign}page a{sign}b {sign}\"words {sign}").unwrap();
        queries.push(query);
    }
    queries.extend(
        ["\"", "\"\"\"", "-\"", "site:", "site:\"x", "title:-", "-site:-", "--", "AND OR NOT"]
            .map(str::to_owned),
    );
    queries.extend(
        ["a* ? ~2 ^3 [a TO b] {x} (((", "title:title:title:x", "site:[::1"].map(str::to_owned),
    );
    queries.push("words ".repeat(200_000));
    queries.push("x".repeat(1 << 20));
    queries.push("東".repeat(1 << 18));
    queries.push("\"".repeat(1 << 20));
    for query in queries {
        searcher.search(&request(&query)).unwrap();
    }
}

#[test]
fn any_text_is_a_query() {
    let shelf = Shelf::of(&[("http://a.example/", &page("猫", "words of a page in 東京都"))]);
    let searcher = shelf.searcher();
    let query = "(words|page|東京|猫|site:|title:|-|\"|\u{0}|\u{301}|[ -~]|\\PC| ){0,40}";
    proptest!(ProptestConfig::with_cases(2_000), |(query in query)| {
        let found = searcher.search(&request(&query)).unwrap();
        prop_assert!(found.total <= 1);
    });
}

#[test]
fn a_word_that_no_page_has_is_searched_by_similar_words() {
    let shelf = Shelf::of(&[
        ("http://a.org/1", &page("Harbour", "The boats leave the harbour at seven.")),
        ("http://a.org/2", &page("Lighthouse", "A lighthouse stands on the headland.")),
    ]);
    for typed in ["harbuor", "hrbour", "harbours", "Harboour boats"] {
        let found = shelf.search(typed);
        assert_eq!(found.hits.len(), 1, "{typed}");
        assert!(!found.relaxed, "{typed}");
    }
    let found = shelf.search("Lightouse headlnd");
    assert_eq!(found.corrected, ["Lightouse", "headlnd"]);
    assert_eq!(found.hits[0].page, PageNo(1));
    assert!(found.hits[0].snippet.iter().any(|fragment| fragment.highlighted));
    // A word that occurs is meant, a short one is not guessed, and numbers are not words.
    assert!(shelf.search("boats").corrected.is_empty());
    for typed in ["hrbr", "bat", "zzzzzzzz", "2027", "-harbuor"] {
        let found = shelf.search(typed);
        assert!(found.corrected.is_empty() && found.hits.is_empty(), "{typed}: {found:?}");
    }
}

#[test]
fn pages_with_the_same_text_are_one_hit() {
    let text = page("Home", "Welcome to the shore.");
    let mut pages: Vec<(String, String)> =
        (0..40).map(|number| (format!("http://a.org/copy/{number}"), text.clone())).collect();
    pages.push(("http://a.org/other".to_owned(), page("Other", "The shore is elsewhere.")));
    pages.push(("http://b.org/".to_owned(), text));
    let pages: Vec<(&str, &str)> =
        pages.iter().map(|(address, body)| (address.as_str(), body.as_str())).collect();
    let shelf = Shelf::of(&pages);
    let found = shelf.search("shore");
    assert_eq!((found.total, found.hits.len()), (2, 2));
    let copies: Vec<u32> = found.hits.iter().map(|hit| hit.copies).collect();
    assert!(copies.contains(&40) && copies.contains(&0), "{copies:?}");
    // The one that a filter leaves is shown.
    let found = shelf.search("welcome site:b.org");
    assert_eq!(found.hits[0].address, "http://b.org/");
    assert_eq!(found.total, 1);
}

#[test]
fn a_word_matches_the_stems_of_a_pages_own_language() {
    let german = "<html lang=de><title>Spielplatz</title><p>Die Kinder spielen auf dem Spielplatz und \
        lachen, weil das Wetter heute so schön ist und alle Zeit haben.";
    let english = "<html lang=en><title>Manners</title><p>She was kind to everybody in the village, and \
        people were glad whenever they met her on the way to the market.";
    let shelf = Shelf::of(&[("http://a.org/de", german), ("http://a.org/en", english)]);
    // "Kinder" is German for children; its stem is "kind".
    assert_eq!(shelf.found("Kinder"), [0]);
    assert_eq!(shelf.found("kind village"), [1]);
    assert_eq!(shelf.found("Kind lang:de"), [0]);
    assert_eq!(shelf.found("lang:en"), [1]);
    let languages = vec![Language::German];
    let filter = index::Filter { languages, ..index::Filter::default() };
    let request = SearchRequest { filter, ..request("kind") };
    let found = shelf.searcher().search(&request).unwrap();
    assert_eq!(found.hits.iter().map(|hit| hit.page.0).collect::<Vec<_>>(), [0]);
}
