"""Memory and rate of a crawl of many pages: generated pages, nginx on loopback, politeness off.

    python3 bench/many_pages.py [--pages 200000]

Every page has about 1 kB of text and ten links to others. Prints pages/s, CPU and the most memory held,
as a whole and for each page; then what it takes to open the data folder again for a refresh.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from crawl_rate import ROOT, free_port, run, served

WORDS = "tide shore gull wave sand salt reef kelp foam dune crab buoy mast sail rope deck hull keel".split()


def write_site(folder, count):
    """Pages /d/n.html, of which each links to ten others; /all.html links to the first of each hundred."""
    for number in range(count):
        path = folder / str(number // 1000)
        path.mkdir(exist_ok=True)
        draws = [(number * 2654435761 + step * 40503) % count for step in range(10)]
        links = "".join(f'<a href="/{draw // 1000}/{draw}.html">{WORDS[draw % 18]}</a> ' for draw in draws)
        text = " ".join(WORDS[(number * 7 + step * step) % 18] for step in range(120))
        following = (number + 1) % count
        (path / f"{number}.html").write_text(
            f"<!doctype html><title>Page {number}</title><h1>Page {number}</h1><p>{text}</p>{links}"
            f'<a href="/{following // 1000}/{following}.html">next</a>')
    starts = "".join(f'<a href="/{n // 1000}/{n}.html">{n}</a>' for n in range(0, count, 100))
    (folder / "all.html").write_text(f"<!doctype html><title>All</title>{starts}")
    (folder / "robots.txt").write_text("User-agent: *\nDisallow:\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=200_000)
    arguments = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="sanderling-bench-"))
    (work / "site").mkdir()
    write_site(work / "site", arguments.pages)
    program, port = ROOT / "target/release/sanderling", free_port()
    quick = ["--delay", "0s", "--response-multiple", "0", "--allow", "127.0.0.1",
             "--pages-per-host", "1000000", "--data", work / "data", "--quiet"]
    try:
        with served(work, port):
            crawl = [program, "crawl", f"http://127.0.0.1:{port}/all.html", *quick]
            for name, command in [("crawl", crawl), ("refresh", [program, "refresh", "--budget", "1000", *quick])]:
                one = run(command, work / "access.log")
                print(f"{name}: exit code {one['code']}, {one['pages']} pages in {one['seconds']:.1f} s "
                      f"({one['pages'] / one['seconds']:.0f}/s), {one['cpu']:.1f} s CPU, "
                      f"{one['memory']:.0f} MiB at most, {one['memory'] * 1024 / arguments.pages:.2f} KiB a page")
        status = subprocess.run([program, "status", "--data", work / "data"], capture_output=True, text=True)
        print("\n".join(status.stdout.splitlines()[2:6]))
        began = time.perf_counter()
        code = subprocess.run([program, "verify", "--data", work / "data"]).returncode
        print(f"verify: exit code {code} in {time.perf_counter() - began:.1f} s")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
