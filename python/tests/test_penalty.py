"""Penalties written in Python."""

import numpy as np
import pytest

from congraph import ConsensusGraph


class AbsoluteValues:
    """What the engine calls l1."""

    def value(self, differences):
        return np.abs(differences).sum()

    def prox(self, differences, step):
        return np.sign(differences) * np.maximum(np.abs(differences) - step, 0.0)


class Rows:
    """What the engine calls l2."""

    def value(self, differences):
        return np.linalg.norm(differences, axis=1).sum()

    def prox(self, differences, step):
        lengths = np.linalg.norm(differences, axis=1, keepdims=True)
        return differences * np.maximum(1.0 - step / np.maximum(lengths, 1e-300), 0.0)


@pytest.mark.parametrize(("written", "named"), [(AbsoluteValues, "l1"), (Rows, "l2")])
def test_they_give_what_the_engines_own_give(data, written, named):
    mine = ConsensusGraph(alpha=0.05, beta=0.03, penalty=written(), tol=1e-9).fit(data.views)
    ours = ConsensusGraph(alpha=0.05, beta=0.03, penalty=named).fit(data.views)
    assert mine.converged_ and mine.relative_gap_ <= 1e-9
    assert mine.objective_ == pytest.approx(ours.objective_, rel=1e-8)
    np.testing.assert_allclose(mine.graphs_, ours.graphs_, atol=1e-3)
    assert f"penalty {written.__name__}" in str(mine)


@pytest.mark.parametrize("method", ["value", "prox"])
def test_what_they_raise_arrives_as_it_is(data, method):
    class Broken(AbsoluteValues):
        pass

    class Mine(RuntimeError):
        pass

    raised = Mine("not today")

    def fail(*_):
        raise raised

    setattr(Broken, method, fail)
    with pytest.raises(Mine) as error:
        ConsensusGraph(alpha=0.05, beta=0.03, penalty=Broken()).fit(data.views)
    assert error.value is raised
    assert error.value.__traceback__ is not None


def test_wrong_answers_are_refused(data):
    class Wrong(AbsoluteValues):
        answer = None

        def prox(self, differences, step):
            return self.answer(differences)

    def ask(answer):
        penalty = Wrong()
        penalty.answer = answer
        ConsensusGraph(alpha=0.05, beta=0.03, penalty=penalty).fit(data.views)

    with pytest.raises(ValueError, match="shape"):
        ask(lambda differences: differences[:-1])
    with pytest.raises(ValueError, match="not finite"):
        ask(lambda differences: differences * np.nan)
    with pytest.raises((TypeError, ValueError)):
        ask(lambda differences: None)

    class Worthless(AbsoluteValues):
        def value(self, differences):
            return np.nan

    with pytest.raises(ValueError, match="value returned"):
        ConsensusGraph(alpha=0.05, beta=0.03, penalty=Worthless()).fit(data.views)
    with pytest.raises(TypeError, match="prox"):
        ConsensusGraph(alpha=0.05, beta=0.03, penalty=object()).fit(data.views)


def test_they_may_learn_graphs_themselves(data):
    """A fit inside a fit, from the threads that share the work."""

    class Nested(AbsoluteValues):
        asked = 0

        def prox(self, differences, step):
            if self.asked < 2:
                ConsensusGraph(alpha=0.05, beta=0.03).fit(data.views)
            self.asked += 1
            return super().prox(differences, step)

    assert ConsensusGraph(alpha=0.05, beta=0.03, penalty=Nested(), tol=1e-6).fit(data.views).converged_


class HalfSquares:
    def value(self, differences):
        return 0.5 * (differences**2).sum()

    def prox(self, differences, step):
        return differences / (1 + step)


def test_the_consensus_has_no_edge_that_no_view_has(data):
    mine = ConsensusGraph(alpha=0.05, beta=0.2, penalty=HalfSquares(), tol=1e-6).fit(data.views)
    ours = ConsensusGraph(alpha=0.05, beta=0.1, penalty="squared-l2").fit(data.views)
    assert mine.converged_
    assert mine.consensus_weights_[~(mine.weights_ > 0).any(axis=1)].sum() == 0
    assert (mine.consensus_weights_ <= mine.weights_.max(axis=1)).all()
    assert mine.objective_ == pytest.approx(ours.objective_, rel=1e-5)
    assert mine.consensus_density_ == pytest.approx(ours.consensus_density_, abs=0.02)


def test_a_prox_of_something_else_is_refused(data):
    class TooFar(AbsoluteValues):
        def prox(self, differences, step):
            return super().prox(differences, 2 * step)

    class Negative(AbsoluteValues):
        def value(self, differences):
            return super().value(differences) - 100.0

    with pytest.raises(ValueError, match="not the proximal map"):
        ConsensusGraph(alpha=0.05, beta=0.03, penalty=TooFar()).fit(data.views)
    with pytest.raises(ValueError, match="at least 0"):
        ConsensusGraph(alpha=0.05, beta=0.03, penalty=Negative()).fit(data.views)


def test_a_penalty_of_ones_own_is_not_mistaken_for_one_of_ours(data):
    class l1(HalfSquares):  # noqa: N801
        pass

    model = ConsensusGraph(alpha=0.05, beta=0.2, penalty=l1(), tol=1e-6).fit(data.views)
    with pytest.raises(ValueError, match="cannot be projected"):
        model.transform(data.views)
