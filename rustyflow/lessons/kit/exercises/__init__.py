"""Things to write: kinds of exercises, what they are tried on, and how they are handed in."""
