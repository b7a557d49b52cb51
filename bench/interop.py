"""Has other programs read what the crawler writes.

    python3 bench/interop.py BINARY FOLDER

Crawls a small server on loopback that answers in every lawful and some unlawful ways (chunks, both lengths, each content
coding, redirects, 304, 410, many headers, cut bodies, old line ends), visits everything again, and then

  - runs bench/check_warc.py, which reads every record with warcio and FastWARC, over the archive and its indexes;
  - reads every response as a browser would with warcio: head parsed, body decoded, and compares it with what was served.

Prints what was read; exits with 1 if anything differs. Needs warcio, fastwarc and cdxj-indexer.
"""

import gzip
import pathlib
import socket
import subprocess
import sys
import threading
import zlib

from warcio.archiveiterator import ArchiveIterator

TEXT = b"<title>Sanderling</title><p>" + b"It runs along the edge of the waves. " * 60
HTML = b"Content-Type: text/html; charset=utf-8\r\n"


def chunked(body):
    half = len(body) // 2
    parts = [body[:half], body[half:]]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def plain(body, headers=b""):
    return b"HTTP/1.1 200 OK\r\n%s%sContent-Length: %d\r\n\r\n%s" % (HTML, headers, len(body), body)


ANSWERS = {
    "/plain": plain(TEXT),
    "/chunked": b"HTTP/1.1 200 OK\r\n" + HTML + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(TEXT),
    "/both": b"HTTP/1.1 200 OK\r\n" + HTML + b"Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(TEXT),
    "/gzip": plain(gzip.compress(TEXT, mtime=0), b"Content-Encoding: gzip\r\n"),
    "/deflate": plain(zlib.compress(TEXT), b"Content-Encoding: deflate\r\n"),
    "/gzip-chunked": b"HTTP/1.1 200 OK\r\n" + HTML
    + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(gzip.compress(TEXT, mtime=0)),
    "/many-headers": plain(TEXT, b"".join(b"X-%d: y\r\n" % number for number in range(300))),
    "/old-ends": b"HTTP/1.0 200 OK\nContent-Type: text/html\nContent-Length: %d\n\n%s" % (len(TEXT), TEXT),
    "/until-close": b"HTTP/1.1 200 OK\r\n" + HTML + b"Connection: close\r\n\r\n" + TEXT,
    "/empty": plain(b""),
    "/moved": b"HTTP/1.1 301 Moved\r\nLocation: /plain\r\nContent-Length: 0\r\n\r\n",
    "/gone": b"HTTP/1.1 410 Gone\r\nContent-Length: 4\r\n\r\ngone",
    "/cut": b"HTTP/1.1 200 OK\r\n" + HTML + b"Content-Length: 99999\r\n\r\n" + TEXT,
    "/tagged": plain(TEXT, b'ETag: "one"\r\n'),
}
# Paths whose body must come back as it was before any coding.
WHOLE = [path for path in ANSWERS if path not in ("/moved", "/gone", "/cut", "/empty")]


def serve(connection):
    with connection:
        while True:
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece:
                    return
                head += piece
            path = head.split(b" ")[1].decode()
            if path == "/":
                links = "".join(f'<a href="{path}">{path}</a> ' for path in ANSWERS)
                answer = plain(links.encode())
            elif path == "/tagged" and b'If-None-Match: "one"' in head:
                answer = b'HTTP/1.1 304 Not Modified\r\nETag: "one"\r\n\r\n'
            else:
                answer = ANSWERS.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            connection.sendall(answer)
            if path in ("/cut", "/until-close", "/old-ends"):
                return


def listen():
    server = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            connection, _ = server.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return server.getsockname()[1]


def main():
    binary, folder = sys.argv[1:]
    data = pathlib.Path(folder) / "data"
    flags = ["--data", data, "--delay", "0s", "--response-multiple", "0", "--quiet"]
    flags += ["--resolve", f"shore.example=127.0.0.1:{listen()}"]
    for words in (["crawl", "http://shore.example/"], ["refresh", "--budget", "100"]):
        done = subprocess.run([binary, *words, *flags], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 7, 8):
            sys.exit(f"{words[0]} ended with {done.returncode}: {done.stderr}")
    files = sorted((data / "archive").glob("*.warc.gz"))
    checker = pathlib.Path(__file__).with_name("check_warc.py")
    checked = subprocess.run([sys.executable, checker, "--indexes", data / "indexes", *files], check=False)
    flaws, read = [], 0
    for file in files:
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                target = record.rec_headers.get_header("WARC-Target-URI") or ""
                path = target.removeprefix("http://shore.example")
                if record.rec_type != "response" or path not in WHOLE:
                    continue
                read += 1
                body = record.content_stream().read()
                if body != TEXT:
                    flaws.append(f"{path}: {len(body)} bytes, not the {len(TEXT)} that were served")
    seen = f"{read} responses decoded by warcio as they were served"
    print("\n".join(flaws) or seen)
    if flaws or read < len(WHOLE) or checked.returncode:
        sys.exit(1)


main()
