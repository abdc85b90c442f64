"""Graphs as other packages know them."""

import os
import pickle

import numpy as np
import pandas
import pytest


def test_frames(model):
    frame = model.to_frame()
    assert list(frame.columns) == ["source", "target", "consensus", "n_views", "mean_weight", *model.view_names_]
    assert len(frame) == model.edge_index_.shape[1]
    pandas.testing.assert_series_equal(frame["mean_weight"], frame[model.view_names_].mean(axis=1), check_names=False)
    long = model.to_frame(long=True)
    assert (long["weight"] > 0).all() and len(long) == (model.weights_ > 0).sum()
    back = np.zeros((4, 24, 24))
    place = {name: k for k, name in enumerate(model.node_names_)}
    for view, source, target, weight in long.itertuples(index=False):
        a, b = place[source], place[target]
        back[model.view_names_.index(view), a, b] = back[model.view_names_.index(view), b, a] = weight
    np.testing.assert_array_equal(back, model.graphs_)


@pytest.mark.parametrize("view", [None, "view2", 3])
def test_networks(model, view):
    networkx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    expected = model.consensus_ if view is None else model.graphs_[model.view_names_.index(view) if isinstance(view, str) else view]
    graph = model.to_networkx(view)
    np.testing.assert_array_equal(networkx.to_numpy_array(graph, nodelist=model.node_names_), expected)
    graph = model.to_igraph(view)
    assert graph.vs["name"] == model.node_names_
    np.testing.assert_array_equal(np.array(graph.get_adjacency(attribute="weight").data, dtype=float), expected)
    np.testing.assert_array_equal(model.to_scipy(view).toarray(), expected)


def test_nodes_of_networks_have_places_strengths_and_communities(model, data):
    networkx, matplotlib = pytest.importorskip("networkx"), pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from congraph import ConsensusGraph, Views, plots

    places = {node: (np.sin(k), np.cos(k), 0.5) for k, node in enumerate(model.node_names_)}
    placed = ConsensusGraph(alpha=model.alpha_, beta=model.beta_).fit(Views(dict(data.views), nodes=model.node_names_, positions=places))
    found = placed.communities(runs=5)
    graph = placed.to_networkx(communities=found)
    for k, node in enumerate(placed.node_names_):
        facts = graph.nodes[node]
        assert (facts["x"], facts["y"], facts["z"]) == places[node]
        assert facts["strength"] == pytest.approx(placed.consensus_[k].sum())
        assert facts["community"] == found.consensus[k]
    assert networkx.get_node_attributes(placed.to_networkx("view2", communities=found), "community")[node] == found.views[1][k]
    assert "community" not in placed.to_networkx().nodes[node] and "x" not in model.to_networkx().nodes[node]
    # A new view beside that consensus is drawn where its nodes are, too.
    new = placed.project({"late": data.views["view1"]})[0]
    drawn = [plots.graph(one, "late" if one is new.graph else None).collections[0].get_offsets() for one in (new.graph, placed)]
    np.testing.assert_allclose(*drawn)
    np.testing.assert_allclose(drawn[0][3], plots._placed(places, placed.node_names_)[3])


def test_views_that_are_not_there(model):
    with pytest.raises(KeyError, match="view9"):
        model.to_networkx("view9")


def test_a_report_replaces_files_only_and_is_as_open_as_any(model, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    fifo = tmp_path / "fifo.html"
    os.mkfifo(fifo)
    for path in (folder, fifo):
        with pytest.raises(FileExistsError, match="is not a file"):
            model.report(path)
    before = os.umask(0o077)
    try:
        path = model.report(tmp_path / "report.html")
    finally:
        os.umask(before)
    # Who keeps files to themselves keeps this one, too.
    assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["fifo.html", "folder", "report.html"]


def test_report(model, tmp_path):
    path = model.report(tmp_path / "report.html", communities=model.communities(runs=5))
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "4 views share" in page
    assert f"{model.alpha_:.4g}"[:5] in page
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]
    on_a_line = {node: (k, 0.5 * k, 0.0) for k, node in enumerate(model.node_names_)}
    model.report(path, positions=on_a_line)
    assert path.read_text(encoding="utf-8") != page


def test_a_report_tells_what_was_asked_and_which_pairs_could_be_joined(data, tmp_path):
    from congraph import ConsensusGraph, JointGraphicalLasso

    fixed = {"alpha": 0.05, "beta": 0.02}
    asked = [({"candidates": "knn:5", "check_outside": True}, "the 5 nearest neighbours of the other"), ({"candidates": [(0, 1), (1, 2), (0, 2)]}, "of a given list")]
    for params, which in asked:
        page = ConsensusGraph(**fixed, **params).fit(data.views).report(tmp_path / "report.html").read_text(encoding="utf-8")
        assert which in page and "candidate connections" in page, params
    # A model that is fitted says how it was fitted, whatever is set afterwards; and survives pickling.
    model = pickle.loads(pickle.dumps(ConsensusGraph(**fixed, penalty="squared-l2").fit(data.views)))
    page = model.set_params(penalty="l2").report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "squared ℓ2 penalty" in page
    page = JointGraphicalLasso(0.2, 0.05).fit(data.views).report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "λ1 = 0.2" in page and "stand for positive entries" in page


def test_plots(model, data, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    from congraph import ConsensusGraph, plots

    figure = plots.heatmaps(model, order=np.argsort(model.communities(runs=5).consensus))
    assert len([axis for axis in figure.axes if axis.images]) == 5
    figure.savefig(tmp_path / "heatmaps.png")
    axis = plots.graph(model, "view1")
    assert len(axis.lines) == (model.weights_[:, 0] > 0).sum()
    head = {name: (np.sin(k), np.cos(k), 0.5) for k, name in enumerate(model.node_names_)}
    axis = plots.graph(model, positions=head, colors=model.communities(runs=5).consensus)
    assert len(axis.lines) == (model.consensus_weights_ > 0).sum() + 2
    axis.figure.savefig(tmp_path / "head.png")
    with pytest.raises(ValueError, match="tune"):
        plots.path(model)
    tuned = ConsensusGraph().tune(data.views, density=(0.1, 0.3), similarity=(0.8, 0.9), halvings=1)
    plots.path(tuned).figure.savefig(tmp_path / "path.png")
    pyplot.close("all")
