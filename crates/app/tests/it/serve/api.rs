//! What programs get.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::served::Served;
use crate::common;

#[test]
fn a_search_tells_what_is_known_of_its_results() {
    let served = Served::new("");
    let found = served.json("/api/search?q=Harbour&limit=5");
    assert_eq!(
        (&found["total"], &found["offset"], &found["limit"]),
        (&json!(1), &json!(0), &json!(5))
    );
    let result = &found["hits"][0];
    assert_eq!(result["url"], "http://tiny.example/tides");
    assert_eq!((&result["visits"], &result["changes"]), (&json!(2), &json!(1)));
    let marked: Vec<&str> = result["snippet"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|piece| piece["marked"] == true)
        .filter_map(|piece| piece["text"].as_str())
        .collect();
    assert_eq!(marked, ["harbour"]);
    let beyond = served.json("/api/search?q=harbour&offset=1");
    assert_eq!((&beyond["total"], &beyond["hits"]), (&json!(1), &json!([])));
}

#[test]
fn wrong_parameters_are_refused_by_name_with_a_hint() {
    let served = Served::new("");
    for (path, status, says) in [
        ("/api/search", 400, "q is missing"),
        ("/api/search?q=%20", 400, "q is missing"),
        ("/api/search?q=a&limit=0", 400, "limit is not a whole number from 1 to 100"),
        ("/api/search?q=a&limit=101", 400, "limit is not"),
        ("/api/search?q=a&offset=-1", 400, "offset is not"),
        ("/api/page", 400, "Exactly one of url and no"),
        ("/api/page?no=1&url=http://tiny.example/", 400, "Exactly one of url and no"),
        ("/api/page?url=ftp://a.example/", 400, "url: "),
        ("/api/page?no=1&text=perhaps", 400, "text is neither"),
        ("/api/page?no=99999", 404, "No such page"),
        ("/api/page?url=http://tiny.example/none", 404, "No such page"),
        ("/api/changes?after=x", 400, "after is not"),
        ("/api/nothing", 404, "nothing at this URL"),
    ] {
        let reply = served.get(path);
        assert_eq!(reply.status, status, "{path}");
        let error: Value = serde_json::from_str(&reply.body).unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "{path}: {message}");
        assert!(!error["error"]["hint"].as_str().unwrap().is_empty(), "{path}");
    }
}

#[test]
fn a_page_comes_with_its_versions_and_its_text_where_that_is_wanted() {
    let served = Served::new("");
    let page = served.json("/api/page?url=http://tiny.example/tides&text=true");
    assert_eq!(page["title"], "Tide tables");
    assert_eq!(page["text"], "The tide turns at ten in the old harbour.");
    let outcomes: Vec<&Value> =
        page["versions"].as_array().unwrap().iter().map(|version| &version["outcome"]).collect();
    assert_eq!(outcomes, ["changed", "first"]);
    assert!(served.json("/api/page?url=tiny.example/tides").get("error").is_some());
    assert!(served.json("/api/page?url=http://tiny.example/tides").get("text").is_none());
}

#[test]
fn the_change_feed_is_what_export_writes_and_can_be_read_in_steps() {
    let served = Served::new("");
    let output = common::run(served.data().parent().unwrap(), "export changes --data data");
    let exported: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // The feed adds what a change is about.
    let plain = |answer: &Value| -> Vec<Value> {
        let mut changes = answer["changes"].as_array().unwrap().clone();
        for change in &mut changes {
            for added in ["page", "title", "summary", "link"] {
                change.as_object_mut().unwrap().remove(added).unwrap();
            }
        }
        changes
    };
    let all = served.json("/api/changes?after=0");
    assert_eq!(plain(&all), exported);
    assert_eq!(all["more"], false);
    let (mut after, mut read) = (json!(0), vec![]);
    loop {
        let step = served.json(&format!("/api/changes?limit=2&after={after}"));
        read.extend(plain(&step));
        after = step["next"].clone();
        if step["more"] == false {
            break;
        }
    }
    assert_eq!(read, exported);
    let end = served.json(&format!("/api/changes?after={after}"));
    assert_eq!((&end["changes"], &end["next"]), (&json!([]), &after));
}

#[test]
fn the_status_is_that_of_the_command_with_the_index_in_step() {
    let served = Served::new("");
    let output = common::run(served.data().parent().unwrap(), "status --json --data data");
    let command: Value = serde_json::from_slice(&output.stdout).unwrap();
    // The log is played beside; a few answers later it is.
    let mut status = served.json("/api/status");
    let start = std::time::Instant::now();
    while status["estimated_position"] != status["observations"] {
        assert!(start.elapsed().as_secs() < 30);
        status = served.json("/api/status");
    }
    for (key, value) in command.as_object().unwrap() {
        if !["now", "freshness", "data"].contains(&key.as_str()) {
            assert_eq!(&status[key], value, "{key}");
        }
    }
    assert_eq!(status["freshness"]["checks"], command["freshness"]["checks"]);
    assert_eq!(status["index"], json!({ "position": 6, "lag": 0, "pages": 3 }));
}

/// Reads what `/metrics` says as Prometheus does: values by name and labels, types by name.
fn read(text: &str) -> (BTreeMap<String, f64>, BTreeMap<String, String>) {
    let (mut values, mut types) = (BTreeMap::new(), BTreeMap::new());
    let mut helped = vec![];
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(!help.is_empty() && !helped.contains(&name), "{line}");
            helped.push(name);
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert_eq!(helped.last(), Some(&name), "{line}");
            assert!(types.insert(name.to_owned(), kind.to_owned()).is_none(), "{line}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        } else {
            let (series, value) = line.rsplit_once(' ').unwrap();
            let name = series.split('{').next().unwrap();
            assert!(name.starts_with("sanderling_"), "{line}");
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{line}");
            let family = ["_bucket", "_sum", "_count"]
                .iter()
                .filter_map(|end| name.strip_suffix(end))
                .find(|family| types.contains_key(*family))
                .unwrap_or(name);
            // All of a family stand together, after its type.
            assert_eq!(helped.last(), Some(&family), "{line}");
            if let Some(labels) = series.strip_prefix(name).filter(|labels| !labels.is_empty()) {
                let inside = labels.strip_prefix('{').unwrap().strip_suffix('}').unwrap();
                for pair in inside.split("\",") {
                    let (label, value) = pair.split_once("=\"").unwrap();
                    assert!(label.bytes().all(|b| b.is_ascii_lowercase()), "{line}");
                    assert!(!value.trim_end_matches('"').contains('"'), "{line}");
                }
            }
            let value: f64 = value.parse().unwrap();
            assert!(values.insert(series.to_owned(), value).is_none(), "twice: {line}");
        }
    }
    assert!(text.ends_with('\n'));
    (values, types)
}

#[test]
fn metrics_can_be_read_by_prometheus_and_say_what_was_done() {
    let served = Served::new("");
    for _ in 0..3 {
        served.get("/api/search?q=tide");
    }
    served.get("/nowhere");
    let mut text = served.get("/metrics");
    let start = std::time::Instant::now();
    while !text.body.contains("index_freshness_ratio") {
        assert!(start.elapsed().as_secs() < 30);
        text = served.get("/metrics");
    }
    assert_eq!(text.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let (values, types) = read(&text.body);
    let value = |name: &str| values[&format!("sanderling_{name}")];
    assert_eq!(value("requests_total{route=\"/api/search\",status=\"200\"}") as u64, 3);
    assert_eq!(value("requests_total{route=\"other\",status=\"404\"}") as u64, 1);
    assert_eq!(value("searches_total") as u64, 3);
    assert_eq!(value("pages{state=\"held\"}") as u64, 3);
    assert_eq!(value("visits_total{outcome=\"changed\"}") as u64, 1);
    assert_eq!(value("visits_total{outcome=\"same\"}") as u64, 2);
    assert_eq!(value("index_lag_observations") as u64, 0);
    assert_eq!((value("index_pages") as u64, value("index_position") as u64), (3, 6));
    assert_eq!(value("budget_visits") as u64, 1_000);
    assert!((value("budget_spent_ratio") - 0.003).abs() < 1e-9);
    // Three repeated visits are too few for a number between them.
    assert!(value("index_freshness_ratio_low") <= value("index_freshness_ratio_high"));
    assert!(value("index_age_seconds") >= 0.0 && value("archive_bytes") > 0.0);
    let route = "{route=\"/api/search\"";
    let bucket = format!("request_duration_seconds_bucket{route},le=\"+Inf\"}}");
    assert_eq!(value(&bucket) as u64, 3);
    assert_eq!(value(&format!("request_duration_seconds_count{route}}}")) as u64, 3);
    assert_eq!(types["sanderling_request_duration_seconds"], "histogram");
}
