//! How many files this process may have open.
use std::fs;

/// Files beside connections: the database, WARC files, the index, the standard streams.
const OTHERS: usize = 100;
/// A host may need a connection and a look-up of its name.
const PER_HOST: usize = 2;

/// As many hosts at once as open files allow. Says so if these are fewer.
pub(super) fn hosts_at_once(wanted: usize) -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let Some(most) = soft_limit(&limits) else { return wanted };
    let possible = (most.saturating_sub(OTHERS) / PER_HOST).max(1);
    if possible < wanted {
        eprintln!(
            "only {most} files may be open, so {possible} hosts are fetched from at a time, not {wanted}; \
             raise the limit with: ulimit -n 4096"
        );
    }
    possible.min(wanted)
}

/// The soft limit in Linux's list of limits; `None` if there is none.
fn soft_limit(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_read_from_the_list_of_limits() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
            Max processes             1000                 2000                 processes\n\
            Max open files            1024                 4096                 files\n";
        assert_eq!(soft_limit(limits), Some(1_024));
        assert_eq!(soft_limit("Max open files            unlimited   unlimited   files"), None);
        assert_eq!(soft_limit(""), None);
    }
}
