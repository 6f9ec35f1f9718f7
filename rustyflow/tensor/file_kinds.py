"""The kind of a file that was taken for one of tensors, by its first bytes."""
from __future__ import annotations

import io
import pickletools
import zipfile

_TORCH = ("a pickle or a zip of one, such as torch.save writes: reading it could run any code it holds",
          "in PyTorch, safetensors.torch.save_file(torch.load(path), new_path)")
_SIGNS = ((b"\x93NUMPY", ("an array that numpy.save wrote", "rustyflow.from_numpy(numpy.load(path))")),
          (b"\x89HDF", ("an HDF5 file, such as Keras writes", "h5py, then rustyflow.tensor(array)")),
          (b"version https://git-lfs", ("a pointer of Git LFS: the file itself was not fetched", "git lfs pull")),
          (b"\x1f\x8b", ("compressed by gzip", "gunzip it first")),
          (b"GGUF", ("a GGUF file of a language model", "the model's own safetensors files")),
          ((b"\x89PNG", b"\xff\xd8\xff"),
           ("a picture", "numpy.asarray(PIL.Image.open(path)), then rustyflow.tensor(array)")),
          ((b"{", b"["), ("JSON", "rustyflow.tensor(json.load(open(path))), of a list of numbers")),
          (b"%PDF", ("a PDF document", "the file of the weights")),
          (b"<", ("a page of the web, perhaps an error that was saved", "fetch the file again, and look at its size")))


def kind_of_file(data: bytes) -> tuple[str, str] | None:
    """The kind of some bytes, and a way to tensors; None for a safetensors file, maybe damaged.

    Example:
        >>> kind_of_file(b"")
        ('empty', 'save it again, or fetch it again if it was copied')
    """
    if not data:
        return "empty", "save it again, or fetch it again if it was copied"
    if data[:2] == b"PK":
        return _of_zip(data)
    if data[8:9] == b"{" and data[3:8] == bytes(5):  # a length, and the header that it is of
        return None
    if _is_pickle(data):
        return _TORCH
    if data[257:262] == b"ustar":
        return "a tar archive", "unpack it, and load what is in it"
    start = data.lstrip()[:32]
    return next((found for sign, found in _SIGNS if start.startswith(sign)), None) or _of_text(data)


def _is_pickle(data: bytes) -> bool:
    """True if some bytes are a pickle, of any protocol, by reading it without doing what it says."""
    if data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return True
    try:
        return data[-1:] == b"." and sum(1 for _ in pickletools.genops(data)) > 1
    except Exception:  # what is none ends the reading in many ways
        return False


def _of_zip(data: bytes) -> tuple[str, str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return "a damaged zip, perhaps of PyTorch, which could run any code it holds", _TORCH[1]
    if any(name.endswith("data.pkl") for name in names):
        return _TORCH
    if names and all(name.endswith(".npy") for name in names):
        return ("arrays that numpy.savez wrote",
                "{key: rustyflow.from_numpy(a) for key, a in numpy.load(path).items()}")
    return "a zip of other files", "unzip it, and load what is in it"


def _of_text(data: bytes) -> tuple[str, str] | None:
    start = data[:4096]
    if data[8:9] == b"{" or any(byte < 9 or 13 < byte < 32 for byte in start):
        return None
    return "text", "rustyflow.tensor(numpy.loadtxt(path)) reads columns of numbers"
