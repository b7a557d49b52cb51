//! Text runs: the text between two tags, or a line of plain text, as a hash.
//!
//! Pages made from one template share runs. Comparing runs tells which part of a page is boilerplate
//! and which shared part has changed (`instruments::fragments`).
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{fold::Folded, host};

/// A page has at most this many runs. What follows is one last run.
const MOST_RUNS: usize = 4_096;

/// Hashes single runs of one page, as [`Runs`] does.
pub(crate) struct RunHasher {
    runs: Runs,
    left: usize,
}

impl RunHasher {
    /// For the page at `address`.
    pub(crate) fn new(address: &str) -> Self {
        Self { runs: Runs::new(address), left: MOST_RUNS - 1 }
    }

    /// The hash of the text between two tags; `None` without a word, and beyond the most runs of a page.
    pub(crate) fn hash(&mut self, text: &str) -> Option<u32> {
        let mut folded = Folded::default();
        folded.push(text.as_bytes());
        if folded.bytes().is_empty() {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        Some(self.runs.hash(folded.bytes()))
    }
}

/// Hashes the runs of one page.
pub(crate) struct Runs {
    /// Part of every hash, so that equal texts of two hosts differ.
    seed: u64,
    hashes: Vec<u32>,
    /// Where each run ends in the text.
    ends: Vec<u32>,
    /// Where the current run begins in the text.
    begin: usize,
}

impl Runs {
    /// The runs of the page at `address`.
    pub(crate) fn new(address: &str) -> Self {
        let seed = xxh3_64(host(address).as_bytes());
        Self { seed, hashes: vec![], ends: vec![], begin: 0 }
    }

    /// The runs that have ended.
    pub(crate) fn count(&self) -> usize {
        self.hashes.len()
    }

    /// Ends the current run at the end of `text`, which has only grown since the last call.
    pub(crate) fn end(&mut self, text: &[u8]) {
        if text.len() > self.begin && self.hashes.len() < MOST_RUNS - 1 {
            self.end_last(text);
        }
    }

    fn end_last(&mut self, text: &[u8]) {
        let run = &text[self.begin..];
        let run = run.strip_prefix(b" ").unwrap_or(run);
        if !run.is_empty() {
            self.hashes.push(self.hash(run));
            self.ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
        self.begin = text.len();
    }

    fn hash(&self, run: &[u8]) -> u32 {
        (xxh3_64_with_seed(run, self.seed) >> 32) as u32
    }

    /// All runs, the title first, and where those of the text end.
    pub(crate) fn finish(mut self, title: &str, text: &[u8]) -> (Vec<u32>, Vec<u32>) {
        self.end_last(text);
        if !title.is_empty() {
            self.hashes.insert(0, self.hash(title.as_bytes()));
        }
        (self.hashes, self.ends)
    }
}

/// The runs of a plain text: its lines.
pub(crate) fn lines(address: &str, text: &str) -> Vec<u32> {
    let runs = Runs::new(address);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut hashes: Vec<u32> =
        lines.by_ref().take(MOST_RUNS - 1).map(|line| runs.hash(line.as_bytes())).collect();
    if let Some(next) = lines.next() {
        // From there to the end of the text, which `next` is a part of.
        let rest = &text[next.as_ptr() as usize - text.as_ptr() as usize..];
        hashes.push(runs.hash(rest.as_bytes()));
    }
    hashes
}

#[cfg(test)]
mod tests {
    use crate::read::read;

    fn runs(address: &str, content_type: &str, body: &str) -> Vec<u32> {
        read(address, content_type, body.as_bytes()).runs.to_vec()
    }

    fn html(body: &str) -> Vec<u32> {
        runs("https://a.org/x", "text/html", body)
    }

    #[test]
    fn text_between_tags_is_a_run_and_white_space_is_folded() {
        let one = html("<title>T</title><p>one  two<b>three</b> <i> </i>four");
        let other = html("<title>T</title><div>one two</div>three<p>\n four </p>");
        assert_eq!(one.len(), 4);
        assert_eq!(one, other);
        assert_ne!(html("<p>one<p>two"), html("<p>two<p>one"));
    }

    #[test]
    fn the_ends_of_runs_are_those_in_the_folded_text() {
        for space in [" ", "\u{a0}\u{a0}"] {
            let body =
                format!("<title>T</title><p>One{space}é <b>two</b> <i> </i>three<p>{space}four");
            let page = read("https://a.org/x", "text/html", body.as_bytes());
            let text = &page.content.as_ref().unwrap().text;
            let mut begin = 0;
            let mut runs = vec![];
            for (_, end) in page.text_runs() {
                runs.push(text[begin..end].trim());
                begin = end;
            }
            assert_eq!(runs, ["One é", "two", "three", "four"]);
            let hashes: Vec<u32> = page.text_runs().map(|(run, _)| run).collect();
            assert_eq!(hashes, page.runs[1..]);
        }
        assert_eq!(read("https://a.org/x", "text/plain", b"one\ntwo").text_runs().count(), 0);
    }

    #[test]
    fn hidden_text_is_no_run() {
        assert_eq!(html("<p>one<script>two</script><template>three</template>").len(), 1);
    }

    #[test]
    fn the_runs_of_two_hosts_differ() {
        let page = "<p>Imprint";
        let of = |address| runs(address, "text/html", page);
        assert_eq!(of("https://a.org/x"), of("https://a.org/y?z"));
        assert_ne!(of("https://a.org/x"), of("https://b.org/x"));
    }

    #[test]
    fn the_runs_of_a_plain_text_are_its_lines() {
        let text = |body| runs("https://a.org/x", "text/plain", body);
        assert_eq!(text("one\n\n two \nthree").len(), 3);
        assert_eq!(text("one\n two"), text("one\r\ntwo\n"));
    }

    #[test]
    fn a_page_with_a_million_runs_is_bounded_and_its_end_still_counts() {
        let many = "<b>x</b>".repeat(1_000_000);
        let (one, other) = (html(&format!("{many}<p>end")), html(&format!("{many}<p>other")));
        assert_eq!(one.len(), super::MOST_RUNS);
        assert_ne!(one, other);
        let many = "x\n".repeat(1_000_000);
        let text = |body: String| runs("https://a.org/x", "text/plain", &body);
        let (one, other) = (text(format!("{many}end")), text(format!("{many}other")));
        assert_eq!(one.len(), super::MOST_RUNS);
        assert_ne!(one, other);
    }
}
