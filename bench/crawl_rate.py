"""Crawl rate over loopback beside other crawlers: the same pages, the same nginx, the same run.

    python3 bench/crawl_rate.py TRACE [--pages 3000] [--repeat 3] [--only sanderling,wget]

Serves the first version of each HTML page of a trace under its own path from nginx on loopback, with a
page that links to all of them, and lets each crawler follow links from there; politeness off, robots.txt
asked for. What was crawled is counted from nginx's log, not from what a crawler says: different pages
answered 200, divided by wall time; CPU is that of the crawler's process and its children.

Crawlers, each skipped with a word where it is not installed:
- sanderling  target/release/sanderling: reads text and links, writes WARC, CDXJ and its database
- sanderling-indexed  the same, and everything can be searched at the end
- sanderling-read  the same world and reading without a store (crates/web/examples/rate.rs)
- scrapy      PyPI Scrapy: links and text extracted, nothing stored
- wget        Debian: recursive, files written
- spider      the crate spider_cli: links only, nothing stored

Needs nginx and pyarrow. SCRAPY and SPIDER name the programs where they are not on the PATH.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote, unquote, urlsplit

import pyarrow.parquet as parquet

from memory import high_water

ROOT = pathlib.Path(__file__).resolve().parent.parent

NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log crit;
events {{ worker_connections 1024; }}
http {{
  types {{ text/html html; text/plain txt; }} default_type text/html;
  log_format bench '$status $request_uri'; access_log {folder}/access.log bench;
  keepalive_requests 1000000; sendfile on; tcp_nopush on; open_file_cache max=4000;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.1:{port} backlog=1024; root {folder}/site; index index.html; }}
}}
"""

SCRAPY = """
import scrapy
from scrapy.linkextractors import LinkExtractor
class Bench(scrapy.Spider):
    name = "bench"
    start_urls = ["http://127.0.0.1:{port}/all.html"]
    allowed_domains = ["127.0.0.1"]
    links = LinkExtractor()
    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        " ".join(response.xpath("//body//text()").getall())
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)
"""


def site(trace, folder, most):
    """The pages as files, and the page that links to all of them. Returns how many, and their bytes."""
    last, paths, size = None, [], 0
    for batch in parquet.ParquetFile(trace).iter_batches(batch_size=128, columns=["url", "mime", "body"]):
        for url, mime, body in zip(*(batch[name].to_pylist() for name in ("url", "mime", "body"))):
            if url == last or body is None or mime != "text/html" or len(paths) == most:
                continue
            last = url
            path = unquote(urlsplit(url).path).lstrip("/")
            if path == "" or path.endswith("/"):
                path += "index.html"
            elif not path.endswith((".html", ".htm")):
                path += "/index.html"
            file = folder / path
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                if file.exists() or len(path) > 200:
                    continue
                file.write_bytes(body)
            except OSError:
                continue
            paths.append(path)
            size += len(body)
    links = "".join(f'<li><a href="/{quote(path)}">{number}</a>' for number, path in enumerate(paths))
    (folder / "all.html").write_text(f"<!doctype html><title>All</title><ul>{links}</ul>")
    (folder / "robots.txt").write_text("User-agent: *\nDisallow:\n")
    return len(paths), size


def commands(port, work):
    """Each crawler and how it is run; None where it is not installed."""
    start = f"http://127.0.0.1:{port}/all.html"
    program = ROOT / "target/release/sanderling"
    example = ROOT / "target/release/examples/rate"
    scrapy = os.environ.get("SCRAPY") or shutil.which("scrapy")
    spider = os.environ.get("SPIDER") or shutil.which("spider")
    spider_file = work / "bench_spider.py"
    spider_file.write_text(SCRAPY.format(port=port))
    quick = ["--delay", "0s", "--response-multiple", "0", "--allow", "127.0.0.1"]
    return {
        "sanderling": program.exists() and [
            program, "crawl", start, "--data", work / "data", *quick, "--quiet", "--no-index"],
        "sanderling-indexed": program.exists() and [
            program, "crawl", start, "--data", work / "data", *quick, "--quiet"],
        "sanderling-read": example.exists() and [example, start],
        "scrapy": scrapy and [
            scrapy, "runspider", spider_file, "-s", "LOG_ENABLED=False", "-s", "ROBOTSTXT_OBEY=True",
            "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16", "-s", "DOWNLOAD_DELAY=0"],
        "wget": shutil.which("wget") and [
            "wget", "-q", "-r", "-l", "inf", "-P", work / "wget", start],
        "spider": spider and [
            # It will not visit 127.0.0.1 by number.
            spider, "--url", start.replace("127.0.0.1", "localhost"), "--respect-robots-txt", "--http",
            "crawl", "-o"],
    }


def free_port():
    """A port of loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def served(work, port):
    """nginx serving work/site, with its log in work/access.log."""
    (work / "nginx.conf").write_text(NGINX.format(folder=work, port=port))
    os.chmod(work, 0o755)
    nginx = subprocess.Popen(["nginx", "-p", work, "-c", work / "nginx.conf"])
    try:
        while not (work / "nginx.pid").exists():
            if nginx.poll() is not None:
                sys.exit("nginx did not start")
            time.sleep(0.05)
        yield
    finally:
        nginx.terminate()
        nginx.wait()


def run(command, log):
    """Seconds, CPU seconds and MB of a command, and the pages that nginx answered 200."""
    log.write_text("")
    os.kill(int((log.parent / "nginx.pid").read_text()), signal.SIGUSR1)
    time.sleep(0.2)
    began = time.perf_counter()
    child = subprocess.Popen(
        [str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    memory = 0
    while True:
        waited, status, usage = os.wait4(child.pid, os.WNOHANG)
        if waited:
            break
        # The system's own maximum would count this program before it became the other.
        memory = max(memory, high_water(child.pid))
        time.sleep(0.01)
    seconds = time.perf_counter() - began
    lines = [line.split(" ", 1) for line in log.read_text().splitlines()]
    pages = {path.split("?")[0] for code, path in lines if code == "200" and not path.startswith("/robots.txt")}
    cpu = usage.ru_utime + usage.ru_stime
    return {
        "seconds": seconds, "cpu": cpu, "memory": memory / 1024, "pages": len(pages),
        "requests": len(lines), "code": os.waitstatus_to_exitcode(status),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("--pages", type=int, default=3_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="sanderling-bench-"))
    (work / "site").mkdir()
    count, size = site(arguments.trace, work / "site", arguments.pages)
    print(f"{count} pages of {pathlib.Path(arguments.trace).stem}, {size / count / 1e3:.1f} kB on average")
    port = free_port()
    try:
        compare(arguments, work, port)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def compare(arguments, work, port):
    """Runs the crawlers one after the other and prints a line for each."""
    with served(work, port):
        only = set(filter(None, arguments.only.split(",")))
        print(f"{'':<16} {'pages':>6} {'requests':>8} {'pages/s':>8} {'CPU s per 1,000':>16} {'MB':>6}")
        for name, command in commands(port, work).items():
            if only and name not in only:
                continue
            if not command:
                print(f"{name:<16} not installed")
                continue
            runs = []
            for _ in range(arguments.repeat):
                for leftover in ("data", "wget"):
                    shutil.rmtree(work / leftover, ignore_errors=True)
                runs.append(run(command, work / "access.log"))
            rate = statistics.median(one["pages"] / one["seconds"] for one in runs)
            cpu = statistics.median(one["cpu"] / max(one["pages"], 1) * 1e3 for one in runs)
            last = runs[-1]
            note = "" if last["code"] == 0 else f"  (exit code {last['code']})"
            print(f"{name:<16} {last['pages']:>6} {last['requests']:>8} {rate:>8.0f} {cpu:>16.2f} "
                  f"{last['memory']:>6.0f}{note}", flush=True)


if __name__ == "__main__":
    main()
