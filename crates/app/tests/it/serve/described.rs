//! The description of the API says what the API does.
use serde_json::Value;

use super::served::Served;

/// What is wrong with a value by its schema; fields that are not described are wrong too.
fn faults(value: &Value, schema: &Value, document: &Value, place: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let meant = document.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        return faults(value, meant, document, place);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let all: Vec<Vec<String>> =
            choices.iter().map(|choice| faults(value, choice, document, place)).collect();
        return all.into_iter().min_by_key(Vec::len).unwrap();
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => vec![kind.as_str().unwrap()],
    };
    let fits = kinds.contains(&kind) || (kind == "integer" && kinds.contains(&"number"));
    if !fits {
        return vec![format!("{place}: {kind} is none of {kinds:?}")];
    }
    let mut found = vec![];
    if let Some(values) = schema["enum"].as_array()
        && !value.is_null()
        && !values.contains(value)
    {
        found.push(format!("{place}: {value} is none of {values:?}"));
    }
    if let Some(items) = value.as_array() {
        for (number, item) in items.iter().enumerate() {
            found.extend(faults(item, &schema["items"], document, &format!("{place}[{number}]")));
        }
    }
    if let (Some(fields), Some(described)) = (value.as_object(), schema["properties"].as_object()) {
        for required in schema["required"].as_array().unwrap() {
            if !fields.contains_key(required.as_str().unwrap()) {
                found.push(format!("{place}: {required} is missing"));
            }
        }
        for (name, value) in fields {
            let place = format!("{place}.{name}");
            match described.get(name) {
                Some(schema) => found.extend(faults(value, schema, document, &place)),
                None => found.push(format!("{place} is not described")),
            }
        }
    }
    found
}

#[test]
fn answers_have_the_fields_that_are_described_and_no_others() {
    let served = Served::new("");
    let document = served.json("/api/openapi.json");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    for (path, pattern, status) in [
        ("/api/search?q=tide", "/api/search", 200),
        ("/api/search?q=", "/api/search", 400),
        ("/api/page?no=0", "/api/page", 200),
        ("/api/page?no=1&text=true", "/api/page", 200),
        ("/api/page?no=77", "/api/page", 404),
        ("/api/status", "/api/status", 200),
        ("/api/changes", "/api/changes", 200),
        ("/api/changes?after=0", "/api/changes", 200),
        ("/healthz", "/healthz", 200),
    ] {
        let reply = served.get(path);
        assert_eq!(reply.status, status, "{path}");
        let mut response = &document["paths"][pattern]["get"]["responses"][status.to_string()];
        if let Some(reference) = response["$ref"].as_str() {
            response = document.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        }
        let content = &response["content"]["application/json"];
        let value: Value = serde_json::from_str(&reply.body).unwrap();
        let found = faults(&value, &content["schema"], &document, path);
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn every_example_fits_its_own_schema() {
    let served = Served::without_index();
    let document = served.json("/api/openapi.json");
    let mut count = 0;
    let responses = document["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|path| path["get"]["responses"].as_object().unwrap().values());
    let shared = document["components"]["responses"].as_object().unwrap().values();
    for response in responses.chain(shared) {
        let content = &response["content"]["application/json"];
        if content.get("example").is_some() {
            let found = faults(&content["example"], &content["schema"], &document, "example");
            assert!(found.is_empty(), "{found:#?}");
            count += 1;
        }
    }
    assert!(count >= 9, "{count}");
}
