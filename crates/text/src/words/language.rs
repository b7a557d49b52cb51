//! The languages that have a stemmer.
use frostem::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};
use whatlang::Lang;

use super::alphabet::Alphabet;
use crawl::Content;

/// A language with a stemmer, or any other.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Language {
    /// A language without a stemmer.
    #[default]
    Other,
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Portuguese.
    Portuguese,
    /// Dutch.
    Dutch,
    /// Swedish.
    Swedish,
    /// Norwegian, in both of its written forms.
    Norwegian,
    /// Danish.
    Danish,
    /// Finnish.
    Finnish,
    /// Hungarian.
    Hungarian,
    /// Romanian.
    Romanian,
    /// Russian.
    Russian,
    /// Turkish.
    Turkish,
    /// Arabic.
    Arabic,
    /// Greek.
    Greek,
    /// Tamil.
    Tamil,
    /// Polish.
    Polish,
    /// Czech.
    Czech,
    /// Ukrainian.
    Ukrainian,
    /// Catalan.
    Catalan,
    /// Serbian, in both of its scripts.
    Serbian,
    /// Estonian.
    Estonian,
    /// Lithuanian.
    Lithuanian,
    /// Armenian.
    Armenian,
    /// Hindi.
    Hindi,
    /// Indonesian.
    Indonesian,
    /// Persian.
    Persian,
}

/// The properties of a language with a stemmer.
struct Row {
    language: Language,
    code: &'static str,
    whatlang: Lang,
    algorithm: Algorithm,
    alphabet: Alphabet,
}

const fn row(
    language: Language,
    code: &'static str,
    whatlang: Lang,
    algorithm: Algorithm,
    alphabet: Alphabet,
) -> Row {
    Row { language, code, whatlang, algorithm, alphabet }
}

/// The languages with a stemmer, in the order of [`Language::ALL`].
const ROWS: &[Row] = {
    use Alphabet::{Arabic, Armenian, Cyrillic, Devanagari, Greek, Latin, LatinAndCyrillic, Tamil};
    use Language as L;
    &[
        row(L::English, "en", Lang::Eng, Algorithm::English, Latin),
        row(L::German, "de", Lang::Deu, Algorithm::German, Latin),
        row(L::French, "fr", Lang::Fra, Algorithm::French, Latin),
        row(L::Spanish, "es", Lang::Spa, Algorithm::Spanish, Latin),
        row(L::Italian, "it", Lang::Ita, Algorithm::Italian, Latin),
        row(L::Portuguese, "pt", Lang::Por, Algorithm::Portuguese, Latin),
        row(L::Dutch, "nl", Lang::Nld, Algorithm::Dutch, Latin),
        row(L::Swedish, "sv", Lang::Swe, Algorithm::Swedish, Latin),
        row(L::Norwegian, "no", Lang::Nob, Algorithm::Norwegian, Latin),
        row(L::Danish, "da", Lang::Dan, Algorithm::Danish, Latin),
        row(L::Finnish, "fi", Lang::Fin, Algorithm::Finnish, Latin),
        row(L::Hungarian, "hu", Lang::Hun, Algorithm::Hungarian, Latin),
        row(L::Romanian, "ro", Lang::Ron, Algorithm::Romanian, Latin),
        row(L::Russian, "ru", Lang::Rus, Algorithm::Russian, Cyrillic),
        row(L::Turkish, "tr", Lang::Tur, Algorithm::Turkish, Latin),
        row(L::Arabic, "ar", Lang::Ara, Algorithm::Arabic, Arabic),
        row(L::Greek, "el", Lang::Ell, Algorithm::Greek, Greek),
        row(L::Tamil, "ta", Lang::Tam, Algorithm::Tamil, Tamil),
        row(L::Polish, "pl", Lang::Pol, Algorithm::Polish, Latin),
        row(L::Czech, "cs", Lang::Ces, Algorithm::Czech, Latin),
        row(L::Ukrainian, "uk", Lang::Ukr, Algorithm::Ukrainian, Cyrillic),
        row(L::Catalan, "ca", Lang::Cat, Algorithm::Catalan, Latin),
        row(L::Serbian, "sr", Lang::Srp, Algorithm::Serbian, LatinAndCyrillic),
        row(L::Estonian, "et", Lang::Est, Algorithm::Estonian, Latin),
        row(L::Lithuanian, "lt", Lang::Lit, Algorithm::Lithuanian, Latin),
        row(L::Armenian, "hy", Lang::Hye, Algorithm::Armenian, Armenian),
        row(L::Hindi, "hi", Lang::Hin, Algorithm::Hindi, Devanagari),
        row(L::Indonesian, "id", Lang::Ind, Algorithm::Indonesian, Latin),
        row(L::Persian, "fa", Lang::Pes, Algorithm::Persian, Arabic),
    ]
};

impl Language {
    /// Every language, `Other` first. The position of a language must never change, because indexes
    /// on disk store it.
    pub const ALL: &[Self] = &{
        let mut all = [Self::Other; ROWS.len() + 1];
        let mut at = 0;
        while at < ROWS.len() {
            all[at + 1] = ROWS[at].language;
            at += 1;
        }
        all
    };

    /// The language of a page: the declared one, unless the text is clearly in another; without a
    /// declaration, the language of the text.
    pub fn detect(content: &Content) -> Self {
        super::detect::language(content)
    }

    /// Its ISO 639-1 code; empty for `Other`.
    pub fn code(self) -> &'static str {
        self.row().map_or("", |row| row.code)
    }

    /// The language with this [`code`](Self::code).
    pub fn by_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|language| language.code() == code)
    }

    /// The language that whatlang found.
    pub(super) fn from_whatlang(found: Lang) -> Self {
        ROWS.iter().find(|row| row.whatlang == found).map_or(Self::Other, |row| row.language)
    }

    /// Its stemmer, and the alphabet of the words to stem.
    pub(super) fn stemmer(self) -> Option<(Stemmer, Alphabet)> {
        self.row().map(|row| (Stemmer::new(row.algorithm), row.alphabet))
    }

    /// Its alphabet.
    pub(super) fn alphabet(self) -> Option<Alphabet> {
        self.row().map(|row| row.alphabet)
    }

    /// Whether it has `ı` beside `i`.
    pub(super) fn has_dotless_i(self) -> bool {
        self == Self::Turkish
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.get((self as usize).checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_found_by_position_and_code() {
        for (position, &language) in Language::ALL.iter().enumerate() {
            assert_eq!(language as usize, position);
            assert_eq!(Language::by_code(language.code()), Some(language));
        }
        assert_eq!(Language::ALL.len(), Language::Persian as usize + 1);
        assert_eq!(Language::ALL[0], Language::default());
        assert_eq!(Language::by_code("ja"), None);
    }

    #[test]
    fn positions_stored_in_indexes_do_not_change() {
        let codes: Vec<&str> = Language::ALL.iter().map(|language| language.code()).collect();
        assert_eq!(
            codes.join(" "),
            " en de fr es it pt nl sv no da fi hu ro ru tr ar el ta pl cs uk ca sr et lt hy hi id fa"
        );
    }
}
