"""A projection belongs to its fit: what was allowed, charged and masked there, and the same on the command line."""

import json
import subprocess

import numpy as np
import pytest

import congraph
from congraph import ConsensusGraph

MODEL = {"alpha": 0.05, "beta": 0.03}


def heavy(model, count):
    order = np.argsort(-model.weights_[:, 0])[:count]
    return [tuple(model.node_names_[node] for node in model.edge_index_[:, edge]) for edge in order]


@pytest.mark.parametrize("by_name", [True, False])
def test_a_view_comes_back_on_what_the_fit_allowed(data, by_name):
    free = ConsensusGraph(**MODEL).fit(data.views)
    forbidden = heavy(free, 12)
    place = {name: k for k, name in enumerate(free.node_names_)}
    if not by_name:
        forbidden = [(place[a], place[b]) for a, b in forbidden]
    every = [(a, b) for a in range(24) for b in range(a)]
    listed = [pair for pair in every if sum(pair) % 3 == 0]
    for options in (
        {"edge_costs": dict.fromkeys(forbidden, np.inf)},
        {"edge_costs": dict.fromkeys(forbidden, -0.05)},
        {"candidates": [(free.node_names_[a], free.node_names_[b]) for a, b in listed] if by_name else listed},
        {"candidates": "knn:3"},
    ):
        model = ConsensusGraph(**MODEL, **options, tol=1e-10).fit(data.views)
        assert not np.allclose(model.graphs_, free.graphs_)
        np.testing.assert_allclose(model.transform(data.views), model.graphs_, atol=1e-6)


def test_a_view_that_lacks_nodes(data):
    pandas = pytest.importorskip("pandas")
    model = ConsensusGraph(**MODEL).fit(data.views)
    names = model.node_names_
    frame = pandas.DataFrame(np.asarray(data.views["view4"]), columns=names)
    less, flat = frame.drop(columns=names[3]), frame.assign(**{names[3]: 1.0})
    (common,) = model.set_params(nodes="common").project({"late": less})
    model.set_params(nodes="same")
    kept = [k for k in range(24) if k != 3]
    for late, code in ((less, "E02"), (flat, "E04"), (frame.assign(**{names[3]: np.nan}), "E01")):
        with pytest.raises(congraph.CongraphDataError) as error:
            model.set_params(missing="error", drop_nodes=()).project({"late": late})
        assert error.value.code == code
        # What it advises can be done.
        assert 'missing="mask"' in str(error.value) and "scale=" not in str(error.value)
        (masked,) = model.set_params(missing="mask").project({"late": late})
        assert masked.graph.node_names_ == names and masked.graph.present_[0].tolist() == [k != 3 for k in range(24)]
        np.testing.assert_array_equal(masked.weights[np.ix_(kept, kept)], common.weights)
        assert not masked.weights[3].any() and masked.uniqueness == common.uniqueness
        for kind in ("shared", "added", "lacking"):
            assert masked.edges(kind) == common.edges(kind)
        unmeasured = {name for edge in masked.edges("unmeasured") for name in edge if name != names[3]}
        assert unmeasured == {names[k] for k in np.flatnonzero(model.consensus_[3])}
        (dropped,) = model.set_params(missing="error", drop_nodes=[names[3]]).project({"late": late})
        np.testing.assert_array_equal(dropped.weights, common.weights)


OPTIONS = [
    ({"candidates": "knn:4"}, ["--candidates", "knn:4"]),
    ({"tol": 1e-4}, ["--tol", "1e-4"]),
    ({"solver": "admm", "tol": 1e-6}, ["--solver", "admm", "--tol", "1e-6"]),
    ({"missing": "mask"}, ["--missing", "mask"]),
    ({"edge_costs": True}, ["--edge-costs", "costs.tsv"]),
    ({"candidates": True}, ["--candidates", "pairs.tsv"]),
]


@pytest.mark.parametrize("here, there", OPTIONS)
def test_the_command_line_gives_the_same(command, data, tmp_path, here, there):
    def run(*words):
        done = subprocess.run([command, "--quiet", *map(str, words)], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    run("simulate", "--nodes", 30, "--views", 4, "--signals", 60, "--seed", 2, "-o", "sim")
    paths = sorted((tmp_path / "sim").glob("*.csv"))
    names = paths[0].read_text().splitlines()[0].split(",")
    arrays = {path.stem: np.loadtxt(path, delimiter=",", skiprows=1) for path in paths}
    pairs = [(names[a], names[b]) for a in range(30) for b in range(a) if (a * b) % 5 < 2]
    lines = [f"{a}\t{b}\t{0.05 * k if k % 7 else 'inf'}" for k, (a, b) in enumerate(pairs)]
    (tmp_path / "pairs.tsv").write_text("\n".join(["source\ttarget\tcost", *lines]) + "\n")
    (tmp_path / "costs.tsv").write_text((tmp_path / "pairs.tsv").read_text())
    if here.get("candidates") is True:
        here = {"candidates": pairs}
    if here.get("edge_costs") is True:
        here = {"edge_costs": {pair: 0.05 * k if k % 7 else np.inf for k, pair in enumerate(pairs)}}
    late = names
    if here.get("missing"):
        late = names[:5] + names[6:]
        rows = np.delete(arrays["view4"], 5, axis=1)
        arrays["view4"] = rows
        text = "\n".join([",".join(late), *(",".join(map(repr, row)) for row in rows.tolist())])
        paths[3].write_text(text + "\n")
    run("learn", *paths[:3], "--alpha", 0.05, "--beta", 0.02, *there, "-o", "out")
    mask = there if here.get("missing") else []
    run("project", "out", "--view", f"late={paths[3]}", *mask, "-o", "new")
    known = congraph.Views({path.stem: arrays[path.stem] for path in paths[:3]}, nodes=names)
    model = ConsensusGraph(alpha=0.05, beta=0.02, **here).fit(known)
    (found,) = model.project(congraph.Views({"late": arrays["view4"]}, nodes=late))
    written = np.load(tmp_path / "new" / "matrices.npz")
    np.testing.assert_array_equal(written["views"][0], found.weights)
    told = json.loads((tmp_path / "new" / "summary.json").read_text())["views"]["late"]
    assert told["relative_gap"] == found.relative_gap and told["uniqueness"] == found.uniqueness
    for kind in ("shared", "added", "lacking"):
        assert told[f"n_{kind}"] == len(found.edges(kind))
