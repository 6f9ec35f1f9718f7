"""Views: the same memory through another layout."""
