"""Resamples are fitted as the whole is."""

import numpy as np
import pytest

import congraph


def fitted(**options):
    data = congraph.simulate(n_nodes=14, n_views=3, n_signals=120, seed=1)
    views = {name: np.array(data.views[name]) for name in data.views}
    blocks = {name: [f"t{k // 12:02}" for k in range(120)] for name in views}
    return congraph.ConsensusGraph(alpha=0.02, beta=0.03, **options).fit(views, blocks=blocks), views, blocks


def test_counts_of_one_give_the_fit_itself():
    m, views, blocks = fitted()
    found = m.refits(views, blocks=blocks, counts=np.ones((2, 30), dtype=int), weights=True)
    assert len(found) == 2 and found.n_units == [10, 10, 10]
    assert found.weights.shape == (2, found.consensus.shape[1], 3)
    own = {tuple(pair): weight for pair, weight in zip(m.edge_index_.T.tolist(), m.consensus_weights_, strict=True)}
    for pair, weight in zip(found.edge_index.T.tolist(), found.consensus[0], strict=True):
        assert abs(own.get(tuple(pair), 0.0) - weight) < 1e-6
    assert np.array_equal(found.consensus[0], found.consensus[1])


def test_resamples_are_their_seed_and_loose_fits_are_near():
    m, views, blocks = fitted()
    one, again = (m.refits(views, blocks=blocks, resamples=5, seed=3) for _ in range(2))
    assert np.array_equal(one.consensus, again.consensus) and not np.array_equal(one.consensus[0], one.consensus[1])
    loose = m.refits(views, blocks=blocks, resamples=5, seed=3, tolerance=1e-5)
    assert abs(loose.consensus.sum() / one.consensus.sum() - 1) < 0.01
    assert one.frequency.shape == one.source.shape and 0 < one.frequency.max() <= 1 and "5 resamples" in repr(one)
    few = m.refits(views, resamples=3, units="samples")
    assert few.n_units == [120, 120, 120]


def test_wrong_counts_are_refused():
    m, views, blocks = fitted()
    with pytest.raises(ValueError, match=r"are of 29 units .*9 of `view3`.*, and the data have 30 units \(10 of `view1`"):
        m.refits(views, blocks=blocks, counts=np.ones((1, 29), dtype=int))
    with pytest.raises(ValueError, match="counts"):
        m.refits(views, blocks=blocks, counts=np.ones((1, 29), dtype=int))
    with pytest.raises(ValueError, match="leave nothing"):
        m.refits(views, blocks=blocks, counts=[[0] * 10 + [1] * 20])
    with pytest.raises(ValueError, match="tolerance"):
        m.refits(views, blocks=blocks, tolerance=-1.0)
