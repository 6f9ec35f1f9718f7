"""The page of a notebook: its cells cleaned, its pictures inside, its figures alive; and what is left out."""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from html import escape, unescape
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import pass_context
from markupsafe import Markup
from nbconvert import HTMLExporter, TemplateExporter
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from ...scene import once
from ...scene.figure import PLAYER, player
from .cleaning import Survey, cleaned, picture_of
from .figures import ROW, STILL, redrawn, takes_guess
from .formulas import STYLE, definitions, typeset
from .notebook import read
from .pictures import LeftOutError, embedded

OWN_STYLE = """\
:root{color-scheme:light dark}
body{background:var(--jp-layout-color0);color:var(--jp-content-font-color1)}
@media screen and (prefers-color-scheme:dark){
img{background:#fff}
.jp-RenderedHTMLCommon [style*=background]{color:#111}}
.alone,.after summary{font-family:system-ui;color:var(--jp-content-font-color2)}
.after summary{padding:8px 0;cursor:pointer}
"""
"""Pictures, and text on a ground of its own, are made for white paper."""

# nbconvert's page asks a CDN for scripts that our figures do not use; an empty block is how a template leaves one out.
# The page is dark where its reader's browser is: no theme is named, and JupyterLab's dark one is there for that case.
TEMPLATE = """{%- extends 'lab/index.html.j2' -%}
{%- block notebook_css -%}
{{ super() }}
{{ resources.include_css("static/theme-dark.css") | where_dark }}
{% raw %}<style>@STYLE@</style>{% endraw %}
{%- endblock -%}
{%- block body_header -%}<body class="jp-Notebook"><main>{%- endblock -%}
{%- block any_cell scoped -%}
{%- if cell.metadata.after -%}
<details class="after"><summary>After your answer</summary>{{ super() }}</details>
{%- else -%}{{ super() }}{%- endif -%}
{%- endblock -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block jupyter_widgets -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
""".replace("@STYLE@", OWN_STYLE + STYLE)

MARK = '<meta name="generator" content="rustyflow export"><meta name="rustyflow-notebook" content="{}">'
POLICY = ('<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; font-src data:; '
          'style-src \'unsafe-inline\'; script-src \'sha256-{}\'; form-action \'none\'">')
"""What a browser lets a page do in which something was overlooked: nothing but run our player."""
RASTER = ("image/png", "image/jpeg", "image/gif", "image/webp")
AFTER = re.compile(r"^check\.\w+\.after\(\)$", re.MULTILINE)
"""What a cell of a lesson begins with that would tell the answer of a question: in a page it is folded."""
LESSON = re.compile(r"^from rustyflow\.lessons import \w+ as check$", re.MULTILINE)
ALONE = '<p class="jp-Cell alone">This page has no Python behind it. {}</p>'
GUESSES = ("Figures are alive, and questions take a guess: what follows a guess is packed in the page, unseen, and no "
           "secret. Exercises and lines of your own need the notebook.")
FIGURES = "Figures are alive. Questions, exercises and lines of your own need the notebook."
PICTURES = ("Its figures are pictures alone. "
            "Open the notebook to step through them, take a guess and write lines of your own.")
SCRIPTS = ("application/javascript", "text/javascript")


@dataclass(frozen=True)
class Page:
    """The HTML, the parts of the notebook not in it, and what it fetches (only of a notebook trusted)."""

    html: str
    left_out: tuple[str, ...]
    fetches: tuple[str, ...]
    codes: int
    """So many cells of code are in it,"""
    waiting: int
    """and so many of them have not been run."""
    alive: int
    """So many figures live in it,"""
    still: int
    """and so many are pictures alone."""


def offline_page(
    notebook: str, title: str, folder: Path | None = None, trust: bool = False, pages: Collection[str] = ()
) -> Page:
    """The page of a notebook given as text; `folder` is where it lies, with its pictures.

    Outputs are shown as they were saved, and figures are redrawn, alive. Scripts, handlers and frames of the notebook
    are left out, unless it is trusted. `pages` are notebooks that are pages beside this one: links to them
    lead there. Raises ValueError where the text is no notebook.
    """
    cells, language = read(notebook)
    codes = [cell for cell in cells if cell["cell_type"] == "code" and cell["source"].strip()]
    waiting = [cell for cell in codes if not cell["outputs"] and cell["execution_count"] is None]
    maker = _Maker(folder, trust, pages)
    book = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "cells": [maker.shown(cell) for cell in cells],
                               "metadata": {"language_info": {"name": language}}})
    html, _ = _Exporter(maker, language).from_notebook_node(book, {"metadata": {"name": title}})
    html = once(maker.filled(html))
    left_out = tuple(f"cell {number}: {what}" for number, what in sorted(maker.left_out, key=lambda miss: miss[0]))
    alive = len(re.findall(rf"<{player()[0]}\b", html))
    if any(LESSON.search(cell["source"]) for cell in codes):
        what = GUESSES if maker.takes_guesses else FIGURES if alive else PICTURES
        html = html.replace("<main>", "<main>" + ALONE.format(what), 1)
    if left_out:
        html = html.replace("<main>", "<main>" + _told(left_out), 1)
    if not trust:
        html = html.replace("<head>", "<head>" + POLICY.format(_fingerprint(player()[1])), 1)
    html = html.replace("<head>", "<head>" + _mark(html, title, folder), 1)
    return Page(html, left_out, tuple(dict.fromkeys(Survey(html).fetches)), len(codes), len(waiting), alive,
                len(STILL.findall(html)) - alive)


def is_page_of(html: str, title: str, folder: Path | None) -> bool:
    """True if a file is a page made of this folder's notebook of this name, and unchanged since."""
    before, mark, after = html.partition(MARK.partition("{}")[0])
    told, _, rest = after.partition('">')
    return bool(mark) and mark + told + '">' == _mark(before + rest, title, folder)


def _mark(html: str, title: str, folder: Path | None) -> str:
    """Of which notebook a page is made, and what was in it: as a fingerprint, which tells no path."""
    whole = f"{'' if folder is None else folder.resolve()}/{title}\n{html}"
    return MARK.format(sha256(whole.encode("utf-8", "replace")).hexdigest()[:32])


def _fingerprint(script: str) -> str:
    return base64.b64encode(sha256(script.encode()).digest()).decode()


def _told(left_out: tuple[str, ...]) -> str:
    rows = "".join(f"<li>{escape(line)}</li>" for line in left_out)
    return f'<details class="jp-Cell" style="margin:1em"><summary>Not in this page</summary><ul>{rows}</ul></details>'


class _Maker:
    """Makes each cell's part of the page.

    It keeps what stands behind the tokens in it until all is put together.
    """

    def __init__(self, folder: Path | None, trust: bool, pages: Collection[str]):
        self.folder, self.trust, self.pages = folder, trust, pages
        self.left_out: dict[tuple[int, str], None] = {}
        self._macros = ""
        self._held: list[str] = []
        self._token = secrets.token_hex(8)

    def hold(self, html: str) -> str:
        """A token that stands for HTML of our own, and passes through Markdown and cleaning unchanged."""
        self._held.append(html)
        return f"{self._token}x{len(self._held) - 1}x"

    def without(self, text: str) -> str:
        """A text without tokens."""
        return re.sub(rf"{self._token}x\d+x", "", text)

    def filled(self, page: str) -> str:
        """The page with what its tokens stand for."""
        return re.sub(rf"{self._token}x(\d+)x", lambda token: self._held[int(token[1])], page)

    @property
    def takes_guesses(self) -> bool:
        """True if a question of it does."""
        return any(map(takes_guess, self._held))

    def miss(self, number: int, what: str) -> None:
        self.left_out[number, what] = None

    def formula(self, latex: str, block: bool, number: int) -> str:
        """A token for a formula that is typeset; for its source where it cannot be."""
        made = typeset(latex.strip(), block, self._macros)
        self._macros += definitions(latex)
        if made.unknown:
            why = made.unknown if " " in made.unknown else f"{made.unknown} is not known"
            self.miss(number, f"a formula, whose source is shown: {why}: {' '.join(latex.split()):.60}")
        return self.hold(made.html)

    def clean(self, html: str, number: int, attachments: dict) -> str:
        """HTML of the notebook as it may stand in the page."""
        html, old = redrawn(html, self.hold, self.pages)
        if old:
            self.miss(number, "a figure of another release: its still picture is shown")
        if self.trust:
            return html

        asked = set()

        def picture(source: str) -> str | None:
            asked.add(source)
            try:
                return self.hold(embedded(source, attachments, self.folder))
            except LeftOutError as why:
                self.miss(number, f"the picture {source[:80]}: {why}")
                return None

        found = Survey(ROW.sub("", PLAYER.sub("", html)))
        made = cleaned(html, picture, self.pages)
        for what in [*found.runs, *(what for what in found.fetches if not what.startswith("<img>"))]:
            self.miss(number, what)
        for source in found.pictures:
            if source not in asked:
                self.miss(number, f"the picture {source[:80]}: that is no place for a picture")
        return made

    def shown(self, cell: dict) -> dict:
        """A cell with outputs of the kinds that a page shows."""
        number = cell["metadata"]["number"]
        if cell["cell_type"] == "raw":
            cell["source"] = f"<pre>{escape(cell['source'])}</pre>"
        if cell["cell_type"] == "code":
            cell["metadata"]["after"] = bool(AFTER.search(cell["source"]))
            shown = [self._output(number, output) for output in cell["outputs"]]
            cell["outputs"] = [output for output in shown if output.get("data", True)]
        return cell

    def _output(self, number: int, output: dict) -> dict:
        if "data" not in output:
            return output
        if unknown := output.pop("unknown", None):
            self.miss(number, f"an output of unknown type {unknown!r}")
        data = {mime: "".join(text) if isinstance(text, list) and all(isinstance(t, str) for t in text) else text
                for mime, text in output["data"].items()}
        return {**output, "data": self._best(number, data)}

    def _best(self, number: int, data: dict[str, Any]) -> dict[str, str]:
        """Of an output's forms the one to show."""
        texts = {mime: text for mime, text in data.items() if isinstance(text, str)}
        if "text/html" in texts:
            return {"text/html": self.clean(texts["text/html"], number, {})}
        if "image/svg+xml" in texts:
            return {"text/html": picture_of(texts["image/svg+xml"])}
        told = False
        for mime in RASTER:
            if mime in texts:
                try:
                    source = embedded(f"data:{mime};base64,{texts[mime]}", {}, None)
                    alt = escape(texts.get("text/plain", "a picture")[:200])
                    return {"text/html": f'<img alt="{alt}" src="{source}">'}
                except LeftOutError as why:
                    told = True
                    self.miss(number, f"a picture: {why}")
        if "text/latex" in texts:
            return {"text/html": self.formula(texts["text/latex"].strip().strip("$"), True, number)}
        for script in SCRIPTS:
            if script in texts and not self.trust:
                told = True
                self.miss(number, "a script among the outputs")
            elif script in texts:
                return {"text/html": f"<script>{texts[script]}</script>"}
        for mime in ("text/markdown", "text/plain"):
            if mime in texts:
                return {mime: texts[mime]}
        if "application/json" in data:
            return {"text/plain": json.dumps(data["application/json"], indent=1)[:100_000]}
        if data and not told:
            self.miss(number, f"an output of the kind {next(iter(data))[:60]}")
        return {}


def _where_dark(style: str) -> Markup:
    """A `<style>` that holds on a dark screen; on paper it never does."""
    return Markup(str(style).replace("<style", '<style media="screen and (prefers-color-scheme: dark)"', 1))


class _Exporter(HTMLExporter):
    """nbconvert's, with Markdown as `_Renderer` writes it, of a notebook that is known to be in order.

    nbconvert validates a notebook after each of eleven preprocessors, and reads the whole page again as a tree to add
    alternative texts: of 20,000 outputs the one takes 14 s, the other 19.
    """

    def __init__(self, maker: _Maker, language: str):
        super().__init__(raw_template=TEMPLATE, default_preprocessors=[], theme="light")
        self.maker = maker
        self.register_filter("highlight_code", Highlight2HTML(pygments_lexer=language, parent=self))
        self.register_filter("filter_data_type", lambda data: list(data))
        self.register_filter("where_dark", _where_dark)

    def from_notebook_node(self, nb, resources=None, **how):
        return TemplateExporter.from_notebook_node(self, nb, self._init_resources(resources), **how)

    @pass_context
    def markdown2html(self, context, source):
        cell = context.get("cell") or {}
        number = cell.get("metadata", {}).get("number", 0)
        html = MarkdownWithMath(renderer=_Renderer(self.maker, number)).render(source)
        return self.maker.clean(html, number, cell.get("attachments") or {})


class _Renderer(IPythonRenderer):
    """Markdown with formulas typeset, and with the addresses of pictures as they stand."""

    def __init__(self, maker: _Maker, number: int):
        super().__init__(escape=False, anchor_link_text="¶")
        self.maker, self.number = maker, number

    def block_math(self, body):
        return self.maker.formula(body, True, self.number)

    def inline_math(self, body):
        return self.maker.formula(body, False, self.number)

    def latex_environment(self, name, body):
        return self.maker.formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", True, self.number)

    def heading(self, text, level, **attrs):
        words = self.maker.without(unescape(re.sub(r"<[^>]*>", "", text))).strip()
        name = escape(re.sub(r"\s+", "-", words))
        return f'<h{level} id="{name}">{text}<a class="anchor-link" href="#{name}">¶</a></h{level}>\n'

    def block_mermaidjs(self, code):
        return f"<pre>{escape(code)}</pre>"

    def _embed_image_or_attachment(self, src):
        return src
