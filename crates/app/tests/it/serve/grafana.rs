//! `docs/grafana.json` asks for series that `/metrics` has.
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Stdio},
};

use serde_json::Value;

use crate::common::{http, tiny::TinyWeb};

const DASHBOARD: &str = include_str!("../../../../../docs/grafana.json");

/// Every expression of the dashboard.
fn expressions() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() > 15);
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let expressions = targets.map(|target| target["expr"].as_str().unwrap().to_owned());
    let variables = dashboard["templating"]["list"].as_array().unwrap().iter();
    let queries = variables.filter_map(|it| it["query"]["query"].as_str().map(str::to_owned));
    expressions.chain(queries).collect()
}

/// The names of series in an expression, each with the labels that it is matched by.
fn asked(expression: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut found = vec![];
    for part in expression.split("sanderling_").skip(1) {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(part.len());
        let matched = part[end..].strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let labels = matched.map_or("", |(inside, _)| inside).split(',').filter_map(|pair| {
            let (name, _) = pair.split_once(['=', '!'])?;
            Some(name.trim().to_owned())
        });
        // Prometheus itself adds this one.
        let labels = labels.filter(|name| name != "instance").collect();
        found.push((format!("sanderling_{}", &part[..end]), labels));
    }
    found
}

struct Run {
    child: Child,
    address: SocketAddr,
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `run` with everything that has metrics: a page, a target, a webhook and a next start.
fn running(folder: &std::path::Path, web: &TinyWeb) -> Run {
    let arguments = "run --interval 1d --budget 5 --serve --listen 127.0.0.1:0 \
                     --freshness-target 95% --webhook http://127.0.0.1:9/hook";
    let mut command = http::crawler(folder, "tiny.example", web.address, arguments);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("Search page: http://").unwrap();
    Run { child, address: address.trim_end_matches('/').parse().unwrap() }
}

fn metrics(address: SocketAddr) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn every_series_of_the_grafana_dashboard_is_served_with_its_labels() {
    let folder = tempfile::tempdir().unwrap();
    let web = TinyWeb::new(&[
        ("/", "<title>Shore</title><a href=/tides>t</a> <a href=/none>n</a>"),
        ("/tides", "<title>Tides</title><p>At nine.</p>"),
    ]);
    web.crawl(folder.path());
    web.refresh(folder.path());
    let run = running(folder.path(), &web);
    let start = std::time::Instant::now();
    let mut text = metrics(run.address);
    let is_complete = |text: &str| {
        ["next_cycle_timestamp", "host_freshness", "cycle_end", "index_position"]
            .iter()
            .all(|name| text.contains(&format!("\nsanderling_{name}")))
    };
    while !is_complete(&text) {
        assert!(start.elapsed().as_secs() < 60, "{text}");
        std::thread::sleep(std::time::Duration::from_millis(200));
        text = metrics(run.address);
    }
    let mut served: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_once(['{', ' ']).unwrap();
        let labels = served.entry(name).or_default();
        labels.extend(rest.split(',').filter_map(|pair| Some(pair.split_once("=\"")?.0)));
    }
    let expressions = expressions();
    for expression in &expressions {
        for (name, labels) in asked(expression) {
            // No visit failed here, so this one has a head alone.
            if name == "sanderling_faults_total" {
                assert!(text.contains("# TYPE sanderling_faults_total counter"));
                continue;
            }
            // Served when freshness is known well enough; its interval always is.
            if name == "sanderling_index_freshness_ratio" {
                assert!(served.contains_key("sanderling_index_freshness_ratio_low"));
                continue;
            }
            // Needs a longer history; `advise.rs` looks for them.
            if ["sanderling_expected_freshness_ratio", "sanderling_target_budget_visits"]
                .contains(&name.as_str())
            {
                continue;
            }
            let known = served.get(name.as_str());
            let known = known.unwrap_or_else(|| panic!("{name} is not served: {expression}"));
            for label in labels {
                assert!(known.contains(label.as_str()), "{name} has no label {label}");
            }
        }
    }
    // No series grows with the number of hosts.
    assert!(!text.contains("tiny.example"), "{text}");
    // And what the dashboard shows can be watched there.
    let all = expressions.join("\n");
    for name in ["freshness_target_ratio", "cycle_outcomes", "hosts{", "faults_total", "webhook_"] {
        assert!(all.contains(&format!("sanderling_{name}")), "{name}");
    }
}
