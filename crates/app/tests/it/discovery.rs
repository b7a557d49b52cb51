//! Looking for new pages as a user meets it: a shared budget, what it paid for, and addresses that are
//! new at every visit.
use std::path::Path;

use serde_json::Value;

use crate::common::{errors, json, run, site::Site, tiny::TinyWeb};

fn known(folder: &Path) -> u64 {
    let pages = &json(&run(folder, "status --json --data data"))["pages"];
    ["held", "linked", "gone"].iter().map(|state| pages[state].as_u64().unwrap()).sum()
}

#[test]
fn a_shared_budget_is_spent_and_it_is_told_which_part_paid_for_a_visit() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::new());
    let host = &site.web.hosts()[1];
    let output = site.run(folder.path(), &format!("crawl http://{host}/"));
    assert!(output.status.success(), "{}", errors(&output));
    let (mut refreshing, mut discovery) = (0, 0);
    for _ in 0..3 {
        site.pass_days(2);
        let output = site.run(folder.path(), "refresh --budget 20 --policy mix:share=0.5");
        assert!(output.status.success(), "{}", errors(&output));
    }
    let lines = String::from_utf8(run(folder.path(), "export changes --data data").stdout).unwrap();
    let addresses: std::collections::BTreeSet<String> = lines
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned()
        })
        .collect();
    for address in &addresses {
        let why = json(&run(folder.path(), &format!("why {address} --json --data data")));
        for visit in why["visits"].as_array().unwrap() {
            match visit["paid_by"].as_str() {
                Some("refreshing") => refreshing += 1,
                Some("discovery") => discovery += 1,
                Some("all") => assert_eq!(visit["reason"], "first"),
                // The crawl before had one budget for all.
                other => assert_eq!((other, &visit["cycle"]), (None, &0.into())),
            }
        }
    }
    assert!(refreshing > 0 && discovery > 0, "{refreshing} {discovery}");
    let told = run(folder.path(), &format!("why http://{host}/ --data data")).stdout;
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains("from the 50 % of the budget for "), "{told}");
    assert!(told.contains("  New pages   "), "{told}");
}

#[test]
fn sessions_and_the_order_of_parameters_do_not_make_new_pages() {
    let front = |session: &str, parameters: &str| {
        format!(
            "<a href='/a?PHPSESSID={session}'>a</a> <a href='/b;jsessionid={session}'>b</a> \
             <a href='/c?{parameters}'>c</a>"
        )
    };
    let text = "<p>text</p>";
    let first = front("0af31b29c4d8e7f60123456789abcdef", "x=1&amp;y=2");
    let site = TinyWeb::new(&[
        ("/", &first),
        ("/a", text),
        ("/b", text),
        ("/c", text),
        ("/c?x=1&y=2", text),
    ]);
    let folder = tempfile::tempdir().unwrap();
    site.crawl(folder.path());
    let before = known(folder.path());
    for (session, parameters) in [
        ("1bf31b29c4d8e7f60123456789abcdef", "y=2&amp;x=1"),
        ("2cf31b29c4d8e7f60123456789abcdef", "x=1&amp;y=2"),
        ("3df31b29c4d8e7f60123456789abcdef", "y=2&amp;x=1"),
    ] {
        site.put("/", &front(session, parameters));
        site.refresh(folder.path());
    }
    assert_eq!((before, known(folder.path())), (4, 4));
}
