"""Modules of PyTorch's that are not here, for programs that import them at their top and ask them later.

The import works, and so does taking a name from one; what is done with that name says why it is not here.
"""
from __future__ import annotations

from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..errors import AbsentError, AbsentName

OF_DISTRIBUTIONS = " ".join([f"distributions.{each}" for each in """beta binomial cauchy chi2 constraint_registry
    continuous_bernoulli dirichlet exp_family exponential fishersnedecor gamma generalized_pareto geometric gumbel
    half_cauchy half_normal independent inverse_gamma kumaraswamy laplace lkj_cholesky log_normal logistic_normal
    lowrank_multivariate_normal mixture_same_family multivariate_normal negative_binomial one_hot_categorical pareto
    poisson relaxed_bernoulli relaxed_categorical studentT transformed_distribution utils von_mises weibull
    wishart""".split()])
"""A module for each distribution that is not here, by its whole name: `binomial` alone is a function of PyTorch's."""

LEFT_OUT = """amp ao autograd.forward_ad autograd.profiler backends.cuda backends.mkldnn compiler cpu cuda.amp cuda.comm
cuda.graphs cuda.memory cuda.nccl cuda.nvtx cuda.profiler cuda.streams distributed distributions.transforms export fft
func futures fx hub jit library monitor mps mtia multiprocessing nested nn.attention nn.intrinsic nn.parallel nn.qat
nn.quantizable nn.quantized nn.utils.fusion nn.utils.parametrizations nn.utils.parametrize nn.utils.prune nn.utils.rnn
nn.utils.spectral_norm nn.utils.stateless nn.utils.weight_norm onnx optim.swa_utils overrides package profiler
quantization sparse special testing utils.benchmark utils.checkpoint utils.cpp_extension utils.data.distributed
utils.dlpack utils.mobile_optimizer utils.model_zoo utils.tensorboard xpu""".split() + OF_DISTRIBUTIONS.split()
"""Their names, without the modules inside them, which are left out with them."""

ANSWERS = {"distributed.is_available": False, "distributed.is_initialized": False}
"""What is asked of such a module before it is used, and the answer."""


class Unused:
    """A name taken from a module that is left out: it may be imported, kept and passed on.

    Called, entered, subclassed, subscripted or asked for something, it says why it is not here.

    Raises:
        AbsentError (a NotImplementedError), for its attributes an AbsentName (an AttributeError): it is used.
    """

    def __init__(self, called: str, rule: str, fix: str):
        self.__dict__.update(__name__=called.rpartition(".")[2], _called=called, _rule=rule, _fix=fix)

    def __repr__(self):
        return f"<{self._called}, which rustyflow leaves out>"

    def _refuse(self, how: str, error: type[AbsentError] = AbsentError):
        raise error(f"{self._called}{how}", self._rule, self._fix)

    def __getattr__(self, name):
        if name.startswith("_"):  # Python's own questions, and notebooks'
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        self._refuse(f".{name}", AbsentName)

    def __setattr__(self, name, value):
        self._refuse(f".{name} = {value!r:.40}", AbsentName)

    def __call__(self, *args, **kwargs):
        self._refuse("(...)")

    def __getitem__(self, key):
        self._refuse(f"[{key!r:.40}]")

    def __iter__(self):
        self._refuse(", in a loop")

    def __enter__(self):
        self._refuse(", in a with")

    def __exit__(self, *exc):
        return None

    def __mro_entries__(self, bases):
        self._refuse(", as a base class")

    def __instancecheck__(self, x):
        return False

    __subclasscheck__ = __instancecheck__

    def __or__(self, other):  # in the annotation of a parameter
        return self

    __ror__ = __or__

    def __reduce__(self):
        return Unused, (self._called, self._rule, self._fix)


class LeftOut(ModuleType):
    """A module that is left out; whatever public name is taken from it is an `Unused`."""

    def __init__(self, name: str, absent: AbsentError):
        super().__init__(name, f"PyTorch's {name.partition('.')[2]}, which is not here: {absent.rule}. Instead: "
                               f"{absent.fix}.")
        self.__path__: list[str] = []
        self._absent = absent

    def __repr__(self):
        return f"<module {self.__name__!r}, which rustyflow leaves out>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        called = f"{self.__name__}.{name}"
        if (asked := called.partition(".")[2]) in ANSWERS:
            return lambda *args, **kwargs: ANSWERS[asked]
        return Unused(called, self._absent.rule, self._absent.fix)


class Loader:
    """The loader of a module that is left out, or of one that is ours under another name."""

    def __init__(self, made: ModuleType):
        self.made, self.spec = made, made.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module: of ours the one that is loaded, or loaded now."""
        return self.made

    def exec_module(self, module: ModuleType) -> None:
        """Leave a module of ours its own name."""
        if self.spec is not None:
            module.__spec__ = self.spec


def left_out(name: str, absent: AbsentError) -> ModuleSpec:
    """Returns the spec of a module that is left out, or of one inside it.

    Example:
        >>> import rustyflow.multiprocessing as mp
        >>> mp.set_start_method
        <rustyflow.multiprocessing.set_start_method, which rustyflow leaves out>
    """
    return ModuleSpec(name, Loader(LeftOut(name, absent)), is_package=True)


def same(name: str, ours: ModuleType) -> ModuleSpec:
    """Returns the spec of a module of ours under another name.

    Example:
        >>> import rustyflow.accelerator
        >>> rustyflow.accelerator.is_available()
        False
    """
    return ModuleSpec(name, Loader(ours))
