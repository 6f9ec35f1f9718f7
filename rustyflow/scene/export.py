"""A picture as a file that other programs read: SVG with its colours written out, PNG, and PDF of a page a step.

PNG and PDF are made by packages of the extra `[picture]`, with DejaVu's fonts, which come with matplotlib: the same
picture on every machine.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors.installation import extra

FONTS = "DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "DejaVuSansMono-Bold"
FOLDER = Path("fonts", "ttf")
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
    """The picture of an SVG in twice its size, for screens and slides.

    Raises:
        ModuleNotFoundError: the extra `[picture]` is not installed.
    """
    with extra("picture", "save('x.png')", INSTEAD):
        import resvg_py
        from matplotlib import get_data_path
    fonts = [str(Path(get_data_path(), FOLDER, f"{name}.ttf")) for name in FONTS]
    return bytes(resvg_py.svg_to_bytes(
        svg_string=written_out(svg), zoom=2, skip_system_fonts=True, font_files=fonts,
        sans_serif_family="DejaVu Sans", monospace_family="DejaVu Sans Mono",
    ))  # fmt: skip


def pdf(title: str, pages: Sequence[tuple[str, str]]) -> bytes:
    """A page for each SVG, with the words that say it to who cannot see it; its text can be selected.

    Raises:
        ModuleNotFoundError: the extra `[picture]` is not installed.
    """
    with extra("picture", "save('x.pdf')", INSTEAD):
        import typst
        from matplotlib import get_data_path
    inputs = {"title": title, "many": str(len(pages))}
    for n, (svg, said) in enumerate(pages):
        inputs |= {f"svg{n}": written_out(svg), f"alt{n}": said}
    return typst.compile(
        PAGES.encode(), font_paths=[str(Path(get_data_path(), FOLDER))], ignore_system_fonts=True, sys_inputs=inputs,
        timestamp=0,
    )  # fmt: skip
