//! Seeds from a file or from standard input, one URL per line.
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use super::values;
use crate::failure::{Failure, file_error};

/// Reads the seeds of a file; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<String>, Failure> {
    if path == Path::new("-") {
        return parse("standard input", io::stdin().lock());
    }
    let file =
        File::open(path).map_err(|error| Failure::Input(file_error("read", path, &error)))?;
    parse(&path.display().to_string(), BufReader::new(file))
}

fn parse(place: &str, lines: impl BufRead) -> Result<Vec<String>, Failure> {
    let mut seeds = vec![];
    for (number, line) in (1_u64..).zip(lines.lines()) {
        let line =
            line.map_err(|error| Failure::Input(format!("{place}, line {number}: {error}")))?;
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let seed = values::seed(line);
        seeds.push(seed.map_err(|why| Failure::Input(format!("{place}, line {number}: {why}")))?);
    }
    if seeds.is_empty() {
        return Err(Failure::Input(format!("{place}: there is no URL in it")));
    }
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_one_url_per_line_and_a_wrong_one_is_named_by_its_line() {
        let list = "\u{feff}# ours\r\n\r\nhttps://a.org/x\r\n  b.org  \n";
        assert_eq!(parse("list", list.as_bytes()).unwrap(), ["https://a.org/x", "https://b.org/"]);
        let failure = parse("list", "a.org\nftp://b.org\n".as_bytes()).unwrap_err();
        assert!(failure.to_string().contains("list, line 2: "), "{failure}");
        assert!(parse("list", "# none\n".as_bytes()).is_err());
        assert!(parse("list", &b"\xff\n"[..]).unwrap_err().to_string().contains("line 1"));
    }
}
