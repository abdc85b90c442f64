"""`ConsensusGraphCV`: the choice by held-out data as an estimator."""

import numpy as np
import pytest

import congraph
from congraph import ConsensusGraph, ConsensusGraphCV

SMALL = {"density": (0.1, 0.3), "similarity": (0.8, 0.9), "halvings": 2}


def test_it_is_tune_as_an_estimator(data):
    chosen = ConsensusGraphCV(**SMALL).fit(data.views)
    tuned = ConsensusGraph().tune(data.views, **SMALL)
    np.testing.assert_array_equal(chosen.graphs_, tuned.graphs_)
    np.testing.assert_array_equal(chosen.path_["gain"], tuned.path_["gain"])
    assert chosen.best_params_["density"] == pytest.approx(chosen.density_, abs=0.02)
    assert chosen.best_score_ == chosen.path_["gain"][chosen.path_choice_]
    # What it chose, learned once.
    once = ConsensusGraph(**chosen.best_params_).fit(data.views)
    assert congraph.evaluate(once, chosen).consensus["f1"] > 0.9
    assert chosen.transform(data.views).shape == (4, 24, 24) and chosen.score(data.views) > 0
    assert "ConsensusGraphCV of 4 views" in str(chosen)


def test_by_stability(data):
    chosen = ConsensusGraphCV(**SMALL, criterion="stability").fit(data.views)
    assert chosen.path_rule_ == "stability" and chosen.best_score_ == chosen.path_["agreement"][chosen.path_choice_]


def test_blocks_by_number_are_contiguous(data):
    numbered = ConsensusGraphCV(**SMALL, blocks=8).fit(data.views)
    arrays = {name: np.asarray(array) for name, array in data.views.items()}
    labels = {name: np.repeat([f"{k:06d}" for k in range(8)], 10) for name in arrays}
    nodes = data.views.nodes
    told = ConsensusGraphCV(**SMALL).fit(congraph.Views(arrays, nodes=nodes, blocks=labels))
    np.testing.assert_array_equal(numbered.path_["gain"], told.path_["gain"])
    apart = ConsensusGraphCV(**SMALL).fit(data.views)
    assert not np.array_equal(numbered.path_["gain"], apart.path_["gain"])
    with pytest.raises(ValueError, match="from 2 to 80"):
        ConsensusGraphCV(**SMALL, blocks=81).fit(data.views)
    with pytest.raises(ValueError, match="already"):
        ConsensusGraphCV(**SMALL, blocks=4).fit(congraph.Views(arrays, nodes=nodes, blocks=labels))


def test_in_a_pipeline(data):
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    centred = preprocessing.FunctionTransformer(lambda views: [np.asarray(x) - np.asarray(x).mean(axis=0) for x in views])
    steps = pipeline.make_pipeline(centred, ConsensusGraphCV(**SMALL))
    steps.set_params(consensusgraphcv__keep=1.0)
    arrays = [np.asarray(array) for array in data.views.values()]
    assert steps.fit_transform(arrays).shape == (4, 24, 24)
    assert steps[-1].path_choice_ == steps[-1].path_best_
