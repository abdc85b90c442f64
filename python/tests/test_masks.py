"""Views that lack nodes."""

import json
import subprocess

import numpy as np
import pandas
import pytest

import congraph
from congraph import ConsensusGraph, Graphs


@pytest.fixture(scope="module")
def frames():
    """Three views of 15 nodes; the second lacks two, the third has a NaN in one and a constant in another."""
    data = congraph.simulate(n_nodes=15, n_views=3, n_signals=60, edge_probability=0.3, seed=2)
    found = {name: pandas.DataFrame(np.array(array), columns=data.truth.node_names_) for name, array in data.views.items()}
    found["view2"] = found["view2"].drop(columns=["n03", "n07"])
    found["view3"].loc[4, "n05"] = np.nan
    found["view3"]["n09"] = 1.0
    return found


def test_views_take_part_with_the_nodes_they_have(frames):
    with pytest.warns(congraph.CongraphWarning, match="W03"):
        model = ConsensusGraph(density=0.25, similarity=0.85, missing="mask").fit(frames)
    names = model.node_names_
    lacking = {(model.view_names_[view], names[node]) for view, node in np.argwhere(~model.present_)}
    assert lacking == {("view2", "n03"), ("view2", "n07"), ("view3", "n05"), ("view3", "n09")}
    for view, node in np.argwhere(~model.present_):
        assert not model.graphs_[view, node].any()
    # A view's weights add up to the number of its nodes.
    np.testing.assert_allclose(model.weights_.sum(axis=0), model.present_.sum(axis=1))
    assert model.converged_ and abs(model.density_ - 0.25) < 0.01
    own = [(model.weights_[:, view] > 0).sum() / (n * (n - 1) / 2) for view, n in enumerate(model.present_.sum(axis=1))]
    np.testing.assert_allclose(model.densities_, own)
    found = model.communities(runs=5)
    np.testing.assert_array_equal(found.views >= 0, model.present_)
    assert (found.consensus >= 0).all()


def test_without_masks_nothing_is_missing(frames, model):
    assert model.present_ is None
    with pytest.raises(congraph.CongraphDataError) as error:
        ConsensusGraph().fit(frames)
    assert error.value.code in ("E01", "E02")


@pytest.fixture
def both(command, frames, tmp_path):
    """The folder that the command line wrote for these views, and the model that Python fits to the same files."""
    paths = []
    for name, frame in frames.items():
        paths.append(str(tmp_path / f"{name}.csv"))
        frame.to_csv(paths[-1], index=False, na_rep="nan")
    words = ["learn", *paths, "--alpha", "0.05", "--beta", "0.02", "--missing", "mask", "-o", str(tmp_path / "out"), "--quiet"]
    done = subprocess.run([command, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    read = {name: pandas.read_csv(path, float_precision="round_trip") for name, path in zip(frames, paths)}
    return tmp_path / "out", ConsensusGraph(alpha=0.05, beta=0.02, missing="mask").fit(read)


def test_the_command_line_gives_the_same(both):
    folder, model = both
    written = np.load(folder / "matrices.npz")
    assert written["nodes"].tolist() == model.node_names_
    np.testing.assert_array_equal(written["consensus"], model.consensus_)
    # NaN where a view lacks the pair.
    np.testing.assert_array_equal(np.nan_to_num(written["views"]), model.graphs_)
    assert json.loads((folder / "summary.json").read_text())["objective"] == model.objective_


def test_a_new_view_against_a_consensus_of_views_that_lack_nodes(frames):
    model = ConsensusGraph(density=0.25, similarity=0.85, missing="mask").fit(frames)
    (projection,) = model.project({"again": frames["view1"]})
    assert projection.converged
    np.testing.assert_allclose(projection.weights, model.graphs_[0], atol=1e-6)
    assert model.score({"again": frames["view1"]}) > 0
    (less,) = model.project({"less": frames["view2"]})
    np.testing.assert_allclose(less.weights, model.graphs_[1], atol=1e-6)
    with pytest.raises(congraph.CongraphDataError) as error:
        model.set_params(missing="error").project({"less": frames["view2"]})
    assert error.value.code == "E02"


def test_masks_are_checked():
    given = {"nodes": ["a", "b", "c"], "views": ["v"], "edge_index": [[0], [1]], "weights": [[1.0]]}
    assert Graphs(**given, present=[[True, True, False]]).communities(runs=2).views.tolist()[0][2] == -1
    for wrong in ([[True, False, True]], [[True, True]]):
        with pytest.raises(ValueError):
            Graphs(**given, present=wrong).communities(runs=2)


def test_means_are_over_the_views_that_have_the_edge(both, frames):
    folder, model = both
    written = pandas.read_csv(folder / "edges.tsv", sep="\t", float_precision="round_trip").set_index(["source", "target"])
    found = model.to_frame().set_index(["source", "target"])
    for column in ("consensus", "n_views", "mean_weight", "n_measured"):
        np.testing.assert_array_equal(found.loc[written.index, column], written[column])
    assert (found["n_measured"] < 3).any()
    np.testing.assert_array_equal(found[list(frames)].isna().sum(axis=1), 3 - found["n_measured"])
