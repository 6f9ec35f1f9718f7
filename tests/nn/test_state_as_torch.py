"""What a module says of its own state, beside PyTorch: the same classes and programs under both imports."""

import warnings

import pytest

import rustyflow as rf
from tests.each import each
from tests.nn.state_programs import KINDS, WAYS, filled, made, read, shown

torch = pytest.importorskip("torch")


def same(program):
    """What a program notes, under both imports, with the kind of error that stops it and the keys that it names."""
    found = []
    for lib in (rf, torch):
        seen = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                program(lib, made(lib), seen)
            except Exception as error:
                assert lib is torch or error.was and error.rule and error.fix
                kind = next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")
                words = str(error).replace('"', "'").replace("state_dict", "")
                said = {word: word in words for word in ("Missing key", "Unexpected key", "size mismatch", "like it")}
                seen += [kind, said]
        found.append((seen, [one.category.__name__ for one in caught]))
    assert found[0] == found[1]
    return found[0][0]


@pytest.mark.parametrize("kind", KINDS)
@each("more", ["", "prefix='net.'", "keep_vars=True", "destination=D", "None, 'net.', True"])
def test_a_state_dict_says_the_same(kind, more):
    def program(lib, kinds, seen):
        model = filled(lib, eval(f"M.{kind}", {"M": kinds}), 2.0)
        before = {"before": lib.ones(1)}
        state = eval(f"m.state_dict({more})", {"m": model, "D": before})
        seen += [shown(state), (state is before, type(state).__name__), model.training]
        seen.append({key: x.requires_grad for key, x in state.items() if hasattr(x, "requires_grad")})

    assert same(program)


@pytest.mark.parametrize("kind", KINDS)
@each("way, strict, assign", [(way, *how) for way in WAYS for how in ((True, False), (False, False), (True, True))])
def test_loading_says_and_does_the_same(kind, way, strict, assign):
    def program(lib, kinds, seen):
        model, other = (filled(lib, eval(f"M.{kind}", {"M": kinds}), value) for value in (2.0, 50.0))
        state = WAYS[way](lib, model.state_dict())
        before = shown(state)
        said = other.load_state_dict(state, strict=strict, assign=assign)
        seen += [repr(said), said.missing_keys, said.unexpected_keys, read(other), before[0] == shown(state)[0]]
        seen += [[x.requires_grad for x in other.parameters()], len(list(other.parameters()))]
        with lib.no_grad():
            for x in model.parameters():
                x.zero_()
        seen.append(read(other))  # with assign they are the same tensors

    same(program)


PROGRAMS = {
    "pre": """
m = M.Net()
m.register_state_dict_pre_hook(lambda module, prefix, keep: seen.append(("pre", type(module).__name__, prefix, keep)))
m.child.register_state_dict_pre_hook(lambda module, prefix, keep: seen.append(("child", prefix, keep)))
seen.append(list(m.state_dict(prefix="x.", keep_vars=True)))""",
    "post": """
def hook(module, state, prefix, local):
    seen.append((type(module).__name__, prefix, dict(local), list(state)))
    state[prefix + "added"] = lib.ones(1)
m = filled(lib, M.Net(), 1.0)
m.register_state_dict_post_hook(hook)
handle = m.block.register_state_dict_post_hook(hook)
seen.append(shown(m.state_dict()))
handle.remove()
seen.append(shown(m.state_dict(prefix="x.")))""",
    "post that returns": """
m = M.Net()
m.register_state_dict_post_hook(lambda module, state, prefix, local: {})
m.state_dict()""",
    "private post that returns": """
m = M.Net()
m._register_state_dict_hook(lambda module, state, prefix, local: {"only": 1})
seen.append(m.state_dict())
m.child._register_state_dict_hook(lambda module, state, prefix, local: {"only": 1})
seen.append(lib.nn.Sequential(m.child).state_dict().keys() == {"0.weight", "0.bias"})""",
    "load pre": """
def rename(state, prefix, local, strict, missing, unexpected, errors):
    seen.append((list(state), prefix, dict(local), strict, missing[:], unexpected[:], errors[:]))
    for key in list(state):
        if key.startswith(prefix + "old_"):
            state[key.replace("old_", "")] = state.pop(key)
m, other = filled(lib, M.Net(), 3.0), M.Net()
other.child._register_load_state_dict_pre_hook(rename)
state = {k.replace("child.", "child.old_"): x for k, x in m.state_dict().items()}
seen += [repr(other.load_state_dict(state)), read(other), list(state)]""",
    "load pre with module": """
m, other = filled(lib, M.Net(), 3.0), M.Net()
hook = lambda module, state, prefix, *more: seen.append((type(module).__name__, prefix, len(more)))
handle = other.register_load_state_dict_pre_hook(hook)
other.block._register_load_state_dict_pre_hook(hook, with_module=True)
other.load_state_dict(m.state_dict())
handle.remove()
other.load_state_dict(m.state_dict())""",
    "load pre that adds": """
def hook(module, state, prefix, local, strict, missing, unexpected, errors):
    errors.append("does not like it")
other = M.Net()
other.register_load_state_dict_pre_hook(hook)
other.load_state_dict(other.state_dict(), strict=False)""",
    "load post": """
def hook(module, keys):
    seen.append((type(module).__name__, list(keys.missing_keys), list(keys.unexpected_keys)))
    keys.missing_keys.clear()
other = M.Net()
other.child.register_load_state_dict_post_hook(hook)
handle = other.register_load_state_dict_post_hook(hook)
seen.append(repr(other.load_state_dict({k: x for k, x in other.state_dict().items() if "child" not in k})))
handle.remove()
seen.append(repr(other.load_state_dict({k: x for k, x in other.state_dict().items() if "child" not in k})))
seen.append(repr(other.load_state_dict({k: x for k, x in other.state_dict().items() if "kept" not in k})))""",
    "load post that returns": """
other = M.Net()
other.register_load_state_dict_post_hook(lambda module, keys: keys)
other.load_state_dict(other.state_dict())""",
    "versions": """
m = lib.nn.Sequential(M.Renamed(), lib.nn.Sequential(M.Renamed(), lib.nn.BatchNorm1d(1)))
seen += [(k, dict(v)) for k, v in m.state_dict()._metadata.items()]
old = m.state_dict()
for key in list(old):
    if key.endswith("w"):
        old[key[:-1] + "v"] = old.pop(key) + 1
for version in (2, 1, None):
    for about in old._metadata.values():
        about["version"] = version
    seen.append(repr(m.load_state_dict(old, strict=False)))
seen += [m[0].w.tolist(), m[1][0].w.tolist()]
m.load_state_dict({k: x for k, x in old.items() if "tracked" not in k}, strict=False)
m.load_state_dict(old)""",
    "assign keeps what asks": """
m, other = M.Net(), M.Net()
other.w.requires_grad_(False)
state = m.state_dict(keep_vars=True)
other.load_state_dict(state, assign=True)
seen += [other.w is state["w"], state["w"].requires_grad, other.kept is state["kept"], other.child.weight.requires_grad]
again = M.Net()
again.load_state_dict(m.state_dict(), assign=True)
seen += [type(again.w).__name__, again.w.requires_grad, again.kept.data_ptr() == m.kept.data_ptr()]
again = M.Net()
again.double().load_state_dict(m.state_dict())
seen.append(str(again.w.dtype).split(".")[1])
again.load_state_dict(m.state_dict(), assign=True)
seen.append(str(again.w.dtype).split(".")[1])""",
    "assign once is not assign again": """
m, other = M.Net(), M.Net()
state = {k: x.clone() for k, x in m.state_dict().items()}
M.Net().load_state_dict(state, assign=True)
other.load_state_dict(state)
seen.append(other.w.data_ptr() == state["w"].data_ptr())""",
    "asked by super's name": """
class Own(lib.nn.Linear):
    def _load_from_state_dict(self, *args):
        seen.append(len(args))
        lib.nn.Module._load_from_state_dict(self, *args)
    def _save_to_state_dict(self, *args):
        lib.nn.Module._save_to_state_dict(self, *args)
        seen.append(sorted(args[0]))
Own(2, 1).load_state_dict(Own(2, 1).state_dict())""",
    "non-persistent": """
m = M.Net()
seen += [sorted(m._non_persistent_buffers_set), sorted(m.state_dict())]
m.register_buffer("lost", lib.ones(2), persistent=True)
m.register_buffer("kept", lib.ones(2), persistent=False)
seen += [sorted(m._non_persistent_buffers_set), sorted(m.state_dict())]
del m.kept
seen.append(sorted(m._non_persistent_buffers_set))
seen.append(repr(M.Net().load_state_dict({**M.Net().state_dict(), "lost": lib.ones(2)}, strict=False)))""",
    "default extra": "seen.append(1)\nM.Net().get_extra_state()",
    "default set": "seen.append(1)\nM.Net().set_extra_state({})",
    "no dict": "M.Net().load_state_dict([1])",
    "copied": """
from copy import deepcopy
m = M.Net()
m.register_state_dict_pre_hook(lambda module, *_: seen.append(module is again))
m.register_load_state_dict_pre_hook(lambda module, *_: seen.append(type(module).__name__))
again = deepcopy(m)
again.load_state_dict(deepcopy(again.state_dict()))
seen.append([*deepcopy(again.state_dict())._metadata])""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_hooks_and_versions(name):
    def program(lib, kinds, seen):
        exec(PROGRAMS[name], {"lib": lib, "M": kinds, "seen": seen, "shown": shown, "read": read, "filled": filled})

    assert same(program)
