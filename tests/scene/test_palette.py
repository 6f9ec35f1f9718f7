"""Text can be read, in both themes, without telling colours apart."""

import re
from importlib.resources import files

import pytest

from rustyflow.scene.palette import DARK, EDGES, LIGHT, PAIRS

THEMES = {"light": LIGHT, "dark": DARK}


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """The contrast ratio of WCAG 2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("text, ground", PAIRS)
def test_text_stands_out(theme, text, ground):
    colours = THEMES[theme]
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("line, ground", EDGES)
def test_what_is_lit_and_the_borders_of_cells_can_be_seen(theme, line, ground):
    colours = THEMES[theme]
    assert contrast(colours[line], colours[ground]) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_lit_is_darker_or_lighter_than_all_else_so_that_it_is_seen_in_grey(theme):
    colours = THEMES[theme]
    for other in ("ghost", "line", "grad", "hatch", *(f"ax{k}" for k in range(5))):
        assert contrast(colours["ink"], colours[other]) >= 3, other


def test_a_gradient_alone_is_filled_and_warm():
    css = files("rustyflow.scene").joinpath("drawing.css").read_text(encoding="utf-8")
    assert re.search(r"^\.grad>rect\{fill:var\(--grad\);stroke:var\(--grad-ink\);stroke-width:1.5", css, re.MULTILINE)
    assert re.search(r"^\.cell rect\{fill:var\(--ground\);stroke:var\(--ghost\);stroke-width:1.5", css, re.MULTILINE)
    assert ".virtual.grad>rect{fill:var(--ground)" in css and not re.search(r"\.virtual>rect\{[^}]*fill", css)
    red = [colour for theme in THEMES.values() for role, colour in theme.items() if role[:2] == "ax"
           for r, g, b in [(int(colour[k : k + 2], 16) for k in (1, 3, 5))] if r > b + 12]  # fmt: skip
    assert red == []


def test_no_text_is_made_pale():
    """What is yet to come is dashed, in the ink of what is muted, 4.5:1 as all text; only cells without words fade."""
    css = files("rustyflow.scene").joinpath("drawing.css").read_text(encoding="utf-8")
    faded = re.findall(r"^(\S+)\{[^}]*(?<![-\w])opacity:", css, re.MULTILINE)
    assert faded == [".dimmed", ".off"]
    assert re.search(r"\.coming text,text\.coming\{fill:var\(--muted\)", css)


def test_the_themes_have_the_same_roles():
    assert LIGHT.keys() == DARK.keys()


@pytest.mark.parametrize("sheet", ["diagram.css", "drawing.css", "player.css"])
def test_every_colour_comes_from_the_palette(sheet):
    css = files("rustyflow.scene").joinpath(sheet).read_text(encoding="utf-8")
    used = set(re.findall(r"var\(--([\w-]+)\)", css)) - {"wide", "least", "tall", "h", "u", "zoom", "mono", "edge"}
    used -= {"whole", "parts", "at"}  # sizes and places
    assert used <= LIGHT.keys()
    named = set(re.findall(r"#[0-9a-f]{3,8}\b|rgb\([^)]*\)", css))
    assert named <= {"#000", "rgb(0 0 0/.25)"}  # the blank screen and a shadow


def test_no_state_is_told_by_colour_alone():
    """Each of these has a rule that changes more than a colour: a hatch, a dash, a width, a weight."""
    css = files("rustyflow.scene").joinpath("drawing.css").read_text(encoding="utf-8")
    assert re.search(r"\.unread>rect\{fill:url\(#hatch\)", css)
    assert re.search(r"\.virtual>rect\{[^}]*stroke-dasharray", css)
    assert re.search(r"\.cell\.lit>rect:first-child\{[^}]*stroke-width:3", css)
    assert re.search(r"\.cell\.lit text\{font-weight", css)
