"""What a figure hands to a notebook, a page and a file."""

import base64
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from html import unescape

import pytest

from rustyflow.scene import Figure, Frame, Link, Links, Scene, draw, export, once, static
from rustyflow.scene.figure import asked, hosted, player
from rustyflow.scene.scene import Asks
from rustyflow.scene.text import isolated

EVIL = "</script><img src=x onerror=alert(1)> & \"{0}\" '<!--"


@pytest.fixture
def evil():
    shapes = (draw.cell("a", 10, 10, EVIL), draw.text(0, 90, EVIL, id="t"))
    links = Links(("cell ", 0, EVIL), {"a": Link(("a",), (EVIL,))}, {("t", "text"): (0,)})
    return Figure(Scene(EVIL, 300, 200, shapes, (Frame(EVIL + "."), Frame("x", link="a")), (links,), about=(EVIL,),
                        note=EVIL))  # fmt: skip


@pytest.fixture
def quiet():
    static()
    yield
    static(False)


def test_labels_are_text_wherever_they_go(evil):
    html = evil.html()
    assert html.count("</script>") == 2  # of the data and of the player, which end where we end them
    data = re.search(r'<script type="application/zlib">(.*?)</script>', html, re.DOTALL)[1]
    assert "<" not in data and json.loads(zlib.decompress(base64.b64decode(data)))["title"] == EVIL
    assert "<img src=x" not in html
    root = ElementTree.fromstring(evil.svg())
    assert EVIL in [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("name", ["a\x1b[31m", "a\nb = 7", "\ud800", "\x00", "\u202e", "@BODY@", "]]>", "W" * 3000])
def test_what_cannot_be_printed_is_spelled_out_in_every_form(name, tmp_path):
    shapes, sentence = (draw.text(0, 90, name, room=80),), f"It is {name}."
    figure = Figure(Scene(name, 300, 200, shapes, (Frame(sentence),), about=(name,), note=name))
    words = ElementTree.fromstring(figure.svg().encode()).itertext()
    page = figure.save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert all(word.isprintable() for word in words) and page.count("<script type") == 1
    assert len(figure.text().splitlines()) == 3 and all(line.isprintable() for line in figure.text().splitlines())


def test_the_bundle_has_text_and_a_live_picture(evil):
    bundle = evil._repr_mimebundle_()
    assert bundle["text/plain"] == str(evil) == evil.text()
    assert bundle["text/html"] == evil.html() == evil.html()
    assert "Trust Notebook" in bundle["text/html"]


def test_static_mode_is_a_picture_and_nothing_to_run(evil, quiet):
    html = evil._repr_mimebundle_()["text/html"]
    assert html.startswith("<img alt=") and "script" not in re.sub(r'(alt|src)="[^"]*"', "", html)
    image = base64.b64decode(re.search(r"base64,([^\"]*)", html)[1]).decode()
    assert image == evil.svg()


def test_static_mode_comes_from_the_environment_too(monkeypatch):
    import subprocess
    import sys

    ask = "from rustyflow.scene import figure; print(figure.is_static())"
    monkeypatch.setenv("RUSTYFLOW_DISPLAY", "static")
    assert subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True).stdout.strip() == "True"


def test_the_picture_is_opaque_and_needs_nothing_from_outside(evil):
    svg = evil.svg()
    assert '<rect id="ground"' in svg
    assert set(re.findall(r"(?:https?:)?//[^\"'\s)]+", svg)) == {"http://www.w3.org/2000/svg"}
    name, code = player()
    assert "http" not in code and "import(" not in code and "fetch" not in code


def test_the_player_is_small():
    assert len(player()[1].encode()) <= 69 * 1024


def test_the_element_is_named_after_the_code(monkeypatch):
    name, code = player()
    assert re.fullmatch(r"rustyflow-figure-[0-9a-f]{8}", name) and f'"{name}"' in code
    assert "@" not in re.sub(r"@(container|media)", "", code)


def test_a_page_of_many_figures_has_the_player_once(evil):
    name, code = player()
    older = evil.html().replace(name, "rustyflow-figure-00000000")
    page = once("<p>".join([evil.html(), older, evil.html(), older]))
    assert page.count("customElements.define") == 2 and page.count('<script type="application/zlib">') == 4
    assert page.count(code) == 1


def test_saving(evil, tmp_path):
    saved = evil.save(tmp_path / "x.svg").read_text(encoding="utf-8")
    assert saved == export.written_out(evil.svg()) and "var(" not in saved and ":root" not in saved
    page = evil.save(str(tmp_path / "x.html")).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and evil.html() in page
    with pytest.raises(ValueError, match=r"(?s)saves as .svg, .html, .png, .pdf.*save\('x.svg'\)"):
        evil.save(tmp_path / "x.gif")
    assert not (tmp_path / "x.gif").exists()


@pytest.mark.parametrize("dark", [False, True])
def test_colours_are_written_out_in_either_theme(evil, dark):
    saved = export.written_out(evil.svg(dark=dark))
    assert "var(" not in saved and ("#f0f2f4" if dark else "#1c1e21") in saved
    assert ElementTree.fromstring(saved).get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"


def test_a_picture_of_dots_is_the_same_on_every_machine(evil, tmp_path):
    for package in ("resvg_py", "matplotlib"):
        pytest.importorskip(package)
    data = evil.save(tmp_path / "x.png").read_bytes()
    assert data.startswith(b"\x89PNG") and data == evil.save(tmp_path / "y.PNG").read_bytes()
    wide, tall = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    assert wide >= 2 * evil.scene.width and tall > 2 * evil.scene.height


def test_a_document_has_a_page_for_each_step(sides, tmp_path):
    for package in ("typst", "matplotlib"):
        pytest.importorskip(package)
    data = sides.save(tmp_path / "x.pdf").read_bytes()
    assert data.startswith(b"%PDF") and data == sides.save(tmp_path / "y.pdf").read_bytes()
    assert b"/Count 2" in data
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.pdf", "y.pdf"]


@pytest.mark.parametrize("suffix, package", [(".png", "resvg_py"), (".pdf", "typst")])
def test_without_the_extra_it_is_named_and_nothing_is_written(evil, tmp_path, monkeypatch, suffix, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=r"(?s)extra \[picture\].*pip install .*\[picture\]"):
        evil.save(tmp_path / f"x{suffix}")
    assert not list(tmp_path.iterdir())


def test_a_dark_picture(evil):
    assert "--ground:#111418" in evil.svg(dark=True) and "--ground:#ffffff" in evil.svg()


@pytest.fixture
def sides():
    shapes = draw.cell("a", 10, 10, 1, "unless-g"), draw.cell("b", 10, 10, 9, "grad when-g")
    frames = Frame({"": "Forward.", "g": "Backward."}), Frame("The end.")
    return Figure(Scene("x", 80, 40, shapes, frames, (Links("Pinned.", {"a": Link(("a",))}),), (), {"g": "back"}))


@pytest.mark.parametrize("keep, whole, sentence", [
    ({}, {"frame": 0, "pinned": "", "side": None}, "Forward."),
    ({"frame": 1}, {"frame": 1, "pinned": "", "side": None}, "The end."),
    ({"side": "g"}, {"frame": 0, "pinned": "", "side": "g"}, "Backward."),
    ({"side": "", "pinned": "a", "frame": 1}, {"frame": 1, "pinned": "a", "side": ""}, "Pinned."),
])  # fmt: skip
def test_a_kept_state_is_written_whole_and_is_the_one_of_the_picture(sides, keep, whole, sentence):
    html = sides.html(keep=keep)
    assert json.loads(unescape(re.search(r' data-keep="([^"<>]*)"', html)[1])) == whole
    assert f'alt="x. {sentence}"' in html and "data-keep" not in sides.html()
    drawn = base64.b64decode(re.search(r"base64,([^\"]*)", html)[1]).decode()
    assert drawn == sides.svg(whole["frame"], whole["pinned"] or None, whole["side"] and (whole["side"],))


def test_a_kept_id_is_text(sides):
    name = "\"'><script>"
    scene = Scene("x", 80, 40, (draw.cell(name, 0, 0, 1),), (Frame("x"),), (Links("x", {name: Link((name,))}),))
    assert Figure(scene).html(keep={"pinned": name}).count("<script>") == 1  # the player's


@pytest.mark.parametrize("keep, error", [
    ({"frame": 2}, r"frame 2\nrule: .*frames 0 to 1"), ({"frame": -1}, "frame -1"), ({"frame": True}, "frame True"),
    ({"frame": "0"}, "frame '0'"), ({"pinned": "b"}, "pinned 'b'\nrule: .*\ntry: .*{\"pinned\": \"a\"}"),
    ({"pinned": None}, "pinned None"), ({"side": "h"}, "toggles of this figure are 'g'"), ({"side": ["g"]}, "side"),
])  # fmt: skip
def test_a_state_that_a_figure_does_not_have_is_not_kept(sides, keep, error):
    with pytest.raises(ValueError, match=error):
        sides.html(keep=keep)


@pytest.mark.parametrize("keep", [3, "frame", {"link": "a"}, {1: 2}, [("frame", 1)]])
def test_what_is_no_state_is_not_kept(sides, keep):
    with pytest.raises(TypeError, match="dict of frame, pinned and side"):
        sides.html(keep=keep)


@pytest.mark.parametrize("name, seen", [
    ("שם<b>", "<bdi>שם</bdi>&lt;b&gt;"), ("<bdi>اسم", "&lt;bdi&gt;<bdi>اسم</bdi>"),
    ("ש_1</bdi><script>", "<bdi>ש_1</bdi>&lt;/bdi&gt;&lt;script&gt;"),
    ("ש' onload=\"x", "<bdi>ש</bdi>&#x27; onload=&quot;x"),
])  # fmt: skip
def test_names_from_right_to_left_are_set_apart_and_stay_text(name, seen):
    page = asked(Asks(name, {"A": name}))
    assert page.count(seen) == 2 and page.count("<bdi>") == 2 and "<script" not in page
    shown = Figure(Scene("x", 90, 60, (draw.text(0, 30, name, id="t"),), (Frame("One."),))).svg()
    texts = [text.text for text in ElementTree.fromstring(shown).iter("{http://www.w3.org/2000/svg}text")]
    assert isolated(name) in texts and isolated(name) != name


@pytest.mark.parametrize("model", ["", EVIL, "שם\"><script src=x>"])
def test_the_script_at_an_address_is_the_player_alone(model):
    page = hosted("<p></p>", "data", {"pinned": model}, model, linked=True)
    scripts = re.findall(r"<script\b([^>]*)>", page)
    assert len(scripts) == 2 and scripts[0] == ' type="application/zlib"'
    kind, _, code = re.fullmatch(r' src="([^"]*)"', scripts[1])[1].partition(",")
    assert kind == "data:text/javascript;charset=utf-8;base64"
    assert base64.b64decode(code).decode() == player()[1]
