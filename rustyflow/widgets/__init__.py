"""The same figures with Python in the loop: values that are changed by hand, and pictures that follow."""
