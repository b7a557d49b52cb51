//! The single features: columns of the feature table.
use crawl::{Form, HostNo, Known, PageNo};
use instruments::{
    Measured as _,
    features::{ChangeStats, PageFeatures},
};

use super::{FeatureSettings, Group};

/// One feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// The rank of the page's cluster by content words, seen from the n-th largest.
    ContentWords(usize),
    Images,
    Tables,
    Words,
    TextBytes,
    IsHtml,
    IsText,
    IsOther,
    /// The rank of the page's cluster by address words, seen from the n-th largest.
    UrlWords(usize),
    Depth,
    /// Whether it is in the n-th top-level domain.
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

/// The columns of the selected groups, in the order of [`Group::ALL`].
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
    /// By host, the index of its top-level domain.
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
    pub(super) fn value(&self, column: Column, page: PageNo, page_features: &PageFeatures) -> f32 {
        let known = self.known;
        let features = known.features();
        let models = features.models();
        let flag = |is: bool| f32::from(u8::from(is));
        // Before its second visit a page counts as unchanged.
        let change = |of: fn(&ChangeStats) -> f32| page_features.change.as_ref().map_or(0.0, of);
        match column {
            Column::ContentWords(place) => {
                models.content.dimension(place, features.word_clusters(page)[0])
            }
            Column::UrlWords(place) => {
                models.address.dimension(place, features.word_clusters(page)[1])
            }
            Column::Images => page_features.counts.images as f32,
            Column::Tables => page_features.counts.tables as f32,
            Column::Words => page_features.counts.words as f32,
            Column::TextBytes => page_features.counts.text_bytes as f32,
            Column::IsHtml => flag(page_features.form == Form::Html),
            Column::IsText => flag(page_features.form == Form::Text),
            Column::IsOther => flag(!matches!(page_features.form, Form::Html | Form::Text)),
            Column::Depth => path(known.pages.address(page)).matches('/').count() as f32,
            Column::Domain(place) => {
                flag(self.domains[known.pages.host(page).0 as usize] == Some(place))
            }
            Column::PageRank => features.page_rank(page),
            Column::InLinks => features.in_links(page) as f32,
            Column::OutLinks => page_features.out_links as f32,
            Column::Emails => page_features.counts.emails as f32,
            Column::Cosine => page_features.change.as_ref().map_or(1.0, |change| change.cosine),
            Column::ImagesMore => change(|change| change.images as f32),
            Column::TablesMore => change(|change| change.tables as f32),
            Column::TextBytesMore => change(|change| change.text_bytes as f32),
            Column::WordsMore => change(|change| change.words as f32),
            Column::PageRankMore => change(|change| change.page_rank),
            Column::InLinksMore => change(|change| change.in_links as f32),
            Column::OutLinksMore => change(|change| change.out_links as f32),
            Column::EmailsMore => change(|change| change.emails as f32),
            // The first visit compares nothing.
            Column::ChangeFrequency => match known.pages.visits(page) {
                0 | 1 => 0.0,
                visits => known.pages.changes(page) as f32 / (visits - 1) as f32,
            },
            Column::Ranking(_) => 0.0,
        }
    }
}

/// The path of an address, from the slash after the host, without query and fragment.
fn path(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |slash| &rest[slash..]);
    path.split(['?', '#']).next().unwrap_or_default()
}

/// The last label of a host name, without the port.
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
