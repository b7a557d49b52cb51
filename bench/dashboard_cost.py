"""What a dashboard that somebody looks at costs a crawl that uses all cores.

    python3 bench/dashboard_cost.py [--pages 40000] [--rounds 5] [--binary target/release/sanderling]

Serves generated pages from nginx on loopback and crawls them with politeness off: alone; beside `sanderling serve` that
nobody asks; and beside one with an open dashboard, which listens to `/events` and fetches `/dashboard` as the script of the
page does, at most every four seconds. The three take turns. Prints pages a second of each (medians), the difference, and
the CPU that the server used. Needs nginx.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from crawl_rate import ROOT, free_port, run, served
from many_pages import write_site

PAUSE = 4.0  # As in crates/app/src/serve/html/live.js.
ARMS = ["alone", "served", "looked at"]


def cpu(pid):
    """CPU seconds of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Reader:
    """Somebody who looks at the dashboard."""

    def __init__(self, address):
        self.address, self.fetched, self.is_over = address, 0, False
        threading.Thread(target=self.until_over, daemon=True).start()

    def until_over(self):
        try:
            self.look()
        except OSError:
            if not self.is_over:
                raise

    def look(self):
        last = 0.0
        with urllib.request.urlopen(self.address + "/events", timeout=60) as events:
            for line in events:
                if self.is_over:
                    return
                if line.startswith(b"event: published"):
                    time.sleep(max(0.0, last + PAUSE - time.monotonic()))
                    last = time.monotonic()
                    with urllib.request.urlopen(self.address + "/dashboard", timeout=60) as answer:
                        answer.read()
                    self.fetched += 1


def crawl(arm, binary, work, port):
    """One crawl into a new data folder: pages a second, CPU of the server, dashboards fetched."""
    data = work / "data"
    shutil.rmtree(data, ignore_errors=True)
    common = ["--delay", "0s", "--response-multiple", "0", "--allow", "127.0.0.1", "--pages-per-host", "1000000",
              "--data", data, "--quiet"]
    server = reader = None
    used = 0.0
    # A folder to serve.
    subprocess.run([binary, "crawl", f"http://127.0.0.1:{port}/all.html", "--pages", "1", *common], check=True)
    try:
        if arm != "alone":
            server = subprocess.Popen([binary, "serve", "--data", data, "--listen", "127.0.0.1:0"],
                                      stdout=subprocess.PIPE, text=True)
            address = server.stdout.readline().split()[-1].rstrip("/")
            reader = Reader(address) if arm == "looked at" else None
            time.sleep(2)
            used = cpu(server.pid)
        one = run([binary, "crawl", f"http://127.0.0.1:{port}/all.html", *common], work / "access.log")
        if one["code"] != 0:
            sys.exit(f"the crawl ended with {one['code']}")
        if server:
            used = cpu(server.pid) - used
        return one["pages"] / one["seconds"], one["cpu"] / one["seconds"], used, reader.fetched if reader else 0
    finally:
        if reader:
            reader.is_over = True
        if server:
            server.terminate()
            server.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=40_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--binary", default=ROOT / "target/release/sanderling")
    arguments = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="sanderling-bench-"))
    (work / "site").mkdir()
    write_site(work / "site", arguments.pages)
    port, results = free_port(), {arm: [] for arm in ARMS}
    try:
        with served(work, port):
            for number in range(arguments.rounds):
                for arm in ARMS[number % 3:] + ARMS[:number % 3]:
                    results[arm].append(crawl(arm, arguments.binary, work, port))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    rate = {arm: statistics.median(one[0] for one in ones) for arm, ones in results.items()}
    for arm, ones in results.items():
        each = ", ".join(f"{one[0]:.0f}" for one in ones)
        print(f"{arm:10} {rate[arm]:6.0f} pages/s ({each}), {100 * (1 - rate[arm] / rate['alone']):5.1f} % slower, "
              f"the crawl used {statistics.median(one[1] for one in ones):.2f} cores, the server "
              f"{statistics.median(one[2] for one in ones):.2f} s CPU, {statistics.median(one[3] for one in ones):.0f} dashboards")


if __name__ == "__main__":
    main()
