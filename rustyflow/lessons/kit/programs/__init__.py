"""Small programs that lessons run and draw: graphs, traces, fits, an engine, and worlds in which a belief holds."""
