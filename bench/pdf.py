#!/usr/bin/env python3
"""Compares our text of PDF files with that of poppler's pdftotext, and reads hostile files.

    cargo build --release -p extract --example read_pdf
    mkdir pdf && cd pdf && apt-get download r-doc-pdf gnuplot-doc && for d in *.deb; do dpkg -x $d .; done
    python3 bench/pdf.py target/release/examples/read_pdf pdf

Prints a table: of the words that pdftotext finds in the first 500 pages (as many as we read), the share that is in
our text, counted as often as they stand there; CPU seconds and peak memory of both programs. Then
files that are made to harm a reader: how they ended, CPU seconds and peak memory. The exit code is 1 if one ended the
program, or took more than 30 s or 1 GB.
"""

import collections
import gzip
import hashlib
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata
import zlib

PAGES = 500  # MOST_PAGES in crates/extract/src/read/pdf.rs
MOST_SECONDS, MOST_MEGABYTES = 30, 1_000


def run_small(command, output):
    """Exit code, CPU seconds and peak memory in MB. Linux counts the memory of the process that starts another as its,
    so this is called in a process that holds nothing (14 MB)."""
    with open(output, "wb") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def run(starter, folder, *command):
    """Standard output, exit code, CPU seconds and peak memory in MB."""
    output = pathlib.Path(folder, "output")
    measured = starter.apply(run_small, (command, output))
    return output.read_text("utf-8", "replace"), *measured


def words(text):
    """Words and how often they stand there; ligatures and case make no difference."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    # pdftotext keeps the hyphens at the ends of lines.
    folded = re.sub(r"(\w)[-\u00ad]\n(\w)", r"\1\2", folded)
    return collections.Counter(re.findall(r"\w+", folded))


def pdf(objects):
    """A file of these objects; the first is the catalog."""
    file, places = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    return file + head + table + b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(file))


def stream(dictionary, body):
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (dictionary, len(body), body)


def hostile():
    """Names and files."""
    catalog = b"<</Type/Catalog/Pages 2 0 R>>"
    one = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    page = b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 4 0 R>>>>>>"
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    shows = b"BT /F 9 Tf (tide) Tj ET\n"
    bomb = zlib.compress(shows * (500_000_000 // len(shows)), 9)
    twice = zlib.compress(zlib.compress(b"\0" * 1_000_000_000, 9), 9)
    flate = b"/Filter/FlateDecode"
    yield "a page of 500 MB in a stream of %d kB" % (len(bomb) // 1000), pdf(
        [catalog, one, page, stream(flate, bomb), font])
    yield "a gigabyte compressed twice", pdf(
        [catalog, one, page, stream(b"/Filter[/FlateDecode/FlateDecode]", twice), font])
    yield "pages that contain themselves", pdf([catalog, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>"])
    yield "100,000 pages with the same text", pdf(
        [catalog, b"<</Type/Pages/Kids[%s]/Count 100000>>" % (b"3 0 R " * 100_000), page, stream(b"", shows * 1000), font])
    yield "a million brackets", pdf([catalog, one, page, b"[" * 1_000_000, font])
    yield "a drawing that draws itself", pdf(
        [catalog, one, page, stream(b"/Type/XObject/Subtype/Form", b"/X Do " * 1000), font])
    yield "a table that names itself", pdf([catalog, one, page, stream(b"", shows), font]).replace(
        b"<</Size", b"<</Prev 0/Size").replace(b"/Prev 0", b"/Prev %d" % 400)
    yield "20 MB of nothing", b"%PDF-1.7\n" + b"1 0 obj\n" * 2_500_000


def main():
    reader, folders = sys.argv[1], sys.argv[2:]
    starter = multiprocessing.Pool(1)
    found = {path for folder in folders for path in pathlib.Path(folder).rglob("*.pdf*") if path.is_file()}
    # Some are there twice.
    files = {hashlib.sha256(path.read_bytes()).digest(): path.resolve() for path in sorted(found)}
    files = sorted(files.values(), key=lambda path: path.stat().st_size)
    print("| file | kB | words of pdftotext | of these in our text | our words | CPU s, pdftotext | MB, pdftotext |")
    print("|---|---|---|---|---|---|---|")
    wanted, shared, times, bad = 0, 0, [0.0, 0.0], False
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder, "file.pdf")
        for path in files:
            data = path.read_bytes()
            work.write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
            ours, code, seconds, memory = run(starter, folder, reader, "text", str(work))
            theirs, _, their_seconds, their_memory = run(
                starter, folder, "pdftotext", "-l", str(PAGES), "-enc", "UTF-8", str(work), "-")
            bad |= code != 0
            ours, theirs = words(ours), words(theirs)
            total, common = theirs.total(), (ours & theirs).total()
            wanted, shared = wanted + total, shared + common
            times = [times[0] + seconds, times[1] + their_seconds]
            share = f"{100 * common / total:.1f} %" if total else "none to find"
            print(f"| {path.name} | {len(data) // 1000:,} | {total:,} | {share} | {ours.total():,} "
                  f"| {seconds:.2f}, {their_seconds:.2f} | {memory:.0f}, {their_memory:.0f} |", flush=True)
        print(f"\n{len(files)} files: {100 * shared / max(wanted, 1):.1f} % of {wanted:,} words; "
              f"CPU {times[0]:.1f} s, pdftotext {times[1]:.1f} s\n")
        print("| hostile file | kB | exit code | words | CPU s | MB |")
        print("|---|---|---|---|---|---|")
        for name, data in hostile():
            work.write_bytes(data)
            text, code, seconds, memory = run(starter, folder, reader, "text", str(work))
            bad |= code != 0 or seconds > MOST_SECONDS or memory > MOST_MEGABYTES
            print(f"| {name} | {len(data) // 1000:,} | {code} | {words(text).total():,} | {seconds:.2f} | {memory:.0f} |",
                  flush=True)
    sys.exit(int(bad))


if __name__ == "__main__":
    main()
