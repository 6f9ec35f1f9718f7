"""`rustyflow export`: what becomes of a notebook, whoever wrote it; and that no file of anybody is written over."""

import base64
import json
import os
import re
import zlib
from functools import partial
from html import escape, unescape
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("nbconvert")

from rustyflow import cli, show
from rustyflow.cli.export import offline_page
from rustyflow.cli.export.cleaning import Survey, cleaned
from rustyflow.cli.export.figures import checked
from rustyflow.scene import Figure, Frame, Scene, Shape
from rustyflow.scene.scene import Asks
from rustyflow.scene.wire import pack, sequel

jinja2 = pytest.importorskip("jinja2")


class Compiled(jinja2.BytecodeCache):
    """nbconvert's templates, which it compiles for each page anew, compiled once for all tests."""

    def __init__(self):
        self.known = {}

    def load_bytecode(self, bucket):
        if code := self.known.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket):
        self.known[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="module", autouse=True)
def templates():
    with pytest.MonkeyPatch.context() as patch:
        made = partial(jinja2.Environment, bytecode_cache=Compiled())
        patch.setattr("nbconvert.exporters.templateexporter.Environment", made)
        yield


LESSON = "from rustyflow.lessons import one_line_of_memory as check"

PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c6360606060000000050001a5f64540000000004945"
        "4e44ae426082"
    )
).decode()


def notebook(*cells, **more):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells} | more)


def said(text, **more):
    return {"cell_type": "markdown", "id": "a", "metadata": {}, "source": text} | more


def ran(*outputs, **more):
    return {
        "cell_type": "code",
        "id": "b",
        "metadata": {},
        "source": "1",
        "execution_count": 1,
        "outputs": list(outputs),
    } | more


def shown(**data):
    return {"output_type": "display_data", "metadata": {}, "data": {k.replace("_", "/"): v for k, v in data.items()}}


def main_of(page):
    return page.html[page.html.index("<main>") :]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.ipynb").write_text(notebook(said("one")), encoding="utf-8")
    return tmp_path


def test_a_page_is_made_beside_its_notebook_and_made_again(here, capsys):
    assert cli.main(["export", "mine.ipynb"]) == 0 and "opens without a network" in capsys.readouterr().out
    Path("mine.ipynb").write_text(notebook(said("two")), encoding="utf-8")
    assert cli.main(["export", "mine.ipynb"]) == 0
    assert "<p>two</p>" in Path("mine.html").read_text(encoding="utf-8") and len(os.listdir()) == 2


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("page", ["mine.ipynb", "./mine.ipynb", "other.ipynb", "other.IPYNB", "link.html", "hard.html"])
def test_no_notebook_is_written_over(here, capsys, page, force):
    Path("other.ipynb").write_text("other", encoding="utf-8")
    Path("link.html").symlink_to("mine.ipynb")
    os.link("mine.ipynb", "hard.html")
    before = {path: path.read_bytes() for path in here.iterdir()}
    assert cli.main(["export", "mine.ipynb", "-o", page, *force]) == 1
    assert {path: path.read_bytes() for path in here.iterdir()} == before
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_what_is_not_a_page_of_this_notebook_stays(here, capsys):
    for other in ("mine.html", "mine-2.html"):
        Path(other).write_text("my own page", encoding="utf-8")
    for _ in range(2):
        assert cli.main(["export", "mine.ipynb"]) == 0
        told = capsys.readouterr().out
        assert "mine.html is no page of this notebook, and stays" in told and "\nmine-3.html: " in told
    assert Path("mine.html").read_text() == Path("mine-2.html").read_text() == "my own page"
    assert cli.main(["export", "mine.ipynb", "--force"]) == 0 and "<p>one</p>" in Path("mine.html").read_text()


def test_a_page_that_somebody_has_edited_is_theirs(here, capsys):
    cli.main(["export", "mine.ipynb"])
    Path("mine.html").write_text(
        Path("mine.html").read_text(encoding="utf-8").replace("one", "my remark"), encoding="utf-8"
    )
    assert cli.main(["export", "mine.ipynb"]) == 0 and "stays" in capsys.readouterr().out
    assert "my remark" in Path("mine.html").read_text(encoding="utf-8") and Path("mine-2.html").exists()


def test_two_notebooks_of_one_name_keep_a_page_each(here):
    Path("b").mkdir()
    Path("b/mine.ipynb").write_text(notebook(said("two")), encoding="utf-8")
    for name in ("mine.ipynb", "b/mine.ipynb"):
        cli.main(["export", name, "-o", "page.html"])
    assert "<p>one</p>" in Path("page.html").read_text() and "<p>two</p>" in Path("page-2.html").read_text()


def test_a_folder_of_the_pages_name_is_named(here, capsys):
    Path("mine.html").mkdir()
    assert cli.main(["export", "mine.ipynb"]) == 1
    assert capsys.readouterr().err.splitlines()[0] == "rustyflow: mine.html is a folder."


def test_a_crash_leaves_the_old_page(here, monkeypatch):
    cli.main(["export", "mine.ipynb"])
    before = Path("mine.html").read_bytes()

    def crash(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", crash)
    assert cli.main(["export", "mine.ipynb"]) == 1
    assert Path("mine.html").read_bytes() == before and sorted(os.listdir()) == ["mine.html", "mine.ipynb"]


@pytest.mark.parametrize("name", ["a.png", "my pic.png", "Übung.png", "a(1)[2].png", "100%.png", "a&b.png", "Ü.png"])
@pytest.mark.parametrize("how", ["![x](<attachment:{}>)", '<img src="attachment:{}">'])
def test_attached_pictures_are_in_the_page_whatever_they_are_called(name, how):
    from urllib.parse import quote

    for written in (name, quote(name)):
        if "%" in name and written == name:
            continue  # a bare % is no address
        page = offline_page(notebook(said(how.format(written), attachments={name: {"image/png": PIXEL}})), "t")
        assert f"data:image/png;base64,{PIXEL}" in page.html and page.left_out == ()


def test_pictures_beside_the_notebook_are_in_the_page(here):
    Path("pictures").mkdir()
    for name in ("pictures/a b.png", "c.svg"):
        Path(name).write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    text = "![a](pictures/a%20b.png)\n\n<img src='./c.svg' width=40>"
    page = offline_page(notebook(said(text)), "t", here)
    assert "data:image/png;base64," in main_of(page) and "data:image/svg+xml;base64," in main_of(page)
    assert 'width="40"' in main_of(page) and page.left_out == () == page.fetches


@pytest.mark.parametrize(
    "source, why",
    [
        ("https://example.org/a.png", "lies elsewhere"),
        ("//example.org/a.png", "lies elsewhere"),
        ("gone.png", "not there"),
        ("../secret.png", "outside"),
        ("/etc/passwd.png", "outside"),
        ("a.txt", "no picture"),
        ("ftp://x/a.png", "no place for a picture"),
        ("attachment:gone.png", "not attached"),
        ("data:text/html;base64,aGk=", "no picture"),
        ("%00.png", "cannot be read"),
        ("data:image/png;base64,!!", "damaged"),
        ("file:///etc/passwd.png", "no place for"),
    ],
)
def test_a_picture_that_cannot_be_in_the_page_is_named_on_it_and_in_the_terminal(here, capsys, source, why):
    (here.parent / "secret.png").write_bytes(b"secret")
    Path("mine.ipynb").write_text(notebook(said("one"), said(f"![x]({source})")), encoding="utf-8")
    assert cli.main(["export", "mine.ipynb"]) == 0
    told, html = capsys.readouterr().out, Path("mine.html").read_text(encoding="utf-8")
    assert f"not in the page: cell 2: the picture {source[:30]}" in told and why in told and why in html
    assert "opens without a network" in told and Survey(html).fetches == []


HARM = [
    "<script>f()</script>",
    "<img src=x onerror=f()>",
    "<a href='javascript:f()'>x</a>",
    "<iframe src='https://a.b'></iframe>",
    "<object data='https://a.b'></object>",
    "<video src='https://a.b/v.mp4'></video>",
    "<p style='background:url(//a.b)'>x</p>",
    "<style>@import 'https://a.b/c.css'</style>",
    "<svg onload='f()'><script>f()</script></svg>",
    "<body onload=f()>",
    "<img srcset='https://a.b/1.png 1x'>",
    "<link rel=stylesheet href='https://a.b/c.css'>",
    "<form action='//a.b'></form>",
    "<meta http-equiv=refresh content='0;url=https://a.b'>",
    "<math href='javascript:f()'><mi>x</mi></math>",
    "<p style='background:image-set(\"https://a.b\" 1x)'>x</p>",
    "<base href='https://a.b/'>",
    "<a href='java\tscript:f()'>x</a>",
    "<p style='background:\\75 rl(//a.b)'>x</p>",
    "<embed src='https://a.b'>",
    "<SCRIPT SRC=//a.b></SCRIPT>",
    "<svg><svg></svg><image href='https://a.b/x.png'/></svg>",
    "<div><rustyflow-figure-12345678><script>f()</script></div>",
    "<input autofocus onfocus=f()>",
    "<details open ontoggle=f()>",
    "<img src='data:text/html;base64,PHNjcmlwdD4='>",
]


@pytest.mark.parametrize("html", HARM)
def test_nothing_of_the_notebook_runs_or_fetches(html):
    for cell in (said(f"a {html} b"), said(html), ran(shown(text_html=html)), ran(shown(text_markdown=html))):
        page = offline_page(notebook(cell), "t")
        found = Survey(main_of(page))
        assert found.runs == found.fetches == [] == list(page.fetches)
        assert "f()" not in main_of(page).replace("f()&lt;", "") or "<script" not in main_of(page)


def test_what_a_script_was_is_named_and_a_trusted_notebook_keeps_it(here, capsys):
    Path("mine.ipynb").write_text(notebook(ran(shown(text_html="<script src='https://a.b/c.js'></script>"))))
    assert cli.main(["export", "mine.ipynb"]) == 0 and "not in the page: cell 1: a script" in capsys.readouterr().out
    assert cli.main(["export", "mine.ipynb", "--trust"]) == 0
    told = capsys.readouterr().out
    assert "<script src='https://a.b/c.js'>" in Path("mine.html").read_text()
    assert "opens without a network" not in told and "fetched when it is opened: <script>: https://a.b/c.js" in told


def test_scripts_among_outputs_and_raw_cells_do_not_run():
    cells = [
        ran({"output_type": "display_data", "metadata": {}, "data": {"application/javascript": "f()"}}),
        {"cell_type": "raw", "id": "c", "metadata": {"raw_mimetype": "text/html"}, "source": "<script>f()</script>"},
    ]
    page = offline_page(notebook(*cells), "<script>f()</script>")
    assert Survey(main_of(page)).runs == [] and page.left_out == ("cell 1: a script among the outputs",)
    assert "<script>f()" not in page.html


def test_a_result_has_the_number_of_its_cell_and_what_is_displayed_has_none():
    result = shown(text_plain="6") | {"output_type": "execute_result", "execution_count": 7}
    page = main_of(offline_page(notebook(ran(result, shown(text_plain="8"), execution_count=7)), "t"))
    assert page.count("Out[7]:") == 1 and page.count("[7]:") == 2


def test_harmless_html_stays():
    html = (
        '<p style="color: red">1 <b class="x">2</b> <a href="https://a.b">3</a></p><table><tr><td>4</td></tr></table>'
    )
    page = offline_page(notebook(ran(shown(text_html=html))), "t")
    assert 'style="color: red"' in page.html and '<a href="https://a.b"' in page.html and "<td>4</td>" in page.html
    assert page.left_out == ()


def test_a_figure_is_redrawn_by_the_installed_player_and_the_page_has_it_once():
    figures = [show.strides(np.arange(n)).html() for n in (3, 4)]
    renamed = [
        html.replace(html[html.index("rustyflow-figure-") :][:25], "rustyflow-figure-00000000") for html in figures
    ]
    page = offline_page(notebook(ran(*[shown(text_html=html) for html in renamed])), "t")
    assert page.html.count("customElements.define") == 1 and "00000000" not in page.html and page.left_out == ()
    assert page.html.count('type="application/zlib"') == 2


def test_a_question_is_read_with_its_choices_where_no_script_runs():
    for shapes in ((Shape("text", "t", text="7"),), ()):  # behind a picture, and alone
        asks = Asks("Is 1 < 2\n  of שלום?", {"A": "yes & no", "B": "<b onclick='1'>never</b>"})
        figure = Figure(Scene("x", 80, 40, shapes, (Frame("A or B."),), asks=asks))
        page = offline_page(notebook(ran(shown(text_html=figure.html()))), "t")
        apart = re.sub("<(p|br)>", " ", main_of(page).partition('<script type="application/zlib"')[0])
        words = " ".join(unescape(re.sub("<[^>]*>", "", apart)).split())
        assert "Is 1 < 2 of שלום? A yes & no B <b onclick='1'>never</b>" in words and page.alive == 1
        assert ("data:image/svg+xml" in apart) == bool(shapes) and "allow JavaScript" in words
    words = '<p onclick="1"><b>no</b></p><p><b style="color:red">no</b></p><p>so</p>'
    forged = figure.html().replace(">", ">" + words, 2)
    assert 'onclick="1"' not in main_of(offline_page(notebook(ran(shown(text_html=forged))), "t"))


def test_a_page_of_a_lesson_says_what_lives_in_it():
    asks = Asks("Which?", {"A": "one", "B": "two"})
    figure, asked, more = (Figure(Scene("x", 80, 40, (), (Frame("A or B."),), asks=asks))
                           for asks in (None, asks, asks._replace(sequel=sequel({}, {}, {}))))  # fmt: skip
    for html, told in (
        (figure.picture(), "Its figures are pictures alone"), (figure.html(), "Figures are alive. Questions,"),
        (asked.html(), "Figures are alive. Questions,"), (more.html(), "Figures are alive, and questions take a guess"),
    ):  # fmt: skip
        page = offline_page(notebook(ran(shown(text_html=html), source=LESSON)), "t")
        assert "no Python behind it. " + told in page.html


def test_figures_beside_each_other_live_and_nothing_is_said_to_be_missing():
    widgets = pytest.importorskip("rustyflow.widgets", exc_type=ImportError)
    parts = [show.strides(np.arange(n)) for n in (3, 4, 5)]
    for count in (2, 3):
        page = offline_page(notebook(ran(shown(text_html=widgets.beside(*parts[:count])._bundle()["text/html"]))), "t")
        assert (page.alive, page.left_out) == (count, ()) and "rustyflowBeside" not in page.html
    page = offline_page(notebook(ran(shown(text_html="<script>window.rustyflowBeside = f()</script>"))), "t")
    assert page.left_out == ("cell 1: a script",)


def _scene(**changes):
    import zlib

    scene = json.loads(zlib.decompress(base64.b64decode(pack(show.strides(np.arange(3)).scene)))) | changes
    return base64.b64encode(zlib.compress(json.dumps(scene).encode())).decode()


SVG = "<svg xmlns='http://www.w3.org/2000/svg'>{}</svg>"


@pytest.mark.parametrize(
    "changes",
    [
        {"drawing": SVG.format("<script>f()</script>")},
        {"drawing": SVG.format("<rect onclick='f()'/>")},
        {"drawing": SVG.format("<image href='https://a.b'/>")},
        {"drawing": SVG.format("<style>@import 'https://a.b'</style>")},
        {"drawing": SVG.format("<rect style='fill:url(https://a.b)'/>")},
        {"drawing": SVG.format("<foreignObject/>")},
        {"drawing": SVG.format("<a href='javascript:f()'/>")},
        {"drawing": "<!DOCTYPE svg [<!ENTITY a 'b'>]>" + SVG.format("")},
        {"looks": [{"c": {}, "a": [["a0", "onclick", "f()"]]}]},
        {"looks": [{"c": {}, "a": [["a0", "href", "https://a.b"]]}]},
        {"looks": 3},
        {"drawing": 3},
        {"drawing": "no drawing"},
        {"links": [{"a": "onclick"}]},
        {"format": 0},
        {"format": "1"},
        {"format": None},
        {"h": {"g": 90}},
        {"h": {"by": {"": "90px;color:red"}}},
    ],
)
def test_a_scene_that_would_run_or_fetch_or_is_of_another_format_is_none(changes):
    assert checked(_scene()) is not None and checked(_scene(**changes)) is None


def test_what_follows_a_guess_is_looked_at_as_closely():
    def asking(**changes):
        told = json.loads(zlib.decompress(base64.b64decode(_scene(asks={"open": False}, **changes))))
        packed = base64.b64encode(zlib.compress(json.dumps({"again": {}, "told": {"A": told}}).encode())).decode()
        return checked(_scene(asks={"open": True, "sequel": packed}))

    assert asking() and asking(drawing=SVG.format("<script>f()</script>")) is None
    assert checked(_scene(asks={"open": True, "sequel": "aGk="})) is None


def test_what_opens_from_a_scene_is_looked_at_as_closely():
    def opening(scene):
        return checked(_scene(inner={"o": {"label": "graph", "scenes": {"a0": scene}, "said": {}, "absent": ""}}))

    assert opening(_scene()) and opening("") and opening(_scene(drawing=SVG.format("<script>f()</script>"))) is None
    assert opening(_scene(inner={"o": {"scenes": {"a0": _scene()}}})) is None
    for broken in (3, {"o": 3}, {"o": {}}, {"o": {"scenes": ["a0"]}}):
        assert checked(_scene(inner=broken)) is None


def test_words_by_side_are_kept_whatever_letter_a_side_has():
    assert checked(_scene(links=[{"s": {"by": {"": "all", "a": [3]}}, "c": {}, "a": []}]))


@pytest.mark.parametrize("packed", ["", "!!", "aGk=", base64.b64encode(b"x" * 100).decode()])
def test_what_is_no_scene_is_none(packed):
    assert checked(packed) is None


def test_a_figure_of_another_release_is_its_still_picture():
    html = show.strides(np.arange(3)).html()
    start = html.index('type="application/zlib">') + 24
    page = offline_page(notebook(ran(shown(text_html=html[:start] + "aGk=" + html[html.index("<", start) :]))), "t")
    assert "still picture" in page.left_out[0] and "data:image/svg+xml;base64," in main_of(page)


def test_a_scene_with_a_height_for_each_side_is_kept():
    assert checked(_scene(h={"by": {"": 90, "g": 120}}))


def test_a_figure_of_another_format_is_its_still_picture():
    html, packed = show.strides(np.arange(3)).html(), pack(show.strides(np.arange(3)).scene)
    page = offline_page(notebook(ran(shown(text_html=html.replace(packed, _scene(format=0))))), "t")
    assert "still picture" in page.left_out[0] and "data:image/svg+xml;base64," in main_of(page)
    assert "<script" not in main_of(page)


@pytest.mark.parametrize("kept, want", [
    ('{"frame": 2, "pinned": "a1", "side": null}', {"frame": 2, "pinned": "a1", "side": None}),
    ('{"frame": "<b>", "pinned": 3, "side": "", "x": 1}', {"side": ""}), ("[1]", None), ("{", None), ("9" * 9999, None),
])  # fmt: skip
def test_a_figure_goes_on_from_the_state_that_it_keeps(kept, want):
    html = show.strides(np.arange(3)).html().replace(" data-lm", f' data-keep="{escape(kept)}" data-lm', 1)
    page = main_of(offline_page(notebook(ran(shown(text_html=html))), "t"))
    found = re.search(r' data-keep="([^"]*)"', page)
    assert (found and json.loads(unescape(found[1]))) == want


@pytest.mark.parametrize(
    "text, want",
    [
        ("$x^2$", '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">'),
        ("$$\\frac{a}{b}$$", 'display="block"'),
        ("\\begin{align}a&=b\\end{align}", "<mtable"),
        ("`$x$`", "<code>$x$</code>"),
        ("$\\frac{$", "<code>\\frac{</code>"),
        ("costs $5", "costs $5"),
        ("# The $x$", 'id="The"'),
        ("$a<b$", "&lt;"),
    ],
)
def test_formulas_are_typeset_without_a_network(text, want):
    assert want in main_of(offline_page(notebook(said(text)), "t"))


def test_the_page_allows_a_browser_the_player_alone_and_a_trusted_one_all():
    page = offline_page(notebook(ran(shown(text_html=show.strides(np.arange(3)).html()))), "t")
    assert "script-src 'sha256-" in page.html and "default-src 'none'" in page.html
    assert "Content-Security-Policy" not in offline_page(notebook(said("x")), "t", trust=True).html


def test_no_formula_brings_a_handler():
    for latex in ("\\href{javascript:f()}{x}", "\\style{background:url(//a.b)}{x}", "\\text{<script>f()</script>}"):
        page = offline_page(notebook(said(f"${latex}$")), "t")
        found = Survey(main_of(page))
        assert found.runs == found.fetches == []


KERNELS = [{}, {"name": None}, {"name": 3}, None, "python", []]


@pytest.mark.parametrize(
    "book",
    [
        *[notebook(said("fine"), metadata={"kernelspec": kernel}) for kernel in KERNELS],
        *[
            notebook(said("fine"), metadata={"language_info": info})
            for info in (None, "python", {"name": None}, {"name": "r"})
        ],
        notebook(said("fine"), metadata=None),
        notebook(said("fine"), metadata=[]),
        notebook(said("fine"), metadata={"title": 3}),
        json.dumps({"nbformat": 4, "cells": [said("fine")]}),
        json.dumps({"cells": [said("fine")]}),
        notebook(said("fine"), nbformat_minor="x"),
        notebook(said("fine"), nbformat_minor=99),
        notebook({"cell_type": "markdown", "source": ["fi", "ne"]}),
        notebook({"cell_type": "strange", "source": "fine"}),
        notebook(said("fine", id="with a space")),
        notebook(said("fine", id=None)),
        notebook(said("fine", metadata=None)),
        notebook(said("fine", attachments=3)),
        notebook(said("fine"), said(None)),
        notebook(said("fine"), said(3)),
        notebook(said("fine"), {"cell_type": "code", "source": "x"}),
        notebook(said("fine"), ran(metadata={"tags": "<x>"})),
        notebook(said("fine"), ran(execution_count="x")),
        notebook(said("fine"), ran(outputs=None)),
        notebook(said("fine"), ran({"output_type": "display_data"})),
        notebook(said("fine"), ran({"output_type": "stream"})),
        notebook(said("fine"), ran({"output_type": "error"})),
        notebook(said("fine"), ran({"output_type": "new"}, {}, None, 3)),
        notebook(said("fine"), ran(shown(image_png=3))),
        notebook(said("fine"), ran(shown(text_html=None))),
        notebook(said("fine"), ran({"output_type": "display_data", "data": {"a/b": {}}, "metadata": None})),
        json.dumps(
            {
                "nbformat": 3,
                "nbformat_minor": 0,
                "metadata": {},
                "worksheets": [{"cells": [{"cell_type": "markdown", "metadata": {}, "source": "fine"}]}],
            }
        ),
    ],
)
def test_what_jupyterlab_opens_becomes_a_page_without_a_warning(here, capsys, recwarn, book):
    Path("mine.ipynb").write_text(book, encoding="utf-8")
    assert cli.main(["export", "mine.ipynb"]) == 0
    assert "fine" in main_of_file("mine.html")
    assert capsys.readouterr().err == "" and not [w for w in recwarn if "site-packages" in str(w.filename)]


def main_of_file(name):
    html = Path(name).read_text(encoding="utf-8")
    return html[html.index("<main>") :]


@pytest.mark.parametrize(
    "content, words",
    [
        ("", "Expecting value"),
        ("{", "Expecting"),
        ("[]", "a list"),
        ("{}", "no list of cells"),
        ('{"cells": 3}', "no list"),
        ("[" * 100_000, "nested without end"),
        (notebook(3), "cell 1 is a number"),
        (notebook(said("a"), None), "cell 2 is nothing"),
        (notebook(said("a"), said({"a": 1})), "cell 2: its source is an object"),
        (notebook(said([["a"]])), "cell 1: its source"),
        (notebook(ran({"output_type": "stream", "text": {}})), "cell 1: its text is an object"),
        ("\udcff", "utf-8"),
    ],
)
def test_what_is_no_notebook_is_said_in_two_lines_with_the_cell(here, capsys, content, words):
    Path("mine.ipynb").write_bytes(content.encode("utf-8", "surrogateescape"))
    assert cli.main(["export", "mine.ipynb"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "rustyflow: mine.ipynb cannot be read as a notebook." and words in told[1] and len(told) == 2
    assert not Path("mine.html").exists()


def test_a_missing_notebook_is_named(here, capsys):
    assert cli.main(["export", "absent.ipynb"]) == 1 and "absent.ipynb" in capsys.readouterr().err


def test_a_notebook_is_validated_once_and_no_page_is_read_again_as_a_tree(monkeypatch):
    """Of 20,000 small outputs a validation takes more than a second, and the tree thirteen."""
    import nbformat.validator
    from nbconvert.exporters import html

    validations, validate = [], nbformat.validator.iter_validate
    monkeypatch.setattr(nbformat.validator, "iter_validate", lambda *a, **k: validations.append(a) or validate(*a, **k))
    monkeypatch.setattr(html, "BeautifulSoup", None)
    page = offline_page(notebook(ran(*[shown(text_plain=str(k)) for k in range(300)])), "t")
    assert page.html.count("<pre>") >= 300 and len(validations) <= 1


def test_styles_that_fetch_are_seen_however_they_are_written():
    for css in ("URL(https://a.b)", "url( 'https://a.b' )", "image-set('https://a.b' 1x)"):
        assert Survey(f"<style>p{{background:{css}}}</style>").fetches and Survey(f'<p style="{css}">').fetches
    assert Survey("<p title='javascript: a language'>").runs == [] and cleaned(
        "<svg><svg></svg>x</svg>y", str
    ).endswith(">y")
