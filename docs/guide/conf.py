"""The guide, built by docs/guide/build."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import congraph  # noqa: E402

project = "congraph"
author = "the congraph authors"
copyright = "the congraph authors"
version = release = congraph.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "sphinx_copybutton",
    "executed",
    "made",
]
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_ext", "_static", "_made", "reference/answers.md"]
templates_path = ["_templates"]
# Names in single backticks of docstrings are objects, where they can be found.
default_role = "py:obj"
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# Beside a class its methods are listed by their own names, which fit.
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"congraph {version}"
html_static_path = ["_static"]
html_css_files = ["congraph.css"]
html_show_sourcelink = False
# Light or dark as the reader's system is; without a mode the theme complains in the browser.
html_context = {"default_mode": "auto"}
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": True,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_end": ["theme-switcher"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": [], "gallery": []}


def without_private(app, what, name, found, options, signature, returned):
    """Parameters that begin with an underscore are not for users."""
    return signature and re.sub(r", _\w+=[^,)]*", "", signature), returned


def setup(app):
    app.connect("autodoc-process-signature", without_private)
