//! The index stays in step with the repository.
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use crawl::{PageNo, Repository as _, Time};
use index::{
    CommitInterval, Index, IndexError, IndexedStore, SearchRequest, Searcher, catch_up, compare,
};

use crate::common::{Home, Reply, Site, copy_folder, day, html, on, page};

const PAGES: usize = 40;

/// A front page that links to all others. Every day some of them change; on day 2 one is gone, one
/// gets `noindex`, one redirects.
fn rule(address: &str, now: Time) -> Reply {
    let today = (now - day(0)).days() as usize;
    let path = address.strip_prefix("http://a.example/").unwrap_or_default();
    let Ok(number) = path.parse::<usize>() else {
        let links: Vec<String> = (0..PAGES).map(|number| format!("/{number}")).collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        return page("front", &links);
    };
    let version = if number % 3 == today % 3 { today } else { 0 };
    match number {
        7 if today >= 2 => Reply::Status(410),
        8 if today >= 2 => Reply::With("X-Robots-Tag: noindex\r\n", html("hidden", &[])),
        9 if today >= 2 => Reply::Moved("/10"),
        11 => page("<link rel=canonical href=/12>elsewhere", &[]),
        12 => Reply::Typed("text/plain", "plain words".to_owned()),
        13 => Reply::Typed("application/xml", "<x>not for people</x>".to_owned()),
        14 => Reply::Tagged(html("tagged", &[])),
        _ => page(&format!("number{number} version{version} common"), &[]),
    }
}

/// Crawls on these days, with the index.
fn crawl(home: &Home, site: &mut Site, days: std::ops::RangeInclusive<i64>) {
    let store = home.open();
    site.reload(&store);
    let mut both = IndexedStore::new(store, Some(Index::open(&home.path()).unwrap()));
    for number in days {
        site.cycle(&mut both, number);
        both.commit().unwrap();
    }
    let (store, index) = both.into_parts();
    drop(index);
    store.finish().unwrap();
}

fn agree(folder: &Path) {
    let agreement = compare(folder).unwrap();
    assert!(agreement.agrees(), "{agreement:?}");
    assert!(agreement.same > 30);
}

fn total(folder: &Path, query: &str) -> usize {
    let request =
        SearchRequest { query: query.to_owned(), offset: 0, limit: 10, ..SearchRequest::default() };
    let found = Searcher::open(folder).unwrap().search(&request).unwrap();
    if found.relaxed { 0 } else { found.total }
}

fn silent(_: usize, _: usize) {}

#[test]
fn a_crawl_leaves_an_index_that_agrees_with_what_is_held() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    for number in 1..=4 {
        crawl(&home, &mut site, number..=number);
        agree(&home.path());
    }
    let folder = home.path();
    assert_eq!(total(&folder, "hidden"), 0);
    assert_eq!(total(&folder, "elsewhere"), 0);
    assert_eq!(total(&folder, "number7"), 0, "it is gone");
    assert_eq!(total(&folder, "\"plain words\""), 1);
    assert_eq!(total(&folder, "\"number4 version4\""), 1, "it changed on the last day");
    assert_eq!(total(&folder, "\"number4 version1\""), 0);
}

#[test]
fn an_index_made_of_what_is_held_is_the_one_that_was_kept_in_step() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    crawl(&home, &mut site, 1..=3);
    let folder = home.path();
    let hits = || {
        let request = SearchRequest {
            query: "common".to_owned(),
            offset: 0,
            limit: 100,
            ..SearchRequest::default()
        };
        let hits = Searcher::open(&folder).unwrap().search(&request).unwrap().hits;
        let mut hits: Vec<_> =
            hits.into_iter().map(|hit| (hit.page, hit.address, hit.changed, hit.snippet)).collect();
        hits.sort_by_key(|hit| hit.0);
        hits
    };
    let kept = hits();
    std::fs::remove_dir_all(folder.join("search")).unwrap();
    assert!(matches!(Searcher::open(&folder), Err(IndexError::Missing { .. })));
    let progress = RefCell::new(vec![]);
    let up = catch_up(&folder, &|done, of| progress.borrow_mut().push((done, of))).unwrap();
    agree(&folder);
    assert_eq!(hits(), kept);
    assert_eq!(up.rebuild_reason, None);
    let progress = progress.into_inner();
    assert_eq!(progress.last().map(|(done, of)| done == of), Some(true));
    assert_eq!(up.checked as usize, progress[0].1);
    // The second time there is nothing to do.
    let again = catch_up(&folder, &silent).unwrap();
    assert_eq!((again.checked, again.position, again.pages), (0, up.position, up.pages));
}

#[test]
fn what_was_not_committed_before_a_crash_is_caught_up() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    crawl(&home, &mut site, 1..=1);
    let index = Index::open(&home.path()).unwrap();
    let mut both = IndexedStore::new(home.open(), Some(index))
        .with_commit_interval(CommitInterval { pages: 7, wait: Duration::MAX });
    // The budget ends the cycle; visits after the last commit of the index are lost.
    site.try_cycle(&mut both, 2, 25).unwrap();
    let (mut store, index) = both.into_parts();
    store.commit().unwrap();
    site.cycle(&mut store, 3);
    drop(index);
    store.finish().unwrap();
    let agreement = compare(&home.path()).unwrap();
    assert!(agreement.index_position < agreement.log_position);
    assert!(!agreement.agrees());
    let up = catch_up(&home.path(), &silent).unwrap();
    assert!(up.checked > 0);
    assert_eq!(up.rebuild_reason, None);
    agree(&home.path());
}

#[test]
fn the_index_never_says_more_than_the_log_has_for_good() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    crawl(&home, &mut site, 1..=1);
    let store = home.open();
    let mut index = Index::open(&home.path()).unwrap();
    let position = index.position();
    assert_eq!(position, store.acknowledged());
    let ahead = index.commit(position + 1);
    assert!(matches!(ahead, Err(IndexError::Ahead { .. })), "{ahead:?}");
    let mut both = IndexedStore::new(store, Some(index))
        .with_commit_interval(CommitInterval { pages: 1, wait: Duration::ZERO });
    site.cycle(&mut both, 2);
    let searcher = Searcher::open(&home.path()).unwrap();
    assert!(searcher.position() > position);
    assert!(searcher.position() <= both.store().acknowledged());
}

#[test]
fn an_index_that_lags_keeps_its_position_until_it_catches_up() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    crawl(&home, &mut site, 1..=1);
    let mut store = home.open();
    site.cycle(&mut store, 2);
    store.commit().unwrap();
    let index = Index::open(&home.path()).unwrap();
    let position = index.position();
    let mut both = IndexedStore::new(store, Some(index));
    site.cycle(&mut both, 3);
    both.commit().unwrap();
    let index = both.index_mut().unwrap();
    assert_eq!(index.position(), position);
    let up = index.catch_up(&silent).unwrap();
    assert_eq!(up.position, both.store().acknowledged());
    drop(both);
    agree(&home.path());
}

#[test]
fn an_index_ahead_of_a_log_that_was_put_back_is_begun_anew() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    crawl(&home, &mut site, 1..=1);
    let (folder, old) = (home.path(), Home::new());
    copy_folder(&folder, &old.path());
    crawl(&home, &mut site, 2..=2);
    std::fs::remove_dir_all(old.path().join("search")).unwrap();
    copy_folder(&folder.join("search"), &old.path().join("search"));
    let error = Searcher::open(&old.path()).unwrap_err();
    assert!(error.to_string().contains("ahead"), "{error}");
    // Also if that log has continued and is as long.
    let later = Home::new();
    copy_folder(&old.path(), &later.path());
    let up = catch_up(&old.path(), &silent).unwrap();
    assert!(up.rebuild_reason.unwrap().contains("ahead"));
    agree(&old.path());
    let mut store = later.open();
    site.reload(&store);
    site.cycle(&mut store, 5);
    site.cycle(&mut store, 6);
    store.finish().unwrap();
    let up = catch_up(&later.path(), &silent).unwrap();
    assert!(up.rebuild_reason.unwrap().contains("restored"));
    agree(&later.path());
}

#[test]
fn an_index_of_another_repository_is_begun_anew() {
    let (home, other) = (Home::new(), Home::new());
    crawl(&home, &mut Site::new(rule), 1..=1);
    crawl(&other, &mut Site::new(rule), 1..=1);
    std::fs::remove_dir_all(other.path().join("search")).unwrap();
    copy_folder(&home.path().join("search"), &other.path().join("search"));
    assert!(Searcher::open(&other.path()).unwrap_err().is_fixed_by_rebuild());
    let up = catch_up(&other.path(), &silent).unwrap();
    assert!(up.rebuild_reason.unwrap().contains("another repository"));
    agree(&other.path());
}

#[test]
fn one_writes_at_a_time_and_others_read() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    crawl(&home, &mut site, 1..=1);
    let index = Index::open(&home.path()).unwrap();
    assert!(matches!(Index::open(&home.path()), Err(IndexError::InUse { .. })));
    assert!(matches!(catch_up(&home.path(), &silent), Err(IndexError::InUse { .. })));
    agree(&home.path());
    drop(index);
    Index::open(&home.path()).unwrap();
}

#[test]
fn a_damaged_file_is_noticed_and_the_index_built_anew() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    crawl(&home, &mut site, 1..=2);
    catch_up(&home.path(), &silent).unwrap();
    let folder = home.path();
    let search = folder.join("search");
    let whole = home.path().with_file_name("whole");
    copy_folder(&search, &whole);
    let mut names: Vec<_> =
        std::fs::read_dir(&whole).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    for name in names {
        let bytes = std::fs::read(whole.join(&name)).unwrap();
        let mut harms: Vec<Vec<u8>> = vec![];
        for place in 1..8 {
            let at = bytes.len() * place / 8;
            let mut flipped = bytes.clone();
            if let Some(byte) = flipped.get_mut(at) {
                *byte ^= 1;
                harms.push(flipped);
                harms.push(bytes[..at].to_vec());
            }
        }
        for harm in harms {
            std::fs::remove_dir_all(&search).unwrap();
            copy_folder(&whole, &search);
            std::fs::write(search.join(&name), &harm).unwrap();
            // Either the damage is harmless or it is reported.
            match compare(&folder) {
                Ok(agreement) => assert!(agreement.agrees(), "{name:?}: {agreement:?}"),
                Err(error) => assert!(error.is_fixed_by_rebuild(), "{name:?}: {error}"),
            }
            catch_up(&folder, &silent).unwrap();
            agree(&folder);
            assert_eq!(total(&folder, "\"number4 version0\""), 1);
        }
        std::fs::remove_dir_all(&search).unwrap();
        copy_folder(&whole, &search);
        std::fs::remove_file(search.join(&name)).unwrap();
        catch_up(&folder, &silent).unwrap();
        agree(&folder);
    }
}

/// Catches up with a commit every five pages, and stops at the given call of `progress`. Returns
/// the number of pages done at the first call, and whether it was stopped.
fn interrupted(folder: &Path, stop_at: usize) -> (usize, bool) {
    let first = Cell::new(None);
    let calls = Cell::new(0);
    let mut index = Index::open(folder).unwrap();
    let up = catch_unwind(AssertUnwindSafe(|| {
        let progress = |done: usize, _: usize| {
            first.set(first.get().or(Some(done)));
            calls.set(calls.get() + 1);
            assert!(calls.get() < stop_at, "as if killed");
        };
        index.catch_up_by(&progress, 5).unwrap()
    }));
    (first.get().unwrap_or_default(), up.is_err())
}

#[test]
fn a_rebuild_that_is_interrupted_goes_on_where_it_was_also_when_the_log_has_moved() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    crawl(&home, &mut site, 1..=1);
    let folder = home.path();
    std::fs::remove_dir_all(folder.join("search")).unwrap();
    // The fourth call is after 15 pages, of which 10 are committed.
    assert_eq!(interrupted(&folder, 4), (0, true));
    assert_eq!(compare(&folder).unwrap().index_position, 0);
    assert_eq!(interrupted(&folder, 3), (10, true));
    // Meanwhile a crawl continues without the index, then with it.
    let mut store = home.open();
    site.reload(&store);
    site.cycle(&mut store, 2);
    store.finish().unwrap();
    assert_eq!(interrupted(&folder, 2), (15, true));
    crawl(&home, &mut site, 3..=3);
    assert_eq!(compare(&folder).unwrap().index_position, 0);
    assert!(!interrupted(&folder, usize::MAX).1);
    agree(&folder);
}

#[test]
fn a_searcher_outlives_an_index_that_is_thrown_away_and_takes_up_the_new_one() {
    let (home, mut site) = (Home::new(), Site::new(rule));
    crawl(&home, &mut site, 1..=1);
    let request = SearchRequest {
        query: "common".to_owned(),
        offset: 0,
        limit: 10,
        ..SearchRequest::default()
    };
    let searcher = Searcher::open(&home.path()).unwrap();
    let before = searcher.search(&request).unwrap().total;
    std::fs::write(home.path().join("search/meta.json"), "{").unwrap();
    assert!(searcher.reload().is_err());
    assert_eq!(searcher.search(&request).unwrap().total, before);
    catch_up(&home.path(), &silent).unwrap();
    crawl(&home, &mut site, 2..=2);
    searcher.reload().unwrap();
    let found = searcher.search(&request).unwrap();
    assert_eq!(found.position, compare(&home.path()).unwrap().log_position);
    assert!(found.hits.iter().all(|hit| hit.page != PageNo(8)));
    assert!(found.hits.iter().all(|hit| hit.address.starts_with(&on(""))));
}

/// Flips a bit in the record of a page.
fn damage(home: &Home, path: &str) {
    let folder = home.path();
    let view = store::View::open(&folder).unwrap();
    let page = view.load().unwrap().pages.find(&on(path)).unwrap();
    let visit = view.visits(page, 1).unwrap().remove(0);
    let position = visit.position.unwrap();
    let file = folder.join("archive").join(&*position.file);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[(position.offset + position.length / 2) as usize] ^= 1;
    std::fs::write(&file, bytes).unwrap();
}

#[test]
fn a_rebuild_goes_on_without_a_damaged_page_and_says_so() {
    let home = Home::new();
    crawl(&home, &mut Site::new(rule), 1..=1);
    agree(&home.path());
    damage(&home, "20");
    let all = total(&home.path(), "common");
    let rebuilt = Index::open(&home.path()).unwrap().rebuild(&|_, _| ()).unwrap();
    let [(address, flaw)] = &rebuilt.unreadable[..] else { panic!("{rebuilt:?}") };
    assert_eq!(*address, on("20"));
    assert!(flaw.contains("the record at byte"), "{flaw}");
    assert_eq!(total(&home.path(), "common"), all - 1);
    store::repair(&home.path(), store::Options::default()).unwrap();
    agree(&home.path());
}

#[test]
fn searches_find_the_old_index_until_the_new_one_is_whole() {
    let home = Home::new();
    crawl(&home, &mut Site::new(rule), 1..=1);
    let all = total(&home.path(), "common");
    let seen = RefCell::new(vec![]);
    Index::open(&home.path())
        .unwrap()
        .rebuild(&|_, _| seen.borrow_mut().push(total(&home.path(), "common")))
        .unwrap();
    assert!(seen.borrow().len() > 1 && seen.borrow().iter().all(|found| *found == all));
    agree(&home.path());
    // A rebuild that does not end changes nothing.
    let rebuild = || Index::open(&home.path()).unwrap().rebuild(&|done, _| assert_eq!(done, 0));
    assert!(catch_unwind(AssertUnwindSafe(rebuild)).is_err());
    assert_eq!(total(&home.path(), "common"), all);
    agree(&home.path());
}
