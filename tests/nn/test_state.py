"""What a module says of its own state is asked, kept in a file and given back; nothing is lost without a word."""

import io
from types import SimpleNamespace

import pytest

import rustyflow as rf
from rustyflow import nn
from tests.nn.state_programs import filled, made, read

M: SimpleNamespace = made(rf)


def through_a_file(state):
    file = io.BytesIO()
    rf.save(state, file)
    file.seek(0)
    return rf.load(file)


@pytest.mark.parametrize("travel", [lambda state: state, dict, through_a_file])
@pytest.mark.parametrize(
    "make, keys, after",
    [
        (lambda: M.Counts(), ["w", "_extra_state"], {"w": [2.0], ".calls": 2}),
        (lambda: nn.Sequential(M.Counts(), nn.ReLU()), ["0.w", "0._extra_state"], {"0.w": [2.0], "0.calls": 2}),
        (lambda: M.Noted(), ["w", "note"], {"w": [2.0, 2.0], ".note": 2}),
        (lambda: nn.Sequential(nn.ReLU(), M.Noted()), ["1.w", "1.note"], {"1.w": [2.0, 2.0], "1.note": 2}),
        (lambda: M.Scalar(), ["s"], {"s": 2.0}),
    ],
)
def test_a_state_of_ones_own_comes_back(travel, make, keys, after):
    model, other = filled(rf, make(), 2.0), filled(rf, make(), 7.0)
    assert list(model.state_dict()) == keys
    assert repr(other.load_state_dict(travel(model.state_dict()))) == "<All keys matched successfully>"
    assert read(other) == after


def test_a_module_saves_and_takes_under_another_name():
    model, other = filled(rf, nn.Sequential(M.Packed()), 2.0), nn.Sequential(M.Packed())
    state = model.state_dict()
    assert list(state) == ["0.half"] and state["0.half"].tolist() == [2.0, 2.0]
    other.load_state_dict(state)
    assert other[0].w.tolist() == [2.0] * 4 and other[0].note == "0. {'version': 1} True [] 8.0"


@pytest.mark.parametrize("travel", [lambda state: state, through_a_file])
@pytest.mark.parametrize("version, key", [(1, "v"), (2, "w"), (None, "v")])
def test_the_version_of_a_state_is_told(travel, version, key):
    state, model = M.Renamed().state_dict(), M.Renamed()
    assert state._metadata == {"": {"version": 2}}
    state[key] = state.pop("w") + 3
    state._metadata[""]["version"] = version
    model.load_state_dict(travel(state))
    assert model.w.tolist() == [3.0, 3.0]


def test_a_state_before_batches_were_counted_is_taken_as_it_is():
    old = {key: x for key, x in nn.BatchNorm1d(2).state_dict().items() if key != "num_batches_tracked"}
    assert repr(nn.BatchNorm1d(2).load_state_dict(old)) == "<All keys matched successfully>"
    new = nn.BatchNorm1d(2).state_dict()
    del new["num_batches_tracked"]
    with pytest.raises(RuntimeError, match="Missing key.*num_batches_tracked"):
        nn.BatchNorm1d(2).load_state_dict(new)


@pytest.mark.parametrize(
    "model, state, said",
    [
        (M.Counts(), {"w": rf.ones(1)}, "Missing key.*'_extra_state'"),
        (M.Gets(), {"w": rf.ones(1), "_extra_state": {}}, "Unexpected key.*'_extra_state'"),
        (nn.Sequential(M.Counts()), {"0.w": rf.ones(1)}, "Missing key.*'0._extra_state'"),
        (M.Counts(), {"w": rf.ones(2), "_extra_state": {"calls": 1}}, "size mismatch for w"),
        (M.Complains(), {"w": rf.ones(2)}, "does not like it"),
        (M.Net(M.Complains()), {**M.Net(M.Complains()).state_dict(), "w": rf.ones(2, 3)}, "child. does not like it"),
    ],
)
def test_what_does_not_fit_is_told_and_no_number_changes(model, state, said):
    before = read(model)
    with pytest.raises(RuntimeError, match=said) as caught:
        model.load_state_dict(state)
    assert caught.value.was and caught.value.rule and caught.value.fix
    assert {k: x for k, x in read(model).items() if "calls" not in k} == {
        k: x for k, x in before.items() if "calls" not in k}


def test_an_error_on_the_way_leaves_the_model_as_it_was():
    class Breaks(nn.Linear):
        def _load_from_state_dict(self, *args):
            super()._load_from_state_dict(*args)
            raise ZeroDivisionError

    model = nn.Sequential(nn.Linear(2, 2), Breaks(2, 2))
    before, parameters = read(model), list(model.parameters())
    for assign in (False, True):
        with pytest.raises(ZeroDivisionError):
            model.load_state_dict({key: x + 1 for key, x in model.state_dict().items()}, assign=assign)
        assert read(model) == before and all(a is b for a, b in zip(model.parameters(), parameters, strict=True))


@pytest.mark.parametrize(
    "call, error, said",
    [
        (lambda: nn.Linear(1, 1).get_extra_state(), RuntimeError, "writes both get_extra_state and set_extra_state"),
        (lambda: nn.Linear(1, 1).set_extra_state(1), RuntimeError, "writes both get_extra_state and set_extra_state"),
        (lambda: hooked("register_state_dict_post_hook", lambda *_: {}).state_dict(), RuntimeError, "must return None"),
        (lambda: (m := hooked("register_load_state_dict_post_hook", lambda *_: 1)).load_state_dict(m.state_dict()),
         AssertionError, "not expected to return"),
        (lambda: early("register_state_dict_pre_hook"), AttributeError, r"before Module.__init__\(\) was called"),
        (lambda: early("_register_load_state_dict_pre_hook"), AttributeError, "before Module.__init__"),
        (lambda: early("register_load_state_dict_post_hook"), AttributeError, "before Module.__init__"),
        (lambda: nn.Linear(1, 1).load_state_dict(), TypeError, "missing a required argument: 'state_dict'"),
        (lambda: nn.Linear(1, 1).load_state_dict({}, srict=False), TypeError, "unexpected keyword argument 'srict'"),
        (lambda: nn.Linear(1, 1).eval(True), TypeError, "too many positional arguments"),
    ],
)
def test_hooks_extra_states_and_calls_that_cannot_be_meant(call, error, said):
    with pytest.raises(error, match=said) as caught:
        call()
    assert caught.value.was and caught.value.rule and caught.value.fix


def early(kind):
    class Early(nn.Module):
        def __init__(self):
            getattr(self, kind)(print)

    return Early()


def hooked(kind, hook):
    model = nn.Linear(1, 1)
    getattr(model, kind)(hook)
    return model


@pytest.mark.parametrize(
    "kind, use",
    [
        ("register_state_dict_pre_hook", lambda m: m.state_dict(prefix="x.")),
        ("register_state_dict_post_hook", lambda m: m.state_dict(prefix="x.")),
        ("_register_state_dict_hook", lambda m: m.state_dict(prefix="x.")),
        ("register_load_state_dict_pre_hook", lambda m: m.load_state_dict(nn.Linear(1, 1).state_dict())),
        ("_register_load_state_dict_pre_hook", lambda m: m.load_state_dict(nn.Linear(1, 1).state_dict())),
        ("register_load_state_dict_post_hook", lambda m: m.load_state_dict(nn.Linear(1, 1).state_dict())),
    ],
)
def test_a_hook_is_called_once_until_it_is_removed(kind, use):
    heard, model = [], nn.Linear(1, 1)
    handle = getattr(model, kind)(lambda *told: heard.append(len(told)))
    use(model)
    assert len(heard) == 1
    handle.remove()
    use(model)
    assert len(heard) == 1
    with getattr(model, kind)(lambda *told: heard.append(len(told))):
        use(model)
    use(model)
    assert len(heard) == 2
