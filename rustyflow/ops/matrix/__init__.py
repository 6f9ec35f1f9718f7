"""Matrices: their products, norms, parts and factors, and equations solved by them."""
