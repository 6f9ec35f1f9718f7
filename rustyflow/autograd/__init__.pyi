"""What type checkers and editors see. Functions loaded when first named are known by their names only."""
from typing import Any

from . import functional as functional, graph as graph
from .step import Step as Step

class Function(Any): ...

def __getattr__(name: str) -> Any: ...
