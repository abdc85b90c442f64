"""Groups of views compared: against scipy, and the same numbers as the command line."""

import json
import subprocess

import numpy as np
import pytest

import congraph
from congraph import Graphs

LABELS = ["young"] * 7 + ["old"] * 6


@pytest.fixture(scope="module")
def graphs():
    rng = np.random.default_rng(1)
    matrices = np.triu(np.where(rng.random((13, 8, 8)) < 0.4, 0.0, rng.random((13, 8, 8))), 1)
    matrices[7:, 0, 1] += 1.0
    return Graphs.from_matrices(matrices + matrices.swapaxes(1, 2))


def columns(table):
    return {name: np.asarray(table[name]) for name in table}


def test_rank_sums_and_t_are_those_of_scipy(graphs):
    stats = pytest.importorskip("scipy.stats")
    is_young = np.array(LABELS) == "young"
    for statistic in ("rank", "t"):
        found = graphs.compare(LABELS, statistic=statistic, permutations=199)
        edges = columns(found.edges)
        assert found.groups == ["old", "young"] and not found.exact and found.permutations == 199
        for weights, value in zip(graphs.weights_, edges["z" if statistic == "rank" else "t"], strict=True):
            if statistic == "t":
                assert value == pytest.approx(stats.ttest_ind(weights[is_young], weights[~is_young]).statistic)
                continue
            ranks = stats.rankdata(weights)
            spread = ranks.var(ddof=1) * 7 * 6 / 13
            assert value == pytest.approx((ranks[is_young].sum() - 7 * 7) / np.sqrt(spread))
    assert edges["source"][np.argmin(edges["p_fwe"])] == "0"


def test_pairs_covariates_and_more_groups(graphs):
    twelve = Graphs(graphs.node_names_, graphs.view_names_[:12], graphs.edge_index_, graphs.weights_[:, :12])
    pairs = twelve.compare(["a", "b"] * 6, pair=np.arange(12) // 2)
    assert pairs.exact and pairs.permutations == 64 and pairs.n_pairs == 6 and pairs.statistic == "t"
    ages = {"age": np.arange(13.0) ** 2 % 7, "sex": ["f", "m"] * 6 + ["f"]}
    assert not graphs.compare(LABELS, covariates=ages, permutations=99).exact
    three = graphs.compare(["x", "y", "z"] * 4 + ["x"], permutations=99)
    assert len(columns(three.pairs)["one"]) == 3 * len(columns(three.edges)["h"])
    named = dict(zip(graphs.view_names_, LABELS, strict=True))
    one, other = graphs.compare(named, permutations=99), graphs.compare(LABELS, permutations=99)
    np.testing.assert_array_equal(one.null, other.null)
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(named).iloc[::-1]
    np.testing.assert_array_equal(graphs.compare(series, permutations=99).null, one.null)


def test_what_cannot_be_compared_is_refused(graphs):
    with pytest.raises(congraph.CongraphDataError, match="1 group has one view only") as refused:
        graphs.compare([*LABELS[:12], "odd"])
    assert refused.value.code == "E17"
    with pytest.raises(congraph.CongraphDataError, match="no label: `view01`|no label: `view1`"):
        graphs.compare([None, *LABELS[1:]])
    with pytest.raises(congraph.CongraphDataError) as refused:
        graphs.compare(LABELS, n_samples=[100] * 7 + [200] * 6)
    assert refused.value.code == "E16"
    with pytest.raises(ValueError, match="labels has 3 values, and there are 13 views"):
        graphs.compare(["a", "b", "c"])
    with pytest.raises(ValueError, match="labels has no 'view1'"):
        graphs.compare({"x": "a"})
    with pytest.raises(ValueError, match="statistic"):
        graphs.compare(LABELS, statistic="mean")
    with pytest.raises(ValueError, match="measures"):
        graphs.compare(LABELS, measures=["weight"])
    with pytest.raises(ValueError, match="permutations is 10"):
        graphs.compare(LABELS, permutations=10)


def test_the_command_line_finds_the_same(command, tmp_path):
    data = congraph.simulate(n_nodes=12, n_views=12, n_signals=60, seed=3)
    for name, table in data.views.items():
        np.savetxt(tmp_path / f"{name}.csv", table, delimiter=",", header=",".join(data.truth.node_names_), comments="", fmt="%.17g")
    names = list(data.views)
    rows = "".join(f"{name}\t{'ab'[k % 2]}\t{k * k % 5}\n" for k, name in enumerate(names))
    (tmp_path / "labels.tsv").write_text("view\tgroup\tage\n" + rows)
    paths = [str(tmp_path / f"{name}.csv") for name in names]
    out = str(tmp_path / "out")
    subprocess.run([command, "learn", *paths, "--alpha", "0.05", "--beta", "0.02", "-o", out, "--quiet"], check=True, capture_output=True)
    words = ["--labels", f"{tmp_path}/labels.tsv:group", "--covariates", "age", "--permutations", "199", "--nbs", "1.5"]
    subprocess.run([command, "compare", out, *words], check=True, capture_output=True)
    views = congraph.Views(dict(data.views), nodes=data.truth.node_names_)
    model = congraph.ConsensusGraph(alpha=0.05, beta=0.02).fit(views)
    ages = {name: k * k % 5 for k, name in enumerate(names)}
    found = model.compare(["a", "b"] * 6, covariates={"age": ages}, permutations=199, nbs=1.5)
    lines = [line.split("\t") for line in (tmp_path / "out" / "compare_edges.tsv").read_text().splitlines()]
    written = dict(zip(lines[0], zip(*lines[1:], strict=True), strict=True))
    edges = columns(found.edges)
    assert list(written) == list(edges)
    assert written["source"] == tuple(edges["source"])
    for column in ("mean_a", "difference", "z", "p_uncorrected", "p_fwe"):
        assert [float(cell) for cell in written[column]] == edges[column].tolist()
    record = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert (record["permutations"], record["exact"]) == (found.permutations, found.exact)


def test_components_of_small_groups_are_within_reach(graphs):
    six = Graphs(graphs.node_names_, graphs.view_names_[:12], graphs.edge_index_, graphs.weights_[:, :12])
    labels = ["a"] * 6 + ["b"] * 6
    found = six.compare(labels)
    assert 0 < found.threshold < 3 and found.equalised_to is None
    with pytest.warns(congraph.CongraphWarning, match="is out of reach") as told:
        assert six.compare(labels, nbs=3.0).threshold == 3.0
    assert told[0].message.code == "W19" and told[0].filename == __file__


def test_unequal_samples_are_made_equal_as_on_the_command_line(command, tmp_path):
    data = congraph.simulate(n_nodes=10, n_views=8, n_signals=[60] * 4 + [120] * 4, seed=5)
    names = list(data.views)
    for name, table in data.views.items():
        np.savetxt(tmp_path / f"{name}.csv", table, delimiter=",", header=",".join(data.truth.node_names_), comments="", fmt="%.17g")
    rows = "".join(f"{name}\t{'ab'[k // 4]}\n" for k, name in enumerate(names))
    (tmp_path / "labels.tsv").write_text("view\tgroup\n" + rows)
    out = str(tmp_path / "out")
    paths = [str(tmp_path / f"{name}.csv") for name in names]
    subprocess.run([command, "learn", *paths, "--alpha", "0.05", "--beta", "0.02", "-o", out, "--quiet"], check=True, capture_output=True)
    subprocess.run([command, "compare", out, "--labels", f"{tmp_path}/labels.tsv:group"], check=True, capture_output=True)
    views = congraph.Views(dict(data.views), nodes=data.truth.node_names_)
    model = congraph.ConsensusGraph(alpha=0.05, beta=0.02).fit(views)
    labels = ["a"] * 4 + ["b"] * 4
    found = model.compare(labels, equalise="auto", X=views)
    assert found.equalised_to == 60
    lines = [line.split("\t") for line in (tmp_path / "out" / "compare_edges.tsv").read_text().splitlines()]
    written = dict(zip(lines[0], zip(*lines[1:], strict=True), strict=True))
    assert [float(cell) for cell in written["p_fwe"]] == columns(found.edges)["p_fwe"].tolist()
    assert model.compare(["a", "b"] * 4, equalise="auto", X=views).equalised_to is None
    with pytest.raises(ValueError, match="give the views that were fitted as X"):
        model.compare(labels, equalise="auto")
    with pytest.raises(ValueError, match="equalise is 'yes'"):
        model.compare(labels, equalise="yes")
    with pytest.raises(ValueError, match="not learned here"):
        data.truth.compare(labels, equalise="auto", X=views)


class TestLabelsAsSeries:
    """A Series is matched by its index, and taken by position only where that names no view."""

    def told(self, graphs):
        pandas = pytest.importorskip("pandas")
        return pandas.Series(LABELS, index=graphs.view_names_)

    def test_one_name_that_is_no_view_does_not_swap_groups(self, graphs):
        shuffled = self.told(graphs).iloc[::-1].rename({graphs.view_names_[3]: "view 3"})
        for call in (
            lambda: graphs.compare(shuffled),
            lambda: graphs.compare(LABELS, pair=shuffled),
            lambda: graphs.compare(LABELS, covariates={"site": shuffled}),
            lambda: graphs.compare(LABELS, n_samples=shuffled.map(len)),
        ):
            with pytest.raises(ValueError, match=r"1 view is not in it, and 1 of its names is no view\. Its index names some"):
                call()

    def test_a_name_that_comes_twice_is_refused(self, graphs):
        pandas = pytest.importorskip("pandas")
        told = self.told(graphs)
        with pytest.raises(ValueError, match="more than once"):
            graphs.compare(pandas.concat([told, told.iloc[:1]]))

    def test_an_index_of_numbers_is_the_order_of_the_views(self, graphs):
        pandas = pytest.importorskip("pandas")
        expected = graphs.compare(LABELS, permutations=99).null
        for index in (None, np.arange(13) + 100):
            found = graphs.compare(pandas.Series(LABELS, index=index), permutations=99)
            np.testing.assert_array_equal(found.null, expected)

    def test_views_that_are_numbers_are_matched_by_number(self, graphs):
        pandas = pytest.importorskip("pandas")
        numbers = [str(100 + k) for k in range(13)]
        numbered = Graphs(graphs.node_names_, numbers, graphs.edge_index_, graphs.weights_)
        shuffled = pandas.Series(LABELS, index=[int(name) for name in numbers]).iloc[::-1]
        np.testing.assert_array_equal(numbered.compare(shuffled, permutations=99).null, numbered.compare(LABELS, permutations=99).null)
