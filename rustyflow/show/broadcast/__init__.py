"""Broadcasting: shapes aligned from the right, copies that are virtual, and gradients that are summed back."""
