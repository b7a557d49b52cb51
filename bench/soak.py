"""A year of daily cycles with kills, full disks, outages and clock jumps at random.

    python3 bench/soak.py [--days 365] [--pages 300] [--budget 60] [--seed 1] [--disk-mb 200] BINARY FOLDER

A web of three hosts changes every day. Each day is one `refresh`, whose clock (SANDERLING_NOW) is a day later than the
last. At random, a day has one of these instead of a quiet refresh:

  kill     the process is killed at a random instant, then the day is repeated
  full     the disk is full (needs root: the data folder is a small tmpfs), then space is made and the day repeated
  outage   one host answers nothing
  jump     the clock shows an earlier year: the refresh must be refused with exit code 2 and change nothing

Every 30 days `sanderling verify` must find everything consistent. Before each kill the log is read beside the writer; what
it had then must still be there afterwards. Prints a line of JSON a month, with the most memory that each command used in it, and one for the whole; exits with 1 if anything
is lost, or a command ends with a code that is not expected.
"""

import argparse
import http.server
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from memory import high_water

HOSTS = ["dunlin.example", "knot.example", "turnstone.example"]
START = 1_767_571_200_000  # 2026-01-05
DAY = 86_400_000


class Web:
    """Pages whose text depends on the day. A tenth change every day, half every month, the rest never."""

    def __init__(self, pages):
        self.pages, self.day, self.dark = pages, 0, None

    def body(self, host, number):
        period = 1 if number % 10 == 0 else 30 if number % 2 else 10_000
        version = (self.day + number) // period
        near = [(number * 3 + step) % self.known() for step in range(1, 6)]
        links = " ".join(f'<a href="/p{other}">page {other}</a>' for other in near)
        words = f"page {number} of {host} in version {version}. " * 40
        return f"<title>{host} {number}</title><p>{words}</p>{links}".encode()

    def known(self):
        """The web grows by a page a day on each host."""
        return self.pages // len(HOSTS) + self.day


def handler(web):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Else the body waits for the client to acknowledge the head.
        disable_nagle_algorithm = True

        def do_GET(self):
            host = self.headers.get("Host", "").split(":")[0]
            if host == web.dark:
                self.close_connection = True
                return
            number = self.path.removeprefix("/p") if self.path != "/" else "0"
            if not number.isdigit() or int(number) >= web.known():
                status, body = 404, b"not here"
            else:
                status, body = 200, web.body(host, int(number))
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client that is killed resets its connections."""


class Soak:
    def __init__(self, arguments):
        self.arguments, self.random = arguments, random.Random(arguments.seed)
        self.folder = pathlib.Path(arguments.folder)
        self.web = Web(arguments.pages)
        server = Server(("127.0.0.1", 0), handler(self.web))
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.failures, self.events, self.peak = [], {}, {}

    def command(self, words, now=None):
        environment = dict(os.environ)
        if now is not None:
            environment["SANDERLING_NOW"] = str(now)
        flags = ["--data", str(self.folder / "data")]
        if words[0] in ("crawl", "refresh"):
            resolve = ",".join(f"{host}=127.0.0.1:{self.port}" for host in HOSTS)
            flags += ["--resolve", resolve, "--delay", "0s", "--response-multiple", "0", "--quiet"]
        return [self.arguments.binary, *words, *flags], environment

    def run(self, words, now=None, kill_after=None):
        """The exit code (None if killed), and what was said. Notes the most memory of the month."""
        command, environment = self.command(words, now)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(command, env=environment, stdout=out, stderr=err)
            begun, peak = time.monotonic(), 0
            while process.poll() is None:
                peak = max(peak, high_water(process.pid))
                if kill_after is not None and time.monotonic() - begun > kill_after:
                    process.kill()
                time.sleep(0.005)
            said = []
            for file in (out, err):
                file.seek(0)
                said.append(file.read().decode())
        self.peak[words[0]] = max(self.peak.get(words[0], 0), round(peak / 1024))
        code = None if process.returncode < 0 else process.returncode
        return code, *said

    def fail(self, day, what):
        self.failures.append(f"day {day}: {what}")
        print(json.dumps({"failure": self.failures[-1]}), flush=True)

    def expect(self, day, what, code, allowed, said):
        if code not in allowed:
            self.fail(day, f"{what} ended with {code}: {said.strip()[-400:]}")

    def log(self):
        """The acknowledged log: number, page, instant and outcome of every visit."""
        path = self.folder / "data" / "sanderling.db"
        if not path.exists():
            return []
        try:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
                return connection.execute("SELECT no, page, at, outcome FROM observation ORDER BY no").fetchall()
        except sqlite3.Error:
            return []

    def refresh(self, day, **more):
        budget = str(self.arguments.budget)
        return self.run(["refresh", "--budget", budget, "--index-wait", "50ms"], START + day * DAY, **more)

    def day(self, day):
        self.web.day, self.web.dark = day, None
        draw = self.random.random()
        kind = "quiet"
        if draw < 0.10:
            kind = "kill"
            before = self.log()
            _, _, said = self.refresh(day, kill_after=self.random.uniform(0.02, 0.6))
            after = self.log()
            if after[: len(before)] != before:
                self.fail(day, "a kill changed or lost acknowledged visits")
            code, _, said = self.refresh(day)
            self.expect(day, "refresh after a kill", code, (0, 7, 8), said)
        elif draw < 0.14 and self.is_small:
            kind = "full"
            before = self.log()
            filler = self.folder / "filler"
            free = shutil.disk_usage(self.folder).free
            left = max(0, free - self.random.randrange(20_000, 400_000))
            with filler.open("wb") as file:
                while left > 0:
                    left -= file.write(bytes(min(left, 1 << 20)))
            code, _, said = self.refresh(day)
            filler.unlink()
            self.expect(day, "refresh on a full disk", code, (0, 1, 5, 7, 8), said)
            if code == 1 and "space" not in said:
                self.fail(day, f"a full disk is not said: {said.strip()[-300:]}")
            if self.log()[: len(before)] != before:
                self.fail(day, "a full disk changed or lost acknowledged visits")
            code, _, said = self.refresh(day)
            self.expect(day, "refresh after a full disk", code, (0, 7, 8), said)
        elif draw < 0.20:
            kind = "outage"
            self.web.dark = self.random.choice(HOSTS)
            code, _, said = self.refresh(day)
            self.expect(day, "refresh in an outage", code, (0, 7, 8), said)
        elif draw < 0.23:
            kind = "jump"
            before = self.log()
            code, _, said = self.refresh(day - 400)
            self.expect(day, "refresh with a clock set back", code, (2,), said)
            if self.log() != before:
                self.fail(day, "a clock set back changed the log")
            code, _, said = self.refresh(day)
            self.expect(day, "refresh after a clock jump", code, (0, 7, 8), said)
        else:
            code, _, said = self.refresh(day)
            self.expect(day, "refresh", code, (0, 7, 8), said)
        self.events[kind] = self.events.get(kind, 0) + 1

    def size(self):
        return sum(file.stat().st_size for file in (self.folder / "data").rglob("*") if file.is_file())

    def soak(self):
        self.folder.mkdir(parents=True)
        size = f"size={self.arguments.disk_mb}m"
        mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(self.folder)]
        self.is_small = subprocess.run(mount, capture_output=True, check=False).returncode == 0
        begun = time.monotonic()
        try:
            seeds = [f"http://{host}/" for host in HOSTS]
            code, _, said = self.run(["crawl", *seeds], START)
            self.expect(0, "crawl", code, (0,), said)
            for day in range(1, self.arguments.days + 1):
                self.day(day)
                if day % 30 == 0 or day == self.arguments.days:
                    code, out, said = self.run(["verify", "--json"])
                    self.expect(day, "verify", code, (0,), said)
                    found = json.loads(out) if code == 0 else {}
                    line = {
                        "day": day,
                        "seconds": round(time.monotonic() - begun),
                        "observations": found.get("observations"),
                        "pages": found.get("pages"),
                        "archive_bytes": found.get("bytes"),
                        "folder_bytes": self.size(),
                        "set_aside": len(list((self.folder / "data" / "set-aside").glob("*.warc.gz"))),
                        "peak_memory_mb": self.peak,
                    }
                    self.peak = {}
                    print(json.dumps(line), flush=True)
        finally:
            if self.is_small:
                subprocess.run(["umount", str(self.folder)], check=False)
        whole = {"days": self.arguments.days, "events": self.events, "disk_can_be_full": self.is_small}
        print(json.dumps({**whole, "failures": self.failures}))
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--budget", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--disk-mb", type=int, default=200)
    parser.add_argument("binary")
    parser.add_argument("folder")
    sys.exit(Soak(parser.parse_args()).soak())


main()
