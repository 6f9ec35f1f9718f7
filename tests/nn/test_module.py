"""Module itself: its parts, state, modes, hooks and text; and what it refuses."""

import ast
import copy
import pickle
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import pytest

import rustyflow as rf
from rustyflow import nn
from rustyflow.errors import StateError


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 3)
        self.register_buffer("mean", rf.zeros(3))
        self.register_buffer("scratch", rf.zeros(1), persistent=False)

    def forward(self, x):
        return self.second(self.first(x).relu()) - self.mean


def test_parts_by_name_and_by_path():
    net = Net()
    assert [n for n, _ in net.named_parameters()] == ["first.weight", "first.bias", "second.weight", "second.bias"]
    assert [n for n, _ in net.named_buffers()] == ["mean", "scratch"]
    assert list(net.state_dict()) == ["mean", "first.weight", "first.bias", "second.weight", "second.bias"]
    assert net.get_submodule("first") is net.first and net.get_parameter("first.bias") is net.first.bias
    assert net.get_buffer("mean") is net.mean and "first" in dir(net)


def test_tied_weights_are_one_parameter_with_two_names_in_the_state():
    net = Net()
    net.first.weight = nn.Parameter(rf.ones(3, 3))
    net.second.weight = net.first.weight
    assert sum(p is net.first.weight for p in net.parameters()) == 1
    assert {"first.weight", "second.weight"} <= net.state_dict().keys()
    twin = copy.deepcopy(net)
    assert twin.first.weight is twin.second.weight and twin.first.weight is not net.first.weight


def test_train_and_eval_reach_all_and_zero_grad_forgets():
    net = Net()
    assert not any(m.training for m in net.eval().modules()) and all(m.training for m in net.train().modules())
    net(rf.ones(2, 3)).sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())
    assert not any(p.requires_grad for p in net.requires_grad_(False).parameters())


class Frozen(nn.BatchNorm1d):
    """Of a trained model, whose means stay."""

    def train(self, mode=True):
        return super().train(False)


class Table(nn.Module):
    """Keeps a tensor that is neither parameter nor buffer."""

    def __init__(self):
        super().__init__()
        self.angles, self.log = rf.ones(2), ["a"]

    def _apply(self, convert):
        self.angles = convert(self.angles)
        return super()._apply(convert)

    def __getstate__(self):
        return {**vars(self), "log": []}

    def __setstate__(self, state):
        super().__setstate__(state)
        self.log.append("again")


@pytest.mark.parametrize("around", [lambda m: m, nn.Sequential, lambda m: nn.Sequential(nn.ReLU(), nn.ModuleList([m]))])
def test_a_module_below_is_asked_how_it_trains_takes_a_dtype_and_is_copied(around):
    frozen, table = Frozen(1), Table()
    for mode in (True, False, True):
        around(frozen).train(mode)
        assert not frozen.training
    around(table).double()
    assert table.angles.dtype == rf.float64
    around(table).to(rf.float16)
    assert table.angles.dtype == rf.float16
    twin = [m for m in copy.deepcopy(around(table)).modules() if isinstance(m, Table)][0]
    assert twin.log == ["again"] and table.log == ["a"]


def test_dtypes_change_and_parameters_stay_the_same_objects():
    net = Net()
    before = list(net.parameters())
    net(rf.ones(2, 3)).sum().backward()
    assert net.double() is net and net.mean.dtype is rf.float64
    assert all(
        p is q and p.dtype is rf.float64 and p.grad.dtype is rf.float64 for p, q in zip(net.parameters(), before)
    )
    assert net.to(rf.float32).first.weight.dtype is rf.float32 and net.to("cpu").mean.dtype is rf.float32


def test_state_dicts_share_memory_copy_in_and_travel_through_a_file(tmp_path):
    net, other = Net(), Net()
    net.state_dict()["mean"].fill_(7.0)
    assert net.mean.tolist() == [7.0] * 3
    assert repr(other.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    rf.save(net.state_dict(), tmp_path / "net.safetensors")
    again = Net()
    again.load_state_dict(rf.load(tmp_path / "net.safetensors"))
    x = rf.randn(2, 3)
    assert net(x).tolist() == other(x).tolist() == again(x).tolist()
    assert pickle.loads(pickle.dumps(net))(x).tolist() == net(x).tolist()


def test_a_state_dict_that_does_not_fit_is_told_whole_and_copies_nothing():
    net, state = Net(), Net().state_dict()
    before = net.first.bias.tolist()
    del state["mean"]
    state |= {"extra": rf.ones(1), "first.weight": rf.ones(2, 2)}
    with pytest.raises(StateError) as caught:
        net.load_state_dict(state)
    said = str(caught.value)
    assert all(part in said for part in ("Missing key(s)", "'mean'", "Unexpected key(s)", "'extra'", "size mismatch"))
    assert net.first.bias.tolist() == before
    assert "strict" not in caught.value.fix  # which would not help against another size
    with pytest.raises(StateError, match="size mismatch"):
        net.load_state_dict(state, strict=False)
    del state["first.weight"]
    missing, unexpected = net.load_state_dict(state, strict=False)
    assert missing == ["mean", "first.weight"] and unexpected == ["extra"]


def test_every_forward_can_be_read_at_a_glance():
    """At most 15 lines of code under the signature, of each module and of the parts that modules share."""
    long = {}
    for path in Path(nn.__file__).parent.glob("*.py"):
        for kind in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for made in kind.body if isinstance(kind, ast.ClassDef) else ():
                if isinstance(made, ast.FunctionDef) and made.name == "forward":
                    body = made.body[1:] if ast.get_docstring(made) else made.body
                    long[kind.name] = len("\n".join(map(ast.unparse, body)).splitlines()), sum(
                        one.end_lineno - one.lineno + 1 for one in body)
    assert len(long) >= 20 and {name: lines for name, lines in long.items() if max(lines) > 15} == {}


def test_apply_goes_below_first():
    seen = []
    nn.Sequential(nn.Linear(1, 1), nn.ReLU()).apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Linear", "ReLU", "Sequential"]


def test_forward_hooks_see_change_and_go():
    layer, heard = nn.Identity(), []
    before = layer.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
    after = layer.register_forward_hook(lambda m, args, out: heard.append(out.tolist()) or out * 10)
    assert layer(rf.ones(1)).tolist() == [20.0] and heard == [[2.0]]
    before.remove(), after.remove()
    assert layer(rf.ones(1)).tolist() == [1.0]


def test_a_hook_that_is_always_called_hears_of_a_failing_forward_and_hides_nothing():
    class Fails(nn.Module):
        def forward(self, x):
            raise KeyError("first")

    layer, heard = Fails(), []
    layer.register_forward_hook(lambda m, args, out: heard.append("not me"))
    layer.register_forward_hook(lambda m, args, out: heard.append((args, out)), always_call=True)
    layer.register_forward_hook(lambda m, args, out: 1 / 0, always_call=True)
    with pytest.raises(KeyError, match="first"), pytest.warns(UserWarning, match="ZeroDivisionError"):
        layer(2)
    assert heard == [((2,), None)]


def test_backward_hooks_hear_both_gradients_and_may_change_them():
    heard, layer = [], nn.Linear(2, 1)
    layer.register_full_backward_pre_hook(lambda m, g: heard.append(("out", g[0].tolist())))
    handle = layer.register_full_backward_hook(lambda m, gi, go: heard.append(("in", gi[0].tolist())) or (gi[0] * 2,))
    x = rf.ones(1, 2, requires_grad=True)
    layer(x).sum().backward()
    weight = layer.weight.tolist()[0]
    assert heard == [("out", [[1.0]]), ("in", [weight])] and x.grad.tolist() == [[2 * w for w in weight]]
    handle.remove()
    heard.clear()
    layer.register_full_backward_hook(lambda m, gi, go: heard.append(gi))
    layer(rf.ones(1, 2)).sum().backward()
    assert heard[-1] == (None,)


def test_the_graph_says_which_module_made_a_node():
    net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Tanh(), nn.Linear(2, 1)))
    scopes = [node.scope for node in rf.ir.graph(net(rf.ones(1, 2)).sum()) if node.kind == "op"]
    assert scopes[-1] == "" and scopes[0] == "Sequential.0" and {"Sequential.1.0", "Sequential.1.1"} <= set(scopes)


def hooked(module, hook):
    module.register_forward_pre_hook(hook, with_kwargs=True)
    return module


def attend(**masks):
    return nn.MultiheadAttention(4, 2)(*[rf.ones(3, 1, 4)] * 3, **masks)


@pytest.mark.parametrize(
    "program, error, said",
    [
        (
            lambda: type("M", (nn.Module,), {"__init__": lambda s: setattr(s, "w", nn.Parameter(rf.ones(1)))})(),
            AttributeError,
            "super().__init__",
        ),
        (lambda: type("M", (nn.Module,), {"__init__": lambda s: None})()(1), AttributeError, "super().__init__"),
        (lambda: nn.Linear(2, 2).wieght, AttributeError, "did you mean 'weight'"),
        (lambda: nn.Module()(1), NotImplementedError, "forward"),
        (lambda: nn.Sequential(nn.Linear(1, 1), rf.relu), TypeError, "not a Module"),
        (lambda: setattr(nn.Linear(1, 1), "weight", rf.ones(1)), TypeError, "nn.Parameter"),
        (lambda: nn.Linear(1, 1).register_parameter("a.b", None), KeyError, "dot"),
        (lambda: nn.Linear(1, 1).register_buffer("weight", rf.ones(1)), KeyError, "already exists"),
        (lambda: nn.ModuleList([nn.ReLU()])[3], IndexError, "out of range"),
        (lambda: nn.Linear(3, 2)(rf.ones(2, 4)), RuntimeError, "3"),
        (lambda: nn.Embedding(3, 2)(rf.tensor([3])), IndexError, "3"),
        (lambda: nn.MultiheadAttention(6, 4), AssertionError, "divisible"),
        (lambda: nn.Conv2d(3, 4, 1, groups=2), ValueError, "divisible"),
        (lambda: nn.BatchNorm1d(2)(rf.ones(2, 2, 2, 2)), ValueError, "2D or 3D"),
        (lambda: nn.Dropout(1.5), ValueError, "between 0 and 1"),
        (lambda: nn.ReLU(3, 4), TypeError, "too many"),
        (lambda: nn.Linear(3, 2)(rf.ones(1, 3).long()), RuntimeError, "input.to(rustyflow.float32)"),
        (lambda: nn.init.normal_(nn.Linear(1, 1)), AttributeError, "layer.weight"),
        (lambda: nn.ModuleList(nn.Linear(1, 1)), TypeError, "iterable"),
        (lambda: nn.ModuleDict([nn.Linear(1, 1)]), TypeError, "pairs"),
        (lambda: nn.MultiheadAttention(4, 2)(*[rf.ones(2, 3, 5)] * 3), AssertionError, "dimension of 4"),
        (lambda: nn.Linear(3, 4, biass=False), TypeError, "bias=False"),
        (lambda: nn.Conv2d(1, 2, 3, paddin=1), TypeError, "padding=1"),
        (lambda: nn.LSTM(3, 4, layers=2), TypeError, "num_layers=2"),
        (lambda: nn.Dropout("a"), TypeError, "between 0 and 1"),
        (lambda: nn.GRUCell(2, 3)(rf.ones(1, 1, 2)), ValueError, "1D or 2D"),
        (lambda: nn.utils.parameters_to_vector([3]), TypeError, "are tensors"),
        (lambda: nn.LSTM(3, 2)(rf.ones(4, 1, 5)), RuntimeError, "Expected 3"),
        (lambda: nn.RNN(3, 2, nonlinearity="sin"), ValueError, "sin"),
        (lambda: nn.init.eye_(rf.ones(3)), ValueError, "2 dim"),
        (lambda: setattr(nn.BatchNorm1d(2), "running_mean", 3), TypeError, "as buffer"),
        (lambda: list(type("M", (nn.Module,), {"__init__": lambda s: None})().parameters()), AttributeError, "super()"),
        (lambda: nn.CrossEntropyLoss(rf.ones(2, 3), rf.tensor([0, 1])), TypeError, "settings first"),
        (lambda: nn.CrossEntropyLoss(weight=[1.0, 2.0]), TypeError, "a tensor or None"),
        (lambda: nn.Conv2d(1, 1, 3, padding="some"), ValueError, "padding string"),
        (lambda: nn.Conv2d(1, 1, 3, padding="same", stride=2), ValueError, "strided"),
        (lambda: nn.LSTM(3, 4)(rf.ones(2, 2, 3), rf.ones(1, 2, 4)), TypeError, "pair"),
        (lambda: nn.LSTMCell(3, 4)(rf.ones(2, 3), rf.ones(2, 4)), TypeError, "pair"),
        (lambda: nn.LSTMCell(3, 4)(rf.ones(2, 3), (rf.ones(2, 4), 1)), TypeError, "pair"),
        (lambda: nn.GRUCell(3, 4)(rf.ones(2, 3), rf.ones(1, 4)), RuntimeError, "Expected hidden size (2, 4)"),
        (lambda: nn.GRUCell(3, 4)(rf.ones(2, 3).double()), RuntimeError, "float64"),
        (lambda: nn.GRU(3, 4)(rf.ones(2, 3), rf.ones(1, 1, 4)), RuntimeError, "Expected hidden size (1, 4)"),
        (lambda: nn.GRU(3, 4)(rf.ones(1, 2, 2, 3)), ValueError, "2D or 3D"),
        (lambda: nn.RNN(3, 4)(rf.ones(2, 3).double()), ValueError, "dtype of the weights"),
        (lambda: nn.Linear(1, 1).to(rf.int64), TypeError, "floating point"),
        (lambda: nn.Linear(1, 1).cuda(), NotImplementedError, "CPU"),
        (lambda: nn.Sequential(nn.ReLU()).insert(5, nn.ReLU()), IndexError, "out of range"),
        (lambda: nn.utils.clip_grad_norm_(nn.Linear(1, 1), 1.0), TypeError, "model.parameters()"),
        (
            lambda: nn.MultiheadAttention(4, 2)(rf.ones(3, 2, 4), rf.ones(3, 1, 4), rf.ones(3, 1, 4)),
            RuntimeError,
            "same batch",
        ),
        (lambda: nn.init.kaiming_uniform_(rf.ones(3)), ValueError, "fewer than 2"),
        (lambda: nn.CrossEntropyLoss()(rf.ones(2, 3), rf.tensor([0, 3])), IndexError, "numbered from 0 to 2"),
        (lambda: nn.CrossEntropyLoss()(rf.ones(2, 1), rf.tensor([0, 1])), IndexError, "entropy_with_logits"),
        (lambda: nn.Linear(2, 2)(rf.ones(1, 2).double()), RuntimeError, "input.to(rustyflow.float32)"),
        (lambda: nn.Linear(2, 2)(rf.ones(1, 3)), RuntimeError, "as nn.Linear(3, ...) has"),
        (lambda: attend(attn_mask=rf.ones(2, 2)), RuntimeError, "should be (3, 3)"),
        (lambda: attend(attn_mask=rf.ones(3)), AssertionError, "should be (3, 3)"),
        (lambda: attend(attn_mask=rf.ones(3, 3).long()), AssertionError, "only bool and floating"),
        (lambda: attend(key_padding_mask=rf.ones(2)), AssertionError, "should be (1, 3)"),
        (lambda: nn.Sequential(nn.Linear(2, 2), nn.ReLU), TypeError, "nn.ReLU(...): a module, not its class"),
        (lambda: nn.Sequential([nn.Linear(2, 2)]), TypeError, "nn.Sequential(*layers)"),
        (lambda: nn.ReLU(rf.ones(2)), TypeError, "nn.ReLU(...)(input)"),
        (lambda: type("M", (nn.Module,), {"foward": lambda s, x: x})()(1), NotImplementedError, "it has 'foward'"),
        (lambda: type("M", (nn.Module,), {"__init__": lambda s: s.register_buffer("a", rf.ones(1))})(), AttributeError,
         "register a before Module.__init__()"),
        (lambda: hooked(nn.Identity(), lambda m, args, kwargs: 3)(1), RuntimeError, "new_args, new_kwargs"),
        (lambda: nn.Embedding.from_pretrained(rf.ones(3)), AssertionError, "2-dimensional"),
        (lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"), RuntimeError, "relu/gelu"),
        (lambda: nn.Linaer(2, 2), AttributeError, "Linear"),
        (lambda: nn.CrossentropyLoss(), AttributeError, "CrossEntropyLoss"),
        (lambda: nn.Linear(2, 2).load_state_dict(nn.Linear(2, 2)), TypeError, "state_dict()"),
        (lambda: nn.Linear(1, 1, False).load_state_dict({"weight": [[1.0]]}), RuntimeError, "received list"),
        (lambda: nn.Linear(1, 1).load_state_dict({f"net.{k}": v for k, v in nn.Linear(1, 1).state_dict().items()}),
         RuntimeError, "{k.removeprefix('net.'): x for k, x in state.items()}"),
        (lambda: nn.Sequential(nn.Linear(1, 1)).load_state_dict(nn.Linear(1, 1).state_dict()), RuntimeError,
         "{'0.' + k: x for k, x in state.items()}"),
        (lambda: nn.init.normal_(rf.ones(1), sdt=1), TypeError, "std=1"),
        (lambda: nn.init.kaiming_uniform_(rf.ones(2, 2), mode=3), ValueError, "'fan_in'"),
    ],
)
def test_what_is_wrong_is_said(program, error, said):
    with pytest.raises(error) as caught:
        program()
    assert said in str(caught.value)


def test_shapes_that_broadcast_in_a_loss_are_warned_of():
    with pytest.warns(UserWarning, match="target size"):
        nn.MSELoss()(rf.ones(3, 1), rf.ones(3))


def test_a_dropout_that_does_nothing_is_warned_of():
    with pytest.warns(UserWarning, match="num_layers=1"):
        nn.LSTM(2, 3, dropout=0.5)


def test_containers_are_lists_and_dicts():
    layers = nn.ModuleList([nn.ReLU()])
    layers.append(nn.Tanh()).extend([nn.SiLU()])
    layers.insert(1, nn.GELU())
    assert [type(m).__name__ for m in layers] == ["ReLU", "GELU", "Tanh", "SiLU"] and len(layers[1:3]) == 2
    del layers[0]
    assert [n for n, _ in layers.named_children()] == ["0", "1", "2"] and isinstance(layers[-1], nn.SiLU)
    heads = nn.ModuleDict([("a", nn.ReLU())])
    heads["b"] = nn.Linear(1, 1)
    assert list(heads) == ["a", "b"] and "a" in heads and isinstance(heads.pop("a"), nn.ReLU) and len(heads) == 1
    two = nn.Sequential(nn.Linear(1, 2), nn.Linear(2, 1))
    two[0] = nn.Identity()
    assert isinstance(two[0], nn.Identity) and isinstance(two[-1], nn.Linear) and len(two[:1]) == 1


def test_a_copy_of_a_parameter_has_no_gradient_and_a_failing_property_is_not_guessed_at():
    layer = nn.Linear(2, 1)
    layer(rf.ones(1, 2)).sum().backward()
    assert layer.weight.grad is not None and copy.deepcopy(layer).weight.grad is None

    class Lazy(nn.Module):
        @property
        def size(self):
            return self.wieght

    with pytest.raises(AttributeError) as caught:
        Lazy().size  # noqa: B018
    assert "did you mean 'size'" not in str(caught.value)


def test_an_encoder_that_is_to_be_causal_asks_for_its_mask():
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    with pytest.raises(RuntimeError, match="Need attn_mask"):
        layer(rf.ones(1, 3, 4), is_causal=True)
    assert layer(rf.ones(1, 3, 4), rf.ones(3, 3).triu(1).bool(), is_causal=True).shape == (1, 3, 4)


def test_a_refused_insert_leaves_the_container_whole():
    layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])
    with pytest.raises(TypeError, match="holds modules"):
        layers.insert(0, 3)
    assert [type(layer).__name__ for layer in layers] == ["ReLU", "Tanh"]


def test_a_run_that_is_interrupted_in_the_middle_of_a_forward_goes_on():
    class Stopped(nn.Module):
        def forward(self, x):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), rf.no_grad():
        nn.Sequential(nn.Linear(2, 2), Stopped())(rf.ones(1, 2))
    layer = nn.Linear(2, 1)
    y = layer(rf.ones(1, 2))
    assert y.requires_grad and {node.scope for node in rf.ir.graph(y) if node.kind == "op"} == {"Linear"}
    del layer
    assert {node.scope for node in rf.ir.graph(y)} == {""}


ANYTHING = "Module Identity default_convert get_worker_info".split()
"""What refuses nothing."""
NO_TENSORS = """Module ModuleList ModuleDict ParameterList ParameterDict UninitializedBuffer UninitializedParameter
calculate_gain Dataset IterableDataset Subset ConcatDataset random_split Sampler SequentialSampler RandomSampler
SubsetRandomSampler BatchSampler default_convert get_worker_info""".split()
"""What holds parts, gives numbers of examples, or hands examples on as they are; of schedulers of rates all."""
FACES = ["nn", "nn.functional", "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "utils.data"]


@pytest.mark.parametrize("face", FACES)
def test_every_public_name_says_its_shapes_its_errors_and_an_example(face):
    module, short = attrgetter(face)(rf), []
    for name in module.__all__:
        made, doc = getattr(module, name), getattr(module, name).__doc__
        words = {">>>", "Source:", "Raises:" if name not in ANYTHING else "", "Example:"}
        if face != "optim.lr_scheduler" and name not in NO_TENSORS:
            words.add("Shapes:")
        if not isinstance(made, ModuleType):
            short += [(name, word) for word in words if word not in doc]
    assert not short
