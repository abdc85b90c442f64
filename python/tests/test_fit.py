"""What a fit takes and gives."""

import warnings

import numpy as np
import pandas
import polars
import pytest

import congraph
from congraph import ConsensusGraph, Graphs, JointGraphicalLasso, SingleGraph


def same(one, other):
    """The same graphs to the last bit."""
    np.testing.assert_array_equal(one.edge_index_, other.edge_index_)
    np.testing.assert_array_equal(one.weights_, other.weights_)
    np.testing.assert_array_equal(one.consensus_weights_, other.consensus_weights_)


def test_everything_that_is_promised_is_there(model, data):
    n, n_views = 24, 4
    assert model.consensus_.shape == (n, n)
    assert model.graphs_.shape == (n_views, n, n)
    np.testing.assert_array_equal(model.graphs_, model.graphs_.swapaxes(1, 2))
    assert model.edge_index_.shape[0] == 2 and model.weights_.shape == (model.edge_index_.shape[1], n_views)
    a, b = model.edge_index_
    np.testing.assert_array_equal(model.consensus_[a, b], model.consensus_weights_)
    np.testing.assert_array_equal(model.graphs_[:, a, b].T, model.weights_)
    # Every view's weights add up to n.
    np.testing.assert_allclose(model.weights_.sum(axis=0), n, rtol=1e-12)
    assert abs(model.density_ - 0.2) < 0.005 and abs(model.similarity_ - 0.85) < 0.005
    assert model.density_ == pytest.approx((model.weights_ > 0).mean(axis=1).sum() / (n * (n - 1) / 2))
    correlations = np.corrcoef(model.graphs_[:, *np.triu_indices(n, 1)])
    assert model.similarity_ == pytest.approx(correlations[np.triu_indices(n_views, 1)].mean())
    apart = np.abs(model.weights_ - model.consensus_weights_[:, None]).sum(axis=0)
    np.testing.assert_allclose(model.uniqueness_, apart / (model.weights_ + model.consensus_weights_[:, None]).sum(axis=0))
    assert model.alpha_ > 0 and model.beta_ > 0 and model.gamma_ == 0
    assert model.converged_ and model.relative_gap_ <= 1e-8 and model.n_iter_ > 0
    assert model.objective_ >= model.dual_objective_ - 1e-8 * abs(model.dual_objective_)
    assert model.node_names_ == data.truth.node_names_ and model.view_names_ == list(data.views)
    assert congraph.f1(model, data.truth) > 0.6


def test_the_objective_is_that_of_the_problem(data):
    """Computed anew from the raw arrays, with nothing of the engine's."""
    views = {name: np.asarray(array) for name, array in data.views.items()}
    alpha, beta = 0.05, 0.02
    model = ConsensusGraph(alpha=alpha, beta=beta).fit(views)
    n = 24
    distances = []
    for array in views.values():
        scaled = (array - array.mean(axis=0)) / array.std(axis=0)
        distances.append(((scaled[:, :, None] - scaled[:, None, :]) ** 2).mean(axis=0))
    distances = np.stack(distances) / np.max(distances)
    pairs = np.triu_indices(n, 1)
    weights, shared = model.graphs_, model.consensus_
    objective = beta * np.abs(weights - shared)[:, *pairs].sum()
    for distance, weight in zip(distances, weights, strict=True):
        objective += (distance * weight)[pairs].sum() + alpha * ((weight.sum(axis=0) ** 2).sum() + 2 * (weight[pairs] ** 2).sum())
    assert model.objective_ == pytest.approx(objective, rel=1e-10)


def test_dict_list_array_and_long_tables_give_the_same(data):
    arrays = [np.asarray(array) for array in data.views.values()]
    names = [f"view{k}" for k in range(1, 5)]
    columns = data.truth.node_names_
    fit = ConsensusGraph(alpha=0.05, beta=0.02).fit
    first = fit(dict(zip(names, arrays)))
    same(first, fit(arrays))
    same(first, fit(tuple(arrays)))
    same(first, fit(np.stack(arrays)))
    frames = {name: pandas.DataFrame(array, columns=columns) for name, array in zip(names, arrays)}
    same(first, fit(frames))
    same(first, fit({name: polars.DataFrame(array, schema=columns) for name, array in zip(names, arrays)}))
    labels = np.repeat(names, 80)
    stacked = np.concatenate(arrays)
    same(first, fit(stacked, views=labels))
    long = pandas.DataFrame(stacked, columns=columns).assign(subject=labels)
    same(first, fit(long, views="subject"))
    same(first, fit(polars.from_pandas(long), views="subject"))
    assert fit(long, views="subject").node_names_ == columns
    # Rows of a view need not be next to each other; their order does not matter but for rounding.
    mixed = long.sample(frac=1.0, random_state=0)
    np.testing.assert_allclose(fit(mixed, views="subject").consensus_.sum(), first.consensus_.sum())


def test_the_order_of_nodes_and_views_does_not_matter(data):
    frames = {name: pandas.DataFrame(array, columns=data.truth.node_names_) for name, array in data.views.items()}
    there = ConsensusGraph(alpha=0.05, beta=0.02).fit(frames)
    turned = {name: frames[name].iloc[:, ::-1] for name in reversed(frames)}
    back = ConsensusGraph(alpha=0.05, beta=0.02).fit(turned)
    assert back.view_names_ == there.view_names_[::-1] and back.node_names_ == there.node_names_[::-1]
    np.testing.assert_array_equal(back.consensus_[::-1, ::-1], there.consensus_)
    np.testing.assert_array_equal(back.graphs_[::-1, ::-1, ::-1], there.graphs_)


def test_covariances_give_what_signals_give(data):
    arrays = {name: np.asarray(array) for name, array in data.views.items()}
    signals = ConsensusGraph(alpha=0.05, beta=0.02).fit(arrays)
    covariances = {name: np.cov(array.T, bias=True) for name, array in arrays.items()}
    precomputed = ConsensusGraph(alpha=0.05, beta=0.02, kind="covariance").fit(covariances)
    np.testing.assert_allclose(precomputed.consensus_, signals.consensus_, atol=1e-9)


def test_candidates_and_costs_by_number_and_by_name(data):
    names = data.truth.node_names_
    pairs = [(0, 1), (1, 2), (2, 3), (0, 3), (5, 7)]
    by_number = ConsensusGraph(alpha=0.05, beta=0.02, candidates=pairs).fit(data.views)
    assert {tuple(pair) for pair in by_number.edge_index_.T.tolist()} <= set(pairs)
    same(by_number, ConsensusGraph(alpha=0.05, beta=0.02, candidates=[(names[a], names[b]) for a, b in pairs]).fit(data.views))
    assert ConsensusGraph(alpha=0.05, beta=0.02, candidates="knn:3").fit(data.views).converged_
    free = ConsensusGraph(alpha=0.05, beta=0.02).fit(data.views)
    a, b = free.edge_index_[:, np.argmax(free.consensus_weights_)]
    without = ConsensusGraph(alpha=0.05, beta=0.02, edge_costs={(names[a], names[b]): np.inf}).fit(data.views)
    assert without.consensus_[a, b] == 0 < free.consensus_[a, b]
    for wrong in ["knn:0", "20", [("n001", "nobody")]]:
        with pytest.raises(ValueError):
            ConsensusGraph(candidates=wrong).fit(data.views)


def test_solvers_agree_and_jobs_do_not_matter(data):
    newton = ConsensusGraph(alpha=0.05, beta=0.02).fit(data.views)
    admm = ConsensusGraph(alpha=0.05, beta=0.02, solver="admm", tol=1e-10).fit(data.views)
    np.testing.assert_allclose(admm.graphs_, newton.graphs_, atol=1e-4)
    same(newton, ConsensusGraph(alpha=0.05, beta=0.02, n_jobs=1).fit(data.views))
    same(newton, ConsensusGraph(alpha=0.05, beta=0.02, n_jobs=-1).fit(data.views))


def test_single_graphs_have_no_consensus(data):
    X = np.asarray(data.views["view1"])
    one = SingleGraph(density=0.2).fit(X)
    assert one.graph_.shape == (24, 24) and one.graphs_.shape == (1, 24, 24)
    assert one.consensus_weights_ is None and not hasattr(one, "consensus_")
    with pytest.raises(ValueError, match="no consensus"):
        one.to_networkx()
    several = SingleGraph(alpha=one.alpha_).fit({"a": X, "b": np.asarray(data.views["view2"])})
    assert several.graphs_.shape == (2, 24, 24)


def test_joint_graphical_lasso_inverts_a_covariance_when_nothing_is_charged(data):
    X = np.asarray(data.views["view1"])
    model = JointGraphicalLasso(1e-9, 0.0, tol=1e-10).fit(X)
    np.testing.assert_allclose(model.precisions_[0], np.linalg.inv(np.corrcoef(X.T)), rtol=1e-3, atol=1e-3)
    sparse = JointGraphicalLasso(0.1, 0.02).fit(data.views)
    assert sparse.precisions_.shape == (4, 24, 24) and sparse.converged_
    assert ((sparse.precisions_ != 0).sum() - 4 * 24) / 2 == (sparse.weights_ > 0).sum()
    negative = JointGraphicalLasso(0.1, 0.02, edges="negative").fit(data.views)
    assert negative.density_ <= sparse.density_
    assert len(str(sparse).splitlines()) == 6


def test_tune_keeps_a_cell_of_its_path(data):
    model = ConsensusGraph().tune(data.views, density=(0.1, 0.3), similarity=(0.8, 0.9), halvings=2)
    chosen = model.path_choice_
    assert model.path_["density"][chosen] == pytest.approx(model.density_)
    assert model.path_["alpha"][chosen] == model.alpha_ and model.path_["beta"][chosen] == model.beta_
    assert set(model.path_) >= {"density", "similarity", "instability", "agreement", "prediction", "gain"}
    gains = model.path_["gain"]
    assert model.path_rule_ == "likelihood" and gains.argmax() == model.path_best_ and gains[chosen] >= 0.95 * gains.max()
    kept = model.path_["density_target"][gains >= 0.95 * gains.max()]
    assert model.path_["density_target"][chosen] == kept.min()
    likeliest = ConsensusGraph().tune(data.views, density=(0.1, 0.3), similarity=(0.8, 0.9), halvings=2, keep=1.0)
    assert likeliest.path_choice_ == likeliest.path_best_ == model.path_best_
    np.testing.assert_array_equal(likeliest.path_["gain"], gains)
    stable = ConsensusGraph().tune(data.views, density=(0.1, 0.3), similarity=(0.8, 0.9), halvings=2, rule="stability")
    assert "gain" not in stable.path_ and stable.path_best_ is None and stable.path_rule_ == "stability"
    np.testing.assert_array_equal(stable.path_["instability"], model.path_["instability"])
    for wrong in ({"rule": "luck"}, {"keep": 0.0}, {"keep": 1.5}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ConsensusGraph().tune(data.views, halvings=1, **wrong)


def test_tune_heeds_blocks(data):
    blocks = {name: np.repeat(np.arange(8), 10) for name in data.views}
    views = {name: np.asarray(array) for name, array in data.views.items()}
    settings = {"density": (0.1, 0.3), "similarity": (0.8, 0.9), "halvings": 2}
    apart = ConsensusGraph().tune(views, **settings)
    together = ConsensusGraph().tune(views, blocks=blocks, **settings)
    assert not np.array_equal(apart.path_["instability"], together.path_["instability"])
    listed = ConsensusGraph().tune(list(views.values()), blocks=list(blocks.values()), **settings)
    np.testing.assert_array_equal(listed.path_["instability"], together.path_["instability"])


def test_a_view_of_the_fit_comes_back_when_projected(model, data):
    for view, projection in zip(range(4), model.project(data.views), strict=True):
        np.testing.assert_allclose(projection.weights, model.graphs_[view], atol=1e-6)
        assert projection.uniqueness == pytest.approx(model.uniqueness_[view], abs=1e-5)
        assert projection.converged and projection.relative_gap < 1e-8
    np.testing.assert_allclose(model.transform(data.views), model.graphs_, atol=1e-6)


def test_projection_tells_what_is_lacking_and_what_is_added(data):
    late = congraph.simulate(n_nodes=24, n_views=5, n_signals=80, edge_probability=0.2, seed=3).views["view5"]
    model = ConsensusGraph(density=0.2, similarity=0.85).fit(data.views)
    (projection,) = model.project({"late": late})
    names = model.node_names_
    consensus = {(names[a], names[b]) for a, b in np.argwhere(np.triu(model.consensus_) > 0)}
    own = {(names[a], names[b]) for a, b in np.argwhere(np.triu(projection.weights) > 0)}
    assert set(projection.edges("lacking")) == consensus - own
    assert set(projection.edges("added")) == own - consensus
    assert set(projection.edges("shared")) == own & consensus
    assert 0 < projection.uniqueness < 1
    assert 0 < projection.density < 1
    # beta = 0 is the view alone, a large one the consensus.
    (alone,) = model.project({"late": late}, beta=0.0)
    assert alone.uniqueness > projection.uniqueness
    (held,) = model.project({"late": late}, beta=1e3)
    assert held.uniqueness < projection.uniqueness


def test_projection_matches_nodes_by_name(model, data):
    frame = pandas.DataFrame(np.asarray(data.views["view1"]), columns=model.node_names_)
    straight = model.transform({"new": frame})
    np.testing.assert_array_equal(model.transform({"new": frame.iloc[:, ::-1]}), straight)
    with pytest.raises(congraph.CongraphDataError) as error:
        model.project({"new": frame.iloc[:, 1:]})
    assert error.value.code == "E02"
    with pytest.raises(ValueError, match="23 features"):
        model.project(np.asarray(frame)[:, 1:])


def test_scores_of_known_graphs():
    truth = np.array([[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0.0]])
    found = np.array([[0, 2, 0, 0], [2, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0.0]])
    assert congraph.precision(found, truth) == 0.5
    assert congraph.recall(found, truth) == pytest.approx(1 / 3)
    assert congraph.f1(found, truth) == pytest.approx(2 / 5)
    assert congraph.accuracy(found, truth) == 0.5
    assert congraph.f1(truth, truth) == congraph.auprc(truth, truth) == 1.0
    assert congraph.correlation(truth, 3 * truth) == pytest.approx(1.0)
    evaluation = congraph.evaluate(np.stack([found, truth]), np.stack([truth, truth]))
    assert evaluation["f1"] == pytest.approx((2 / 5 + 1) / 2) and evaluation.consensus is None
    assert list(evaluation.to_frame().index) == ["view1", "view2"]
    with pytest.raises(ValueError, match="symmetric"):
        congraph.f1(np.triu(truth), truth)


def test_nmi_is_scikit_learns():
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    one, other = rng.integers(4, size=50), rng.integers(3, size=50)
    assert congraph.nmi(one, other) == pytest.approx(sklearn.normalized_mutual_info_score(one, other))
    with pytest.raises(ValueError, match="same items"):
        congraph.nmi([0, 1], [0, 1, 2])


def test_average_precision_is_scikit_learns(model, data):
    sklearn = pytest.importorskip("sklearn.metrics")
    pairs = np.triu_indices(24, 1)
    expected = sklearn.average_precision_score(data.truth.consensus_[pairs] > 0, model.consensus_[pairs])
    assert congraph.evaluate(model, data.truth).consensus["auprc"] == pytest.approx(expected)


def test_total_variation_by_hand(model, data):
    expected = []
    for name, weights in zip(model.view_names_, model.graphs_, strict=True):
        X = np.asarray(data.views[name])
        scaled = (X - X.mean(axis=0)) / X.std(axis=0)
        laplacian = np.diag(weights.sum(axis=0)) - weights
        expected.append(np.trace(scaled @ laplacian @ scaled.T) / len(X))
    found = congraph.total_variation(model, data.views, relative=False)
    np.testing.assert_allclose(found[:4], expected)
    assert len(found) == 5 and (congraph.total_variation(model, data.views) < 1).all()


def test_the_score_is_a_gaussian_likelihood(model, data):
    """Against a dense computation over a fine grid of the ridge."""
    laplacian = np.diag(model.consensus_.sum(axis=0)) - model.consensus_
    n = 24
    gains = []
    for array in data.views.values():
        S = np.corrcoef(np.asarray(array).T)
        best = 0.0
        for delta in np.exp(np.linspace(-8, 8, 2001)):
            base = laplacian + delta * np.eye(n)
            precision = base * n / np.trace(S @ base)
            best = max(best, 0.5 * (np.linalg.slogdet(precision)[1] - np.trace(S @ precision) + n) / n)
        gains.append(best)
    assert model.score(data.views) == pytest.approx(np.mean(gains), abs=1e-5)


def test_communities_of_a_known_graph():
    two = np.kron(np.eye(2), np.ones((4, 4))) - np.eye(8)
    two[3, 4] = two[4, 3] = 0.1
    found = Graphs.from_matrices(np.stack([two, two]), two).communities(runs=10)
    assert found.consensus.tolist() == found.group.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert found.views.shape == (2, 8) and found.agreed
    np.testing.assert_array_equal(found.nmi, np.ones((4, 4)))
    assert found.coclassification[0, 1] == 1 and found.coclassification[0, 7] == 0
    networkx = pytest.importorskip("networkx")
    graph = networkx.from_numpy_array(two)
    assert found.consensus_modularity == pytest.approx(networkx.community.modularity(graph, [{0, 1, 2, 3}, {4, 5, 6, 7}]))


def test_simulations_follow_their_seed_and_settings():
    one = congraph.simulate(n_nodes=15, n_views=2, n_signals=[10, 20], graph="rgg", mean_degree=4, seed=5)
    again = congraph.simulate(n_nodes=15, n_views=2, n_signals=[10, 20], graph="rgg", mean_degree=4, seed=5)
    assert one.views["view2"].shape == (20, 15) and one.positions.shape == (15, 2)
    for name in one.views:
        np.testing.assert_array_equal(one.views[name], again.views[name])
    changed = congraph.simulate(n_nodes=15, n_views=3, added=0.2, removed=0.1, edge_probability=0.4, filter="heat")
    assert changed.truth.graphs_.shape == (3, 15, 15)
    with pytest.raises(ValueError, match="graph"):
        congraph.simulate(graph="tree")
    with pytest.raises(ValueError, match="n_views"):
        congraph.simulate(n_views=0)


def test_print_has_seven_lines_and_html_is_escaped(data):
    names = ["<b>", "view2", "view3", "view4"]
    model = ConsensusGraph(alpha=0.05, beta=0.02).fit(dict(zip(names, map(np.asarray, data.views.values()))))
    text = str(model)
    assert len(text.splitlines()) == 7
    assert text.startswith("ConsensusGraph of 4 views × 24 nodes\n  consensus ")
    page = model._repr_html_()
    assert "<table>" in page and "<b>)" not in page
    assert model._repr_mimebundle_()["text/html"] == page
    assert str(ConsensusGraph(density=0.1)) == repr(ConsensusGraph(density=0.1))
    assert "density=0.1" in ConsensusGraph(density=0.1)._repr_html_()
    assert len(str(SingleGraph().fit(np.asarray(data.views["view1"]))).splitlines()) == 7


def test_noise_is_called_noise_and_the_floor_is_shown(data):
    rng = np.random.default_rng(1)
    noise = {f"v{k}": rng.standard_normal((300, 12)) for k in range(6)}
    for model in (ConsensusGraph(), ConsensusGraph(alpha=0.05, beta=0.02)):
        with pytest.warns(congraph.CongraphWarning, match="W13"):
            model.fit(noise)
        assert str(model).splitlines()[1].endswith("nothing in these data goes beyond chance (W13)")
        assert f"({model.similarity_floor_:.3f} when learned separately)" in str(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ConsensusGraph(alpha=0.05, beta=0.02).fit(data.views)
    assert model.similarity_floor_ < model.similarity_
    assert "CAUTION" not in str(model)


def test_rounding_noise_is_refused():
    signal = np.random.default_rng(2).standard_normal((50, 1))
    with pytest.raises(congraph.CongraphDataError, match="rounding noise") as caught:
        ConsensusGraph().fit({"a": signal * [1, 3, 7, 0.1, 11], "b": np.random.default_rng(3).standard_normal((50, 5))})
    assert caught.value.code == "E04" and caught.value.view == "a"


def test_warnings_are_told_and_kept(data):
    with pytest.warns(congraph.CongraphWarning, match="W05"):
        model = ConsensusGraph(alpha=0.05, beta=0.02).fit([np.asarray(array)[:10] for array in data.views.values()])
    assert {warning.code for warning in model.warnings_} >= {"W05"}
    # What is said of all views alike is said once.
    few = [warning for warning in model.warnings_ if warning.code == "W05"]
    assert len(few) == 1 and few[0].view is None and "each of 4 views (`view1`, " in str(few[0])
    with pytest.warns(congraph.CongraphWarning, match="W01"):
        stopped = ConsensusGraph(alpha=0.05, beta=0.02, max_iter=1).fit(data.views)
    assert not stopped.converged_ and stopped.relative_gap_ > 1e-8


def test_a_report_of_very_many_nodes_is_without_drawings(tmp_path):
    one, other = np.arange(2999), np.arange(1, 3000)
    chain = congraph.Graphs([f"n{k}" for k in range(3000)], ["a"], [one, other], np.ones((2999, 1)))
    page = chain.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "3000 nodes are too many to draw" in page and 'id="network"' not in page
