"""Checks WARC files and their CDXJ index with the readers that others use.

    python3 bench/check_warc.py [--indexes FOLDER] FILES...

Every record is read to its end by warcio and by FastWARC, two readers that share no code, and both
must see the same. Checked are: one gzip member for each record, the fields every record must have,
names that are unique, digests of blocks and payloads, that each revisit refers to a response with
the digest it gives, that each request belongs to a response or revisit of the same address and
instant, and, with --indexes, that the lines of the *.cdxj files are those that cdxj-indexer would
write for these files, sorted. Revisits may refer to any of the FILES, so give them all.

Prints what it read; says each flaw and exits with 1 if there is one.
Needs warcio and fastwarc; with --indexes also cdxj-indexer.
"""

import argparse
import base64
import collections
import hashlib
import io
import json
import pathlib
import re
import sys

from fastwarc.stream_io import FileStream
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

PROFILES = {
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
    "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
}
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
NEEDED = ["WARC-Record-ID", "WARC-Date", "WARC-Type", "Content-Length", "WARC-Block-Digest"]
INDEXED = ("response", "revisit")

Seen = collections.namedtuple("Seen", "where kind id target date payload concurrent refers")


def sha1(content):
    return "sha1:" + base64.b32encode(hashlib.sha1(content).digest()).decode()


def split_http(block):
    """The head with its empty line, and the body."""
    head, mark, body = block.partition(b"\r\n\r\n")
    return head + mark, body


class Check:
    def __init__(self):
        self.flaws = []
        self.records = []
        self.bytes = collections.Counter()

    def flaw(self, where, text):
        self.flaws.append(f"{where}: {text}")

    def file(self, path):
        """Reads all of a file with both readers and compares what they saw."""
        ours = list(self.with_warcio(path))
        theirs = list(self.with_fastwarc(path))
        if ours != theirs:
            self.flaw(path, f"warcio read {len(ours)} records, FastWARC {len(theirs)}, or not the same")
        if ours and ours[0][1] != "warcinfo":
            self.flaw(path, "does not begin with a warcinfo record")

    def with_warcio(self, path):
        size = path.stat().st_size
        end = 0
        with open(path, "rb") as stream:
            records = ArchiveIterator(stream, no_record_parse=True)
            for record in records:
                block = record.raw_stream.read()
                offset, length = records.get_record_offset(), records.get_record_length()
                where = f"{path.name} at {offset}"
                if offset != end:
                    self.flaw(where, f"the record before ended at {end}")
                end = offset + length
                self.record(where, record, block)
                yield offset, record.rec_type, sha1(block)
        if end != size:
            self.flaw(path, f"records end at {end} of {size} bytes")
        self.bytes["files"] += size
        self.digests_of_warcio(path)

    def digests_of_warcio(self, path):
        """A second time, as `warcio check` does: it takes payloads apart in its own way."""
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream, check_digests=True):
                record.content_stream().read()
                if record.digest_checker.passed is False:
                    self.flaw(path.name, f"warcio: {record.digest_checker.problems}")

    def with_fastwarc(self, path):
        for record in FastIterator(FileStream(str(path), "rb"), parse_http=False):
            block = record.reader.read()
            yield record.stream_pos, record.headers["WARC-Type"], sha1(block)
        for record in FastIterator(FileStream(str(path), "rb"), parse_http=True):
            if record.headers["WARC-Type"] == "response" and not record.verify_payload_digest():
                self.flaw(f"{path.name} at {record.stream_pos}", "FastWARC: payload digest differs")

    def record(self, where, record, block):
        field = record.rec_headers.get_header
        kind = record.rec_type
        self.bytes["blocks"] += len(block)
        if record.rec_headers.protocol != "WARC/1.1":
            self.flaw(where, f"is {record.rec_headers.protocol}")
        needed = NEEDED + ([] if kind == "warcinfo" else ["WARC-Target-URI"])
        for name in needed:
            if not field(name):
                self.flaw(where, f"has no {name}")
        names = [name.lower() for name, _ in record.rec_headers.headers]
        for name in set(names):
            if names.count(name) > 1 and name != "warc-concurrent-to":
                self.flaw(where, f"has {name} more than once")
        if not DATE.fullmatch(field("WARC-Date") or ""):
            self.flaw(where, f"has the date {field('WARC-Date')}")
        if int(field("Content-Length") or -1) != len(block):
            self.flaw(where, "has a block of another length than it says")
        if field("WARC-Block-Digest") != sha1(block):
            self.flaw(where, "has a block of another digest than it says")

        payload = field("WARC-Payload-Digest")
        if kind == "response":
            head, body = split_http(block)
            if payload != sha1(body):
                self.flaw(where, "has a payload of another digest than it says")
            if b"\r\ntransfer-encoding:" in head.lower():
                self.flaw(where, "keeps a transfer encoding, though its body is joined")
        if kind == "revisit":
            if field("WARC-Profile") not in PROFILES:
                self.flaw(where, f"has the profile {field('WARC-Profile')}")
            identical = (field("WARC-Profile") or "").endswith("identical-payload-digest")
            head, body = split_http(block)
            if body or head.startswith(b"HTTP/") != identical:
                self.flaw(where, "holds more or less than the head of a response, or of a 304 than nothing")
            if identical != (field("WARC-Truncated") == "length"):
                self.flaw(where, "must be marked as truncated if and only if a body was left out")
        refers = tuple(field("WARC-Refers-To" + end) for end in ("", "-Target-URI", "-Date"))
        self.records.append(
            Seen(where, kind, field("WARC-Record-ID"), field("WARC-Target-URI"), field("WARC-Date"),
                 payload, field("WARC-Concurrent-To"), refers)
        )

    def references(self):
        """What records say of one another."""
        by_id = {}
        for record in self.records:
            if record.id in by_id:
                self.flaw(record.where, f"has the name of the record {by_id[record.id].where}")
            by_id[record.id] = record
        responses = {(r.target, r.date, r.payload): r for r in self.records if r.kind == "response"}
        asked = set()
        for record in self.records:
            if record.kind == "revisit":
                name, target, date = record.refers
                original = responses.get((target, date, record.payload))
                if original is None:
                    self.flaw(record.where, f"refers to no response: {target} of {date}")
                elif original.id != name:
                    self.flaw(record.where, "refers to one record by name and another by address")
            if record.kind == "request":
                answer = by_id.get(record.concurrent)
                if answer is None or answer.kind not in INDEXED:
                    self.flaw(record.where, "belongs to no response or revisit")
                elif (answer.target, answer.date) != (record.target, record.date):
                    self.flaw(record.where, "belongs to a response of another address or instant")
                else:
                    asked.add(answer.id)
        for record in self.records:
            if record.kind in INDEXED and record.id not in asked:
                self.flaw(record.where, "has no request")

    def indexes(self, folder, files):
        from cdxj_indexer.main import CDXJIndexer

        lines = []
        for path in sorted(folder.glob("*.cdxj")):
            found = path.read_text(encoding="utf-8").splitlines()
            if found != sorted(found, key=lambda line: line.encode()):
                self.flaw(path, "is not sorted")
            lines += found
        out = io.StringIO()
        out.close = lambda: None
        CDXJIndexer(out, [str(path) for path in files], sort=True).process_all()
        expected = collections.Counter(map(normal, out.getvalue().splitlines()))
        given = collections.Counter(map(normal, lines))
        for line in list((expected - given).elements())[:5]:
            self.flaw(folder, f"lacks {line}")
        for line in list((given - expected).elements())[:5]:
            self.flaw(folder, f"has, but should not, {line}")
        captures = sum(record.kind in INDEXED for record in self.records)
        if len(lines) != captures:
            self.flaw(folder, f"has {len(lines)} lines for {captures} captures")
        print(f"{len(lines)} lines of index")


def normal(line):
    """A line without the freedom that JSON leaves."""
    key, date, fields = line.split(" ", 2)
    return key, date, json.dumps(json.loads(fields), sort_keys=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--indexes", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("files", type=pathlib.Path, nargs="+", metavar="FILES")
    arguments = parser.parse_args()
    check = Check()
    for path in arguments.files:
        try:
            check.file(path)
        except Exception as error:  # Whatever a reader says of a file is a flaw of the file.
            check.flaw(path, f"cannot be read: {error!r}")
    check.references()
    kinds = collections.Counter(record.kind for record in check.records)
    print(f"{len(arguments.files)} files, {check.bytes['files'] / 1e6:.1f} MB, "
          f"{check.bytes['blocks'] / 1e6:.1f} MB uncompressed, {len(check.records)} records: "
          + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    if arguments.indexes:
        check.indexes(arguments.indexes, arguments.files)
    for flaw in check.flaws[:50]:
        print("flaw:", flaw, file=sys.stderr)
    print(f"{len(check.flaws)} flaws")
    sys.exit(1 if check.flaws else 0)


if __name__ == "__main__":
    main()
