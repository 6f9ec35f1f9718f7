"""What figures are built from: cells, grids, tapes, graphs, windows, the line that says a cell, the story."""
