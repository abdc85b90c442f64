"""How sure edges are: the same numbers as the command's."""

import csv
import pickle
import subprocess

import numpy as np
import pytest

import congraph


def blocked(n_blocks=10, **settings):
    data = congraph.simulate(n_nodes=14, n_views=3, n_signals=120, seed=1, **settings)
    views = {name: np.array(data.views[name]) for name in data.views}
    blocks = {name: [f"t{k * n_blocks // 120:02}" for k in range(120)] for name in views}
    return views, blocks


def fitted(**options):
    views, blocks = blocked()
    return congraph.ConsensusGraph(alpha=0.02, beta=0.03, **options).fit(views, blocks=blocks), views, blocks


def test_columns_bounds_curve_and_fingerprint():
    m, views, blocks = fitted()
    s = m.stability(views, blocks=blocks, pairs=6)
    assert len(s.edges["frequency"]) == m.edge_index_.shape[1]
    assert len(s.views["frequency"]) == np.count_nonzero(m.weights_)
    assert s.units == "blocks" and s.pairs == 6 and "replicates" in s.edges
    assert len(s.bounds["thresholds"]) == 8
    assert s.curve["views"][0]["frequency"] > 0
    assert 0 < s.fingerprint["deviations"]["chance"] < 0.5
    assert "halved" in repr(s)
    assert pickle.loads(pickle.dumps(s)).pairs == 6
    again = m.stability(views, blocks=blocks, pairs=6)
    assert all(np.array_equal(s.edges[name], again.edges[name], equal_nan=True) for name in s.edges if name not in ("source", "target"))


def test_what_cannot_be_told_is_absent_and_says_why():
    views, _ = blocked()
    few = {name: [f"t{k // 24}" for k in range(120)] for name in views}
    m = congraph.ConsensusGraph(alpha=0.02, beta=0.03).fit(views, blocks=few)
    s = m.stability(views, blocks=few, pairs=2)
    assert "replicates" not in s.edges and "needs 8 blocks" in s.absent["replicates"]
    with pytest.raises(congraph.CongraphDataError, match="has no blocks"):
        m.stability(views, units="blocks")
    with pytest.raises(ValueError, match="not those that were fitted"):
        m.stability({name: 2 * table + np.roll(table, 1, 0) for name, table in views.items()}, pairs=2)


def test_other_methods():
    views, blocks = blocked()
    for m in [congraph.ConsensusGraph(method="likelihood"), congraph.SingleGraph(alpha=0.02), congraph.ConsensusGraph(candidates="knn:3")]:
        s = m.fit(views, blocks=blocks).stability(views, blocks=blocks, pairs=2, direct=False)
        assert "weight_se" in s.views and "q_view" not in s.views


def test_the_command_gives_the_same_numbers(tmp_path, command):
    m, views, blocks = fitted()
    s = m.stability(views, blocks=blocks, pairs=4)
    for name, table in views.items():
        table = np.asarray(table)
        with open(tmp_path / f"{name}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["trial", *m.node_names_])
            writer.writerows([block, *map(repr, row)] for block, row in zip(blocks[name], table.tolist(), strict=True))
    files = [str(tmp_path / f"{name}.csv") for name in views]
    out = str(tmp_path / "out")
    options = ["--header", "yes", "--block-column", "trial", "--alpha", "0.02", "--beta", "0.03", "--no-report"]
    subprocess.run([command, "learn", *files, *options, "-o", out], check=True, capture_output=True)
    subprocess.run([command, "stability", out, "--pairs", "4"], check=True, capture_output=True)
    for name, found in [("edges", s.edges), ("edges_long", s.views)]:
        with open(tmp_path / "out" / f"{name}.tsv", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        keys = ["view", "source", "target"] if name == "edges_long" else ["source", "target"]
        place = {tuple(found[key][k] for key in keys): k for k in range(len(found["source"]))}
        columns = [column for column in found if column not in keys]
        assert set(columns) <= set(rows[0]) and len(rows) == len(place)
        for row in rows:
            k = place[tuple(row[key] for key in keys)]
            for column in columns:
                value = float(row[column]) if row[column] else np.nan
                assert np.isclose(value, found[column][k], rtol=1e-12, atol=0, equal_nan=True), (column, row)


def test_a_model_remembers_and_says_how_many_edges_are_supported(tmp_path):
    m, views, blocks = fitted()
    unasked = "how sure each edge is has not been asked: m.stability(views)"
    assert unasked in str(m) and unasked in m._repr_html_()
    page = m.report(tmp_path / "before.html").read_text(encoding="utf-8")
    assert "How sure each edge is has not been asked: m.stability(views)." in page and "congraph stability" not in page
    s = m.stability(views, blocks=blocks, pairs=4)
    assert m.stability_ is s and "edges are supported (q_direct ≤ 0.05)" in s.support
    assert s.support in str(m) and s.support in repr(s) and unasked not in str(m)
    page = m.report(tmp_path / "after.html").read_text(encoding="utf-8")
    assert s.support in page and 'id="how-sure"' in page and "has not been asked" not in page
    # Another fit is not what was asked about.
    assert unasked in str(m.fit(views, blocks=blocks))


def test_of_noise_no_edge_is_supported():
    rng = np.random.default_rng(1)
    views = {f"v{k}": rng.standard_normal((240, 8)) for k in range(3)}
    blocks = {name: [f"t{k // 12}" for k in range(240)] for name in views}
    with pytest.warns(congraph.CongraphWarning):
        m = congraph.ConsensusGraph(density=0.2).fit(views, blocks=blocks)
    assert m.stability(views, blocks=blocks, pairs=2).support.startswith("0 of ")
    assert "CAUTION" in str(m) and "0 of " in str(m)


def test_a_comparison_gets_into_the_report(tmp_path):
    m = congraph.ConsensusGraph(alpha=0.02, beta=0.03).fit(congraph.simulate(n_nodes=10, n_views=6, n_signals=60, seed=1).views)
    c = m.compare(["a", "b", "a", "b", "a", "b"], level=0.2)
    page = m.report(tmp_path / "report.html", comparison=c).read_text(encoding="utf-8")
    assert 'id="compared"' in page and "b against a" in page
    assert 'id="compared"' not in m.report(tmp_path / "report.html").read_text(encoding="utf-8")
