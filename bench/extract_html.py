"""Writes pages of a trace as .html files, for the benchmark of reading.

    python3 bench/extract_html.py TRACE FOLDER [MOST]
    SANDERLING_BENCH_HTML=FOLDER cargo bench -p extract --bench read

The first version of each HTML page, in order of address, at most MOST of them (3,000). Needs pyarrow.
"""

import pathlib
import sys

import pyarrow.parquet as parquet


def main(trace, folder, most=3_000):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    last, written, size = None, 0, 0
    for batch in parquet.ParquetFile(trace).iter_batches(batch_size=128, columns=["url", "mime", "body"]):
        for url, mime, body in zip(*(batch[name].to_pylist() for name in ("url", "mime", "body"))):
            if url == last or body is None or mime != "text/html" or written == most:
                continue
            (folder / f"{written:05}.html").write_bytes(body)
            last, written, size = url, written + 1, size + len(body)
    print(f"{written} pages, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(int(most) for most in sys.argv[3:4]))
