"""Data that many tests use, and where the command line is."""

import os
import pathlib
import shutil
import warnings

import pytest

import congraph

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def quiet():
    """Warnings of small data are no news here; tests that are about them ask for them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", congraph.CongraphWarning)
        yield


@pytest.fixture(scope="session")
def data():
    """Four views of 24 nodes."""
    return congraph.simulate(n_nodes=24, n_views=4, n_signals=80, edge_probability=0.2, seed=3)


@pytest.fixture(scope="session")
def model(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", congraph.CongraphWarning)
        return congraph.ConsensusGraph(density=0.2, similarity=0.85).fit(data.views)


@pytest.fixture(scope="session")
def command():
    """The command line, if it was built."""
    found = os.environ.get("CONGRAPH") or shutil.which("congraph")
    if not found:
        pytest.skip("the command line is not built: set CONGRAPH to it")
    return found
