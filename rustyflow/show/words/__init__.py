"""What figures say: the caller's own words, numbers, rules, the nodes of a program, events, sentences."""
