"""Probability distributions: what is drawn from one, how likely it was, and gradients through both.

Source: https://pytorch.org/docs/stable/distributions.html
"""
from ..arguments.explain import teach_making as _teach_making
from ..errors import missing as _missing
from . import constraints
from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .kl import kl_divergence, register_kl
from .multinomial import Multinomial
from .normal import Normal
from .uniform import Uniform

__all__ = ["Bernoulli", "Categorical", "Distribution", "Multinomial", "Normal", "Uniform", "constraints",
           "kl_divergence", "register_kl"]
_teach_making(globals(), __all__)


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__
