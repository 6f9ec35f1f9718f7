"""show.compare: an engine or a program beside another one, up to the first event in which they differ."""
