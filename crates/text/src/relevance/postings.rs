//! Posting lists: the pages that contain each word, so that a query need not scan every page.
use super::{Profile, WordNo};

/// Posting lists: for each word the pages that contain it, and how often.
#[derive(Clone, Debug, Default)]
pub struct Postings {
    /// Where the list of each word begins, and the end of the last.
    begins: Vec<usize>,
    pages: Vec<u32>,
    counts: Vec<u32>,
}

impl Postings {
    /// The lists of a vocabulary of `words` words over these pages, which are numbered in order.
    pub fn from_profiles(words: usize, profiles: &[&Profile]) -> Self {
        let mut begins = vec![0; words + 1];
        for profile in profiles {
            for &(word, _) in profile.counts() {
                begins[word as usize + 1] += 1;
            }
        }
        for word in 0..words {
            begins[word + 1] += begins[word];
        }
        let mut next = begins.clone();
        let (mut pages, mut counts) = (vec![0; begins[words]], vec![0; begins[words]]);
        for (page, profile) in profiles.iter().enumerate() {
            for &(word, count) in profile.counts() {
                let place = &mut next[word as usize];
                (pages[*place], counts[*place]) = (page as u32, count);
                *place += 1;
            }
        }
        Self { begins, pages, counts }
    }

    /// The pages that contain `word`, in order.
    pub fn pages(&self, word: WordNo) -> &[u32] {
        let word = word as usize;
        &self.pages[self.begins[word]..self.begins[word + 1]]
    }

    /// Calls `found` with every page that contains all of `words`, in order, and the count of each
    /// word. A query without words matches nothing.
    pub fn each_match(&self, words: &[WordNo], mut found: impl FnMut(usize, &[u32])) {
        let Some(rarest) = (0..words.len()).min_by_key(|&word| self.pages(words[word]).len())
        else {
            return;
        };
        // The position in each list; positions only move forward.
        let mut read = vec![0; words.len()];
        let mut counts = vec![0; words.len()];
        'pages: for &page in self.pages(words[rarest]) {
            for (number, &word) in words.iter().enumerate() {
                let list = self.pages(word);
                read[number] += gallop(&list[read[number]..], page);
                match list.get(read[number]) {
                    Some(&found) if found == page => {
                        counts[number] = self.counts[self.begins[word as usize] + read[number]];
                    }
                    Some(_) => continue 'pages,
                    None => return,
                }
            }
            found(page as usize, &counts);
        }
    }
}

/// The number of pages in a sorted list before `page`. Galloping search: steps that double, then
/// binary search.
fn gallop(list: &[u32], page: u32) -> usize {
    let mut bound = 1;
    while list.get(bound - 1).is_some_and(|&other| other < page) {
        bound *= 2;
    }
    let from = bound / 2;
    let to = bound.min(list.len());
    from + list[from..to].partition_point(|&other| other < page)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(postings: &Postings, words: &[WordNo]) -> Vec<(usize, Vec<u32>)> {
        let mut found = vec![];
        postings.each_match(words, |page, counts| found.push((page, counts.to_vec())));
        found
    }

    #[test]
    fn results_contain_every_word_of_the_query() {
        let profiles = [
            Profile::new(10, vec![(0, 1), (1, 2)]),
            Profile::new(10, vec![(1, 5)]),
            Profile::new(10, vec![(0, 3), (1, 4), (2, 1)]),
        ];
        let postings = Postings::from_profiles(4, &profiles.each_ref());
        assert_eq!(postings.pages(1), [0, 1, 2]);
        assert_eq!(found(&postings, &[0, 1]), [(0, vec![1, 2]), (2, vec![3, 4])]);
        assert_eq!(found(&postings, &[0, 1, 2]), [(2, vec![3, 4, 1])]);
        assert_eq!(found(&postings, &[1, 3]), []);
        assert_eq!(found(&postings, &[]), []);
    }

    proptest! {
        #[test]
        fn postings_find_the_same_as_a_scan_of_every_page(
            pages in prop::collection::vec(prop::collection::btree_map(0..6_u32, 1..9_u32, 0..6), 0..80),
            words in prop::collection::btree_set(0..6_u32, 1..4),
        ) {
            let profile = |counts: &std::collections::BTreeMap<u32, u32>| {
                Profile::new(100, counts.iter().map(|(&word, &count)| (word, count)).collect())
            };
            let profiles: Vec<Profile> = pages.iter().map(profile).collect();
            let postings = Postings::from_profiles(6, &profiles.iter().collect::<Vec<_>>());
            let words: Vec<u32> = words.into_iter().collect();
            let by_page: Vec<(usize, Vec<u32>)> = profiles
                .iter()
                .map(|profile| words.iter().map(|&word| profile.count(word)).collect::<Vec<_>>())
                .enumerate()
                .filter(|(_, counts)| counts.iter().all(|&count| count > 0))
                .collect();
            prop_assert_eq!(found(&postings, &words), by_page);
        }
    }
}
