"""What figures say: the caller's own words, numbers, rules, sentences."""
