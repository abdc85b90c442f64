"""Python and the command line give the same weights to the last bit."""

import json
import re
import subprocess

import numpy as np
import pytest

import congraph


def run(command, *words):
    subprocess.run([command, "--quiet", *map(str, words)], check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def files(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parity")
    run(command, "simulate", "--nodes", 40, "--views", 5, "--signals", "60,60,70,80,200", "--seed", 4, "-o", folder / "sim")
    paths = sorted((folder / "sim").glob("*.csv"))
    arrays = {path.stem: np.loadtxt(path, delimiter=",", skiprows=1) for path in paths}
    names = paths[0].read_text().splitlines()[0].split(",")
    return folder, paths, congraph.Views(arrays, nodes=names)


OPTIONS = [
    ({"alpha": 0.05, "beta": 0.02}, ["--alpha", 0.05, "--beta", 0.02]),
    ({}, []),
    ({"density": 0.12, "similarity": 0.85}, ["--density", 0.12, "--similarity", 0.85]),
    (
        {"alpha": 0.05, "beta": 0.05, "gamma": 0.05, "penalty": "l2"},
        ["--alpha", 0.05, "--beta", 0.05, "--gamma", 0.05, "--penalty", "l2"],
    ),
    (
        {"alpha": 0.05, "beta": 0.02, "solver": "admm", "tol": 1e-6, "penalty": "squared-l2"},
        ["--alpha", 0.05, "--beta", 0.02, "--solver", "admm", "--tol", 1e-6, "--penalty", "squared-l2"],
    ),
    (
        {"alpha": 3.0, "beta": 2.0, "scale": "none", "sample_norm": "sum", "distance_norm": "none"},
        ["--alpha", 3.0, "--beta", 2.0, "--scale", "none", "--sample-norm", "sum", "--distance-norm", "none"],
    ),
    ({"spectrum": 0.5}, ["--spectrum", 0.5]),
    ({"spectrum": "auto", "density": 0.12}, ["--spectrum", "auto", "--density", 0.12]),
    ({"alpha": 0.05, "beta": 0.02, "candidates": "knn:6"}, ["--alpha", 0.05, "--beta", 0.02, "--candidates", "knn:6"]),
]


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_fits(command, files, number):
    folder, paths, views = files
    here, there = OPTIONS[number]
    run(command, "learn", *paths, *there, "-o", folder / f"out{number}")
    written = np.load(folder / f"out{number}" / "matrices.npz")
    summary = json.loads((folder / f"out{number}" / "summary.json").read_text())
    model = congraph.ConsensusGraph(**here).fit(views)
    assert written["nodes"].tolist() == model.node_names_ and written["view_names"].tolist() == model.view_names_
    np.testing.assert_array_equal(written["consensus"], model.consensus_)
    np.testing.assert_array_equal(written["views"], model.graphs_)
    for name in ("alpha", "beta", "gamma", "objective", "dual_objective", "relative_gap", "distance_divisor"):
        assert summary[name] == getattr(model, f"{name}_"), name
    assert summary.get("spectrum", 1.0) == model.spectrum_
    assert summary["density"]["views"] == model.density_ and summary["similarity"]["value"] == model.similarity_


def test_single_graphs_and_precision_matrices(command, files):
    folder, paths, views = files
    run(command, "learn", *paths, "--single", "--density", 0.1, "-o", folder / "single")
    model = congraph.SingleGraph(density=0.1).fit(views)
    np.testing.assert_array_equal(np.load(folder / "single" / "matrices.npz")["views"], model.graphs_)
    run(command, "learn", *paths, "--method", "jgl-group", "--lambda1", 0.2, "--lambda2", 0.05, "-o", folder / "jgl")
    lasso = congraph.JointGraphicalLasso(0.2, 0.05, coupling="group").fit(views)
    written = np.load(folder / "jgl" / "matrices.npz")
    np.testing.assert_array_equal(written["precisions"], lasso.precisions_)


def test_simulated_data_are_the_same(files):
    _, _, views = files
    data = congraph.simulate(n_nodes=40, n_views=5, n_signals=[60, 60, 70, 80, 200], seed=4)
    for name, array in views.items():
        np.testing.assert_array_equal(array, data.views[name])


def test_tuning_chooses_the_same(command, files):
    folder, paths, views = files
    run(command, "tune", *paths, "--density", "0.08:0.2", "--similarity", "0.8:0.9", "--halvings", 2, "-o", folder / "tuned")
    summary = json.loads((folder / "tuned" / "summary.json").read_text())
    model = congraph.ConsensusGraph().tune(views, density=(0.08, 0.2), similarity=(0.8, 0.9), halvings=2)
    assert (summary["alpha"], summary["beta"]) == (model.alpha_, model.beta_)
    for name in ("instability", "gain"):
        assert summary["tune"][name] == model.path_[name][model.path_choice_]
    np.testing.assert_array_equal(np.load(folder / "tuned" / "matrices.npz")["consensus"], model.consensus_)


@pytest.mark.parametrize("rule", ["likelihood", "stability"])
def test_tuning_without_a_range_takes_the_same_way(command, files, rule):
    folder, paths, views = files
    run(command, "tune", *paths, "--rule", rule, "--keep", 0.9, "--halvings", 2, "-o", folder / f"free-{rule}")
    model = congraph.ConsensusGraphCV(criterion=rule, keep=0.9, halvings=2).fit(views)
    rows = [line.split("\t") for line in (folder / f"free-{rule}" / "tune.tsv").read_text().splitlines()]
    columns = dict(zip(rows[0], zip(*rows[1:])))
    for name in ("density_target", "similarity_target", "beta", "agreement", *(["gain"] if rule == "likelihood" else [])):
        np.testing.assert_array_equal(np.array(columns[name], dtype=float), model.path_[name], err_msg=name)
    assert ["chosen" in mark for mark in columns["mark"]].index(True) == model.path_choice_
    np.testing.assert_array_equal(np.load(folder / f"free-{rule}" / "matrices.npz")["consensus"], model.consensus_)


def test_tuning_chooses_the_same_where_views_lack_nodes(command, files):
    folder, paths, views = files
    names = views.nodes["view1"]
    # Blocks of nodes that overlap little: far from all pairs of nodes are in a view.
    kept = {name: names[8 * k : 8 * k + 14] if k < 4 else names[:14] for k, name in enumerate(views)}
    given, masked = {}, []
    for path in paths:
        place = [names.index(node) for node in kept[path.stem]]
        array = views[path.stem][:, place]
        given[path.stem] = array
        masked.append(folder / f"masked-{path.stem}.csv")
        rows = [kept[path.stem], *(map(repr, row) for row in array.tolist())]
        masked[-1].write_text("".join(",".join(row) + "\n" for row in rows))
    words = ["--missing", "mask", "--density", "0.1:0.4", "--similarity", "0.8:0.9", "--halvings", 2, "--threshold", 0.12]
    named = [f"{path.stem.removeprefix('masked-')}={path}" for path in masked]
    run(command, "tune", *named, *words, "-o", folder / "masked")
    model = congraph.ConsensusGraph(missing="mask")
    model.tune(congraph.Views(given, nodes=kept), density=(0.1, 0.4), similarity=(0.8, 0.9), halvings=2, threshold=0.12)
    rows = [line.split("\t") for line in (folder / "masked" / "tune.tsv").read_text().splitlines()]
    columns = dict(zip(rows[0], zip(*rows[1:])))
    for name in ("density_target", "similarity_target", "alpha", "beta", "instability", "agreement", "prediction", "gain"):
        np.testing.assert_array_equal(np.array(columns[name], dtype=float), model.path_[name], err_msg=name)
    assert ["chosen" in mark for mark in columns["mark"]].index(True) == model.path_choice_
    np.testing.assert_array_equal(np.load(folder / "masked" / "matrices.npz")["consensus"], model.consensus_)


def methods(page):
    """The paragraphs of methods of a report."""
    section = page.read_text(encoding="utf-8").partition('<section id="methods"')[2].partition("</section>")[0]
    return re.findall(r'<p class="methods">(.*?)</p>', section, re.S)


def test_reports_describe_the_same_methods(command, files):
    folder, paths, views = files
    names = views.nodes["view1"]
    pairs = [(a, b) for a in range(12) for b in range(a)]
    (folder / "pairs.tsv").write_text("source\ttarget\n" + "".join(f"{names[a]}\t{names[b]}\n" for a, b in pairs))
    (folder / "costs.tsv").write_text(f"source\ttarget\tcost\n{names[0]}\t{names[1]}\t0.5\n{names[0]}\t{names[2]}\tinf\n")
    costs = {(names[0], names[1]): 0.5, (names[0], names[2]): np.inf}
    consensus, fixed = congraph.ConsensusGraph, {"alpha": 0.05, "beta": 0.02}
    words = ["--alpha", 0.05, "--beta", 0.02]
    cases = [
        (consensus(**fixed), words),
        (consensus(), []),
        (consensus(density=0.12, similarity=0.85), ["--density", 0.12, "--similarity", 0.85]),
        (consensus(**fixed, candidates="knn:6", check_outside=True), [*words, "--candidates", "knn:6", "--check-outside"]),
        (consensus(**fixed, candidates=pairs), [*words, "--candidates", folder / "pairs.tsv"]),
        (consensus(**fixed, edge_costs=costs), [*words, "--edge-costs", folder / "costs.tsv"]),
        (consensus(**fixed, scale="center", sample_norm="sum", distance_norm="none"), [*words, *"--scale center --sample-norm sum --distance-norm none".split()]),
        (consensus(**fixed, spectrum=0.3), [*words, "--spectrum", 0.3]),
        (consensus(spectrum="auto"), ["--spectrum", "auto"]),
        (congraph.SingleGraph(density=0.1), ["--single", "--density", 0.1]),
        (congraph.JointGraphicalLasso(0.2, 0.05, coupling="group"), ["--method", "jgl-group", "--lambda1", 0.2, "--lambda2", 0.05]),
    ]
    for number, (model, options) in enumerate(cases):
        run(command, "learn", *paths, *options, "-o", folder / f"methods{number}")
        said = methods(folder / f"methods{number}" / "report.html")
        assert methods(model.fit(views).report(folder / "report.html")) == said
        assert len(said) >= 2, "a paragraph and a reference"
    tuning = ["--density", "0.08:0.2", "--similarity", "0.8:0.9", "--halvings", 2]
    run(command, "tune", *paths, *tuning, "-o", folder / "methods-tuned")
    model = consensus(density=0.5).tune(views, density=(0.08, 0.2), similarity=(0.8, 0.9), halvings=2)
    assert methods(model.report(folder / "report.html")) == methods(folder / "methods-tuned" / "report.html")


def test_communities_and_projections_are_the_same(command, files):
    folder, paths, views = files
    run(command, "learn", *paths[:4], "--alpha", 0.05, "--beta", 0.02, "-o", folder / "four")
    run(command, "communities", folder / "four", "--runs", 10)
    known = congraph.Views({name: views[name] for name in list(views)[:4]}, nodes=views.nodes["view1"])
    model = congraph.ConsensusGraph(alpha=0.05, beta=0.02).fit(known)
    found = model.communities(runs=10)
    rows = [line.split("\t") for line in (folder / "four" / "communities.tsv").read_text().splitlines()]
    columns = dict(zip(rows[0], zip(*rows[1:])))
    assert columns["consensus"] == tuple(map(str, found.consensus)) and columns["group"] == tuple(map(str, found.group))
    run(command, "project", folder / "four", "--view", f"late={paths[4]}", "-o", folder / "late")
    (late,) = model.project(congraph.Views({"late": views["view5"]}, nodes=views.nodes["view5"]))
    np.testing.assert_array_equal(np.load(folder / "late" / "matrices.npz")["views"][0], late.weights)


def test_new_views_are_whitened_as_the_fit_was(command, files):
    folder, paths, views = files
    run(command, "learn", *paths[:4], "--spectrum", "auto", "-o", folder / "whitened")
    run(command, "project", folder / "whitened", "--view", f"late={paths[4]}", "-o", folder / "whitened-late")
    known = congraph.Views({name: views[name] for name in list(views)[:4]}, nodes=views.nodes["view1"])
    model = congraph.ConsensusGraph(spectrum="auto").fit(known)
    (late,) = model.project(congraph.Views({"late": views["view5"]}, nodes=views.nodes["view5"]))
    np.testing.assert_array_equal(np.load(folder / "whitened-late" / "matrices.npz")["views"][0], late.weights)
    half = congraph.ConsensusGraph(0.12, 0.85, spectrum=0.5).fit(known)
    plain = congraph.ConsensusGraph(0.12, 0.85).fit(known)
    assert (half.spectrum_, plain.spectrum_) == (0.5, 1.0) and not np.array_equal(half.consensus_, plain.consensus_)
    tuned = congraph.ConsensusGraph(spectrum=0.5).tune(known, density=(0.1, 0.2), similarity=(0.8, 0.9), halvings=1)
    assert tuned.spectrum_ == 0.5
    for wrong in (0, 2.0, "half", None, True):
        with pytest.raises((ValueError, TypeError), match="spectrum"):
            congraph.ConsensusGraph(spectrum=wrong).fit(known)
    with pytest.raises(ValueError, match="spectrum"):
        congraph.ConsensusGraph(spectrum=0.5, scale="center").fit(known)


def test_blocks_of_a_series(command, tmp_path):
    """By number and by duration, from the times of a Parquet file: the halves of the command line."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    data = congraph.simulate(n_nodes=12, n_views=3, n_signals=60, seed=3)
    days = pandas.date_range("2024-02-01", periods=60, freq="D")
    names = data.truth.node_names_
    frames = {name: pandas.DataFrame(values, index=days, columns=names) for name, values in data.views.items()}
    paths = []
    for name, frame in frames.items():
        columns = {"day": polars.Series(days.to_pydatetime().tolist()), **{node: frame[node].to_numpy() for node in names}}
        paths.append(tmp_path / f"{name}.parquet")
        polars.DataFrame(columns).write_parquet(paths[-1])
    run(command, "learn", *paths, "--alpha", 0.05, "--beta", 0.02, "--blocks", "10d", "--time-column", "day", "-o", tmp_path / "out")
    model = congraph.ConsensusGraph(alpha=0.05, beta=0.02).fit(frames)
    for blocks in ("10D", 6):
        there = ["--blocks", "6"] if blocks == 6 else []
        run(command, "stability", tmp_path / "out", "--pairs", 3, "--force", *there)
        found = model.stability(frames, blocks=blocks, pairs=3)
        written = congraph.load(tmp_path / "out").stability_
        assert found.units == written.units == "blocks"
        assert found.record["n_units"] == written.record["n_units"] == dict.fromkeys(frames, 6)
        assert list(found.edges) == list(written.edges) and "frequency" in found.edges
        for name in found.edges:
            np.testing.assert_array_equal(found.edges[name], written.edges[name], err_msg=name)
