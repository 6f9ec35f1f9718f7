"""save and load: tensors and state dicts in safetensors files, a format of plain numbers that can run no code.

A flat state dict is a safetensors file as every other library reads it. What else a value holds (nested dicts, lists,
numbers, texts) stands as JSON in the file's metadata; so do the layouts of tensors that share memory, which is written
once. A file is written beside its place and then moved there, so that a crash leaves the old file or the new one.
Differences from PyTorch: no pickle in either direction, so no other objects.
"""
from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from io import UnsupportedOperation
from typing import Any, BinaryIO

from ..backends import backend
from ..dtype import dtype
from ..errors import ArgumentTypeError, ArgumentValueError, TensorError, kind_of
from ..errors.installation import extra
from . import Tensor, wrap
from .file_kinds import kind_of_file
from .file_layouts import laid_out, restored

KEY, LAYOUTS = "rustyflow", "rustyflow.layouts"
KINDS: dict[str, Any] = {}
"""Kinds of tensors that are saved as what they are, by the names that files have for them: a slot, for rooms above."""
RESERVED = "__metadata__"
"""The format's own entry, beside the tensors' names."""
DAMAGE = (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError, TensorError)
PLAIN = (str, int, float, bool, type(None))


class FileError(TensorError, RuntimeError):
    """A file that holds no tensors, or damaged ones."""


class NoFileError(TensorError, AttributeError, TypeError):
    """Something that is neither a path nor a file, and misses a file's attributes."""


def _need_file(name: str, f: Any, method: str) -> None:
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, method):
        raise NoFileError(f"{name}(f={f!r:.60})", f"{name}(): expected 'f' to be string, path, or a file-like object "
                          f"with a '{method}' attribute", "f='x.safetensors'")


@contextmanager
def _opened_for(name: str, f: Any, how: str) -> Iterator[None]:
    """Refuse a file that was opened in another way.

    Raises:
        NoFileError (an AttributeError and a TypeError).
    """
    try:
        yield
    except (UnsupportedOperation, TypeError) as error:
        raise NoFileError(f"{name}(f={f!r:.60})", f"{name}(): the file must be opened for {how}: {error}",
                          f"open(path, {'wb' if name == 'save' else 'rb'!r})") from error


def _safetensors():
    """The package that reads and writes the format.

    Raises:
        AbsentModule (a ModuleNotFoundError and a RuntimeError): it is not installed.
    """
    with extra("io", "save and load, which keep tensors in safetensors files,"):
        import safetensors.numpy
    return safetensors


def save(obj: Any, f: str | os.PathLike | BinaryIO) -> None:
    """Writes a tensor, or a dict, list or tuple of tensors, numbers and texts, to a safetensors file.

    Args:
        obj: what to save; dicts have texts or whole numbers for keys, and anything may be nested.
        f: a path, or a file opened for writing in binary.

    Tensors that share memory (tied weights, a tensor and its view) share it when they are read, and strides come back
    as they were. Other libraries see such memory once: as the tensor that holds all of it, or else as a flat one.
    Differs from PyTorch: slots before and after those that are read are not written; a tensor with large holes comes
    back without them, and a view of another dtype with memory of its own.
    Raises:
        ArgumentTypeError (a TypeError): something that cannot be saved; names where it stands. OSError: the path cannot
            be written.
        ArgumentValueError (a ValueError): a tensor under the key "__metadata__", which the format keeps for itself; a
            list that holds itself.
        FileError (a RuntimeError): a path that is a folder.
        AbsentModule (a ModuleNotFoundError and a RuntimeError): the package safetensors is not installed.
        NoFileError (an AttributeError): neither a path nor a file.
    Source: https://pytorch.org/docs/stable/generated/torch.save.html; https://huggingface.co/docs/safetensors

    Example:
        >>> import io, rustyflow as rf
        >>> file = io.BytesIO()
        >>> rf.save({"weight": rf.ones(2), "epoch": 3}, file)
        >>> _ = file.seek(0)
        >>> rf.load(file)
        {'weight': tensor([1., 1.]), 'epoch': 3}
    """
    import json
    _need_file("save", f, "write")
    tensors: dict[str, Tensor] = {}
    try:
        tree = json.dumps(_described(obj, (), tensors))
    except RecursionError:
        raise ArgumentValueError("save: an object in hundreds of others", "a file holds what is written out whole: "
                                 "nothing holds itself, or goes deeper than Python's own calls",
                                 "a flatter dict") from None
    arrays, layouts = laid_out(tensors)
    data = _safetensors().numpy.save(arrays, metadata={KEY: tree} | ({LAYOUTS: json.dumps(layouts)} if layouts else {}))
    if hasattr(f, "write"):
        with _opened_for("save", f, "writing in binary"):
            f.write(data)
        return
    path = os.fspath(f)
    if not path or "\0" in path or os.path.isdir(path):
        raise FileError(f"save(..., {path!r})", f"invalid file name: {path}", "the path of a file")
    if not os.path.isdir(folder := os.path.dirname(os.path.abspath(path))):
        raise FileError(f"save(..., {path!r})", f"Parent directory {folder} does not exist.", "os.makedirs makes it")
    _replace(path, data)


def _replace(path: str, data: bytes) -> None:
    """Write a file in full beside its place, then move it there in one step."""
    from tempfile import NamedTemporaryFile
    with NamedTemporaryFile(dir=os.path.dirname(os.path.abspath(path)), prefix=os.path.basename(path) + ".",
                            suffix=".part", delete=False) as part:
        try:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
            part.close()
            if os.path.exists(path):
                os.chmod(part.name, os.stat(path).st_mode & 0o777)
            os.replace(part.name, path)
        except BaseException:
            part.close()
            os.unlink(part.name)
            raise


def _described(obj, path, tensors):
    """An object as JSON, in which tensors are names in `tensors`."""
    if isinstance(obj, Tensor):
        if (known := next((name for name, x in tensors.items() if x is obj), None)) is not None:
            return _entry(known, obj)
        name = ".".join(map(str, path)).encode("utf-8", "backslashreplace").decode() or "tensor"
        while name in tensors:
            name += "_"
        if name == RESERVED:
            raise ArgumentValueError(f"save: a tensor at {_place(path)}",
                                     f"safetensors files keep the name {RESERVED!r} for what is no tensor",
                                     "another key, e.g. 'metadata'")
        tensors[name] = obj
        return _entry(name, obj)
    if isinstance(obj, dict):
        for key in obj:
            if type(key) not in (str, int):
                raise ArgumentTypeError(f"save: key {key!r} in {_place(path)}",
                                        "keys of a saved dict are texts or whole numbers", "str(key)")
        about = getattr(obj, "_metadata", None)  # the versions in a state dict
        kept = {"metadata": _described(about, (*path, "_metadata"), tensors)} if isinstance(about, dict) else {}
        return {"dict": [[key, _described(value, (*path, key), tensors)] for key, value in obj.items()], **kept}
    if isinstance(obj, (list, tuple)):
        return {"tuple" if isinstance(obj, tuple)
                else "list": [_described(value, (*path, k), tensors) for k, value in enumerate(obj)]}
    if type(obj) in PLAIN:
        return {"value": obj}
    raise ArgumentTypeError(f"save: {kind_of(obj)} in {_place(path)}",
                            "a file holds tensors, numbers, texts, None, and dicts, lists and tuples of these; "
                            "nothing else is saved, because loading it would have to run code",
                            "save the object's state_dict(), or rustyflow.tensor(array)", value=obj)


def _entry(name: str, x: Tensor) -> dict:
    return {"tensor": name, **({"requires_grad": True} if x.requires_grad else {}),
            **({"parameter": True} if isinstance(x, KINDS.get("parameter", ())) else {})}


def _place(path):
    return "obj" + "".join(f"[{key!r}]" for key in path)


def load(f: str | os.PathLike | BinaryIO, map_location: Any = None, *, weights_only: bool = True,
         mmap: Any = None) -> Any:
    """Read what `save` wrote. A safetensors file of another library gives a dict of its tensors.

    Args:
        f: a path, or a file opened for reading in binary.
        map_location, weights_only, mmap: taken for the sake of programs written for PyTorch; they change nothing.

    Raises:
        FileError (a RuntimeError): the file is damaged, or of another kind; PyTorch's own pickled files are refused.
            OSError: it cannot be read. NoFileError (an AttributeError): neither a path nor a file.
    Source: https://pytorch.org/docs/stable/generated/torch.load.html

    Example:
        >>> import io, rustyflow as rf
        >>> file = io.BytesIO()
        >>> rf.save(rf.arange(3), file)
        >>> _ = file.seek(0)
        >>> rf.load(file)
        tensor([0, 1, 2])
    """
    import json
    _need_file("load", f, "read")
    name = getattr(f, "name", "the file") if hasattr(f, "read") else os.fspath(f)
    if hasattr(f, "read"):
        with _opened_for("load", f, "reading in binary"):
            data = bytes(f.read())
    else:
        with open(f, "rb") as file:
            data = file.read()
    safetensors = _safetensors()
    try:
        arrays = safetensors.numpy.load(data)
        said = json.loads(data[8:8 + int.from_bytes(data[:8], "little")]).get("__metadata__", {})
        tensors = {key: wrap(backend.from_data(array, array.dtype)) for key, array in arrays.items()}
        if not all(isinstance(x.dtype, dtype) for x in tensors.values()):
            raise TypeError("a dtype that rustyflow lacks")
        tensors |= restored(tensors, json.loads(said.get(LAYOUTS, "{}")))
        return _rebuilt(json.loads(said[KEY]), tensors) if KEY in said else tensors
    except (safetensors.SafetensorError, *DAMAGE) as error:
        if (known := kind_of_file(data)) is not None:
            what, fix = known
            raise FileError(f"{name}, {len(data)} bytes, which begin with {data[:8]!r}", f"this is {what}, and no "
                            "safetensors file", fix) from None
        raise FileError(f"{name}, {len(data)} bytes",
                        "no safetensors file of rustyflow's dtypes, or a damaged one: "
                        f"{str(error)[:200] or kind_of(error)}",
                        "save it again, or fetch it again if it was copied") from error


def _rebuilt(node, tensors):
    """The object that `_described` described."""
    (kind, value), *rest = node.items()
    if kind == "tensor":
        flags = dict(rest)
        if flags.get("parameter") is True and not isinstance(tensors[value], KINDS["parameter"]):
            tensors[value] = KINDS["parameter"](tensors[value], flags.get("requires_grad") is True)
        return tensors[value].requires_grad_() if flags.get("requires_grad") is True else tensors[value]
    if kind == "dict":
        found = {key: _rebuilt(part, tensors) for key, part in value}
        if "metadata" in node:
            found = OrderedDict(found)
            found._metadata = OrderedDict(_rebuilt(node["metadata"], tensors))
        return found
    if kind in ("list", "tuple"):
        parts = [_rebuilt(part, tensors) for part in value]
        return tuple(parts) if kind == "tuple" else parts
    if kind != "value":
        raise ValueError(f"unknown entry {kind!r} in the metadata")
    return value
