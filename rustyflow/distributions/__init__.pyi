"""What type checkers and editors see; a test holds that these are the names."""
from . import constraints as constraints
from .bernoulli import Bernoulli as Bernoulli
from .categorical import Categorical as Categorical
from .distribution import Distribution as Distribution
from .kl import kl_divergence as kl_divergence, register_kl as register_kl
from .multinomial import Multinomial as Multinomial
from .normal import Normal as Normal
from .uniform import Uniform as Uniform
