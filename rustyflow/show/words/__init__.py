"""The words of figures: the caller's own text, numbers, rules, the nodes of a program, events, sentences."""
