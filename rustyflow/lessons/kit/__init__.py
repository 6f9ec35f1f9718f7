"""The parts of lessons: what an answer comes to, questions and their pictures, exercises, and the programs behind both."""
