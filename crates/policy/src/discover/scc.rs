//! Strongly connected components (SCCs) of the leads between found pages, and rows of numbers in one vector.
//!
//! Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1972, with an explicit
//! stack instead of recursion, because chains of new pages can be long.

/// Rows of numbers in one vector.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// Where each row begins, and where the last one ends.
    starts: Vec<usize>,
    numbers: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { starts: vec![0], numbers: vec![] }
    }
}

impl Rows {
    /// `count` rows from pairs of row and number, ascending by row.
    pub(super) fn from_sorted(count: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0; count + 1];
        for &(row, _) in pairs {
            starts[row as usize + 1] += 1;
        }
        for row in 0..count {
            starts[row + 1] += starts[row];
        }
        Self { starts, numbers: pairs.iter().map(|pair| pair.1).collect() }
    }

    pub(super) fn push(&mut self, numbers: &[u32]) {
        self.numbers.extend_from_slice(numbers);
        self.starts.push(self.numbers.len());
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.numbers[self.starts[row]..self.starts[row + 1]]
    }
}

/// The SCC of each of `found` pages, and the pages of each SCC. An SCC links only to lower SCCs.
pub(super) fn components(found: usize, chains: &[(u32, Vec<u32>)]) -> (Vec<u32>, Rows) {
    let mut walk = Walk {
        order: vec![UNMET; found],
        lowest: vec![0; found],
        scc_of: vec![UNMET; found],
        members: Rows::default(),
        open: vec![],
        met: 0,
    };
    let links = links(found, chains);
    for start in 0..found as u32 {
        if walk.order[start as usize] == UNMET {
            walk.from(start, &links);
        }
    }
    (walk.scc_of, walk.members)
}

/// The found pages that each found page links to.
fn links(found: usize, chains: &[(u32, Vec<u32>)]) -> Rows {
    let mut starts = vec![0; found + 1];
    for (from, shown) in chains {
        starts[*from as usize + 1] += shown.len();
    }
    for page in 0..found {
        starts[page + 1] += starts[page];
    }
    let mut numbers = vec![0; starts[found]];
    let mut ends = starts.clone();
    for (from, shown) in chains {
        let end = &mut ends[*from as usize];
        numbers[*end..*end + shown.len()].copy_from_slice(shown);
        *end += shown.len();
    }
    Rows { starts, numbers }
}

/// No number yet.
const UNMET: u32 = u32::MAX;

struct Walk {
    /// The number under which each page was met.
    order: Vec<u32>,
    /// The lowest number of an open page that each page is known to reach.
    lowest: Vec<u32>,
    scc_of: Vec<u32>,
    members: Rows,
    /// Visited pages without an SCC.
    open: Vec<u32>,
    met: u32,
}

impl Walk {
    fn meet(&mut self, page: u32) {
        self.order[page as usize] = self.met;
        self.lowest[page as usize] = self.met;
        self.met += 1;
        self.open.push(page);
    }

    fn from(&mut self, start: u32, links: &Rows) {
        self.meet(start);
        // Each page of the path with how many of its links have been followed.
        let mut path = vec![(start, 0)];
        while let Some((page, followed)) = path.last_mut() {
            let page = *page;
            if let Some(&to) = links.row(page as usize).get(*followed) {
                *followed += 1;
                if self.order[to as usize] == UNMET {
                    self.meet(to);
                    path.push((to, 0));
                } else if self.scc_of[to as usize] == UNMET {
                    self.lower(page, self.order[to as usize]);
                }
                continue;
            }
            path.pop();
            let lowest = self.lowest[page as usize];
            if lowest == self.order[page as usize] {
                self.close(page);
            }
            if let Some(&(before, _)) = path.last() {
                self.lower(before, lowest);
            }
        }
    }

    fn lower(&mut self, page: u32, lowest: u32) {
        let known = &mut self.lowest[page as usize];
        *known = (*known).min(lowest);
    }

    /// The open pages from `first` on are an SCC.
    fn close(&mut self, first: u32) {
        let order = self.order[first as usize];
        let before = self.open.partition_point(|&page| self.order[page as usize] < order);
        let scc = self.members.len() as u32;
        let pages = self.open.split_off(before);
        for &page in &pages {
            self.scc_of[page as usize] = scc;
        }
        self.members.push(&pages);
    }
}
