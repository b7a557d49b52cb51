//! Main text and boilerplate of found pages.
//!
//! A word in a menu is on every page of a site and says nothing about any of them. Such pages are still
//! found, but come after those that have the word in their main text, and snippets show main text.
use std::borrow::Cow;

use extract::detect::main_text::{Boilerplate, split};
use text::words::{Language, address_text};

use crate::Fragment;
use crate::analysis::Analysers;
use crate::snippet::Highlighter;
use crate::stored_runs;

/// What a match in boilerplate is worth, as a share of one in main text.
const BOILERPLATE_WEIGHT: f32 = 0.1;

/// What the index stores of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredPage<'d> {
    pub(crate) address: &'d str,
    pub(crate) title: &'d str,
    /// The first part of the text.
    pub(crate) text: &'d str,
    /// The runs of the text, encoded.
    pub(crate) runs: &'d [u8],
    pub(crate) language: Language,
}

impl StoredPage<'_> {
    /// What the score of the page is to be multiplied with: 1 where every query word that the page
    /// shows is in its title, its address or its main text.
    pub(crate) fn weight(
        &self,
        boilerplate: &Boilerplate,
        highlighter: &Highlighter,
        analysers: &mut Analysers,
    ) -> f32 {
        let (main, rest) = self.split(boilerplate);
        if rest.is_empty() {
            return 1.0;
        }
        let mut found = highlighter.no_words();
        let mut look = |text: &str| {
            highlighter.find_words(text, self.language, analysers, &mut found);
            found.iter().filter(|is_found| **is_found).count()
        };
        look(self.title);
        look(&address_text(self.address));
        let outside = look(&main);
        let all = look(&rest);
        if all == outside {
            return 1.0;
        }
        let share = outside as f32 / all as f32;
        BOILERPLATE_WEIGHT + (1.0 - BOILERPLATE_WEIGHT) * share
    }

    /// The best part of the main text. That of the whole text, if only its boilerplate has words of the
    /// query.
    pub(crate) fn snippet(
        &self,
        boilerplate: &Boilerplate,
        highlighter: &Highlighter,
        analysers: &mut Analysers,
    ) -> Vec<Fragment> {
        let (main, rest) = self.split(boilerplate);
        let mut shows = |text: &str| {
            let mut found = highlighter.no_words();
            highlighter.find_words(text, self.language, analysers, &mut found);
            found.contains(&true)
        };
        let is_main = !main.trim().is_empty() && (shows(&main) || !shows(&rest));
        let text = if is_main { main.trim() } else { self.text };
        highlighter.snippet(text, self.language, analysers)
    }

    /// The main text and the boilerplate.
    fn split(&self, boilerplate: &Boilerplate) -> (Cow<'_, str>, String) {
        let parts = if boilerplate.is_empty() {
            vec![]
        } else {
            boilerplate.parts(stored_runs::decode(self.runs).into_iter())
        };
        split(self.text, &parts)
    }
}
