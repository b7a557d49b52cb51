//! Sitemaps and gzip files beyond their limits: what is left out is recorded, and bombs need little memory.
use std::{io::Write as _, path::Path, process::Command};

use store::{View, verify};

use crate::common::{Home, Reply, Site, on, page};

const FOLDER: &str = "SANDERLING_TEST_FOLDER";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A front page that links to these files.
fn site(files: Vec<(&'static str, &'static str, Vec<u8>)>) -> Site {
    let links: Vec<&str> = files.iter().map(|(path, ..)| *path).collect();
    let front = page("front", &links);
    Site::new(move |address, _| {
        match files.iter().find(|(path, ..)| address == on(path.trim_start_matches('/'))) {
            Some((_, content_type, body)) => Reply::Bytes(content_type, body.clone()),
            None => front.clone(),
        }
    })
}

#[test]
fn what_was_left_out_of_a_page_is_recorded() {
    let home = Home::new();
    let entry = |page: u32| format!("<url><loc>ftp://elsewhere/{page}</loc></url>");
    let many = format!("<urlset>{}</urlset>", (0..50_001).map(entry).collect::<String>());
    let mut site = site(vec![
        ("/many.xml", "text/xml", many.into_bytes()),
        ("/few.xml", "text/xml", b"<urlset></urlset>".to_vec()),
    ]);
    let mut store = home.open();
    site.cycle(&mut store, 1);
    let left_out = |home: &Home| View::open(&home.path()).unwrap().left_out().unwrap();
    store.finish().unwrap();
    let found = left_out(&home);
    assert_eq!((found.len(), found[0].address.as_str()), (1, on("many.xml").as_str()));
    assert!(found[0].what.contains("50,000 URLs"), "{}", found[0].what);
    verify(&home.path()).unwrap();

    // Held by a version that did not say so, and the same since.
    let database = rusqlite::Connection::open(home.path().join("sanderling.db")).unwrap();
    database.execute("UPDATE snapshot SET left_out = NULL", ()).unwrap();
    drop(database);
    let mut store = home.open();
    site.reload(&store);
    site.cycle(&mut store, 2);
    store.finish().unwrap();
    assert_eq!(left_out(&home), found);
}

#[test]
fn eight_bombs_of_a_megabyte_are_verified_in_less_than_100_mb() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        assert_eq!(verify(Path::new(&folder)).unwrap().read_again, 9);
        return;
    }
    let home = Home::new();
    // A gigabyte each, of many members. Blanks are soon read; words need the most memory.
    let (blanks, words) = (" ".repeat(8 << 20), "tides ".repeat((8 << 20) / 6));
    let bomb = |start: &str, rest: &str| {
        [gzip(start.as_bytes()), gzip(rest.as_bytes()).repeat(127)].concat()
    };
    let sitemap = bomb("<urlset><url><loc>ftp://x/</loc></url>", &blanks);
    let (plain, full) = (bomb("words ", &blanks), bomb("words ", &words));
    assert!([&sitemap, &plain, &full].iter().all(|bomb| bomb.len() > 1_000_000));
    let kind = "application/gzip";
    let mut site = site(vec![
        ("/1.xml.gz", kind, sitemap.clone()),
        ("/2.xml.gz", kind, sitemap.clone()),
        ("/3.xml.gz", kind, sitemap.clone()),
        ("/4.xml.gz", kind, sitemap),
        ("/5.txt.gz", kind, plain.clone()),
        ("/6.txt.gz", kind, plain.clone()),
        ("/7.txt.gz", kind, plain),
        ("/8.txt.gz", kind, full),
    ]);
    let mut store = home.open();
    site.cycle(&mut store, 1);
    store.finish().unwrap();

    // The most memory of its own that the process may have, in KiB: if it wants more, it is aborted. The stacks
    // of threads are part of it, so that there are as many on every machine.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -d 97656; exec \"$@\"", "sh"]);
    limited.arg(std::env::current_exe().unwrap());
    limited.args(["--exact", "limits::eight_bombs_of_a_megabyte_are_verified_in_less_than_100_mb"]);
    limited.env(FOLDER, home.path()).env("RAYON_NUM_THREADS", "2");
    let output = limited.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
