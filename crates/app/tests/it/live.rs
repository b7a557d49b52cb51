//! The live crawler as a user meets it: a whole crawl of the demo's web over HTTP on loopback.
use std::{fs, path::Path};

use serde_json::Value;

use crate::common::{errors, json, run, site::Site};

fn status(folder: &Path) -> Value {
    json(&run(folder, "status --json --data data"))
}

#[test]
fn a_site_is_crawled_refreshed_explained_and_exported() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::new());
    let host = &site.web.hosts()[1];
    let crawl = format!("crawl http://{host}/ --pages 40");
    let output = site.run(folder.path(), &crawl);
    assert!(output.status.success(), "{}", errors(&output));
    let first = status(folder.path());
    assert_eq!(first["observations"], 40);
    assert_eq!(first["cycles"][0]["kind"], "crawl");
    assert_eq!(first["freshness"], Value::Null);
    // The same command goes on where it stopped, and visits no page twice.
    let output = site.run(folder.path(), &crawl);
    assert!(output.status.success(), "{}", errors(&output));
    let held = status(folder.path())["pages"]["held"].as_u64().unwrap();
    assert!(held > first["pages"]["held"].as_u64().unwrap());

    // A policy is told with the parameters that are not its defaults, however they were written.
    let policy = "--policy directory-sample:chance=change:batch=5:d=2";
    let output = site.run(folder.path(), &format!("refresh --budget 5 {policy}"));
    assert!(output.status.success(), "{}", errors(&output));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains(" by directory-sample:d=2:batch=5: "), "{told}");
    let sampled = status(folder.path());
    let cycle = sampled["cycles"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&cycle["policy"], &cycle["visits"]),
        (&"directory-sample:d=2:batch=5".into(), &5.into())
    );
    let settings = "policy = \"directory-sample:d=1:batch=2\"\n";
    fs::write(folder.path().join("other.toml"), settings).unwrap();
    // `why` speaks for the policy of the last refresh, and names that of the settings.
    let why = format!("why http://{host}/ --config other.toml --json --data data");
    let explained = json(&run(folder.path(), &why));
    assert_eq!(explained["policy"], "directory-sample:d=2:batch=5");
    assert_eq!(explained["settings_policy"], "directory-sample:batch=2");

    // A budget is spent exactly, and what is known of seeds and scope is remembered.
    site.pass_days(3);
    let output = site.run(folder.path(), "refresh --budget 25");
    assert!(output.status.success(), "{}", errors(&output));
    let refreshed = status(folder.path());
    let cycle = refreshed["cycles"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&cycle["kind"], &cycle["budget"], &cycle["visits"]),
        (&"refresh".into(), &25.into(), &25.into())
    );
    assert!(refreshed["freshness"]["low"].as_f64() <= refreshed["freshness"]["high"].as_f64());

    let why = json(&run(folder.path(), &format!("why http://{host}/ --json --data data")));
    assert_eq!((&why["state"], &why["robots"]["allowed"]), (&"held".into(), &true.into()));
    assert!(
        why["rank"].is_u64() && why["score"].is_f64() && why["cycles_until_visit"].is_u64(),
        "{why:#}"
    );
    let unknown = json(&run(folder.path(), "why http://elsewhere.example/ --json --data data"));
    assert_eq!(unknown["why"], "it is outside the scope of the crawl");

    let output = run(folder.path(), "export changes --data data");
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.len() as u64 >= held, "{} {held}", lines.len());
    assert!(lines.iter().all(|line| line["new"]["warc"]["offset"].is_u64()));
    let changed = lines.iter().find(|line| line["outcome"] == "changed").unwrap();
    assert_ne!(changed["old"]["text_digest"], changed["new"]["text_digest"]);
    assert_eq!(changed["old"]["warc"]["file"], changed["new"]["warc"]["file"]);

    let output = run(folder.path(), "export trace -o own.parquet --data data");
    assert!(output.status.success(), "{}", errors(&output));
    let listed = json(&run(folder.path(), "lab list own.parquet --json"));
    assert!(listed["pages_at_start"].as_u64() > Some(10), "{listed}");
    assert!(listed["uncertain_changes"]["uncertain"].as_u64() > Some(0), "{listed}");

    let verified = json(&run(folder.path(), "verify --json --data data"));
    assert_eq!(verified["observations"], refreshed["observations"]);
}

#[test]
fn what_robots_forbids_is_never_asked_for() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::new());
    site.server.keep_visits(true);
    let seeds: Vec<String> =
        site.web.hosts().iter().map(|host| format!("http://{host}/")).collect();
    let output = site.run(folder.path(), &format!("crawl {}", seeds.join(" ")));
    assert!(output.status.success(), "{}", errors(&output));
    let visits = site.server.visits();
    let private: Vec<String> = site
        .web
        .history()
        .filter(demo::PageHistory::is_private)
        .map(|history| history.address().to_owned())
        .collect();
    assert!(!private.is_empty() && visits.len() > 1_500);
    for visit in &visits {
        let address = format!("http://{}{}", visit.host, visit.path);
        assert!(!private.contains(&address), "{address} was asked for");
    }
}

#[test]
fn a_data_folder_has_one_writer_and_is_not_taken_over_by_strangers() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::new());
    let host = &site.web.hosts()[0];
    let crawl = format!("crawl http://{host}/ --pages 5");
    assert!(site.run(folder.path(), &crawl).status.success());
    let lock = fs::OpenOptions::new().write(true).open(folder.path().join("data/lock")).unwrap();
    lock.lock().unwrap();
    let output = site.run(folder.path(), &crawl);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(errors(&output).contains("in use"), "{}", errors(&output));
    // Reading goes on beside a writer.
    assert!(run(folder.path(), "status --data data").status.success());
    drop(lock);
    let foreign = folder.path().join("other");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.txt"), "precious").unwrap();
    let mut command = site.command(folder.path(), &crawl);
    let output = command.args(["--config", "none.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    fs::write(folder.path().join("sanderling.toml"), "data = \"other\"\n").unwrap();
    let output =
        run(folder.path(), &format!("crawl http://127.0.0.1:{}/", site.server.address().port()));
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1);
}

#[test]
fn a_crawl_that_reaches_nothing_says_so() {
    let folder = tempfile::tempdir().unwrap();
    // A port that was free a moment ago: nothing listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let output = run(
        folder.path(),
        &format!("crawl http://127.0.0.1:{port}/ --data data --allow 127.0.0.1"),
    );
    assert_eq!(output.status.code(), Some(6), "{}", errors(&output));
    assert!(errors(&output).contains("no page could be fetched"), "{}", errors(&output));
}

#[test]
fn wrong_settings_are_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &str, line: &str| {
        let output = run(folder.path(), arguments);
        assert_eq!(errors(&output), format!("error: {line}\n"), "{arguments}");
        assert_eq!(output.status.code(), Some(2), "{arguments}");
    };
    refused(
        "crawl https://docs.example.org --data data",
        "no contact is given for visiting docs.example.org: site owners must be able to reach whoever \
         crawls them; give a web page or an e-mail address: add --contact you@example.org, or contact = \
         \"you@example.org\" to sanderling.toml",
    );
    assert!(!folder.path().join("data").exists());
    refused(
        "crawl ftp://a.example",
        "SEEDS: \"ftp://a.example\": only http and https URLs are supported",
    );
    refused(
        "refresh --data data",
        "no budget is set; add --budget 200 (visits), 20MB or 10min, or budget = 200 to \
             sanderling.toml",
    );
    refused(
        "refresh --budget 5 --data data",
        "data has no crawl yet; start one with: sanderling crawl https://docs.example.org",
    );
    refused(
        "status --data data",
        "data is not a Sanderling data folder: it has no sanderling.db; start a crawl with: sanderling crawl \
         URL",
    );
    refused(
        "crawl a.example --delay 5",
        "--delay: \"5\" is not a length of time such as 500ms, 1s, 30m, 12h or 1d",
    );
    refused(
        "crawl a.example --scope hots",
        "--scope: unknown scope \"hots\"; did you mean \"host\"?",
    );
    refused(
        "refresh --budget 0",
        "--budget: \"0\" is not a budget such as 200 (visits), 20MB or 10min",
    );
    fs::write(folder.path().join("sanderling.toml"), "dealy = \"5s\"\n").unwrap();
    refused(
        "refresh --budget 5",
        "sanderling.toml: unknown key \"dealy\"; did you mean \"delay\"?",
    );
}

#[test]
fn init_writes_a_file_that_works_and_never_overwrites_one() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "init docs.example.org --contact me@example.org");
    assert!(output.status.success(), "{}", errors(&output));
    let text = fs::read_to_string(folder.path().join("sanderling.toml")).unwrap();
    assert!(
        text.contains("contact = \"me@example.org\"")
            && text.contains("seeds = [\"https://docs.example.org/\"]")
    );
    // Every key is there, and what is commented out is what holds anyway.
    let all = text
        .lines()
        .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line));
    fs::write(
        folder.path().join("all.toml"),
        all.collect::<Vec<_>>().join("\n").replace("company-ca.pem", "all.toml"),
    )
    .unwrap();
    let output = run(folder.path(), "status --config all.toml");
    assert!(errors(&output).contains("no sanderling.db"), "{}", errors(&output));
    let output = run(folder.path(), "init");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(folder.path().join("sanderling.toml")).unwrap(), text);
}
