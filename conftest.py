"""Before any doctest, the package is imported as a program imports it: pytest would else make the inner ones twice."""

import rustyflow  # noqa: F401
