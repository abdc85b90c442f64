"""Views of subjects, chains and pairs."""

import numpy as np
import pandas
import pytest

import congraph
from congraph import ConsensusGraph

WHOSE = ["ann", "ann", "bob", "bob", "cid"]


@pytest.fixture(scope="module")
def views():
    data = congraph.simulate(n_nodes=15, n_views=5, n_signals=80, edge_probability=0.3, seed=3)
    return {name: np.array(array) for name, array in data.views.items()}


def test_subjects_have_graphs_of_their_own(views):
    model = ConsensusGraph(alpha=0.05, beta=0.02, subject_share=0.5).fit(views, subjects=WHOSE)
    assert model.subject_names_ == ["ann", "bob", "cid"]
    assert model.subjects_.shape == (3, 15, 15)
    assert model.relative_gap_ < 1e-8
    # With two views and a price of one, a subject's weight is the median of its views' and the consensus.
    middle = np.median(np.stack([model.graphs_[0], model.graphs_[1], model.consensus_]), axis=0)
    np.testing.assert_array_equal(model.subjects_[0], middle)
    by_name = ConsensusGraph(alpha=0.05, beta=0.02).fit(views, subjects=dict(zip(views, WHOSE, strict=True)))
    np.testing.assert_array_equal(by_name.subjects_, model.subjects_)


def test_long_tables_name_views_by_subject_and_condition(views):
    model = ConsensusGraph(alpha=0.05, beta=0.02).fit(views, subjects=WHOSE)
    tasks = ["rest", "walk", "rest", "walk", "rest"]
    parts = zip(views.values(), WHOSE, tasks, strict=True)
    long = pandas.concat([pandas.DataFrame(array).assign(who=who, task=task) for array, who, task in parts], ignore_index=True)
    long.columns = long.columns.astype(str)
    of_long = ConsensusGraph(alpha=0.05, beta=0.02).fit(long, views="task", subjects="who")
    assert of_long.view_names_ == ["ann/rest", "ann/walk", "bob/rest", "bob/walk", "cid/rest"]
    # Nodes are called otherwise there, and are summed up in another order.
    np.testing.assert_allclose(of_long.subjects_, model.subjects_, atol=1e-12)


def test_the_whole_share_is_the_flat_fit(views):
    flat = ConsensusGraph(alpha=0.05, beta=0.02).fit(views)
    whole = ConsensusGraph(alpha=0.05, beta=0.02, subject_share=1.0).fit(views, subjects=WHOSE)
    np.testing.assert_allclose(whole.graphs_, flat.graphs_, atol=1e-8)
    assert flat.subjects_ is None and flat.subject_names_ is None
    for subject in whole.subjects_:
        np.testing.assert_array_equal(subject, whole.consensus_)


def test_a_new_view_is_projected_on_the_consensus_of_subjects(views):
    model = ConsensusGraph(alpha=0.05, beta=0.02).fit(views, subjects=WHOSE)
    (projection,) = model.project({"new": views["view1"]})
    assert projection.converged


def test_chains_follow_the_order_and_pairs_do_not(views):
    first = list(views)
    chain = ConsensusGraph(alpha=0.05, beta=0.02, coupling="chain").fit(views)
    np.testing.assert_array_equal(chain.consensus_, np.median(chain.graphs_, axis=0))
    shuffled = {name: views[name] for name in [first[2], first[0], first[4], first[1], first[3]]}
    assert not np.array_equal(ConsensusGraph(alpha=0.05, beta=0.02, coupling="chain").fit(shuffled).consensus_, chain.consensus_)
    pairs = ConsensusGraph(alpha=0.05, beta=0.02, coupling="pairwise").fit(views)
    np.testing.assert_array_equal(
        ConsensusGraph(alpha=0.05, beta=0.02, coupling="pairwise").fit(shuffled).consensus_, pairs.consensus_
    )


def test_what_does_not_go_together_is_refused(views):
    with pytest.raises(ValueError, match="no subjects are told"):
        ConsensusGraph(subject_share=0.5).fit(views)
    with pytest.raises(ValueError, match="3 labels for 5 views"):
        ConsensusGraph().fit(views, subjects=["a", "a", "b"])
    with pytest.raises(ValueError, match="subject of its own"):
        ConsensusGraph().fit(views, subjects=list("abcde"))
    with pytest.raises(ValueError, match="coupling"):
        ConsensusGraph(coupling="ring").fit(views)
