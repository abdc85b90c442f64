"""What goes wrong arrives as an exception with a code, a view and a node, and says what to do in Python's words."""

import pickle

import numpy as np
import pandas
import polars
import pytest

import congraph
from congraph import CongraphDataError, ConsensusGraph, SingleGraph


@pytest.fixture
def views():
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=(30, 5)) for name in ("a", "b", "c")}


def fault(call, *args, **kwargs):
    with pytest.raises(CongraphDataError) as error:
        call(*args, **kwargs)
    assert "--" not in str(error.value), "options are spelled as in Python"
    return error.value


def frames(views, columns="vwxyz"):
    return {name: pandas.DataFrame(array, columns=list(columns)) for name, array in views.items()}


def broken(views, **changes):
    return {**views, **changes}


def test_e01_not_a_number(views):
    views["b"][3, 2] = np.nan
    error = fault(ConsensusGraph().fit, frames(views))
    assert (error.code, error.view, error.node) == ("E01", "b", "x")
    assert 'nan="drop-rows"' in str(error) and "drop_nodes=['x']" in str(error)
    views["b"][3, 2] = np.inf
    assert fault(ConsensusGraph().fit, views).code == "E01"
    assert ConsensusGraph(nan="drop-rows").fit(views).converged_
    assert ConsensusGraph(drop_nodes=["x"]).fit(frames(views)).node_names_ == list("vwyz")


def test_e02_other_nodes(views):
    given = frames(views)
    given["c"] = given["c"].rename(columns={"z": "q"})
    error = fault(ConsensusGraph().fit, given)
    assert error.code == "E02" and 'nodes="common"' in str(error)
    assert ConsensusGraph(nodes="common").fit(given).node_names_ == list("vwxy")


def test_e03_names_that_look_alike(views):
    given = frames(views)
    given["c"] = given["c"].rename(columns={"z": "Z "})
    assert fault(ConsensusGraph().fit, given).code == "E03"


def test_e04_a_constant_node(views):
    views["a"][:, 4] = 7.0
    error = fault(ConsensusGraph().fit, frames(views))
    assert (error.code, error.view, error.node) == ("E04", "a", "z")
    assert 'scale="none"' in str(error)


def test_e05_too_few(views):
    error = fault(ConsensusGraph().fit, broken(views, b=views["b"][:1]))
    assert (error.code, error.view) == ("E05", "b")
    assert fault(ConsensusGraph().fit, {name: array[:, :1] for name, array in views.items()}).code == "E05"


def test_e06_names_that_occur_twice(views):
    error = fault(ConsensusGraph().fit, frames(views, "vwxyv"))
    assert error.code == "E06"
    assert fault(ConsensusGraph().fit, {1: views["a"], "1": views["b"]}).code == "E06"


def test_e07_text(views):
    given = frames(views)
    given["b"] = given["b"].assign(sex="f")
    error = fault(ConsensusGraph().fit, given)
    assert (error.code, error.view, error.node) == ("E07", "b", "sex")
    assert "views=" in str(error)
    error = fault(ConsensusGraph().fit, {name: polars.from_pandas(frame) for name, frame in given.items()})
    assert (error.code, error.node) == ("E07", "sex")
    assert fault(ConsensusGraph().fit, broken(views, b=views["b"].astype(str).astype(object) + "x")).code == "E07"
    assert fault(ConsensusGraph().fit, broken(views, b=np.full((30, 5), "one"))).code == "E07"
    dates = frames(views)
    dates["a"]["v"] = pandas.date_range("2020-01-01", periods=30)
    assert fault(ConsensusGraph().fit, dates).node == "v"


def test_e08_transposed(views):
    rng = np.random.default_rng(0)
    error = fault(ConsensusGraph().fit, {"a": rng.normal(size=(5, 30)), "b": rng.normal(size=(5, 40))})
    assert error.code == "E08" and 'orient="nodes-by-samples"' in str(error)
    turned = ConsensusGraph(alpha=0.1, beta=0.1, orient="nodes-by-samples").fit({name: array.T for name, array in views.items()})
    straight = ConsensusGraph(alpha=0.1, beta=0.1).fit(views)
    np.testing.assert_array_equal(turned.consensus_, straight.consensus_)


def test_a_view_that_lacks_a_node_is_named_and_not_called_transposed():
    rng = np.random.default_rng(0)
    given = {f"s{k}": rng.normal(size=(200, 29 if k == 3 else 30)) for k in range(6)}
    error = fault(ConsensusGraph().fit, given)
    assert (error.code, error.view) == ("E02", "s3")
    assert "`s3` has 29 nodes" in str(error) and "have 30 nodes" in str(error)
    assert "orient" not in str(error) and "transposed" not in str(error)


def test_an_array_of_trials_channels_times_is_warned_of():
    rng = np.random.default_rng(0)
    # Smooth in time, as recordings are; trials × channels × times, as `epochs.get_data()` gives them.
    sources = np.apply_along_axis(lambda row: np.convolve(row, np.ones(8), "valid"), 2, rng.normal(size=(6, 4, 87)))
    trials = np.einsum("cs,kst->kct", rng.normal(size=(12, 4)), sources) + 0.3 * rng.normal(size=(6, 12, 80))
    with pytest.warns(congraph.CongraphWarning) as noticed:
        ConsensusGraph().fit(trials)
    told = [str(one.message) for one in noticed if one.message.code == "W16"]
    assert len(told) == 1 and 'orient="nodes-by-samples"' in told[0] and "trials" in told[0]
    turned = ConsensusGraph(orient="nodes-by-samples").fit(trials)
    assert len(turned.node_names_) == 12 and "W16" not in {warning.code for warning in turned.warnings_}


def test_labels_with_an_index_are_matched_by_it(views):
    whole = pandas.concat(frames(views), names=["view", "row"]).reset_index("view").reset_index(drop=True)
    whole.index = [f"r{k}" for k in range(len(whole))]
    table, groups = whole.drop(columns="view"), whole["view"]
    expected = ConsensusGraph(alpha=0.1, beta=0.1).fit(table, views=groups)
    shuffled = groups.sample(frac=1, random_state=1)
    found = ConsensusGraph(alpha=0.1, beta=0.1).fit(table, views=shuffled)
    assert found.view_names_ == expected.view_names_
    np.testing.assert_array_equal(found.graphs_, expected.graphs_)
    np.testing.assert_array_equal(ConsensusGraph(alpha=0.1, beta=0.1).fit(table.iloc[:80], views=groups).densities_.shape, (3,))
    # By position where the table has no index.
    np.testing.assert_array_equal(ConsensusGraph(alpha=0.1, beta=0.1).fit(table.to_numpy(), views=groups).graphs_, expected.graphs_)
    for wrong, said in (
        (groups.reset_index(drop=True), "90 of 90 rows have no label"),
        (groups.iloc[:89], "1 of 90 rows have no label"),
        (pandas.concat([shuffled, groups.iloc[:1]]), "its index repeats"),
    ):
        error = fault(ConsensusGraph().fit, table, views=wrong)
        assert error.code == "E07" and said in str(error) and "to_numpy()" in str(error)
    error = fault(ConsensusGraph().fit, table, views=groups, blocks=groups.reset_index(drop=True))
    assert error.code == "E07" and "blocks" in str(error)


def test_e09_one_view(views):
    error = fault(ConsensusGraph().fit, views["a"])
    assert error.code == "E09" and "SingleGraph" in str(error)
    assert fault(SingleGraph().fit(views).score, views["a"]).code == "E09"


def test_e10_out_of_reach(views, data):
    error = fault(ConsensusGraph(alpha=0.05, similarity=0.001).fit, data.views)
    assert error.code == "E10" and "similarity" in str(error)
    assert fault(ConsensusGraph().tune, data.views, density=(0.3, 0.5), similarity=(0.001, 0.002), halvings=1).code == "E10"


def test_e11_no_coupling(views):
    assert fault(ConsensusGraph(alpha=0.1, beta=0.0).fit, views).code == "E11"
    assert fault(ConsensusGraph(alpha=0.1, beta=0.1, penalty="none").fit, views).code == "E11"


@pytest.mark.parametrize(("dial", "parameter"), [("density", "alpha"), ("similarity", "beta"), ("consensus_density", "gamma")])
def test_e12_a_dial_and_its_parameter(views, dial, parameter):
    error = fault(ConsensusGraph(**{dial: 0.5, parameter: 0.1}).fit, views)
    assert error.code == "E12" and f"`{dial}`" in str(error)


def test_e13_a_connectivity_matrix(views):
    error = fault(ConsensusGraph().fit, {name: np.corrcoef(array.T) for name, array in views.items()})
    assert error.code == "E13" and 'kind="covariance"' in str(error)
    assert fault(ConsensusGraph(kind="covariance").fit, views).code == "E13"


def test_e15_raw_counts(views):
    counts = {name: np.maximum(0, np.round(3 * array)) for name, array in views.items()}
    error = fault(ConsensusGraph().fit, counts)
    assert error.code == "E15" and "allow_counts=True" in str(error)
    assert ConsensusGraph(allow_counts=True).fit(counts).converged_


def test_several_errors_are_all_there_and_survive_pickling(views):
    views["a"][0, 0] = views["b"][1, 1] = np.nan
    error = fault(ConsensusGraph().fit, views)
    assert [entry["view"] for entry in error.errors] == ["a", "b"]
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.code, again.view, again.node) == (str(error), error.code, error.view, error.node)


@pytest.mark.parametrize(
    "converted",
    [
        np.asfortranarray,
        lambda array: np.repeat(array, 2, axis=0)[::2],
        lambda array: np.repeat(array, 2, axis=1)[:, ::2],
        lambda array: array[::-1][::-1],
        lambda array: array.astype(object),
        lambda array: array.tolist(),
        lambda array: np.ma.masked_array(array, mask=False),
        lambda array: array.astype(">f8"),
        lambda array: np.lib.stride_tricks.as_strided(array, array.shape, array.strides, writeable=False),
        lambda array: pandas.DataFrame(array),
        lambda array: pandas.DataFrame(array).astype("Float64"),
        lambda array: polars.DataFrame(array),
    ],
)
def test_other_layouts_are_the_same_numbers(views, converted):
    fit = ConsensusGraph(alpha=0.1, beta=0.1).fit
    expected = fit(views)
    np.testing.assert_array_equal(fit([converted(array) for array in views.values()]).consensus_, expected.consensus_)


@pytest.mark.parametrize("dtype", ["f2", "f4", "i2", "i8", "u1", "?", "g"])
def test_other_numbers_are_converted(views, dtype):
    given = {name: (np.abs(20 * array) + 1).astype(dtype) if dtype != "?" else array > 0 for name, array in views.items()}
    fit = ConsensusGraph(alpha=0.1, beta=0.1, allow_counts=True).fit
    expected = fit({name: array.astype("f8") for name, array in given.items()})
    np.testing.assert_array_equal(fit(given).consensus_, expected.consensus_)


def test_what_cannot_be_views_is_refused(views):
    fit = ConsensusGraph().fit
    for wrong in (np.float64(3.0), np.arange(5.0), np.zeros((2, 2, 2, 2)), 7):
        with pytest.raises(ValueError, match="2D array"):
            fit(wrong)
    with pytest.raises(ValueError, match="Complex"):
        fit({name: array * 1j for name, array in views.items()})
    with pytest.raises(ValueError, match="Complex"):
        fit(views["a"] * 1j)
    with pytest.raises(ValueError, match="X is empty"):
        fit({})
    assert fault(fit, {name: array[:0] for name, array in views.items()}).code == "E05"
    assert fault(fit, {name: array[:, :0] for name, array in views.items()}).code == "E05"
    with pytest.raises(TypeError):
        fit({"a": np.full((3, 3), {"no": "number"}), "b": views["b"]})
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="sparse"):
        fit({name: sparse.csr_array(array) for name, array in views.items()})
    with pytest.raises(ValueError, match="no column"):
        fit(pandas.DataFrame(views["a"]), views="subject")
    with pytest.raises(ValueError, match="29 labels"):
        fit(views["a"], views=["x"] * 29)
    with pytest.raises(ValueError, match="blocks"):
        fit(views, blocks={"a": ["x"] * 3})
    with pytest.raises(ValueError, match="blocks"):
        fit(list(views.values()), blocks=[[1] * 30])


@pytest.mark.parametrize(
    "params",
    [
        {"scale": "loud"},
        {"penalty": "l3"},
        {"regulariser": "l3"},
        {"solver": "magic"},
        {"density": 0.0},
        {"density": 1.5},
        {"similarity": np.nan},
        {"alpha": -1.0},
        {"alpha": 1e-320},
        {"beta": -1.0},
        {"gamma": np.inf},
        {"tol": 0.0},
        {"memory": -1.0},
        {"nodes": "some"},
        {"nan": "ignore"},
        {"missing": "guess"},
        {"kind": "pictures"},
        {"orient": "sideways"},
        {"n_jobs": 0},
        {"n_jobs": -2},
    ],
)
def test_parameters_out_of_range_are_refused(views, params):
    with pytest.raises(ValueError, match=next(iter(params))):
        ConsensusGraph(**params).fit(views)


def test_parameters_of_the_wrong_kind_are_refused(views):
    for params in ({"density": "much"}, {"penalty": 3}, {"n_jobs": 1.5}, {"max_iter": "many"}):
        with pytest.raises(TypeError):
            ConsensusGraph(**params).fit(views)


def test_nothing_is_kept_of_a_fit_that_failed(views):
    model = ConsensusGraph()
    fault(model.fit, views["a"])
    assert not hasattr(model, "weights_") and not hasattr(model, "consensus_") and not hasattr(model, "graphs_")
    with pytest.raises(ValueError, match="not fitted"):
        model.to_frame()


def test_graphs_are_checked_before_the_engine_takes_them():
    good = {"nodes": ["a", "b", "c"], "views": ["v"], "edge_index": [[0, 1], [1, 2]], "weights": [[1.0], [2.0]]}
    assert congraph.Graphs(**good).communities(runs=2).group.shape == (3,)
    for wrong in (
        {"edge_index": [[0, 1], [1, 3]]},
        {"edge_index": [[0, 1], [1, 1]]},
        {"edge_index": [[0, 1], [1, 0]]},
        {"edge_index": [[-1, 1], [1, 2]]},
        {"weights": [[1.0], [-np.inf]]},
        {"weights": [[1.0], [np.nan]]},
        {"consensus": [1.0]},
    ):
        with pytest.raises(ValueError):
            congraph.Graphs(**{**good, **wrong}).communities(runs=2)


def test_negative_association_is_warned_of(data):
    turned = {name: array * np.where(np.arange(array.shape[1]) % 2, -1.0, 1.0) for name, array in data.views.items()}
    with pytest.warns(congraph.CongraphWarning, match="W14.*JointGraphicalLasso"):
        ConsensusGraph(alpha=0.05, beta=0.02).fit(turned)
    assert "W14" not in {warning.code for warning in ConsensusGraph(alpha=0.05, beta=0.02).fit(data.views).warnings_}


@pytest.mark.parametrize("alpha", [10**20, -(10**20)])
def test_whole_numbers_of_any_size_are_numbers(alpha):
    """A whole number beyond 64 bits is not taken for another one."""
    data = congraph.simulate(n_nodes=8, n_views=2, n_signals=30, edge_probability=0.5, seed=1)
    model = congraph.ConsensusGraph(alpha=alpha, beta=1.0)
    if alpha < 0:
        with pytest.raises(ValueError, match="alpha is -1"):
            model.fit(data.views)
    else:
        assert model.fit(data.views).alpha_ == 1e20
