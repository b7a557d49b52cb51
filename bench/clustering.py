"""Compares clustering by repeated bisection with scikit-learn's, on the same rows: time, tau and memory.

    cargo build --release -p learn --example bisect
    python3 bench/clustering.py [--rows 300000 1000000] [--rounds 5] [--restarts 1] [--keep DIR]

Makes rows the way features of pages look: some hundred groups of very different sizes and spreads, columns of
kinds (smooth, heavy-tailed counts, ranks, yes or no), background noise, and each column scaled to mean 0 and
deviation 1. Divides them into 100 clusters with two threads: ours, scikit-learn's BisectingKMeans on the rows
as they are, and on the rows at length one; in turns, so that what else the machine does meets all alike. Prints
the median seconds of each, tau (the sum of the cosines of all rows with their clusters' centroids, computed here
for all alike) and our peak memory as a multiple of the matrix.

Exits 1 if ours takes longer than the faster of theirs, has lower tau than the better of theirs, or needs 1.5
times the matrix or more.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

THREADS = 2
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(THREADS)
# Its threads would wait for each other by spinning, which takes it many times as long where anything else runs.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
try:
    import numpy
    import scipy.sparse
    import sklearn
    from sklearn.cluster import BisectingKMeans
except ImportError as missing:
    sys.exit(f"{missing}. They are installed by: python3 -m venv venv && venv/bin/pip install numpy scikit-learn; "
             "then run this with venv/bin/python")

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/bisect"
COLUMNS, CLUSTERS, GROUPS, SEED = 68, 100, 300, 1


def features(rows, seed):
    """Rows of single precision, every column of mean 0 and deviation 1."""
    chance = numpy.random.default_rng(seed)
    sizes = chance.lognormal(0, 1.2, GROUPS)
    # Groups are parts of a few themes, as directories are of sites; they differ in some columns only.
    themes = chance.normal(0, 1, (20, COLUMNS))
    own = chance.normal(0, 1, (GROUPS, COLUMNS)) * (chance.random((GROUPS, COLUMNS)) < 0.4)
    centres = themes[chance.integers(0, 20, GROUPS)] + own
    spreads = chance.lognormal(-0.7, 0.5, (GROUPS, 1)) * chance.lognormal(0, 0.4, (GROUPS, COLUMNS))
    group = chance.choice(GROUPS, rows, p=sizes / sizes.sum())
    values = numpy.empty((rows, COLUMNS), numpy.float32)
    for start in range(0, rows, 50_000):
        part = group[start:start + 50_000]
        values[start:start + 50_000] = centres[part] + spreads[part] * chance.standard_normal((len(part), COLUMNS))
    noise = chance.random(rows) < 0.05
    values[noise] = chance.normal(0, 1.5, (noise.sum(), COLUMNS))
    counts, ranks, flags = slice(30, 42), slice(42, 52), slice(52, 64)
    values[:, counts] = numpy.floor(numpy.exp(values[:, counts]))
    values[:, ranks] = numpy.clip(numpy.round(values[:, ranks] * 3 + 5), 0, 10)
    values[:, flags] = values[:, flags] > 1
    for column in range(COLUMNS):
        one = values[:, column].astype(numpy.float64)
        values[:, column] = (one - one.mean()) / (one.std() or 1)
    return values


def unit(values):
    lengths = numpy.linalg.norm(values, axis=1, keepdims=True)
    return values / numpy.where(lengths > 0, lengths, 1)


def tau(units, labels):
    """The sum of the cosines of all rows with the centroids of their clusters."""
    sums = numpy.zeros((labels.max() + 1, units.shape[1]))
    for start in range(0, len(units), 50_000):
        part, clusters = units[start:start + 50_000].astype(numpy.float64), labels[start:start + 50_000]
        places = (clusters, numpy.arange(len(part)))
        sums += scipy.sparse.csr_array((numpy.ones(len(part)), places), (len(sums), len(part))) @ part
    return numpy.linalg.norm(sums, axis=1).sum()


def theirs(values, seed):
    """Seconds and clusters of scikit-learn, which may change the copy it is given."""
    model = BisectingKMeans(CLUSTERS, n_init=1, random_state=seed, copy_x=False)
    copy = values.copy()
    began = time.perf_counter()
    model.fit(copy)
    return time.perf_counter() - began, model.labels_


def ours(path, rows, restarts, seed):
    """What our program says of a run, and its clusters."""
    ran = subprocess.run([PROGRAM, path, *map(str, (rows, COLUMNS, CLUSTERS, restarts, THREADS, seed))],
                         capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{PROGRAM} said: {ran.stderr}")
    return json.loads(ran.stdout), numpy.fromfile(f"{path}.assignment", "<u4").astype(numpy.int64)


def compare(folder, rows, rounds, restarts):
    """Whether ours is no slower, no worse and no larger than it may be."""
    path = folder / f"{rows}.f32"
    if not path.exists():
        features(rows, SEED).astype("<f4").tofile(path)
    raw = numpy.fromfile(path, "<f4").reshape(rows, COLUMNS)
    units = unit(raw)
    seconds, taus, peaks = {}, {}, []
    for turn in range(rounds):
        for name, values in [("scikit-learn, rows as they are", raw), ("scikit-learn, rows of length one", units)]:
            took, labels = theirs(values, turn)
            seconds.setdefault(name, []).append(took)
            taus.setdefault(name, []).append(tau(units, labels))
        said, labels = ours(path, rows, restarts, turn)
        seconds.setdefault("ours", []).append(said["seconds"])
        taus.setdefault("ours", []).append(tau(units, labels))
        peaks.append(said["peak_bytes"] / said["matrix_bytes"])
        if abs(said["tau"] / taus["ours"][-1] - 1) > 1e-5:
            sys.exit(f"ours says tau is {said['tau']}, but it is {taus['ours'][-1]}")
    print(f"{rows} rows of {COLUMNS} columns into {CLUSTERS} clusters, {rounds} rounds of different seeds:")
    for name in seconds:
        print(f"  {name}: median {statistics.median(seconds[name]):.3f} s ({min(seconds[name]):.3f} to "
              f"{max(seconds[name]):.3f}); tau per row median {statistics.median(taus[name]) / rows:.5f} "
              f"({min(taus[name]) / rows:.5f} to {max(taus[name]) / rows:.5f})")
    print(f"  ours needs at most {max(peaks):.3f} times the matrix")
    time_of = {name: statistics.median(seconds[name]) for name in seconds}
    tau_of = {name: statistics.median(taus[name]) for name in taus}
    checks = {
        "no slower": time_of["ours"] == min(time_of.values()),
        "tau no lower": tau_of["ours"] == max(tau_of.values()),
        "below 1.5 times the matrix": max(peaks) < 1.5,
    }
    print("  " + "; ".join(f"{name}: {'yes' if holds else 'NO'}" for name, holds in checks.items()), flush=True)
    return all(checks.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[300_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--restarts", type=int, default=1)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    if not PROGRAM.exists():
        sys.exit(f"there is no {PROGRAM}: cargo build --release -p learn --example bisect")
    folder = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="sanderling-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"scikit-learn {sklearn.__version__}, numpy {numpy.__version__}, {THREADS} threads, "
          f"{os.cpu_count()} cores, seed of the rows {SEED}")
    try:
        kept = [compare(folder, rows, arguments.rounds, arguments.restarts) for rows in arguments.rows]
    finally:
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
