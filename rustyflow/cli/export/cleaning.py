"""A notebook's own HTML made safe: in a page it may show; it runs nothing, and it fetches nothing."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection
from html.parser import HTMLParser
from urllib.parse import quote, unquote, urlsplit

import nh3

EMPTIED = set("applet audio button embed form frame frameset iframe math noscript object script select style svg "
              "template textarea title video".split())
"""Elements that go with all that is in them."""
TAGS = (set(nh3.ALLOWED_TAGS) | {"figure", "figcaption", "section", "font", "u", "mark"}) - EMPTIED
ATTRIBUTES = {key: set(names) for key, names in nh3.ALLOWED_ATTRIBUTES.items()}
ATTRIBUTES["*"] = {"class", "id", "style", "title", "align", "width", "height", "lang", "dir", "role", "aria-hidden",
                   "aria-label", "colspan", "rowspan", "color", "border"}
SVG = re.compile(r"<svg\b|</svg\s*>", re.IGNORECASE)
HARMFUL = re.compile(r"(url|image-set|image|src)\s*\(|expression|@import|javascript:|position\s*:|\\|/\*", re.I)
ADDRESS = re.compile(r"""(?:url|src)\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)|image(?:-set)?\(\s*['"]([^'"]+)""",
                     re.IGNORECASE)
"""What CSS fetches: url(...), @import "..." and image-set("...")."""


def cleaned(html: str, picture: Callable[[str], str | None], pages: Collection[str] = ()) -> str:
    """HTML without scripts, handlers, frames and what is fetched from elsewhere.

    `picture` says of the address of each picture what stands in its place: one with the picture in it, or None. `pages`
    are names of notebooks that are pages beside this one.

    >>> cleaned('<p onclick="f()">1<script>f()</script> <a href="javascript:f()">2</a></p>', str)
    '<p>1 <a rel="noopener noreferrer">2</a></p>'
    """
    def attribute(tag: str, name: str, value: str) -> str | None:
        if name == "src":
            return picture(value) if tag == "img" else None
        if name in ("href", "cite"):
            address, mark, part = value.partition("#")
            if (notebook := unquote(address)) in pages:
                return quote(notebook.removesuffix(".ipynb") + ".html") + mark + part
            return value if value.startswith("#") or _is_web(value) else None
        return None if name == "style" and HARMFUL.search(value) else value

    return nh3.clean(_with_pictures(html), tags=TAGS, clean_content_tags=EMPTIED, attributes=ATTRIBUTES,
                     attribute_filter=attribute, url_schemes={"http", "https", "mailto", "data", "attachment"})


def _with_pictures(html: str) -> str:
    """HTML in which each drawing, with those inside it, is a picture."""
    made, start, depth, done = [], 0, 0, 0
    for tag in SVG.finditer(html):
        if not tag[0].startswith("</"):
            start, depth = (start, depth + 1) if depth else (tag.start(), 1)
        elif depth:
            depth -= 1
            if not depth:
                made += [html[done:start], picture_of(html[start:tag.end()])]
                done = tag.end()
    return "".join([*made, html[done:]])


def picture_of(svg: str) -> str:
    """A drawing as a picture, in which no script runs and from which nothing is fetched."""
    if "xmlns=" not in svg.partition(">")[0]:
        svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return f'<img alt="a drawing" src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}">'


def _is_web(address: str) -> bool:
    """True if a link leads to a page, which is opened when a reader asks for it."""
    try:
        return urlsplit(address.strip()).scheme.lower() in ("http", "https", "mailto")
    except ValueError:
        return False


class Survey(HTMLParser):
    """The things that some HTML would run or fetch by itself: `runs` and `fetches`, in words, and `pictures`."""

    def __init__(self, html: str):
        super().__init__(convert_charrefs=True)
        self.runs, self.fetches, self.pictures = [], [], []
        self._style = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        if tag == "script" and given.get("type", "") in ("", "text/javascript", "module", "application/javascript"):
            self.runs.append("a script")
        if any(name.startswith("on") for name in given) or any(
                re.match(r"\s*j\s*a\s*v\s*a\s*s\s*c\s*r\s*i\s*p\s*t\s*:", given.get(name, ""), re.IGNORECASE)
                for name in ("href", "xlink:href", "src", "action", "formaction")):
            self.runs.append(f"a handler of <{tag}>")
        self._style = tag == "style"
        if tag in ("iframe", "frame", "object", "embed", "applet"):
            self.fetches.append(f"a frame: {given.get('src') or given.get('data') or 'of its own'}"[:100])
            return
        if tag == "img" and given.get("src"):
            self.pictures.append(given["src"])
        if tag in ("link", "use", "image"):
            given["src"] = given.get("src") or given.get("href", "")
        for name in ("src", "srcset", "poster", "data", "background", "xlink:href"):
            if (value := given.get(name, "").strip()) and not value.startswith(("data:", "#")):
                self.fetches.append(f"<{tag}>: {value}"[:100])
        self._from_style(given.get("style", ""))
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.fetches.append("a page that this one turns into")

    def handle_endtag(self, tag):
        self._style = False

    def handle_data(self, data):
        if self._style:
            self._from_style(data)

    def _from_style(self, css):
        for address in filter(None, (word for found in ADDRESS.findall(css) for word in found)):
            if not address.strip().lower().startswith(("data:", "#")):
                self.fetches.append(f"a style: {address}"[:100])
