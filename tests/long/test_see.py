"""Lines of PyTorch's own: drawn with PyTorch's numbers, nothing of the reader's changed, failing ones with repairs."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

from rustyflow import see  # noqa: E402
from rustyflow.see.exhibit import exhibit  # noqa: E402
from rustyflow.see.failure import failure_of  # noqa: E402
from rustyflow.see.line import read  # noqa: E402
from rustyflow.see.run import run, tensors_in  # noqa: E402
from rustyflow.see.twins import Twins  # noqa: E402

from ..see.lines import FAILING, LINES, failed, names  # noqa: E402

SPACE = names(torch, nn, F)


def held(space):
    """All that a line could change: numbers, versions, gradients, the generator."""
    tensors = {name: x for name, x in space.items() if isinstance(x, torch.Tensor)}
    kept = {name: (x.tolist(), x._version, x.requires_grad, x.data_ptr()) for name, x in tensors.items()}
    return kept, torch.get_rng_state().tolist(), [p.grad for p in space["lin"].parameters()]


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_pytorch_is_drawn_with_its_numbers(line):
    before = held(SPACE)
    figure = see(line, SPACE)
    assert len(figure.frames) > 1 and "is not drawn" not in figure.state(0).sentence
    assert held(SPACE) == before
    twins = Twins(ours=True)
    twins.foreign = True
    ours = tensors_in(run(read(line), SPACE, twins).result)
    with torch.random.fork_rng():
        theirs = tensors_in(run(read(line), SPACE, Twins(ours=False)).result)
    assert len(ours) == len(theirs) > 0
    for mine, its in zip(ours, theirs):
        np.testing.assert_allclose(mine.detach().numpy(), its.detach().numpy(), 1e-4, 1e-5)
        if not line.startswith(("F.", "torch.", "lin", "loss")) and mine.ndim:
            assert mine.stride() == its.stride()


@pytest.mark.parametrize("line", FAILING)
def test_a_failing_line_of_pytorch_has_a_repair_that_runs(line):
    space = names(torch, nn, F)
    error = failed(line, space)
    before = held(space)
    figure = exhibit(error, seconds=20)
    assert len(figure.frames) > 1 and held(space) == before
    for sentence in figure.sentences[1:]:
        code, fresh = sentence.partition(" runs")[0], names(torch, nn, F)
        for statement in line.split("; ")[:-1]:
            if statement.split(".")[0] != code.split(" ")[0] or "=" in statement:
                exec(statement, fresh)
        exec(code, fresh)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 3), nn.LayerNorm(3), nn.ReLU())
        self.scale, self.calls = nn.Parameter(torch.full((3,), 2.0)), 0
        self.register_buffer("shift", torch.ones(3))

    def forward(self, x):
        self.calls += 1
        return self.body(x) * self.scale + self.shift


def test_a_readers_own_module_is_run_again_on_copies():
    net, x, log = Net(), torch.randn(5, 4), []
    net.register_forward_hook(lambda module, given, out: log.append(out))
    net.register_forward_pre_hook(lambda module, given: (given[0] * 2,))
    figure = see("net(x)")
    assert "makes (5, 3)" in figure.state(0).sentence and net.calls == 0 == len(log)
    twins = Twins(ours=True)
    again = run(read("net(x)"), {"net": net, "x": x}, twins)
    np.testing.assert_allclose(again.result.detach().numpy(), net(x).detach().numpy(), 1e-4, 1e-5)


@pytest.mark.parametrize("make", [
    lambda: nn.Conv2d(1, 2, 3, padding=1, stride=2), lambda: nn.BatchNorm1d(4), lambda: nn.GRU(3, 4),
    lambda: nn.LSTM(3, 4, 2, batch_first=True), lambda: nn.MultiheadAttention(4, 2, batch_first=True),
    lambda: nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval(), lambda: nn.Linear(3, 4, bias=False),
    lambda: nn.Embedding(5, 3), lambda: nn.Dropout(0.5), lambda: nn.Sequential(nn.Flatten(), nn.Linear(8, 2)),
])  # fmt: skip
def test_modules_of_pytorch_are_made_again_by_their_state(make):
    module = make()
    given = {nn.Conv2d: (1, 1, 5, 5), nn.BatchNorm1d: (3, 4), nn.GRU: (2, 3), nn.LSTM: (1, 2, 3), nn.Linear: (2, 3),
             nn.Dropout: (3, 4), nn.Sequential: (2, 2, 4)}.get(type(module), (1, 2, 4))  # fmt: skip
    x = torch.tensor([[0, 4]]) if isinstance(module, nn.Embedding) else torch.randn(*given)
    line = "module(x, x, x)" if isinstance(module, nn.MultiheadAttention) else "module(x)"
    state = {key: value.clone() for key, value in module.state_dict().items()}
    figure = see(line, {"module": module, "x": x})
    assert "is not drawn" not in figure.state(0).sentence and len(figure.frames) > 1
    assert all(torch.equal(value, state[key]) for key, value in module.state_dict().items())


@pytest.mark.parametrize("line, said", [
    ("torch.fft.fft(x)", "rustyflow leaves this out by design"), ("c * 2", "no complex dtypes"),
    ("next(iter(loader))", "DataLoader"), ("torch.compile(lambda t: t * 2)(x)", "by design"),
])
def test_what_cannot_be_run_again_says_which_name_and_is_drawn(line, said):
    x, c = torch.randn(4), torch.ones(2, dtype=torch.complex64)
    loader = DataLoader(TensorDataset(x), batch_size=2)
    figure = see(line, {"torch": torch, "x": x, "c": c, "loader": loader})
    assert said in figure.state(0).sentence and len(figure.frames) > 1


def test_devices_and_layouts_that_cannot_be_read_are_said():
    space = {"torch": torch, "meta": torch.zeros(3, 4, device="meta"), "sparse": torch.eye(3).to_sparse()}
    for line, said in (("meta + 1", "meta device"), ("meta.t()", "meta device"), ("sparse @ sparse", "no storage")):
        with pytest.raises((TypeError, ValueError), match=said):
            see(line, space)


class Faulty(TensorDataset):
    def __getitem__(self, k):
        return self.tensors[0][k + 2]


def test_an_error_in_a_worker_of_a_loader_has_no_picture_and_no_fault():
    loader = DataLoader(Faulty(torch.ones(3, 2)), num_workers=1)
    error = failed("for batch in loader: pass", {"loader": loader, "__name__": "__main__"})
    assert failure_of(error) is None and exhibit(error) is None


def test_an_error_inside_a_readers_forward_is_shown_where_it_is():
    class Wrong(nn.Module):
        def forward(self, x):
            return x @ x

    figure = exhibit(failed("model(x)", {"model": Wrong(), "x": torch.ones(2, 3), "__name__": "__main__"}), seconds=20)
    assert "x @ x raises RuntimeError" in figure.sentences[0] and "x @ x.T runs" in figure.sentences[1]
