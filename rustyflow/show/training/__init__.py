"""show.training: a network that learns, step by step and layer by layer."""
