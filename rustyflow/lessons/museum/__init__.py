"""The museum of lesson 21: engines that are broken in one place, as real ones were.

`broken.py` has fifteen engines that differ in one place from the one in `rustyflow.lessons.engine`; `exhibits.py`
has the smallest program on which each goes wrong, with what it says there and what is true; `guests.py` has six faults
that are no engine's, as pairs of programs.
"""
