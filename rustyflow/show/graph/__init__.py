"""The graph of a program, and the cards of its operations."""
