"""Reverse-mode differentiation: the walk (`engine`), and what PyTorch's `torch.autograd` offers around it."""
from ..history import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .backward import backward, grad
from .engine import Step

__all__ = ["backward", "grad", "no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled", "Step"]
