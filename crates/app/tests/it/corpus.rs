//! A copy elsewhere stays as fresh as the repository: nothing is missed, nothing is kept too long.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::common::{self, errors, run, text, tiny::TinyWeb};

fn page(title: &str, text: &str) -> String {
    format!("<!doctype html><html lang=en><title>{title}</title><p>{text}</p>")
}

fn shore() -> TinyWeb {
    let links = "<a href=/tide>tide</a> <a href=/gull>gull</a> <a href=/quiet>quiet</a> <a href=/old>old</a>";
    TinyWeb::new(&[
        ("/", &page("Shore", links)),
        ("/tide", &page("Tide tables", "High water at seven, and the boats are running.")),
        ("/gull", &page("Gulls", "A gull follows the boat of the fishermen home.")),
        ("/quiet", "<meta name=robots content=noindex><title>Quiet boat</title>boat"),
        ("/old", &page("Old", "This page will not stay for long.")),
    ])
}

/// The lines of an export of `folder/data`.
fn lines(folder: &Path, flags: &str) -> Vec<Value> {
    let output = run(folder, &format!("export corpus --data data {flags}"));
    assert!(output.status.success(), "{}", errors(&output));
    text(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The paths of some lines, sorted.
fn paths(lines: &[Value], kind: &str) -> Vec<String> {
    let of_kind = lines.iter().filter(|line| line["type"] == kind);
    let path = |line: &Value| line["url"].as_str().unwrap().replace("http://tiny.example", "");
    let mut paths: Vec<String> = of_kind.map(path).collect();
    paths.sort();
    paths
}

fn cursor(lines: &[Value]) -> &str {
    let last = lines.last().unwrap();
    assert_eq!(last["type"], "end");
    last["cursor"].as_str().unwrap()
}

#[test]
fn what_changed_since_a_cursor_is_exported_and_nothing_else() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    let all = lines(folder, "");
    assert_eq!(
        paths(&all, "page"),
        ["/", "/gull", "/old", "/tide"],
        "who asks not to be found is not"
    );
    let tide = all.iter().find(|line| line["title"] == "Tide tables").unwrap();
    assert_eq!(tide["text"], "High water at seven, and the boats are running.");
    assert_eq!(tide["language"], "en");
    assert!(tide["digest"].as_str().unwrap().starts_with("xxh3:"));
    assert_eq!(tide["fetched"], tide["changed"]);
    let first = cursor(&all).to_owned();
    assert_eq!(lines(folder, &format!("--since {first}")).len(), 1, "nothing changed");

    web.put("/tide", &page("Tide tables", "Low water at noon."));
    web.put("/quiet", &page("Loud boat", "It may be found now."));
    web.put(
        "/gull",
        "<meta name=robots content=noindex><title>Gulls</title>A gull wants to be alone.",
    );
    web.remove("/old");
    web.refresh(folder);
    let some = lines(folder, &format!("--since {first}"));
    assert_eq!(paths(&some, "page"), ["/quiet", "/tide"]);
    assert_eq!(paths(&some, "deleted"), ["/gull"], "one 404 is no end");
    web.refresh(folder);
    let rest = lines(folder, &format!("--since {}", cursor(&some)));
    assert_eq!((paths(&rest, "page").len(), paths(&rest, "deleted")), (0, vec!["/old".to_owned()]));
    assert_eq!(rest[0]["reason"], "gone");
    // Who begins now has nothing to delete.
    let anew = lines(folder, "");
    assert_eq!(paths(&anew, "page"), ["/", "/quiet", "/tide"]);
    assert_eq!(paths(&anew, "deleted"), Vec::<String>::new());
    // Every line says where to go on, so a reader that was cut off misses nothing.
    for (number, line) in anew.iter().take(3).enumerate() {
        let since = line["cursor"].as_str().unwrap();
        let left = lines(folder, &format!("--since {since}"));
        assert_eq!(paths(&left, "page").len(), 2 - number, "{since}");
    }
}

#[test]
fn a_cursor_of_another_folder_is_refused_and_names_its_place() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    let number = cursor(&lines(folder, "")).split_once('-').unwrap().0.to_owned();
    for wrong in ["x", "-", "12", &format!("{number}-0123456789abcdef"), "999-1"] {
        let output = run(folder, &format!("export corpus --data data --since={wrong}"));
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert!(errors(&output).contains("--since: "), "{}", errors(&output));
        assert!(text(&output).is_empty());
    }
    fs::write(folder.join("cursor"), "7-1\n").unwrap();
    let output = run(folder, "export corpus --data data --cursor-file cursor");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("cursor: cursor 7-1 is not of this data folder"),
        "{}",
        errors(&output)
    );
    assert_eq!(fs::read_to_string(folder.join("cursor")).unwrap(), "7-1\n");
    let output = run(folder, "export corpus --data data --format parquet");
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("parquet needs --output"), "{}", errors(&output));
    let output = run(folder, "export corpus --data data -o nowhere/x.jsonl");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn a_folder_of_markdown_is_brought_up_to_date() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    let table = "<h1>Tides</h1><ul><li>one<li><a href=/gull>two</a></ul><table><tr><th>a<th>b<tr><td>1<td>2</table>\
        <pre><code class=language-sh>make\n</code></pre>";
    web.put("/tide", &page("Tide: \"tables\"", table));
    web.crawl(folder);
    let export = "export corpus --data data --format markdown -o pages --cursor-file at";
    let output = run(folder, export);
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(text(&output), fs::read_to_string(folder.join("at")).unwrap());
    let found = files(&folder.join("pages"));
    assert_eq!(found.len(), 4, "{found:?}");
    let tide = found.iter().find(|path| path.display().to_string().contains("tide")).unwrap();
    let markdown = fs::read_to_string(tide).unwrap();
    let (head, body) = markdown.strip_prefix("---\n").unwrap().split_once("\n---\n\n").unwrap();
    assert!(
        head.contains("url: \"http://tiny.example/tide\"\ntitle: \"Tide: \\\"tables\\\"\""),
        "{head}"
    );
    assert_eq!(
        body,
        "# Tides\n\n- one\n- [two](http://tiny.example/gull)\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\
         ```sh\nmake\n```\n"
    );
    web.remove("/old");
    web.put("/gull", &page("Gulls", "They left."));
    web.refresh(folder);
    web.refresh(folder);
    assert!(run(folder, export).status.success());
    let found = files(&folder.join("pages"));
    assert_eq!(found.len(), 3, "{found:?}");
    let gull = found.iter().find(|path| path.display().to_string().contains("gull")).unwrap();
    assert!(fs::read_to_string(gull).unwrap().ends_with("---\n\nThey left.\n"));
}

#[test]
fn a_parquet_file_appears_when_it_is_complete() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    let output =
        run(folder, "export corpus --data data --format parquet -o c.parquet --content markdown");
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("4 pages, 0 deletions"), "{}", errors(&output));
    let file = fs::read(folder.join("c.parquet")).unwrap();
    assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
    let cursor = text(&output).trim().to_owned();
    assert!(file.windows(cursor.len()).any(|window| window == cursor.as_bytes()));
    let left: Vec<_> =
        fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("part")), "{left:?}");
}

#[test]
fn the_example_keeps_another_store_in_step() {
    let (folder, web) = (tempfile::tempdir().unwrap(), shore());
    let folder = folder.path();
    web.crawl(folder);
    let (mut child, address) = common::serve(folder, "");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/keep_in_step.py");
    let update = || {
        let mut command = Command::new("python3");
        command.arg(&script).arg(format!("http://{address}")).arg(folder.join("copy.db"));
        let output = command.output().expect("python3 is installed");
        assert!(output.status.success(), "{}", errors(&output));
        text(&output)
    };
    assert_eq!(update(), "written: 4, deleted: 0\n");
    assert_eq!(update(), "written: 0, deleted: 0\n");
    web.put("/tide", &page("Tide tables", "Low water at noon."));
    web.remove("/old");
    web.refresh(folder);
    assert_eq!(update(), "written: 1, deleted: 0\n");
    web.refresh(folder);
    assert_eq!(update(), "written: 0, deleted: 1\n");
    let _ = child.kill();
    let _ = child.wait();
}
