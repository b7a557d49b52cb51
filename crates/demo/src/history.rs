//! The ground truth about one address: every version it ever serves, rendered one at a time.
use bytes::Bytes;
use crawl::Time;

use crate::page::Page;
use crate::served::Mime;
use crate::site::Site;

/// Every version of one address over the life of the web.
///
/// [`versions`](Self::versions) renders the bodies one by one.
#[derive(Clone)]
pub struct PageHistory<'web> {
    site: &'web Site,
    page: &'web Page,
    address: String,
}

/// What an address serves from an instant until the next version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The first instant of this version.
    pub at: Time,
    /// The HTTP status: 200, or 301, 302, 404, 410.
    pub status: u16,
    /// The media type.
    pub mime: Mime,
    /// The body, also of redirects and of pages that are gone.
    pub body: Bytes,
}

impl<'web> PageHistory<'web> {
    pub(crate) fn new(site: &'web Site, page: &'web Page) -> Self {
        Self { site, page, address: format!("http://{}{}", site.spec.host, page.path) }
    }

    /// The address.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether the site's robots.txt disallows it.
    pub fn is_private(&self) -> bool {
        self.site.spec.is_private(&self.page.path)
    }

    /// Its versions, in order. Consecutive versions differ. Before the first, the address is missing
    /// (404).
    pub fn versions(&self) -> impl Iterator<Item = Version> {
        let mut before: Option<Version> = None;
        self.instants().into_iter().filter_map(move |at| {
            let served = self.site.serve(self.page, at);
            let version =
                Version { at, status: served.status, mime: served.mime, body: served.body };
            let same = before.as_ref().is_some_and(|before| {
                before.status == version.status && before.body == version.body
            });
            if same {
                return None;
            }
            before = Some(version.clone());
            Some(version)
        })
    }

    /// The instants at which it may change; first the first instant at which it is served.
    fn instants(&self) -> Vec<Time> {
        let start = self.site.era.start;
        let ended = self.page.ends();
        let first = self.page.born.max(start);
        let mut instants = vec![first];
        instants.extend(self.page.changes().iter().filter(|at| **at > first));
        instants.extend(ended.filter(|at| *at > first));
        instants
    }

    /// The page rendered for `at` instead of for its last change before.
    #[cfg(test)]
    pub(crate) fn written_at(&self, at: Time) -> crate::Served {
        self.site.show(self.page, at)
    }
}

impl std::fmt::Debug for PageHistory<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("PageHistory").field("address", &self.address).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crawl::Span;

    use super::*;
    use crate::DemoWeb;

    /// Pages are rendered for their last change. If they came out differently for an instant
    /// between changes, the histories would miss a change.
    #[test]
    fn a_page_changes_at_the_instants_of_its_changes_and_at_no_other() {
        let start = Time::from_millis(1_772_524_800_000);
        let web = DemoWeb::new(5, start, 20);
        for (number, history) in web.history().enumerate() {
            let mut draws = crate::random::Random::new(1, history.address()).draws();
            for _ in 0..4 {
                let at = start + Span::from_millis((20.0 * 86_400_000.0 * draws.unit()) as i64);
                let ended = history.page.ends().is_some_and(|end| end <= at);
                if ended || at < history.page.born {
                    continue;
                }
                let (written, served) = (history.written_at(at), web.page(history.address(), at));
                assert_eq!(written.body, served.body, "{number}: {}", history.address());
            }
        }
    }
}
