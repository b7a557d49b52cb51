//! A corpus as a folder of Markdown files, brought up to date by each export.
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crawl::Digest;
use url::Url;

use super::documents::{Document, Item};
use crate::{
    failure::{Failure, file_error},
    live::tally::stamp,
    partial_file,
};

/// Deeper paths end in this depth.
const DEEPEST: usize = 8;
/// The longest part of a path that is kept.
const LONGEST_PART: usize = 60;

/// The folder.
pub(super) struct MarkdownFolder {
    root: PathBuf,
}

impl MarkdownFolder {
    pub(super) fn create(root: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(root)
            .map_err(|error| Failure::Input(file_error("created", root, &error)))?;
        Ok(Self { root: root.to_owned() })
    }

    /// Writes the file of a page, or removes that of a deleted one.
    pub(super) fn write(&self, item: &Item) -> io::Result<()> {
        match item {
            Item::Page(document) => {
                let path = self.root.join(file_name(&document.url));
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                partial_file::replace(&path, file(document).as_bytes())
            }
            Item::Deleted(deletion) => {
                let path = self.root.join(file_name(&deletion.url));
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
                // Folders that are empty now go with their last page; others refuse.
                let folders = path.ancestors().skip(1).take_while(|folder| *folder != self.root);
                for folder in folders {
                    if fs::remove_dir(folder).is_err() {
                        break;
                    }
                }
                Ok(())
            }
        }
    }
}

/// The file of a page: what is known of it as YAML, then its Markdown. Strings of JSON are strings of YAML.
fn file(document: &Document) -> String {
    let Document { url, title, text, language, fetched, changed, digest, .. } = document;
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut lines = vec![
        "---".to_owned(),
        format!("url: {}", quoted(url)),
        format!("title: {}", quoted(title)),
    ];
    if !language.is_empty() {
        lines.push(format!("language: {}", quoted(language)));
    }
    lines.push(format!("fetched: {}", stamp(*fetched)));
    lines.push(format!("changed: {}", stamp(*changed)));
    lines.push(format!("digest: xxh3:{:032x}", digest.0));
    lines.push("---".to_owned());
    format!("{}\n\n{text}\n", lines.join("\n"))
}

/// The file name of a page below the folder: host, path, and a digest of the URL, because names are cut
/// and file systems do not tell all letters apart.
fn file_name(address: &str) -> PathBuf {
    let digest = Digest::from_bytes(address.as_bytes()).0 as u32;
    let url = Url::parse(address).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or("unknown");
    let port = url.as_ref().and_then(Url::port).map_or(String::new(), |port| format!("_{port}"));
    let mut path = PathBuf::from(plain(&format!("{host}{port}")));
    let mut parts: Vec<&str> =
        url.as_ref().and_then(Url::path_segments).into_iter().flatten().collect();
    let last = parts.pop().unwrap_or_default();
    let parts = parts.iter().filter(|part| !part.is_empty());
    path.extend(parts.take(DEEPEST).map(|part| plain(part)));
    let last = if last.is_empty() { "index" } else { last };
    path.push(format!("{}-{digest:08x}.md", plain(last)));
    path
}

/// A part of a path as a file name that every system takes.
fn plain(part: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let letters = part.chars().take(LONGEST_PART).map(|c| if is_kept(c) { c } else { '_' });
    let name: String = letters.collect();
    let name = name.trim_end_matches('.');
    if name.is_empty() || name.starts_with('.') { format!("_{name}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_file_of_its_own_inside_the_folder() {
        let names: Vec<String> = [
            "https://a.org/",
            "https://a.org/index",
            "https://a.org/x/../y",
            "https://a.org/%2e%2e/%2E%2E/etc/passwd",
            "https://a.org:8443/x?y=1",
            "https://a.org:8443/x?y=2",
            "https://a.org/.git/config",
            "https://[::1]/a:b",
        ]
        .iter()
        .map(|address| file_name(address).to_str().unwrap().to_owned())
        .collect();
        for name in &names {
            assert!(
                !name.starts_with('/') && !name.contains("..") && !name.contains("/."),
                "{name}"
            );
        }
        let mut different = names.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), names.len());
        assert!(names[0].starts_with("a.org/index-") && names[4].starts_with("a.org_8443/x-"));
        assert!(
            file_name(&format!("https://a.org/{}", "d/".repeat(900))).components().count() < 12
        );
    }
}
