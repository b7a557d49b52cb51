"""Times of the dashboard over a generated data folder: a million pages on a thousand hosts.

    python3 bench/dashboard.py [--pages 1000000] [--hosts 1000] [--cycles 60] [--binary target/release/sanderling]

Writes the database directly (no archive, so changes have no titles): a crawl of all pages, then daily refreshes of one
page in fifty, of which every fifth found a change and every fiftieth failed. Starts `sanderling serve` and prints how long
it takes until the log has been read, the memory, and the median and the slowest of 30 answers of each page.
"""

import argparse
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
DAY = 86_400_000
START = 1_767_571_200_000


def make(folder, pages, hosts, cycles):
    """Writes the data folder."""
    folder.mkdir(parents=True)
    database = sqlite3.connect(folder / "sanderling.db")
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    store = ROOT / "crates/store/src"
    scripts = [store / "schema.sql"] + [store / f"schema_{n}.sql" for n in range(2, 100)]
    scripts = [script for script in scripts if script.exists()]
    for script in scripts:
        database.executescript(script.read_text())
    database.execute(f"PRAGMA application_id = {0x53616e64}")
    database.execute(f"PRAGMA user_version = {len(scripts)}")
    database.execute("INSERT INTO meta VALUES ('identity', 'bench')")
    database.executemany("INSERT INTO host VALUES (?, ?)", ((n, f"h{n}.example") for n in range(hosts)))
    database.executemany(
        "INSERT INTO cycle (no, kind, policy, detector, budget, seed, started, ended, first) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)",
        ((n, "refresh" if n else "crawl", "round-robin", "digest", pages // 50 if n else None, START + n * DAY,
          START + n * DAY + 3_600_000, 1 if n == 0 else pages + (n - 1) * (pages // 50) + 1) for n in range(cycles + 1)))
    last = {}
    seen = [START] * pages
    visits = [1] * pages
    changes = [0] * pages

    def rows():
        number = 0
        for page in range(pages):
            number += 1
            last[page] = number
            yield (number, 0, page, START, "first", "first", None, None, None, None, None)
        for cycle in range(1, cycles + 1):
            at = START + cycle * DAY
            for place in range(pages // 50):
                page = (cycle * (pages // 50) + place) % pages
                number += 1
                draw = (page * 2654435761 + cycle) % 50
                outcome = "failed" if draw == 0 else "changed" if draw % 5 == 1 else "same"
                since = None if outcome == "failed" else at - seen[page]
                yield (number, cycle, page, at, "refresh", outcome, 1.0 if outcome == "changed" else None, since,
                       "timeout" if outcome == "failed" else None, "no answer within 10s" if outcome == "failed" else None, last[page])
                last[page] = number
                if outcome != "failed":
                    seen[page] = at
                    visits[page] += 1
                    changes[page] += outcome == "changed"

    database.executemany(
        "INSERT INTO observation (no, cycle, page, at, reason, outcome, change, since, fault_kind, fault, before) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows())
    database.executemany(
        "INSERT INTO page VALUES (?, ?, ?, 'held', ?, ?, ?, ?, ?, 0, 0, NULL, NULL, ?)",
        ((n, f"https://h{n % hosts}.example/section/{n}.html", n % hosts, START, seen[n], seen[n], visits[n], changes[n], last[n])
         for n in range(pages)))
    database.executemany(
        "INSERT INTO snapshot VALUES (?, ?, 'html', 200, 0, 0, 0, 1000, 0, 0, NULL, NULL, NULL, 0, ?, ?, 0, ?)",
        ((n, last[n], bytes(16), bytes(16), b"") for n in range(pages)))
    database.commit()
    database.close()


def get(address, path):
    start = time.perf_counter()
    with urllib.request.urlopen(address + path, timeout=120) as answer:
        body = answer.read()
    return time.perf_counter() - start, body.decode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--cycles", type=int, default=60)
    parser.add_argument("--binary", default=str(ROOT / "target/release/sanderling"))
    parser.add_argument("--keep", help="a folder to write to, or to use again")
    arguments = parser.parse_args()
    scratch = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="dashboard-"))
    folder = scratch / "data"
    if not folder.exists():
        start = time.perf_counter()
        make(folder, arguments.pages, arguments.hosts, arguments.cycles)
        size = (folder / "sanderling.db").stat().st_size / 1e6
        print(f"data folder written in {time.perf_counter() - start:.0f} s, {size:.0f} MB")
    process = subprocess.Popen(
        [arguments.binary, "serve", "--data", str(folder), "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE, text=True, env={"SANDERLING_INDEX": "no"})
    try:
        start = time.perf_counter()
        address = process.stdout.readline().split()[-1].rstrip("/")
        print(f"listens after {time.perf_counter() - start:.1f} s")
        while "The log is being read" in get(address, "/dashboard")[1]:
            time.sleep(0.5)
        print(f"log read after {time.perf_counter() - start:.1f} s")
        for path in ["/dashboard", "/changes", "/changes?site=h7.example", "/changes?site=nowhere.example", "/hosts", "/hosts?p=5", "/host/7",
                     "/changes.atom", "/api/changes", "/api/status", "/metrics", "/page/4711"]:
            times = sorted(get(address, path)[0] for _ in range(30))
            print(f"{path:32} median {times[15] * 1e3:6.1f} ms, slowest {times[-1] * 1e3:6.1f} ms")
    finally:
        process.terminate()
        process.wait()
        if not arguments.keep:
            shutil.rmtree(scratch)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
    print(f"most memory {most:.0f} MB")


if __name__ == "__main__":
    main()
