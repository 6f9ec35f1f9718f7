"""Fonts for pictures: DejaVu's, which come with matplotlib, and of this machine's own those that a letter asks for."""

import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import unescape
from pathlib import Path

NAMES = "DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "DejaVuSansMono-Bold"
HOME = Path(os.path.expanduser("~"))
FOLDERS = {
    "win32": (Path(os.environ.get("WINDIR", r"C:\\Windows"), "Fonts"),
              Path(os.environ.get("LOCALAPPDATA", HOME), "Microsoft", "Windows", "Fonts")),
    "darwin": (Path("/System/Library/Fonts"), Path("/Library/Fonts"), HOME / "Library" / "Fonts"),
}.get(sys.platform, (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), HOME / ".local" / "share" / "fonts",
                     HOME / ".fonts"))  # fmt: skip
"""Where a system keeps its fonts, and its user's."""

FORMS = range(0xFE00, 0xFE10)
"""What only chooses between forms of the letter before it, as of an emoji."""

STYLED = re.compile("bold|italic|oblique|light|thin|black|serif|mono|condensed", re.IGNORECASE)


def folder() -> Path:
    """The folder of DejaVu's fonts; matplotlib has to be there."""
    from matplotlib import get_data_path

    return Path(get_data_path(), "fonts", "ttf")


def own() -> list[str]:
    """The files of the fonts that every picture is drawn with."""
    return [str(folder() / f"{name}.ttf") for name in NAMES]


def beyond(svgs: Iterable[str]) -> tuple[list[str], list[str]]:
    """The files of this machine's fonts that have letters which ours lack, and the letters that no font has."""
    left = {letter for svg in svgs for letter in written(svg)}.difference(*map(letters_of, own()))
    found = []
    for path in at_hand() if left else ():
        if here := left & letters_of(path):
            found.append(path)
            left -= here
        if not left:
            break
    return found, sorted(left)


def written(svg: str) -> set[str]:
    """The letters that a drawing shows, without blanks and what only chooses between forms of a letter.

    >>> sorted(written("<svg><style>a</style><text x='1'>b &lt; \\u2764\\ufe0f</text></svg>"))
    ['<', 'b', '\u2764']
    """
    words = unescape(re.sub(r"<style>.*?</style>|<[^>]*>", "", svg, flags=re.DOTALL))
    return {letter for letter in words if letter.isprintable() and not letter.isspace() and ord(letter) not in FORMS}


@lru_cache(1 << 10)
def letters_of(path: str) -> frozenset[str]:
    """The letters that a font has; none of a file that cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(path).get_charmap()))
    except Exception:  # files of many kinds lie among fonts
        return frozenset()


def at_hand() -> Iterator[str]:
    """The files of this machine's fonts, the plain ones first."""
    files = {str(path) for place in FOLDERS for path in place.rglob("*.[to]t[fc]") if path.is_file()}
    yield from sorted((path for path in files if "LastResort" not in path),
                      key=lambda path: (bool(STYLED.search(Path(path).name)), path))


def missing(letters: list[str]) -> str:
    """The words for letters that no font has.

    >>> missing(["\u16a0"]).partition(":")[0]
    "no font on this machine has the letter '\u16a0' (Runic)"
    """
    scripts = dict.fromkeys(unicodedata.name(letter, "unnamed").split()[0].title() for letter in letters)
    shown = ", ".join(f"'{letter}'" for letter in letters[:8]) + ", ..." * (len(letters) > 8)
    return (f"no font on this machine has the letter{'s' * (len(letters) > 1)} {shown} ({', '.join(scripts)}): an "
            "empty box stands for each; a font that has them, such as one of Noto's, is found once it is installed")
