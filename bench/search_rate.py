"""How fast searches are answered on many pages, alone and while a refresh cycle is running.

    python3 bench/search_rate.py TRACE QUERIES.tsv [--pages 200000] [--seconds 20] [--clients 8] [--keep DIR]

Makes a site of so many pages, each 60 to 600 words drawn by the frequencies of the words of the trace's own
pages, serves it from nginx on loopback, crawls it, and asks the queries of the file in random order, each as
often as its count says, with wrk: 8 connections, each waiting for its answer before it asks again. Three times:
alone; while a refresh keeps the default politeness; while a refresh goes as fast as it can. Prints the shares of
searches answered within a time, and how many visits the refresh made meanwhile.

Needs nginx, wrk and pyarrow. With --keep the site and the data folder stay there and are used again.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from urllib.parse import quote

import pyarrow.parquet as parquet

from crawl_rate import ROOT, free_port, served

# wrk runs this in each of its threads; it may not be told apart from a browser's form.
SCRIPT = """
local paths = {}
for line in io.lines("%s") do paths[#paths + 1] = line end
math.randomseed(7)
request = function() return wrk.format("GET", paths[math.random(#paths)]) end
done = function(summary, latency, requests)
  io.write(string.format("RESULT %%d %%d %%d %%d %%d %%d %%d\\n", summary.requests,
    summary.errors.status + summary.errors.timeout + summary.errors.read + summary.errors.connect,
    summary.duration, latency:percentile(50), latency:percentile(95), latency:percentile(99), latency.max))
end
"""


def words_of(trace):
    """The words of the first version of each page, and how often each stands there."""
    counts, last = collections.Counter(), None
    for batch in parquet.ParquetFile(trace).iter_batches(batch_size=128, columns=["url", "mime", "body"]):
        for url, mime, body in zip(*(batch[name].to_pylist() for name in ("url", "mime", "body"))):
            if url == last or body is None or mime != "text/html":
                continue
            last = url
            text = re.sub(rb"(?s)<(script|style).*?</\1>|<[^>]*>", b" ", body).decode("utf-8", "replace")
            counts.update(re.findall(r"\w+", text))
    return counts


def write_site(folder, trace, count):
    """Pages /d/n.html, each with ten links to others and to the next."""
    counts = words_of(trace)
    chance = random.Random(1)
    drawn = chance.choices(list(counts), counts.values(), k=2_000_000)
    for number in range(count):
        path = folder / str(number // 1000)
        path.mkdir(exist_ok=True)
        start, length = chance.randrange(len(drawn) - 700), chance.randrange(60, 600)
        chosen = drawn[start:start + length]
        chance.shuffle(chosen)
        links = [chance.randrange(count) for _ in range(10)] + [(number + 1) % count]
        shown = "".join(f'<a href="/{to // 1000}/{to}.html">{chance.choice(drawn)}</a> ' for to in links)
        title = " ".join(chosen[:4])
        (path / f"{number}.html").write_text(
            f"<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1><p>{' '.join(chosen)}</p>{shown}")
    starts = "".join(f'<a href="/{n // 1000}/{n}.html">{n}</a>' for n in range(0, count, 100))
    (folder / "all.html").write_text(f"<!doctype html><title>All</title>{starts}")
    (folder / "robots.txt").write_text("User-agent: *\nDisallow:\n")


def ask(work, port, queries, clients, seconds):
    """One run of wrk."""
    paths = work / "paths"
    paths.write_text("".join(f"/search?q={quote(query)}\n" for query in queries))
    script = work / "searches.lua"
    script.write_text(SCRIPT % paths)
    ran = subprocess.run(["wrk", "-t2", f"-c{clients}", f"-d{seconds}s", "--timeout", "10s", "-s", str(script),
                          f"http://127.0.0.1:{port}"], capture_output=True, text=True)
    for line in ran.stdout.splitlines():
        if line.startswith("RESULT "):
            asked, bad, micros, p50, p95, p99, longest = map(int, line.split()[1:])
            return (f"{asked} searches, {asked / micros * 1e6:.0f}/s, {bad} failed; p50 {p50 / 1e3:.2f} ms, "
                    f"p95 {p95 / 1e3:.2f} ms, p99 {p99 / 1e3:.2f} ms, longest {longest / 1e3:.1f} ms")
    sys.exit(f"wrk said: {ran.stdout}{ran.stderr}")


def position(program, data):
    told = subprocess.run([program, "status", "--json", "--data", data], capture_output=True, text=True)
    return json.loads(told.stdout)["observations"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("queries")
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    work = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="sanderling-bench-"))
    (work / "site").mkdir(parents=True, exist_ok=True)
    if not (work / "site/all.html").exists():
        write_site(work / "site", arguments.trace, arguments.pages)
    program, web_port, port = ROOT / "target/release/sanderling", 18080, free_port()
    data = work / "data"
    common = ["--allow", "127.0.0.1", "--pages-per-host", "1000000", "--data", data, "--quiet"]
    quick = ["--delay", "0s", "--response-multiple", "0"]
    lines = [line.split("\t") for line in pathlib.Path(arguments.queries).read_text().splitlines()]
    texts, counts = [line[0] for line in lines], [int(line[1]) for line in lines]
    queries = random.Random(2).choices(texts, counts, k=20_000)
    server = None
    try:
        with served(work, web_port):
            if not data.exists():
                began = time.perf_counter()
                subprocess.run([program, "crawl", f"http://127.0.0.1:{web_port}/all.html", *common, *quick], check=True)
                print(f"crawled and indexed in {time.perf_counter() - began:.1f} s")
            server = subprocess.Popen([program, "serve", "--data", data, "--listen", f"127.0.0.1:{port}"],
                                      stdout=subprocess.DEVNULL)
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz").read()
                    break
                except OSError:
                    time.sleep(0.1)
            ask(work, port, queries, arguments.clients, 5)
            print("alone:", ask(work, port, queries, arguments.clients, arguments.seconds))
            for name, flags in [("polite refresh", []), ("refresh flat out", quick)]:
                before = position(program, data)
                refresh = subprocess.Popen([program, "refresh", "--budget", "1000000", *common, *flags])
                time.sleep(3)
                if refresh.poll() is not None:
                    sys.exit("the refresh was over before the searches began")
                print(f"{name}:", ask(work, port, queries, arguments.clients, arguments.seconds))
                running = refresh.poll() is None
                refresh.terminate()
                refresh.wait()
                print(f"  {position(program, data) - before} visits meanwhile; "
                      f"the refresh {'was still running' if running else 'ended before the searches did'}")
    finally:
        if server:
            server.terminate()
            server.wait()
        if not arguments.keep:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    os.environ.pop("SANDERLING_DATA", None)
    sys.exit(main())
