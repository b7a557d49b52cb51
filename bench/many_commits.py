"""Makes a git repository of a website with many commits, for measuring `lab import git`.

    python3 bench/many_commits.py FOLDER [COMMITS]
    sanderling lab import git FOLDER --base https://site.example/ --weeks 200 -o site.parquet

2,000 pages of about 15 kB; every commit (30,000 of them, an hour apart) changes a line in three of them.
"""

import pathlib
import random
import subprocess
import sys

PAGES, LINES, START = 2_000, 300, 1_577_836_800


def main(folder, commits=30_000):
    pathlib.Path(folder).mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", folder], check=True)
    draw = random.Random(1)
    words = [f"word{number}" for number in range(3_000)]
    line = lambda: "<p>" + " ".join(draw.choices(words, k=6)) + "</p>\n"
    pages = [[line() for _ in range(LINES)] for _ in range(PAGES)]
    git = subprocess.Popen(["git", "-C", folder, "fast-import", "--quiet"], stdin=subprocess.PIPE)
    for commit in range(commits):
        changed = range(PAGES) if commit == 0 else draw.sample(range(PAGES), 3)
        out = [f"commit refs/heads/main\ncommitter Site <site@site.example> {START + 3_600 * commit} +0000\ndata 0\n"]
        for page in changed:
            pages[page][draw.randrange(LINES)] = line()
            body = f"<title>Page {page}</title>\n" + "".join(pages[page])
            out.append(f"M 100644 inline d{page % 20}/p{page}.html\ndata {len(body)}\n{body}\n")
        git.stdin.write("".join(out).encode())
    git.stdin.close()
    sys.exit(git.wait())


if __name__ == "__main__":
    main(sys.argv[1], *(int(commits) for commits in sys.argv[2:3]))
