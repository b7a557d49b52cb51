"""How often the 95 % interval of the estimated freshness holds the truth: the formulas of
crates/policy/src/freshness_estimate.rs and rate_classes.rs once more, on recorded sites.

    python bench/freshness_calibration.py TRACE.parquet...

It needs numpy, scipy and pyarrow. Each site (at most 300 of its pages, those that exist at the start) is
crawled once and refreshed every week for a year with 5 % of its pages. A change is any difference of the
text without tags. Policies: round robin; an index (the chance of a change times the time that it saves);
the highest chance of a change. `cargo run --release -p lab --example freshness_calibration` does the same
with the program itself.
"""
import hashlib
import os
import re
import sys
from datetime import datetime

import numpy as np
import pyarrow.parquet as pq
from scipy.stats import beta

DAY = 86_400_000
RATES = np.array([0, 1 / 3000, 1 / 1000, 1 / 300, 1 / 100, 1 / 30, 1 / 10, 1 / 3, 1, 3, 10, 100, 1000])
FIRST = np.array([0.12, 0.05, 0.08, 0.11, 0.14, 0.15, 0.1, 0.08, 0.05, 0.03, 0.02, 0.01, 0.01, 0.05])
CLASSES, ODD, LEAST, HALF_LIFE = 14, 0.02, 1e-3, 182.0
FIRST_PAGES, PRIOR_PAGES = 2.0, 4.0
FIRST_SHOCK, FIRST_CYCLES, CHECKS_OF_A_CYCLE, CYCLES_IN_MIND = 0.1, 2.0, 8.0, 30.0
WIDER, ABOVE, WIDEST = 1.25, 0.6, 0.3
TAGS = re.compile(rb"<script.*?</script>|<style.*?</style>|<[^>]*>", re.S | re.I)


def unchanged(days):
    days = np.atleast_1d(days).astype(float)
    table = np.full((len(days), CLASSES), ODD)
    table[:, :-1] = np.exp(-np.outer(days, RATES))
    table[days <= 0] = 1
    return table


def classes(visits, shares):
    same, same_days, changed, changed_days = visits.T
    wait = np.where(changed > 0, changed_days / np.maximum(changed, 1e-9), 0)
    found = np.clip(1 - np.exp(-np.outer(wait, RATES)), LEAST, 1 - ODD)
    logs = np.empty((len(visits), CLASSES))
    logs[:, :-1] = changed[:, None] * np.log(found) - np.outer(same_days, RATES)
    logs[:, -1] = same * np.log(ODD) + changed * np.log(1 - ODD)
    parts = np.exp(logs - logs.max(1, keepdims=True)) * shares
    parts /= parts.sum(1, keepdims=True)
    parts[(same + changed) <= 0] = shares
    return parts


class Estimate:
    def __init__(self, pages):
        self.visits = np.zeros((pages, 4))
        self.counts = np.zeros(CLASSES)
        self.checks = 0
        self.cycle, self.in_cycle, self.error, self.variance = None, 0.0, 0.0, 0.0
        self.weight = self.excess = self.waits = self.days = 0.0

    def shares(self):
        everywhere = self.counts + FIRST_PAGES * FIRST
        everywhere /= everywhere.sum()
        host = self.counts + PRIOR_PAGES * everywhere
        return host / host.sum(), everywhere

    def learn(self, page, days, changed, cycle):
        shares, _ = self.shares()
        visits = self.visits[page : page + 1]
        is_first = visits[0, 0] + visits[0, 2] == 0
        before = classes(visits, shares)[0]
        chance = before @ unchanged(days)[0]
        visits *= 2 ** (-days / HALF_LIFE)
        place = 2 if changed else 0
        visits[0, place] += 1
        visits[0, place + 1] += days
        more = classes(visits, shares)[0] - (0 if is_first else before)
        self.counts = np.maximum(self.counts + more, 0)
        self.checks += 1
        if cycle != self.cycle:
            self.weight, self.excess = self.closed()
            self.cycle, self.in_cycle, self.error, self.variance = cycle, 0.0, 0.0, 0.0
        self.in_cycle += 1
        self.error += (0 if changed else 1) - chance
        self.variance += chance * (1 - chance)
        self.waits = self.waits * 0.999 + 1
        self.days = self.days * 0.999 + days

    def closed(self):
        if self.in_cycle == 0:
            return self.weight, self.excess
        weight = self.in_cycle / (self.in_cycle + CHECKS_OF_A_CYCLE)
        excess = (self.error**2 - self.variance) / self.in_cycle**2
        kept = 1 - 1 / CYCLES_IN_MIND
        return self.weight * kept + weight, self.excess * kept + weight * excess

    def freshness(self, ages):
        if self.checks == 0:
            return None
        shares, everywhere = self.shares()
        table = unchanged(ages)
        parts = classes(self.visits, shares)
        chances, count, typical = (parts * table).sum(1), len(ages), table.mean(0)
        share = chances.mean()

        def spread(of):
            return (of * typical**2).sum(-1) - (of @ typical) ** 2

        seen = self.visits[:, 0] + self.visits[:, 2] > 0
        known = np.clip(1 - spread(parts[seen]) / spread(shares), 0, 1)
        informed = known.sum()
        unknown = (count - informed) / count
        own = (chances * (1 - chances)).sum() / count**2
        of_host = unknown**2 * spread(shares) / (PRIOR_PAGES + informed + 1)
        common = (unknown * PRIOR_PAGES / (PRIOR_PAGES + informed)) ** 2 * spread(everywhere)
        common /= FIRST_PAGES + informed + 1
        weight, excess = self.closed()
        shock = (FIRST_SHOCK**2 * FIRST_CYCLES + excess) / (FIRST_CYCLES + weight)
        exposed = np.minimum(ages / max(self.days / max(self.waits, 1), 1e-6), 1).mean()
        variance = (own + of_host + common + np.clip(shock, 0, 0.25) * exposed**2) * WIDER**2
        middle = np.clip(share, 1e-6, 1 - 1e-6)
        widest = middle * (1 - middle)
        size = max(widest / np.clip(variance, 1e-9, 0.9 * widest) - 1, 0.05)
        a, b = max(middle * size, 0.02), max((1 - middle) * size, 0.02)
        high = 1 - ABOVE * (1 - max(beta.ppf(0.975, a, b), middle))
        low = min(beta.ppf(0.025, a, b), middle)
        return share, max(low - 1 / count, 0), min(high + 1 / count, 1)


def load(path):
    """The days on which each page changed, counted from the start of the window."""
    trace = pq.ParquetFile(path)
    start = trace.schema_arrow.metadata[b"trace.window_start"].decode().replace("Z", "+00:00")
    start = datetime.fromisoformat(start).timestamp() * 1000
    pages = {}
    for rows in trace.iter_batches(batch_size=256, columns=["url", "at", "status", "body"]):
        columns = [rows[name].to_pylist() for name in ("url", "at", "status", "body")]
        for url, at, status, body in zip(*columns):
            text = b" ".join(TAGS.sub(b" ", body or b"").split())
            digest = hashlib.blake2b(text, digest_size=8).digest() if 200 <= status < 300 else None
            pages.setdefault(url, []).append((at.timestamp() * 1000, digest))
    changes = []
    for rows in pages.values():
        rows.sort()
        held = [digest for at, digest in rows if at <= start]
        if not held or held[-1] is None:
            continue
        current, days = held[-1], []
        for at, digest in rows:
            if at > start and digest != current:
                days.append((at - start) / DAY)
                current = digest
                if digest is None:
                    break
        changes.append(np.array(days))
    return changes


def run(changes, policy, share=0.05, weeks=52):
    count, random = len(changes), np.random.default_rng(1)
    estimate, seen, found = Estimate(count), np.zeros(count), np.zeros(count)
    compared = []
    for cycle in range(1, weeks + 1):
        now = 7 * cycle
        rate = (found + 1) / (seen + 30)
        chance = 1 - np.exp(-rate * (now - seen))
        worth = {
            "round robin": now - seen + random.random(count) / 100,
            "index": chance / np.maximum(rate, 1e-3) + 1e-9 * random.random(count),
            "chance": chance + 1e-9 * random.random(count),
        }[policy]
        for page in np.argsort(-worth)[: max(1, round(share * count))]:
            days = changes[page]
            changed = bool(np.any((days > seen[page]) & (days <= now)))
            estimate.learn(page, now - seen[page], changed, cycle)
            seen[page], found[page] = now, found[page] + changed
        fresh = [not np.any((days > at) & (days <= now)) for days, at in zip(changes, seen)]
        compared.append((cycle, np.mean(fresh), *estimate.freshness(now - seen)))
    return compared


def row(name, compared):
    _, truth, share, low, high = np.array(compared).T
    holds = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    known = high - low <= WIDEST
    cells = [np.mean(holds), np.mean(truth < low - 1e-9), np.mean(high - low), np.mean(known)]
    cells = [f"{100 * cell:.1f} %" for cell in cells]
    print("|", " | ".join([name, str(len(truth)), *cells, f"{100 * np.mean(abs(share - truth)):.1f}"]), "|")


def main():
    sites = {}
    for path in sys.argv[1:]:
        changes = load(path)
        if len(changes) > 300:
            changes = [changes[n] for n in np.random.default_rng(0).choice(len(changes), 300, replace=False)]
        if len(changes) >= 30:
            sites[os.path.basename(path)] = changes
    print(len(sites), "sites,", sum(map(len, sites.values())), "pages")
    print("| | intervals | hold the truth | truth below | mean width | known | mean error, points |")
    print("|---|---|---|---|---|---|---|")
    for policy in ("round robin", "index", "chance"):
        compared = [one for changes in sites.values() for one in run(changes, policy)]
        row(f"{policy}, all", compared)
        for first, last in ((1, 1), (2, 4), (5, 13), (14, 52)):
            row(f"{policy}, cycles {first} to {last}", [one for one in compared if first <= one[0] <= last])


if __name__ == "__main__":
    main()
