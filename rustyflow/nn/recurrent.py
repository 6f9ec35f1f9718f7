"""Recurrent layers: a state that goes from step to step."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError, warn
from ..errors.foreign import kind_of
from ..ops.creation import empty, zeros
from ..ops.join.cat import cat, stack
from ..ops.views.split import gates
from ..tensor import Tensor
from . import functional as F, init
from .module import Module
from .parameter import Parameter

State = tuple[Tensor, ...]


def _rnn(x: Tensor, state: State, w: tuple, act: Any) -> State:
    """h' = act(W x + b + U h + c)"""
    return (act(F.linear(x, w[0], w[2]) + F.linear(state[0], w[1], w[3])),)


def _lstm(x: Tensor, state: State, w: tuple, act: Any) -> State:
    """c' = f c + i g, h' = o tanh(c'), with gates i, f, o and candidates g"""
    h, c = state
    i, f, g, o = gates(F.linear(x, w[0], w[2]) + F.linear(h, w[1], w[3]), 4)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def _gru(x: Tensor, state: State, w: tuple, act: Any) -> State:
    """h' = (1 - z) n + z h, n = tanh(W x + r (U h)), with gates r and z"""
    (h,) = state
    (xr, xz, xn), (hr, hz, hn) = gates(F.linear(x, w[0], w[2]), 3), gates(F.linear(h, w[1], w[3]), 3)
    z, n = (xz + hz).sigmoid(), (xn + (xr + hr).sigmoid() * hn).tanh()
    return ((h - n) * z + n,)


class _Recurrent(Module):
    """The parts that recurrent layers share: the weights of each layer and direction, and the loop."""

    step, gates, states = staticmethod(_rnn), 1, 1
    act = None
    _other_nodes = True  # than PyTorch's: it has one for a whole LSTM, and cuts the steps of the others once

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            rule = "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            raise ArgumentValueError(f"dropout={dropout}", rule, "dropout=0.1")
        if dropout and num_layers == 1:
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers=1"
            )
        if num_layers < 1 or hidden_size < 1 or input_size < 1:
            raise ArgumentValueError(
                f"input_size={input_size}, hidden_size={hidden_size}, num_layers={num_layers}",
                "hidden_size and num_layers must be greater than zero",
                "1 or more",
            )
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout, self.bidirectional = bias, batch_first, dropout, bidirectional
        rows, ways = self.gates * hidden_size, 2 if bidirectional else 1
        for name in self._names():
            layer = int(name.partition("_l")[2].partition("_")[0])
            columns = input_size if layer == 0 else ways * hidden_size
            shape = (rows,) if name[0] == "b" else (rows, columns if "_ih" in name else hidden_size)
            self.register_parameter(name, Parameter(empty(*shape, device=device, dtype=dtype)))
        self.reset_parameters()

    def _names(self) -> list[str]:
        kinds = ["weight_ih", "weight_hh"] + ["bias_ih", "bias_hh"] * self.bias
        ways = ["", "_reverse"] if self.bidirectional else [""]
        return [f"{kind}_l{layer}{way}" for layer in range(self.num_layers) for way in ways for kind in kinds]

    def reset_parameters(self) -> None:
        """Draw the weights again: uniform, within 1 / sqrt(hidden_size)."""
        bound = 1 / sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _weights(self, layer: int, way: str) -> tuple:
        kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        return tuple(getattr(self, f"{kind}_l{layer}{way}") if self.bias or kind[0] == "w" else None for kind in kinds)

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Any]:
        self._need_input(input)
        batched = input.dim() == 3
        x = input.unsqueeze(1) if not batched else input.transpose(0, 1) if self.batch_first else input
        begin = self._begin(x, hx, batched)
        ends: list[State] = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = F.dropout(x, self.dropout, self.training)
            x = self._layer(x, layer, begin, ends)
        state = tuple(stack(part) if batched else stack(part).squeeze(1) for part in zip(*ends, strict=True))
        out = x.squeeze(1) if not batched else x.transpose(0, 1) if self.batch_first else x
        return out, state if self.states > 1 else state[0]

    def _layer(self, x: Tensor, layer: int, begin: State, ends: list[State]) -> Tensor:
        """All steps of one layer, forward and, where asked for, backward in time."""
        ways = ("", "_reverse") if self.bidirectional else ("",)
        outs = []
        for way in ways:
            state = tuple(part[layer * len(ways) + len(outs)] for part in begin)
            steps, weights = [], self._weights(layer, way)
            for now in reversed(x.unbind(0)) if way else x.unbind(0):
                state = self.step(now, state, weights, self.act)
                steps.append(state[0])
            ends.append(state)
            outs.append(stack(steps[::-1] if way else steps))
        return outs[0] if len(outs) == 1 else cat(outs, -1)

    def _begin(self, x: Tensor, hx: Any, batched: bool) -> State:
        shape = (self.num_layers * (2 if self.bidirectional else 1), x.shape[1], self.hidden_size)
        if hx is None:
            return (zeros(shape, dtype=x.dtype),) * self.states
        given = _given(hx, self.states, shape if batched else (shape[0], shape[2]))
        return given if batched else tuple(part.unsqueeze(1) for part in given)

    def _need_input(self, x: Any) -> None:
        _need_fit(self, x, (2, 3), "(L, input_size), or (L, N, input_size)")
        kind = next(self.parameters()).dtype
        if x.dtype is not kind:
            rule = f"the input has the dtype of the weights, {kind!r}"
            raise ArgumentValueError(f"an input of {x.dtype!r}", rule, f"x.to({kind!r}), or layer.to(x.dtype)")

    def flatten_parameters(self) -> None:
        """Nothing: the weights lie as they are, for PyTorch's programs call this."""

    def extra_repr(self) -> str:
        said = f"{self.input_size}, {self.hidden_size}"
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        return said + "".join(
            f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value
        )


def _need_fit(layer: Module, x: Any, ranks: tuple[int, int], fix: str) -> None:
    """Refuse what no step can take: no tensor, other axes, another size at the end."""
    if not isinstance(x, Tensor):
        raise ArgumentTypeError(kind_of(x), "an input is a tensor", "rustyflow.tensor(...)", value=x)
    was = f"an input of shape {tuple(x.shape)}"
    if x.dim() not in ranks:
        said = " or ".join(f"{rank}D" for rank in ranks)
        rule = f"{type(layer).__name__}: Expected input to be {said}, got {x.dim()}D instead"
        raise ArgumentValueError(was, rule, fix)
    if x.shape[-1] != layer.input_size:
        rule = f"input.size(-1) must be equal to input_size. Expected {layer.input_size}, got {x.shape[-1]}"
        raise ShapeError(was, rule, f"an input that ends in {layer.input_size}")


def _given(hx: Any, states: int, shape: tuple[int, ...]) -> State:
    """The state that a call was given: one tensor or a pair, of the shape that is due."""
    given = (hx,) if states == 1 else hx if isinstance(hx, (tuple, list)) and len(hx) == states else (None,)
    if not all(isinstance(part, Tensor) for part in given):
        rule = "the state is a pair (h, c)" if states > 1 else "the state is one tensor"
        raise ArgumentTypeError(f"hx of type {kind_of(hx)}", rule, "hx=None for zeros", value=hx)
    for part in given:
        if tuple(part.shape) != shape:
            rule = f"Expected hidden size {shape}, got {list(part.shape)}"
            raise ShapeError(f"a hidden state of shape {tuple(part.shape)}", rule, f"zeros{shape}")
    return tuple(given)


class RNN(_Recurrent):
    """The state of each step is tanh (or relu) of the input and of the state before.

    Shapes:
        input (L, N, input_size), or (N, L, ...) with batch_first, or without N; hx (layers * directions, N,
        hidden_size); returns the states of the last layer (L, N, directions * hidden_size), and the last states,
        shaped as hx.

    Raises:
        ValueError: a nonlinearity that is neither 'tanh' nor 'relu'. ShapeError (a RuntimeError): other shapes.
    Differs from PyTorch: without packed sequences.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.RNN.html; Elman (1990)

    Example:
        >>> import rustyflow as rf
        >>> out, h = rf.nn.RNN(3, 4)(rf.ones(5, 2, 3))
        >>> out.shape, h.shape
        (rustyflow.Size([5, 2, 4]), rustyflow.Size([1, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype)
        self.nonlinearity, self.act = nonlinearity, _act(nonlinearity)


class LSTM(_Recurrent):
    """A state with a memory, which gates keep, write and show.

    Shapes:
        those of RNN, with a pair (h, c) for the state.

    Raises:
        ShapeError (a RuntimeError): other shapes.
    Differs from PyTorch: without packed sequences and proj_size.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.LSTM.html; Hochreiter and Schmidhuber (1997)

    Example:
        >>> import rustyflow as rf
        >>> out, (h, c) = rf.nn.LSTM(3, 4, num_layers=2)(rf.ones(5, 2, 3))
        >>> out.shape, c.shape
        (rustyflow.Size([5, 2, 4]), rustyflow.Size([2, 2, 4]))
    """

    step, gates, states = staticmethod(_lstm), 4, 2


class GRU(_Recurrent):
    """A state that gates keep or replace.

    Shapes:
        those of RNN.

    Raises:
        ShapeError (a RuntimeError): other shapes.
    Differs from PyTorch: without packed sequences.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.GRU.html; Cho et al. (2014)

    Example:
        >>> import rustyflow as rf
        >>> out, h = rf.nn.GRU(3, 4, bidirectional=True)(rf.ones(5, 2, 3))
        >>> out.shape, h.shape
        (rustyflow.Size([5, 2, 8]), rustyflow.Size([2, 2, 4]))
    """

    step, gates = staticmethod(_gru), 3


def _act(name: str) -> Any:
    if name not in ("tanh", "relu"):
        raise ArgumentValueError(
            f"nonlinearity={name!r}",
            f"Unknown nonlinearity '{name}'. Select from 'tanh' or 'relu'.",
            "nonlinearity='tanh'",
        )
    return getattr(F, name)


class _Cell(Module):
    """One step of a recurrent layer."""

    step, gates, states, act = staticmethod(_rnn), 1, 1, None

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows, made = self.gates * hidden_size, {"device": device, "dtype": dtype}
        self.weight_ih, self.weight_hh = (Parameter(empty(rows, n, **made)) for n in (input_size, hidden_size))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(rows, **made)) if bias else None)
        bound = 1 / sqrt(hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        _need_fit(self, input, (1, 2), "x[t]: one step, of shape (input_size,) or (N, input_size)")
        shape = (*input.shape[:-1], self.hidden_size)
        state = (zeros(shape, dtype=input.dtype),) * self.states if hx is None else _given(hx, self.states, shape)
        made = self.step(input, state, (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh), self.act)
        return made if self.states > 1 else made[0]

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(_Cell):
    """One step of an RNN: the next state.

    Shapes:
        input (N, input_size) or (input_size,); hx (N, hidden_size); the next state the same.

    Raises:
        ValueError: an input of three axes or more. ShapeError (a RuntimeError): one that does not end in input_size.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.RNNCell.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.RNNCell(3, 4)(rf.ones(2, 3)).shape
        rustyflow.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity, self.act = nonlinearity, _act(nonlinearity)


class LSTMCell(_Cell):
    """One step of an LSTM: the next state and memory.

    Shapes:
        input (N, input_size) or (input_size,); hx a pair of (N, hidden_size); the next pair the same.

    Raises:
        ValueError: an input of three axes or more. ShapeError (a RuntimeError): one that does not end in input_size.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html

    Example:
        >>> import rustyflow as rf
        >>> h, c = rf.nn.LSTMCell(3, 4)(rf.ones(2, 3))
        >>> h.shape, c.shape
        (rustyflow.Size([2, 4]), rustyflow.Size([2, 4]))
    """

    step, gates, states = staticmethod(_lstm), 4, 2


class GRUCell(_Cell):
    """One step of a GRU: the next state.

    Shapes:
        input (N, input_size) or (input_size,); hx (N, hidden_size); the next state the same.

    Raises:
        ValueError: an input of three axes or more. ShapeError (a RuntimeError): one that does not end in input_size.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.GRUCell.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.GRUCell(3, 4)(rf.ones(2, 3)).shape
        rustyflow.Size([2, 4])
    """

    step, gates = staticmethod(_gru), 3
