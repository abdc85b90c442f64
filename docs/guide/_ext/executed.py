"""Code that runs while the guide is built, with what it prints and draws below it.

```{executed}
:hide:      only the pictures that come of it
:setup:     nothing of it, as for imports that every page needs
```

All blocks of a page share their names, as the cells of a notebook do. An exception stops the build, and so does a warning of Python that
the page does not show: what a reader sees is what happened.
"""

import contextlib
import io
import os
import pathlib
import warnings

from docutils import nodes
from docutils.parsers.rst import Directive, directives

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Executed(Directive):
    has_content = True
    option_spec = {"hide": directives.flag, "setup": directives.flag, "alt": directives.unchanged}

    def run(self):
        env = self.state.document.settings.env
        code = "\n".join(self.content)
        names = env.temp_data.setdefault("executed", {"__name__": "__guide__", "ROOT": ROOT})
        text, figures = run(code, names, f"{env.docname}, line {self.lineno}")
        found = []
        if "hide" not in self.options and "setup" not in self.options:
            found.append(nodes.literal_block(code, code, language="python"))
        if text.strip() and not {"hide", "setup"} & set(self.options):
            shown = nodes.literal_block(text, text.rstrip(), language="text")
            found.append(nodes.container("", shown, classes=["executed-output"]))
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
        if warning.category.__name__ == "CongraphWarning":
            out.write(f"CongraphWarning: {warning.message}\n")
    return out.getvalue(), [pyplot.figure(number) for number in pyplot.get_fignums()]


def setup(app):
    app.add_directive("executed", Executed)
    return {"version": "1", "parallel_read_safe": False}
