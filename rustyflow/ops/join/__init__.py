"""Tensors put together: end to end, over and over, and in every combination."""
