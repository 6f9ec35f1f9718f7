"""An answer on its way: it runs, is judged by its value and its source, is told, counted and kept."""
