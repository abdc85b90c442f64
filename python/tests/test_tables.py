"""Tables on the command line, checked from Python: what is read, what is forgiven, what is said."""

import json
import os
import pathlib
import subprocess
import warnings

import numpy as np
import pytest

import congraph

ROOT = pathlib.Path(__file__).parents[2]


def run(command, *words, folder, fails=False):
    done = subprocess.run([command, *map(str, words)], capture_output=True, text=True, cwd=folder)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done


def write(path, array, names):
    np.savetxt(path, array, delimiter=",", header=",".join(names), comments="", fmt="%.17g")


@pytest.fixture
def tables(data, tmp_path):
    for name, array in data.views.items():
        write(tmp_path / f"{name}.csv", array, data.truth.node_names_)
    return [f"{name}.csv" for name in data.views]


LEARN = ["--alpha", "0.1", "--beta", "0.05", "--no-report", "--quiet"]


def test_columns_to_ignore_may_be_missing_in_some_files(command, data, tmp_path, tables):
    run(command, "learn", *tables, *LEARN, "-o", "plain", folder=tmp_path)
    array = np.column_stack([np.arange(80.0), data.views["view2"]])
    write(tmp_path / "view2.csv", array, ["time", *data.truth.node_names_])
    run(command, "learn", *tables, *LEARN, "--ignore-columns", "time", "-o", "out", folder=tmp_path)
    np.testing.assert_array_equal(congraph.load(tmp_path / "out").graphs_, congraph.load(tmp_path / "plain").graphs_)
    done = run(command, "learn", *tables, *LEARN, "--ignore-columns", "time,date", "-o", "wrong", folder=tmp_path, fails=True)
    assert done.returncode == 3 and "has no column `date`" in done.stderr and "`time`" not in done.stderr.split("its 25 columns")[0]
    alone = run(command, "learn", tables[0], "--single", "--density", "0.2", "--ignore-columns", "time", "-o", "alone", folder=tmp_path, fails=True)
    assert "has no column `time`" in alone.stderr


def test_three_dimensional_arrays(command, data, tmp_path, tables):
    np.save(tmp_path / "all.npy", np.stack([np.asarray(array) for array in data.views.values()]))
    run(command, "learn", "all.npy", *LEARN, "-o", "out", folder=tmp_path)
    run(command, "learn", *tables, *LEARN, "-o", "plain", folder=tmp_path)
    one, other = congraph.load(tmp_path / "out"), congraph.load(tmp_path / "plain")
    # Sums are in the order of the names, which are others.
    np.testing.assert_allclose(one.graphs_, other.graphs_, atol=1e-12)
    # Nodes without names are numbered from 0 here, too.
    assert one.node_names_[:2] == ["0", "1"] and one.view_names_ == ["view1", "view2", "view3", "view4"]


@pytest.mark.parametrize("axes", [("x", "y"), ("x", "y", "z"), ("lon", "lat")])
def test_positions_of_tables(command, data, tmp_path, tables, axes):
    names = data.truth.node_names_
    rng = np.random.default_rng(0)
    places = rng.uniform(-50, 50, size=(24, len(axes)))
    rows = ["\t".join(["name", *axes])] + ["\t".join([node, *map(repr, at)]) for node, at in zip(names, places.tolist(), strict=True)]
    (tmp_path / "places.tsv").write_text("\n".join(rows) + "\n")
    run(command, "learn", *tables, "--alpha", "0.1", "--beta", "0.05", "--positions", "places.tsv", "-o", "out", "--quiet", folder=tmp_path)
    head = (tmp_path / "out" / "nodes.tsv").read_text().splitlines()[0].split("\t")
    assert tuple(head[3:]) == axes
    model = congraph.load(tmp_path / "out")
    np.testing.assert_array_equal([model.positions_[node] for node in names], places)
    model.save(tmp_path / "back")
    assert (tmp_path / "back" / "nodes.tsv").read_bytes() == (tmp_path / "out" / "nodes.tsv").read_bytes()
    (tmp_path / "places.tsv").write_text("\n".join(rows[:5]) + "\n")
    done = run(command, "learn", *tables, *LEARN, "--positions", "places.tsv", "-o", "wrong", folder=tmp_path, fails=True)
    assert "no place for 20 of 24 nodes" in done.stderr
    (tmp_path / "places.tsv").write_text("\n".join([*rows[:3], rows[3].replace("\t", "\there", 1)]) + "\n")
    done = run(command, "learn", *tables, *LEARN, "--positions", "places.tsv", "-o", "wrong", folder=tmp_path, fails=True)
    assert "line 4" in done.stderr and "is not a number" in done.stderr and "one row with numbers for every node" in done.stderr


def test_w09_speaks_of_weather_on_a_map(command, tmp_path):
    data = congraph.simulate(n_nodes=40, n_views=3, graph="rgg", mean_degree=6, filter="heat", seed=2)
    for name, array in data.views.items():
        write(tmp_path / f"{name}.csv", array, data.truth.node_names_)
    for axes, told in ((("lon", "lat"), "Weather"), (("x", "y"), "near each other")):
        rows = [",".join(["name", *axes])] + [f"{node},{x!r},{y!r}" for node, (x, y) in zip(data.truth.node_names_, (10 * data.positions).tolist(), strict=True)]
        (tmp_path / "places.csv").write_text("\n".join(rows) + "\n")
        files = [f"{name}.csv" for name in data.views]
        done = run(command, "learn", *files, "--density", "0.1", "--positions", "places.csv", "-o", f"out-{axes[0]}", folder=tmp_path)
        page = (tmp_path / f"out-{axes[0]}" / "report.html").read_text(encoding="utf-8")
        for text in (done.stderr, page):
            assert "W09" in text and told in text and "volume conduction" not in text
        assert "joins neighbours even where nothing is connected" in page


def test_one_truth_for_all_views(command, data, tmp_path, tables):
    run(command, "learn", *tables, *LEARN, "-o", "out", folder=tmp_path)
    one = congraph.Graphs.from_matrices(data.truth.consensus_, nodes=data.truth.node_names_, views=["truth"])
    model = congraph.load(tmp_path / "out")
    folder = tmp_path / "truth"
    # As a folder: that of a single graph with the same edges.
    single = congraph.SingleGraph(density=0.2).fit(congraph.Views({"truth": data.views["view1"]}, nodes=data.truth.node_names_))
    single.edge_index_, single.weights_ = one.edge_index_, one.weights_
    single.save(folder)
    done = run(command, "evaluate", "out", "--truth", "truth", "--json", folder=tmp_path)
    scores = congraph.evaluate(model, one)
    told = json.loads(done.stdout)
    assert told["mean_views"]["f1"] == pytest.approx(scores["f1"]) and told["consensus"]["f1"] == pytest.approx(scores.consensus["f1"])


def test_gaps_by_pairs(command, data, tmp_path):
    rng = np.random.default_rng(0)
    views = {name: np.where(rng.random(array.shape) < 0.05, np.nan, array) for name, array in data.views.items()}
    for name, array in views.items():
        write(tmp_path / f"{name}.csv", array, data.truth.node_names_)
    files = [f"{name}.csv" for name in views]
    done = run(command, "learn", *files, "--alpha", "0.1", "--beta", "0.05", "--nan", "pairwise", "-o", "out", "--no-report", folder=tmp_path)
    assert "W20" in done.stderr and "% of the values are missing" in done.stderr
    found = congraph.ConsensusGraph(alpha=0.1, beta=0.05, nan="pairwise").fit(congraph.Views(views, nodes=data.truth.node_names_))
    np.testing.assert_array_equal(congraph.load(tmp_path / "out").graphs_, found.graphs_)


def cells(scaled=False):
    """Two groups of 30 cells and one of 5; a gene silent everywhere, one silent in a group, one seen in one cell of it."""
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(3)
    values = rng.exponential(size=(65, 12)) * (rng.random((65, 12)) < 0.8)
    kind = np.repeat(["T", "B", "few"], [30, 30, 5])
    values[:, 0] = 0
    values[kind == "B", 1] = 0
    values[kind == "T", 2] = 0
    values[0, 2] = 3.0
    if scaled:
        values = (values - values.mean(axis=0)) / np.where(values.std(axis=0) > 0, values.std(axis=0), 1)
    adata = anndata.AnnData(values)
    adata.obs["kind"] = kind
    adata.var_names = [f"g{k}" for k in range(12)]
    return adata


@pytest.mark.parametrize("scaled", [False, True], ids=["log-normalised", "scaled"])
def test_genes_that_are_hardly_seen(command, tmp_path, scaled):
    """The command line and Python leave out, mask and learn the same."""
    adata = cells(scaled)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    words = ["--groupby", "kind", "--density", "0.3", "--no-report"]
    done = run(command, "learn", "cells.h5ad", *words, "-o", "out", folder=tmp_path)
    assert "few (5)" in done.stderr and "--min-cells" in done.stderr
    assert "1 of 12 genes is seen in fewer than 3 cells of every group (--min-cells-per-gene) and was left out: `g0`" in done.stderr
    found = congraph.load(tmp_path / "out")
    assert set(found.node_names_) == {f"g{k}" for k in range(1, 12)} and sorted(found.view_names_) == ["B", "T"]
    lacks = {view: [node for node, has in zip(found.node_names_, row, strict=True) if not has] for view, row in zip(found.view_names_, found.present_, strict=True)}
    assert lacks == {"B": ["g1"], "T": ["g2"]}
    assert "`g1` (seen in too few cells: --min-cells-per-gene)" in done.stderr and "not in its table" not in done.stderr
    with pytest.warns(congraph.CongraphWarning) as caught:
        congraph.tl.consensus_graph(adata, groupby="kind", density=0.3)
    assert any("min_cells_per_gene" in str(one.message) for one in caught) and all("--" not in str(one.message) for one in caught)
    assert any("1 of 12 genes is seen in fewer than 3 cells of every group (min_cells_per_gene) and was left out: g0" in str(one.message) for one in caught)
    assert any("`g1` (seen in too few cells: min_cells_per_gene)" in str(one.message) for one in caught)
    adata.write_h5ad(tmp_path / "graphs.h5ad")
    graphs = congraph.tl.graphs(pytest.importorskip("anndata").read_h5ad(tmp_path / "graphs.h5ad"))
    # Which group lacks which gene is kept in the object, and a weight that could not be is no 0.
    for view, row in zip(graphs.view_names_, graphs.present_, strict=True):
        assert [node for node, has in zip(graphs.node_names_, row, strict=True) if not has] == lacks[view]
    frame = graphs.to_frame()
    assert frame.loc[(frame["source"] == "g1") | (frame["target"] == "g1"), "B"].isna().all()
    order = [graphs.view_names_.index(name) for name in found.view_names_]
    place = [graphs.node_names_.index(node) for node in found.node_names_]
    np.testing.assert_allclose(graphs.graphs_[np.ix_(order, place, place)], found.graphs_, atol=1e-12)
    other = run(command, "learn", "cells.h5ad", *words, "--min-cells", "5", "--min-cells-per-gene", "1", "-o", "all", folder=tmp_path)
    assert "few (5)" not in other.stderr and len(congraph.load(tmp_path / "all").view_names_) == 3
    wrong = run(command, "check", "cells.csv", "--min-cells", "5", folder=tmp_path, fails=True)
    assert "--min-cells" in wrong.stderr


def test_raw_is_taken_where_x_was_scaled():
    adata = cells()
    plain = congraph.tl.consensus_graph(adata, groupby="kind", density=0.3, copy=True)
    adata.raw = adata.copy()
    adata.X = (adata.X - adata.X.mean(axis=0)) / np.where(adata.X.std(axis=0) > 0, adata.X.std(axis=0), 1)
    scaled = congraph.tl.consensus_graph(adata, groupby="kind", density=0.3, copy=True)
    np.testing.assert_array_equal(scaled.varp["consensus_graph"].toarray(), plain.varp["consensus_graph"].toarray())


def test_defaults_on_an_excerpt_of_blood_cells():
    """`tl` and `pl` work out of the box, as they do on the whole file below."""
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib.pyplot").switch_backend("Agg")
    table = pandas.read_csv(ROOT / "examples/data/pbmc68k/expression.csv.gz")
    adata = anndata.AnnData(table.drop(columns="cell_type"), obs=table[["cell_type"]].set_axis(table.index.astype(str)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        congraph.tl.consensus_graph(adata, groupby="cell_type")
    found = adata.uns["consensus_graph"]
    assert len(found["groups"]) == 7 and len(found["genes"]) == 100 and found["relative_gap"] < 1e-8
    assert "40 of 100 genes" in congraph.pl.consensus_graph(adata, "Dendritic").get_title()
    assert len(congraph.pl.heatmaps(adata).axes) >= 8 and len(congraph.pl.uniqueness(adata).patches) == 7
    with pytest.raises(ValueError, match="no column of adata.obs; it has cell_type"):
        congraph.tl.consensus_graph(adata, groupby="leiden")


def test_defaults_on_blood_cells():
    """`tl` works out of the box on scanpy's well-known example, whose X was scaled."""
    folder = os.environ.get("CONGRAPH_DATA")
    path = pathlib.Path(folder or "") / "pbmc68k_gene_expression" / "10x_pbmc68k_reduced.h5ad"
    if not path.is_file():
        pytest.skip("set CONGRAPH_DATA to a folder with pbmc68k_gene_expression")
    anndata = pytest.importorskip("anndata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adata = anndata.read_h5ad(path)
        congraph.tl.consensus_graph(adata, groupby="bulk_labels")
    found = adata.uns["consensus_graph"]
    assert len(found["groups"]) == 7 and len(found["genes"]) == 753 and found["relative_gap"] < 1e-8
