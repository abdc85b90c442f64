"""Sweeps over joblib: whatever backend runs them and in whatever batches, they give the serial result to the bit."""

import contextlib
import pickle

import numpy as np
import pytest

import congraph
from congraph import _sweep

joblib = pytest.importorskip("joblib")

TUNE = {"density": (0.1, 0.3), "similarity": (0.8, 0.9), "halvings": 4}


@pytest.fixture(scope="module")
def data():
    """Eight views of 16 nodes, in ten blocks."""
    return congraph.simulate(n_nodes=16, n_views=8, n_signals=80, edge_probability=0.2, seed=3)


@pytest.fixture(scope="module")
def model(data):
    return congraph.ConsensusGraph(density=0.2, similarity=0.85).fit(data.views)


@contextlib.contextmanager
def backend_of(name):
    """A joblib context with two workers."""
    if name == "dask":
        distributed = pytest.importorskip("distributed", reason="dask is not installed")
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
            yield
    elif name == "ray":
        ray = pytest.importorskip("ray", reason="ray is not installed")
        from ray.util.joblib import register_ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        try:
            register_ray()
            with joblib.parallel_config(backend="ray", n_jobs=2):
                yield
        finally:
            ray.shutdown()
    else:
        with joblib.parallel_config(backend=name, n_jobs=2):
            yield


def swept(data, model):
    """The result of every sweep, as bytes."""
    blocks = {name: np.repeat(np.arange(10), 8) for name in data.views}
    stability = model.stability(data.views, blocks=blocks, pairs=30)
    compared = model.compare(["a", "b"] * 4, measures=["edges", "components", "strength", "density"])
    drawn = model.compare(["a", "b"] * 4, permutations=60, seed=7)
    tuned = congraph.ConsensusGraphCV(**TUNE).fit(data.views)
    return {
        "stability": {**stability.edges, **{f"view {name}": values for name, values in stability.views.items()}},
        "stability record": stability.record,
        "compare": {name: np.asarray(values) for name, values in dict(compared.edges).items()},
        "compare null": compared.null,
        "drawn null": drawn.null,
        "path": tuned.path_,
        "choice": tuned.path_choice_,
        "graphs": tuned.graphs_,
    }


def as_bytes(found):
    """Every number with all its bits."""
    if isinstance(found, dict):
        return {name: as_bytes(value) for name, value in found.items()}
    if isinstance(found, np.ndarray):
        return (found.dtype.str, found.tolist() if found.dtype == object else found.tobytes())
    return repr(found)


@pytest.fixture(scope="module")
def serial(data, model):
    return as_bytes(swept(data, model))


@pytest.mark.parametrize("name", ["loky", "threading", "dask", "ray"])
def test_every_backend_gives_the_serial_result(name, data, model, serial, monkeypatch):
    calls = []
    run = _sweep.Workers.run
    monkeypatch.setattr(_sweep.Workers, "run", lambda self, *args: calls.append(args[0].part) or run(self, *args))
    # Few relabellings are made many tasks of.
    monkeypatch.setattr("congraph._graphs.RELABELLINGS", 10)
    with backend_of(name):
        found = as_bytes(swept(data, model))
    assert found == serial
    # It was shared out, or this shows nothing.
    assert calls == ["stability_part", "compare_part", "compare_part", "tune_part"]


def test_a_number_asks_for_workers(data, model, serial):
    stability = model.stability(data.views, blocks={name: np.repeat(np.arange(10), 8) for name in data.views}, pairs=30, n_jobs=2)
    found = {**stability.edges, **{f"view {name}": values for name, values in stability.views.items()}}
    assert as_bytes(found) == serial["stability"]
    with pytest.raises(ValueError, match="n_jobs is 0"):
        model.stability(data.views, n_jobs=0)
    with pytest.raises(TypeError, match="whole number"):
        model.compare(["a", "b"] * 4, n_jobs="2")


def test_cells_beyond_the_grid_are_shared_out_too():
    # Denser than the usual grid.
    data = congraph.simulate(n_nodes=14, n_views=3, n_signals=400, edge_probability=0.6, seed=1)
    options = {"similarity": (0.8, 0.85), "halvings": 2}
    alone = congraph.ConsensusGraph().tune(data.views, **options)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        shared = congraph.ConsensusGraph().tune(data.views, **options)
    assert as_bytes(shared.path_) == as_bytes(alone.path_)
    # Nine densities of the grid, and others.
    assert len(set(alone.path_["density_target"])) > 9


def test_without_a_context_it_is_this_process():
    assert _sweep.workers(None) is None and _sweep.workers(1) is None
    with joblib.parallel_config(n_jobs=2):
        assert _sweep.workers(None) is not None
    assert _sweep.workers(2).n_jobs == 2


def test_batches_have_every_item_once_and_are_not_small():
    rng = np.random.default_rng(1)
    for _ in range(200):
        sizes = rng.choice([1, 2, 21], size=rng.integers(1, 80)).tolist()
        least = int(rng.integers(1, 60))
        found = _sweep.batches(sizes, least)
        assert [number for group in found for number in group] == list(range(len(sizes)))
        assert len(found) == 1 or all(sum(sizes[number] for number in group) >= least for group in found)
    assert _sweep.batches([], 25) == []


def test_arrays_may_arrive_anywhere_in_a_message(data, model):
    """A message of dask, without dask."""

    def moved(value):
        if isinstance(value, np.ndarray):
            bytes_ = np.zeros(value.nbytes + 1, dtype=np.uint8)
            bytes_[1:] = np.frombuffer(value.tobytes(), dtype=np.uint8)
            return bytes_[1:].view(value.dtype).reshape(value.shape)
        return {name: moved(entry) for name, entry in value.items()} if isinstance(value, dict) else value

    asked = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sweep.Workers, "run", lambda self, work, *_: asked.setdefault("work", work) and [work(range(70))])
        with joblib.parallel_config(backend="threading", n_jobs=2):
            model.compare(["a", "b"] * 4)
    work = asked["work"]
    elsewhere = _sweep.Work(work.part, *map(moved, work.arguments))
    assert not elsewhere.arguments[0]["weights"].flags.aligned
    # In which order the relabellings stand is not told.
    assert len(elsewhere([3, 1, 4])) == len(work([3, 1, 4]))
    # What a worker was sent may be fitted there, too.
    arrays = {name: np.array(x) for name, x in data.views.items()}
    found = [congraph.ConsensusGraph(density=0.2, similarity=0.85).fit(views).graphs_ for views in (arrays, moved(arrays))]
    np.testing.assert_array_equal(*found)


def test_what_is_sent_tells_its_size():
    work = _sweep.Work("stability_part", {"views": [{"values": np.zeros((100, 20))}]}, b"12345")
    assert 16_005 <= work.__sizeof__() < 17_000
    assert pickle.loads(pickle.dumps(work)).part == "stability_part"
