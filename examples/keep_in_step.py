#!/usr/bin/env python3
"""Keeps another search engine or vector store as fresh as a Sanderling repository.

    sanderling serve &                       # or: sanderling run --interval 1d --budget 200 --serve
    python3 examples/keep_in_step.py http://127.0.0.1:8088 copy.db

It asks /api/corpus for what changed since the cursor that it stored last, writes pages, removes deletions,
and stores the new cursor together with them. An answer that ends early changes nothing, so it can be
stopped at any moment and started again.

`Store` is a SQLite database with full-text search here. Replace its two methods `put` and `delete` with
calls to your own engine, for example: split the text, compute embeddings, upsert them under the URL.
Python's standard library is all it needs.
"""
import argparse
import json
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Store:
    """The copy. Everything between two cursors is one transaction."""

    def __init__(self, path):
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.executescript(
            "CREATE TABLE IF NOT EXISTS page (url TEXT PRIMARY KEY, digest TEXT, title TEXT, text TEXT,"
            " language TEXT, changed TEXT);"
            "CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT);"
        )

    def begin(self):
        self.database.execute("BEGIN IMMEDIATE")

    def roll_back(self):
        if self.database.in_transaction:
            self.database.execute("ROLLBACK")

    def cursor(self):
        found = self.database.execute("SELECT value FROM state WHERE key = 'cursor'").fetchone()
        return found[0] if found else None

    def put(self, page):
        """A page that is new or changed. Returns whether there was anything to do."""
        found = self.database.execute("SELECT digest FROM page WHERE url = ?", (page["url"],)).fetchone()
        if found and found[0] == page["digest"]:
            return False  # the same text: no embedding needs to be computed again
        values = [page[key] for key in ("url", "digest", "title", "text", "language", "changed")]
        self.database.execute("INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?, ?)", values)
        return True

    def delete(self, url):
        """A page that does not exist any more, or does not want to be found."""
        self.database.execute("DELETE FROM page WHERE url = ?", (url,))

    def commit(self, cursor):
        self.database.execute("INSERT OR REPLACE INTO state VALUES ('cursor', ?)", (cursor,))
        self.database.execute("COMMIT")


def update(base, store, content="text"):
    """Brings the store up to date. Returns how many pages were written and deleted."""
    parameters = {"content": content}
    since = store.cursor()
    if since:
        parameters["since"] = since
    address = f"{base.rstrip('/')}/api/corpus?{urllib.parse.urlencode(parameters)}"
    written = deleted = 0
    store.begin()
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            for line in answer:
                item = json.loads(line)
                if item["type"] == "page":
                    written += store.put(item)
                elif item["type"] == "deleted":
                    store.delete(item["url"])
                    deleted += 1
                elif item["type"] == "end":
                    store.commit(item["cursor"])
                    return written, deleted
        raise ConnectionError("the answer ended before its last line")
    finally:
        store.roll_back()


def main():
    parser = argparse.ArgumentParser(description="Keeps a copy of a Sanderling repository up to date.")
    parser.add_argument("base", help="where Sanderling serves, such as http://127.0.0.1:8088")
    parser.add_argument("store", help="the SQLite file to keep")
    parser.add_argument("--content", choices=["text", "markdown"], default="text")
    parser.add_argument("--interval", type=float, help="seconds between updates; without it, update once")
    arguments = parser.parse_args()
    store = Store(arguments.store)
    while True:
        try:
            written, deleted = update(arguments.base, store, arguments.content)
            print(f"written: {written}, deleted: {deleted}", flush=True)
        except urllib.error.HTTPError as error:
            # A cursor of another data folder is refused: then begin with an empty store.
            message = error.read().decode("utf-8", "replace")
            print(f"{error.code}: {message}", file=sys.stderr)
            if not arguments.interval:
                return 1
        except (OSError, ValueError) as error:
            print(f"not updated: {error}", file=sys.stderr)
            if not arguments.interval:
                return 1
        if not arguments.interval:
            return 0
        time.sleep(arguments.interval)


if __name__ == "__main__":
    sys.exit(main())
