//! Lines of CSV (RFC 4180).

/// One line, with its line end.
pub(crate) fn line(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| quote(value)).collect();
    format!("{}\r\n", quoted.join(","))
}

/// A value, in quotation marks if it needs them.
fn quote(value: &str) -> String {
    if value.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_signs_are_quoted() {
        assert_eq!(line(&["a", "", "b,c", "d\"e", "f\ng"]), "a,,\"b,c\",\"d\"\"e\",\"f\ng\"\r\n");
    }
}
