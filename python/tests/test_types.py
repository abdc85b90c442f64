"""Types: the package is checked, and the stubs say what the engine has."""

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy")
ROOT = pathlib.Path(__file__).parents[2]


def test_the_package_is_typed(tmp_path):
    words = ["-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path), str(ROOT / "python/congraph")]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_examples_are_typed(tmp_path):
    """mypy --strict on what users copy from."""
    scripts = sorted((ROOT / "examples" / "python").glob("*.py")) + [ROOT / "examples" / "make_notebooks.py"]
    for script in scripts:
        words = ["-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--strict", "--cache-dir", str(tmp_path), str(script)]
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_are_those_of_the_engine(tmp_path):
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "congraph._engine"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
