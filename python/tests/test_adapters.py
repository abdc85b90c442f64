"""MNE's epochs, AnnData, and lists of time series."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import congraph

ROOT = pathlib.Path(__file__).parents[2]


def made_epochs(mne, seed, names=("Fz", "Cz", "Pz", "Oz", "C3", "C4"), bads=()):
    rng = np.random.default_rng(seed)
    info = mne.create_info(list(names), 100.0, "eeg")
    values = rng.normal(size=(7, len(names), 50)) * 1e-5
    epochs = mne.EpochsArray(values, info, tmin=-0.1, verbose="error")
    epochs.set_montage("standard_1020", verbose="error")
    epochs.info["bads"] = list(bads)
    return epochs


def test_epochs_are_views_with_names_positions_and_blocks():
    mne = pytest.importorskip("mne")
    epochs = {"one": made_epochs(mne, 1), "two": made_epochs(mne, 2)}
    views = congraph.from_epochs(epochs, tmin=0.0, tmax=0.2)
    assert views["one"].shape == (7 * 20, 6) and views["one"].flags.c_contiguous
    assert views.nodes["one"] == epochs["one"].ch_names
    assert views.blocks["one"][:21] == ["0"] * 20 + ["1"]
    # Samples of an epoch are next to each other; the window begins at 0 s, ten samples in, and is half-open.
    expected = epochs["one"].get_data(copy=True)[:, :, 10:30] * 1e6
    np.testing.assert_array_equal(views["one"][:20, 2], expected[0, 2])
    np.testing.assert_array_equal(views["one"][20:40, 5], expected[1, 5])
    assert set(views.positions) == set(epochs["one"].ch_names) and len(views.positions["Cz"]) == 3
    model = congraph.ConsensusGraph().fit(views)
    assert model.positions_ == views.positions and model.node_names_ == epochs["one"].ch_names
    assert congraph.ConsensusGraph().tune(views, density=(0.3, 0.6), similarity=(0.8, 0.9), halvings=1).converged_
    with pytest.raises(ValueError, match="no sample"):
        congraph.from_epochs(epochs, tmin=5.0)


def test_bridges_are_said_of_electrodes_and_all_views_without_epochs_are_named():
    mne = pytest.importorskip("mne")
    epochs = {"one": made_epochs(mne, 1), "two": made_epochs(mne, 2)}
    for some in epochs.values():
        some._data[:, 1] = some._data[:, 0]
    views = congraph.from_epochs(epochs)
    for given, electrodes in ((views, True), (views[0:2], True), (dict(views), False)):
        with pytest.warns(congraph.CongraphWarning):
            model = congraph.ConsensusGraph(alpha=0.1, beta=0.1).fit(given)
        told = [str(warning) for warning in model.warnings_ if warning.code == "W04"]
        assert told and all(("bridged electrodes" in one) is electrodes for one in told)
    none = {name: some[:0] for name, some in epochs.items()}
    with pytest.raises(congraph.CongraphDataError, match="no epoch") as caught:
        congraph.from_epochs({**none, "three": made_epochs(mne, 3)})
    assert [error["view"] for error in caught.value.errors] == ["one", "two"]


def test_bad_channels_are_left_out_of_all_views():
    mne = pytest.importorskip("mne")
    epochs = [made_epochs(mne, 1, bads=["Pz"]), made_epochs(mne, 2, bads=["C3"])]
    views = congraph.from_epochs(epochs)
    assert list(views) == ["view1", "view2"]
    assert views.nodes["view1"] == views.nodes["view2"] == ["Fz", "Cz", "Oz", "C4"]
    assert congraph.from_epochs(epochs, bads="keep").nodes["view1"] == epochs[0].ch_names
    apart = congraph.from_epochs(epochs, bads="mask")
    assert apart.nodes["view1"] == ["Fz", "Cz", "Oz", "C3", "C4"] and apart.nodes["view2"] == ["Fz", "Cz", "Pz", "Oz", "C4"]
    model = congraph.ConsensusGraph(missing="mask").fit(apart)
    assert sorted(model.node_names_) == sorted(epochs[0].ch_names) and (~model.present_).sum() == 2
    with pytest.raises(ValueError, match="bads"):
        congraph.from_epochs(epochs, bads="burn")


def test_graphs_as_connectivity_of_mne():
    mne = pytest.importorskip("mne")
    pytest.importorskip("mne_connectivity")
    model = congraph.ConsensusGraph().fit(congraph.from_epochs({"one": made_epochs(mne, 1), "two": made_epochs(mne, 2)}))
    found = model.to_connectivity()
    assert list(found.names) == model.node_names_
    np.testing.assert_array_equal(found.get_data("dense"), model.consensus_)
    np.testing.assert_array_equal(model.to_connectivity("two").get_data("dense"), model.graphs_[1])


def gene_data(anndata, sparse):
    scipy = pytest.importorskip("scipy.sparse")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    values = np.log1p(rng.gamma(2.0, size=(150, 12))) * (rng.random((150, 12)) < 0.9)
    obs = pandas.DataFrame({"kind": pandas.Categorical(["B", "T", "NK"] * 49 + ["rare"] * 3)}, index=[f"c{k}" for k in range(150)])
    var = pandas.DataFrame({"highly_variable": np.arange(12) % 3 != 0}, index=[f"g{k}" for k in range(12)])
    return anndata.AnnData(scipy.csr_matrix(values) if sparse else values, obs=obs, var=var)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sparse", [False, True])
def test_graphs_of_genes_are_kept_in_the_object_and_survive_its_file(sparse, tmp_path):
    anndata = pytest.importorskip("anndata")
    adata = gene_data(anndata, sparse)
    returned = congraph.tl.consensus_graph(adata, "kind", genes="highly_variable", density=0.3, similarity=0.9, min_cells=10)
    assert returned is None
    dense = adata.X.toarray() if sparse else adata.X
    kept = np.flatnonzero(adata.var["highly_variable"])
    kinds = adata.obs["kind"].to_numpy()
    views = congraph.Views({kind: dense[kinds == kind][:, kept] for kind in ("B", "NK", "T")}, nodes=adata.var_names[kept])
    expected = congraph.ConsensusGraph(density=0.3, similarity=0.9).fit(views)
    adata.write_h5ad(tmp_path / "graphs.h5ad")
    for one in (adata, anndata.read_h5ad(tmp_path / "graphs.h5ad")):
        found = one.uns["consensus_graph"]
        assert list(found["groups"]) == ["B", "NK", "T"] and list(found["genes"]) == expected.node_names_
        np.testing.assert_array_equal(one.varp["consensus_graph"].toarray()[np.ix_(kept, kept)], expected.consensus_)
        for key, graph in zip(found["varp_keys"], expected.graphs_, strict=True):
            np.testing.assert_array_equal(one.varp[key].toarray()[np.ix_(kept, kept)], graph)
        assert one.varp["consensus_graph"].shape == (12, 12)
        assert one.varp["consensus_graph"].sum() == pytest.approx(expected.consensus_.sum())
        np.testing.assert_array_equal(found["uniqueness"], expected.uniqueness_)
        assert found["params"]["alpha"] == expected.alpha_


@pytest.mark.filterwarnings("ignore")
def test_groups_genes_layers_and_raw_can_be_chosen():
    anndata = pytest.importorskip("anndata")
    adata = gene_data(anndata, True)
    adata.layers["double"] = adata.X * 2
    copy = congraph.tl.consensus_graph(adata, "kind", groups=["T", "B"], genes=["g1", "g2", "g5"], layer="double", copy=True, alpha=0.1, beta=0.1)
    assert not adata.varp and list(copy.uns["consensus_graph"]["groups"]) == ["T", "B"]
    adata.raw = adata.copy()
    congraph.tl.consensus_graph(adata[:, :6].copy(), "kind", use_raw=True, key_added="g", alpha=0.1, beta=0.1)
    for wrong in ({"groupby": "colour"}, {"genes": "nice"}, {"genes": ["g1", "g99"]}, {"min_cells": 1000}):
        with pytest.raises(ValueError):
            congraph.tl.consensus_graph(adata, **{"groupby": "kind", **wrong})


def test_epochs_need_not_be_loaded_yet():
    mne = pytest.importorskip("mne")
    rng = np.random.default_rng(1)
    info = mne.create_info(["Fz", "Cz", "Pz"], 100.0, "eeg")
    raw = mne.io.RawArray(rng.normal(size=(3, 1000)) * 1e-5, info, verbose=False)
    events = np.stack([np.arange(50, 950, 100), np.zeros(9, int), np.ones(9, int)], axis=1)
    lazy = mne.Epochs(raw, events, tmin=0, tmax=0.3, baseline=None, preload=False, verbose=False)
    loaded = lazy.copy().load_data()
    found, expected = congraph.from_epochs(lazy), congraph.from_epochs(loaded)
    np.testing.assert_array_equal(found["view1"], expected["view1"])
    assert not lazy.preload
    with pytest.raises(TypeError, match="RawArray.*make_fixed_length_epochs"):
        congraph.from_epochs(raw)
    with pytest.raises(TypeError, match="ndarray"):
        congraph.from_epochs({"a": np.zeros((3, 3))})
    with pytest.raises(ValueError, match="no channel of type 'mag'; it has eeg"):
        congraph.from_epochs(loaded, picks="mag")
    with pytest.raises(congraph.CongraphDataError, match="no epoch"):
        congraph.from_epochs(loaded[:0])


def test_epochs_after_a_csd_transform():
    mne = pytest.importorskip("mne")
    names = ["Fz", "Cz", "Pz", "C3", "C4", "O1", "O2", "F3", "F4"]
    info = mne.create_info(names, 100.0, "eeg")
    epochs = mne.EpochsArray(np.random.default_rng(1).normal(size=(5, 9, 30)) * 1e-5, info, verbose=False)
    epochs.set_montage("biosemi64", on_missing="ignore", verbose=False)
    transformed = mne.preprocessing.compute_current_source_density(epochs)
    assert congraph.from_epochs(transformed).nodes["view1"] == names


def test_what_is_left_out_of_an_object_is_told():
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    labels = np.repeat(["a", "b", "few"], [30, 30, 5])
    adata = anndata.AnnData(rng.normal(size=(65, 6)), obs=pandas.DataFrame({"kind": labels}, index=[f"c{k}" for k in range(65)]))
    settings = {"alpha": 0.1, "beta": 0.02}
    with pytest.warns(congraph.CongraphWarning, match=r"few \(5\)"):
        congraph.tl.consensus_graph(adata, groupby="kind", **settings)
    assert set(adata.varp) == {"consensus_graph", "consensus_graph_0", "consensus_graph_1"}
    # Fewer groups leave nothing of the former behind.
    with pytest.raises(congraph.CongraphDataError, match="E09"):
        congraph.tl.consensus_graph(adata, groupby="kind", groups="a", **settings)
    congraph.tl.consensus_graph(adata, groupby="kind", groups=["a", "b", "few"], **settings)
    congraph.tl.consensus_graph(adata, groupby="kind", groups=["a", "b"], **settings)
    assert set(adata.varp) == {"consensus_graph", "consensus_graph_0", "consensus_graph_1"}
    for words, told in (({"groups": ["z"]}, "'z'"), ({"layer": "zz"}, "'zz'"), ({"use_raw": True}, "adata.raw")):
        with pytest.raises(ValueError, match=told):
            congraph.tl.consensus_graph(adata, groupby="kind", **words, **settings)
    adata.obs.loc["c3", "kind"] = None
    with pytest.raises(congraph.CongraphDataError, match="1 of 65 cells"):
        congraph.tl.consensus_graph(adata, groupby="kind", **settings)


def test_a_list_of_time_series_as_nilearn_makes_them(data):
    """Maskers give one array of scans × regions per subject."""
    series = [np.asarray(array, dtype=np.float32) for array in data.views.values()]
    model = congraph.ConsensusGraph(density=0.2, similarity=0.9).fit(series)
    assert model.view_names_ == ["view1", "view2", "view3", "view4"] and model.graphs_.shape == (4, 24, 24)


def real_data(name):
    folder = os.environ.get("CONGRAPH_DATA")
    if not folder or not (pathlib.Path(folder) / name).exists():
        pytest.skip(f"set CONGRAPH_DATA to a folder with {name}")
    return pathlib.Path(folder) / name


def prepared(mne, path, band, window):
    """What `congraph eeg` does, by MNE and SciPy."""
    from scipy.signal import butter, sosfiltfilt

    raw = mne.io.read_raw_edf(path, preload=True, verbose="error")
    mne.datasets.eegbci.standardize(raw)
    raw.set_montage("standard_1005", verbose="error")
    raw.set_eeg_reference("average", verbose="error")
    sos = butter(4, band, "bandpass", output="sos", fs=raw.info["sfreq"])
    raw.apply_function(lambda signal: sosfiltfilt(sos, signal), picks="eeg")
    events, ids = mne.events_from_annotations(raw, verbose="error")
    cues = {name: ids[name] for name in ("T1", "T2") if name in ids}
    return mne.Epochs(raw, events, cues, tmin=window[0], tmax=window[1], baseline=None, preload=True, verbose="error")


def graphs_of_the_command(command, recordings, out):
    words = ["eeg", *recordings, "--reference", "average", "--band", "4:7", "--events", "T1,T2", "--window", "0:0.5"]
    words += ["--alpha", 0.05, "--beta", 0.03, "-o", out, "--quiet"]
    done = subprocess.run([command, *map(str, words)], capture_output=True, text=True)
    if done.returncode == 2 and "unrecognized subcommand" in done.stderr:
        pytest.skip("this command line has no `eeg`")
    assert done.returncode == 0, done.stderr
    return np.load(out / "matrices.npz")


def compare_with_the_command(command, recordings, out):
    mne = pytest.importorskip("mne")
    written = graphs_of_the_command(command, recordings, out)
    subjects = {path.stem: prepared(mne, path, (4, 7), (0.0, 0.5)) for path in recordings}
    model = congraph.ConsensusGraph(alpha=0.05, beta=0.03).fit(congraph.from_epochs(subjects, tmin=0.0, tmax=0.5))
    order = [model.node_names_.index(name) for name in written["nodes"].tolist()]
    assert written["view_names"].tolist() == model.view_names_
    np.testing.assert_allclose(model.consensus_[np.ix_(order, order)], written["consensus"], atol=1e-6)
    np.testing.assert_allclose(model.graphs_[:, order][:, :, order], written["views"], atol=1e-6)


def test_epochs_give_what_the_command_line_gives(command, tmp_path):
    compare_with_the_command(command, sorted((ROOT / "examples/data/eeg").glob("*.edf")), tmp_path / "out")


def test_fifteen_recordings_give_what_the_command_line_gives(command, tmp_path):
    compare_with_the_command(command, sorted(real_data("eegmmidb_edf").glob("*.edf")), tmp_path / "out")


@pytest.mark.filterwarnings("ignore")
def test_cell_types_of_the_whole_file():
    anndata = pytest.importorskip("anndata")
    adata = anndata.read_h5ad(real_data("pbmc68k_gene_expression") / "10x_pbmc68k_reduced.h5ad")
    excerpt = pytest.importorskip("pandas").read_csv(ROOT / "examples/data/pbmc68k/expression.csv.gz", nrows=1)
    genes = [gene for gene in excerpt.columns if gene != "cell_type"]
    congraph.tl.consensus_graph(adata, "bulk_labels", genes=genes, use_raw=True, density=0.06, similarity=0.8)
    found = adata.uns["consensus_graph"]
    assert len(genes) == 100 and len(found["groups"]) == 7
    assert found["relative_gap"] < 1e-8 and abs(found["density"] - 0.06) < 0.005
    assert json.dumps(found["params"])


def test_edges_that_follow_distance_are_told():
    data = congraph.simulate(n_nodes=40, n_views=3, n_signals=300, graph="rgg", mean_degree=4, seed=1)
    assert data.views.positions is not None
    with pytest.warns(congraph.CongraphWarning, match="W09"):
        model = congraph.ConsensusGraph(density=0.1, similarity=0.9).fit(data.views)
    assert "W09" in {warning.code for warning in model.warnings_}
    bare = congraph.ConsensusGraph(density=0.1, similarity=0.9).fit(dict(data.views))
    assert "W09" not in {warning.code for warning in bare.warnings_}


class TestGroupsAndGenes:
    """The groups of cells are in one order in both faces, and genes are chosen by truth values or names."""

    def cells(self, column, **categories):
        anndata = pytest.importorskip("anndata")
        pandas = pytest.importorskip("pandas")
        rng = np.random.default_rng(4)
        values = rng.normal(size=(90, 8)) @ (np.eye(8) + 0.5 * np.eye(8, k=1)) + 9.0
        labels = pandas.Categorical(column, **categories) if categories else column
        obs = pandas.DataFrame({"age": labels}, index=[f"c{k}" for k in range(90)])
        return anndata.AnnData(values, obs=obs, var=pandas.DataFrame(index=[f"g{k}" for k in range(8)]))

    @pytest.mark.parametrize("kind", ["categories", "text", "numbers"])
    def test_groups_are_in_the_order_of_the_command_line(self, kind, command, tmp_path):
        shuffled = np.random.default_rng(1).permutation(np.repeat(["E10", "E2", "E1"], 30))
        order = ["E1", "E2", "E10"]
        made = {
            "categories": lambda: self.cells(shuffled, categories=order, ordered=True),
            "text": lambda: self.cells(shuffled),
            "numbers": lambda: self.cells([int(label[1:]) for label in shuffled]),
        }
        adata = made[kind]()
        settings = {"alpha": 0.1, "beta": 0.05, "coupling": "chain"}
        views = congraph.Views.from_anndata(adata, "age")
        model = congraph.ConsensusGraph(**settings).fit(views)
        assert kind == "numbers" or list(views) == order
        congraph.tl.consensus_graph(adata, "age", **settings)
        assert list(adata.uns["consensus_graph"]["groups"]) == model.view_names_
        made[kind]().write_h5ad(tmp_path / "cells.h5ad")
        words = ["learn", "cells.h5ad", "--groupby", "age", "--alpha", "0.1", "--beta", "0.05", "--coupling", "chain", "-o", "out", "--quiet"]
        subprocess.run([command, *words], check=True, capture_output=True, cwd=tmp_path)
        written = congraph.load(tmp_path / "out")
        assert written.view_names_ == model.view_names_
        np.testing.assert_allclose(model.graphs_, written.graphs_, atol=1e-10)

    def test_groups_of_one_name_are_told(self):
        adata = self.cells(["1", 1, "2"] * 30)
        with pytest.raises(congraph.CongraphDataError, match="two groups of 'age' are called `1`") as caught:
            congraph.Views.from_anndata(adata, "age")
        assert caught.value.code == "E06"

    def test_a_column_of_genes_holds_truth_values(self):
        pandas = pytest.importorskip("pandas")
        adata = self.cells(["a", "b", "c"] * 30)
        flags = np.arange(8) % 2 == 0
        adata.var["flags"] = flags
        adata.var["numbers"] = flags.astype(int)
        adata.var["nullable"] = pandas.array([*flags[:6], None, None], dtype="boolean")
        adata.var["text"] = np.where(flags, "True", "False")
        adata.var["rank"] = np.arange(8)
        adata.var["gaps"] = np.where(flags, 1.0, np.nan)
        adata.var["none"] = False
        for column, genes in (("flags", "g0 g2 g4 g6"), ("numbers", "g0 g2 g4 g6"), ("nullable", "g0 g2 g4")):
            assert congraph.Views.from_anndata(adata, "age", genes=column).nodes["a"] == genes.split()
        told = "does not hold truth values"
        for column, said in (("text", told), ("rank", told + ".*one is 2"), ("gaps", told), ("none", "no gene for which")):
            with pytest.raises(congraph.CongraphDataError, match=said) as caught:
                congraph.tl.consensus_graph(adata, "age", genes=column)
            assert caught.value.code == "E07"
        for mask in (adata.var["flags"], flags, flags.tolist(), adata.var["nullable"]):
            with pytest.raises(TypeError, match="genes is a mask of truth values"):
                congraph.tl.consensus_graph(adata, "age", genes=mask)
        with pytest.raises(TypeError, match="genes is 5"):
            congraph.tl.consensus_graph(adata, "age", genes=5)

    def test_genes_of_one_name_and_objects_without_values(self):
        anndata = pytest.importorskip("anndata")
        adata = self.cells(["a", "b", "c"] * 30)
        without = anndata.AnnData(obs=adata.obs, var=adata.var, layers={"counts": adata.X})
        with pytest.raises(ValueError, match=r"adata.X is not there.*'counts'"):
            congraph.Views.from_anndata(without, "age")
        assert len(congraph.Views.from_anndata(without, "age", layer="counts")) == 3
        adata.var_names = ["g0", "g0", *adata.var_names[2:]]
        for genes in (None, ["g0", "g3"]):
            with pytest.raises(congraph.CongraphDataError, match="var_names_make_unique") as caught:
                congraph.Views.from_anndata(adata, "age", genes=genes)
            assert caught.value.code == "E06"
