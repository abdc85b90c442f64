"""Code that runs while the guide is built, with what it prints and draws below it.

```{executed}
:hide:      only the pictures that come of it
:setup:     nothing of it, as for imports that every page needs
:command:   words of the shell, not Python; shown is what they print
```

All blocks of a page share their names, as the cells of a notebook do. An exception stops the build, and so does a warning that is not
congraph's own, which are shown: what a reader sees is what happened. Commands run in a folder of the page's own, which Python has as FOLDER, with the
repository's `examples` in it; one that fails stops the build.
"""

import atexit
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import tempfile
import warnings

from docutils import nodes
from docutils.parsers.rst import Directive, directives

ROOT = pathlib.Path(__file__).resolve().parents[3]


#: The longest line that fits beside both columns of a wide page.
WIDTH = 72


class Executed(Directive):
    has_content = True
    option_spec = {"hide": directives.flag, "setup": directives.flag, "command": directives.flag, "alt": directives.unchanged}

    def run(self):
        env = self.state.document.settings.env
        code = "\n".join(self.content)
        names = env.temp_data.get("executed") or start(env)
        where = f"{env.docname}, line {self.lineno}"
        is_command = "command" in self.options
        text, figures = (order(code, names["FOLDER"], where), []) if is_command else run(code, names, where)
        found = []
        if "hide" not in self.options and "setup" not in self.options:
            found.append(nodes.literal_block(code, code, language="sh" if is_command else "python"))
        if text.strip() and not {"hide", "setup"} & set(self.options):
            shown = nodes.literal_block(text, text.rstrip(), language="text")
            # Sentences are wrapped where the page is narrow; tables are scrolled.
            is_table = max(map(len, text.splitlines())) <= WIDTH
            found.append(nodes.container("", shown, classes=["executed-table" if is_table else "executed-output"]))
        for figure in figures:
            found.append(self.picture(env, figure))
        return found

    def picture(self, env, figure):
        count = env.temp_data["executed_figures"] = env.temp_data.get("executed_figures", 0) + 1
        folder = pathlib.Path(env.srcdir) / "_made"
        folder.mkdir(exist_ok=True)
        name = f"{env.docname.replace('/', '-')}-{count}.png"
        figure.savefig(folder / name, dpi=110, metadata={"Software": None})
        uri = os.path.relpath(folder / name, pathlib.Path(env.doc2path(env.docname)).parent)
        image = nodes.image(uri=uri, alt=self.options.get("alt", "what the code above draws"))
        return nodes.container("", image, classes=["executed-figure"])


def start(env):
    """The names that a page begins with."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="congraph-guide-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "examples").symlink_to(ROOT / "examples")
    names = env.temp_data["executed"] = {"__name__": "__guide__", "ROOT": ROOT, "FOLDER": folder}
    return names


def order(code, folder, where):
    """What commands print; progress and warnings are not shown."""
    binary = pathlib.Path(os.environ["CONGRAPH"]).resolve()
    path = f"{binary.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["sh", "-e", "-c", code], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{where}: {done.stderr}")
    return done.stdout


def run(code, names, where):
    """What the code prints, and the figures it leaves open."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.close("all")
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec(compile(code, where, "exec"), names)
    for warning in told:
        if warning.category.__name__ != "CongraphWarning":
            raise RuntimeError(f"{where}: {warning.category.__name__}: {warning.message}")
        out.write(f"CongraphWarning: {warning.message}\n")
    return out.getvalue(), [pyplot.figure(number) for number in pyplot.get_fignums()]


def setup(app):
    app.add_directive("executed", Executed)
    return {"version": "1", "parallel_read_safe": False}
