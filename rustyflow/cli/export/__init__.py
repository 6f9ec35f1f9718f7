"""A notebook as one HTML page that is alive without a kernel and without a network."""

from .execution import NoKernelError, executed
from .notebook import read
from .page import Page, is_page_of, offline_page

__all__ = ["NoKernelError", "Page", "executed", "is_page_of", "offline_page", "read"]
