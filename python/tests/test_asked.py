"""What a folder of the command line was asked for is asked again by its estimator in Python."""

import subprocess

import numpy as np
import pytest

import congraph
from congraph import ConsensusGraph

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402


@pytest.fixture(scope="module")
def learned(command, tmp_path_factory):
    """Learns folders, each once."""
    folder = tmp_path_factory.mktemp("asked")
    data = congraph.simulate(n_nodes=24, n_views=4, n_signals=80, edge_probability=0.2, seed=3)
    nodes = data.truth.node_names_
    for view, array in data.views.items():
        np.savetxt(folder / f"{view}.csv", array, delimiter=",", header=",".join(nodes), comments="", fmt="%.17g")
        np.savetxt(folder / f"rows-{view}.csv", np.cov(array.T), delimiter=",", header=",".join(nodes), comments="", fmt="%.17g")
    views = congraph.Views(dict(data.views), nodes=nodes)

    def learn(words, verb="learn", files="view?.csv"):
        names = sorted(path.name for path in folder.glob(files))
        out = f"out{len(list(folder.glob('out*')))}"
        subprocess.run([command, verb, *names, *words.split(), "-o", out, "--quiet"], check=True, capture_output=True, cwd=folder)
        return congraph.load(folder / out)

    return learn, views, folder


ASKED = {
    "--alpha .1 --similarity .9": {"alpha": 0.1, "similarity": 0.9},
    "--density .2 --gamma .05": {"density": 0.2, "gamma": 0.05},
    "--penalty l2 --consensus-density .1": {"consensus_density": 0.1, "penalty": "l2"},
    "--density .2 --beta .05": {"density": 0.2, "beta": 0.05},
    "--density .15 --consensus-density=.1": {"density": 0.15, "consensus_density": 0.1},
    "--density .2 --drop-nodes n01,n03": {"drop_nodes": ("n01", "n03"), "density": 0.2},
    "--alpha .1 --beta .05 --drop-nodes=n01 --drop-nodes n02 --nan drop-rows --nodes common": {"nan": "drop-rows", "nodes": "common"},
    "--method likelihood --density .2 --beta 2": {"density": 0.2, "beta": 2.0},
    "--method likelihood --similarity .9 --gamma .1": {"similarity": 0.9, "gamma": 0.1},
    "--alpha .1 --beta .05 --max-iterations 77 --allow-counts": {"max_iter": 77, "allow_counts": True},
    "--single --density .2 --drop-nodes n05": {"density": 0.2, "drop_nodes": ("n05",)},
    "--method jgl-fused --lambda1 .2 --lambda2 .03 --drop-nodes n05": {"lambda1": 0.2, "drop_nodes": ("n05",)},
}


@pytest.mark.parametrize("words", ASKED)
def test_a_copy_of_what_was_loaded_learns_the_same(words, learned):
    learn, views, _ = learned
    model = learn(words)
    params = model.get_params()
    for name, value in ASKED[words].items():
        assert params[name] == value, name
    again = clone(model).fit(views)
    assert again.node_names_ == model.node_names_
    np.testing.assert_allclose(again.graphs_, model.graphs_, atol=1e-6)
    if isinstance(model, ConsensusGraph):
        np.testing.assert_allclose(again.consensus_, model.consensus_, atol=1e-6)
        assert model.stability(views, pairs=2).pairs == 2


def test_matrices_and_tables_with_nodes_in_rows(learned):
    learn, views, _ = learned
    model = learn("--covariance --alpha .1 --beta .05", files="rows-view?.csv")
    assert model.kind == "covariance"
    covariances = congraph.Views({f"rows-{name}": np.cov(array.T) for name, array in views.items()}, nodes=views.nodes["view1"])
    np.testing.assert_allclose(clone(model).fit(covariances).graphs_, model.graphs_, atol=1e-6)


def test_the_path_of_tune_is_loaded_with_its_folder(learned, tmp_path):
    learn, views, _ = learned
    model = learn("--density 0.1:0.2 --similarity 0.85:0.9 --halvings 2", verb="tune")
    usual = ConsensusGraph().tune(views, density=(0.1, 0.2), similarity=(0.85, 0.9), halvings=2)
    assert (model.path_choice_, model.path_best_, model.path_rule_) == (usual.path_choice_, usual.path_best_, usual.path_rule_)
    assert list(model.path_) == list(usual.path_)
    for name, values in usual.path_.items():
        np.testing.assert_array_equal(model.path_[name], values, err_msg=name)
    congraph.plots.path(model)
    # Written by Python, the path is kept with the estimator.
    again = congraph.load(usual.save(tmp_path / "out"))
    for name, values in usual.path_.items():
        np.testing.assert_array_equal(again.path_[name], values, err_msg=name)
    assert not hasattr(learn("--density .2"), "path_")


def test_paths_that_are_none(model):
    for call in (lambda: congraph.load(None), lambda: model.save(None), lambda: model.save(3)):
        with pytest.raises(TypeError, match="it must be the path of a folder"):
            call()
