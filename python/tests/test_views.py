"""`Views`: what they keep, how groups of rows become views, xarray, and blocks of time."""

import datetime

import numpy as np
import pandas
import pytest

import congraph
from congraph import ConsensusGraph, Views

RNG = np.random.default_rng(0)
NODES = ["a", "b", "c", "d"]


def array(n=40):
    return RNG.normal(size=(n, 4))


def frame(n=40, **columns):
    return pandas.DataFrame(array(n), columns=NODES).assign(**columns)


class TestViewsOfViews:
    def views(self):
        places = {node: [float(k), 0.0] for k, node in enumerate(NODES)}
        blocks = {name: np.arange(40) // 8 for name in ("one", "two")}
        made = Views({"one": array(), "two": array()}, nodes=NODES, blocks=blocks, n_samples={"one": 7, "two": 8}, positions=places)
        made = made._with_subjects(["s", "s"])
        made._electrodes = True
        return made

    def test_all_that_is_known_is_kept(self):
        views = self.views()
        again = Views(views)
        for name in ("nodes", "blocks", "n_samples", "positions", "subjects", "_electrodes", "_are_named", "_rows"):
            assert getattr(again, name) == getattr(views, name), name
        assert again._borrowed()[0]["subject"] == "s" and all(np.array_equal(again[name], views[name]) for name in views)
        # And nothing is shared that could be changed.
        again.nodes["one"] = None
        assert views.nodes["one"] == NODES

    def test_times_are_kept(self):
        days = pandas.date_range("2024-01-01", periods=40, freq="D")
        views = Views(Views({"one": frame().set_index(days)}), blocks="10D")
        assert len(set(views.blocks["one"])) == 4

    def test_what_is_given_anew_stands_in(self):
        views = self.views()
        again = Views(views, nodes={"two": list("wxyz")}, blocks=4, n_samples={"one": 3, "two": 4}, positions={"a": (1, 2)})
        assert again.nodes == {"one": NODES, "two": list("wxyz")} and again.n_samples == {"one": 3, "two": 4}
        assert len(set(again.blocks["one"])) == 4 and again.positions == {"a": [1.0, 2.0]}
        assert Views(views, nodes=list("wxyz")).nodes["one"] == list("wxyz")

    def test_names_of_some_views_leave_the_others_theirs(self):
        assert Views({"one": frame(), "two": array()}, nodes={"two": list("wxyz")}).nodes == {"one": NODES, "two": list("wxyz")}


class Standing:
    """As much of a DataArray as is looked at."""

    def __init__(self, values, dims, coords):
        self.values, self.dims, self.coords = np.asarray(values), dims, coords
        self.ndim, self.shape = self.values.ndim, self.values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values


def data_arrays():
    yield Standing
    try:
        import xarray
    except ImportError:
        return
    yield lambda values, dims, coords: xarray.DataArray(values, dims=dims, coords=coords)


@pytest.mark.parametrize("made", list(data_arrays()))
class TestXarray:
    def test_coordinates_name_the_nodes(self, made):
        values = array()
        one = made(values, ("time", "node"), {"node": NODES})
        for views in (Views({"x": one}), congraph._views.as_views([one]), congraph._views.as_views(one)):
            assert list(views.nodes.values()) == [NODES] and np.array_equal(next(iter(views.values())), values)
        turned = made(values[:, ::-1], ("time", "node"), {"node": NODES[::-1]})
        usual = ConsensusGraph(alpha=0.1, beta=0.1).fit({"x": frame(), "y": pandas.DataFrame(values, columns=NODES)})
        assert usual.node_names_ == NODES
        model = ConsensusGraph(alpha=0.1, beta=0.1).fit({"x": one, "y": turned})
        np.testing.assert_allclose(model.graphs_[0], model.graphs_[1])
        assert Views({"x": made(values, ("time", "node"), {})}).nodes["x"] is None

    def test_coordinates_tell_the_time(self, made):
        days = np.arange("2024-01-01", "2024-02-10", dtype="datetime64[D]").astype("datetime64[ns]")
        views = Views({"x": made(array(), ("time", "node"), {"node": NODES, "time": days})}, blocks="10D")
        assert len(set(views.blocks["x"])) == 4

    def test_more_dimensions_get_a_sentence(self, made):
        three = made(RNG.normal(size=(2, 40, 4)), ("subject", "time", "node"), {"node": NODES})
        for given in (three, [three], {"x": three}):
            with pytest.raises(TypeError, match=r"3 dimensions \(subject, time, node\).*isel.*to_pandas"):
                ConsensusGraph().fit(given)
        with pytest.raises(TypeError, match="3 dimensions"):
            Views({"x": three})


def test_a_dataset_is_no_view():
    xarray = pytest.importorskip("xarray")
    one = xarray.DataArray(array(), dims=("time", "node"), coords={"node": NODES})
    dataset = xarray.Dataset({"x": one, "y": one})
    for given in (dataset, [dataset], {"x": dataset}):
        with pytest.raises(TypeError, match="is a Dataset.*to_pandas"):
            ConsensusGraph().fit(given)
    for given in (dataset, {"x": dataset}):
        with pytest.raises(TypeError, match="is a Dataset"):
            Views(given)
    assert Views({name: dataset[name] for name in dataset}).nodes["y"] == NODES


ALIKE = [
    lambda table: Views.groupby(table.groupby(["who", "task"])),
    lambda table: Views.groupby(table, by=["who", "task"]),
    lambda table: Views.from_long(table, views="task", subjects="who"),
    lambda table: ConsensusGraph().fit(table.drop(columns=["who", "task"]), views=table["task"], subjects=table["who"]),
]


@pytest.mark.parametrize("number", range(len(ALIKE)))
def test_other_keys_of_the_same_joined_name(number):
    table = frame(who=["a/b", "a"] * 20, task=["c", "b/c"] * 20)
    with pytest.raises(congraph.CongraphDataError, match="`a/b/c`") as caught:
        ALIKE[number](table)
    assert caught.value.code == "E06"


def test_a_number_and_its_text_are_two():
    table = frame(who=np.asarray([1, "1"] * 20, dtype=object))
    for call in (
        lambda: Views.groupby(table.groupby("who")),
        lambda: Views.groupby(table, by="who"),
        lambda: Views.from_long(table, views="who"),
        lambda: Views.from_long(table[NODES], views=[1, "1"] * 20),
        lambda: ConsensusGraph().fit({"x": array(), "y": array()}, subjects=[1, "1"]),
        lambda: ConsensusGraph().fit({"x": array(), "y": array()}, subjects={"x": 1, "y": "1"}),
    ):
        with pytest.raises(congraph.CongraphDataError, match="`1`") as caught:
            call()
        assert caught.value.code == "E06"


def test_groupby_takes_blocks_as_fit_does():
    table = frame(who=["x", "y"] * 20, trial=np.arange(40) // 10)
    grouped = table[[*NODES, "who"]].groupby("who")
    by_number = Views.groupby(grouped, blocks=4)
    assert by_number.blocks["x"] == [f"{k // 5:06d}" for k in range(20)]
    dated = table[[*NODES, "who"]].set_index(pandas.date_range("2024-01-01", periods=40, freq="D"))
    assert len(set(Views.groupby(dated.groupby("who"), blocks="10D").blocks["y"])) == 4
    column = Views.groupby(table.groupby("who"), blocks="trial").blocks
    assert column["x"] == [str(k // 5) for k in range(20)]
    shuffled = table["trial"].sample(frac=1.0, random_state=0)
    for labels in (table["trial"], shuffled, table["trial"].to_numpy(), table["trial"].tolist(), column):
        assert Views.groupby(grouped, blocks=labels).blocks == column
        if not isinstance(labels, dict):
            assert Views.groupby(table[[*NODES, "who"]], by="who", blocks=labels).blocks == column
    with pytest.raises(ValueError, match="3 labels for 40 rows"):
        Views.groupby(grouped, blocks=[1, 2, 3])
    with pytest.raises(TypeError, match="blocks is True"):
        Views.groupby(grouped, blocks=True)


class TestTimes:
    def dates(self):
        return pandas.date_range("2024-01-01", periods=40, freq="D")

    @pytest.mark.parametrize("kind", ["zone", "periods", "dates", "aware", "gap"])
    def test_whatever_tells_the_time(self, kind):
        days = self.dates()
        index = {
            "zone": days.tz_localize("Europe/Vienna"),
            "periods": days.to_period("D"),
            "dates": pandas.Index([day.date() for day in days]),
            "aware": pandas.Index([day.to_pydatetime().replace(tzinfo=datetime.timezone.utc) for day in days], dtype=object),
            "gap": days[days.day != 15],
        }[kind]
        table = frame(len(index))
        table.index = index
        found = Views({"x": table}, blocks="10D").blocks["x"]
        assert found == [f"{(day - days[0]).days // 10:06d}" for day in (days if kind != "gap" else index)]

    def test_a_date_that_is_missing_is_told(self):
        index = pandas.Index([*(day.date() for day in self.dates()[:-1]), None], dtype=object)
        with pytest.raises(ValueError, match="row 39 of view 'x' has no time"):
            Views({"x": frame().set_index(index)}, blocks="10D")

    def test_numbers_of_rows_are_no_seconds(self):
        kept = frame(60).query("a > -10 and index != 3").iloc[:40]
        assert type(kept.index).__name__ != "RangeIndex"
        with pytest.raises(ValueError, match="taken for numbers of rows"):
            Views({"x": kept}, blocks="30s")
        with pytest.raises(ValueError, match="pandas.to_datetime"):
            Views({"x": frame().set_index(self.dates().astype(str))}, blocks="10D")
        kept.index = kept.index.astype(float)
        assert len(set(Views({"x": kept}, blocks="30s").blocks["x"])) == 2

    def test_a_number_of_blocks_follows_the_time(self):
        table = frame().set_index(self.dates())
        order = RNG.permutation(40)
        usual = Views({"x": table}, blocks=5).blocks["x"]
        assert Views({"x": table.iloc[order]}, blocks=5).blocks["x"] == [usual[k] for k in order]


def in_words():
    values = {"x": array(), "y": array()}
    table = frame(who=["x", "y"] * 20)
    return {
        "blocks of views by number": (lambda: Views(values, blocks=99), "it must be from 2 to 40"),
        "half blocks": (lambda: Views(values, blocks=2.5), "blocks is 2.5; it must be a whole number"),
        "durations without times": (lambda: Views(values, blocks="30s"), "has no times"),
        "a column": (lambda: Views(values, blocks="trial"), "a column needs one long table"),
        "blocks of one view of two": (lambda: Views(values, blocks=[[1] * 40]), "blocks has 1 entries for 2 views"),
        "one number of samples": (lambda: Views(values, n_samples=100), "n_samples is 100; it must be a dict"),
        "a list of numbers of samples": (lambda: Views(values, n_samples=[1, 2]), "it must be a dict"),
        "views as a dict": (lambda: ConsensusGraph().fit(table, views={"x": 1}), "views is a dict"),
        "a grouped series": (lambda: Views.groupby(table.groupby("who")["a"]), "a grouped Series, of one column"),
        "a level of the index": (lambda: ConsensusGraph().fit(table.set_index("who"), views="who"), "X.reset_index('who')"),
        "a level of the index, by": (lambda: Views.groupby(table.set_index("who"), by="who"), "X.reset_index('who')"),
        "nodes in rows of a long table": (
            lambda: ConsensusGraph(orient="nodes-by-samples").fit(table, views="who"),
            "samples in rows",
        ),
        "a number that is no view": (lambda: Views(values)[9], "there is no view 9; there are 2, numbered from 0"),
        "a number before the first": (lambda: Views(values)[-3], "there is no view -3"),
    }


@pytest.mark.parametrize("name", list(in_words()))
def test_what_is_wrong_is_told_in_words(name):
    call, told = in_words()[name]
    with pytest.raises((TypeError, ValueError, LookupError)) as caught:
        call()
    assert told in str(caught.value) and "--" not in str(caught.value)


def test_blocks_of_views():
    values = {"x": array(), "y": array()}
    assert Views(values, blocks=4).blocks == Views(values, blocks=[np.repeat([f"{k:06d}" for k in range(4)], 10)] * 2).blocks
    views = Views(values, blocks=4)
    assert Views(values, blocks={"x": [1] * 40, "y": [2] * 40}).blocks["y"] == ["2"] * 40 and views[-1].blocks["y"] == views.blocks["y"]
