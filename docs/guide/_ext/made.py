"""Pages that are made and not written: the command reference from the binary's own help, the questions from its error codes, the
gallery's reports from open data."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / "docs" / "guide"
MADE = HERE / "_made"


def binary():
    found = os.environ.get("CONGRAPH")
    if not found:
        raise RuntimeError("CONGRAPH must name the command line's binary: docs/guide/build sets it")
    return found


def help_of(*words):
    done = subprocess.run([binary(), *words, "--help"], capture_output=True, text=True, check=True, env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"})
    return done.stdout.rstrip()


def commands():
    """The commands that the binary itself lists."""
    listed = re.search(r"Commands:\n((?:  .*\n|\n)+)", help_of() + "\n")
    return [name for name in re.findall(r"^  ([a-z]+)\s", listed[1], re.M) if name != "help"]


def command_reference():
    parts = [
        "# Commands",
        "",
        "What every command says with `--help`, made from the binary of this version. Exit codes: 0 ok, 1 a bug, 2 wrong usage, 3 bad input data, "
        "4 a target that cannot be reached, 5 not converged (with `--strict`), 6 a missing optional part, 7 the system refused, 130 interrupted.",
        "",
        "```text",
        help_of(),
        "```",
        "",
    ]
    for name in commands():
        parts += [f"(command-{name})=", f"## congraph {name}", "", "```text", help_of(name), "```", ""]
    return "\n".join(parts)


def codes():
    """The error codes and what they mean, as the source documents them."""
    source = (ROOT / "crates/congraph/src/error.rs").read_text(encoding="utf-8")
    found = re.findall(r"((?:    /// .*\n)+)    (E\d\d),", source)
    return {code: " ".join(line.strip().removeprefix("///").strip() for line in text.strip().splitlines()) for text, code in found}


def questions():
    """One entry per error code: its own words, then what is asked about it."""
    answers = (HERE / "reference" / "answers.md").read_text(encoding="utf-8")
    known = dict(re.findall(r"^## ([EW]\d\d)\n(.*?)(?=^## |\Z)", answers, re.S | re.M))
    documented = codes()
    missing = sorted(set(documented) - set(known))
    if missing:
        raise RuntimeError(f"docs/guide/reference/answers.md has no answer for {', '.join(missing)}")
    parts = ["# Questions and error codes", "", "Every error has a stable code, in every face, and says what is wrong, where, why it matters and what to do. Here is the longer answer.", ""]
    for code, text in documented.items():
        parts += [f"(code-{code})=", f"## {code}: {text.rstrip('.')}", "", known.pop(code).strip(), ""]
    parts += ["# Warnings", "", "A warning does not stop anything. It is told once for each kind and fit, and kept in `summary.json` and `m.warnings_`.", ""]
    for code, text in sorted(known.items()):
        title, _, rest = text.strip().partition("\n")
        parts += [f"(code-{code})=", f"## {code}: {title}", "", rest.strip(), ""]
    return "\n".join(parts)


def release_notes():
    """The changelog; files of the repository are named, not linked."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    text = re.sub(r"\[([^\]]+)\]\((?!https?:)([^)]+)\)", r"`\2`", text)
    return text.replace("# Changelog", "# Release notes", 1)


def gallery(folder):
    """Four reports on open data."""
    sys.path.insert(0, str(ROOT / "docs" / "guide" / "_ext"))
    import reports

    folder.mkdir(parents=True, exist_ok=True)
    reports.write(folder, ROOT)


def write(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def make(app):
    write(MADE / "commands.md", command_reference())
    write(MADE / "questions.md", questions())
    write(MADE / "release-notes.md", release_notes())
    gallery(pathlib.Path(app.outdir) / "reports")


def setup(app):
    app.connect("builder-inited", make)
    return {"version": "1", "parallel_read_safe": False}
