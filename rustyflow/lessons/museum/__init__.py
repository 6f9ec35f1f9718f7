"""The museum of lesson 21: engines that are broken in one place, as real ones were.

`engine.py` is the one that is right, and shows how to write one; `broken.py` has fifteen that are not; `exhibits.py`
has the smallest program on which each goes wrong, with what it says there and what is true; `guests.py` has six faults
that are no engine's, as pairs of programs.
"""
