"""show.training: a loop over batches that is watched, with all that was seen of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from math import inf, isfinite, nan
from time import monotonic
from typing import Any, NamedTuple
from weakref import ref

from ...errors import ArgumentTypeError, ArgumentValueError, StateError, TensorError
from ...errors.foreign import is_torch
from ...scene import Figure
from ...tensor.storage import tick
from ..words.given import titled
from . import theirs
from .asked import CHOICES, answer
from .kept import FIGURES, IN_FILE, Keeping, again, names_of, taken
from .live import SOON, Live
from .picture import drawn, text_of
from .seen import OF_MODELS, as_it_was
from .watch import Watcher, layers_of

QUICK, SPARSE = 0.010, 4
"""A step that takes fewer seconds is measured one time in so many, that looking costs little."""

MOST = 2048
"""So many measured steps are kept; beyond, every second one is let go, and half as many are measured."""

TRIED = 3
"""The first steps, which are measured while the time of a step is found."""


OF_OURS = "g", "m"
"""The keys of figures that are drawn of our graphs alone."""


class Measured(NamedTuple):
    """A step, and the numbers of each kind, one for each layer."""

    step: int
    rows: dict[str, list[float]]


class Loop:
    """A way through the batches of a run, which ends where another one begins: that it goes on is refused."""

    def __init__(self, steps: Generator[Any, None, None]):
        self._steps, self._left = steps, False

    def __iter__(self) -> Loop:
        return self

    def __next__(self) -> Any:
        if self._left:
            raise StateError("a loop over a run within another loop over it", "a run watches one loop at a time",
                             "for x, y in loader: ... inside, or a show.training of its own")  # fmt: skip
        return next(self._steps)

    def leave(self) -> None:
        """Closes it, for another one begins."""
        self._left = self._steps.gi_frame is not None
        self.close()

    def close(self) -> None:
        """Ends it, as a loop that is broken off."""
        self._steps.close()


class Run:
    """A loop that is watched; iterated again, as in each epoch, it goes on.

    Attributes:
        losses: the number that backward was called on in each step, the last one of several, nan of a step without.
        valid: pairs of a step and a loss that was validated after it. layers: the names of those with parameters.
        measured: the steps whose layers were measured. silent: those in which nothing called backward.
    """

    def __init__(
        self, loader: Iterable, model: Any, every: int | None, title: str, live: bool, predict: bool = False
    ):  # fmt: skip
        self.predict, self.guessed = predict, ""
        self.loader, self.title, self.every = loader, title, every
        self.losses: list[float] = []
        self.valid: list[tuple[int, float]] = []
        self.measured: list[Measured] = []
        self.several = 0
        self.silent: set[int] = set()
        self.model = model
        self._keeping = Keeping(sum(p.numel() * p.element_size() for p in model.parameters()))
        self._batch, self._since, self._taken = None, 0, None
        self._opened: dict[tuple[str, int], Figure] = {}
        self._watcher = Watcher(model, self._began)
        self._theirs = is_torch(next(model.parameters()))
        self._noted = theirs.notebook() if self._theirs else None
        self._open, self._spent, self._live = None, 0.0, Live(self, live)
        self.layers = tuple(layer.name or "model" for layer in self._watcher.layers)

    def __len__(self) -> int:
        return len(self.loader)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        if (before := self._open and self._open()) is not None:
            before.leave()  # of a loop that was broken off by an error, which still holds it
        loop = Loop(self._steps())
        self._open = ref(loop)
        return loop

    def _steps(self) -> Generator[Any, None, None]:
        live = self._live
        noted = self._noted
        try:
            with self._watcher.watching():
                for batch in self.loader:
                    begun = monotonic()
                    self._batch, self._since, self._taken = batch, tick(), None
                    measures = self._measures()
                    keeps = measures and self._keeping.on
                    self._watcher.begin(measures, keeps)
                    if noted and keeps:
                        noted.begin()
                    try:
                        yield batch
                    except GeneratorExit:  # broken off: a step that came to its backward counts
                        if self._watcher.losses:
                            self._took(monotonic() - begun)
                        raise
                    finally:
                        if noted:
                            noted.end()  # of a step without backward
                    self._took(monotonic() - begun)
                    live.step()
        finally:
            self._batch = self._taken = None
            live.end()

    def _measures(self) -> bool:
        step = len(self.losses)
        if self.every is None and step >= TRIED:
            self.every = SPARSE if self._spent / step < QUICK else 1
        return step % (self.every or 1) == 0 or step in self._keeping.wanted

    def _began(self, tensors: Sequence[Any]) -> None:
        if self._keeping.on and len(tensors) == 1:
            step, weights = len(self.losses), self._watcher.weights
            if self._noted:
                self._taken = theirs.taken(step, tensors[0], weights, self._noted, names_of(self._batch))
            else:
                self._taken = taken(step, tensors[0], weights, self._batch, self._since)

    def _took(self, seconds: float) -> None:
        self._spent += seconds
        losses, rows = self._watcher.losses, self._watcher.end()
        self.several = max(self.several, len(losses))
        if rows is not None and losses:
            self.measured.append(Measured(len(self.losses), rows))
            if self._taken is not None:
                self._keeping.add(self._taken)
        if len(self.measured) > MOST:
            kept = self._keeping.steps()
            self.measured = [m for n, m in enumerate(self.measured) if n % 2 == 0 or m.step in kept]
            self.every = 2 * (self.every or 1)
        if not losses:
            self.silent.add(len(self.losses))
        self.losses.append(losses[-1] if losses else nan)

    def validated(self, loss: Any) -> None:
        """Keeps a loss of other data than was learned from, as of now."""
        self.valid.append((len(self.losses) - 1, float(loss)))

    def pin(self, *steps: int) -> None:
        """Keeps steps to come, by number, besides the first, the worst and the last of those that are measured.

        What is kept of a step, its batch and its weights, opens the graph of its loss in the figure, and its backward.

        Raises:
            ValueError: a step that is over, or more than 13 of them, fewer of a model of more than 16 MB.
        """
        self._keeping.want(steps, len(self.losses))

    @property
    def kept(self) -> tuple[int, ...]:
        """The steps that are kept, by number: at most 16."""
        return tuple(sorted(self._keeping.steps()))

    def at(self, step: int, key: str = "o") -> Figure:
        """The figure of a kept step's loss: its graph; with `key="g"` its backward, with "m" the bytes that it keeps.

        With "w" the weights of then, with "p" what the model says of two inputs or of small pictures.

        Raises:
            ValueError: a step that is not kept, or that cannot be computed once more.
        """
        kept = self._keeping.steps()
        if step not in kept or key not in self.figures:
            there = ", ".join(map(str, sorted(kept))) or "none"
            rule = f"kept are steps {there}, and each opens by {' and '.join(self.figures)}"
            raise ArgumentValueError(f"step {step!r:.40}, key {key!r:.40}", rule, "run.pin(10) before step 10")
        if (key, step) not in self._opened:
            self._opened = {at: figure for at, figure in self._opened.items() if at[1] in kept}
            self._opened[key, step] = self._drawn(kept[step], key)
        return self._opened[key, step]

    def _drawn(self, kept: Any, key: str) -> Figure:
        """The figure of a kept step; what is raised on the way is said in one error of ours."""
        label, draws = FIGURES[key]
        try:
            if key in OF_MODELS:
                what, names = as_it_was(self.model, kept.weights), kept.names
            else:
                what, names = (theirs.again if self._theirs else again)(kept, self.model)
            return draws(what, names=names, title=f"{self.title}: {label} of step {kept.number:,}")
        except Exception as error:
            if isinstance(error, TensorError):
                raise
            said = f"it cannot be run once more: {type(error).__name__}: {str(error).partition(chr(10))[0]:.120}"
            raise ArgumentValueError(f"step {kept.number}", said, "run.at of another step") from error

    @property
    def figures(self) -> dict[str, tuple[str, Callable[..., Figure]]]:
        """The figures that open from a kept step, by key; of PyTorch's neither its backward nor its bytes."""
        return {key: figure for key, figure in FIGURES.items() if not self._theirs or key not in OF_OURS}

    def in_file(self) -> Iterator[int]:
        """The kept steps whose figures a file takes along."""
        yield from [*self._keeping.steps()][:IN_FILE]

    @property
    def asks(self) -> bool:
        """True if the strip waits for a guess, and there is something to guess."""
        return self.predict and not self.guessed and bool(self.measured) and answer(self) != ""

    def guess(self, letter: str) -> Figure:
        """Takes a guess, of a run with `predict=True`, and gives the figure with its strip.

        Raises:
            ValueError: none of the choices.
        """
        if letter not in CHOICES:
            raise ArgumentValueError(f"guess({letter!r:.40})", f"a guess is one of {', '.join(CHOICES)}", 'guess("A")')
        self.guessed = letter
        return self.figure()

    @property
    def worst(self) -> int:
        """The step of the greatest loss, or of the first that is no number."""
        infinite = [k for k, loss in enumerate(self.losses) if not isfinite(loss)]
        return infinite[0] if infinite else max(range(len(self.losses)), key=self.losses.__getitem__, default=0)

    def figure(self, seconds: float = inf) -> Figure:
        """The run so far as a figure, alive without a kernel.

        Args:
            seconds: the time after which it takes no more figures of kept steps along; Python makes these when they
                are asked for.

        Raises:
            ValueError: no step was seen.
        """
        if not self.losses:
            raise ArgumentValueError("a run of 0 steps", "a step is seen when its batch was taken and learned from",
                                     "for x, y in run: ...")  # fmt: skip
        return drawn(self, seconds)

    def plot(self, ax: Any = None) -> Any:
        """Draws the losses with matplotlib, on given axes or on new ones, which it returns."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        ax.plot(self.losses, label="loss")
        if self.valid:
            ax.plot(*zip(*self.valid, strict=True), label="validation")
            ax.legend()
        ax.set_xlabel("step")
        ax.set_ylabel("loss")
        return ax

    def save(self, path: Any) -> Any:
        """Writes the figure of the run to a file, as `Figure.save` does."""
        return self.figure().save(path)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self.figure(SOON).bundle() | {"text/plain": repr(self)} if self.losses else {"text/plain": repr(self)}

    def __repr__(self) -> str:
        return text_of(self) if self.losses else f"{self.title}: no step yet"


def training(
    loader: Iterable, model: Any, *, every: int | None = None, live: bool = True, predict: bool = False,
    title: str | None = None,
) -> Run:  # fmt: skip
    """Watches a model learn: iterated in the place of the loader, it gives the same batches and sees each step.

    The loss is what `backward()` was called on. Of each layer it measures the norm of the gradient, the size of what it
    gives, how much its parameters change, and how many of its units an example turns on. It draws that at the end, and
    while it runs; nothing of the model is changed, and no gradient is kept.

    The first step, the worst and the last of those that are measured are kept, and those that `run.pin` names: each
    with its batch and weights, so that in the figure the graph of its loss opens, its backward down to the cells, and
    the bytes that it keeps for backward. A file takes those of four along; the others need Python. Of a step of
    PyTorch's the graph opens, the weights and the predictions; one is not kept that calls backward several times, or
    draws from a generator of its own.

    Args:
        loader: batches: a DataLoader, a list, anything that can be iterated.
        model: a module of ours or of PyTorch's.
        every: measure the layers at each step whose number it divides; default: at each, or at every fourth where a
            step takes less than 10 ms.
        live: draw it while it runs and at its end, in static mode only when the cell is done; otherwise only where it
            is asked for, as the last line of a cell.
        predict: hide what the strip says until it is guessed: what does the gradient do on its way to the input?
        title: the title; default: the model's class and its number of parameters.

    Raises:
        TypeError: what cannot be iterated; no module. ValueError: every less than 1; a model without parameters.

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow import nn, show
        >>> x, y = rf.utils.data.sets.moons(64)
        >>> model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
        >>> optimizer = rf.optim.SGD(model.parameters(), lr=0.5)
        >>> run = show.training(rf.utils.data.DataLoader(rf.utils.data.TensorDataset(x, y), 16), model)
        >>> for epoch in range(5):
        ...     for xb, yb in run:
        ...         loss = nn.functional.cross_entropy(model(xb), yb)
        ...         optimizer.zero_grad()
        ...         loss.backward()
        ...         optimizer.step()
        >>> len(run.losses), run.layers, run.losses[-1] < run.losses[0]
        (20, ('0', '2'), True)
    """
    if not isinstance(loader, Iterable):
        raise ArgumentTypeError(f"loader={loader!r:.60}", "a loader gives batches", "show.training([(x, y)], model)")
    if not hasattr(model, "named_modules"):
        raise ArgumentTypeError(f"model={model!r:.60}", "a model is a module, whose layers are watched",
                                "show.training(loader, model)", value=model)  # fmt: skip
    if every is not None and (type(every) is not int or every < 1):
        raise ArgumentValueError(f"every={every!r:.40}", "every is a whole number from 1 on", "every=4")
    if not layers_of(model):
        raise ArgumentValueError(f"a {type(model).__name__} without parameters that ask for a gradient",
                                 "layers are what has some", "nn.Linear(2, 1)")  # fmt: skip
    weights = sum(p.numel() for p in model.parameters())
    title = titled(title) or f"{type(model).__name__}, {weights:,} weights"
    return Run(loader, model, every, title, live, bool(predict))

