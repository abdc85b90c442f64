"""The examples in the documentation run."""

import doctest
import inspect
import pathlib
import re
import warnings

import pytest

import congraph
import congraph.pl
import congraph.plots
import congraph.tl

ROOT = pathlib.Path(__file__).parents[2]


def public():
    """Every public name, and the public methods of classes."""
    for module in (congraph, congraph.tl, congraph.pl, congraph.plots):
        for name in module.__all__:
            found = getattr(module, name)
            if not inspect.isclass(found) and not inspect.isfunction(found):
                continue
            yield f"{module.__name__}.{name}", found
            if inspect.isclass(found):
                for method, value in vars_of(found).items():
                    yield f"{module.__name__}.{name}.{method}", value


def vars_of(found):
    """Methods of our own that users call; properties are told as attributes of their class."""
    every = {name: value for base in reversed(found.__mro__) if base.__module__.startswith("congraph") for name, value in vars(base).items()}
    every = {name: getattr(value, "__func__", value) for name, value in every.items() if not name.startswith("_")}
    # Without scikit-learn these two are ours; with it they are its own.
    return {name: value for name, value in every.items() if inspect.isfunction(value) and name not in ("get_params", "set_params")}


@pytest.mark.parametrize(("name", "found"), list(public()), ids=lambda value: value if isinstance(value, str) else "")
def test_every_public_name_has_a_docstring_with_an_example_that_runs(name, found, tmp_path, monkeypatch):
    text = inspect.getdoc(found) or ""
    assert text.partition("\n")[0].endswith((".", ":")) or "\n\n" in text, "a first line that says what it is"
    assert "Examples\n--------" in text and ">>>" in text
    parameters = [one for one in inspect.signature(found).parameters if one not in ("self", "cls")]
    made_by = "makes it" in text or issubclass(found, Exception) if inspect.isclass(found) else False
    assert "Parameters\n----------" in text or not parameters or made_by
    for parameter in parameters if not made_by else []:
        assert re.search(rf"\b{re.escape(parameter)}\b", text), f"{parameter} is not told"
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pyplot = pytest.importorskip("matplotlib.pyplot")
        pyplot.switch_backend("Agg")
        (test,) = [one for one in doctest.DocTestFinder(recurse=False).find(found, name) if one.examples]
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        pyplot.close("all")
    assert result.failed == 0 and result.attempted > 0


def test_the_package_opens_with_an_example():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert doctest.testmod(congraph).failed == 0


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
