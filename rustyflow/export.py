"""A notebook as one HTML page that is alive without a kernel and without a network."""

from __future__ import annotations

# nbconvert's page asks a CDN for scripts that our figures do not use; an empty block is how a template leaves one out.
TEMPLATE = """{%- extends 'lab/index.html.j2' -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block jupyter_widgets -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
"""


def offline_page(notebook: str, title: str) -> str:
    """The HTML of a notebook given as text.

    Outputs are shown as they were saved; figures in them are live, and share one player. Formulas stay as they were
    typed, since typesetting them would need the network. Raises ValueError where the text is no notebook.
    """
    import nbformat
    from nbconvert import HTMLExporter

    from .scene import once

    try:
        book = nbformat.reads(notebook, as_version=4)
    except Exception as problem:  # a damaged file ends nbformat in many ways
        raise ValueError(f"{type(problem).__name__}: {problem}".splitlines()[0][:200]) from problem
    book.metadata.pop("widgets", None)
    page, _ = HTMLExporter(raw_template=TEMPLATE).from_notebook_node(book, {"metadata": {"name": title}})
    return once(page)
