"""Any operation cell by cell: its reads, equations and gradients, from numbers that know how they came about."""
