"""Modules that say something of their own state: classes made for one import or the other, and states of them."""

from collections import OrderedDict
from types import SimpleNamespace


def made(lib):
    """The classes, under one import."""
    nn = lib.nn

    class Net(nn.Module):
        """Parameters, buffers of both kinds, a place that is empty, and layers below."""

        def __init__(self, child=None):
            super().__init__()
            self.w = nn.Parameter(lib.ones(2, 3))
            self.register_parameter("none", None)
            self.register_buffer("kept", lib.zeros(2))
            self.register_buffer("lost", lib.zeros(2), persistent=False)
            self.child = child if child is not None else nn.Linear(3, 1)
            self.absent = None
            self.block = nn.Sequential(nn.BatchNorm1d(2), nn.ReLU())

    class Counts(nn.Module):
        def __init__(self):
            super().__init__()
            self.calls, self.w = 0, nn.Parameter(lib.zeros(1))

        def get_extra_state(self):
            return {"calls": self.calls}

        def set_extra_state(self, state):
            self.calls = state["calls"]

    class Gets(Counts):
        set_extra_state = nn.Module.set_extra_state

    class Sets(Counts):
        get_extra_state = nn.Module.get_extra_state

    class Packed(nn.Module):
        """Keeps half of its weight, under another name."""

        def __init__(self):
            super().__init__()
            self.w, self.note = nn.Parameter(lib.ones(4)), "begun"

        def _save_to_state_dict(self, destination, prefix, keep_vars):
            super()._save_to_state_dict(destination, prefix, keep_vars)
            destination[prefix + "half"] = destination.pop(prefix + "w")[:2]

        def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, *more):
            half = state_dict.pop(prefix + "half", None)
            if half is not None:
                state_dict[prefix + "w"] = lib.cat([half, half])
            super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, *more)
            self.note = f"{prefix} {local_metadata} {strict} {missing_keys} {self.w.sum().item()}"

    class Renamed(nn.Module):
        """The second version of a class that called its weight v."""

        _version = 2

        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(lib.zeros(2))

        def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args, **kwargs):
            if (local_metadata.get("version") or 1) < 2 and prefix + "v" in state_dict:
                state_dict[prefix + "w"] = state_dict.pop(prefix + "v")
            super()._load_from_state_dict(state_dict, prefix, local_metadata, *args, **kwargs)

    class Noted(nn.Module):
        """Adds to its state dict, and wants the note back."""

        def __init__(self):
            super().__init__()
            self.w, self.note = nn.Parameter(lib.zeros(2)), 1

        def state_dict(self, *args, **kwargs):
            found = super().state_dict(*args, **kwargs)
            found[kwargs.get("prefix", "") + "note"] = lib.tensor(self.note)
            return found

        def _load_from_state_dict(self, state_dict, prefix, *args):
            self.note = int(state_dict.pop(prefix + "note", 0))
            super()._load_from_state_dict(state_dict, prefix, *args)

    class Complains(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(lib.zeros(2))

        def _load_from_state_dict(self, state_dict, prefix, meta, strict, missing, unexpected, error_msgs):
            super()._load_from_state_dict(state_dict, prefix, meta, strict, missing, unexpected, error_msgs)
            error_msgs.append(f"{prefix} does not like it")

    class Scalar(nn.Module):
        def __init__(self):
            super().__init__()
            self.s = nn.Parameter(lib.tensor(3.0))

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)
            self.b.weight, self.again = self.a.weight, self.a

    return SimpleNamespace(**{k: v for k, v in locals().items() if isinstance(v, type)})


BELOW = "Counts", "Packed", "Renamed", "Noted", "Gets", "Complains", "Net"
KINDS = ["Counts()", "Gets()", "Sets()", "Packed()", "Renamed()", "Noted()", "Complains()", "Scalar()", "Tied()",
         "Net()", *(f"Net(M.{kind}())" for kind in BELOW)]


def filled(lib, model, value):
    with lib.no_grad():
        for k, x in enumerate([*model.parameters(), *model.buffers()]):
            x.fill_(value + k)
    for one in model.modules():
        for name in ("calls", "note"):
            if hasattr(one, name):
                setattr(one, name, int(value))
    return model


def read(model):
    """All numbers of a model, and what its modules have noted."""
    held = {name: x.tolist() for name, x in [*model.named_parameters(), *model.named_buffers()]}
    return held | {f"{path}.{n}": getattr(one, n) for path, one in model.named_modules() for n in ("calls", "note")
                   if hasattr(one, n)}


def shown(state):
    held = [(key, x.tolist() if hasattr(x, "tolist") else x) for key, x in state.items()]
    return held, [(key, dict(about)) for key, about in getattr(state, "_metadata", {}).items()]


def without(state, *ends):
    """A state dict without some keys, and without the versions that it had."""
    return OrderedDict((key, x) for key, x in state.items() if not key.endswith(ends))


WAYS = {
    "as it is": lambda lib, s: s,
    "as a dict": lambda lib, s: dict(s),
    "copied": lambda lib, s: s.copy(),
    "without w": lambda lib, s: without(s, "w"),
    "without extra": lambda lib, s: without(s, "_extra_state", "note", "half"),
    "old name": lambda lib, s: {k[:-1] + "v" if k.split(".")[-1] == "w" else k: x for k, x in s.items()},
    "one more": lambda lib, s: {**s, "child.more": lib.ones(1), "strange": lib.ones(1), "a.b.c": lib.ones(1)},
    "extra for all": lambda lib, s: {**s, "_extra_state": {"calls": 5}, "block._extra_state": {}},
    "another size": lambda lib, s: {**s, next(iter(s)): lib.ones(7, 7)},
    "no tensor": lambda lib, s: {**s, next(iter(s)): [1.0]},
    "of one cell": lambda lib, s: {k: x if getattr(x, "shape", 1) else x.reshape(1) for k, x in s.items()},
    "without counts": lambda lib, s: without(s, "num_batches_tracked"),
    "nothing": lambda lib, s: {},
}
