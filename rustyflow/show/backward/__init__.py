"""Backward, event by event: boxes, panels, factors on arrows, and the provenance of a number."""
