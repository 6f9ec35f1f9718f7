"""PyTorch's tensors that NumPy cannot read: what a copy can read is read, and the rest is said in three parts."""

import warnings

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.errors import TensorError
from rustyflow.show.source import source_of

torch = pytest.importorskip("torch")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # some kinds are in beta, or on their way out
    z = torch.tensor([1 + 2j, 3 - 4j])
    READ = {
        "requires grad": (torch.tensor([1.0, 2.0], requires_grad=True), [1, 2]),
        "made by an op": (torch.tensor([1.0, 2.0], requires_grad=True) * 2, [2, 4]),
        "a parameter": (torch.nn.Parameter(torch.tensor([1.0, 2.0])), [1, 2]),
        "negative bit": (z.conj().imag, [-2, 4]),
        "quantised": (torch.quantize_per_tensor(torch.tensor([1.0, 2.0]), 0.5, 0, torch.qint8), [1, 2]),
        "quantised per channel": (
            torch.quantize_per_channel(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([0.5, 1]),
                                       torch.tensor([0, 0]), 0, torch.quint8), [[1, 2], [3, 4]]),
        "sparse": (torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse(), [[0, 2], [0, 0]]),
        "sparse rows": (torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_csr(), [[0, 2], [0, 0]]),
        "sparse, requires grad": (torch.tensor([[0.0, 2.0]]).to_sparse().requires_grad_(), [[0, 2]]),
        "bfloat16": (torch.tensor([1.0, 2.5], dtype=torch.bfloat16), [1, 2.5]),
        "bfloat16, requires grad": (torch.tensor([1.0, 2.5], dtype=torch.bfloat16, requires_grad=True), [1, 2.5]),
        "float8": (torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn), [1, 2]),
    }
    WAYS = {"negative bit": "p.resolve_neg()", "quantised": "p.dequantize()", "sparse": "p.to_dense()",
            "bfloat16": "p.float()", "requires grad": "p.detach()", "sparse, requires grad": "p.detach().to_dense()"}
    LOST = {
        "nested": (torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
                   "rows of different lengths", "p.unbind()"),
        "jagged": (torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
                   "rows of different lengths", "p.unbind()"),
        "meta": (torch.empty(2, device="meta"), "no numbers", "device='cpu'"),
        "complex": (z, "no complex dtypes", "p.real"),
        "conjugate": (z.conj(), "no complex dtypes", "p.real"),
        "masked": (torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False])),
                   "NumPy cannot read", "tensor("),
        "uint16": (torch.tensor([1, 2], dtype=torch.uint16), "no uint16", "p.long()"),
    }
READERS = {"tensor": rf.tensor, "as_tensor": rf.as_tensor, "from_dlpack": rf.from_dlpack, "Tensor": rf.Tensor,
           "new_tensor": rf.ones(1).new_tensor}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", READ)
def test_what_a_copy_can_read_is_read(kind, reader):
    given, right = READ[kind]
    found = READERS[reader](given)
    assert type(found) is rf.Tensor and found.tolist() == right and not found.requires_grad


@pytest.mark.parametrize("kind", READ)
def test_a_list_of_them_is_read_as_rows(kind):
    given, right = READ[kind]
    assert rf.tensor([given, given]).tolist() == [right, right]


@pytest.mark.parametrize("kind", READ)
def test_from_numpy_takes_arrays_alone_and_shows_a_way_that_works(kind):
    given, right = READ[kind]
    with pytest.raises(TypeError) as caught:
        rf.from_numpy(given)
    assert WAYS.get(kind, "p.") in caught.value.fix
    way = caught.value.fix.partition(":")[0].replace("rustyflow.", "rf.")
    assert eval(way, {"rf": rf, "p": given}).tolist() == right


@pytest.mark.parametrize("reader", [*READERS, "from_numpy", "a list"])
@pytest.mark.parametrize("kind", LOST)
def test_what_cannot_be_read_is_said_in_three_parts(kind, reader):
    given, rule, fix = LOST[kind]
    read = {**READERS, "from_numpy": rf.from_numpy, "a list": lambda x: rf.tensor([x])}[reader]
    with pytest.raises(TensorError) as caught:
        read(given)
    assert reader == "from_numpy" or rule in caught.value.rule
    assert fix in caught.value.fix and isinstance(caught.value, (TypeError, BufferError))


def test_numbers_that_lie_together_are_shared():
    p = torch.zeros(2, 3).t()
    r = rf.from_dlpack(p)
    p[0, 1] = 5
    assert r[0, 1].item() == 5 and r.stride() == (1, 3)


def test_without_a_copy_what_needs_one_is_refused():
    with pytest.raises(BufferError, match="by way of a copy"):
        rf.from_dlpack(READ["negative bit"][0], copy=False)
    assert rf.from_dlpack(READ["requires grad"][0], copy=False).tolist() == [1, 2]


@pytest.mark.parametrize("kind", ["requires grad", "negative bit", "quantised", "bfloat16", "float8"])
def test_a_figure_reads_the_slots(kind):
    given, right = READ[kind]
    source = source_of(given)
    assert np.asarray(source.array()).tolist() == right
    assert source.read([source.offset + n * source.stride[0] for n in range(2)]) == right


@pytest.mark.parametrize("kind", ["nested", "jagged", "meta", "masked"])
def test_a_figure_says_what_it_cannot_read(kind):
    given, rule, _ = LOST[kind]
    with pytest.raises(TypeError, match=rule):
        source_of(given)


def test_a_figure_reads_conjugates_as_they_are_meant():
    assert source_of(z.conj()).read([0, 1]) == [1 - 2j, 3 + 4j]


@pytest.mark.parametrize("kind", [*READ, *LOST])
def test_a_graph_is_read_whatever_the_tensors_are(kind):
    given = {**READ, **LOST}[kind][0]
    assert "return %" in str(rf.ir.graph(given))
