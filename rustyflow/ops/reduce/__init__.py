"""Ops along axes: what many cells give together, in which order they are, and where one is found."""
