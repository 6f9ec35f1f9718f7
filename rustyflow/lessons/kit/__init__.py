"""The parts of lessons: what becomes of an answer, questions, their pictures, exercises, and programs behind both."""
