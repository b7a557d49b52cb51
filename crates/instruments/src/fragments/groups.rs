//! Groups of pages: directories, merged upwards until they hold enough pages.
//!
//! Pages of one directory are often published together, so the change of one tells about the others
//! (Tan and Mitra 2007; `docs/policies/unified.md`).
use crawl::{PageNo, Pages};
use rustc_hash::FxHashMap;

/// A directory with fewer pages is merged into its parent.
const FEWEST: u32 = 5;

/// The group of every known page.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    by_path: FxHashMap<u64, u32>,
    directories: Vec<Directory>,
    /// By page, the directory that it lies in.
    of_page: Vec<u32>,
    /// By directory, the one that it is merged into; itself where it is large enough.
    merged: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Directory {
    /// `None` for the root of a host.
    parent: Option<u32>,
    pages: u32,
}

impl Groups {
    /// Adds the pages that became known, and merges small directories anew.
    pub fn update(&mut self, pages: &Pages) {
        if self.of_page.len() == pages.len() {
            return;
        }
        for row in self.of_page.len()..pages.len() {
            let directory = self.enter(directory_of(pages.address(PageNo(row as u32))));
            self.directories[directory as usize].pages += 1;
            self.of_page.push(directory);
        }
        let mut pages: Vec<u32> = self.directories.iter().map(|one| one.pages).collect();
        self.merged = (0..self.directories.len() as u32).collect();
        // A parent is always made before its children, so children come first in this order.
        for (row, directory) in self.directories.iter().enumerate().rev() {
            if let Some(parent) = directory.parent
                && pages[row] < FEWEST
            {
                pages[parent as usize] += pages[row];
                self.merged[row] = parent;
            }
        }
        for row in 0..self.merged.len() {
            self.merged[row] = self.merged[self.merged[row] as usize];
        }
    }

    fn enter(&mut self, path: &str) -> u32 {
        let key = xxhash_rust::xxh3::xxh3_64(path.as_bytes());
        if let Some(&directory) = self.by_path.get(&key) {
            return directory;
        }
        let parent = parent_of(path).map(|parent| self.enter(parent));
        let directory = self.directories.len() as u32;
        self.directories.push(Directory { parent, pages: 0 });
        self.by_path.insert(key, directory);
        directory
    }

    /// The group of a page; 0 for a page that became known since the last update.
    pub fn group(&self, page: PageNo) -> u32 {
        let directory = self.of_page.get(page.index()).copied().unwrap_or(0);
        self.merged.get(directory as usize).copied().unwrap_or(0)
    }

    /// The directory that a page lies in; 0 for a page that became known since the last update.
    pub fn directory(&self, page: PageNo) -> u32 {
        self.of_page.get(page.index()).copied().unwrap_or(0)
    }

    /// The directory above a directory, whose number is smaller; `None` for the root of a host.
    pub fn parent(&self, directory: u32) -> Option<u32> {
        self.directories[directory as usize].parent
    }

    /// The root of a page's host.
    pub fn root(&self, page: PageNo) -> u32 {
        let mut root = self.directory(page);
        while let Some(parent) = self.parent(root) {
            root = parent;
        }
        root
    }

    /// Numbers of groups are below this.
    pub fn len(&self) -> usize {
        self.directories.len()
    }

    /// Whether no page is known.
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty()
    }
}

/// The directory that a page lies in, with its last slash. A page that is a directory's index lies in
/// that directory.
fn directory_of(address: &str) -> &str {
    let path = &address[..address.find(['?', '#']).unwrap_or(address.len())];
    match path.rfind('/') {
        // The slashes after the scheme are none of a path.
        Some(slash) if !path[..slash].ends_with('/') || slash + 1 == path.len() => &path[..=slash],
        _ => path,
    }
}

/// The directory above a directory; `None` for the root of a host.
fn parent_of(directory: &str) -> Option<&str> {
    let inner = directory.strip_suffix('/')?;
    let slash = inner.rfind('/')?;
    (!inner[..slash].ends_with('/') && !inner[..slash].ends_with(':')).then(|| &directory[..=slash])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawl::Time;

    fn groups(addresses: &[&str]) -> (Groups, Vec<u32>) {
        let mut pages = Pages::default();
        let numbers: Vec<PageNo> =
            addresses.iter().map(|address| pages.insert(address, Time::from_millis(0))).collect();
        let mut groups = Groups::default();
        groups.update(&pages);
        let found = numbers.iter().map(|&page| groups.group(page)).collect();
        (groups, found)
    }

    #[test]
    fn directories_and_their_parents() {
        assert_eq!(directory_of("https://a.org/x/y?z=/1"), "https://a.org/x/");
        assert_eq!(directory_of("https://a.org/x/"), "https://a.org/x/");
        assert_eq!(directory_of("https://a.org/"), "https://a.org/");
        assert_eq!(directory_of("https://a.org"), "https://a.org");
        assert_eq!(parent_of("https://a.org/x/y/"), Some("https://a.org/x/"));
        assert_eq!(parent_of("https://a.org/x/"), Some("https://a.org/"));
        assert_eq!(parent_of("https://a.org/"), None);
        assert_eq!(parent_of("https://a.org"), None);
    }

    #[test]
    fn small_directories_are_merged_upwards() {
        let mut addresses: Vec<String> =
            (0..5).map(|page| format!("https://a.org/big/{page}")).collect();
        addresses.extend((0..4).map(|page| format!("https://a.org/small/{page}")));
        addresses.extend((0..3).map(|page| format!("https://a.org/deep/{page}/only/index")));
        addresses.push("https://b.org/big/0".to_owned());
        let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
        let (_, found) = groups(&addresses);
        assert!(found[..5].iter().all(|group| *group == found[0]));
        assert_ne!(found[0], found[5]);
        // Three pages of a directory each, and four others, are all in the root.
        assert!(found[5..12].iter().all(|group| *group == found[5]));
        assert_ne!(found[12], found[5]);
    }
}
