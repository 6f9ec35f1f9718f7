"""A type checker finds nothing wrong in a student's right program, and something in a wrong one."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import rustyflow

ROOT = Path(rustyflow.__file__).parent
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
"""
WRONG = RIGHT + "show.broadcast(x, x, opp=1)\n"


def problems(program, tmp_path):
    api = pytest.importorskip("mypy.api", reason='mypy is missing: pip install -e ".[test]"')
    file = tmp_path / "program.py"
    file.write_text(program, encoding="utf-8")
    return api.run([str(file), f"--cache-dir={tmp_path}", "--no-error-summary"])[0]


def test_a_right_program_has_no_problems(tmp_path):
    assert problems(RIGHT, tmp_path) == ""
    assert 'Unexpected keyword argument "opp"' in problems(WRONG, tmp_path)


@pytest.mark.parametrize("stub", [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.pyi")])
def test_stubs_name_what_is_there(stub):
    module = import_module(".".join(["rustyflow", *Path(stub).with_suffix("").parts]).removesuffix(".__init__"))
    named = set()
    for node in ast.parse((ROOT / stub).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            named |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            named |= {node.name} - {"__getattr__"}
    assert not [name for name in named if not hasattr(module, name)]
