"""What lessons are made of: the kinds of check, what an answer comes to, what is said of it, a question's pictures."""
