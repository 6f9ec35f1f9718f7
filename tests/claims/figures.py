"""Some 250 figures by name, the kind first: functions that make a figure, or several scenes of one by their names."""

from . import cells, curves, played, programs

FIGURES = cells.FIGURES | curves.FIGURES | programs.FIGURES | played.FIGURES
