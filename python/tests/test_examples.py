"""The scripts under examples/python run."""

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
