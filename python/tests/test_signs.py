"""Graphs with negative weights."""

import json

import numpy as np
import pytest

import congraph
from congraph import Graphs


@pytest.fixture
def signed():
    """Two views of four nodes: a–b and c–d together, b–c and a–d against each other; the second view has not all of it."""
    one = np.zeros((4, 4))
    for a, b, weight in [(0, 1, 2.0), (2, 3, 1.0), (1, 2, -0.5), (0, 3, -1.5)]:
        one[a, b] = one[b, a] = weight
    two = one.copy()
    two[1, 2] = two[2, 1] = 0.0
    return Graphs.from_matrices(np.stack([one, two]), one, nodes=list("abcd"), views=["x", "y"])


def test_negative_weights_are_edges_of_every_form(signed):
    assert signed.weights_.min() == -1.5 and (signed.graphs_[0] == signed.consensus_).all()
    frame = signed.to_frame()
    assert frame["n_views"].tolist() == [2, 2, 1, 2]
    assert frame["consensus"].tolist() == [2.0, -1.5, -0.5, 1.0]
    assert frame["mean_weight"].tolist() == [2.0, -1.5, -0.25, 1.0]
    long = signed.to_frame(long=True)
    assert len(long) == 7 and sorted(long["weight"])[:3] == [-1.5, -1.5, -0.5]
    assert signed.to_scipy().nnz == 8 and signed.to_scipy("y").sum() == pytest.approx(3.0)
    networkx = pytest.importorskip("networkx")
    graph = signed.to_networkx()
    np.testing.assert_array_equal(networkx.to_numpy_array(graph, nodelist=list("abcd")), signed.consensus_)
    # The strength of a node is without signs.
    assert graph.nodes["a"]["strength"] == 3.5
    igraph = pytest.importorskip("igraph")
    assert isinstance(signed.to_igraph("y"), igraph.Graph) and signed.to_igraph("y").ecount() == 3


def test_signs_are_scored_where_there_are_any(signed):
    turned = Graphs.from_matrices(-signed.graphs_, signed.consensus_, nodes=list("abcd"), views=["x", "y"])
    found = congraph.evaluate(turned, signed)
    assert found["f1"] == 1.0 and found["signed_f1"] == 0.0 and found["correlation"] == pytest.approx(-1.0)
    assert found.consensus is not None and found.consensus["signed_f1"] == 1.0
    assert congraph.f1(turned, signed) == 1.0 and congraph.f1(turned, signed, signs=True) == 0.0
    assert congraph.auprc(signed, signed, signs=True) == 1.0
    assert congraph.precision(turned, signed, signs=True) == congraph.recall(turned, signed, signs=True) == 0.0
    plain = Graphs.from_matrices(np.abs(signed.graphs_))
    assert "signed_f1" not in congraph.evaluate(plain, plain).views
    assert congraph.f1(plain, plain, signs=True) == 1.0


def test_communities_leave_negative_weights_out_or_go_by_them(signed):
    assert signed.communities(runs=5).consensus.tolist() == [0, 0, 1, 1]
    avoiding = Graphs.from_matrices([[0, 0, -1], [0, 0, -1], [-1, -1, 0]])
    assert avoiding.communities(runs=5).views.tolist() == [[0, 1, 2]]
    assert avoiding.communities(runs=5, signs="signed").views.tolist() == [[0, 0, 1]]
    with pytest.raises(ValueError, match="signs is"):
        signed.communities(runs=5, signs="both")


def test_total_variation_along_a_negative_edge_is_that_of_the_opposite():
    signals = np.random.default_rng(1).standard_normal((50, 2))
    signals[:, 1] = -signals[:, 0]
    graph = Graphs.from_matrices([[0, -2], [-2, 0]], nodes=["a", "b"], views=["x"])
    import pandas

    data = {"x": pandas.DataFrame(signals, columns=["a", "b"])}
    assert congraph.total_variation(graph, data, relative=False)[0] == pytest.approx(0.0, abs=1e-12)


def test_pictures_and_reports_tell_signs(signed, tmp_path):
    page = signed.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "2 positive and 2 negative" in page and "key-line negative" in page
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from congraph import plots

    styles = [line.get_linestyle() for line in plots.graph(signed).get_lines()]
    assert styles.count("--") == 2 and styles.count("-") == 2
    figure = plots.heatmaps(signed)
    assert all(image.get_clim() == (-2.0, 2.0) for axis in figure.axes for image in axis.get_images() if image.get_array().ndim == 2)
    assert json.dumps(signed.to_frame()["consensus"].tolist())
