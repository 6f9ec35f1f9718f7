"""What type checkers and editors see."""
from .. import Tensor
from . import functional as functional

class Parameter(Tensor): ...
