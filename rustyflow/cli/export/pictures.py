"""The pictures of a notebook, attached to a cell or lying beside it, as part of the page."""

from __future__ import annotations

import base64
import binascii
import unicodedata
from pathlib import Path
from urllib.parse import unquote, urlsplit

KINDS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp", ".svg": "svg+xml",
         ".avif": "avif", ".bmp": "bmp", ".ico": "x-icon"}
LARGEST = 20 << 20
"""The largest picture, in bytes, that is put into a page."""


class LeftOutError(Exception):
    """Why a picture cannot be in the page."""


def embedded(source: str, attachments: dict[str, dict[str, str]], folder: Path | None) -> str:
    """The address of a picture as a `data:` one, which holds it.

    Raises:
        LeftOutError: it is not there, lies elsewhere, or is no picture.

    >>> embedded("attachment:my%20pic.png", {"my pic.png": {"image/png": "aGk="}}, None)
    'data:image/png;base64,aGk='
    """
    if source.startswith("data:"):
        return _checked(source)
    if source.startswith("attachment:"):
        return _attached(unquote(source.removeprefix("attachment:")), attachments)
    try:
        parts = urlsplit(source)
    except ValueError:
        raise LeftOutError("its address cannot be read") from None
    if parts.scheme or parts.netloc:
        raise LeftOutError("it lies elsewhere")
    return _beside(unquote(parts.path), folder)


def _checked(source: str) -> str:
    head, comma, body = source.partition(",")
    kind = head.removeprefix("data:image/").removesuffix(";base64")
    if not comma or not head.endswith(";base64") or kind not in KINDS.values():
        raise LeftOutError("its data is of no picture")
    return f"data:image/{kind};base64,{_of_base64(body)}"


def _of_base64(text: str) -> str:
    """Base64 without the line breaks that it may be written with.

    Raises:
        LeftOutError: it is none.
    """
    text = "".join(text.split())
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise LeftOutError("its data is damaged") from None
    return text


def _attached(name: str, attachments: dict[str, dict[str, str]]) -> str:
    same = unicodedata.normalize("NFC", name)
    kinds = next((kinds for key, kinds in attachments.items() if unicodedata.normalize("NFC", key) == same), None)
    if kinds is None:
        raise LeftOutError("it is not attached to the cell")
    for kind in KINDS.values():
        if text := kinds.get(f"image/{kind}"):
            if kind == "svg+xml" and "<" in text:  # which may be kept as it is
                text = base64.b64encode(text.encode()).decode()
            return f"data:image/{kind};base64,{_of_base64(text)}"
    raise LeftOutError("it is no picture")


def _beside(name: str, folder: Path | None) -> str:
    kind = KINDS.get(Path(name).suffix.lower())
    if kind is None:
        raise LeftOutError("it is no picture")
    if folder is None:
        raise LeftOutError("it lies beside the notebook, whose place is not known")
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise LeftOutError("it lies outside the notebook's folder")
        if not path.is_file():
            raise LeftOutError("it is not there")
        if path.stat().st_size > LARGEST:
            raise LeftOutError(f"it is larger than {LARGEST >> 20} MiB")
        content = path.read_bytes()
    except (OSError, ValueError) as problem:
        raise LeftOutError(f"it cannot be read ({getattr(problem, 'strerror', '') or 'no name'})") from problem
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
