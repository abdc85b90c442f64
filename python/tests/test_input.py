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
    # The columns of a grouping are no nodes, whatever they are called.
    numbered = long.rename(columns={"subject": 7})
    np.testing.assert_array_equal(fit(Views.groupby(numbered.groupby(7))).graphs_, first.graphs_)
    days = long.drop(columns="subject").set_index(pandas.date_range("2024-01-01", periods=len(long), freq="h"))
    assert len(Views.groupby(days.resample("7D"))) == 2
    # polars has its groups in another order every time.
    by_polars = [list(Views.groupby(polars.from_pandas(long).group_by("subject"))) for _ in range(4)]
    assert by_polars == [list(data.views)] * 4
    backwards = polars.from_pandas(long).reverse().group_by("subject", maintain_order=True)
    assert list(Views.groupby(backwards)) == list(data.views)[::-1]


def sentences():
    anndata = pytest.importorskip("anndata")
    mne = pytest.importorskip("mne")
    polars = pytest.importorskip("polars")
    lazy = polars.LazyFrame({"who": ["a", "b"], "x": [1.0, 2.0]})
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
        "a dict of paths": ({"a": "sub-01.csv", "b": "sub-02.csv"}, {}, "view 'a' is a path ('sub-01.csv')"),
        "a list of paths": ([pathlib.Path("sub-01.csv"), pathlib.Path("sub-02.csv")], {}, "X[0] is a path ('sub-01.csv')"),
        "half a block": ({"a": np.ones((10, 3))}, {"blocks": 2.5}, "blocks is 2.5; it must be a whole number of blocks"),
        "blocks or not": ({"a": np.ones((10, 3))}, {"blocks": True}, "blocks is True"),
        "a block of a month": ({"a": np.ones((10, 3)), "b": np.ones((10, 3))}, {"blocks": "1M"}, "Durations are in ms, s, min, h, D or W"),
        "a Path": (pathlib.Path("x.npy"), {}, "congraph learn"),
        "a lazy frame": (lazy, {}, "use `.collect()`"),
        "a long lazy frame": (lazy, {"views": "who"}, "X is a LazyFrame"),
        "a dict of lazy frames": ({"a": lazy}, {}, "view 'a' is a LazyFrame"),
        "a path with subjects": ("x.csv", {"views": "who", "subjects": "whom"}, "read the file first"),
        "a groupby object": (frame.groupby("who"), {}, "congraph.Views.groupby"),
        "MultiIndex columns": ({"a": wide}, {}, "2 levels (view, node; the first column is ('a', 'x'))"),
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
    for wrong, told in ((1, "from 2 to 80"), (81, "from 2 to 80"), ("5s", "has no times"), ("0s", "must last longer")):
        with pytest.raises(ValueError, match=told):
            model.stability(data.views, blocks=wrong, pairs=2)
    unknown = {name: frame.set_axis(days.where(days != days[7])) for name, frame in frames.items()}
    with pytest.raises(ValueError, match="row 7 of view 'view1' has no time"):
        model.stability(unknown, blocks="10D", pairs=2)


def test_a_column_of_blocks_of_one_table(data):
    alone = congraph.SingleGraph(density=0.2).fit(data.views["view1"])
    frame = pandas.DataFrame(np.asarray(data.views["view1"]))
    trials = np.arange(80) // 8
    by_column = alone.stability(frame.assign(trial=trials), blocks="trial", pairs=2)
    by_label = alone.stability(frame, blocks=trials, pairs=2)
    assert by_column.units == "blocks"
    np.testing.assert_array_equal(by_column.views["frequency"], by_label.views["frequency"])


def test_places_are_checked(data, model):
    nodes = data.truth.node_names_
    square = pandas.DataFrame(np.arange(48.0).reshape(24, 2), index=nodes, columns=["x", "y"])
    views = Views(dict(data.views), nodes=nodes, positions=square)
    assert views.positions[nodes[1]] == [2.0, 3.0]
    wrong = (
        (list(zip(range(24), range(24), strict=True)), TypeError, "dict from the names of nodes"),
        (square.to_numpy(), TypeError, "ndarray"),
        ({nodes[0]: "here"}, ValueError, "two or three finite numbers"),
        ({nodes[0]: (1.0,)}, ValueError, "two or three finite numbers"),
        ({nodes[0]: (1.0, float("nan"))}, ValueError, "two or three finite numbers"),
    )
    for given, error, told in wrong:
        for call in (
            lambda given=given: Views(dict(data.views), positions=given),
            lambda given=given: setattr(views, "positions", given),
            lambda given=given: model.report("never.html", positions=given),
            lambda given=given: congraph.plots.graph(model, positions=given),
        ):
            with pytest.raises(error, match=told):
                call()
    with pytest.raises(ValueError, match="23 of 24 nodes have no place"):
        congraph.plots.graph(model, positions={nodes[0]: (0.0, 1.0)})
    for call in (lambda: congraph.plots.heatmaps(model, order=[0, 1]), lambda: congraph.plots.graph(model, colors=[1, 2])):
        with pytest.raises(ValueError, match="each node"):
            call()


def test_views_are_a_dict(data):
    with pytest.raises(TypeError, match="dict from names to arrays"):
        Views(list(data.views.values()))


def test_former_names_still_work_and_say_so(data, long):
    with pytest.warns(FutureWarning, match="`groups` is called `views`"):
        old = fit(long, groups="subject")
    np.testing.assert_array_equal(old.graphs_, fit(long, views="subject").graphs_)
    covariances = {name: np.cov(array.T) for name, array in data.views.items()}
    with pytest.warns(FutureWarning, match="`data` is called `kind`") as told:
        of_data = ConsensusGraph(alpha=0.1, beta=0.05, data="covariance").fit(covariances)
    assert len([one for one in told if one.category is FutureWarning]) == 1
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
        assert '`missing="mask"` leaves such nodes out of this view' in str(caught.value) and "add `missing" not in str(caught.value)
        masked = ConsensusGraph(alpha=0.1, beta=0.05, nan="pairwise", missing="mask").fit(views)
        assert masked.present_[0].sum() == 23

    def test_there_are_no_samples_to_halve(self, data):
        """Who gave signals is not told of precomputed matrices, nor to give the signals."""
        views = self.gappy(data, 0.02)
        model = ConsensusGraph(alpha=0.1, beta=0.05, nan="pairwise").fit(views)
        calls = [
            lambda: ConsensusGraph(nan="pairwise").tune(views),
            lambda: ConsensusGraph(nan="pairwise").compare_methods(views),
            lambda: ConsensusGraph(alpha=0.1, beta=0.05, nan="pairwise", spectrum="auto").fit(views),
            lambda: model.stability(views, pairs=2),
            lambda: model.refits(views, resamples=2),
        ]
        for call in calls:
            with pytest.raises(congraph.CongraphDataError) as caught:
                call()
            told = str(caught.value)
            assert caught.value.code == "E05" and "--" not in told and "precomputed" not in told and "give the signals" not in told
            assert 'covariances of signals with gaps (`nan="pairwise"`) have no samples to halve' in told
            assert 'leave out the samples with gaps (`nan="drop-rows"`) or the nodes with gaps (`missing="mask"` in place of' in told


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
            sklearn.permutation_test_score(ConsensusGraph(density=0.1), noise, [0, 1] * 3, cv=2, n_permutations=2)
        assert not [one for one in caught if issubclass(one.category, congraph.CongraphWarning)]

    def test_views_that_are_told_otherwise_are_named(self):
        """What views do not have in common is one warning all the same."""
        from congraph._errors import CongraphWarning, tell

        for others, said in (("b", "view `b`"), ("bcdefg", "views `b`, `c`, `d`, `e` and 2 more")):
            with pytest.warns(CongraphWarning) as caught:
                tell([CongraphWarning("one thing", "W20", "a"), *(CongraphWarning("another", "W20", view) for view in others)])
            assert [str(one.message) for one in caught] == [f"W20: view `a`: one thing (and the like of {said}: see `warnings_`)"]

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


WRONG = [
    (lambda m, v: ConsensusGraph(method="jgl-fused").fit(v), "`JointGraphicalLasso`"),
    (lambda m, v: ConsensusGraph(method="likelihood", filter=3).fit(v), 'filter is 3; it must be "auto", 1 or 2'),
    (lambda m, v: ConsensusGraph(signed="yes").fit(v), 'signed is \'yes\'; it must be True, False or "auto"'),
    (lambda m, v: ConsensusGraph(spectrum="best").fit(v), "spectrum is 'best'; it must be \"auto\" or a number"),
    (lambda m, v: ConsensusGraph(candidates=5).fit(v), "candidates must hold pairs of nodes"),
    (lambda m, v: ConsensusGraph(candidates=[(0, 1, 2)]).fit(v), "candidates must hold pairs of nodes"),
    (lambda m, v: ConsensusGraph(candidates=[("n01", "?")]).fit(v), "candidates name '?', which is not a node"),
    (lambda m, v: ConsensusGraph(edge_costs=[1, 2]).fit(v), "edge_costs is a list"),
    (lambda m, v: ConsensusGraph(drop_nodes=99).fit(v), "drop_nodes names `99`"),
    (lambda m, v: ConsensusGraph().tune(v, density="0.1:0.2"), "density is '0.1:0.2'; it must be a number, or a pair"),
    (lambda m, v: ConsensusGraph().tune(v, similarity=(0.7, 0.8, 0.9)), "similarity is (0.7, 0.8, 0.9)"),
    (lambda m, v: congraph.ConsensusGraphCV(criterion="bic").fit(v), 'criterion is \'bic\'; it must be "likelihood" or "stability"'),
    (lambda m, v: m.stability(v, blocks={"view1": [0] * 80}), "blocks has nothing of view 'view2'"),
    (lambda m, v: m.compare(None), "labels is None; give one for each view"),
    (lambda m, v: m.refits(v, resamples=0), "resamples is 0"),
    (lambda m, v: m.to_frame("view1"), "long is 'view1'; it must be False or True"),
    (lambda m, v: Views(dict(v), nodes=24), "nodes is 24; it must be a list of names, one for each node"),
    (lambda m, v: Views(dict(v), nodes=np.ones((2, 2))), "nodes is an array of 2 dimensions"),
    (lambda m, v: m.to_networkx(7), "there are 4 views, numbered from 0"),
    (lambda m, v: v["nobody"], "there is no view 'nobody'; there are view1"),
    (lambda m, v: fit(np.ones((10, 3)), views=3), "views is 3, which is no column of X"),
    (lambda m, v: congraph.evaluate(m, None), "truth is None"),
    (lambda m, v: congraph.f1(np.zeros((3, 3)), np.zeros((4, 4))), "different numbers of nodes: 3 and 4"),
    (lambda m, v: congraph.Graphs(["a", "b"], ["v"], [[0], [5]], [[1.0]]), "they are from 0 to 1"),
    (lambda m, v: congraph.Graphs.from_matrices([[0, 1], [1]]), "in rows of one length"),
    (lambda m, v: congraph.tl.consensus_graph(None, "kind"), "adata is None; it must be an AnnData object"),
    (lambda m, v: congraph.pl.uniqueness(np.ones(3)), "adata is a ndarray"),
    (lambda m, v: m.to_networkx(True), "view is True; it must be the name of a view, or its number"),
    (lambda m, v: m.to_networkx(1.5), "view is 1.5; it must be the name of a view, or its number"),
    (lambda m, v: congraph.plots.graph(m, colors=["a"] * 24), "colors must be numbers, one for each node, and has 'a'"),
    (lambda m, v: ConsensusGraph(allow_counts="no").fit(v), "allow_counts is 'no'; it must be True or False"),
    (lambda m, v: ConsensusGraph(check_outside="no").fit(v), "check_outside is 'no'; it must be True or False"),
    (lambda m, v: ConsensusGraph(density=True).fit(v), "density is True; it must be a number"),
    (lambda m, v: ConsensusGraph(similarity=np.True_).fit(v), "similarity is "),
    (lambda m, v: congraph.SingleGraph(alpha=True).fit(v), "alpha is True; it must be a number"),
    (lambda m, v: congraph.JointGraphicalLasso(True).fit(v), "lambda1 is True; it must be a number"),
    (lambda m, v: ConsensusGraph().tune(v, density=True), "density is True; it must be a number, or a pair"),
    (lambda m, v: ConsensusGraph(edge_costs={(0, 0): 1}).fit(v), "edge_costs hold the pair (0, 0), of one node with itself"),
    (lambda m, v: ConsensusGraph(edge_costs={(0, 99): 1}).fit(v), "edge_costs hold the pair (0, 99), which is no pair of two of the 24 nodes"),
    (lambda m, v: ConsensusGraph(edge_costs={(0, 1): 1, (1, 0): 2}).fit(v), "edge_costs hold the pair (1, 0) twice"),
    (lambda m, v: ConsensusGraph(candidates=[(0, 99)]).fit(list(v.values())), "candidates hold the pair (0, 99), which is no pair"),
    (lambda m, v: ConsensusGraph(candidates=[("n01", "n01")]).fit(v), "candidates hold the pair (0, 0), of one node with itself"),
    (lambda m, v: congraph.Graphs.from_matrices([[0, np.nan], [np.nan, 0]]), "weights must be finite, and view 0 has nan at (0, 1)"),
    (lambda m, v: congraph.Graphs.from_matrices([[0, 1], [1, 0]], [[0, np.inf], [np.inf, 0]]), "the consensus has inf at (0, 1)"),
    (lambda m, v: congraph.Graphs.from_matrices([[0, 1], [1, 0]], nodes=["a", "a"]), "two nodes are called `a`"),
    (lambda m, v: congraph.Graphs.from_matrices(np.zeros((2, 3, 3)), views=["a", "a"]), "two views are called `a`"),
    (lambda m, v: congraph.Graphs.from_matrices([[0, 1], [1, 0]], nodes=["a"]), "nodes has 1 names for 2 nodes"),
]


def test_hints_are_about_what_was_given_here():
    """In Python there are no files with a header."""
    one, other = (pandas.DataFrame(np.random.default_rng(k).normal(size=(20, 3)), columns=list(names)) for k, names in enumerate(("abc", "xyz")))
    for views in ({"a": one, "b": other.to_numpy()}, {"a": one.to_numpy(), "b": other.to_numpy()[:, :2]}, {"a": one, "b": other}):
        with pytest.raises(congraph.CongraphDataError) as caught:
            fit(views)
        told = str(caught.value)
        assert caught.value.code == "E02" and "header" not in told and ".npz" not in told and "files" not in told


def test_how_a_projection_was_learned_is_in_its_report(data, tmp_path):
    (new,) = ConsensusGraph(density=0.2).fit(data.views[:3]).project(data.views[3])
    page = new.graph.report(tmp_path / "new.html").read_text(encoding="utf-8")
    assert "How the graphs were learned is not known here" not in page and "relative gap" in page
    truth = data.truth.report(tmp_path / "truth.html").read_text(encoding="utf-8")
    assert "How the graphs were learned is not known here" in truth


def test_no_channel_is_left():
    mne = pytest.importorskip("mne")
    info = mne.create_info(["Fz", "Cz", "Pz"], 100.0, "eeg")
    made = [mne.EpochsArray(np.random.default_rng(k).normal(size=(3, 3, 20)), info.copy(), verbose=False) for k in range(2)]
    made[0].info["bads"] = ["Fz", "Cz", "Pz"]
    for bads in ("drop", "mask"):
        with pytest.raises(congraph.CongraphDataError, match=r"(?s)all 3 channels of view `view1` are bad.*keep them") as caught:
            congraph.from_epochs(made, bads=bads)
        assert caught.value.code == "E05"
    assert congraph.from_epochs(made, bads="keep")["view1"].shape == (60, 3)


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_wrong_is_told_in_a_sentence(number, model, data):
    call, told = WRONG[number]
    with pytest.raises((TypeError, ValueError, LookupError)) as caught:
        call(model, data.views)
    assert told in str(caught.value.args[0])


def test_what_is_found_is_told_in_a_line(model, data):
    """At a prompt, and in a notebook: not all its arrays."""
    assert repr(congraph.evaluate(data.truth, data.truth)) == "Evaluation(4 views: mean F1 1.000; consensus: F1 1.000)"
    assert repr(congraph.evaluate(congraph.Graphs.from_matrices(data.truth.graphs_), data.truth.graphs_)) == "Evaluation(4 views: mean F1 1.000)"
    two = congraph.Graphs.from_matrices([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    assert repr(two.communities(runs=5)) == "Communities(4 nodes, 1 view: 2 in the group)"
    assert repr(model.communities(runs=2)).startswith("Communities(24 nodes, 4 views: ") and " in the consensus, " in repr(model.communities(runs=2))
    found = fit({f"s{k}": array for k, array in enumerate([*data.views.values()] * 2)}).compare(["a", "b"] * 4, permutations=20)
    assert repr(found).startswith("Comparison(a against b: 0 of ") and repr(found).endswith(" edges with p_fwe ≤ 0.05; rank, 20 relabellings)")


def test_no_epochs_are_no_views():
    pytest.importorskip("mne")
    with pytest.raises(ValueError, match="there are no Epochs"):
        congraph.from_epochs({})


def test_a_column_may_have_a_number_for_a_name(data, long):
    numbered = long.rename(columns={"subject": 99})
    np.testing.assert_array_equal(fit(numbered, views=99).graphs_, fit(long, views="subject").graphs_)
