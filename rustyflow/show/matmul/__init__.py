"""Products of matrices, their gradients, and shapes that do not meet."""
