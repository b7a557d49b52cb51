"""Checks the lab's numbers with a second, independent program.

Plays round robin on a trace with a fixed set of pages, all held at the start, where a change is any
byte that differs, straight from the definitions in docs/metrics.md, and compares every metric of
every cycle that needs no PageRank with what `sanderling lab run` wrote.

    sanderling lab run --traces TRACE --detector bytes --policies round-robin --budgets B --out DIR
    python3 bench/independent.py TRACE B DIR

Needs pyarrow. Prints the largest difference; exits 1 if it is above 1e-9.
"""

import bisect
import csv
import datetime
import math
import sys

import pyarrow.parquet as parquet

DAY = 86_400_000.0


def millis(instant):
    return int(instant.timestamp() * 1000)


def history(path):
    table = parquet.read_table(path)
    meta = {k.decode(): v.decode() for k, v in parquet.ParquetFile(path).metadata.metadata.items() if k.startswith(b"trace.")}
    start = millis(datetime.datetime.fromisoformat(meta["trace.window_start"]))
    end = millis(datetime.datetime.fromisoformat(meta["trace.window_end"]))
    pages = {}
    for url, at, body in zip(table["url"].to_pylist(), table["at"].to_pylist(), table["body"].to_pylist()):
        pages.setdefault(url, []).append((millis(at), body))
    return start, end, pages


def live(versions, at):
    row = bisect.bisect_right(versions, at, key=lambda version: version[0]) - 1
    return versions[row][1] if row >= 0 else None


def main(path, budget, folder):
    start, end, pages = history(path)
    cycle = 7 * 86_400_000
    cycles = (end - start) // cycle
    held = {url: (start, live(versions, start)) for url, versions in pages.items() if live(versions, start) is not None}
    visits = max(1, math.floor(budget * len(held))) if budget < 1 else int(budget)
    expected = {}
    for k in range(1, cycles + 1):
        now, then = start + k * cycle, start + (k + 1) * cycle
        plan = sorted(held, key=lambda url: (held[url][0], url.encode()))[:visits]
        caught = 0
        for url in plan:
            new = live(pages[url], now)
            caught += new != held[url][1]
            if new is None:
                del held[url]
            else:
                held[url] = (now, new)
        fresh = mean = age = alive_held = 0
        for url, (seen, body) in held.items():
            versions = pages[url]
            now_live = live(versions, now)
            alive_held += now_live is not None
            if now_live == body:
                fresh += 1
            else:
                age += (now - next(at for at, new in versions if at > seen and new != body)) / DAY
            times = [now] + [at for at, _ in versions if now < at < then] + [then]
            mean += sum(b - a for a, b in zip(times, times[1:]) if live(versions, a) == body) / (then - now)
        alive = sum(live(versions, now) is not None for versions in pages.values())
        expected[k] = {
            "freshness": fresh / len(held),
            "freshness_mean": mean / len(held),
            "age": age / len(held),
            "coverage": alive_held / alive,
            "change_ratio": caught / len(plan),
            "changes_caught": caught,
            "visits": len(plan),
        }
    worst = 0.0
    count = 0
    with open(f"{folder}/cycles.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["policy"] == "round-robin" and float(row["budget"]) == budget and row["metric"] in expected[1]:
                worst = max(worst, abs(float(row["value"]) - expected[int(row["cycle"])][row["metric"]]))
                count += 1
    print(f"{path}: {count} values of {cycles} cycles compared, largest difference {worst:.3g}")
    return count == 7 * cycles and worst <= 1e-9


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1], float(sys.argv[2]), sys.argv[3]) else 1)
