"""How an op is declared and run: `registry` makes functions of classes, `run` computes, `saved` keeps for gradients.

The ops themselves are in `rustyflow.ops`, each family with what it needs from here: `promotion` for the dtypes of its
operands, `inplace` for what it writes, `out` for the results that a caller brings.
"""
