"""The parts of lessons: kinds of checks, what an answer comes to, and a question's pictures."""
