//! The single features.
use flow::{
    Form, HostNo, Known, PageNo,
    features::{Drift, Facts},
};

use super::{FeatureSettings, Group};

/// One feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// The rank of the page's cluster by words of content, seen from the n-th largest.
    ContentWords(usize),
    Images,
    Tables,
    Words,
    TextBytes,
    IsHtml,
    IsText,
    IsOther,
    /// The rank of the page's cluster by words of the address, seen from the n-th largest.
    UrlWords(usize),
    Depth,
    /// Whether it is in the n-th of the top-level domains.
    Domain(usize),
    PageRank,
    InLinks,
    OutLinks,
    Emails,
    Cosine,
    ImagesMore,
    TablesMore,
    TextBytesMore,
    WordsMore,
    PageRankMore,
    InLinksMore,
    OutLinksMore,
    EmailsMore,
    ChangeFrequency,
    /// The ranking feature for the n-th keyword.
    Ranking(usize),
}

/// The columns of the groups that take part, in the order of [`Group::ALL`].
pub(super) fn columns(settings: &FeatureSettings) -> Vec<(Group, Column)> {
    use Column as C;
    let of = |group: Group| -> Vec<Column> {
        match group {
            Group::ContentWords => (0..settings.dimensions).map(C::ContentWords).collect(),
            Group::Content => {
                vec![C::Images, C::Tables, C::Words, C::TextBytes, C::IsHtml, C::IsText, C::IsOther]
            }
            Group::UrlWords => (0..settings.dimensions).map(C::UrlWords).collect(),
            Group::Url => {
                [C::Depth].into_iter().chain((0..settings.domains.len()).map(C::Domain)).collect()
            }
            Group::Linkage => vec![C::PageRank, C::InLinks, C::OutLinks, C::Emails],
            Group::DynamicContent => {
                vec![C::Cosine, C::ImagesMore, C::TablesMore, C::TextBytesMore, C::WordsMore]
            }
            Group::DynamicLinkage => {
                vec![C::PageRankMore, C::InLinksMore, C::OutLinksMore, C::EmailsMore]
            }
            Group::ChangeFrequency => vec![C::ChangeFrequency],
            Group::Ranking => (0..settings.keywords).map(C::Ranking).collect(),
        }
    };
    Group::ALL
        .into_iter()
        .filter(|group| settings.groups.contains(group))
        .flat_map(|group| of(group).into_iter().map(move |column| (group, column)))
        .collect()
}

/// Reads the values of features.
pub(super) struct Reader<'k> {
    known: &'k Known<'k>,
    /// By host, which of the top-level domains it is in.
    domains: Vec<Option<usize>>,
}

impl<'k> Reader<'k> {
    pub(super) fn new(known: &'k Known<'k>, settings: &FeatureSettings) -> Self {
        let domain = |host: usize| {
            let of_host = top_level_domain(known.pages.host_name(HostNo(host as u32)));
            settings.domains.iter().position(|domain| domain == of_host)
        };
        Self { known, domains: (0..known.pages.host_count()).map(domain).collect() }
    }

    /// The value of a feature; 0 for a ranking feature, which is filled in by keyword.
    pub(super) fn value(&self, column: Column, page: PageNo, facts: &Facts) -> f32 {
        let known = self.known;
        let features = known.features;
        let models = features.models();
        let flag = |is: bool| f32::from(u8::from(is));
        // Before its second visit a page is taken for one that stays as it is.
        let drift = |of: fn(&Drift) -> f32| facts.drift.as_ref().map_or(0.0, of);
        match column {
            Column::ContentWords(place) => {
                models.content.dimension(place, features.word_clusters(page)[0])
            }
            Column::UrlWords(place) => {
                models.address.dimension(place, features.word_clusters(page)[1])
            }
            Column::Images => facts.counts.images as f32,
            Column::Tables => facts.counts.tables as f32,
            Column::Words => facts.counts.words as f32,
            Column::TextBytes => facts.counts.text_bytes as f32,
            Column::IsHtml => flag(facts.form == Form::Html),
            Column::IsText => flag(facts.form == Form::Text),
            Column::IsOther => flag(!matches!(facts.form, Form::Html | Form::Text)),
            Column::Depth => path(known.pages.address(page)).matches('/').count() as f32,
            Column::Domain(place) => {
                flag(self.domains[known.pages.host(page).0 as usize] == Some(place))
            }
            Column::PageRank => features.page_rank(page),
            Column::InLinks => features.in_links(page) as f32,
            Column::OutLinks => facts.out_links as f32,
            Column::Emails => facts.counts.emails as f32,
            Column::Cosine => facts.drift.as_ref().map_or(1.0, |drift| drift.cosine),
            Column::ImagesMore => drift(|drift| drift.images as f32),
            Column::TablesMore => drift(|drift| drift.tables as f32),
            Column::TextBytesMore => drift(|drift| drift.text_bytes as f32),
            Column::WordsMore => drift(|drift| drift.words as f32),
            Column::PageRankMore => drift(|drift| drift.page_rank),
            Column::InLinksMore => drift(|drift| drift.in_links as f32),
            Column::OutLinksMore => drift(|drift| drift.out_links as f32),
            Column::EmailsMore => drift(|drift| drift.emails as f32),
            // The first visit compares nothing.
            Column::ChangeFrequency => match known.pages.visits(page) {
                0 | 1 => 0.0,
                visits => known.pages.changes(page) as f32 / (visits - 1) as f32,
            },
            Column::Ranking(_) => 0.0,
        }
    }
}

/// An address from the slash after its host on, without what is asked for.
fn path(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |slash| &rest[slash..]);
    path.split(['?', '#']).next().unwrap_or_default()
}

/// The last part of a host's name, without its port.
fn top_level_domain(host: &str) -> &str {
    let name = host.split(':').next().unwrap_or_default();
    name.rsplit('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_68_features_in_their_groups() {
        let columns = columns(&FeatureSettings::default());
        let sizes =
            Group::ALL.map(|group| columns.iter().filter(|column| column.0 == group).count());
        assert_eq!(sizes, [10, 7, 10, 7, 4, 5, 4, 1, 20]);
        assert_eq!(columns.len(), 68);
    }

    #[test]
    fn a_path_begins_after_the_host() {
        assert_eq!(path("https://a.org/b/c.html?d=/e/"), "/b/c.html");
        assert_eq!((path("https://a.org"), path("https://a.org/")), ("", "/"));
        assert_eq!(top_level_domain("www.a.co.uk:8080"), "uk");
    }
}
