//! What the importer says when it cannot.
use std::fs;

use lab::import::ImportError;
use lab::import::git::{Options, import, instant};

use super::site::{Script, Site, WEEK_SECONDS, command, plain};

#[test]
fn says_which_branches_there_are() {
    let Some(site) = Site::new(&plain()) else { return };
    for branch in ["gh-pages", "--all", "-h", "", "main..main"] {
        let options = Options { branch: Some(branch.to_owned()), ..site.options() };
        assert_eq!(
            site.error(&options),
            format!("/site.git: has no branch {branch:?}; it has main")
        );
    }
}

#[test]
fn says_that_there_are_no_commits() {
    let Some(site) = Site::new(&Script::default()) else { return };
    assert_eq!(site.error(&site.options()), "/site.git: has no commits");
    let options = Options { branch: None, ..site.options() };
    assert_eq!(site.error(&options), "/site.git: has no commits");
}

#[test]
fn says_that_the_root_is_not_there_and_what_is() {
    let Some(site) = Site::new(&plain()) else { return };
    for root in ["content", "-r", "index.html", "*"] {
        let options = Options { root: root.to_owned(), ..site.options() };
        assert_eq!(
            site.error(&options),
            format!(
                "/site.git: has no folder {root:?} in this window; at its top it has docs, index.html"
            )
        );
    }
}

#[test]
fn says_that_the_window_does_not_fit_the_history() {
    let Some(site) = Site::new(&plain()) else { return };
    assert_eq!(
        site.error(&Options { weeks: 2, ..site.options() }),
        "/site.git: the history begins on 1970-01-01T00:16:40Z, after the window's start on \
         1969-12-25T00:16:40Z; choose a later --from or fewer --weeks (1 at most up to the last \
         commit)"
    );
    let late = Options { from: Some(instant("2024-01-31").unwrap()), ..site.options() };
    assert_eq!(
        site.error(&late),
        "/site.git: has no commits between 2024-01-31T00:00:00Z and 2024-02-07T00:00:00Z; its \
         history goes from 1970-01-01T00:16:40Z to 1970-01-08T00:16:40Z"
    );
    let none = Options { weeks: 0, ..site.options() };
    assert_eq!(
        site.error(&none),
        "a window of 0 weeks is not possible here; choose 1 or more, as in --weeks 52"
    );
    assert!(site.error(&Options { weeks: u32::MAX, ..site.options() }).starts_with("a window of"));
}

#[test]
fn says_that_there_are_no_pages() {
    let mut script = Script::default();
    script.commit("main", 1, 1000, &[]).file("a.rs", "x").file("LICENSE", "free");
    script.commit("main", 2, 1000 + WEEK_SECONDS, &[1]).file("a.rs", "y");
    let Some(site) = Site::new(&script) else { return };
    assert!(site.error(&site.options()).starts_with("/site.git: has no pages (such as .html"));
}

#[test]
fn says_that_a_folder_is_no_repository_even_inside_one() {
    let Some(site) = Site::new(&plain()) else { return };
    let inside = site.repository().join("refs");
    let options = Options { repository: inside, ..site.options() };
    assert!(matches!(import(&options, &mut |_| {}), Err(ImportError::NoRepository { .. })));
    let options = Options { repository: site.folder.path().join("none"), ..site.options() };
    assert!(matches!(import(&options, &mut |_| {}), Err(ImportError::NoFolder { .. })));
}

#[test]
fn says_that_an_object_is_missing() {
    let Some(site) = Site::new(&plain()) else { return };
    // Git keeps the objects of so small a history in files of their own.
    let object = blob_id(&site, "two");
    let file = site.repository().join("objects").join(&object[..2]).join(&object[2..]);
    fs::remove_file(file).unwrap();
    assert_eq!(
        site.error(&site.options()),
        format!(
            "/site.git: object {object} is missing; in a partial clone, fetch everything first \
             (git fetch --refetch --no-filter)"
        )
    );
}

/// The id of the blob that holds `body`.
fn blob_id(site: &Site, body: &str) -> String {
    let file = site.folder.path().join("body");
    fs::write(&file, body).unwrap();
    let output = command(&site.repository(), &["hash-object", "../body"]).output().unwrap();
    fs::remove_file(file).unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
