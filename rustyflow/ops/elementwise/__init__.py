"""Ops that compute each cell from the cells in its place, and the dtype that it has."""
