"""Reverse-mode differentiation: the walk (`engine`), and what PyTorch's `torch.autograd` offers around it."""
from . import functional
from ..history import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from .backward import backward, grad
from .engine import Step
from .function import Function
from .gradcheck import gradcheck, gradgradcheck
from .steps import backward_steps, own_order, provenance

__all__ = ["backward", "grad", "no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled", "Step", "Function", "functional",
           "gradcheck", "gradgradcheck", "backward_steps", "own_order", "provenance", "detect_anomaly", "set_detect_anomaly", "is_anomaly_enabled"]
