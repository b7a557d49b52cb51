//! Plain text. Only the sitemaps that a robots.txt names become links.
use super::{Reading, address::Resolver, fold::fold, link, runs};

/// Parses the plain text at `address`.
pub(crate) fn read(address: &str, text: &str) -> Reading {
    let mut reading =
        Reading { text: fold(text), runs: runs::lines(address, text), ..Reading::default() };
    if address.ends_with("/robots.txt") {
        let mut resolver = Resolver::new(address);
        reading.links =
            sitemaps(text).filter_map(|sitemap| link(&mut resolver, sitemap, None)).collect();
    }
    reading
}

/// The values of the `Sitemap:` lines (sitemaps.org; RFC 9309 leaves them to it).
fn sitemaps(robots: &str) -> impl Iterator<Item = &str> {
    robots.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let value = value.split_whitespace().next()?;
        name.trim().eq_ignore_ascii_case("sitemap").then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_folded() {
        assert_eq!(read("http://a/x.txt", " one\r\n\ttwo\u{a0}three ").text, "one two three");
    }

    #[test]
    fn sitemaps_in_robots_txt_become_links() {
        let robots = "User-agent: *\nDisallow: /x\nsitemap : https://a/sitemap.xml # here\n";
        let links = read("https://a/robots.txt", robots).links;
        assert_eq!(links.len(), 1);
        assert_eq!(&*links[0].address, "https://a/sitemap.xml");
    }

    #[test]
    fn other_texts_have_no_links() {
        assert!(read("https://a/notes.txt", "Sitemap: https://a/s.xml").links.is_empty());
    }
}
