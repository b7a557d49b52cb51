#!/usr/bin/env python3
"""Fits the corrections of the policy `unified` with LightGBM.

    cargo run --release -p lab --example unified_rows -- TRACES 0.02,0.05,0.1 ROWS
    bench/fit_unified.py ROWS OUT [--folds 6]

ROWS holds one file of rows for each site. OUT gets a folder for each fold with the models fitted
without the sites of that fold, `all` with the models fitted on every site, and `folds.txt`, which
says in which fold each site is. Needs numpy and lightgbm.
"""
import argparse
import pathlib

import lightgbm
import numpy

AUX = ["rank", "cycle", "stale", "life"]
SETTINGS = {
    "num_leaves": 7,
    "learning_rate": 0.08,
    "min_data_in_leaf": 400,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 20.0,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 2,
    "verbose": -1,
}


def load(folder, columns):
    sites = {}
    for path in sorted(folder.glob("*.rows")):
        rows = numpy.fromfile(path, dtype="<f4").reshape(-1, len(columns) + len(AUX))
        if len(rows):
            sites[path.stem] = rows
    return sites


def weigh(rows, columns):
    """Sites weigh the same. Within a site, pages that compete for visits weigh most."""
    rank = rows[:, len(columns)]
    # One in five of the others was kept.
    weights = numpy.where(rank < 4, 1.0, 5.0) / (1.0 + rank)
    return 1000.0 * weights / weights.sum()


def fit(rows, weights, label, offset, trees, columns):
    data = lightgbm.Dataset(rows, label=label, weight=weights, init_score=offset, feature_name=columns)
    settings = SETTINGS | {"objective": "cross_entropy", "boost_from_average": False}
    return lightgbm.train(settings, data, num_boost_round=trees)


def write(model, path, columns, note):
    lines = [f"# {note}"]
    for tree in model.dump_model()["tree_info"]:
        lines.append("tree")
        nodes = []

        def add(node):
            place = len(nodes)
            nodes.append(None)
            if "leaf_value" in node:
                nodes[place] = f"leaf {node['leaf_value']:.5g}"
            else:
                left, right = add(node["left_child"]), add(node["right_child"])
                column = columns[node["split_feature"]]
                nodes[place] = f"{column} {numpy.float32(node['threshold']):.6g} {left} {right}"
            return place

        add(tree["tree_structure"])
        lines.extend(nodes)
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--trees", type=int, default=80)
    parser.add_argument("--drop", default="", help="columns to leave out, joined by commas")
    options = parser.parse_args()
    columns = (options.rows / "columns.txt").read_text().split()
    dropped = [columns.index(name) for name in options.drop.split(",") if name]
    sites = load(options.rows, columns)
    names = sorted(sites)
    # Parts of one site stay together.
    folds = {name: place % options.folds for place, name in enumerate(names)}
    if "nlab-full" in folds:
        folds["nlab-full"] = folds.get("nlab-cat", 0)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "folds.txt").write_text("".join(f"{name} fold{folds[name]}\n" for name in names))
    doubt, stays = columns.index("doubt"), columns.index("stays")
    for fold in list(range(options.folds)) + ["all"]:
        train = [name for name in names if folds[name] != fold]
        rows = numpy.concatenate([sites[name] for name in train])
        weights = numpy.concatenate([weigh(sites[name], columns) for name in train])
        x = rows[:, : len(columns)].copy()
        x[:, dropped] = 0
        stale, life = rows[:, len(columns) + 2], rows[:, len(columns) + 3]
        models = {}
        models["stale"] = fit(x, weights, stale, rows[:, doubt], options.trees, columns)
        known = life >= 0
        models["life"] = fit(x[known], weights[known], life[known], rows[known, stays], options.trees, columns)
        folder = options.out / (fold if fold == "all" else f"fold{fold}")
        folder.mkdir(exist_ok=True)
        for name, model in models.items():
            note = f"{name}: {len(train)} sites, {len(rows)} rows, {options.trees} trees, LightGBM {lightgbm.__version__}"
            write(model, folder / f"{name}.txt", columns, note)
        test = [name for name in names if folds[name] == fold]
        if test:
            losses = []
            for name in test:
                part = sites[name]
                columns_of = part[:, : len(columns)].copy()
                columns_of[:, dropped] = 0
                y = part[:, len(columns) + 2]
                before, after = part[:, doubt], part[:, doubt] + models["stale"].predict(columns_of, raw_score=True)
                half = (before + after) / 2
                loss = lambda z: float(numpy.mean(numpy.logaddexp(0, z) - y * z))
                losses.append((loss(before), loss(half), loss(after)))
            print(fold, "stale loss analytic, half, full:", numpy.mean(losses, axis=0).round(4), flush=True)
        elif fold == "all":
            for name, model in models.items():
                gain = sorted(zip(model.feature_importance("gain"), columns), reverse=True)
                print(name, ", ".join(f"{column} {value / sum(g for g, _ in gain):.2f}" for value, column in gain[:20]))


main()
