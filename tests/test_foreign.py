"""Tensors, dtypes, generators and devices of other libraries: named as what they are, with the way across."""

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.errors import TensorError
from rustyflow.errors.foreign import kind_of
from rustyflow.tensor.table import fill
from tests.conformance.grid import Case, Inputs
from tests.conformance.spoiled import calls, spoiled
from tests.each import each
from tests.test_import import fresh

fill()


def stranger(module, name, **body):
    """A class as another library has it, and one of it."""
    return type(name, (), {"__module__": module, **body})()


P = stranger("torch", "Tensor", shape=(2,), ndim=1, dtype="torch.float32", numpy=lambda self: np.array([1.0, 2.0]))
G = stranger("torch._C", "Generator", initial_seed=lambda self: 3)
D = stranger("torch", "dtype", __str__=lambda self: "torch.float64")
V = stranger("torch", "device", type="cpu")
JAX = stranger("jaxlib._jax", "ArrayImpl", shape=(2,), dtype=np.dtype("float32"), ndim=1,
               __dlpack__=lambda self, **how: np.ones(2, "float32").__dlpack__(**how),
               __dlpack_device__=lambda self: (1, 0))
CUPY = stranger("cupy", "ndarray", shape=(2,), dtype=np.dtype("float32"), ndim=1, __cuda_array_interface__={},
                get=lambda self: np.ones(2))
FLOW = stranger("tensorflow.python.framework.ops", "EagerTensor", shape=(2,), dtype="tf.float32", ndim=1,
                numpy=lambda self: np.ones(2))
r = rf.tensor([1.0, 2.0])


def said(call, *parts):
    """The error of a call is ours, in three parts, and has these in it."""
    with pytest.raises(TensorError) as caught:
        call()
    message = str(caught.value)
    assert caught.value.rule and caught.value.fix
    for part in parts:
        assert part in message, message
    return caught.value


OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "==", "!=", "<", "<=", ">", ">=")


@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.parametrize("swapped", [False, True])
def test_an_operator_names_the_stranger_on_either_side(sign, swapped):
    left, right = (P, r) if swapped else (r, P)
    error = said(lambda: eval(f"a {sign} b", {"a": left, "b": right}), "torch.Tensor", "from_numpy(p.numpy())")
    assert isinstance(error, TypeError)


def test_a_quotient_is_not_called_a_product():
    assert said(lambda: P / r).rule == "div(): argument 'input' must be Tensor or Number, not torch.Tensor"


@pytest.mark.parametrize("call", [
    lambda: r.add_(P), lambda: r[P], lambda: rf.ones(2, 2)[0, P], lambda: r.__setitem__(0, P),
    lambda: r.__setitem__(P, 0), lambda: rf.add(r, r, out=P), lambda: rf.max(rf.ones(2, 2), 0, out=(r, P)),
    lambda: rf.cat([r, P]), lambda: rf.stack((P, r)), lambda: rf.where(r > 0, r, P), lambda: r.backward(P),
    lambda: rf.zeros(P), lambda: rf.full((2,), P), lambda: r.reshape(P), lambda: rf.nn.Parameter(P), lambda: r.to(P),
    lambda: setattr(r, "data", P), lambda: setattr(rf.ones(2, requires_grad=True), "grad", P), lambda: rf.save(P, "x"),
    lambda: rf.einsum("i,i->", r, P), lambda: r.index_put_((P,), r), lambda: rf.from_numpy(P),
    lambda: rf.result_type(r, P),
    lambda: rf.nn.functional.softmax(P, 0), lambda: rf.nn.functional.relu(P, inplace=True), lambda: rf.pow(2, P),
    lambda: rf.Generator().set_state(P), lambda: rf.nn.functional.mse_loss(r, r, reduction=P),
])
def test_a_tensor_is_named_in_every_kind_of_place(call):
    said(call, "torch.Tensor", "from_numpy(p.numpy())")


@pytest.mark.parametrize("call", [
    lambda: rf.zeros(2, dtype=D), lambda: rf.tensor([1], dtype=D), lambda: r.to(D), lambda: r.to(dtype=D),
    lambda: r.sum(dtype=D), lambda: r.type(D), lambda: rf.set_default_dtype(D), lambda: rf.promote_types(D, rf.int8),
    lambda: rf.finfo(D), lambda: rf.can_cast(rf.int8, D), lambda: r.new_zeros(2, dtype=D),
    lambda: rf.arange(3, dtype=D),
])
def test_a_dtype_is_answered_with_ours_of_that_name(call):
    assert said(call, "torch.dtype").fix.endswith(".float64")


def test_a_dtype_that_we_lack_is_said_to_be_missing():
    lacking = stranger("torch", "dtype", __str__=lambda self: "torch.bfloat16")
    assert "has no bfloat16" in said(lambda: rf.zeros(2, dtype=lacking), "torch.dtype").fix


@pytest.mark.parametrize("call", [
    lambda: rf.randn(2, generator=G), lambda: rf.randint(3, (2,), generator=G), lambda: rf.randperm(3, generator=G),
    lambda: r.normal_(generator=G), lambda: rf.multinomial(r, 1, generator=G), lambda: rf.bernoulli(r / 4, generator=G),
])
def test_a_generator_is_answered_with_one_of_ours_seeded_alike(call):
    said(call, "must be a Generator, not torch.Generator", "Generator().manual_seed(g.initial_seed())")


def test_numpys_generator_is_named_as_well():
    with pytest.raises(TypeError, match=r"not numpy\.random\.Generator"):
        rf.randn(2, generator=np.random.default_rng(0))


@pytest.mark.parametrize("call", [
    lambda: rf.zeros(2, device=V), lambda: rf.tensor([1], device=V), lambda: r.to(V), lambda: rf.device(V),
    lambda: rf.Generator(V),
])
def test_a_device_is_named(call):
    said(call, "torch.device", "leave device out, or device='cpu'")


@pytest.mark.parametrize("value, name, way", [
    (JAX, "jaxlib.ArrayImpl", "from_dlpack(p)"), (CUPY, "cupy.ndarray", "from_numpy(p.get())"),
    (FLOW, "tensorflow.EagerTensor", "from_numpy(p.numpy())"),
])
def test_any_library_is_named(value, name, way):
    said(lambda: r + value, f"not {name}", way)
    said(lambda: rf.exp(value), f"not {name}", way)


def test_what_is_no_stranger_keeps_its_bare_name():
    class Own:
        pass
    assert [kind_of(x) for x in (2, [1], None, r, rf.float32)] == ["int", "list", "NoneType", "Tensor", "dtype"]
    assert kind_of(np.float32(2)) == "numpy.float32"


def test_a_subclass_of_the_users_own_is_known_for_what_it_is():
    Mine = type("Mine", (type(P),), {"__module__": "__main__"})
    assert "not Mine (a torch.Tensor)" in said(lambda: r * Mine()).rule


def test_one_number_of_a_stranger_is_no_number():
    alone = stranger("torch", "Tensor", shape=(), ndim=0, dtype="torch.float32", numpy=lambda self: np.array(1.0),
                     item=lambda self: 1.0)
    assert "p.item()" in said(lambda: r * alone).fix
    said(lambda: rf.full((2,), alone), "torch.Tensor", "p.item()")


class TestBesideTorch:
    """What the stand-ins stand for."""

    def test_both_sides_of_an_operator(self):
        torch = pytest.importorskip("torch")
        p = torch.tensor([1.0, 2.0])
        for call in (lambda: r + p, lambda: p + r, lambda: r / p, lambda: p / r, lambda: p @ r, lambda: p == r):
            said(call, "torch.Tensor", "from_numpy(p.numpy())")

    def test_a_function_of_torchs_says_how_ours_come_across(self):
        torch = pytest.importorskip("torch")
        p = torch.tensor([1.0, 2.0])
        for call in (lambda: p.add_(r), lambda: torch.exp(r), lambda: p.mul(r), lambda: torch.cat([p, r])):
            said(call, "must be torch.Tensor, not rustyflow.Tensor", "torch.from_dlpack(x.detach())")
        assert torch.from_dlpack(r).tolist() == torch.as_tensor(r).tolist() == torch.tensor(r).tolist() == [1, 2]

    def test_dtypes_generators_and_devices(self):
        torch = pytest.importorskip("torch")
        said(lambda: rf.zeros(2, dtype=torch.float32), "torch.dtype", ".float32")
        said(lambda: rf.zeros(2, dtype=torch.bfloat16), "torch.dtype", "has no bfloat16")
        said(lambda: rf.randn(2, generator=torch.Generator()), "not torch.Generator", "manual_seed(")
        said(lambda: rf.zeros(2, device=torch.device("cpu")), "not torch.device", "device='cpu'")
        g = torch.Generator().manual_seed(7)
        across = rf.randn(3, generator=rf.Generator().manual_seed(g.initial_seed()))
        assert np.allclose(across.numpy(), torch.randn(3, generator=g).numpy())

    def test_a_parameter_is_named_as_its_user_knows_it(self):
        torch = pytest.importorskip("torch")
        error = said(lambda: r * torch.nn.Parameter(torch.ones(2)), "torch.nn.Parameter")
        assert "from_numpy(p.detach().numpy())" in error.fix


def one_call_each():
    """For every name of the grid, its call with most arguments."""
    found = {}
    for name, text in sorted(calls(rf)):
        found[name] = max(found.get(name, ""), text, key=lambda call: (call.count(","), call))
    return found


CALLS = one_call_each()
DATA = ("BoolTensor", "ByteTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor", "LongTensor")
TAKES_ALL = (*DATA, "is_tensor")
ANY_TRUTH = ("nn.functional.adaptive_max_pool1d", "nn.functional.adaptive_max_pool2d", "nn.functional.batch_norm",
             "nn.functional.dropout2d", "nn.functional.gumbel_softmax", "nn.functional.triplet_margin_loss")
"""With a flag, such as `inplace` or `hard`, that PyTorch tests in Python, to which every object is true."""


@pytest.mark.filterwarnings("ignore")
@each("name", sorted(CALLS.keys() - {*TAKES_ALL}))
def test_every_argument_of_every_function_names_the_stranger(name):
    for call in sorted(set(spoiled(CALLS[name], ["STRANGER"]))):
        inputs = Inputs(rf, Case("", name, call, "float32", "contiguous", False, False))
        inputs["STRANGER"] = P
        try:
            eval(call, inputs)
        except TensorError as error:
            if "positional argument" not in error.rule:  # the call itself does not fit
                assert "torch.Tensor" in str(error) and "p.numpy()" in error.fix, f"{call}\n{error}"
        else:
            assert name in ANY_TRUTH, f"{call} took it"


def test_no_library_is_imported_for_it():
    assert fresh("""if True:
        import sys
        import rustyflow as rf
        P = type("Tensor", (), {"__module__": "torch", "ndim": 1, "dtype": "torch.float32"})()
        try:
            rf.ones(2) + P
        except TypeError as error:
            print("not torch.Tensor" in str(error), "torch" in sys.modules)
    """) == "True False"
