"""Nodes, views and labels keep their names, whatever they come in; what has none is numbered, and nothing is lost silently."""

import warnings

import congraph
import numpy as np
import pytest

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def data():
    return congraph.simulate(n_nodes=12, n_views=3, n_signals=80, edge_probability=0.3, seed=3)


def fit(views, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return congraph.ConsensusGraph(alpha=0.1, beta=0.02, **params).fit(views)


def matrix(model, names):
    places = [model.node_names_.index(name) for name in names]
    return model.consensus_[np.ix_(places, places)]


def test_nodes_in_rows_are_named_by_the_index(data):
    names = data.views.nodes["view1"]
    frames = [pandas.DataFrame(array, columns=names) for array in data.views.values()]
    usual = fit(frames)
    turned = [frame.T for frame in frames]
    turned[1] = turned[1].iloc[::-1]
    found = fit(turned, orient="nodes-by-samples")
    assert sorted(found.node_names_) == sorted(names)
    assert np.array_equal(matrix(found, names), matrix(usual, names))
    # Names of samples are no names of nodes, even where there are as many.
    square = [frame.T.iloc[:, :12].set_axis([f"sample {k}" for k in range(12)], axis=1) for frame in frames]
    assert sorted(fit(square, orient="nodes-by-samples", allow_counts=True).node_names_) == sorted(names)


def test_numbered_columns_are_called_by_their_numbers(data):
    frames = [pandas.DataFrame(array) for array in data.views.values()]
    model = fit(frames)
    assert model.node_names_ == [str(k) for k in range(12)]
    assert "1" not in fit(frames, drop_nodes=[1]).node_names_
    assert fit(frames, drop_nodes=[1]).node_names_[1] == "2"
    straight = model.project([frames[0]])[0]
    shuffled = model.project([frames[0][list(range(11, -1, -1))]])[0]
    assert np.array_equal(straight.weights, shuffled.weights)


def test_unnamed_nodes_are_counted_from_0(data):
    arrays = list(data.views.values())
    model = fit(arrays, drop_nodes=[0])
    np.testing.assert_allclose(model.consensus_, fit([array[:, 1:] for array in arrays]).consensus_, atol=1e-9)
    unnamed = fit(arrays)
    # A frame whose columns are but numbered has no names either.
    assert np.array_equal(unnamed.transform([arrays[0]]), unnamed.transform([pandas.DataFrame(arrays[0])]))


def test_one_name_is_one_name(data):
    model = fit(data.views, drop_nodes=data.views.nodes["view1"][3])
    assert len(model.node_names_) == 11
    assert len(fit(data.views, drop_nodes=None).node_names_) == 12


@pytest.mark.parametrize("missing", [None, float("nan"), pandas.NA])
@pytest.mark.parametrize("option", ["groups", "blocks"])
def test_a_missing_label_is_refused(data, missing, option):
    array = np.concatenate(list(data.views.values()))
    labels = np.repeat(np.asarray(["a", "b", "c"], dtype=object), 80)
    broken = labels.copy()
    broken[7] = missing
    groups, blocks = (broken, None) if option == "groups" else (labels, broken)
    with pytest.raises(congraph.CongraphDataError) as caught:
        congraph.ConsensusGraph().fit(array, views=groups, blocks=blocks)
    assert caught.value.code == "E07" and "row 7" in str(caught.value)


@pytest.mark.parametrize("option", ["nodes", "blocks", "n_samples"])
def test_what_belongs_to_no_view_is_refused(option):
    with pytest.raises(ValueError, match="not a view"):
        congraph.Views({"a": np.eye(3)}, **{option: {"A": [1, 2, 3]}})


def test_numbers_of_views_are_keys_everywhere():
    views = congraph.Views({0: np.eye(3)}, nodes={0: ["x", "y", "z"]}, blocks={0: [1, 1, 2]}, n_samples={0: 3})
    assert views.nodes["0"] == ["x", "y", "z"] and views.blocks["0"] == ["1", "1", "2"] and views.n_samples["0"] == 3


def test_views_by_number_are_views(data):
    one = data.views[1]
    assert list(one) == ["view2"] and one.nodes["view2"] == data.views.nodes["view2"]
    assert list(data.views[:2]) == ["view1", "view2"]
    assert np.array_equal(fit([data.views[0], data.views[2], data.views[1]]).consensus_, fit(data.views).consensus_)
    with pytest.raises(congraph.CongraphDataError, match="view1"):
        fit([data.views[0], data.views[0]])


def test_cross_validation_keeps_names(data):
    sklearn = pytest.importorskip("sklearn.model_selection")
    frames = {name: pandas.DataFrame(array, columns=data.views.nodes[name]) for name, array in data.views.items()}
    frames["view3"] = frames["view3"].iloc[:, ::-1]
    model = congraph.ConsensusGraph(alpha=0.1, beta=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sklearn.cross_val_score(model, congraph.Views(frames), cv=3)
        usual = sklearn.cross_val_score(model, list(data.views.values()), cv=3)
    assert found == pytest.approx(usual, rel=1e-9)


def test_any_iterable_of_tables(data):
    usual = fit(list(data.views.values()))
    assert np.array_equal(fit(array for array in data.views.values()).consensus_, usual.consensus_)
    assert np.array_equal(fit(dict(enumerate(data.views.values())).values()).consensus_, usual.consensus_)


def test_warnings_point_at_the_caller(data):
    few = {name: array[:10] for name, array in data.views.items()}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        congraph.ConsensusGraph(alpha=0.1, beta=0.02).fit(few)
    assert seen and {warning.filename for warning in seen} == {__file__}


def test_tables_of_views_with_awkward_names(data):
    names = ["source", "consensus", "mean_weight"]
    frame = fit(dict(zip(names, data.views.values(), strict=True))).to_frame()
    assert frame.columns.is_unique and "source (view)" in frame


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"density": "0.1"}, "density is '0.1'; it must be a number"),
        ({"seed": -1}, "seed is -1; it must be 0 or more"),
        ({"seed": None}, "seed is None; it must be a whole number"),
        ({"max_iter": -1}, "max_iter is -1; it must be 0 or more"),
        ({"scale": 3}, "scale is 3"),
    ],
)
def test_wrong_types_are_told_in_words(data, params, told):
    with pytest.raises((TypeError, ValueError), match=told.replace("(", "\\(")) as caught:
        congraph.ConsensusGraph(**params).fit(data.views)
    assert "extract" not in str(caught.value)


def test_wrong_types_of_functions_are_told_in_words(data):
    for work in (
        lambda: congraph.simulate(n_nodes=-1),
        lambda: fit(data.views).communities(runs=-1),
        lambda: congraph.ConsensusGraph().tune(data.views, density="thin"),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            work()
        assert "extract" not in str(caught.value), caught.value
    assert congraph.simulate(n_nodes=5, n_views=2, n_signals=np.int64(20)).views["view1"].shape == (20, 5)


def test_reports_are_of_what_they_say(data, tmp_path):
    with pytest.raises(ValueError, match="fitted"):
        congraph.ConsensusGraph().report(tmp_path / "report.html")
    model = fit(data.views)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        model.report(tmp_path / "nowhere" / "report.html")
    with pytest.raises(ValueError, match="positions"):
        model.report(tmp_path / "report.html", positions={model.node_names_[0]: (0, 0)})
    other = fit(congraph.simulate(n_nodes=8, n_views=2, n_signals=50, seed=1).views).communities(runs=2)
    with pytest.raises(ValueError, match="other nodes"):
        model.report(tmp_path / "report.html", communities=other)
    assert list(tmp_path.iterdir()) == []


def test_a_path_is_forgotten_by_the_next_fit(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = congraph.ConsensusGraph().tune(data.views, density=(0.2, 0.3), similarity=(0.9, 0.95), halvings=1)
        assert len(model.path_["agreement"]) > model.path_choice_ >= 0
        model.fit(data.views)
    assert not hasattr(model, "path_") and not hasattr(model, "path_choice_")
