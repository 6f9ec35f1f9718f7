"""What type checkers and editors see; a test holds that these are the names."""
from . import data as data
