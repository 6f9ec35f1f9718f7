"""Calls of functions that figures make: an operation by name, with what it uses from outside, and nothing changed."""
