//! The sums of a run by host and cycle.
use crawl::{HostNo, Pages};

use crate::{
    inspect::Inspection,
    results::{HostRecord, HostSums},
};

/// Adds the sums of one cycle.
pub(super) fn add_sums(
    hosts: &mut Vec<HostRecord>,
    cycle: usize,
    pages: &Pages,
    inspection: &Inspection<'_>,
) {
    for host in hosts.len()..pages.host_count() {
        let host = pages.host_name(HostNo(host as u32)).to_owned();
        hosts.push(HostRecord { host, cycles: vec![] });
    }
    for host in hosts.iter_mut() {
        // A host that became known in this cycle has empty sums before.
        host.cycles.resize(cycle, HostSums::default());
    }
    for seen in inspection.log {
        let Some(changed) = seen.changed() else { continue };
        let sums = &mut hosts[seen.host.0 as usize].cycles[cycle - 1];
        sums.compared += 1;
        if changed {
            sums.found += 1;
            sums.weight_found += inspection.weights.get(seen.page.index()).copied().unwrap_or(0.0);
        }
    }
    for page in &inspection.held {
        let sums = &mut hosts[page.host.0 as usize].cycles[cycle - 1];
        sums.held += 1;
        sums.fresh += u32::from(page.fresh);
    }
}
