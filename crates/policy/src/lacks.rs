//! What a policy would go by and does not have: no queries, too few visits.
//!
//! A policy without its data plans all the same, and from its visits alone nobody could tell that it goes by
//! less than its name promises. Each sentence says what is missing and what is done instead.
use crawl::{Known, Policy};
use instruments::impact::{Impact, Measure};

/// What a policy lacks now, in sentences for people: what no instrument measures, and what it
/// [says itself](Policy::lacks).
pub fn lacks(policy: &dyn Policy, known: &Known<'_>) -> Vec<String> {
    let wants_queries = policy.needs().find::<Measure>().is_some();
    let has_queries = known.instruments.find::<Impact>().is_some();
    let queries = (wants_queries && !has_queries).then(|| {
        "no queries are known, so what changes do to search results is not measured; all pages whose \
         visits were not measured before count alike"
            .to_owned()
    });
    queries.into_iter().chain(policy.lacks(known)).collect()
}

/// What a policy by change rates does before it has seen a change.
pub(crate) const SAME_RATE: &str = "all pages are taken to change equally often";

/// That nothing can be known about changes yet; `None` if some page was visited twice. `instead` is what
/// the policy does.
pub(crate) fn never_compared(known: &Known<'_>, instead: &str) -> Option<String> {
    let is_compared = |page| known.pages.visits(page) > 1;
    let none = !known.pages.numbers().any(is_compared);
    none.then(|| format!("no page has been visited twice, so no change was seen yet; {instead}"))
}

#[cfg(test)]
mod tests {
    use crawl::{Allowance, Budget, Instruments, Links, Outcome, Pages, Span, Time};

    use super::*;
    use crate::testing::made;

    const START: Time = Time::from_millis(0);

    /// Three held pages, each visited so many times, a day apart.
    fn pages(visits: i64) -> Pages {
        let mut pages = Pages::default();
        for address in ["http://a.example/", "http://a.example/b", "http://a.example/c"] {
            let page = pages.insert(address, START);
            for day in 0..visits {
                let outcome = if day == 0 { Outcome::First } else { Outcome::Same };
                pages.apply(page, START + Span::from_days(day), outcome);
            }
        }
        pages
    }

    fn said(word: &str, visits: i64, instruments: &Instruments, budget: u32) -> String {
        let (pages, links) = (pages(visits), Links::default());
        let now = START + Span::from_days(visits);
        let allowance = Allowance::from(Budget(budget));
        let known = Known { instruments, allowance, ..Known::new(now, &pages, &links) };
        lacks(&*made(word, 1), &known).join("\n")
    }

    #[test]
    fn policies_for_searchers_say_that_there_are_no_queries() {
        for word in [
            "user-centric",
            "user-centric-index",
            "embarrassment-based:clicks=seen",
            "unified:value=searchers",
            "mix:refresh=user-centric",
        ] {
            assert!(said(word, 3, Instruments::NONE, 100).contains("no queries"), "{word}");
            let mut instruments = Instruments::default();
            instruments.insert(Impact::fixed(vec![0.5; 3]));
            assert!(!said(word, 3, &instruments, 100).contains("no queries"), "{word}");
        }
        assert_eq!(said("freshness-index", 3, Instruments::NONE, 100), "");
    }

    #[test]
    fn policies_by_changes_say_that_none_was_seen() {
        for word in ["frequency", "freshness-index", "change-ratio-index", "staleness-based"] {
            let words = said(word, 1, Instruments::NONE, 100);
            assert!(words.contains("no page has been visited twice"), "{word}: {words}");
            assert_eq!(said(word, 2, Instruments::NONE, 100), "", "{word}");
        }
        assert_eq!(said("round-robin", 1, Instruments::NONE, 100), "");
    }

    #[test]
    fn a_predictor_says_that_no_page_has_a_model_and_what_it_goes_by() {
        for word in ["predicted", "freshness-index:chances=predicted"] {
            let words = said(word, 5, Instruments::NONE, 100);
            assert!(
                words.contains("no page has a model") && words.contains("change rate"),
                "{words}"
            );
        }
    }

    #[test]
    fn cluster_sampling_says_what_clusters_cannot_be_made_by_and_of() {
        let ranking = "cluster-sample:features=content+ranking";
        assert!(said(ranking, 3, Instruments::NONE, 1_000).contains("no queries"));
        let usual = said("cluster-sample", 1, Instruments::NONE, 1_000);
        assert!(usual.contains("no page has been visited twice"), "{usual}");
        let small = said("cluster-sample", 3, Instruments::NONE, 100);
        assert!(small.contains("100 visits") && small.contains("10 clusters"), "{small}");
        assert_eq!(said("cluster-sample", 3, Instruments::NONE, 1_000), "");
    }

    #[test]
    fn algorithms_by_recrawls_say_that_none_is_complete() {
        for word in ["od-1", "od-win", "cliq-1", "cliq-win", "cov", "mix:discover=od-win"] {
            let words = said(word, 3, Instruments::NONE, 100);
            assert!(words.contains("no full recrawl"), "{word}: {words}");
        }
    }
}
