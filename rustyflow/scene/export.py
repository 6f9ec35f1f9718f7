"""A picture as a file for other programs: SVG with its colours written out, PNG, and PDF.

PNG and PDF are made by packages of the extra `[picture]`, with DejaVu's fonts, which come with matplotlib: the same
picture on every machine. Only letters that these lack are drawn with fonts of the machine.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import warn
from ..errors.installation import extra
from . import fonts

FAMILY = re.compile(r"font-family:[^;}]*")
INSTEAD = "save('x.svg'), which needs nothing"

PAGES = """\
#set document(title: sys.inputs.title)
#for n in range(int(sys.inputs.many)) {
  let (drawn, said) = (sys.inputs.at("svg" + str(n)), sys.inputs.at("alt" + str(n)))
  page(width: auto, height: auto, margin: 0pt, image(bytes(drawn), format: "svg", alt: said))
}
"""


def written_out(svg: str) -> str:
    """The text of an SVG without CSS variables and `white-space`, which few programs but browsers know.

    It says its direction: it may be put into a page that is written from right to left.

    >>> written_out('<svg><style>:root{--ink:#111;}text{fill:var(--ink);white-space:pre}</style></svg>')
    '<svg direction="ltr" xml:space="preserve"><style>text{fill:#111}</style></svg>'
    """
    root = re.search(r":root\{([^}]*)\}", svg)
    colours: Mapping[str, str] = dict(re.findall(r"(--[\w-]+):([^;]+);", root[1])) if root else {}
    if root:
        svg = svg[: root.start()] + svg[root.end() :]
    svg = re.sub(r"var\((--[\w-]+)\)", lambda use: colours.get(use[1], use[0]), svg)
    return svg.replace(";white-space:pre", "", 1).replace("<svg", '<svg direction="ltr" xml:space="preserve"', 1)


def png(svg: str) -> bytes:
    """The picture of an SVG in twice its size, for screens and slides; warns of letters that no font has.

    Raises:
        ModuleNotFoundError: the extra `[picture]` is not installed.
    """
    with extra("picture", "save('x.png')", INSTEAD):
        import resvg_py

        own = fonts.own()
    (drawn,), more = _with_fonts([svg])
    return bytes(resvg_py.svg_to_bytes(
        svg_string=drawn, zoom=2, skip_system_fonts=True, font_files=own + more,
        sans_serif_family="DejaVu Sans", monospace_family="DejaVu Sans Mono",
    ))  # fmt: skip


def pdf(title: str, pages: Sequence[tuple[str, str]]) -> bytes:
    """A page for each SVG, with words for those who cannot see it; its text can be selected.

    Raises:
        ModuleNotFoundError: the extra `[picture]` is not installed.
    """
    with extra("picture", "save('x.pdf')", INSTEAD):
        import typst

        folder = fonts.folder()
    drawn, more = _with_fonts([svg for svg, _ in pages])
    inputs = {"title": title, "many": str(len(pages))}
    for n, (svg, (_, said)) in enumerate(zip(drawn, pages)):
        inputs |= {f"svg{n}": svg, f"alt{n}": said}
    folders = dict.fromkeys([folder, *(Path(path).parent for path in more)])
    return typst.compile(
        PAGES.encode(), font_paths=[*map(str, folders)], ignore_system_fonts=True, sys_inputs=inputs, timestamp=0,
    )  # fmt: skip


def _with_fonts(svgs: Sequence[str]) -> tuple[list[str], list[str]]:
    """Drawings written out, and the files of fonts that they need beside ours.

    A letter that no font has is a box of ours: at one that they miss, the packages give up all that come after it.
    """
    more, lacking = fonts.beyond(svgs)
    if lacking:
        warn(fonts.missing(lacking))
    boxes = {ord(letter): "\u25a1" for letter in lacking} | dict.fromkeys(fonts.FORMS)
    drawn = [written_out(svg).translate(boxes) for svg in svgs]
    return [FAMILY.sub(_only_ours, svg) for svg in drawn] if more else drawn, more


def _only_ours(family: re.Match[str]) -> str:
    return 'font-family:"DejaVu Sans Mono"' if "monospace" in family[0] else 'font-family:"DejaVu Sans"'
