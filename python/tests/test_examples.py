"""The scripts under examples/python run."""

import json
import pathlib
import subprocess
import sys

import pytest

SCRIPTS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "python").glob("*.py"))
NEEDS = {"eeg": ["mne", "mne_connectivity", "matplotlib"], "gene_expression": ["anndata"], "sensors": ["pandas", "matplotlib"]}


def test_there_are_five():
    assert len(SCRIPTS) == 5


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_runs(script, tmp_path):
    for package in NEEDS.get(script.stem, []):
        pytest.importorskip(package)
    settings = {"MPLBACKEND": "Agg", "PATH": "", "HOME": str(tmp_path)}
    paths = [path for path in sys.path if path]
    settings["PYTHONPATH"] = ":".join(paths)
    done = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True, cwd=tmp_path, env=settings)
    assert done.returncode == 0, done.stderr
    assert "relative gap" in done.stdout or script.stem == "gene_expression"


@pytest.mark.parametrize("script", [script for script in SCRIPTS if "globals()" in script.read_text(encoding="utf-8")], ids=lambda script: script.stem)
def test_it_runs_as_a_notebook_does(script, tmp_path):
    for package in NEEDS.get(script.stem, []):
        pytest.importorskip(package)
    settings = {"MPLBACKEND": "Agg", "PATH": "", "HOME": str(tmp_path), "PYTHONPATH": ":".join(path for path in sys.path if path)}
    cells = f"exec(open({script.name!r}, encoding='utf-8').read())"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", cells], capture_output=True, text=True, cwd=script.parent, env=settings)
    assert done.returncode == 0, done.stderr


NOTEBOOKS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def test_notebooks_are_their_scripts():
    done = subprocess.run([sys.executable, SCRIPTS[0].parents[1] / "make_notebooks.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [one.stem for one in NOTEBOOKS] == [one.stem for one in SCRIPTS]


@pytest.mark.parametrize("notebook", [one for one in NOTEBOOKS if one.stem in ("simulated", "sensors")], ids=lambda one: one.stem)
def test_notebooks_run_cell_by_cell(notebook, tmp_path):
    """As Jupyter does it: one cell after the other, in the notebook's own folder. (All scripts run above.)"""
    cells = [one for one in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if one["cell_type"] == "code"]
    lines = "".join(f"exec(compile({''.join(one['source'])!r}, 'cell {k}', 'exec'), names)\n" for k, one in enumerate(cells))
    settings = {"MPLBACKEND": "Agg", "PATH": "", "HOME": str(tmp_path), "PYTHONPATH": ":".join(path for path in sys.path if path)}
    words = [sys.executable, "-W", "ignore", "-c", f"names = {{'__name__': '__main__'}}\n{lines}"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=notebook.parent, env=settings)
    assert done.returncode == 0, done.stderr
