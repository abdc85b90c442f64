"""The estimators are scikit-learn compatible, with it and without it."""

import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import congraph
from congraph import ConsensusGraph, ConsensusGraphCV, JointGraphicalLasso, SingleGraph

sklearn = pytest.importorskip("sklearn")
from sklearn.base import BaseEstimator, clone  # noqa: E402
from sklearn.exceptions import NotFittedError, SkipTestWarning  # noqa: E402
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]

#: scikit-learn's checks that `ConsensusGraph` does not pass, and why; `check_transformer_general` is made twice, with data in read-only memory, too.
#: The other estimators pass all.
EXPECTED_FAILURES = {
    "check_transformer_general": "transform gives one graph per view, not one row per sample",
    "check_transformer_data_not_an_array": "transform gives one graph per view, not one row per sample",
    "check_methods_sample_order_invariance": "transform gives one graph per view, not one row per sample",
    "check_methods_subset_invariance": "a view's graph needs all of its samples",
}


class Dealt:
    """One table has no consensus; every other row is another view."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags

    def fit(self, X, y=None):
        shape = np.shape(X)
        return super().fit(X, views=np.arange(shape[0]) % 2 if len(shape) == 2 else None)


class Halves(Dealt, ConsensusGraph):
    """With a density and a similarity."""


class ChosenHalves(Dealt, ConsensusGraphCV):
    """With both chosen."""


#: Some checks have data that look like raw counts, which are refused unless allowed.
ESTIMATORS = [
    (SingleGraph(allow_counts=True), {}),
    (JointGraphicalLasso(allow_counts=True), {}),
    (Halves(allow_counts=True), EXPECTED_FAILURES),
    (ChosenHalves((0.2, 0.9), (0.05, 0.999), halvings=1, allow_counts=True), EXPECTED_FAILURES),
]


def checks():
    for estimator, expected in ESTIMATORS:
        assert len(expected) <= 4
        for found, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            marks = [pytest.mark.xfail(reason=expected[name], strict=True)] if name in expected else []
            yield pytest.param(found, check, id=f"{type(estimator).__name__}-{name}", marks=marks)


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
def test_figures_of_the_checks_are_those_of_the_documentation():
    """And what takes no table of two dimensions says so, in the words of scikit-learn."""
    text = " ".join((ROOT / "docs/python.md").read_text(encoding="utf-8").split())
    for estimator in (ConsensusGraph(), ConsensusGraphCV()):
        with pytest.warns(SkipTestWarning, match="two_d_array=False"):
            (result,) = check_estimator(estimator, on_fail=None)
        assert (result["check_name"], result["status"]) == ("check_estimator_cloneable", "passed")
    for estimator, told in (
        (SingleGraph(allow_counts=True), "pass 40 of 41"),
        (JointGraphicalLasso(allow_counts=True), "pass 40 of 41"),
        (Halves(allow_counts=True), "pass 40 of 46. The five that fail"),
    ):
        assert told in text
        results = check_estimator(estimator, on_fail=None)
        if sklearn.__version__.startswith("1.9."):
            counts = [int(word) for word in told.replace(".", "").split() if word.isdigit()]
            assert [sum(one["status"] == "passed" for one in results), len(results)] == counts[:2], type(estimator)


@pytest.mark.parametrize("made", [ConsensusGraph(density=0.1, similarity=0.9), SingleGraph(alpha=0.2), JointGraphicalLasso(0.3), ConsensusGraphCV(keep=0.9, blocks=4)])
def test_clone_and_parameters(made):
    assert isinstance(made, BaseEstimator)
    copy = clone(made)
    assert copy.get_params() == made.get_params() and copy is not made
    copy.set_params(tol=1e-5)
    assert copy.tol == 1e-5 and made.tol == 1e-8
    with pytest.raises(ValueError):
        copy.set_params(colour="red")
    assert eval(repr(made)).get_params() == made.get_params()


def test_pickle_keeps_everything(model, data):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.graphs_, model.graphs_)
    np.testing.assert_array_equal(again.transform(data.views), model.transform(data.views))
    assert str(again) == str(model)


def test_not_fitted(data):
    for call in (ConsensusGraph().transform, ConsensusGraph().score, SingleGraph().score):
        with pytest.raises(NotFittedError):
            call(np.asarray(data.views["view1"]))


def test_cross_validation_over_subjects():
    data = congraph.simulate(n_nodes=20, n_views=6, n_signals=100, edge_probability=0.2, seed=2)
    subjects = [np.asarray(array) for array in data.views.values()]
    model = ConsensusGraph(density=0.2, similarity=0.9)
    scores = cross_val_score(model, subjects, cv=3)
    assert scores.shape == (3,) and (scores > 0.05).all()
    np.testing.assert_array_equal(cross_val_score(model, np.stack(subjects), cv=3), scores)
    # By hand: learned from four subjects, scored on the other two.
    train, test = next(KFold(3).split(subjects))
    by_hand = clone(model).fit([subjects[k] for k in train]).score([subjects[k] for k in test])
    assert scores[0] == by_hand
    # Subjects of another graph are less likely.
    other = congraph.simulate(n_nodes=20, n_views=2, n_signals=100, edge_probability=0.2, seed=9)
    assert model.fit(subjects).score([np.asarray(array) for array in other.views.values()]) < scores.mean()


def test_grid_search_over_density():
    data = congraph.simulate(n_nodes=30, n_views=6, n_signals=400, edge_probability=0.2, seed=5)
    subjects = [np.asarray(array) for array in data.views.values()]
    search = GridSearchCV(ConsensusGraph(similarity=0.9), {"density": [0.04, 0.1, 0.2, 0.6]}, cv=3).fit(subjects)
    # Neither the emptiest nor the fullest: the truth has 0.2.
    assert search.best_params_["density"] in (0.1, 0.2)
    assert congraph.evaluate(search.best_estimator_, Renamed(data.truth)).consensus["f1"] > 0.7


class Renamed(congraph.Graphs):
    """The truth with nodes called as in arrays without names."""

    def __init__(self, truth):
        nodes = [str(k) for k in range(len(truth.node_names_))]
        super().__init__(nodes, truth.view_names_, truth.edge_index_, truth.weights_, truth.consensus_weights_)


def test_output_as_rows_with_names(model, data):
    matrices = model.transform(data.views)
    rows = clone(model).set_params(vectorize=True).fit(data.views).transform(data.views)
    names = model.get_feature_names_out()
    assert matrices.shape == (4, 24, 24) and rows.shape == (4, 276) and len(names) == 276
    np.testing.assert_array_equal(rows, matrices[:, *np.triu_indices(24, 1)])
    assert names[0] == f"{model.node_names_[0]}--{model.node_names_[1]}"
    framed = clone(model).set_output(transform="pandas").fit(data.views).transform(data.views)
    assert framed.columns.tolist() == names.tolist() and framed.index.tolist() == model.view_names_
    np.testing.assert_array_equal(framed.to_numpy(), rows)
    polars = clone(model).set_output(transform="polars").fit_transform(data.views)
    assert polars.shape == (4, 276)
    from sklearn import config_context

    with config_context(transform_output="pandas"):
        assert model.transform(data.views).shape == (4, 276)
    with pytest.raises(ValueError, match="input_features"):
        model.get_feature_names_out(["a"])
    with pytest.raises(ValueError, match="pandas"):
        model.set_output(transform="table")


def test_in_a_pipeline_before_a_classifier(data):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    arrays = [np.asarray(array) for array in data.views.values()]
    whole = make_pipeline(ConsensusGraph(density=0.2, vectorize=True), LogisticRegression()).fit(arrays, [0, 0, 1, 1])
    assert whole.predict(arrays).shape == (4,)


def test_n_jobs_none_is_one_unless_joblib_says_otherwise():
    joblib = pytest.importorskip("joblib")
    from congraph._progress import running

    assert running(None)["n_jobs"] == 1
    assert running(-1)["n_jobs"] is None and running(3)["n_jobs"] == 3
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert running(None)["n_jobs"] == 2


def test_joint_graphical_lassos_have_scores_and_matrices(data):
    model = JointGraphicalLasso(0.2, 0.03).fit(data.views)
    identity = np.einsum("kij,kjl->kil", model.precisions_, model.covariances_)
    np.testing.assert_allclose(identity, np.broadcast_to(np.eye(24), identity.shape), atol=1e-8)
    with pytest.raises(AttributeError, match="precisions_"):
        model.precision_
    alone = JointGraphicalLasso(0.2).fit(data.views["view1"])
    assert alone.precision_.shape == alone.covariance_.shape == (24, 24)
    # By hand: Gaussian log-likelihood above that of independent nodes, of z-scored signals.
    views = {name: np.asarray(array) for name, array in data.views.items()}
    gains = []
    for precision, array in zip(model.precisions_, views.values(), strict=True):
        correlation = np.corrcoef(array.T)
        gains.append(0.5 * (np.linalg.slogdet(precision)[1] - np.trace(correlation @ precision) + 24) / 24)
    assert model.score(data.views) == pytest.approx(np.mean(gains)) and model.score(data.views) > 0.05
    other = congraph.simulate(n_nodes=24, n_views=1, n_signals=80, edge_probability=0.2, seed=9).views["view1"]
    assert model.score(congraph.Views({"new": other}, nodes=data.truth.node_names_)) < model.score(data.views)
    assert cross_val_score(JointGraphicalLasso(0.2), [array for array in views.values()], cv=2).shape == (2,)


def test_scores_of_a_lasso_whose_data_have_gaps():
    """What the fit makes of NaN, the score does."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    chain = np.eye(8) + 0.4 * (np.eye(8, k=1) + np.eye(8, k=-1))
    whole = {name: rng.multivariate_normal(np.zeros(8), np.linalg.inv(chain), 200) for name in "ab"}
    gaps = {name: np.where(rng.random(array.shape) < 0.03, np.nan, array) for name, array in whole.items()}
    dropped = JointGraphicalLasso(0.1, nan="drop-rows").fit(gaps)
    kept = {name: array[np.isfinite(array).all(axis=1)] for name, array in gaps.items()}
    assert dropped.score(gaps) == pytest.approx(dropped.score(kept)) and dropped.ebic(gaps) == pytest.approx(dropped.ebic(kept))
    paired = JointGraphicalLasso(0.1, nan="pairwise").fit(gaps)
    gains = []
    for precision, array in zip(paired.precisions_, gaps.values(), strict=True):
        correlation = pandas.DataFrame(array).corr().to_numpy()
        gains.append(0.5 * (np.linalg.slogdet(precision)[1] - np.trace(correlation @ precision) + 8) / 8)
    assert paired.score(gaps) == pytest.approx(np.mean(gains), abs=1e-9)
    assert JointGraphicalLasso(nan="pairwise").tune(gaps, lambda1=[0.6, 0.1], lambda2=[0.02]).lambda1 == 0.1
    # Correlations that do not fit together are judged as what they were moved to, which has a criterion.
    short = {name: np.where(rng.random((16, 8)) < 0.3, np.nan, array[:16]) for name, array in whole.items()}
    assert np.linalg.eigvalsh(pandas.DataFrame(short["a"]).corr().to_numpy())[0] < 0
    moved = JointGraphicalLasso(0.3, nan="pairwise").fit(short)
    assert np.isfinite(moved.ebic(short)) and np.isfinite(moved.score(short))
    with pytest.raises(ValueError, match="NaN"):
        dropped.set_params(nan="error").score(gaps)


def test_joint_graphical_lassos_are_chosen_by_ebic():
    chain = np.eye(20) + 0.4 * (np.eye(20, k=1) + np.eye(20, k=-1))
    rng = np.random.default_rng(0)
    views = {name: rng.multivariate_normal(np.zeros(20), np.linalg.inv(chain), 400) for name in "ab"}
    model = JointGraphicalLasso().tune(views, lambda1=[0.6, 0.3, 0.1, 0.03, 0.005], lambda2=[0.02])
    assert model.path_choice_ == int(np.argmin(model.path_["ebic"])) and model.ebic(views) == pytest.approx(model.path_["ebic"].min())
    # Neither the emptiest nor the fullest, and nearly the chain.
    assert model.lambda1 in (0.3, 0.1)
    assert congraph.f1(model, chain - np.eye(20)) > 0.9
    # By hand: the likeliest matrix on the edges by gradient ascent.
    optimize = pytest.importorskip("scipy.optimize")
    by_hand = 0.0
    for precision, array in zip(model.precisions_, views.values(), strict=True):
        correlation = np.corrcoef(array.T)
        one, other = np.nonzero(np.triu(precision))

        def deviance(entries, one=one, other=other, correlation=correlation):
            theta = np.zeros((20, 20))
            theta[one, other] = theta[other, one] = entries
            sign, logarithm = np.linalg.slogdet(theta)
            if sign <= 0 or np.linalg.eigvalsh(theta)[0] <= 0:
                return 1e9, np.zeros(len(entries))
            slope = correlation - np.linalg.inv(theta)
            return (correlation * theta).sum() - logarithm, np.where(one == other, 1.0, 2.0) * slope[one, other]

        found = optimize.minimize(deviance, precision[one, other], jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9})
        edges = np.count_nonzero(np.triu(precision, 1))
        by_hand += 400 * found.fun + edges * np.log(400) + 2 * edges * np.log(20)
    assert model.ebic(views) == pytest.approx(by_hand, rel=1e-5)


def test_words_are_types():
    """Literal types: an editor offers the words, and there are no others."""
    import typing

    from congraph import _choices

    hints = typing.get_type_hints(ConsensusGraph.__init__)
    assert set(typing.get_args(hints["nan"])) == {"error", "drop-rows", "pairwise"}
    assert set(typing.get_args(hints["missing"])) == {"error", "mask"}
    assert len(_choices.__all__) > 10


WITHOUT = """
import sys
for name in ("sklearn", "pandas", "scipy", "networkx", "matplotlib"):
    sys.modules[name] = None
import numpy as np
import pickle
import congraph

data = congraph.simulate(n_nodes=15, n_views=2, edge_probability=0.3)
m = congraph.ConsensusGraph(density=0.2)
assert repr(m) == "ConsensusGraph(density=0.2)", repr(m)
try:
    m.score(data.views)
except ValueError as error:
    assert "not fitted" in str(error)
else:
    raise AssertionError
m.fit(data.views)
assert m.get_params()["density"] == 0.2 and m.set_params(tol=1e-6).tol == 1e-6
try:
    m.set_params(colour="red")
except ValueError as error:
    assert "colour" in str(error)
else:
    raise AssertionError
assert pickle.loads(pickle.dumps(m)).consensus_.shape == (15, 15)
assert type(m).__mro__[2].__name__ != "BaseEstimator"
assert len(str(m).splitlines()) == 7 and "<table>" in m._repr_html_()
try:
    m.to_frame()
except ImportError as error:
    assert "pip install pandas" in str(error), error
else:
    raise AssertionError
print("ok")
"""


def test_numpy_is_all_that_is_needed():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", WITHOUT], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_a_lasso_judges_a_list_by_all_subjects(data):
    """In cross-validation the first of the list that is left out is not the first that was learned."""
    arrays = [np.asarray(array) for array in data.views.values()]
    m = JointGraphicalLasso(0.2, 0.02)
    scores = cross_val_score(m, arrays, cv=2)
    for number, (train, test) in enumerate(KFold(2).split(arrays)):
        fitted = clone(m).fit([arrays[k] for k in train])
        renamed = {f"other {k}": arrays[k] for k in test}
        assert scores[number] == pytest.approx(fitted.score(renamed), rel=1e-12)
        assert scores[number] == pytest.approx(fitted.score(np.stack([arrays[k] for k in test])), rel=1e-12)
    # Views that were named are judged by their own.
    plain = dict(data.views)
    named = clone(m).fit(plain)
    assert named.score(plain) > named.score(arrays) and named.score(plain) > clone(m).fit(arrays).score(plain)


def test_a_lasso_that_cannot_be_tuned_keeps_its_parameters(data):
    m = JointGraphicalLasso(0.123, 0.0456)
    broken = {name: np.where(np.arange(24) == 3, 1.0, array) for name, array in data.views.items()}
    with pytest.raises(congraph.CongraphDataError):
        m.tune(broken)
    assert (m.lambda1, m.lambda2) == (0.123, 0.0456)
    covariances = {name: np.cov(array.T) for name, array in data.views.items()}
    of_matrices = JointGraphicalLasso(0.2, kind="covariance").fit(covariances)
    for call, told in ((of_matrices.ebic, "the criterion needs"), (of_matrices.tune, "the criterion needs"), (of_matrices.score, "a score needs")):
        with pytest.raises(ValueError, match=f"{told} signals"):
            call(covariances)
