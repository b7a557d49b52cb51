"""A flood of requests against the search page of a crawler at work.

    python3 bench/flood.py [--pages 5000] [--connections 4000] [--seconds 20]
    python3 bench/flood.py --slow FOLDER [--connections 2000] [--seconds 20] [--binary PATH]

Serves a site of small pages from nginx on loopback and lets `sanderling run --serve` refresh it as fast as it can,
first left alone, then while its search page is flooded, all at the same time: thousands of connections that
ask for nothing, others that send their request one byte a second, others that ask for long pages and do not read
the answer, queries of a megabyte, and searches as fast as they are answered. Prints visits a second with and
without the flood, memory, what the flooders were answered, and whether the server is well afterwards.

With `--slow`, one client keeps connections to `sanderling serve` that are slow in every way, and another, at another
address (127.0.0.2), searches the data folder over and over. Prints how long its searches take, before and meanwhile.

The first needs nginx. Everything stays on loopback and ends by itself.
"""

import argparse
import asyncio
import collections
import http.client
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from crawl_rate import ROOT, free_port, high_water, served
from many_pages import write_site

WORDS = "tide shore gull wave sand salt reef kelp foam dune".split()


class Flood:
    """Clients of the worst manners, until a time is over."""

    def __init__(self, port, seconds):
        self.port, self.until, self.answers = port, time.monotonic() + seconds, collections.Counter()

    async def open(self):
        return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), 5)

    async def again(self, what, one):
        """Does one thing over and over, counting how it ends."""
        while time.monotonic() < self.until:
            writer = None
            try:
                reader, writer = await self.open()
                self.answers[what, await asyncio.wait_for(one(reader, writer), self.until - time.monotonic() + 1)] += 1
            except TimeoutError:
                self.answers[what, "held to the end"] += 1
            except OSError as error:
                self.answers[what, type(error).__name__] += 1
                await asyncio.sleep(0.1)
            finally:
                if writer:
                    writer.close()

    async def status(self, reader):
        line = await reader.readline()
        return line.split(b" ")[1].decode() if line.startswith(b"HTTP/") else "closed"

    async def silent(self, reader, writer):
        return await self.status(reader)

    async def slow_to_write(self, reader, writer):
        for byte in b"GET /search?q=tide HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 10_000:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(1)
            if reader.at_eof():
                return "closed"
        return await self.status(reader)

    async def slow_to_read(self, reader, writer):
        writer.write(b"GET /api/changes?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
        await asyncio.sleep(max(0.0, self.until - time.monotonic()))
        return "never read"

    async def megabyte(self, reader, writer):
        writer.write(b"GET /search?q=" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return await self.status(reader)

    async def search(self, reader, writer):
        for word in WORDS:
            writer.write(f"GET /search?q={word} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            status = await self.status(reader)
            if status != "200":
                return status
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", head)
            await reader.readexactly(int(length[1]))
        return "200"

    async def run(self, connections):
        kinds = [("silent", self.silent, connections // 2), ("slow to write", self.slow_to_write, connections // 4),
                 ("slow to read", self.slow_to_read, connections // 8), ("a megabyte", self.megabyte, connections // 8),
                 ("search", self.search, 32)]
        await asyncio.gather(*(self.again(name, one) for name, one, count in kinds for _ in range(count)))


    async def slow(self, connections):
        kinds = [("silent", self.silent, connections // 2), ("slow to write", self.slow_to_write, connections // 4),
                 ("slow to read", self.slow_to_read, connections // 4)]
        await asyncio.gather(*(self.again(name, one) for name, one, count in kinds for _ in range(count)))


def searches(port, seconds):
    """Milliseconds of each search of a client at another address, each over a connection of its own."""
    took, until, number = [], time.monotonic() + seconds, 0
    while time.monotonic() < until:
        began = time.perf_counter()
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=("127.0.0.2", 0))
        client.request("GET", f"/search?q={WORDS[number % len(WORDS)]}+page")
        answer = client.getresponse()
        answer.read()
        if answer.status != 200:
            sys.exit(f"a search was answered with {answer.status}")
        took.append((time.perf_counter() - began) * 1e3)
        client.close()
        number += 1
        time.sleep(0.05)
    took.sort()
    return (f"{len(took)} searches, median {took[len(took) // 2]:.0f} ms, "
            f"95 % within {took[len(took) * 95 // 100]:.0f} ms, longest {took[-1]:.0f} ms")


def slow(arguments):
    """A client with slow connections beside one that searches."""
    port = free_port()
    command = [arguments.binary, "serve", "--data", arguments.slow, "--listen", f"127.0.0.1:{port}"]
    server = subprocess.Popen(["sh", "-c", 'ulimit -n 1024; exec "$@"', "sh", *command], stdout=subprocess.DEVNULL)
    try:
        until_well(port)
        searches(port, 2)
        print("left alone:", searches(port, arguments.seconds))
        flooder = subprocess.Popen([sys.executable, __file__, "--as-slow", str(port), str(arguments.connections),
                                    str(arguments.seconds + 6)], stdout=subprocess.PIPE, text=True)
        time.sleep(4)
        print(f"{arguments.connections} slow connections:", searches(port, arguments.seconds))
        print(flooder.communicate()[0], end="")
        print(f"{high_water(server.pid) / 1024:.0f} MiB; the server {'runs' if server.poll() is None else 'DIED'}")
    finally:
        server.terminate()
        server.wait()


def until_well(port):
    while True:
        try:
            return get(port, "/healthz")
        except OSError:
            time.sleep(0.1)


def get(port, path):
    return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20).read()


def rate(data, seconds):
    """Observations a second in the log over some time."""
    def count():
        told = subprocess.run([ROOT / "target/release/sanderling", "status", "--json", "--data", data],
                              capture_output=True, text=True)
        return json.loads(told.stdout)["observations"]
    before, began = count(), time.perf_counter()
    time.sleep(seconds)
    return (count() - before) / (time.perf_counter() - began)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--connections", type=int)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--slow", metavar="FOLDER")
    parser.add_argument("--binary", default=ROOT / "target/release/sanderling")
    arguments = parser.parse_args()
    if arguments.slow:
        arguments.connections = arguments.connections or 2_000
        return slow(arguments)
    arguments.connections = arguments.connections or 4_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (arguments.connections + 1_000,) * 2)
    work = pathlib.Path(tempfile.mkdtemp(prefix="sanderling-bench-"))
    (work / "site").mkdir()
    write_site(work / "site", arguments.pages)
    program, web_port, port, data = ROOT / "target/release/sanderling", free_port(), free_port(), work / "data"
    common = ["--delay", "0s", "--response-multiple", "0", "--allow", "127.0.0.1", "--data", data]
    crawler = None
    try:
        with served(work, web_port):
            start = f"http://127.0.0.1:{web_port}/all.html"
            subprocess.run([program, "crawl", start, *common, "--quiet"], check=True)
            # The crawler's own limit is the usual one of 1,024 files, whatever ours is.
            crawler = subprocess.Popen(
                ["sh", "-c", 'ulimit -n 1024; exec "$@"', "sh", program, "run", "--budget", "1000000", "--interval", "1s",
                 "--serve", "--listen", f"127.0.0.1:{port}", "--quiet", *map(str, common)],
                stdout=subprocess.DEVNULL)
            until_well(port)
            time.sleep(3)
            print(f"left alone: {rate(data, arguments.seconds):.0f} visits/s, {high_water(crawler.pid) / 1024:.0f} MiB")
            flooder = subprocess.Popen([sys.executable, __file__, "--as-flooder", str(port), str(arguments.connections),
                                        str(arguments.seconds + 6)], stdout=subprocess.PIPE, text=True)
            time.sleep(4)
            print(f"flooded:    {rate(data, arguments.seconds):.0f} visits/s, {high_water(crawler.pid) / 1024:.0f} MiB")
            print(flooder.communicate()[0], end="")
            began = time.perf_counter()
            well = get(port, "/healthz").decode().strip()
            get(port, "/search?q=tide")
            print(f"afterwards: {well}, a search took {(time.perf_counter() - began) * 1e3:.0f} ms; "
                  f"the crawler {'runs' if crawler.poll() is None else 'DIED'}")
    finally:
        if crawler:
            crawler.terminate()
            print(f"exit code {crawler.wait()}")
        shutil.rmtree(work, ignore_errors=True)


def flood(kind, port, connections, seconds):
    one = Flood(port, seconds)
    asyncio.run(one.slow(connections) if kind == "--as-slow" else one.run(connections))
    for (what, answer), count in sorted(one.answers.items()):
        print(f"  {what}: {answer} {count} times")


if __name__ == "__main__":
    if sys.argv[1:2] in (["--as-flooder"], ["--as-slow"]):
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[3]) + 1_000,) * 2)
        sys.exit(flood(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
    sys.exit(main())
