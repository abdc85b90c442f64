"""Threads, interruption, memory: how a fit behaves beside the rest of a program."""

import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest

import congraph
from congraph import ConsensusGraph

needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals are different there")
LONG = {"alpha": 0.05, "beta": 0.02, "solver": "admm", "tol": 1e-300, "max_iter": 10**9}


@pytest.fixture
def interruptible():
    """Ctrl-C raises, though the tests were started where it is ignored (``nohup ./test &``); and nobody waits for it forever."""

    def too_long(number, frame):
        raise TimeoutError("nothing interrupted the call")

    before = signal.signal(signal.SIGINT, signal.default_int_handler), signal.signal(signal.SIGALRM, too_long)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGALRM, before[1])


class Slow:
    """Absolute values, a little late."""

    def value(self, differences):
        return np.abs(differences).sum()

    def prox(self, differences, step):
        time.sleep(0.005)
        return np.sign(differences) * np.maximum(np.abs(differences) - step, 0.0)


def test_two_threads_at_once_give_the_right_results():
    data = [congraph.simulate(n_nodes=30, n_views=3, n_signals=60, seed=seed, edge_probability=0.2) for seed in (1, 2)]
    expected = [ConsensusGraph(density=0.15, similarity=0.9).fit(one.views).graphs_ for one in data]
    found = [[], []]

    def work(k):
        for _ in range(5):
            found[k].append(ConsensusGraph(density=0.15, similarity=0.9).fit(data[k].views).graphs_)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(2):
        assert len(found[k]) == 5
        for graphs in found[k]:
            np.testing.assert_array_equal(graphs, expected[k])


def test_two_threads_may_read_the_same_array(data):
    expected = ConsensusGraph(alpha=0.05, beta=0.02).fit(data.views).graphs_
    found = []
    threads = [threading.Thread(target=lambda: found.append(ConsensusGraph(alpha=0.05, beta=0.02).fit(data.views).graphs_)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(graphs, expected) for graphs in found)


INTERRUPTED = """
import signal, sys, time
import congraph
# It may be ignored where the tests were started.
signal.signal(signal.SIGINT, signal.default_int_handler)
data = congraph.simulate(n_nodes={n}, n_views=3, n_signals=60, edge_probability=0.2)
print("ready", flush=True)
start = time.monotonic()
try:
    congraph.ConsensusGraph(**{options}){call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
congraph.ConsensusGraph(alpha=0.05, beta=0.02).fit(data.views)
print("again", flush=True)
"""


@needs_signals
@pytest.mark.parametrize("call", [".fit(data.views)", ".tune(data.views, halvings=10**6)"])
def test_ctrl_c_ends_a_long_fit(call):
    options = LONG if "fit" in call else {}
    code = INTERRUPTED.format(options=options, call=call, n=800 if "fit" in call else 60)
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert rest == "interrupted\nagain\n", errors


def test_the_interpreter_is_free_while_a_fit_runs(data):
    """Another thread's Python code goes on, and what it raises through `progress` ends the fit."""
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    class Enough(Exception):
        pass

    start = time.monotonic()

    def stop(text):
        assert "iteration" in text
        if time.monotonic() - start > 0.5:
            raise Enough

    thread = threading.Thread(target=count)
    thread.start()
    model = ConsensusGraph(alpha=0.05, beta=0.02, penalty=Slow(), tol=1e-300)
    running = model._running()
    views = congraph._views.as_views(data.views)
    try:
        with pytest.raises(Enough):
            congraph._engine.learn(
                views._borrowed(), model._reading(views), model._options(views, False), {**running, "progress": stop}
            )
    finally:
        done.set()
        thread.join()
    assert counted > 50


def test_contiguous_float64_is_not_copied():
    """Whatever NumPy allocates is traced: less than a tenth of the data."""
    rng = np.random.default_rng(0)
    views = {name: rng.normal(size=(20_000, 20)) for name in "ab"}
    size = sum(array.nbytes for array in views.values())
    model = ConsensusGraph(alpha=0.05, beta=0.02)

    def peak(given):
        tracemalloc.start()
        model.fit(given)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(views) < size / 10
    assert peak({name: np.asfortranarray(array) for name, array in views.items()}) > size / 2


def test_the_data_are_left_as_they_are(data):
    views = {name: np.array(array) for name, array in data.views.items()}
    before = {name: array.copy() for name, array in views.items()}
    for array in views.values():
        array.flags.writeable = False
    ConsensusGraph(alpha=0.05, beta=0.02).fit(views)
    for name, array in views.items():
        np.testing.assert_array_equal(array, before[name])


def test_progress_in_a_log(capsys, monkeypatch, data):
    monkeypatch.setattr(congraph._progress, "_SELDOM", 0.0)
    ConsensusGraph(alpha=0.05, beta=0.02, penalty=Slow(), max_iter=60, verbose=True).fit(data.views)
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(line.startswith("congraph: solving: iteration") for line in lines)
    ConsensusGraph(alpha=0.05, beta=0.02, verbose=False).fit(data.views)
    assert capsys.readouterr().err == ""


def test_progress_in_a_terminal(capsys):
    shown = congraph._progress._Terminal()
    shown("fit 1")
    shown("fit 2")
    del shown
    written = capsys.readouterr().err
    assert written.startswith("\rcongraph: fit 1") and written.endswith("\r")


def test_progress_in_a_notebook(monkeypatch):
    """With a stand-in for IPython."""
    import types

    class ZMQInteractiveShell:
        pass

    updates = []

    class Handle:
        def update(self, shown):
            updates.append(shown)

    display = types.SimpleNamespace(Pretty=str, display=lambda shown, display_id: updates.append(shown) or Handle())
    fake = types.ModuleType("IPython")
    fake.get_ipython = ZMQInteractiveShell
    fake.display = display
    monkeypatch.setitem(sys.modules, "IPython", fake)
    show = congraph._progress.running(verbose=True)["progress"]
    show("fit 1")
    show("fit 2")
    assert [text.split(" (")[0] for text in updates] == ["congraph: fit 1", "congraph: fit 2"]


FORK = """
import multiprocessing, congraph
views = list(congraph.simulate(n_nodes=20, n_views=3, n_signals=60, seed=1).views.values())
def work(k):
    return congraph.ConsensusGraph(alpha=0.05, beta=0.02).fit(views).objective_
if __name__ == "__main__":
    here = work(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(work, range(3)) == [here] * 3
    assert work(0) == here
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_has_threads_of_its_own(tmp_path):
    script = tmp_path / "fork.py"
    script.write_text(FORK, encoding="utf-8")
    # A child that waits for its parent's threads waits forever.
    done = subprocess.run([sys.executable, "-W", "ignore", str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@needs_signals
def test_communities_can_be_interrupted(interruptible):
    # Seconds of runs in one call.
    model = ConsensusGraph(density=0.1, similarity=0.8).fit(congraph.simulate(n_nodes=150, n_views=3, n_signals=100, seed=1).views)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.communities(runs=30_000)
    timer.join()


@needs_signals
def test_tests_that_wait_for_a_signal_end_where_it_is_ignored():
    """As after ``nohup ./test &``, where Ctrl-C is ignored by all that is started."""
    waiting = f"{__file__}::test_communities_can_be_interrupted"
    start = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", waiting]
    done = subprocess.run([sys.executable, "-c", start, *words], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
