"""Graphs that make the signals likely: `method="likelihood"`."""

import json
import pickle
import subprocess

import numpy as np
import pytest

import congraph
from congraph import ConsensusGraph, SingleGraph


@pytest.fixture(scope="module")
def smooth():
    return congraph.simulate(n_nodes=16, n_views=3, n_signals=200, edge_probability=0.2, seed=2)


@pytest.fixture(scope="module")
def likely(smooth):
    return ConsensusGraph(method="likelihood").fit(smooth.views)


def test_what_was_chosen_is_told(likely, smooth):
    assert likely.filter_ == 2 and likely.scale_ == "center" and likely.converged_
    assert likely.alpha_ is None and likely.beta_ in (1.0, 1.4, 2.0, 2.8, 4.0, 5.6) and likely.gamma_ == 0.0
    assert len(likely.tried_) == 12 and likely.threshold_ > 0
    best = min((one for one in likely.tried_ if one["certified"]), key=lambda one: one["aic"])
    assert (best["filter"], best["beta"], best["aic"]) == (likely.filter_, likely.beta_, likely.aic_)
    assert likely.relative_gap_ <= 1e-8 and likely.similarity_ > likely.similarity_floor_
    assert congraph.evaluate(likely, smooth.truth).consensus["f1"] > 0.8
    assert "filter 2" in str(likely) and "alpha" not in str(likely)
    usual = ConsensusGraph().fit(smooth.views)
    assert usual.filter_ is usual.threshold_ is usual.aic_ is usual.tried_ is None and usual.scale_ == "zscore"


def test_it_is_an_estimator_like_any_other(likely, smooth, tmp_path):
    again = pickle.loads(pickle.dumps(likely))
    np.testing.assert_array_equal(again.graphs_, likely.graphs_)
    assert again.tried_ == likely.tried_
    page = likely.report(tmp_path / "report.html")
    assert "by maximum likelihood" in (tmp_path / "report.html").read_text(), page
    assert set(likely.to_frame()["n_views"]) <= {1, 2, 3}
    assert likely.score(smooth.views) > 0
    sklearn = pytest.importorskip("sklearn")
    clone = sklearn.clone(likely)
    assert clone.get_params() == likely.get_params() and clone.method == "likelihood"
    np.testing.assert_array_equal(clone.fit(smooth.views).graphs_, likely.graphs_)


def test_what_is_given_is_kept_to(smooth):
    given = ConsensusGraph(density=0.15, method="likelihood", beta=1.5, gamma=0.5, filter=1, scale="zscore").fit(smooth.views)
    assert (given.beta_, given.gamma_, given.filter_, given.scale_) == (1.5, 0.5, 1, "zscore")
    assert abs(given.density_ - 0.15) < 0.01 and len(given.tried_) == 1
    alike = ConsensusGraph(similarity=0.9, method="likelihood").fit(smooth.views)
    assert abs(alike.similarity_ - 0.9) < 0.006
    turned = {name: view * np.where(np.arange(16) % 2, 1.0, -1.0) for name, view in smooth.views.items()}
    signed = ConsensusGraph(method="likelihood", signed="auto").fit(turned)
    assert signed.weights_.min() < 0 and signed.filter_ == 1
    alone = SingleGraph(method="likelihood").fit(smooth.views["view1"])
    assert alone.graph_.shape == (16, 16) and alone.alpha_ is None and "filter" in str(alone)


def test_noise_is_an_empty_graph():
    rng = np.random.default_rng(1)
    with pytest.warns(congraph.CongraphWarning, match="chance"):
        found = ConsensusGraph(method="likelihood").fit(rng.normal(size=(3, 120, 10)))
    assert found.weights_.size == 0 and found.threshold_ is None
    assert "no edge" in str(found) and "W13" in str(found)


def test_what_does_not_apply_is_refused(likely, smooth):
    for options, said in [
        ({"alpha": 0.1}, "alpha means nothing with method=\"likelihood\""),
        ({"consensus_density": 0.1}, "consensus_density means nothing"),
        ({"penalty": "none"}, "penalty=\"none\" means nothing"),
        ({"penalty": "l2"}, "Akaike's criterion counts distinct weights"),
        ({"proportional": "drop"}, "proportional is \"drop\""),
        ({"spectrum": 0.5}, "spectrum means nothing"),
        ({"solver": "admm"}, "solver means nothing"),
        ({"sample_norm": "sum"}, "sample_norm means nothing"),
        ({"filter": 3}, "filter is 3"),
        ({"filter": 2, "signed": True}, "filter=2 is for graphs without negative edges"),
        ({"beta": 0.0}, "beta is 0"),
        ({"candidates": "knn:3"}, "knn is for the method"),
        ({"similarity": 0.9, "beta": 2.0}, "both given"),
    ]:
        with pytest.raises(ValueError) as error:
            ConsensusGraph(method="likelihood", **options).fit(smooth.views)
        assert said in str(error.value), (options, str(error.value))
    with pytest.raises(TypeError, match="filter is 1.5"):
        ConsensusGraph(method="likelihood", filter=1.5).fit(smooth.views)
    for options in ({"filter": 2}, {"signed": "auto"}, {"method": "jgl-fused"}, {"method": "loud"}):
        with pytest.raises(ValueError):
            ConsensusGraph(**options).fit(smooth.views)
    with pytest.raises(ValueError, match="has no alpha"):
        likely.project(smooth.views, alpha=1.0)
    # Views of the fit come out nearly as they were.
    again = likely.transform(smooth.views)
    assert np.corrcoef(again.ravel(), likely.graphs_.ravel())[0, 1] > 0.95
    with pytest.raises(ValueError, match="cannot be tuned"):
        ConsensusGraph(method="likelihood").tune(smooth.views)


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ({}, []),
        ({"density": 0.15, "beta": 2.0, "filter": 1}, ["--density", "0.15", "--beta", "2", "--filter", "1"]),
        ({"signed": "auto"}, ["--signed=auto"]),
        ({"similarity": 0.9, "scale": "zscore"}, ["--similarity", "0.9", "--scale", "zscore"]),
        ({"penalty": "squared-l2", "beta": 3.0}, ["--penalty", "squared-l2", "--beta", "3"]),
    ],
)
def test_the_command_line_says_the_same(command, tmp_path, here, there):
    def run(*words):
        subprocess.run([command, "--quiet", *map(str, words)], check=True, capture_output=True, text=True)

    run("simulate", "--nodes", 14, "--views", 3, "--signals", 150, "--seed", 4, "-o", tmp_path / "sim")
    paths = sorted((tmp_path / "sim").glob("*.csv"))
    run("learn", *paths, "--method", "likelihood", *there, "-o", tmp_path / "out")
    arrays = {path.stem: np.loadtxt(path, delimiter=",", skiprows=1) for path in paths}
    names = paths[0].read_text().splitlines()[0].split(",")
    model = ConsensusGraph(method="likelihood", **here).fit(congraph.Views(arrays, nodes=names))
    written = np.load(tmp_path / "out" / "matrices.npz")
    np.testing.assert_array_equal(written["consensus"], model.consensus_)
    np.testing.assert_array_equal(written["views"], model.graphs_)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    for name in ("filter", "beta", "gamma", "scale", "threshold", "aic", "tried", "objective", "dual_objective", "relative_gap"):
        assert summary[name] == getattr(model, f"{name}_"), name


def test_methods_are_compared_by_samples_that_were_held_out(smooth):
    found = ConsensusGraph().compare_methods(smooth.views, ["smooth", "likelihood", "jgl-fused"])
    assert [one["method"] for one in found][0] == "likelihood"
    assert all(one["gain"] >= other["gain"] for one, other in zip(found, found[1:]))
    assert found[0]["behind"] == 0.0 and found[0]["standard_error"] is None and found[1]["standard_error"] > 0
    assert np.isclose(np.mean(found[1]["views"]), found[1]["gain"])
    with pytest.raises(ValueError, match="method is"):
        ConsensusGraph().compare_methods(smooth.views, ["loud"])
    with pytest.raises(ValueError, match="twice"):
        ConsensusGraph().compare_methods(smooth.views, ["smooth", "smooth"])


def test_of_noise_no_method_explains_anything() -> None:
    noise = [np.random.default_rng(seed).normal(size=(80, 12)) for seed in range(3)]
    with pytest.warns(congraph.CongraphWarning, match="W13"):
        found = ConsensusGraph().compare_methods(noise)
    assert all(one["gain"] <= 3 * one["gain_error"] + 1e-3 for one in found)


def test_multiples_are_learned_as_one_on_request(smooth):
    twins = {name: np.column_stack([view, 3.0 * view[:, 0]]) for name, view in smooth.views.items()}
    names = [f"n{node:02}" for node in range(16)] + ["twin"]
    views = congraph.Views(twins, nodes=names)
    with pytest.raises(ValueError, match="proportional=\"merge\""):
        ConsensusGraph(method="likelihood", beta=2.0, filter=2).fit(views)
    with pytest.warns(congraph.CongraphWarning, match="n00 for twin"):
        merged = ConsensusGraph(method="likelihood", beta=2.0, filter=2, proportional="merge").fit(views)
    assert merged.merged_ == {"n00": ["twin"]} and merged.consensus_.shape == (16, 16)
    plain = ConsensusGraph(method="likelihood", beta=2.0, filter=2).fit(congraph.Views(dict(smooth.views), nodes=names[:16]))
    np.testing.assert_array_equal(plain.graphs_, merged.graphs_)
    assert plain.merged_ == {}


def with_a_mean(array, seed=1):
    """Signals that have a mean of all nodes, which the simulation lacks: otherwise the fit puts it back, and is one of other data."""
    return array + 2.0 * np.random.default_rng(seed).standard_normal((len(array), 1))


@pytest.mark.parametrize("scale", ["center", "zscore"])
@pytest.mark.parametrize("order", [1, 2])
def test_a_precision_matrix_is_that_of_the_certified_objective(order, scale, smooth, tmp_path):
    """One view is charged nothing: tr(S Θ)/q − log det M with Θ = M^q, in units of the mean variance, is the whole objective."""
    X = with_a_mean(smooth.views["view1"]) * 3.0
    m = SingleGraph(method="likelihood", filter=order, scale=scale).fit(X)
    covariance = np.cov(X.T, bias=True) if scale == "center" else np.corrcoef(X.T)
    assert m.precision_.shape == (16, 16) and m.filter_ == order
    log_det = np.linalg.slogdet(m.precision_ * np.trace(covariance) / 16)[1]
    np.testing.assert_allclose((np.trace(covariance @ m.precision_) - log_det) / order, m.objective_, rtol=1e-10)
    np.testing.assert_allclose(m.covariance_ @ m.precision_, np.eye(16), atol=1e-8)
    # Kept by a folder and by pickle, to the bit.
    again = congraph.load(m.save(tmp_path / "out"))
    np.testing.assert_array_equal(again.precision_, m.precision_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(m)).precision_, m.precision_)


def test_precision_matrices_of_several_views(smooth):
    names = list(smooth.views)[::-1]
    views = {name: with_a_mean(smooth.views[name], seed) * (seed + 1) for seed, name in enumerate(names)}
    m = ConsensusGraph(method="likelihood", filter=1, tol=1e-10).fit(views)
    assert m.view_names_ == names and m.precisions_.shape == (3, 16, 16)
    for precision, name in zip(m.precisions_, names, strict=True):
        # At the optimum in t, the variances are those of the data.
        np.testing.assert_allclose(np.diag(np.linalg.inv(precision)), views[name].var(axis=0), rtol=1e-6)


def test_precision_matrices_that_are_not_there(likely, smooth):
    with pytest.raises(AttributeError, match="see precisions_"):
        likely.precision_
    with pytest.raises(AttributeError, match="method='likelihood'"):
        SingleGraph(density=0.2).fit(smooth.views["view1"]).precision_
    with pytest.raises(AttributeError, match="before it is fitted"):
        SingleGraph(method="likelihood").precision_


def test_precision_matrices_of_masked_views_are_of_the_nodes_that_they_have(smooth):
    views = {name: np.array(array) for name, array in smooth.views.items()}
    views["view2"][:, 3] = np.nan
    m = ConsensusGraph(method="likelihood", missing="mask").fit(views)
    lacking = np.isnan(m.precisions_)
    assert lacking[1, 3].all() and lacking[1, :, 3].all() and lacking.sum() == 31
    own = np.delete(np.arange(16), 3)
    product = m.precisions_[1][np.ix_(own, own)] @ m.covariances_[1][np.ix_(own, own)]
    np.testing.assert_allclose(product, np.eye(15), atol=1e-6)
