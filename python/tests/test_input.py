"""Whatever users have as data: adapters, blocks, gaps; and a sentence that helps where it is none."""

import datetime
import pathlib
import warnings

import numpy as np
import pandas
import pytest

import congraph
from congraph import ConsensusGraph, Views


def fit(X, **options):
    return ConsensusGraph(alpha=0.1, beta=0.05).fit(X, **options)


@pytest.fixture(scope="module")
def long(data):
    parts = [pandas.DataFrame(array, columns=data.truth.node_names_).assign(subject=name) for name, array in data.views.items()]
    return pandas.concat(parts, ignore_index=True)


def test_long_tables_and_groupby_are_the_same_views(data, long):
    first = fit(data.views)
    for views in (
        Views.from_long(long, views="subject"),
        Views.groupby(long.groupby("subject")),
        Views.groupby(long, by="subject"),
    ):
        np.testing.assert_array_equal(fit(views).graphs_, first.graphs_)
    polars = pytest.importorskip("polars")
    np.testing.assert_array_equal(fit(Views.groupby(polars.from_pandas(long), by="subject")).graphs_, first.graphs_)
    two = long.assign(task=np.where(np.arange(len(long)) % 2, "rest", "move"))
    assert list(Views.groupby(two.groupby(["subject", "task"])))[:2] == ["view1/move", "view1/rest"]
    assert list(Views.groupby(two, by=["subject", "task"]))[:2] == ["view1/move", "view1/rest"]


def sentences():
    anndata = pytest.importorskip("anndata")
    mne = pytest.importorskip("mne")
    info = mne.create_info(["a", "b", "c"], 100.0, "eeg")
    epochs = mne.EpochsArray(np.random.default_rng(0).normal(size=(3, 3, 20)), info, verbose=False)
    adata = anndata.AnnData(np.ones((10, 3)))
    frame = pandas.DataFrame({"who": ["a", "b"] * 5, "x": range(10), "y": range(10)})
    wide = pandas.DataFrame(np.ones((10, 4)), columns=pandas.MultiIndex.from_product([["a", "b"], ["x", "y"]], names=["view", "node"]))
    return {
        "[]": ([], {}, "X is empty"),
        "{}": ({}, {}, "X is empty"),
        "None": (None, {}, "X is None"),
        "a list with None": ([np.ones((5, 3)), None], {}, "None at place 1"),
        "a dict with None": ({"a": None}, {}, "view 'a' is None"),
        "a path": ("data/sub-01.csv", {}, "read the file first"),
        "a Path": (pathlib.Path("x.npy"), {}, "congraph learn"),
        "a groupby object": (frame.groupby("who"), {}, "congraph.Views.groupby"),
        "MultiIndex columns": ({"a": wide}, {}, "2 levels"),
        "AnnData": (adata, {}, "congraph.tl.consensus_graph"),
        "AnnData in a dict": ({"a": adata}, {}, "Views.from_anndata"),
        "Epochs": (epochs, {}, "congraph.from_epochs"),
        "Epochs in a dict": ({"a": epochs}, {}, "congraph.from_epochs"),
        "Epochs in a list": ([epochs, epochs], {}, "congraph.from_epochs"),
        "labels of other rows": (np.ones((10, 3)), {"views": ["a"] * 9}, "9 labels for 10 rows"),
        "blocks of other rows": (np.ones((10, 3)), {"views": ["a"] * 10, "blocks": ["t"] * 3}, "3 labels for 10 rows"),
        "views of a dict": ({"a": np.ones((10, 3))}, {"views": ["a"] * 10}, "several tables"),
        "ragged": ([[1.0, 2.0], [1.0]], {}, "different lengths"),
        "other numbers of nodes": ([np.random.default_rng(0).normal(size=(20, 5)), np.random.default_rng(1).normal(size=(30, 4))], {}, "5"),
    }


@pytest.mark.parametrize("name", list(sentences()))
def test_what_is_no_data_gets_a_sentence_that_helps(name):
    X, options, told = sentences()[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        fit(X, **options)
    assert told in str(caught.value)
    # In Python's words.
    assert "--" not in str(caught.value)


def test_a_result_folder_names_load(model, tmp_path):
    model.save(tmp_path / "out")
    with pytest.raises(TypeError, match="congraph.load"):
        fit(tmp_path / "out")


def test_blocks_by_number_and_by_duration(data):
    model = ConsensusGraph(density=0.2).fit(data.views)
    by_number = model.stability(data.views, blocks=8, pairs=2)
    labels = {name: np.arange(80) * 8 // 80 for name in data.views}
    by_label = model.stability(data.views, blocks=labels, pairs=2)
    np.testing.assert_array_equal(by_number.edges["frequency"], by_label.edges["frequency"])
    assert by_number.units == "blocks"
    days = pandas.date_range("2024-01-01", periods=80, freq="D")
    frames = {name: pandas.DataFrame(array, index=days, columns=data.truth.node_names_) for name, array in data.views.items()}
    for duration in ("10D", datetime.timedelta(days=10), pandas.Timedelta("10D"), np.timedelta64(10, "D"), "240h"):
        found = model.stability(frames, blocks=duration, pairs=2)
        np.testing.assert_array_equal(found.edges["frequency"], by_number.edges["frequency"])
    seconds = {name: frame.set_axis(np.arange(80) * 0.5) for name, frame in frames.items()}
    np.testing.assert_array_equal(model.stability(seconds, blocks="5s", pairs=2).edges["frequency"], by_number.edges["frequency"])
    for wrong, told in ((1, "from 2 to 80"), (81, "from 2 to 80"), ("5s", "has no times")):
        with pytest.raises(ValueError, match=told):
            model.stability(data.views, blocks=wrong, pairs=2)


def test_former_names_still_work_and_say_so(data, long):
    with pytest.warns(FutureWarning, match="`groups` is called `views`"):
        old = fit(long, groups="subject")
    np.testing.assert_array_equal(old.graphs_, fit(long, views="subject").graphs_)
    covariances = {name: np.cov(array.T) for name, array in data.views.items()}
    with pytest.warns(FutureWarning, match="`data` is called `kind`"):
        of_data = ConsensusGraph(alpha=0.1, beta=0.05, data="covariance").fit(covariances)
    np.testing.assert_array_equal(of_data.graphs_, ConsensusGraph(alpha=0.1, beta=0.05, kind="covariance").fit(covariances).graphs_)
    with pytest.warns(FutureWarning, match="weights_"):
        np.testing.assert_array_equal(old.edges_, old.weights_)
    with pytest.warns(FutureWarning, match="consensus_weights_"):
        np.testing.assert_array_equal(old.consensus_edges_, old.consensus_weights_)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        fit(long, views="subject")


def test_nodes_without_names_are_numbered_from_0(data):
    arrays = [np.asarray(array) for array in data.views.values()]
    assert fit(arrays).node_names_[:2] == ["0", "1"]
    assert congraph.Graphs.from_matrices(np.zeros((3, 3))).node_names_ == ["0", "1", "2"]
    dropped = ConsensusGraph(alpha=0.1, beta=0.05, drop_nodes=[0, 5]).fit(arrays).node_names_
    assert "0" not in dropped and "5" not in dropped and len(dropped) == 22


def test_one_truth_for_all_views(model, data):
    truth = data.truth.consensus_
    scores = congraph.evaluate(model, truth)
    assert scores.view_names == model.view_names_ and scores.consensus is not None
    by_hand = [congraph.f1(graph, truth) for graph in model.graphs_]
    np.testing.assert_allclose(scores.views["f1"], by_hand)
    named = congraph.Graphs.from_matrices(truth, nodes=data.truth.node_names_, views=["the truth"])
    np.testing.assert_allclose(congraph.evaluate(model, named).views["f1"], by_hand)


class TestPairwise:
    """nan="pairwise": moments from the samples that both nodes of a pair have."""

    def gappy(self, data, share, seed=0):
        rng = np.random.default_rng(seed)
        return {name: np.where(rng.random(array.shape) < share, np.nan, array) for name, array in data.views.items()}

    def test_without_gaps_it_changes_nothing(self, data):
        one, other = (ConsensusGraph(alpha=0.1, beta=0.05, nan=rule).fit(data.views) for rule in ("error", "pairwise"))
        np.testing.assert_array_equal(one.graphs_, other.graphs_)

    def test_moments_are_those_of_pandas(self, data):
        """Where the correlations fit together, the fit is that of pandas' pairwise correlation matrix."""
        rng = np.random.default_rng(2)
        mixed = rng.normal(size=(24, 24)) * 0.2 + np.eye(24)
        whole = {name: rng.normal(size=(300, 24)) @ mixed for name in data.views}
        views = {name: np.where(rng.random(array.shape) < 0.02, np.nan, array) for name, array in whole.items()}
        found = ConsensusGraph(alpha=0.1, beta=0.05, nan="pairwise").fit(views)
        correlations = {name: pandas.DataFrame(array).corr().to_numpy() for name, array in views.items()}
        assert all(np.linalg.eigvalsh(matrix).min() > 0 for matrix in correlations.values())
        by_hand = ConsensusGraph(alpha=0.1, beta=0.05, kind="covariance").fit(correlations)
        np.testing.assert_allclose(found.graphs_, by_hand.graphs_, atol=1e-9)
        (told,) = [w for w in found.warnings_ if w.code == "W20"]
        assert "fit together as they are" in str(told)

    def test_the_nearest_matrix_and_how_far_it_is(self, data):
        views = {name: array[:30] for name, array in self.gappy(data, 0.3).items()}
        with pytest.warns(congraph.CongraphWarning, match="W20") as caught:
            found = ConsensusGraph(alpha=0.1, beta=0.05, nan="pairwise").fit(views)
        assert found.converged_ and sum("W20" in str(one.message) for one in caught) == 1
        (told,) = {str(w) for w in found.warnings_ if w.code == "W20"}
        assert "% of the values are missing" in told and "moved to the nearest" in told and "Frobenius" in told
        # Truer than leaving out every sample that has a gap, which leaves none.
        with pytest.raises(congraph.CongraphDataError):
            ConsensusGraph(alpha=0.1, beta=0.05, nan="drop-rows").fit(views)

    def test_pairs_that_are_never_together(self, data):
        views = {name: np.array(array) for name, array in data.views.items()}
        views["view1"][:40, 0] = np.nan
        views["view1"][40:, 1] = np.nan
        with pytest.raises(congraph.CongraphDataError, match="0 samples in common") as caught:
            ConsensusGraph(alpha=0.1, beta=0.05, nan="pairwise").fit(views)
        assert caught.value.code == "E01" and "--" not in str(caught.value)
        masked = ConsensusGraph(alpha=0.1, beta=0.05, nan="pairwise", missing="mask").fit(views)
        assert masked.present_[0].sum() == 23


class TestWarnings:
    def test_once_per_kind_and_fit(self):
        rng = np.random.default_rng(0)
        noise = {f"v{k}": rng.normal(size=(12 + k, 30)) for k in range(6)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ConsensusGraph(density=0.1).fit(noise)
        codes = [one.message.code for one in caught if isinstance(one.message, congraph.CongraphWarning)]
        assert codes and len(codes) == len(set(codes)), codes
        assert all("--" not in str(one.message) for one in caught)

    def test_silent_in_cross_validation(self):
        sklearn = pytest.importorskip("sklearn.model_selection")
        rng = np.random.default_rng(0)
        noise = [rng.normal(size=(12, 20)) for _ in range(6)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sklearn.cross_val_score(ConsensusGraph(density=0.1), noise, cv=3)
        assert not [one for one in caught if issubclass(one.category, congraph.CongraphWarning)]

    def test_the_words_of_w09_are_those_of_the_place(self):
        simulated = congraph.simulate(n_nodes=40, n_views=3, graph="rgg", mean_degree=6, filter="heat", seed=2)
        model = ConsensusGraph(density=0.1).fit(simulated.views)
        (told,) = [str(w) for w in model.warnings_ if w.code == "W09"]
        assert "volume conduction" not in told and "near each other" in told


def test_masked_views_have_a_score(data):
    views = {name: np.array(array) for name, array in data.views.items()}
    nodes = data.truth.node_names_
    views["view2"][:, 4] = np.nan
    told = Views(views, nodes=nodes)
    model = ConsensusGraph(density=0.2, missing="mask").fit(told)
    whole = model.score(told[0])
    lacking = Views({"view1": np.delete(np.asarray(views["view1"]), 4, axis=1)}, nodes=[n for k, n in enumerate(nodes) if k != 4])
    part = model.score(lacking)
    assert whole > 0.05 and abs(part - whole) < 0.1
    # By hand: the likelihood on the Laplacian of the graph among the nodes that it has.
    kept = [k for k in range(24) if k != 4]
    weights = model.consensus_[np.ix_(kept, kept)]
    laplacian = np.diag(weights.sum(axis=0)) - weights
    correlations = np.corrcoef(views["view1"][:, kept].T)
    values, variation = np.linalg.eigvalsh(laplacian), (correlations * laplacian).sum() / 23
    best = max(0.5 * (np.log(values.clip(0) + d).mean() - np.log(variation + d)) for d in np.exp(np.linspace(-16, 16, 4001)))
    assert part == pytest.approx(best, abs=1e-5)
