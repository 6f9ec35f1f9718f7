"""What type checkers see: these functions come from the op table."""
from typing import Any

def __getattr__(name: str) -> Any: ...
