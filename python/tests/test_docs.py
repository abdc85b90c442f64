"""The examples in the documentation run."""

import doctest
import pathlib
import re
import warnings

import pytest

import congraph
import congraph._consensus
import congraph._metrics
import congraph._simulate

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("module", [congraph, congraph._consensus, congraph._metrics, congraph._simulate], ids=lambda module: module.__name__)
def test_docstrings(module):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert doctest.testmod(module).failed == 0


def test_the_page_of_use(tmp_path, monkeypatch):
    """Every block of docs/python.md, one after the other."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) >= 5
    names = {}
    exec(compile(blocks[0], "docs/python.md", "exec"), names)
    # The last line has a gap that is rounding error.
    shown = re.search(r"```text\n(.*?)```", text, re.S).group(1).splitlines()
    assert shown[:-1] == str(names["m"]).splitlines()[:-1]
    for block in blocks[1:]:
        exec(compile(block, "docs/python.md", "exec"), names)


def test_the_readme(tmp_path, monkeypatch):
    """What the README shows of Python runs too."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(compile(block, "README.md", "exec"), {})
