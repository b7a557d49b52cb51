//! Renders pages as HTML, and feeds and sitemaps as XML.
use std::fmt::Write as _;
use std::io::Write as _;

use crawl::Time;
use flate2::Compression;
use flate2::write::GzEncoder;
use xxhash_rust::xxh3::xxh3_64;

use crate::list::List;
use crate::moments::{day_words, http_date, w3c};
use crate::page::{Block, Lastmod, Noindex, Page, Sitemap, in_force, last_by};
use crate::random::Random;
use crate::site::Site;

const XML: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";

/// Renders an HTML page at `now`.
pub(crate) fn html(site: &Site, page: &Page, blocks: &[Block], now: Time) -> String {
    let mut out = String::with_capacity(6_000);
    out.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    let _ = writeln!(out, "{} - {}</title>", page.title, site.spec.name);
    let _ =
        writeln!(out, "<meta name=\"description\" content=\"{}\">", attribute(&site.spec.about));
    if page.noindex == Noindex::Meta {
        out.push_str("<meta name=\"robots\" content=\"noindex\">\n");
    }
    if let Some(canonical) = &page.canonical {
        let _ =
            writeln!(out, "<link rel=\"canonical\" href=\"http://{}{canonical}\">", site.spec.host);
    }
    if let Some((path, kind)) = &site.spec.feed {
        let _ = writeln!(
            out,
            "<link rel=\"alternate\" type=\"application/{kind}+xml\" title=\"{}\" href=\"{path}\">",
            attribute(&site.spec.name)
        );
    }
    let _ = write!(out, "</head>\n<body>\n<header><a href=\"/\">{}</a>\n<nav>", site.spec.name);
    for (target, label) in site.spec.navigation() {
        let _ = write!(out, " <a href=\"{}\">{label}</a>", reference(site, page, &target));
    }
    let _ = writeln!(out, "</nav></header>\n<main>\n<h1>{}</h1>", page.title);
    for block in blocks {
        write_block(site, page, block, now, &mut out);
    }
    let _ = write!(out, "</main>\n<footer><p>{}. {}</p>\n<p>", site.spec.name, site.spec.about);
    for (target, label) in &site.spec.asides {
        let _ = write!(out, "<a href=\"{target}\" rel=\"nofollow\">{label}</a> ");
    }
    out.push_str("<a href=\"http://index.example/\">All sites of this shore</a></p></footer>\n");
    out.push_str("</body>\n</html>\n");
    out
}

fn write_block(site: &Site, page: &Page, block: &Block, now: Time, out: &mut String) {
    match block {
        Block::Prose(prose) => prose.write(now, out),
        Block::Replies(replies) => replies.write(now, out),
        Block::List(list) => write_list(site, page, list, now, out),
        Block::Value(label, values) => {
            if let Some(value) = in_force(values, now) {
                let _ = writeln!(out, "<p class=\"value\">{label}: <strong>{value}</strong></p>");
            }
        }
        Block::Noise(random, times) => write_noise(*random, times, now, out),
        Block::Fixed(markup) => {
            out.push_str(markup);
            out.push('\n');
        }
    }
}

fn write_list(site: &Site, page: &Page, list: &List, now: Time, out: &mut String) {
    let shown = list.shown(now);
    if shown.is_empty() {
        return;
    }
    if !list.heading.is_empty() {
        let _ = writeln!(out, "<h2>{}</h2>", list.heading);
    }
    out.push_str("<ul>\n");
    let rel = if list.nofollow { " rel=\"nofollow\"" } else { "" };
    for entry in shown {
        let target = reference(site, page, &entry.target);
        let _ = write!(out, "<li><a href=\"{target}\"{rel}>{}</a>", entry.title);
        if list.dated {
            let _ = write!(out, " <small>{}</small>", day_words(entry.from));
        }
        if let Some(note) = entry.note(now) {
            let _ = write!(out, " <em>{note}</em>");
        }
        if list.teasers && !entry.teaser.is_empty() {
            let _ = write!(out, "<br>{}", entry.teaser);
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
}

/// Writes a comment and attributes that are not visible.
fn write_noise(random: Random, times: &[Time], now: Time, out: &mut String) {
    let count = times.partition_point(|at| *at <= now);
    let Some(last) = count.checked_sub(1) else { return };
    let at = times[last];
    let mut draws = random.at(last as u64).draws();
    let _ = writeln!(
        out,
        "<div class=\"lamp\" data-served=\"{}\" data-token=\"{:016x}\"></div>\n\
         <!-- rendered {} in {} ms -->",
        random.bits() % 90_000 + 37 * count as u64,
        random.at(1_000 + last as u64).bits(),
        w3c(at),
        draws.between(3, 90),
    );
}

/// How `page` writes a link to `target`: absolute, scheme-relative, relative or root-relative.
fn reference(site: &Site, page: &Page, target: &str) -> String {
    if !target.starts_with('/') {
        return target.to_owned();
    }
    match xxh3_64(target.as_bytes()) % 6 {
        0 => format!("http://{}{target}", site.spec.host),
        1 => format!("//{}{target}", site.spec.host),
        2 | 3 => {
            let folder = page.path.split('?').next().unwrap_or_default();
            let folder = &folder[..=folder.rfind('/').unwrap_or(0)];
            match target.strip_prefix(folder).filter(|rest| !rest.is_empty()) {
                Some(rest) => rest.to_owned(),
                None => target.to_owned(),
            }
        }
        _ => target.to_owned(),
    }
}

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

/// Renders an RSS feed at `now`.
pub(crate) fn rss(site: &Site, list: &List, now: Time) -> String {
    let (name, host, about) = (&site.spec.name, &site.spec.host, &site.spec.about);
    let mut out = format!(
        "{XML}<rss version=\"2.0\"><channel>\n<title>{name}</title>\n<link>http://{host}/</link>\n\
         <description>{about}</description>\n"
    );
    for entry in list.shown(now) {
        let (address, date) = (site.absolute(&entry.target), http_date(entry.from));
        let _ = writeln!(
            out,
            "<item><title>{}</title><link>{address}</link><guid>{address}</guid>\
             <pubDate>{date}</pubDate><description>{}</description></item>",
            entry.title, entry.teaser
        );
    }
    out.push_str("</channel></rss>\n");
    out
}

/// Renders an Atom feed at `now`.
pub(crate) fn atom(site: &Site, list: &List, now: Time) -> String {
    let (name, host, shown) = (&site.spec.name, &site.spec.host, list.shown(now));
    let updated = shown.iter().map(|entry| entry.from).max().unwrap_or(Time::from_millis(0));
    let mut out = format!(
        "{XML}<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{name}</title>\n\
         <id>http://{host}/</id>\n<link href=\"http://{host}/\"/>\n<updated>{}</updated>\n",
        w3c(updated)
    );
    for entry in shown {
        let (address, date) = (site.absolute(&entry.target), w3c(entry.from));
        let _ = writeln!(
            out,
            "<entry><title>{}</title><link href=\"{address}\"/><id>{address}</id>\
             <updated>{date}</updated><summary>{}</summary></entry>",
            entry.title, entry.teaser
        );
    }
    out.push_str("</feed>\n");
    out
}

/// Renders a sitemap at `now`.
pub(crate) fn sitemap(site: &Site, sitemap: &Sitemap, now: Time) -> Vec<u8> {
    let (set, item) =
        if sitemap.is_index { ("sitemapindex", "sitemap") } else { ("urlset", "url") };
    let mut out = String::from(XML);
    let _ = writeln!(out, "<{set} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">");
    for listed in &sitemap.listed {
        if now < listed.from || listed.until.is_some_and(|until| until <= now) {
            continue;
        }
        let _ =
            write!(out, "<{item}><loc>http://{}{}</loc>", site.spec.host, attribute(&listed.path));
        let changes = match &sitemap.lastmod {
            Lastmod::Absent => &[],
            Lastmod::True => &listed.changes[..],
            Lastmod::Build(builds) => &builds[..],
        };
        if let Some(last) = last_by(changes, now) {
            let _ = write!(out, "<lastmod>{}</lastmod>", w3c(last));
        }
        let _ = writeln!(out, "</{item}>");
    }
    let _ = writeln!(out, "</{set}>");
    if sitemap.gzip { gzip(out.as_bytes()) } else { out.into_bytes() }
}

/// Compresses without a name or a date, so that equal bytes give equal files.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 3), Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
