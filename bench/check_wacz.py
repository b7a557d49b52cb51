#!/usr/bin/env python3
"""Checks a WACZ file with the PyPI package `wacz`, and every line of its index with `warcio`.

    python3 -m venv target/wacz && target/wacz/bin/pip install wacz
    target/wacz/bin/python bench/check_wacz.py site.wacz
"""
import gzip
import io
import json
import sys
import zipfile

from warcio.archiveiterator import ArchiveIterator
from wacz.validate import Validation


def main(path):
    validation = Validation(path)
    failed = []
    if validation.version != "1.1.1":
        failed.append("version")
    if validation.check_required_contents() != 0:
        failed.append("required contents")
    for check in (
        validation.frictionless_validate,
        validation.check_file_paths,
        validation.check_file_hashes,
        validation.check_compression,
        validation.check_indexes,
        validation.check_data_package_hash_and_sig,
    ):
        if not check():
            failed.append(check.__name__)
    with zipfile.ZipFile(path) as archive:
        if archive.testzip() is not None:
            failed.append("checksums of the ZIP file")
        stored = all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        if not stored:
            failed.append("entries are compressed")
        data = archive.read("indexes/index.cdx.gz")
        blocks = archive.read("indexes/index.idx").decode().splitlines()
        lines = []
        for block in blocks[1:]:
            place = json.loads(block[block.index("{"):])
            piece = data[place["offset"]:place["offset"] + place["length"]]
            lines.extend(gzip.decompress(piece).decode().splitlines())
        if lines != sorted(lines):
            failed.append("the index is not sorted")
        warcs = {}
        for line in lines:
            fields = json.loads(line[line.index("{"):])
            name = fields["filename"]
            if name not in warcs:
                warcs[name] = archive.read(f"archive/{name}")
            offset, length = int(fields["offset"]), int(fields["length"])
            record = next(iter(ArchiveIterator(io.BytesIO(warcs[name][offset:offset + length]))))
            if record.rec_headers.get_header("WARC-Target-URI") != fields["url"]:
                failed.append(f"the index line of {fields['url']} names another record")
        pages = [json.loads(line) for line in archive.read("pages/pages.jsonl").decode().splitlines()]
        known = {json.loads(line[line.index("{"):])["url"] for line in lines}
        for page in pages[1:]:
            if page["url"] not in known:
                failed.append(f"page {page['url']} is not in the index")
    print(f"{len(lines)} captures, {len(pages) - 1} pages, {len(warcs)} WARC files")
    for what in failed:
        print(f"FAILED: {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
