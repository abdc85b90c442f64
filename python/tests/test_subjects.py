"""What a fit was told of subjects is known wherever its views are asked again."""

import numpy as np
import pandas
import pytest

import congraph
from congraph import ConsensusGraph

SUBJECTS = ["s1", "s1", "s2", "s2", "s3", "s3", "s4", "s4"]
SETTINGS = {"alpha": 0.05, "beta": 0.05}


@pytest.fixture(scope="module")
def eight():
    return congraph.simulate(n_nodes=10, n_views=8, n_signals=[60] * 4 + [90] * 4, edge_probability=0.25, seed=2)


@pytest.fixture(scope="module")
def fitted(eight):
    return ConsensusGraph(**SETTINGS).fit(eight.views, subjects=SUBJECTS)


def calls(model, X, **options):
    """Everything that takes the views of the fit again."""
    stability = model.stability(X, pairs=2, **options)
    refits = model.refits(X, resamples=2, **options)
    compared = model.compare(["a", "b"] * 4, equalise="auto", X=X, permutations=20, **options)
    return stability.edges["frequency"], refits.consensus, compared.null


def test_subjects_of_the_fit_are_remembered(eight, fitted, tmp_path):
    usual = calls(fitted, eight.views, subjects=SUBJECTS)
    loaded = congraph.load(fitted.save(tmp_path / "out"))
    for model, views in ((fitted, eight.views), (fitted, congraph.Views(eight.views)), (loaded, eight.views)):
        for one, other in zip(usual, calls(model, views), strict=True):
            np.testing.assert_array_equal(one, other)
    # Subjects of other views than those of the fit are not guessed.
    without = calls(ConsensusGraph(**SETTINGS).fit(eight.views), eight.views)
    assert not np.array_equal(without[1], usual[1])


def test_counts_of_one_are_the_fit_itself(eight, fitted):
    found = fitted.refits(eight.views, counts=np.ones((1, 600), dtype=int), units="samples")
    own = {tuple(pair): weight for pair, weight in zip(fitted.edge_index_.T.tolist(), fitted.consensus_weights_, strict=True)}
    for pair, weight in zip(found.edge_index.T.tolist(), found.consensus[0], strict=True):
        assert abs(own.get(tuple(pair), 0.0) - weight) < 1e-6


def test_subjects_of_a_long_table(eight):
    parts = [
        pandas.DataFrame(array, columns=eight.truth.node_names_).assign(who=who, task="xy"[k % 2])
        for k, (array, who) in enumerate(zip(eight.views.values(), SUBJECTS, strict=True))
    ]
    long = pandas.concat(parts, ignore_index=True)
    model = ConsensusGraph(**SETTINGS).fit(long, views="task", subjects="who")
    assert model.view_names_[0] == "s1/x"
    for found in calls(model, long, views="task", subjects="who"):
        assert np.isfinite(found).all()


def test_views_of_no_known_subject_get_a_sentence(eight, fitted):
    others = {f"other {name}": array for name, array in eight.views.items()}
    for call in (lambda: fitted.stability(others), lambda: fitted.refits(others), lambda: fitted.compare(["a", "b"] * 4, equalise="auto", X=others)):
        with pytest.raises(ValueError, match="was told whose view each is") as caught:
            call()
        assert "two-levels" not in str(caught.value) and "--" not in str(caught.value)


def test_unequal_samples_with_subjects_get_a_sentence(eight, fitted):
    with pytest.raises(congraph.CongraphDataError, match="was told subjects is not learned again") as caught:
        fitted.compare(["a"] * 4 + ["b"] * 4, equalise="auto", X=eight.views, permutations=20)
    assert caught.value.code == "E16" and "equalise" not in str(caught.value)
