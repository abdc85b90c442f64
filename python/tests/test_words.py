"""Options that messages mention are keywords of Python, or known to be the command line's alone."""

import inspect
import re
from pathlib import Path

import pytest

import congraph

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "crates"
# Python calls the mathematics with arrays: what is said of files and recordings is said on the command line only.
FACELESS = ["congraph"]
MENTIONED = re.compile(r'\boption\(\s*"(\w+)"|Parameter\s*\{\s*name:\s*"(\w+)"')
# How Python spells ids that are not keywords by their own names.
SPELLED = {"block_column": "blocks", "view_column": "views", "samples": "n_samples", "probability": "edge_probability", "n_runs": "runs"}
# Other ways: `kind="gram"`, `SingleGraph`, `JointGraphicalLasso`.
OTHERWISE = {"gram", "covariance", "single", "method"}
# Only in the tests of the spelling itself.
COMMAND_LINE_ONLY = {"views_by"}


def keywords():
    calls = [
        congraph.ConsensusGraph,
        congraph.ConsensusGraph.fit,
        congraph.ConsensusGraph.tune,
        congraph.ConsensusGraph.stability,
        congraph.JointGraphicalLasso,
        congraph.Views,
        congraph.Graphs.communities,
        congraph.Graphs.compare,
        congraph.simulate,
        congraph.tl.consensus_graph,
    ]
    return {name for call in calls for name in inspect.signature(call).parameters}


def mentioned():
    files = [file for name in FACELESS for file in sorted((SOURCES / name / "src").rglob("*.rs"))]
    return {one or two for file in files for one, two in MENTIONED.findall(file.read_text(encoding="utf-8"))}


@pytest.mark.skipif(not SOURCES.is_dir(), reason="only where the sources are")
def test_every_option_that_a_message_mentions_is_a_keyword():
    ids = mentioned() - OTHERWISE - COMMAND_LINE_ONLY
    assert len(ids) > 20
    assert {SPELLED.get(name, name) for name in ids} <= keywords()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: congraph.simulate(n_nodes=10, edge_probability=3.0), "edge_probability is 3"),
        (lambda: congraph.simulate(n_nodes=10, n_views=0), "n_views is 0"),
        (lambda: congraph.simulate(n_nodes=10, n_views=2, n_signals=20).truth.communities(runs=0), "runs is 0"),
        (lambda: congraph.simulate(n_nodes=1.5), "n_nodes is 1.5; it must be a whole number"),
        (lambda: congraph.simulate(noise="loud"), "noise is 'loud'; it must be a number"),
        (lambda: congraph.simulate(seed=2**70), f"seed is {2**70}; it must be smaller"),
        (lambda: congraph.simulate(same_views=3, added=0.1), "same_views is 3; it must be True or False"),
    ],
)
def test_what_is_wrong_is_told_by_the_name_of_its_keyword(call, told):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert str(caught.value).startswith(told)
