"""The parts of figures: cells, grids, tapes, graphs, boxes, windows, panels, the line of a cell, the story."""
