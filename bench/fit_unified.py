#!/usr/bin/env python3
"""Fits the corrections of the policy `unified` with LightGBM, and judges them by site folds.

    bench/fit_unified.py TRACES OUT [--own-runs] [--evaluate 0.05,0.1] [--install]

One command does all of it: it runs the policy on every trace and records what it sees
(`crates/lab/examples/unified_rows.rs`), fits models in folds by site, replays every site with the
models that have not seen it (`crates/lab/examples/gap_closed.rs`), and with --install writes the
models fitted on all sites to the policy's tables.

The first models are fitted on runs of the policy without corrections. Their visits lead to other states than
those of the policy with corrections. With --own-runs the policy runs again, on every site with the models that
have not seen it, and models are fitted on the rows of both runs, to OUT/own.

OUT gets `rows`, a folder for each fold with the models fitted without the sites of that fold,
`all` with the models fitted on every site, `folds.txt`, which says in which fold each site is, and
`folds-DETECTOR.txt`, the results. What is in `rows` already is not recorded again.
Needs cargo, numpy and lightgbm (`pip install numpy lightgbm`).
"""
import argparse
import datetime
import pathlib
import subprocess

import lightgbm
import numpy

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = REPOSITORY / "target/release/examples"
TABLES = REPOSITORY / "crates/policy/src/unified/tables"
AUX = ["rank", "detector", "stale", "life"]
SETTINGS = {
    "objective": "cross_entropy",
    "boost_from_average": False,
    "num_leaves": 7,
    "learning_rate": 0.08,
    "min_data_in_leaf": 400,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 20.0,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 2,
    "verbose": -1,
}


class Rows:
    """The rows of all sites. `x` has the columns, `site` the place of the site's name."""

    def __init__(self, folders, dropped, share):
        chance = numpy.random.default_rng(1)
        self.columns = (folders[0] / "columns.txt").read_text().split()
        width = len(self.columns) + len(AUX)
        found = [path for folder in folders for path in sorted(folder.glob("*.rows"))]
        parts = [(path.stem, numpy.fromfile(path, dtype="<f4").reshape(-1, width)) for path in found]
        parts = [(name, part[chance.random(len(part)) < share]) for name, part in parts if len(part)]
        self.names = sorted({name for name, _ in parts})
        self.site = numpy.concatenate([numpy.full(len(part), self.names.index(name)) for name, part in parts])
        self.weight = numpy.concatenate([weigh(part, len(self.columns)) for _, part in parts])
        every = numpy.concatenate([part for _, part in parts])
        self.x = every[:, : len(self.columns)]
        self.rank, self.detector, self.stale, self.life = every[:, len(self.columns) :].T
        self.doubt = self.x[:, self.columns.index("doubt")].copy()
        self.stays = self.x[:, self.columns.index("stays")].copy()
        for name in dropped:
            self.x[:, self.columns.index(name)] = 0


def weigh(rows, width):
    """Sites weigh the same, and so do the detectors of a site. Within one, pages that compete for
    visits weigh most."""
    rank, detector = rows[:, width], rows[:, width + 1]
    # One in five of the others was kept.
    weights = numpy.where(rank < 4, 1.0, 5.0) / (1.0 + rank)
    for one in numpy.unique(detector):
        weights[detector == one] *= 1000.0 / weights[detector == one].sum()
    return weights


def fit(rows, chosen, label, offset, options):
    """The mean of models that differ in their seeds."""
    data = lightgbm.Dataset(
        rows.x[chosen],
        label=label[chosen],
        weight=rows.weight[chosen],
        init_score=offset[chosen],
        feature_name=rows.columns,
        params=SETTINGS,
    )
    models = []
    for seed in range(1, options.seeds + 1):
        models.append(lightgbm.train(SETTINGS | {"seed": seed}, data, num_boost_round=options.trees))
    return models


def predict(models, x):
    return numpy.mean([model.predict(x, raw_score=True) for model in models], axis=0)


def write(models, path, columns, note):
    lines = [f"# {note}"]
    for tree in [tree for model in models for tree in model.dump_model()["tree_info"]]:
        lines.append("tree")
        nodes = []

        def add(node):
            place = len(nodes)
            nodes.append(None)
            if "leaf_value" in node:
                nodes[place] = f"leaf {node['leaf_value'] / len(models):.5g}"
            else:
                left, right = add(node["left_child"]), add(node["right_child"])
                column = columns[node["split_feature"]]
                nodes[place] = f"{column} {numpy.float32(node['threshold']):.6g} {left} {right}"
            return place

        add(tree["tree_structure"])
        lines.extend(nodes)
    path.write_text("\n".join(lines) + "\n")


def mean_loss(rows, chosen, label, score):
    """The log loss, as the models weigh rows."""
    y, z, weight = label[chosen], score, rows.weight[chosen]
    return float(numpy.sum(weight * (numpy.logaddexp(0, z) - y * z)) / weight.sum())


def fit_fold(rows, fold, folds, options):
    """Fits the models without the sites of a fold. Returns the losses on those sites."""
    seen = numpy.ones(len(rows.site), bool) if fold == "all" else folds[rows.site] != fold
    known = rows.life >= 0
    targets = {"stale": (seen, rows.stale, rows.doubt), "life": (seen & known, rows.life, rows.stays)}
    folder = options.out / (fold if fold == "all" else f"fold{fold}")
    folder.mkdir(exist_ok=True)
    losses = []
    for name, (chosen, label, offset) in targets.items():
        models = fit(rows, chosen, label, offset, options)
        sites = len(numpy.unique(rows.site[chosen]))
        note = (
            f"{name}: {sites} sites, {chosen.sum()} rows, detectors {options.detectors}, budgets {options.budgets}, "
            f"{options.seeds} x {options.trees} trees, LightGBM {lightgbm.__version__}, {datetime.date.today()}"
        )
        write(models, folder / f"{name}.txt", rows.columns, note)
        if fold == "all":
            gain = sum(model.feature_importance("gain") for model in models)
            best = sorted(zip(gain / gain.sum(), rows.columns), reverse=True)
            print(name, ", ".join(f"{column} {value:.3f}" for value, column in best), flush=True)
            continue
        for detector in numpy.unique(rows.detector):
            other = ~seen & (rows.detector == detector) & (known if name == "life" else True)
            correction = predict(models, rows.x[other])
            scores = [offset[other] + share * correction for share in (0.0, 0.7, 1.0)]
            losses.append([mean_loss(rows, other, label, score) for score in scores])
    return losses


def run(*words):
    print("$", *words, flush=True)
    return subprocess.run([str(word) for word in words], cwd=REPOSITORY, check=True, text=True, capture_output=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("traces", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--budgets", default="0.02,0.05,0.1", help="shares of the pages a week to record at")
    parser.add_argument("--detectors", default="digest,main-text")
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--trees", type=int, default=80)
    parser.add_argument("--seeds", type=int, default=1, help="models to take the mean of")
    parser.add_argument("--drop", default="", help="columns to leave out, joined by commas")
    parser.add_argument("--share", type=float, default=1.0, help="share of the rows to fit on, for a first look")
    parser.add_argument("--rows", type=pathlib.Path, action="append", help="folders with rows, instead of OUT/rows")
    parser.add_argument("--own-runs", action="store_true", help="fit again, also on runs with the first models")
    parser.add_argument("--evaluate", default="", help="budgets to replay every site at, with models of its fold")
    parser.add_argument("--install", action="store_true", help="write the models of all sites to the policy's tables")
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    if not options.rows or options.evaluate or options.own_runs:
        run("cargo", "build", "--release", "-p", "lab", "--examples")
    if not options.rows:
        options.rows = [options.out / "rows"]
        record(options, options.rows[0])
    fit_all(options)
    if options.own_runs:
        first, options.out = options.out, options.out / "own"
        options.out.mkdir(exist_ok=True)
        options.rows.append(options.out / "rows")
        record(options, options.rows[-1], first)
        fit_all(options)
    for detector in options.detectors.split(",") if options.evaluate else []:
        policies = [f"@{options.out}", "unified:learned=off"]
        words = ["--detector", detector, "--sites", *policies]
        found = run(EXAMPLES / "gap_closed", options.traces, options.evaluate, *words)
        (options.out / f"folds-{detector}.txt").write_text(found)
        print("".join(line for line in found.splitlines(keepends=True) if "%" in line or "budget" in line))
    if options.install:
        for name in ("stale", "life"):
            (TABLES / f"{name}.txt").write_text((options.out / "all" / f"{name}.txt").read_text())


def record(options, folder, corrections=None):
    """Writes what the policy sees; with a folder of corrections, those of a site's fold are used."""
    if not (folder / "columns.txt").exists():
        words = [options.traces, options.budgets, folder, options.detectors]
        run(EXAMPLES / "unified_rows", *words, *([corrections] if corrections else []))


def fit_all(options):
    """Fits models without each fold, and on all sites."""
    rows = Rows(options.rows, [name for name in options.drop.split(",") if name], options.share)
    # Parts of one site stay together.
    places = [place % options.folds for place in range(len(rows.names))]
    if "nlab-full" in rows.names and "nlab-cat" in rows.names:
        places[rows.names.index("nlab-full")] = places[rows.names.index("nlab-cat")]
    folds = numpy.array(places)
    names = "".join(f"{name} fold{fold}\n" for name, fold in zip(rows.names, folds))
    (options.out / "folds.txt").write_text(names)
    losses = [fit_fold(rows, fold, folds, options) for fold in range(options.folds)]
    detectors = options.detectors.split(",")
    labels = [f"{name} {detector}" for name in ("stale", "life") for detector in detectors]
    for label, loss in zip(labels, numpy.mean(losses, axis=0)):
        print(f"loss on sites not seen, {label}: analytic {loss[0]:.4f}, 0.7 {loss[1]:.4f}, full {loss[2]:.4f}")
    fit_fold(rows, "all", folds, options)


main()
