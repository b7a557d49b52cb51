//! What the policy of a crawl lacks: said at the start of a cycle, and kept for `status`.
use std::fmt;

use store::{StoreError, View};

/// The key in the data folder: a sentence per line.
pub(super) const KEY: &str = "policy_lacks";

/// What was said last, and to whom.
pub(super) struct Lacks {
    said: Option<Vec<String>>,
    say: Box<dyn Fn(&str)>,
}

impl Default for Lacks {
    fn default() -> Self {
        Self { said: None, say: Box::new(|_| ()) }
    }
}

impl fmt::Debug for Lacks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Lacks").field("said", &self.said).finish_non_exhaustive()
    }
}

impl Lacks {
    /// Calls `say` with each sentence that is new.
    pub(super) fn on_news(&mut self, say: impl Fn(&str) + 'static) {
        self.say = Box::new(say);
    }

    /// Says what is new. Returns what to keep in the data folder, if that is something else than before.
    pub(super) fn update(&mut self, policy: &str, lacks: Vec<String>) -> Option<String> {
        if self.said.as_ref() == Some(&lacks) {
            return None;
        }
        let before = self.said.take().unwrap_or_default();
        for sentence in lacks.iter().filter(|sentence| !before.contains(sentence)) {
            (self.say)(&format!("{policy}: {sentence}"));
        }
        Some(self.said.insert(lacks).join("\n"))
    }
}

/// What the policy lacked at the start of the last cycle, in sentences.
pub(crate) fn last(view: &View) -> Result<Vec<String>, StoreError> {
    Ok(view.get(KEY)?.unwrap_or_default().lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use super::*;

    #[test]
    fn each_sentence_is_said_once_and_what_is_true_now_is_kept() {
        let said = Rc::new(RefCell::new(vec![]));
        let mut lacks = Lacks::default();
        let heard = Rc::clone(&said);
        lacks.on_news(move |words| heard.borrow_mut().push(words.to_owned()));
        let mut update = |sentences: &[&str]| {
            lacks.update("od-win", sentences.iter().map(|&it| it.to_owned()).collect())
        };
        assert_eq!(update(&["no queries", "no visits"]).as_deref(), Some("no queries\nno visits"));
        assert_eq!(update(&["no queries", "no visits"]), None);
        assert_eq!(update(&["no visits", "no models"]).as_deref(), Some("no visits\nno models"));
        assert_eq!(update(&[]).as_deref(), Some(""));
        let said = said.borrow();
        assert_eq!(*said, ["od-win: no queries", "od-win: no visits", "od-win: no models"]);
    }
}
