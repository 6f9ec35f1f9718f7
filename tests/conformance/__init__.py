"""rustyflow measured against PyTorch: the same calls under both, compared value by value.

`python -m tests.conformance.run` prints the table; `specs/` lists what is called, one line per name.
"""
