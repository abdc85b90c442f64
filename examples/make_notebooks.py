"""Writes examples/notebooks/*.ipynb from the scripts in examples/python, whose cells start with `# %%`.

    python3 examples/make_notebooks.py            writes them
    python3 examples/make_notebooks.py --check    fails if one is not what its script says
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent


def cells(text: str) -> list[dict[str, object]]:
    """The cells of a script: a comment block after `# %% [markdown]`, code after `# %%`."""
    found: list[dict[str, object]] = []
    for part in text.split("# %%")[1:]:
        head, _, body = part.partition("\n")
        lines = body.strip("\n").splitlines()
        is_text = "[markdown]" in head
        if is_text:
            lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
        source = [line + "\n" for line in lines[:-1]] + lines[-1:]
        cell: dict[str, object] = {"cell_type": "markdown" if is_text else "code", "id": f"cell-{len(found)}", "metadata": {}, "source": source}
        if not is_text:
            cell |= {"execution_count": None, "outputs": []}
        found.append(cell)
    return found


def notebook(text: str) -> str:
    """The notebook of a script, as JSON."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells(text), "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def main(check: bool) -> int:
    """Writes or compares all of them."""
    folder = HERE / "notebooks"
    folder.mkdir(exist_ok=True)
    stale = []
    for script in sorted((HERE / "python").glob("*.py")):
        text, path = notebook(script.read_text(encoding="utf-8")), folder / f"{script.stem}.ipynb"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"not what their scripts say: {', '.join(stale)}; run examples/make_notebooks.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
