"""Questions with a few choices, and their pictures: before a guess, after it, and played out."""
