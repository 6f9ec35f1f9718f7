"""rustyflow measured against PyTorch: the same calls under both, compared value by value.

`python -m tests.conformance.run` prints the table; `specs/` lists what is called, one line per name. `save` and `load`
are not in it, since the files differ by design.

What is left unequal on purpose, and counted as such:
- the gradient of `det` at a singular matrix is its adjugate; PyTorch gives zeros;
- `kron` and `take_along_dim` take operands of any strides, and `group_norm` differentiates with a bias alone; PyTorch
  raises;
- `inner` and `tensordot` of bools are refused always; PyTorch computes some of them, by their strides;
- an index that lies outside is refused although nothing is read or written there (`index_add` into an empty tensor);
- what is no tensor is refused by a TypeError that is an AttributeError too; PyTorch's functions in Python raise the
  latter alone (counted as unequal: of the errors of `dropout1d` to `dropout3d` that is a third and more);
- `addmv` of an empty matrix has the shape of the product; a new empty array gives a tensor row-major strides.
Calls with a wrong argument are compared by `python -m tests.conformance.spoiled`.
Graphs are compared by `python -m tests.conformance.graphs`; those left unequal are named in `graphs.APART`.
Writes whose outcome depends on the order of writing are refused, and counted by themselves: `judge.refused_by_design`.
"""
