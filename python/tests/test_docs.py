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


def test_every_public_name_is_in_the_reference():
    text = (ROOT / "docs" / "guide" / "reference" / "python.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$", text, re.M))
    modules = {"pl", "plots", "tl"}
    names = {name for name in congraph.__all__ if name not in modules | {"__version__"}}
    names |= {f"{module}.{name}" for module in modules for name in getattr(congraph, module).__all__}
    assert listed == names


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


def blocks_of_the_guide():
    for page in sorted((ROOT / "docs" / "guide").rglob("*.md")):
        for options, code in re.findall(r"```\{executed\}\n((?::[^\n]*\n)*)(.*?)```", page.read_text(encoding="utf-8"), re.S):
            if ":hide:" not in options and ":setup:" not in options:
                yield page, code


def test_code_of_the_guide_fits_on_its_pages():
    """Beside both columns of a wide page, and without scrolling: 72 characters."""
    wide = [f"{page.name}: {line}" for page, code in blocks_of_the_guide() for line in code.splitlines() if len(line) > 72]
    assert not wide, "\n".join(wide)


def test_parameters_have_a_paragraph_of_their_own():
    """Names that share one have it repeated by the guide, each for itself."""
    targets = ("density", "similarity")
    of_estimators = {congraph.ConsensusGraph: (*targets, "consensus_density", "alpha", "beta", "gamma"), congraph.ConsensusGraphCV: targets}
    for estimator, names in of_estimators.items():
        for name in names:
            assert re.search(rf"^    {name} : ", estimator.__doc__, re.M), name


def test_the_new_subject_of_the_guide_is_one_of_the_group(capsys):
    """Simulated with the group and held out, its graph is found by the group's consensus; an unrelated one's would not be."""
    pytest.importorskip("sklearn")
    codes = [code for page, code in blocks_of_the_guide() if page.name == "fmri.md"]
    (before,) = [code.partition("for seed in")[0] for code in codes if "def slow" in code]
    (new,) = [code for code in codes if "project(" in code]
    names = {"np": pytest.importorskip("numpy"), "congraph": congraph}
    exec(before + new, names)
    truth = names["people"].truth.graphs_[4]
    assert congraph.f1(names["new"].weights, truth) > 0.8 > congraph.f1(names["alone"].graph_, truth) + 0.1
    assert "projected" in capsys.readouterr().out
