"""The estimators are scikit-learn compatible, with it and without it."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import congraph
from congraph import ConsensusGraph, ConsensusGraphCV, JointGraphicalLasso, SingleGraph

pytest.importorskip("sklearn")
from sklearn.base import BaseEstimator, clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

#: scikit-learn's checks that `ConsensusGraph` does not pass, and why. The other estimators pass all.
EXPECTED_FAILURES = {
    "check_transformer_general": "transform gives one graph per view, not one row per sample",
    "check_transformer_data_not_an_array": "transform gives one graph per view, not one row per sample",
    "check_methods_sample_order_invariance": "transform gives one graph per view, not one row per sample",
    "check_methods_subset_invariance": "a view's graph needs all of its samples",
}


#: The same of `ConsensusGraphCV`: graphs of two or three nodes have no density and similarity to choose from (E10), or, in halves of so
#: few samples, nodes that are all alike (E04).
TOO_FEW_NODES = (
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_n_features_in",
    "check_readonly_memmap_input",
)
EXPECTED_OF_CHOICE = EXPECTED_FAILURES | dict.fromkeys(TOO_FEW_NODES, "two or three nodes leave nothing to choose")


class Halves(ConsensusGraph):
    """One table has no consensus; every other row is another view."""

    def fit(self, X, y=None):
        shape = np.shape(X)
        return super().fit(X, groups=np.arange(shape[0]) % 2 if len(shape) == 2 else None)


class ChosenHalves(ConsensusGraphCV):
    """The same, with density and similarity chosen."""

    def fit(self, X, y=None):
        shape = np.shape(X)
        return super().fit(X, groups=np.arange(shape[0]) % 2 if len(shape) == 2 else None)


#: Some checks have data that look like raw counts, which are refused unless allowed.
ESTIMATORS = [
    (SingleGraph(allow_counts=True), {}),
    (JointGraphicalLasso(allow_counts=True), {}),
    (Halves(allow_counts=True), EXPECTED_FAILURES),
    (ChosenHalves((0.2, 0.9), (0.05, 0.999), halvings=1, allow_counts=True), EXPECTED_OF_CHOICE),
]


def checks():
    for estimator, expected in ESTIMATORS:
        assert len(expected) <= 11
        for found, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            marks = [pytest.mark.xfail(reason=expected[name], strict=True)] if name in expected else []
            yield pytest.param(found, check, id=f"{type(estimator).__name__}-{name}", marks=marks)


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


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
        nodes = [str(k + 1) for k in range(len(truth.node_names_))]
        super().__init__(nodes, truth.view_names_, truth.edge_index_, truth.edges_, truth.consensus_edges_)


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
