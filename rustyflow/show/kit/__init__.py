"""What figures are built from: cells, grids, tapes, graphs, boxes, windows, panels, the line of a cell, the story."""
