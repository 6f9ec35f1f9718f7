"""A type checker finds nothing wrong in a student's right program, and something in a wrong one."""

import pytest

RIGHT = """
import rustyflow as torch
import rustyflow.nn.functional as F
from rustyflow import Tensor, ir, nn, show

x = torch.tensor([[1.0, 2.0]], requires_grad=True)
w: Tensor = nn.Parameter(torch.randn(3, 2))

def model(t: torch.Tensor, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return (F.linear(t, w) @ torch.eye(3) + 1).to(dtype)

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2

@torch.no_grad()
def step(rate: float) -> None:
    for p in (w, x):
        p -= rate * p.grad

loss = F.mse_loss(Double.apply(model(x)).sum(1)[0], x.t()[0].mean())
loss.backward()
step(0.1)
shape: torch.Size = x.shape
torch.linalg.inv(torch.eye(2)), torch.autograd.functional.jacobian(F.relu, x), len(x), ~(x > 1), x.numpy()
show.strides(x), show.backward(loss), ir.trace(model, x)

net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.AdaptiveMaxPool1d(1))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
scheduler: torch.optim.lr_scheduler.LRScheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x), batch_size=2, shuffle=True)
for inputs, targets in loader:
    optimizer.zero_grad()
    nn.CrossEntropyLoss()(net(inputs), targets).backward()
    optimizer.step()
    scheduler.step()

q = torch.distributions.Normal(torch.zeros(3), 1.0)
print(q.rsample((4,)) * 2 - q.mean, torch.distributions.kl_divergence(q, q).sum(), torch.accelerator.is_available())
torch.set_default_device("cpu")
x.clone(memory_format=torch.contiguous_format)
"""
WRONG = RIGHT + """
show.broadcast(x, x, opp=1)
torch.optim.Adma
torch.optim.lr_scheduler.StepLR(optimizer, step=2)
F.crossentropy
F.linear(x, w, biass=w)
nn.init.normal_(w, sdt=2)
"""


def problems(program, tmp_path):
    api = pytest.importorskip("mypy.api", reason='mypy is missing: pip install -e ".[test]"')
    file = tmp_path / "program.py"
    file.write_text(program, encoding="utf-8")
    return api.run([str(file), f"--cache-dir={tmp_path}", "--no-error-summary"])[0]


def test_a_right_program_has_no_problems(tmp_path):
    assert problems(RIGHT, tmp_path) == ""
    found = problems(WRONG, tmp_path)
    assert all(f'Unexpected keyword argument "{name}"' in found for name in ("opp", "step", "biass", "sdt"))
    assert '"Adma"' in found and '"crossentropy"' in found
