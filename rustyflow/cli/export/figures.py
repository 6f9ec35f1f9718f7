"""The figures of a notebook, redrawn by the player of the installed library from their packed scenes.

A scene is data. It is checked before it is believed: its drawing holds shapes and text, and its looks set what shapes
have; no script, no handler and no address.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Collection
from html import escape, unescape
from typing import Any
from xml.etree import ElementTree

from ...scene.figure import hosted, leading
from ...scene.wire import FORMAT

SAVED = re.compile(
    r'<(?P<name>rustyflow-figure-[0-9a-f]{8})\b(?P<attributes>[^>]*)>(?P<still>.*?)'
    r'<script type="application/zlib">(?P<packed>[A-Za-z0-9+/=\s]*)</script>.*?</(?P=name)>', re.DOTALL)
ROW = re.compile(
    r'<script>\(\(\) ?=> ?\{\s*const KEY ?= ?"[0-9a-f]{32}", ?page ?= ?window\.rustyflowBeside.*?</script>', re.DOTALL)
"""What lets figures beside each other fill a screen together; in a page each of them does so alone."""
LEADS = re.compile(r'<a href="([\w-]+\.ipynb)" data-for="(\w+)">')
"""The links of a figure to notebooks beside this one."""
KEEP = re.compile(r'\bdata-keep="([^"]*)"')
STATE = {"frame": int, "pinned": str, "side": (str, type(None))}
STILL = re.compile(r'<img alt="(?P<alt>[^"<>]*)"[^<>]*\bsrc="data:image/svg\+xml;base64,(?P<svg>[A-Za-z0-9+/=]+)"')
WORDS = re.compile(r"<p>(?:</?(?:b|bdi)>|<br>|[^<>])*</p>")
"""A question and its choices, which stand over the still picture: words alone, in no more than bold type."""
FETCHES = re.compile(r"""(url|src)\s*\((?!['"]?#)|image(-set)?\s*\(|@import|\\""", re.IGNORECASE)
"""What fetches in CSS, or may be a way to write such: an escape."""
LARGEST = 64 << 20
"""The largest scene, unpacked, in bytes."""
SHAPES = frozenset("circle clipPath defs desc ellipse g line linearGradient marker mask path pattern polygon polyline "
                   "radialGradient rect stop style svg symbol text title tspan use".split())
KEYS = {"title": str, "w": (int, float), "h": (int, float, dict), "frames": list, "looks": list, "links": list,
        "paths": list, "toggles": dict, "drawing": str}


def redrawn(html: str, keep: Callable[[str], str], pages: Collection[str] = ()) -> tuple[str, bool]:
    """Some HTML in which each figure stands as what `keep` returns for it.

    They are handed to it in today's form. And whether any was of another release, of which only the still picture is
    left. `pages` are names of notebooks that are pages beside this one: a figure's links lead there, or go.
    """
    old = False

    def leads(still: str) -> str:
        found = {shape: page.removesuffix(".ipynb") + ".html" for page, shape in LEADS.findall(still) if page in pages}
        return leading(found)

    def redraw(found: re.Match) -> str:
        nonlocal old
        still = STILL.search(found["still"])
        image = still and (f'<img alt="{escape(unescape(still["alt"]))}" style="max-width:100%" '
                           f'src="data:image/svg+xml;base64,{still["svg"]}">') or ""
        image = "".join(WORDS.findall(found["still"])) + image
        packed = checked(found["packed"])
        old = old or packed is None
        return keep(image if packed is None else hosted(
            image, packed, _state(found["attributes"]), pages=leads(found["still"])))

    return SAVED.sub(redraw, html), old


def takes_guess(html: str) -> bool:
    """True if a figure, as `redrawn` makes it, holds what each choice of its question leads to."""
    figure = SAVED.search(html)
    return bool(figure and (_unpacked(figure["packed"]).get("asks") or {}).get("sequel"))


def _state(attributes: str) -> dict[str, Any]:
    """The state that a figure keeps: those of its parts that the player can read."""
    kept = KEEP.search(attributes)
    try:
        state = json.loads(unescape(kept[1])) if kept else {}
    except (ValueError, RecursionError):
        return {}
    parts = state.items() if isinstance(state, dict) else ()
    return {part: value for part, value in parts if isinstance(value, STATE.get(part, ()))}


def checked(packed: str) -> str | None:
    """A packed scene, packed anew, or None where it is not one that the installed player reads."""
    try:
        scene = _unpacked(packed)
        if not (_is_scene(scene) and _is_asked(scene.get("asks")) and _are_scenes(scene.get("inner", {}))):
            return None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, zlib.error, ElementTree.ParseError):
        return None
    return base64.b64encode(zlib.compress(json.dumps(scene, separators=(",", ":")).encode())).decode()


def _unpacked(packed: str) -> Any:
    """The data that some packed text holds.

    Raises:
        ValueError: no JSON, or more than `LARGEST` bytes.
    """
    unpack = zlib.decompressobj()
    data = unpack.decompress(base64.b64decode(packed), LARGEST)
    if unpack.unconsumed_tail:
        raise ValueError("too large")
    return json.loads(data)


def _is_scene(scene: Any) -> bool:
    if not isinstance(scene, dict) or not set(KEYS) <= set(scene) or scene.get("format") != FORMAT:
        return False
    if not all(isinstance(scene[key], kind) for key, kind in KEYS.items()) or not _is_height(scene["h"]):
        return False
    return _is_drawing(scene["drawing"]) and _are_looks([scene["looks"], scene["links"]])


def _is_asked(asks: Any) -> bool:
    """True for no question, and for one whose sequel, if it has one, holds scenes that ask no further."""
    if not isinstance(asks, dict) or not asks.get("sequel"):
        return asks is None or isinstance(asks, dict)
    sequel = _unpacked(asks["sequel"])
    told = sequel.get("told") if isinstance(sequel, dict) else None
    return isinstance(told, dict) and all(
        _is_scene(scene) and isinstance(scene.get("asks"), dict) and not scene["asks"].get("sequel")
        for scene in told.values())


def _are_scenes(inner: Any) -> bool:
    """True for what opens, by its key, from shapes of a scene: scenes from which nothing opens, or "" for none."""
    if not isinstance(inner, dict):
        return False
    packed = [scene for kind in inner.values() for scene in kind["scenes"].values() if scene]
    return all(_is_scene(scene) and not (scene.get("inner") or scene.get("asks")) for scene in map(_unpacked, packed))


def _is_height(height: Any) -> bool:
    """True for a number, and for numbers by side, with one where no side is turned to."""
    if not isinstance(height, dict):
        return True
    sides = height.get("by")
    return isinstance(sides, dict) and "" in sides and all(isinstance(tall, (int, float)) for tall in sides.values())


def _is_drawing(svg: str) -> bool:
    if "<!" in svg or "<?" in svg:  # entities and instructions
        return False
    for part in ElementTree.fromstring(svg).iter():
        kind = part.tag.rpartition("}")[2]
        if kind not in SHAPES or not all(_is_plain(name, value) for name, value in part.attrib.items()):
            return False
        if kind == "style" and FETCHES.search(part.text or ""):
            return False
    return True


def _are_looks(parts: Any) -> bool:
    """True if everything that sets attributes, under the key "a", sets those of shapes."""
    if isinstance(parts, list):
        return all(map(_are_looks, parts))
    if not isinstance(parts, dict):
        return True
    sets = parts.get("a", [])
    return isinstance(sets, list) and all(
        isinstance(row, list) and len(row) == 3 and isinstance(row[1], str) and _is_plain(row[1], row[2])
        for row in sets) and all(_are_looks(part) for key, part in parts.items() if key != "by")  # words, by side


def _is_plain(name: str, value: Any) -> bool:
    """True if an attribute of a shape neither runs nor fetches."""
    name, words = name.rpartition("}")[2].lower(), str(value).lower()
    if name.startswith("on") or name in ("src", "srcdoc", "action", "formaction"):
        return False
    if name == "href":
        return words.startswith("#")
    return "javascript:" not in words and not FETCHES.search(words)
