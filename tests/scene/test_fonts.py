"""Pictures of names in every script: with the fonts of the machine where ours lack a letter, a word where all do."""
import sys
import warnings

import pytest

from rustyflow.scene import Figure, Frame, Scene, Shape, fonts

pytest.importorskip("resvg_py")
pytest.importorskip("typst")
pytest.importorskip("matplotlib")


def figure(name):
    shapes = tuple(Shape("text", "", cls, (("x", 8), ("y", y)), text=name) for y, cls in ((30, ()), (60, ("mono",))))
    return Figure(Scene(name, 300, 90, shapes, (Frame(f"{name} is read."),)))


def saved(figure, path):
    """The bytes of a picture, and what was said of it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        figure.save(path)
    return path.read_bytes(), [str(each.message) for each in said]


@pytest.fixture(params=["png", "pdf"])
def path(request, tmp_path):
    return tmp_path / f"x.{request.param}"


@pytest.mark.parametrize("name", ["x", "größe", "αβγ ≈ 2·3", "шаг", "שלום", "سلام", "😀"])
def test_what_our_fonts_have_is_the_same_on_every_machine(name, path, monkeypatch):
    def nobody():
        raise AssertionError("no other font is looked for")
    monkeypatch.setattr(fonts, "at_hand", nobody)
    first, said = saved(figure(name), path)
    assert said == [] and saved(figure(name), path)[0] == first


@pytest.mark.parametrize("name, letters, script", [
    ("名前", "'前', '名'", "Cjk"), ("नमस्ते", "'त', 'न', 'म', 'स', 'े', '्'", "Devanagari"), ("ᚠ x", "'ᚠ'", "Runic"),
    ("ไทย", "'ท', 'ย', 'ไ'", "Thai"), ("🦀", "'🦀'", "Crab"), ("日本語の名前を書くとき", "...", "Hiragana, Cjk"),
])
def test_what_no_font_has_is_named_in_one_line(name, letters, script, path, monkeypatch):
    monkeypatch.setattr(fonts, "at_hand", lambda: iter(()))
    drawn, (said,) = saved(figure(name), path)
    assert letters in said and script in said and "\n" not in said and drawn


def test_a_font_of_the_machine_is_used_for_what_ours_lack(path, monkeypatch):
    others = [str(file) for file in sorted(fonts.folder().glob("STIX*.ttf"))]
    monkeypatch.setattr(fonts, "at_hand", lambda: iter(others))
    ours = set().union(*map(fonts.letters_of, fonts.own()))
    for letter in sorted(fonts.letters_of(others[0]) - ours)[5:8]:
        drawn, said = saved(figure(f"x{letter}"), path)
        assert said == []
        with monkeypatch.context() as patch:
            patch.setattr(fonts, "at_hand", lambda: iter(()))
            box, said = saved(figure(f"x{letter}"), path)
        assert len(said) == 1 and box != drawn


@pytest.mark.parametrize("name", ["名前", "नमस्ते", "🦀 名 ᚠ", "데이터"])
def test_with_the_fonts_of_this_machine_a_box_is_said_and_a_letter_is_not(name, path):
    _, lacking = fonts.beyond([figure(name).svg()])
    _, said = saved(figure(name), path)
    assert said == ([fonts.missing(lacking)] if lacking else [])


def test_one_letter_that_no_font_has_takes_no_other_with_it(tmp_path, monkeypatch):
    """The packages give up at the first letter that they miss; a box of ours stands for it."""
    others = [str(file) for file in sorted(fonts.folder().glob("STIX*.ttf"))]
    monkeypatch.setattr(fonts, "at_hand", lambda: iter(others))
    letter = min(fonts.letters_of(others[0]).difference(*map(fonts.letters_of, fonts.own())))
    drawn = {name: saved(figure(name), tmp_path / "x.png")[0] for name in (f"🦀{letter}", f"□{letter}", "🦀🦀")}
    assert drawn[f"🦀{letter}"] == drawn[f"□{letter}"] != drawn["🦀🦀"]


def test_fonts_are_found_where_a_system_keeps_them_the_plain_ones_first(tmp_path, monkeypatch):
    for name in ("b/Noto-Bold.ttf", "b/Noto.otf", "a/NotoSerif.ttc", "LastResort.otf", "readme.txt", "x.pfb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"no font")
    monkeypatch.setattr(fonts, "FOLDERS", (tmp_path, tmp_path / "not there"))
    found = [path[len(str(tmp_path)) + 1:].replace("\\", "/") for path in fonts.at_hand()]
    assert found == ["b/Noto.otf", "a/NotoSerif.ttc", "b/Noto-Bold.ttf"]
    assert fonts.letters_of(str(tmp_path / "b" / "Noto.otf")) == frozenset()
    assert sys.platform not in ("linux", "darwin", "win32") or fonts.FOLDERS
